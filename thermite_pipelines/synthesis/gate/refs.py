"""References of an answer: a fact, an item, or an address. That is told by form alone; existence is asked elsewhere."""

import re
from collections.abc import Iterable

from thermite_pipelines.synthesis.gate.reading import named

_FACT = re.compile(r"[a-z][a-z0-9-]{0,62}/[0-9a-f]{12,64}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+._-]*:\S+")  # an item's kind stands where an address has its scheme


def is_fact(ref: str) -> bool:
    """Whether a reference has the form of a fact's id."""
    return _FACT.fullmatch(ref) is not None


def malformed(refs: Iterable[str], place: str) -> list[str]:
    """A problem that names every reference of none of the three forms."""
    bad = [ref for ref in refs if not is_fact(ref) and _SCHEME.fullmatch(ref) is None]
    return [f"{place}.refs names no fact, item or address: {', '.join(map(named, bad))}"] if bad else []
