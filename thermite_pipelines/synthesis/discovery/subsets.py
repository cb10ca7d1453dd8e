"""Small sets of facts of several communities that are near to each other, taken from a larger group."""

import heapq
from collections import Counter
from collections.abc import Collection

from thermite_pipelines.synthesis.discovery.dial import Dial
from thermite_pipelines.synthesis.discovery.measures import Ground


class Subsets:
    """Takes one set after another from a group, until no two facts of different communities in it are alike.

    A set begins with the two that have the most neighbours in common, and grows by the fact with the most neighbours
    in it, as long as the share of pairs that are alike stays at the floor or above. Ties go to the smaller ids.
    """

    def __init__(self, members: Collection[str], ground: Ground, dial: Dial) -> None:
        self._dial = dial
        group = set(members)
        self._near = {name: ground.near.get(name, set()) & group for name in sorted(group)}
        # The most common neighbours first. Numbers only fall as facts are taken: one that is out of date is put back.
        self._pairs = [
            (-self._shared(one, other), one, other)
            for one, near in self._near.items()
            for other in near
            if one < other and ground.community(one) != ground.community(other)
        ]
        heapq.heapify(self._pairs)

    def take(self) -> tuple[str, ...] | None:
        """The next set, in the order of ids; its facts are in none that follows. None when there is none."""
        pair = self._pair()
        if pair is None:
            return None
        chosen, joined = set(pair), 1
        ties = Counter(name for one in pair for name in self._near[one] if name not in chosen)
        while ties and len(chosen) < self._dial.max_members:
            name = min(ties, key=lambda one: (-ties[one], one))
            joined += ties.pop(name)
            if joined / _pairs_of(len(chosen) + 1) < self._dial.coh_floor:
                break
            chosen.add(name)
            ties.update(one for one in self._near[name] if one not in chosen)
        for name in chosen:
            for other in self._near.pop(name):
                self._near.get(other, set()).discard(name)
        return tuple(sorted(chosen))

    def _pair(self) -> tuple[str, str] | None:
        while self._pairs:
            stored, one, other = heapq.heappop(self._pairs)
            if one not in self._near or other not in self._near:
                continue
            if (shared := self._shared(one, other)) == -stored:
                return one, other
            heapq.heappush(self._pairs, (-shared, one, other))
        return None

    def _shared(self, one: str, other: str) -> int:
        return len(self._near[one] & self._near[other])


def _pairs_of(number: int) -> int:
    return number * (number - 1) // 2
