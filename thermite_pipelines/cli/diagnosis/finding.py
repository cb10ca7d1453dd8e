"""A finding, and how many of its examples are named."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

NAMED = 5

Level = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Finding:
    """Something that `doctor` saw: what it is, why that matters, and what to do. Notes need nobody."""

    level: Level
    what: str
    why: str
    do: str


def some(names: Sequence[object]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(str(name) for name in names[:NAMED])
    return f"{shown} and {len(names) - NAMED} more" if len(names) > NAMED else shown


def count(number: int, thing: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"
