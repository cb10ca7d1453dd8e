"""Arrays in one file, mapped when they are read: a line of JSON that says where each lies, then the arrays.

Nothing is read before it is used, and a file that was removed meanwhile stays readable to whoever has it open. Of each
block there is a checksum, compared the first time that a process uses the block: to compare a whole file first would
cost a search more than all else that it does, and a changed byte that is not used changes nothing.
"""

import json
import mmap
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

_MAGIC = b"thermite.array2\n"
_START = len(_MAGIC) + 12
_ALIGNED = 64
_TYPES = frozenset(["|b1", "|u1", "<u2", "<u4", "<u8", "<i4", "<i8", "<f2"])
_BLOCK = 4_096
_WORDS = _BLOCK // 8
# Odd, so that any other value of one word gives another sum; different, so that the places of words count.
_WEIGHTS = np.arange(1, _WORDS + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) | np.uint64(1)


class BrokenFile(ValueError):
    """A file does not hold what such a file holds; `folder` is the index that it is of, where that is known."""

    def __init__(self, what: str, folder: Path | None = None) -> None:
        super().__init__(what)
        self.folder = folder


class Mapped(Mapping[str, NDArray[Any]]):
    """The arrays of a file. Those that are asked for are compared with their checksums: whole, or where they are used.

    Raises `BrokenFile` where they are not what was written.
    """

    def __init__(self, path: Path, arrays: Arrays, sums: Arrays) -> None:
        self._path = path
        self._arrays = arrays
        self._sums = sums
        self._seen = {name: np.zeros(len(one), bool) for name, one in sums.items()}
        self._whole: set[str] = set()

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._whole:
            self._compare(name, np.flatnonzero(~self._seen[name]))
            self._whole.add(name)
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def rows(self, name: str, places: slice | NDArray[Any]) -> NDArray[Any]:
        """Some rows of an array, of which nothing else is read: from one place to another, or at these places."""
        array = self._arrays[name]
        if name not in self._whole:
            self._compare(name, self._unseen(name, array, places))
        return array[places]

    def broken(self, why: str = "can't be read") -> BrokenFile:
        """What to raise for what the file holds."""
        return BrokenFile(f"{self._path.name} {why}", self._path.parent)

    def _unseen(self, name: str, array: NDArray[Any], places: slice | NDArray[Any]) -> NDArray[np.int64]:
        """The blocks in which some rows lie, without those that were compared."""
        seen, size = self._seen[name], array[:1].nbytes
        if isinstance(places, slice):
            start, end, _ = places.indices(len(array))
            blocks = np.arange(start * size // _BLOCK, -(-end * size // _BLOCK))
        else:
            first = places.astype(np.int64) * size
            spans = [np.minimum(first + more, first + size - 1) // _BLOCK for more in range(0, size + _BLOCK, _BLOCK)]
            blocks = np.unique(np.concatenate(spans))
        blocks = blocks[(blocks >= 0) & (blocks < len(seen))]
        return blocks[~seen[blocks]]

    def _compare(self, name: str, blocks: NDArray[np.int64]) -> None:
        if len(blocks) and not np.array_equal(_sums(self._arrays[name], blocks), self._sums[name][blocks]):
            raise self.broken("is not what was written")
        self._seen[name][blocks] = True


def rows_of(arrays: Arrays, name: str, places: slice | NDArray[Any]) -> NDArray[Any]:
    """Some rows of an array; where it is in a file, nothing else of it is read. Raises `BrokenFile`."""
    return arrays.rows(name, places) if isinstance(arrays, Mapped) else arrays[name][places]


def broken(arrays: Arrays) -> BrokenFile:
    """What to raise where arrays say nothing that can be read."""
    return arrays.broken() if isinstance(arrays, Mapped) else BrokenFile("can't be read")


def encode(meta: Mapping[str, Any], arrays: Arrays) -> Iterator[bytes]:
    """The bytes of a file, in pieces. `meta` is JSON; arrays are of booleans, whole numbers or half floats."""
    pieces = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    places, sums, end = {}, [np.zeros(0, np.uint64)], 0
    for name, array in pieces.items():
        places[name] = [array.dtype.str, list(array.shape), end]
        sums.append(_sums(array, np.arange(-(-array.nbytes // _BLOCK))))
        end += -(-array.nbytes // _ALIGNED) * _ALIGNED
    told = np.concatenate(sums).astype("<u8").tobytes()
    content = {"meta": meta, "arrays": places, "bytes": end, "sums": len(told), "crc32": zlib.crc32(told)}
    head = json.dumps(content, ensure_ascii=False).encode("utf-8", "replace")
    head += b" " * (-(_START + len(head)) % _ALIGNED)
    yield _MAGIC + len(head).to_bytes(8, "little") + zlib.crc32(head).to_bytes(4, "little") + head
    for array in pieces.values():
        yield array.tobytes()
        yield bytes(-array.nbytes % _ALIGNED)
    yield told


def open_file(path: Path) -> tuple[dict[str, Any], Mapped]:
    """Meta and arrays of a file, read-only. Raises `BrokenFile` where it is none or not whole, `OSError`."""
    with path.open("rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise BrokenFile(f"{path.name} is empty", path.parent) from None
    try:
        return _opened(path, data)
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        why = str(error) if isinstance(error, BrokenFile) else "can't be read"
        raise BrokenFile(f"{path.name} {why}", path.parent) from None


def _opened(path: Path, data: mmap.mmap) -> tuple[dict[str, Any], Mapped]:
    if data[: len(_MAGIC)] != _MAGIC:
        raise BrokenFile("is of another kind")
    length = int.from_bytes(data[len(_MAGIC) : len(_MAGIC) + 8], "little")
    base = _START + length
    written = data[_START:base]
    if zlib.crc32(written).to_bytes(4, "little") != data[len(_MAGIC) + 8 : _START]:
        raise BrokenFile("is not what was written")
    head = json.loads(written)
    end = base + head["bytes"]
    if len(data) != end + head["sums"]:
        raise BrokenFile("is cut short")
    told = data[end:]
    if zlib.crc32(told) != head["crc32"]:
        raise BrokenFile("is not what was written")
    arrays = {name: _array(data, base, *place) for name, place in head["arrays"].items()}
    bounds = np.cumsum([-(-array.nbytes // _BLOCK) for array in arrays.values()])[:-1]
    sums = np.split(np.frombuffer(told, "<u8"), bounds)
    return head["meta"], Mapped(path, arrays, dict(zip(arrays, sums, strict=True)))


def _array(data: mmap.mmap, base: int, kind: str, shape: list[int], offset: int) -> NDArray[Any]:
    if kind not in _TYPES:
        raise BrokenFile("holds an array of another type")
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(data, np.dtype(kind), count, base + offset).reshape(shape)


def _sums(array: NDArray[Any], blocks: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The checksums of some blocks of an array, in order."""
    data = array.reshape(-1).view(np.uint8)
    whole = len(data) // _BLOCK
    inside = blocks[blocks < whole]
    words = data[: whole * _BLOCK].view("<u8").reshape(whole, _WORDS)
    # A view where all are asked for: nothing is copied then.
    found = (words if len(inside) == whole else words[inside]) @ _WEIGHTS
    if len(inside) == len(blocks):
        return found
    rest = np.zeros(_BLOCK, np.uint8)
    rest[: len(data) - whole * _BLOCK] = data[whole * _BLOCK :]
    return np.append(found, rest.view("<u8") @ _WEIGHTS)
