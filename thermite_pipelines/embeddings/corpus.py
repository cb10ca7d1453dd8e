"""Texts to calibrate on: facts with their domain tags, and pairs of texts of which is known whether they say the same.

The facts and pairs that ship were written for this: findings of several kinds of research.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from thermite_pipelines.errors import ThermiteError

FEWEST = 10
"""Fewer facts than this say nothing about a distribution."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_LONG_ENOUGH = 40
_EACH = 7
_ENOUGH_COPIES = 40

BEYOND_VECTORS = frozenset(["negation", "direction"])
"""Kinds of different pairs that only words can tell apart: both texts speak of the same things."""


@dataclass(frozen=True)
class Sample:
    """A fact as far as calibration looks at it."""

    title: str
    body: str
    domain: frozenset[str] = frozenset()

    def shortened(self) -> "Sample":
        """The same without every third sentence; of fewer than three sentences, the first three quarters."""
        sentences = [part for part in _SENTENCE.split(self.body) if part.strip()]
        if len(sentences) >= 3:
            kept = (sentence for place, sentence in enumerate(sentences, 1) if place % 3)
            return Sample(self.title, " ".join(kept), self.domain)
        body = self.body[: len(self.body) * 3 // 4] if len(self.body) > _LONG_ENOUGH else self.body
        return Sample(self.title, body, self.domain)


@dataclass(frozen=True)
class Pair:
    """Two texts, whether they say the same, in which way they do or do not, and the language or languages."""

    a: str
    b: str
    same: bool
    kind: str
    language: str

    @property
    def is_translation(self) -> bool:
        """Whether the two are of different languages, written `en-de`."""
        return "-" in self.language


def built_in() -> list[Sample]:
    """The facts that ship."""
    return samples(_lines("corpus.jsonl"), "corpus.jsonl")


def labelled_pairs() -> list[Pair]:
    """The pairs that ship."""
    return [Pair(**json.loads(line)) for line in _lines("pairs.jsonl")]


def samples(lines: Iterable[str], where: str) -> list[Sample]:
    """Facts of JSON lines with `title`, `body` and, maybe, `domain`. Raises `ThermiteError` that names a bad line."""
    found = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                found.append(_sample(json.loads(line)))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
                raise ThermiteError(
                    "no fact in this line",
                    where=f"{where}:{number}",
                    do='write {"title": "…", "body": "…", "domain": ["…"]}',
                ) from None
    if len(found) < FEWEST:
        raise ThermiteError(f"{len(found)} facts are too few to calibrate on", where=where, do=f"give {FEWEST} or more")
    return found


def copy_step(facts: int) -> int:
    """Of so many facts each which one gets a near copy: the seventh, but more where that would be fewer than forty."""
    return max(1, min(_EACH, facts // _ENOUGH_COPIES))


def _sample(value: Any) -> Sample:
    title, body, domain = value["title"], value["body"], value.get("domain") or []
    if not isinstance(title, str) or not isinstance(body, str) or not title.strip():
        raise TypeError("texts are wanted")
    if isinstance(domain, str) or not all(isinstance(tag, str) for tag in domain):
        raise TypeError("tags are wanted")
    return Sample(title, body, frozenset(domain))


def _lines(name: str) -> list[str]:
    data = files("thermite_pipelines.embeddings") / "data" / name
    return data.read_text(encoding="utf-8").splitlines()
