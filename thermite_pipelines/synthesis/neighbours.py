"""Which facts of a campaign are alike: the nearest of each, near pairs, and the graph of what is related.

Exact, over all facts. A cosine is rounded to six decimals; facts that are equally near stand in the order of their ids.
Facts of whose text the model made nothing are like none. Facts with the same vector are compared once for all of them.
"""

from bisect import insort
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.synthesis.cosines import MILLION, Best, Matrix, Rows, nearest_of, nearest_of_all
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
    """The facts of a campaign by their vectors; those without direction are known and never near to any.

    `put` adds facts, or gives one another vector: what follows from an answer needs not look at all others again.
    """

    def __init__(self, vectors: Vectors) -> None:
        self._members: list[list[str]] = []
        self._row: dict[str, int] = {}
        self._rows: dict[bytes, int] = {}
        self._matrix = np.zeros((0, vectors.matrix.shape[1]), np.float32)
        self.put(vectors)

    def put(self, vectors: Vectors) -> None:
        """Add facts by their vectors, or let those that are known have these vectors from now on."""
        lengths = np.linalg.norm(vectors.matrix.astype(np.float64), axis=1)
        good = np.flatnonzero(np.isfinite(lengths) & (lengths > 0))
        unit = (vectors.matrix[good] / lengths[good, None]).astype(np.float32)
        for name in vectors.names:
            if (row := self._row.pop(name, None)) is not None:
                self._members[row].remove(name)
        firsts: list[int] = []
        for place, name in enumerate(vectors.names[row] for row in good):
            row = self._rows.setdefault(unit[place].tobytes(), len(self._rows))
            if row == len(self._members):
                firsts.append(place)
                self._members.append([])
            insort(self._members[row], name)
            self._row[name] = row
        if firsts:
            self._matrix = np.ascontiguousarray(np.concatenate([self._matrix, unit[firsts]]))

    @property
    def matrix(self) -> Matrix:
        """The vectors, of length 1: a row for each that is not another's twin."""
        return self._matrix

    def vectors(self, names: Iterable[str]) -> Vectors:
        """The vectors of some facts; those without direction are left out."""
        known = sorted(name for name in set(names) if name in self._row)
        return Vectors(tuple(known), self._matrix[[self._row[name] for name in known]])

    def closest(self, vector: Matrix, among: Collection[str]) -> Near | None:
        """The nearest of some facts to a vector of its own, and how near it is; None where all are without direction.

        Of several that are equally near, the one with the smallest id.
        """
        length = float(np.linalg.norm(vector.astype(np.float64)))
        rows = sorted({self._row[name] for name in among if name in self._row})
        if not rows or not 0 < length < np.inf:
            return None
        cosines = self._matrix[rows].astype(np.float64) @ (vector.astype(np.float64) / length)
        millionths = np.rint(np.clip(cosines, -1, 1) * MILLION).astype(np.int64)
        best = int(millionths.max())
        equal = [rows[place] for place in np.flatnonzero(millionths == best)]
        return min(name for row in equal for name in self._members[row] if name in among), best / MILLION

    def only(self, names: Iterable[str]) -> "Neighbours":
        """Some of the facts, by themselves."""
        return Neighbours(self.vectors(names))

    def nearest(
        self,
        least: float,
        of: Iterable[str] | None = None,
        limit: int = NEIGHBOURS,
        among: Collection[str] | None = None,
    ) -> Nearest:
        """The nearest of each fact, or of some, as far as they are at least so near; at most `limit` of each.

        `among`: the facts that may be near, all by default; those of `of` are then of these alone, too.
        """
        if among is None and not all(self._members):
            among = self._row  # a row that no fact has any more is near to none
        asked = self._row if of is None else {name for name in of if name in self._row}
        names = sorted(asked if among is None else {name for name in asked if name in among})
        rows = np.unique(np.array([self._row[name] for name in names], np.int64))
        if len(rows) > len(self._matrix) // 2:
            if among is not None and not self._holds_all(among):
                return self.only(among).nearest(least, names, limit)
            best = nearest_of_all(self._matrix, limit, least, self._ranks(None))
        else:
            best = nearest_of(self._matrix, rows, limit, least, self._ranks(among), self._hidden(among))
        wanted = defaultdict(list)
        for name in names:
            wanted[self._row[name]].append(name)
        found = {}
        for row, asking in wanted.items():
            near = self._near(best, row, limit, least, among)
            for name in asking:
                if mine := tuple(one for one in near if one[0] != name)[:limit]:
                    found[name] = mine
        return Nearest({name: found[name] for name in sorted(found)})

    def _near(self, best: Best, row: int, limit: int, least: float, among: Collection[str] | None) -> list[Near]:
        """The facts near to those of a row, themselves among them, one more than the limit."""
        pairs = zip(best.others[row].tolist(), best.millionths[row].tolist(), strict=True)
        near = [(other, millionths) for other, millionths in pairs if other >= 0]
        if len(self._members[row]) > 1 and least <= 1:
            near.append((row, MILLION))
        found = [(name, millionths) for other, millionths in near for name in self._shown(other, among)[: limit + 1]]
        found.sort(key=lambda one: (-one[1], one[0]))
        return [(name, millionths / MILLION) for name, millionths in found[: limit + 1]]

    def _shown(self, row: int, among: Collection[str] | None) -> list[str]:
        members = self._members[row]
        return members if among is None else [name for name in members if name in among]

    def _ranks(self, among: Collection[str] | None) -> Rows:
        """The place of each row by the smallest id of its facts that may be near: rows come in any order by `put`."""
        firsts = [self._shown(row, among)[:1] for row in range(len(self._members))]
        ranks = np.empty(len(firsts), np.int64)
        ranks[sorted(range(len(firsts)), key=firsts.__getitem__)] = np.arange(len(firsts))
        return ranks

    def _holds_all(self, among: Collection[str]) -> bool:
        return all(members and all(name in among for name in members) for members in self._members)

    def _hidden(self, among: Collection[str] | None) -> NDArray[np.bool_] | None:
        """The rows without a fact that may be near."""
        if among is None:
            return None
        hidden = np.ones(len(self._members), bool)
        hidden[[self._row[name] for name in among if name in self._row]] = False
        return hidden
