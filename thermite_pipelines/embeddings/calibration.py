"""Which thresholds suit an embedding model: distributions of cosines over a corpus, and values carried over by them.

How the thresholds of the built-in model were found: Dedup and ReflectNovelty by pairs of texts that people labelled
(`benchmarks/bench_dedup.py`), SimilarTo by which pairs of facts later went into one synthesis, and the bounds of
searches by percentiles of `query_doc`. The values that are in use for other models could not be carried over to it:
that takes their cosines over one corpus, and nobody publishes those.

Any other model gets the built-in one's, carried over: a threshold becomes the value that the same share of a
distribution lies below, over the same texts. Dedup and ReflectNovelty go by the cosines of pairs of one language that
say the same: nearly all pairs of different facts lie below both, so that their percentiles say nothing there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.embeddings.corpus import BEYOND_VECTORS, Pair, Sample, copy_step
from thermite_pipelines.embeddings.embedder import Embedder
from thermite_pipelines.embeddings.thresholds import Thresholds

LEAST_FLOOR = 0.05
"""A floor nearer to zero lets everything through."""

_PERCENTS = np.arange(101.0)
_SHOWN = (1, 5, 25, 50, 75, 95, 99)
_BY = {
    "dedup": "same_pairs",
    "reflect_novelty": "same_pairs",
    "similar_to": "doc_doc_all",
    "search_floor": "query_doc",
    "rerank_high": "query_doc",
    "rerank_low": "query_doc",
}
"""The distribution by which each threshold is carried over."""


@dataclass(frozen=True)
class Distribution:
    """Cosines by their percentiles 0 to 100, and how many there were."""

    count: int
    percentiles: tuple[float, ...]

    @classmethod
    def of(cls, cosines: NDArray[np.floating[Any]]) -> "Distribution":
        """Of cosines in any order, at least one; between two of them percentiles are linear."""
        values = np.percentile(np.asarray(cosines, np.float64), _PERCENTS)
        return cls(len(cosines), tuple(round(float(value), 4) for value in values))

    def at(self, percent: float) -> float:
        """The cosine at a percentile."""
        return float(np.interp(percent, _PERCENTS, self.percentiles))

    def below(self, cosine: float) -> float:
        """The percentile of a cosine."""
        # Of equal percentiles the highest counts: so many lie at the cosine or below.
        highest = {value: percent for percent, value in enumerate(self.percentiles)}
        return float(np.interp(cosine, list(highest), list(highest.values())))

    def shown(self) -> dict[str, float]:
        """A few percentiles for people."""
        return {f"p{percent}": self.percentiles[percent] for percent in _SHOWN}


def distributions(
    embedder: Embedder, facts: Sequence[Sample], pairs: Sequence[Pair], alike: NDArray[np.floating[Any]]
) -> dict[str, Distribution]:
    """Of the facts `doc_doc_same`, `doc_doc_all`, `query_doc`, `near_dup`; of pairs `same_pairs` and its like.

    Facts are in one category when they share a domain tag: there are no folders here. Where no two do, all pairs stand
    in for them. A query is the title of a fact, looked for in all facts. `alike`: the cosine of each pair.
    """
    documents = _documents(embedder, facts)
    cosines = documents @ documents.T
    upper = np.triu_indices(len(facts), 1)
    everything = cosines[upper]
    same = np.array([bool(facts[a].domain & facts[b].domain) for a, b in np.transpose(upper).tolist()])
    step = copy_step(len(facts))
    near = (documents[::step] * _documents(embedder, [fact.shortened() for fact in facts[::step]])).sum(axis=1)
    queries = embedder.queries([fact.title for fact in facts])
    label = np.array([_label(pair) for pair in pairs])
    return {
        "doc_doc_same": Distribution.of(everything[same] if same.any() else everything),
        "doc_doc_all": Distribution.of(everything),
        "query_doc": Distribution.of((queries @ documents.T).ravel()),
        "near_dup": Distribution.of(near),
    } | {name: Distribution.of(alike[label == name]) for name in ("same_pairs", "different_pairs", "translations")}


def _label(pair: Pair) -> str:
    """Translations are for themselves: a model of one language knows nothing of them."""
    if not pair.same:
        return "different_pairs"
    return "translations" if pair.is_translation else "same_pairs"


def pair_cosines(embedder: Embedder, pairs: Sequence[Pair]) -> NDArray[np.float32]:
    """The cosine of each pair; its texts are documents without a body."""
    first = embedder.documents([(pair.a, "") for pair in pairs])
    second = embedder.documents([(pair.b, "") for pair in pairs])
    return (first * second).sum(axis=1)


def carried_over(
    thresholds: Thresholds, old: Mapping[str, Distribution], new: Mapping[str, Distribution]
) -> Thresholds:
    """Thresholds of one model as they are for another, by distributions over the same texts."""
    values = {name: round(new[by].at(old[by].below(getattr(thresholds, name))), 2) for name, by in _BY.items()}
    return Thresholds.of(values | {"search_floor": max(LEAST_FLOOR, values["search_floor"])})


@dataclass(frozen=True)
class Sanity:
    """What Dedup must lie between: facts of one category that are different, and near copies."""

    doc_doc_same_p99: float
    dedup: float
    near_dup_p5: float

    @property
    def ok(self) -> bool:
        """Whether it does."""
        return self.doc_doc_same_p99 < self.dedup < self.near_dup_p5


def sanity(thresholds: Thresholds, found: Mapping[str, Distribution]) -> Sanity:
    """The rule for one model."""
    return Sanity(found["doc_doc_same"].at(99), thresholds.dedup, found["near_dup"].at(5))


@dataclass(frozen=True)
class Cut:
    """What merging from a cosine on would get right. Pairs that only words tell apart count in `beyond` alone."""

    threshold: float
    recall: float
    precision: float | None
    merged_wrongly: int
    beyond: int


def cuts(pairs: Sequence[Pair], cosines: NDArray[np.floating[Any]], thresholds: Sequence[float]) -> list[Cut]:
    """Recall and precision at each threshold; precision is None where nothing would be merged."""
    found = []
    for threshold in thresholds:
        above = [pair for pair, cosine in zip(pairs, cosines, strict=True) if cosine > threshold]
        right = sum(pair.same for pair in above)
        beyond = sum(not pair.same and pair.kind in BEYOND_VECTORS for pair in above)
        wrong = len(above) - right - beyond
        precision = right / (right + wrong) if right + wrong else None
        found.append(Cut(threshold, right / max(1, sum(pair.same for pair in pairs)), precision, wrong, beyond))
    return found


@dataclass(frozen=True)
class Calibrated:
    """Thresholds of a model, with what they were found by."""

    model: str
    dimension: int
    facts: int
    pairs: int
    thresholds: Thresholds
    distributions: Mapping[str, Distribution]
    cuts: Sequence[Cut]

    @property
    def sanity(self) -> Sanity:
        """Whether Dedup lies where it must."""
        return sanity(self.thresholds, self.distributions)

    def held(self) -> dict[str, Any]:
        """What a calibration file holds."""
        return {
            "model": self.model,
            "dimension": self.dimension,
            "facts": self.facts,
            "pairs": self.pairs,
            "thresholds": asdict(self.thresholds),
            "distributions": {name: asdict(one) for name, one in self.distributions.items()},
        }


def calibrate(embedder: Embedder, reference: Embedder, facts: Sequence[Sample], pairs: Sequence[Pair]) -> Calibrated:
    """Distributions and thresholds of a model, carried over from those of the reference (its own where it is that)."""
    alike = pair_cosines(embedder, pairs)
    found = distributions(embedder, facts, pairs, alike)
    thresholds = reference.thresholds
    if embedder.name != reference.name:
        old = distributions(reference, facts, pairs, pair_cosines(reference, pairs))
        thresholds = carried_over(thresholds, old, found)
    steps = [round(0.5 + step * 0.05, 2) for step in range(10)]
    looked_at = sorted({*steps, thresholds.dedup, thresholds.reflect_novelty})
    table = cuts(pairs, alike, looked_at)
    return Calibrated(embedder.name, embedder.dimension, len(facts), len(pairs), thresholds, found, table)


def _documents(embedder: Embedder, facts: Sequence[Sample]) -> NDArray[np.float32]:
    return embedder.documents([(fact.title, fact.body) for fact in facts])
