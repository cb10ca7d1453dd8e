"""Vectors by the hash of what they are of: asked again, the same text costs nothing and gives the same bytes.

One file a vector, each vouching for itself; it holds no text.
"""

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.tables.lake import Lake

FOLDER = "model_cache/vectors"


class VectorCache:
    """A folder of a lake; safe for several threads and processes, since a file is written whole."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def get(self, model: str, text: str) -> NDArray[np.float32] | None:
        """The vector of a text as it was sent to the model; None where it is unknown or its file is harmed."""
        path = _path(model, text)
        try:
            held = json.loads(self._lake.get(path))
            data = base64.b64decode(held["vector"])
            if held["crc32"] != zlib.crc32(data):
                return None
            return np.frombuffer(data, "<f4").astype(np.float32)
        except (ThermiteError, OSError, ValueError, KeyError, TypeError, RecursionError):
            return None

    def put(self, model: str, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Keep the vectors of texts. Not synced: what a loss of power tears is asked for again."""
        for text, vector in zip(texts, vectors, strict=True):
            data = vector.astype("<f4").tobytes()
            held = {"model": model, "vector": base64.b64encode(data).decode(), "crc32": zlib.crc32(data)}
            self._lake.put(_path(model, text), json.dumps(held).encode(), sync=False)


def _path(model: str, text: str) -> str:
    key = hashlib.sha256(json.dumps([model, text]).encode()).hexdigest()
    return f"{FOLDER}/{key[:2]}/{key}.json"
