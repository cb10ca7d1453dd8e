"""An embedding model that litellm asks: in batches, with retries, and each text only once."""

import random
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.embeddings.embedder import sendable
from thermite_pipelines.embeddings.thresholds import Thresholds
from thermite_pipelines.embeddings.vector_cache import VectorCache
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm import wire
from thermite_pipelines.llm.vectors import embed

_MOST_TEXTS = 64
_MOST_CHARS = 60_000
_MOST_ATTEMPTS = 4
_FIRST_WAIT = 1.0
_PROBE = "How many numbers has a vector?"

# How a model wants to be told what a text is: (document, query), by a part of the model's name.
_TEMPLATES = {
    "embeddinggemma": ("title: {title} | text: {body}", "task: search result | query: {query}"),
    "nomic-embed-text": ("search_document: {title}\n{body}", "search_query: {query}"),
}
_PLAIN = ("{title}\n{body}", "{query}")


class LitellmEmbedder:
    """A model as litellm names it. Vectors are cached before they are given.

    `thresholds_of` is asked once, when thresholds are first wanted. `clock` gives seconds that only grow.
    """

    def __init__(
        self,
        name: str,
        cache: VectorCache,
        thresholds_of: Callable[[str], Thresholds],
        *,
        api_base: str | None = None,
        timeout_seconds: float = 120.0,
        deadline_seconds: float = 600.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.name = name
        self._cache = cache
        self._thresholds_of = thresholds_of
        self._thresholds: Thresholds | None = None
        self._dimension = 0
        self._api_base = api_base
        self._timeout = timeout_seconds
        self._deadline = deadline_seconds
        self._clock = clock
        self._sleep = sleep
        found = (templates for part, templates in _TEMPLATES.items() if part in name.lower())
        self._document, self._query = next(found, _PLAIN)

    @property
    def thresholds(self) -> Thresholds:
        """How near counts as alike for this model; see `thresholds_of` for one that nobody calibrated."""
        if self._thresholds is None:
            self._thresholds = self._thresholds_of(self.name)
        return self._thresholds

    @property
    def dimension(self) -> int:
        """How many numbers a vector has: as the model said last; before that it is asked for one."""
        return self._dimension or self.queries([_PROBE]).shape[1]

    def documents(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Vectors (n, dimension) of titles with their bodies, told as the model wants them."""
        return self._all([self._document.format(title=title, body=body) for title, body in texts])

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors (n, dimension) of queries, told as the model wants them."""
        return self._all([self._query.format(query=text) for text in texts])

    def _all(self, texts: Sequence[str]) -> NDArray[np.float32]:
        sent = [sendable(text) for text in texts]
        known = {text: self._cache.get(self.name, text) for text in dict.fromkeys(sent)}
        for batch in _batches([text for text, vector in known.items() if vector is None]):
            vectors = _unit(np.array(self._asked(batch), np.float64))
            self._cache.put(self.name, batch, vectors)
            known |= dict(zip(batch, vectors, strict=True))
        found = [vector for text in sent if (vector := known[text]) is not None]
        if not found:
            return np.zeros((0, self._dimension), np.float32)
        if len({len(vector) for vector in found}) != 1:
            raise ThermiteError(
                f"the embedding model {self.name} gave vectors of different lengths",
                do="a name must always be of the same model: use another one in THERMITE_EMBED_MODEL",
            )
        self._dimension = len(found[0])
        return np.stack(found)

    def _asked(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of a batch. Raises `ThermiteError` after failures that do not pass, or too many that might."""
        until = self._clock() + self._deadline
        attempt = 0
        while True:
            attempt += 1
            came = embed(self.name, texts, self._api_base, min(self._timeout, max(until - self._clock(), 0.001)))
            if not isinstance(came, wire.Failure):
                return came
            wait = _FIRST_WAIT * 2 ** (attempt - 1) * random.uniform(0.5, 1.0)  # so that not all come back at once
            if came.retry_after is not None:
                wait += came.retry_after
            if came.kind != "passing" or attempt >= _MOST_ATTEMPTS or self._clock() + wait >= until:
                raise ThermiteError(
                    f"the embedding model {self.name} gave no vectors after {attempt} attempts: {came.why}",
                    do="look at its server, its key and THERMITE_EMBED_API_BASE; vectors so far are kept",
                )
            self._sleep(wait)


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts in order, so many at once that a request stays small; one that is too long is alone."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) >= _MOST_TEXTS or size + len(text) > _MOST_CHARS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float32]:
    """Vectors of length 1; zeros stay zeros."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0, 1, lengths)).astype(np.float32)
