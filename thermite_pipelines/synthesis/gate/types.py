"""Types that an answer may give to a new fact."""

from collections.abc import Iterator

from thermite_pipelines.synthesis.facts import EPISTEMIC
from thermite_pipelines.synthesis.gate.reading import named

_WRITABLE = tuple(name for name in EPISTEMIC if name != "hypothesis")


def bad_type(name: str, place: str) -> Iterator[str]:
    """The problem with a type: review writes epistemic facts alone, and never a hypothesis."""
    if name == "hypothesis":
        yield f"{place} would write a hypothesis, which review never does"
    elif name not in _WRITABLE:
        yield f"{place} has type {named(name)}, which is none of {', '.join(_WRITABLE)}"
