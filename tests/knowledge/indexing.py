"""What tests of the search index share: a model of few words, an index kept in step, and what it says of itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.support.homes import Home
from thermite_pipelines.embeddings.embedder import NONE
from thermite_pipelines.embeddings.thresholds import FALLBACK
from thermite_pipelines.knowledge.index.numbers import damaged_indexes, indexes_unlike_folders
from thermite_pipelines.knowledge.index.store import Indexed, IndexWriter
from thermite_pipelines.knowledge.index_targets import index_folder, indexes_behind
from thermite_pipelines.knowledge.words import tokens

DIMENSION = 64
_ALIKE = {"hot": "warm", "heated": "warm", "chilly": "cold"}


@dataclass
class Toy:
    """Texts are alike as far as they share words, of which some mean the same; counts what it was asked for."""

    name: str = "toy"
    dimension: int = DIMENSION
    asked: list[str] = field(default_factory=list)
    thresholds = replace(FALLBACK, search_floor=0.05, similar_to=0.4)

    def documents(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        self.asked += [f"{title} {body}".strip() for title, body in texts]
        return self.queries([f"{title}\n{body}" for title, body in texts])

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(found, texts, strict=True):
            for token in tokens(text):
                token = _ALIKE.get(token, token)
                row += np.random.default_rng(list(token.encode())).standard_normal(self.dimension, dtype=np.float32)
            if row.any():
                row /= np.linalg.norm(row)
        return found


def index(home: Home, campaign: str = "a", embedder: Any = None, **more: Any) -> Indexed:
    """Bring the index of a folder up to date, by the model that the settings then name."""
    model = NONE if embedder is None else embedder.name
    if home.settings.embed_model != model:
        home.settings = home.settings.model_copy(update={"embed_model": model})
        home.__dict__.pop("opened", None)
    return IndexWriter(home.opened, campaign, embedder).refresh(**more)


def is_sound(home: Home, *behind: str) -> bool:
    """Whether all indexes are whole and hold what the folders hold, and only those of `behind` are behind."""
    assert damaged_indexes(home.opened, thorough=True) == []
    assert indexes_unlike_folders(home.opened) == []
    assert set(indexes_behind(home.opened)) == set(behind)
    return True


def files_of(home: Home, campaign: str = "a") -> list[Path]:
    """The files of a folder's index."""
    return sorted(index_folder(home.settings, campaign).iterdir())
