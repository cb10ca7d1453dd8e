"""The messages that were labelled by hand, what the rules find in them, and the figures of that."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from thermite_pipelines.atoms.model import Atom, Said
from thermite_pipelines.atoms.quality import judge
from thermite_pipelines.atoms.rules import read_message

MESSAGES = Path(__file__).parent / "data" / "messages.jsonl"


@dataclass(frozen=True)
class Labelled:
    """A message with the types a careful reader would keep of it."""

    said: Said
    language: str
    split: str
    types: frozenset[str]
    conditions: str | None = None

    @property
    def found(self) -> frozenset[str]:
        """The types of the atoms that the rules find and the gate passes."""
        return frozenset(atom.type for atom in atoms_of(self.said))


def atoms_of(said: Said) -> list[Atom]:
    """The atoms that the rules find in a message and the gate passes."""
    judged = [judge(candidate, {said.message: said}) for candidate in read_message(said).atoms]
    return [atom for atom in judged if isinstance(atom, Atom)]


def own_messages() -> list[Labelled]:
    """The labelled messages of this folder."""
    rows = map(json.loads, MESSAGES.read_text(encoding="utf-8").splitlines())
    return [
        Labelled(
            Said(row["id"], 1, row["text"], row["before"]),
            row["language"],
            row["split"],
            frozenset(row["types"]),
            row["conditions"],
        )
        for row in rows
    ]


@dataclass(frozen=True)
class Score:
    """Found rightly, found wrongly and missed, over pairs of a message and a type."""

    right: int
    wrong: int
    missed: int

    @property
    def precision(self) -> float:
        """The share of what was found that is right; 1 where nothing was found."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """The share of what is there that was found; 1 where nothing is there."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0

    def __str__(self) -> str:
        return (
            f"precision {self.precision:.2f}  recall {self.recall:.2f}  "
            f"({self.right} right, {self.wrong} wrong, {self.missed} missed)"
        )


def score(messages: Iterable[Labelled]) -> Score:
    """The figures over all pairs."""
    return scores(messages, lambda _, __: "all").get("all", Score(0, 0, 0))


def scores(messages: Iterable[Labelled], key: Callable[[Labelled, str], str]) -> dict[str, Score]:
    """The figures by a key of message and type, in the order of the keys."""
    counts: Counter[tuple[str, str]] = Counter()
    for labelled in messages:
        found = labelled.found
        for kind in found | labelled.types:
            outcome = "missed" if kind not in found else "right" if kind in labelled.types else "wrong"
            counts[key(labelled, kind), outcome] += 1
    keys: Sequence[str] = sorted({name for name, _ in counts})
    return {name: Score(*(counts[name, outcome] for outcome in ("right", "wrong", "missed"))) for name in keys}


def by_type(messages: Iterable[Labelled]) -> dict[str, Score]:
    """The figures of each type."""
    return scores(messages, lambda _, kind: kind)


def by_language(messages: Iterable[Labelled]) -> dict[str, Score]:
    """The figures of each language."""
    return scores(messages, lambda labelled, _: labelled.language)
