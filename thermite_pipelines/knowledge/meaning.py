"""What a question means: its vector, by the model that made the vectors of the index."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thermite_pipelines.embeddings.embedder import NONE, Embedder, embedder_of
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.index.folder_view import Piece
from thermite_pipelines.knowledge.index.scoring import Meaning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LONGEST = 1_000


def index_embedder(home: Home) -> Embedder | None:
    """The model that makes the vectors of the index; None where the settings want none."""
    if home.settings.embed_model.lower() == NONE:
        return None
    return embedder_of(home.settings, home.lake)


def meaning_of(home: Home, words: str, pieces: Sequence[Piece]) -> tuple[Meaning | None, str | None]:
    """The meaning of a question, None where nothing can be compared with it; and what a person should know of that."""
    models = {piece.vectors.meta["model"] for piece in pieces if piece.vectors is not None}
    if not models:
        return None, None
    try:
        embedder = index_embedder(home)
        if embedder is None or embedder.name not in models:
            return None, "the index is of another embedding model: results are found by their words alone"
        vector = _vector(embedder, words[:_LONGEST])
    except ThermiteError as error:
        return None, f"results are found by their words alone: {error}"
    if not vector.any():
        return None, None
    return Meaning(embedder.name, vector, embedder.thresholds.search_floor, embedder.thresholds.similar_to), None


def _vector(embedder: Embedder, words: str) -> "NDArray[np.float32]":
    key = (embedder.name, words)
    if key not in _known:
        if len(_known) >= _KEPT:
            _known.clear()
        _known[key] = embedder.queries([words])[0]
    return _known[key]


_KEPT = 512
_known: "dict[tuple[str, str], NDArray[np.float32]]" = {}
