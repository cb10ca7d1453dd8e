"""Arrays in one file, mapped when they are read: a line of JSON that says where each lies, then the arrays.

Nothing is read before it is used, and a file that was removed meanwhile stays readable to whoever has it open.
"""

import json
import mmap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

_MAGIC = b"thermite.arrays\n"
_ALIGNED = 64
_TYPES = frozenset(["|b1", "|u1", "<u2", "<u4", "<u8", "<i4", "<i8", "<f2"])


class BrokenFile(ValueError):
    """A file does not hold what such a file holds."""


def encode(meta: Mapping[str, Any], arrays: Arrays) -> Iterator[bytes]:
    """The bytes of a file, in pieces. `meta` is JSON; arrays are of booleans, whole numbers or half floats."""
    pieces = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    places, end = {}, 0
    for name, array in pieces.items():
        places[name] = [array.dtype.str, list(array.shape), end]
        end += -(-array.nbytes // _ALIGNED) * _ALIGNED
    head = json.dumps({"meta": meta, "arrays": places, "bytes": end}, ensure_ascii=False).encode("utf-8", "replace")
    head += b" " * (-(len(_MAGIC) + 8 + len(head)) % _ALIGNED)
    yield _MAGIC + len(head).to_bytes(8, "little") + head
    for array in pieces.values():
        yield array.tobytes()
        yield bytes(-array.nbytes % _ALIGNED)


def open_file(path: Path) -> tuple[dict[str, Any], Arrays]:
    """Meta and arrays of a file, read-only. Raises `BrokenFile` where it is none or not whole, `OSError`."""
    with path.open("rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise BrokenFile(f"{path.name} is empty") from None
    start = len(_MAGIC) + 8
    try:
        if data[: len(_MAGIC)] != _MAGIC:
            raise BrokenFile(f"{path.name} is of another kind")
        length = int.from_bytes(data[len(_MAGIC) : start], "little")
        head = json.loads(data[start : start + length])
        if len(data) != start + length + head["bytes"]:
            raise BrokenFile(f"{path.name} is cut short")
        return head["meta"], {name: _array(data, start + length, *place) for name, place in head["arrays"].items()}
    except (ValueError, KeyError, TypeError) as error:
        raise error if isinstance(error, BrokenFile) else BrokenFile(f"{path.name} can't be read") from None


def _array(data: mmap.mmap, base: int, kind: str, shape: list[int], offset: int) -> NDArray[Any]:
    if kind not in _TYPES:
        raise BrokenFile("an array of another type")
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(data, np.dtype(kind), count, base + offset).reshape(shape)
