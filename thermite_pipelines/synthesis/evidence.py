"""Evidence: which facts a derived fact rests on in the end, and what they weigh.

The weight is S / (S + 1), where S is the sum over the evidence of confidence times sources. It is 0 without evidence,
grows with every piece of it, and never reaches 1.

The evidence of a fact is found by following what it cites. What a person or a rig wrote ends the walk: it cites, but it
isn't derived. What was derived is passed through to what it was derived from, so that evidence that is reached in two
ways counts once. Hypotheses add nothing, however many there are.
"""

import math
from collections.abc import Callable, Iterable

from thermite_pipelines.synthesis.facts import Fact

DEEPEST = 10
"""Steps from the first source at which a derived fact is taken for evidence itself."""
DERIVED = frozenset(["distilled", "discovered"])
"""Origins of facts that the walk passes through."""


def sum_product_norm(evidence: Iterable[tuple[float, int]]) -> float:
    """S / (S + 1) of pairs of confidence and sources; 0 for none. Their order makes no difference to any digit."""
    total = math.fsum(confidence * sources for confidence, sources in evidence)
    return total / (total + 1)


def weight_of(facts: Iterable[Fact]) -> float:
    """The weight of facts as evidence."""
    return sum_product_norm((fact.confidence, fact.sources) for fact in facts)


def evidence_of(
    sources: Iterable[str], read: Callable[[str], Fact | None], cited_by: Callable[[Fact], Iterable[str]]
) -> dict[str, Fact]:
    """The facts at the end of the lineage of `sources`, by id.

    `read` gives a live fact or None, `cited_by` the ids of the facts that a fact cites. A source that can't be read
    grounds nothing. A derived fact counts itself where nothing it cites is grounded, or where it is too deep to follow.
    """
    walk = _Walk(read, cited_by)
    for source in sorted(set(sources)):
        walk.visit(source, 0)
    return walk.found


class _Walk:
    def __init__(self, read: Callable[[str], Fact | None], cited_by: Callable[[Fact], Iterable[str]]) -> None:
        self._read = read
        self._cited_by = cited_by
        self._open: set[str] = set()
        self._grounded: dict[str, bool] = {}
        self.found: dict[str, Fact] = {}

    def visit(self, name: str, depth: int) -> bool:
        """Follow one fact; whether it is grounded. One that is being followed already grounds nothing."""
        if name in self._open:
            return False
        if name not in self._grounded:
            fact = self._read(name)
            if fact is not None and fact.type != "hypothesis":
                self._follow(name, fact, depth)
            self._grounded[name] = fact is not None
        return self._grounded[name]

    def _follow(self, name: str, fact: Fact, depth: int) -> None:
        below = False
        if fact.origin in DERIVED and depth < DEEPEST:
            self._open.add(name)
            for cited in sorted(set(self._cited_by(fact))):
                below = self.visit(cited, depth + 1) or below
            self._open.discard(name)
        if not below:
            self.found[name] = fact
