"""What a question means: its vector, by the model that made the vectors of the index."""

from collections.abc import Collection, Sequence
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
_NAMED = 5


def index_embedder(home: Home) -> Embedder | None:
    """The model that makes the vectors of the index; None where the settings want none."""
    if home.settings.embed_model.lower() == NONE:
        return None
    return embedder_of(home.settings, home.lake)


def meaning_of(home: Home, words: str, pieces: Sequence[Piece]) -> tuple[Meaning | None, str | None]:
    """The meaning of a question, None where nothing can be compared with it; and what a person should know of that."""
    # What is not in the index yet is told of apart, with how many texts that are.
    indexed = [piece for piece in pieces if piece.is_indexed and piece.texts]
    try:
        embedder = index_embedder(home)
        if embedder is None or not indexed:
            return None, None
        mute = {piece.campaign for piece in indexed if not piece.speaks(embedder.name)}
        notice = _notice(mute, embedder.name) if mute else None
        if not any(piece.speaks(embedder.name) for piece in indexed):
            return None, notice
        vector = _vector(embedder, words[:_LONGEST])
    except ThermiteError as error:
        return None, f"results are found by their words alone: {error}"
    if not vector.any():
        return None, notice
    return Meaning(embedder.name, vector, embedder.thresholds.search_floor, embedder.thresholds.similar_to), notice


def _notice(campaigns: Collection[str], model: str) -> str:
    names = ", ".join(sorted(campaigns)[:_NAMED]) + (" and others" if len(campaigns) > _NAMED else "")
    what = f"the search index of {names} lacks vectors of the embedding model {model}"
    return f"{what}: what has none is found by its words alone; `thermite refresh` makes them"


def _vector(embedder: Embedder, words: str) -> "NDArray[np.float32]":
    key = (embedder.name, words)
    if key not in _known:
        if len(_known) >= _KEPT:
            _known.clear()
        _known[key] = embedder.queries([words])[0]
    return _known[key]


_KEPT = 512
_known: "dict[tuple[str, str], NDArray[np.float32]]" = {}
