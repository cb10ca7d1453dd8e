"""Drafts: what one item or atom says as a fact, before facts have their ids.

Titles and bodies. A title is one line of at most 120 characters, a body is Markdown and may be empty.

| source | title | body |
|---|---|---|
| note | the first line of its text that says something, without Markdown's marks | its text |
| experiment | `<title>: <status>` | `<title>: <status>, <metric> <value> <unit> against <baseline>. <summary>` |
| attempt | `<title>: <verdict>` | the same with its verdict and the best value before it; then the judge's reason |
| claim, research note, finding, hypothesis | the item's title | the item's text |
| confirmed hypothesis, as an observation | the hypothesis's title | its statement, then what decided it |
| atom | the first line of its statement | its statement, when it holds, what was wrongly assumed, and why one would |

Parts that do not exist, and what was not measured, are left out. An item that says nothing but blanks gives no fact.

References are the facts that it rests on, then items and pages: the sources of a claim or research note, the origin of
an experiment, the experiment of an attempt, what a note is about, and every item id and address of a page in its words.
A finding names its claims as facts; one that says nothing but blanks is no fact, and is named as the item that it is.
"""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from thermite_pipelines.errors import UsageError
from thermite_pipelines.knowledge.items import KINDS, TITLE_CHARACTERS, parse_item_id
from thermite_pipelines.synthesis.domains import domain_of
from thermite_pipelines.synthesis.entities import entities_of, urls_of
from thermite_pipelines.synthesis.tags import canonical_tags

Row = dict[str, Any]

MOST_REFS = 64
"""References that a fact has at most, unless its item names more itself."""
_EXACT = 1e15
_MARKS = re.compile(r"\A(?:(?:#{1,6}|>|[-*+])\s+)+")
_ITEM = re.compile(rf"(?<![\w/:])(?:{'|'.join(KINDS)}):[A-Za-z0-9][\w.-]*/[\w.~-]+/[\w./-]+", re.ASCII)


class FactOf(str):
    """The source of a fact, where that fact is meant: it is named by its id once there is one."""

    __slots__ = ()


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A fact without an id. `source` is what its id is made from: the id of its item or atom, marked where it has two.

    `made_from` tells one state of the source from another. Other facts are named as `FactOf` their sources.
    """

    source: str
    type: str
    title: str
    body: str
    confidence: float
    sources: int
    made_from: str
    domain: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    item: str | None = None
    atom: str | None = None
    rig: str | None = None
    run: str | None = None
    written_by: str | None = None
    created_at: int | None = None
    retracted_by: str | None = None
    retracted_as: str | None = None
    superseded_by: str | None = None


def title_of(text: str, room: int = TITLE_CHARACTERS) -> str:
    """The first line that says something, without the marks of a heading or list, as one line cut at `room`."""
    lines = [line for line in text.splitlines() if line.strip()]
    said = next((line for line in lines if any(sign.isalnum() for sign in line)), lines[0] if lines else "")
    return one_line(_MARKS.sub("", said.strip()))[:room].rstrip()


def one_line(text: str | None) -> str:
    """Text without breaks and runs of blanks."""
    return " ".join((text or "").split())


def paragraphs(*parts: str | None) -> str:
    """The parts that say something, a blank line between them."""
    return "\n\n".join(part.strip() for part in parts if part and part.strip())


def number(value: float) -> str:
    """A measured value as people write it: the shortest form, whole numbers without a point."""
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < _EXACT else repr(value)


def digest_of(*parts: Any) -> str:
    """16 hex digits over values: other values, other digits."""
    return hashlib.sha256(repr(parts).encode(errors="surrogatepass")).hexdigest()[:16]


def tags_of(title: str, body: str, own: Iterable[str] = ()) -> tuple[str, ...]:
    """The tags that a source has, then those that the rule finds in its words; all in their one form."""
    return canonical_tags([*own, *domain_of(title, body)])


def refs_of(own: str, *texts: str | None, cited: Iterable[str] = ()) -> tuple[str, ...]:
    """What a source names, then items and pages that stand in its words; never itself as an item."""
    found: list[str] = []
    for text in texts:
        for match in _ITEM.finditer(text or ""):
            item = match.group().rstrip(".,/-")
            if _is_item(item):
                found.append(item)
    found += urls_of(*texts)
    named = tuple(cited)
    return tuple(dict.fromkeys([*named, *(ref for ref in found if ref != own)]))[: max(MOST_REFS, len(named))]


def _is_item(text: str) -> bool:
    try:
        parse_item_id(text)
    except UsageError:
        return False
    return True


def names_in(title: str, body: str, metric: str | None = None) -> tuple[str, ...]:
    """The names that a fact is about; a title that the body repeats is read once."""
    return entities_of(None if title and title in body else title, body, known=[metric])
