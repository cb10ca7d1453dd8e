"""Vectors of a segment's texts, and how the nearest are found without reading all of them.

Of each vector the signs are kept apart: 64 to a number. How many signs differ tells roughly how near two vectors are,
and is counted for a million texts in the time in which their vectors could not even be read. The nearest by signs are
then compared by their vectors. Both depend on the two texts alone: no other text can change what is found.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.embeddings.embedder import Embedder
from thermite_pipelines.knowledge.index.files import Arrays, rows_of
from thermite_pipelines.knowledge.index.segments import Segment
from thermite_pipelines.knowledge.index.texts import embedded

Numbers = NDArray[Any]
FAR = np.iinfo(np.uint16).max
"""The difference of a text that has no vector, or may not be found."""
_CHUNK = 32_768
_BATCH = 32


class Vectors:
    """Vectors of texts, a row each: half floats of length 1; of a text of which the model makes nothing, zeros."""

    def __init__(self, meta: dict[str, Any], arrays: Arrays) -> None:
        self.meta = meta
        self.arrays = arrays

    @classmethod
    def of(cls, model: str, matrix: NDArray[np.floating[Any]]) -> "Vectors":
        """Of vectors, a row each."""
        rows, dimension = matrix.shape
        signs = np.zeros((rows, -(-dimension // 64) * 8), np.uint8)
        packed = np.packbits(matrix > 0, axis=1)
        signs[:, : packed.shape[1]] = packed
        arrays = {
            "vectors": matrix.astype(np.float16),
            "signs": np.ascontiguousarray(signs.view("<u8").T),
            "has": np.any(matrix, axis=1),
        }
        return cls({"model": model, "dimension": dimension}, arrays)

    def rows(self, places: Numbers) -> NDArray[np.float16]:
        """Some vectors."""
        return rows_of(self.arrays, "vectors", places)

    def differing(self, query: NDArray[np.float32], allowed: NDArray[np.bool_] | None) -> NDArray[np.uint16]:
        """For each text how many signs differ from the query's; `FAR` for those that are not allowed."""
        asked = Vectors.of("", query[None, :]).arrays["signs"][:, 0]
        signs = self.arrays["signs"]
        found = np.zeros(signs.shape[1], np.uint16)
        for start in range(0, len(found), _CHUNK):
            part = found[start : start + _CHUNK]
            for word, own in zip(asked, signs, strict=True):
                part += np.bitwise_count(own[start : start + _CHUNK] ^ word)
        found[~self.arrays["has"] if allowed is None else ~(self.arrays["has"] & allowed)] = FAR
        return found

    def cosines(self, query: NDArray[np.float32], places: Numbers) -> NDArray[np.float64]:
        """The cosines of some texts with the query, rounded: the same whatever else is asked with them."""
        # Row by row, and not as a product of matrices, whose sums run in another order for another number of rows.
        return np.round((self.rows(places).astype(np.float32) * query).sum(axis=1, dtype=np.float64), 5)


def embed(segment: Segment, embedder: Embedder, places: Sequence[int]) -> NDArray[np.float32]:
    """The vectors of some texts of a segment; those that say the same are embedded once."""
    texts = [embedded(*_kind_and_row(segment, place)) for place in places]
    known: dict[tuple[str, str], int] = {}
    for text in texts:
        known.setdefault(text, len(known))
    unique = list(known)
    parts = [embedder.documents(unique[start : start + _BATCH]) for start in range(0, len(unique), _BATCH)]
    matrix = np.concatenate(parts) if parts else np.zeros((0, embedder.dimension), np.float32)
    return matrix[[known[text] for text in texts]]


def _kind_and_row(segment: Segment, place: int) -> tuple[str, dict[str, Any]]:
    return segment.meta["kind"][segment.arrays["kind"][place]], segment.row(place)
