"""Vectors for tests, an embedding model that counts what it is asked, and reviews planned with given vectors."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tests.synthesis.making import CAMPAIGN, fact, name
from thermite_pipelines.embeddings.thresholds import Thresholds
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.neighbours import Neighbours
from thermite_pipelines.synthesis.planning import Likeness, Review, plan_review
from thermite_pipelines.synthesis.vectors import Vectors
from thermite_pipelines.synthesis.work import NewItem, Request, Seen, seen_of

THRESHOLDS = Thresholds(
    dedup=0.9, reflect_novelty=0.85, similar_to=0.6, search_floor=0.4, rerank_high=0.7, rerank_low=0.5
)


class CountingEmbedder:
    """A vector for each text from its hash, so equal texts have equal vectors; `asked` holds all texts."""

    thresholds = THRESHOLDS

    def __init__(self, model: str = "toy", dimension: int = 8) -> None:
        self.name, self.dimension = model, dimension
        self.asked: list[tuple[str, str]] = []

    def documents(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        self.asked += texts
        return np.stack([self._vector("\n".join(text)) for text in texts])

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text: str) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        vector = np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
        return vector / np.float32(np.linalg.norm(vector))


def vectors(rows: Mapping[int, Iterable[float]]) -> Vectors:
    """Vectors of facts by their numbers."""
    return Vectors.of([name(number) for number in rows], np.array([list(row) for row in rows.values()], np.float32))


def topics(facts: Sequence[Fact], size: int = 0, near: float = 0.75) -> Vectors:
    """Facts `size` by `size` (0: all) are as near to each other as said, and to others not at all."""
    size = size or len(facts)
    groups = -(-len(facts) // size)
    matrix = np.zeros((len(facts), groups + len(facts)), np.float32)
    for row in range(len(facts)):
        matrix[row, row // size] = near**0.5
        matrix[row, groups + row] = (1 - near) ** 0.5
    return Vectors.of([fact.fact for fact in facts], matrix)


def likeness(of: Vectors) -> Likeness:
    return Likeness(Neighbours(of), THRESHOLDS)


REVIEW = Request(CAMPAIGN, "review", "asset")
HYPOTHESIZE = Request(CAMPAIGN, "hypothesize", "asset")


def reviewed(facts: Sequence[Fact], of: Vectors, watermark: Any = None, request: Request = REVIEW) -> Review:
    return plan_review(Corpus(facts), request, watermark, likeness(of))


def numbers(facts: Sequence[Fact]) -> list[int]:
    return [int(one.fact[-12:], 16) for one in facts]


def shown(item: NewItem) -> list[int]:
    records = json.loads(item.facts)
    assert [record["path"] for record in records] == [one for one, _ in item.inputs]
    return [int(record["path"][-12:], 16) for record in records]


def of_step(items: Sequence[NewItem], step: str) -> dict[str, list[int]]:
    return {item.key: shown(item) for item in items if item.step == step}


def seen(*facts: Fact) -> dict[str, Seen]:
    return {one.fact: seen_of(one) for one in facts}


def changed(one: Fact, **more: Any) -> Fact:
    return msgspec.structs.replace(one, **more)


def large(number: int, size: int) -> list[Fact]:
    return [fact(place, f"Claim {place}", body="x" * size) for place in range(number)]
