"""Which facts of a campaign are alike: the nearest of each, near pairs, and the graph of what is related.

Exact, over all facts. A cosine is rounded to six decimals; facts that are equally near stand in the order of their ids.
Facts of whose text the model made nothing are like none. Facts with the same vector are compared once for all of them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from thermite_pipelines.synthesis.cosines import MILLION, Best, nearest_of, nearest_of_all
from thermite_pipelines.synthesis.merging import Pair
from thermite_pipelines.synthesis.vectors import Vectors

NEIGHBOURS = 10
"""How many facts are looked at around one: for near pairs, for the graph, and for a cluster."""
Near = tuple[str, float]
"""A fact, and how near it is."""
Edge = tuple[str, str]
"""Two related facts, the smaller id first."""


@dataclass(frozen=True)
class Nearest:
    """By fact its nearest others, the nearest first; facts that have none are left out."""

    by_fact: Mapping[str, tuple[Near, ...]]

    def of(self, name: str) -> tuple[Near, ...]:
        """The nearest of one fact."""
        return self.by_fact.get(name, ())

    def pairs(self, above: float) -> list[Pair]:
        """Pairs nearer than that, the nearest first; of two ids the smaller stands first."""
        found = {(min(name, other), max(name, other)): cosine for name, other, cosine in self._all() if cosine > above}
        return sorted(((*pair, cosine) for pair, cosine in found.items()), key=lambda pair: (-pair[2], pair[:2]))

    def edges(self, least: float) -> list[Edge]:
        """The graph: each fact with its nearest that are at least so near. Undirected, sorted."""
        return sorted({(min(name, other), max(name, other)) for name, other, cosine in self._all() if cosine >= least})

    def _all(self) -> Iterator[tuple[str, str, float]]:
        for name, near in self.by_fact.items():
            for other, cosine in near:
                yield name, other, cosine


class Neighbours:
    """The facts of a campaign by their vectors; those without direction are known and never near to any."""

    def __init__(self, vectors: Vectors) -> None:
        lengths = np.linalg.norm(vectors.matrix.astype(np.float64), axis=1)
        good = np.flatnonzero(np.isfinite(lengths) & (lengths > 0))
        unit = (vectors.matrix[good] / lengths[good, None]).astype(np.float32)
        self._members: list[list[str]] = []
        self._row: dict[str, int] = {}
        rows: dict[bytes, int] = {}
        firsts: list[int] = []
        for place, name in enumerate(vectors.names[row] for row in good):
            row = rows.setdefault(unit[place].tobytes(), len(rows))
            if row == len(firsts):
                firsts.append(place)
                self._members.append([])
            self._members[row].append(name)
            self._row[name] = row
        self._matrix = np.ascontiguousarray(unit[firsts])

    def nearest(self, least: float, of: Iterable[str] | None = None, limit: int = NEIGHBOURS) -> Nearest:
        """The nearest of each fact, or of some, as far as they are at least so near; at most `limit` of each."""
        names = list(self._row) if of is None else sorted({name for name in of if name in self._row})
        rows = np.unique(np.array([self._row[name] for name in names], np.int64))
        if len(rows) > len(self._matrix) // 2:
            best = nearest_of_all(self._matrix, limit, least)
        else:
            best = nearest_of(self._matrix, rows, limit, least)
        wanted = defaultdict(list)
        for name in names:
            wanted[self._row[name]].append(name)
        found = {}
        for row, asking in wanted.items():
            near = self._near(best, row, limit, least)
            for name in asking:
                if mine := tuple(one for one in near if one[0] != name)[:limit]:
                    found[name] = mine
        return Nearest({name: found[name] for name in sorted(found)})

    def _near(self, best: Best, row: int, limit: int, least: float) -> list[Near]:
        """The facts near to those of a row, themselves among them, one more than the limit."""
        pairs = zip(best.others[row].tolist(), best.millionths[row].tolist(), strict=True)
        near = [(other, millionths) for other, millionths in pairs if other >= 0]
        if len(self._members[row]) > 1 and least <= 1:
            near.append((row, MILLION))
        found = [(name, millionths) for other, millionths in near for name in self._members[other][: limit + 1]]
        found.sort(key=lambda one: (-one[1], one[0]))
        return [(name, millionths / MILLION) for name, millionths in found[: limit + 1]]
