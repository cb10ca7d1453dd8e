"""Which methodologies bear on what is being judged: by the likeness of texts and by shared tags. Pure.

    score = 0.6 * vector + 0.4 * overlap
    overlap = (shared domains / domains of the fact + shared entities / entities of the fact) / 2

`vector` is the cosine of two stored vectors, 0 where one of them is missing: nothing is embedded here. Tags are shared
where they are the same string, each counted once. Left out are the tags that mark every methodology, on its side, and
those that mark all facts of the campaign, on both.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.tags import without
from thermite_pipelines.synthesis.vectors import Vectors

METHODOLOGY = "methodology"
MOST = 3
"""Methodologies that are offered for one item."""
MIN_SCORE = 0.15
"""The default of the setting `methodology_min_score`."""
OF_VECTOR, OF_OVERLAP = 0.6, 0.4
MARKERS = frozenset(["meta", "reasoning", METHODOLOGY])
"""Tags of methodologies that say what they are, not what they are about."""
# Sums of products end in digits that depend on what else was multiplied, and a score at the floor must not miss it.
_DECIMALS = 12
_BLOCK = 256

_Array = NDArray[np.float64]
_Places = Mapping[str, NDArray[np.int64]]


class Offered(NamedTuple):
    """A methodology that bears on an item."""

    score: float
    title: str
    path: str


class Methodologies:
    """The methodologies among a campaign's facts, told by their type alone, ready to be compared with others."""

    def __init__(
        self, facts: Iterable[Fact], vectors: Vectors | None = None, markers: frozenset[str] = frozenset()
    ) -> None:
        """`facts`: live ones, of any type. `vectors`: of them and of what they are compared with; None: by tags alone.

        `markers`: tags that all facts of the campaign share, in canonical form.
        """
        self._found = sorted((fact for fact in facts if fact.type == METHODOLOGY), key=lambda fact: fact.fact)
        self._markers = markers
        self._vectors = vectors
        self._row = {} if vectors is None else {name: row for row, name in enumerate(vectors.names)}
        self._unit = self._units([fact.fact for fact in self._found])
        self._domains = _places(set(without(fact.domain, markers)) - MARKERS for fact in self._found)
        self._entities = _places(set(fact.entities) for fact in self._found)

    def __len__(self) -> int:
        return len(self._found)

    def relevant(self, sources: Iterable[Fact], *, min_score: float = MIN_SCORE, most: int = MOST) -> list[Offered]:
        """Those that score `min_score` or more for any of these facts, with their highest score.

        The best first, equal ones in the order of their ids, at most `most`. That is the same as taking the best
        `most` for each fact and merging them.
        """
        best = np.full(len(self._found), -np.inf)
        waiting = iter(sources if self._found else ())
        while block := list(islice(waiting, _BLOCK)):
            np.maximum(best, self._scores(block).max(axis=0), out=best)
        places = np.argsort(-best, kind="stable")[: max(0, most)]
        return [
            Offered(float(best[place]), self._found[place].title, self._found[place].fact)
            for place in places
            if best[place] >= round(min_score, _DECIMALS)
        ]

    def _scores(self, sources: Sequence[Fact]) -> _Array:
        """A row for each of these facts, a column for each methodology."""
        vector = self._units([source.fact for source in sources]) @ self._unit.T
        domains = [self._shared(self._domains, set(without(one.domain, self._markers))) for one in sources]
        entities = [self._shared(self._entities, set(one.entities)) for one in sources]
        overlap = (np.array(domains) + np.array(entities)) / 2
        return np.round(OF_VECTOR * vector + OF_OVERLAP * overlap, _DECIMALS)

    def _shared(self, places: _Places, wanted: set[str]) -> _Array:
        """For each methodology the share of these tags that it has."""
        count = np.zeros(len(self._found))
        for tag in wanted:
            if tag in places:
                count[places[tag]] += 1
        return count / max(1, len(wanted))

    def _units(self, names: list[str]) -> _Array:
        """A row of length 1 for each fact; of zeros where it has no vector, or one without direction."""
        if self._vectors is None or not len(self._vectors):
            return np.zeros((len(names), 1))
        units = np.zeros((len(names), self._vectors.matrix.shape[1]))
        known = [place for place, name in enumerate(names) if name in self._row]
        units[known] = self._vectors.matrix[[self._row[names[place]] for place in known]]
        lengths = np.linalg.norm(units, axis=1)
        good = np.isfinite(lengths) & (lengths > 0)
        units[good] /= lengths[good, None]
        units[~good] = 0
        return units


def _places(tags: Iterable[set[str]]) -> _Places:
    """For each tag where it stands."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, own in enumerate(tags):
        for tag in own:
            found[tag].append(place)
    return {tag: np.array(places, np.int64) for tag, places in found.items()}
