"""How good a set of facts is to ask about: joined well, from several clusters, not derived from each other, rare."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from thermite_pipelines.synthesis.discovery.dial import Dial

Edge = tuple[str, str]
_DECIMALS = 9  # sums of the same thirds and quarters are the same quality


@dataclass(frozen=True)
class Measures:
    """Of one set: the share of pairs that are alike, the share not derived one from the other, rarity, communities."""

    coh: float
    gap: float
    spec: float
    sep: int
    size: int


@dataclass(frozen=True)
class Quality:
    """The quality of a set, 0 where it fails the gate, and whether it is good enough."""

    value: float
    is_kept: bool


class Ground:
    """What facts are to each other: which are alike, in which community each stands, what was derived from what.

    A fact of no community known stands alone. `dependents` gives the facts derived from one, in any number of steps.
    """

    def __init__(
        self, edges: Iterable[Edge], community: Mapping[str, int], dependents: Callable[[str], Collection[str]]
    ) -> None:
        self.near: dict[str, set[str]] = {}
        for one, other in edges:
            if one != other:
                self.near.setdefault(one, set()).add(other)
                self.near.setdefault(other, set()).add(one)
        self._community = community
        self._dependents = dependents

    def community(self, name: str) -> int | str:
        """What tells the community of a fact from all others."""
        return self._community.get(name, name)

    def measured(self, members: Sequence[str], spec: float) -> Measures:
        """The measures of a set of at least two facts; each one's dependents are looked up once."""
        pairs = list(combinations(members, 2))
        derived = {name: self._dependents(name) for name in members}
        joined = sum(other in self.near.get(one, ()) for one, other in pairs)
        apart = sum(other not in derived[one] and one not in derived[other] for one, other in pairs)
        communities = {self.community(name) for name in members}
        return Measures(joined / len(pairs), apart / len(pairs), spec, len(communities), len(members))


def specificity(frequency: int) -> float:
    """How rare a token is: 1 for one that no more than one fact carries."""
    return 1 / max(frequency, 1)


def quality_of(measures: Measures, dial: Dial) -> Quality:
    """The weighed sum of cohesion, gap and rarity, where the set passes the gate."""
    if measures.coh < dial.coh_floor or measures.sep < 2 or measures.size > dial.max_members:
        return Quality(0.0, False)
    weights = dial.weights
    value = weights.coh * measures.coh + weights.gap * measures.gap + weights.spec * measures.spec
    value = round(value, _DECIMALS)
    return Quality(value, value >= dial.quality_floor)
