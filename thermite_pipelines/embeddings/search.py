"""Which vectors are nearest: exact, over all that are kept in memory; the order in which they came changes nothing.

Cosines are rounded to six decimals, since the last bits of a sum depend on what else a matrix product holds; texts that
are equally near stand in the order of their keys.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.embeddings.thresholds import Thresholds

NEIGHBOURS = 10
"""The edges that a text has to others at most, and the hits of one text when near copies are looked for."""

_DECIMALS = 6
_BLOCK = 512
_WIDEST, _WIDE, _NARROW = 5, 3, 2


@dataclass(frozen=True)
class Hit:
    """A key and how near it is; the score is a hundred times the cosine."""

    key: str
    cosine: float

    @property
    def score(self) -> float:
        """From 0 to 100 for texts that have something in common."""
        return 100 * self.cosine


class Nearest:
    """Vectors of one model by key. Those of length 0 are known and never found."""

    def __init__(self, vectors: Mapping[str, NDArray[np.float32]], thresholds: Thresholds) -> None:
        self._thresholds = thresholds
        lengths = {key: float(np.linalg.norm(vector)) for key, vector in vectors.items()}
        self.keys = sorted(key for key, length in lengths.items() if length > 0 and np.isfinite(length))
        self._place = {key: place for place, key in enumerate(self.keys)}
        rows = [np.asarray(vectors[key], np.float32) / np.float32(lengths[key]) for key in self.keys]
        self._matrix = np.stack(rows) if rows else np.zeros((0, 0), np.float32)

    def search(
        self,
        vector: NDArray[np.float32],
        limit: int = 100,
        min_cosine: float = 0.0,
        accept: Callable[[str], bool] | None = None,
    ) -> list[Hit]:
        """At most `limit` hits with a cosine above `min_cosine` (0: the model's floor), the nearest first.

        Filters apply to the nearest few only: `limit` times 2 where `min_cosine` is above the model's upper bound for
        widening, times 3 above the lower one, else times 5.
        """
        length = float(np.linalg.norm(vector))
        if not self.keys or limit < 1 or not np.isfinite(length) or length == 0:
            return []
        least = min_cosine or self._thresholds.search_floor
        cosines = np.round(self._matrix @ (np.asarray(vector, np.float32) / np.float32(length)), _DECIMALS)
        nearest = _nearest(cosines, limit * self._width(least))
        hits = [Hit(self.keys[place], float(cosines[place])) for place in nearest if cosines[place] > least]
        return [hit for hit in hits if accept is None or accept(hit.key)][:limit]

    def like(
        self,
        key: str,
        limit: int = 100,
        min_cosine: float = 0.0,
        accept: Callable[[str], bool] | None = None,
    ) -> list[Hit]:
        """The same for the vector that a key has, itself included; nothing where it has none."""
        place = self._place.get(key)
        return [] if place is None else self.search(self._matrix[place], limit, min_cosine, accept)

    def edges(self, limit: int = NEIGHBOURS) -> list[tuple[str, str]]:
        """Pairs of keys, the smaller first, sorted: each key with its nearest, as far as they are similar at all."""
        found: set[tuple[str, str]] = set()
        for first, cosines in self._blocks():
            for row, ones in enumerate(cosines):
                key = self.keys[first + row]
                for place in _nearest(ones, limit):
                    if ones[place] >= self._thresholds.similar_to:
                        found.add((min(key, self.keys[place]), max(key, self.keys[place])))
        return sorted(found)

    def near_copies(self, limit: int = NEIGHBOURS) -> list[tuple[str, str, float]]:
        """Pairs of keys nearer than the Dedup threshold, the nearest first; of one key no more than `limit`."""
        found: dict[tuple[str, str], float] = {}
        for first, cosines in self._blocks():
            for row, ones in enumerate(cosines):
                key = self.keys[first + row]
                for place in _nearest(ones, limit):
                    if ones[place] > self._thresholds.dedup:
                        found[min(key, self.keys[place]), max(key, self.keys[place])] = float(ones[place])
        return sorted(((*pair, cosine) for pair, cosine in found.items()), key=lambda one: (-one[2], one[:2]))

    def _blocks(self) -> Iterator[tuple[int, NDArray[np.float32]]]:
        """Cosines of some vectors with all, a text with itself far below any; memory grows with the number of keys."""
        for first in range(0, len(self.keys), _BLOCK):
            cosines = np.round(self._matrix[first : first + _BLOCK] @ self._matrix.T, _DECIMALS)
            cosines[np.arange(len(cosines)), np.arange(first, first + len(cosines))] = -2
            yield first, cosines

    def _width(self, least: float) -> int:
        if least > self._thresholds.rerank_high:
            return _NARROW
        return _WIDE if least > self._thresholds.rerank_low else _WIDEST


def _nearest(cosines: NDArray[np.floating[Any]], limit: int) -> list[int]:
    """The places of the nearest, then by key; not all are sorted, but those that are no less than the last of them."""
    if limit < len(cosines):
        places = np.flatnonzero(cosines >= np.partition(cosines, -limit)[-limit])
    else:
        places = np.arange(len(cosines))
    return places[np.argsort(-cosines[places], kind="stable")][:limit].tolist()
