"""Pages of an item: what one result of a tool can carry, and the token that shows the last page was read.

Pages and tokens are functions of the stored payload and nothing else, so the same page is the same bytes each time.
The sizes are constants, not settings.
"""

import hashlib
import json
import logging
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from thermite_pipelines.errors import UsageError
from thermite_pipelines.synthesis.work import Item, Refused

logger = logging.getLogger(__name__)

PAGE_BYTES = 32_768
"""What a delivered page holds at most; a larger one (one giant fact, a long prompt) is logged."""
RESERVED_BYTES = 8_192
"""What of a page is kept for all that is not facts."""
FACT_BYTES = PAGE_BYTES - RESERVED_BYTES
PAGED_STEPS = ("prune", "distill")
"""Steps whose facts travel beside the prompt; other payloads stand in the prompt, on one page."""
_DEPTH = "    "


@dataclass(frozen=True)
class Page:
    """One page of an item, counted from 1, with the facts on it as records."""

    number: int
    pages: int
    facts: tuple[dict[str, Any], ...]

    @property
    def is_last(self) -> bool:
        """Whether nothing comes after it."""
        return self.number == self.pages


def delivered(result: Any) -> str:
    """A result as it is sent: JSON indented by two."""
    return json.dumps(result, ensure_ascii=False, indent=2)


def delivered_size(fact: dict[str, Any]) -> int:
    """Bytes that a fact takes in a result: as the one element of a list that stands two levels deep."""
    lines = delivered([fact]).split("\n")
    return sum(len(_DEPTH) + len(line.encode()) for line in lines) + len(lines) - 1


def page_count(item: Item) -> int:
    """How many pages an item has."""
    return len(_ends(item.facts)) if item.step in PAGED_STEPS else 1


def page_of(item: Item, number: int) -> Page:
    """A page of an item. Raises `UsageError` for a number that it does not have."""
    pages = page_count(item)
    if not 1 <= number <= pages:
        raise UsageError(f"item {item.item} has no page {number}", do=f"ask for page 1 to {pages}")
    if item.step not in PAGED_STEPS:
        return Page(1, 1, ())
    ends = _ends(item.facts)
    start = ends[number - 2] if number > 1 else 0
    return Page(number, pages, tuple(json.loads(item.facts)[start : ends[number - 1]]))


def completion_token(item: Item) -> str:
    """What the last page of several ends with: 16 hex digits over the item's number and its payload as stored."""
    return hashlib.sha256(f"{item.item}:{item.facts}".encode()).hexdigest()[:16]


def check_token(item: Item, token: str | None) -> None:
    """Refuse an answer to an item of several pages unless it brings the item's own token. Raises `Refused`."""
    pages = page_count(item)
    if pages == 1 or token == completion_token(item):
        return
    wrong = "needs the completion token" if not token else "came with a token that is not the item's"
    raise Refused(
        f"the answer to item {item.item} {wrong}",
        do=f"read all {pages} pages, and answer with the completion_token of the last one",
    )


@lru_cache(maxsize=8)
def _ends(payload: str) -> tuple[int, ...]:
    """For each page the place past its last fact: filled in order, and closed when the next fact would not fit."""
    ends: list[int] = []
    size = place = 0
    for place, fact in enumerate(json.loads(payload)):
        more = delivered_size(fact)
        if size and size + more > FACT_BYTES:
            ends.append(place)
            size = 0
        size += more
    return (*ends, place + 1)


def warn_if_large(result: str, item: int) -> None:
    """Log a delivered page that is larger than a page should be."""
    if (size := len(result.encode())) > PAGE_BYTES:
        logger.warning("a page of item %d holds %d bytes as delivered", item, size)
