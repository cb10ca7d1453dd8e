"""The lines of a file as bytes, in bounded memory, plain or gzipped, however long its lines and wherever it is torn."""

import errno
import hashlib
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

LONGEST_LINE = 16 * 2**20
"""Bytes of a line past which it is not read but counted."""
LARGEST = 4 * 2**30
"""Bytes, unpacked, past which the rest of a file is not read: a small gzipped file can hold any number."""
MOST_LINES = 20_000_000
"""Lines past which the rest of a file is not read: a few megabytes of gzip can hold billions of empty ones."""
BEGINNING = 4_096
"""Bytes that are kept of a line that is too long."""
_CHUNK = 2**20
_PACKED = 2**14
"""Bytes of gzip that are read at once: what follows one of many small parts in them is copied for each."""
_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line without its end; `number` counts from 1. Of a line that is too long only the beginning is there."""

    number: int
    data: bytes
    is_too_long: bool
    is_ended: bool


class Source:
    """A file read line by line, once. `problem` names why reading ended before the file did."""

    def __init__(self, file: Path | BinaryIO) -> None:
        """Open the file. Raises `OSError`, also for what is no plain file: a pipe could be waited for without end."""
        opened: BinaryIO = _open(file) if isinstance(file, Path) else file
        self._closing: list[BinaryIO] = [opened] if isinstance(file, Path) else []
        self.name = file.name if isinstance(file, Path) else str(getattr(file, "name", "") or "")
        self._file = opened
        self._hash = hashlib.sha256()
        self.size = 0
        self.problem = ""

    @property
    def content_sha256(self) -> str:
        """The hash of the unpacked bytes that were read so far."""
        return self._hash.hexdigest()

    @property
    def stem(self) -> str:
        """The file's name without folder and endings; empty where it has none."""
        name = Path(self.name).name
        for ending in (".gz", ".jsonl", ".json", ".md", ".ndjson", ".txt"):
            name = name[: -len(ending)] if name.lower().endswith(ending) else name
        return name

    def close(self) -> None:
        """Close the file if it was opened here."""
        while self._closing:
            self._closing.pop().close()

    def _chunks(self) -> Iterator[bytes]:
        for chunk in self._unpacked():
            self._hash.update(chunk)
            self.size += len(chunk)
            yield chunk
            if self.size > LARGEST:
                self.problem = "file-too-large"
                return

    def _unpacked(self) -> Iterator[bytes]:
        packed = self._file.read(_PACKED)
        if packed[:2] != _GZIP:
            while packed:
                yield packed
                packed = self._file.read(_CHUNK)
            return
        unpack = zlib.decompressobj(31)
        while packed:
            try:
                chunk = unpack.decompress(packed, _CHUNK)
            except zlib.error:
                break
            if chunk:
                yield chunk
            packed = unpack.unconsumed_tail
            if unpack.eof:
                packed = unpack.unused_data or self._file.read(_PACKED)
                if packed[:2] != _GZIP:
                    return  # what follows the last part is padding
                unpack = zlib.decompressobj(31)
            packed = packed or self._file.read(_PACKED)
        self.problem = "torn-gzip"

    def lines(self) -> Iterator[Line]:
        """The lines, in order. Raises `OSError` where the disk fails."""
        number = 1
        pieces: list[bytes] = []
        size = 0
        for chunk in self._chunks():
            if number > MOST_LINES:
                self.problem = "too-many-lines"
                return
            parts = chunk.split(b"\n")
            for part in parts[:-1]:
                if pieces:
                    yield _line(number, pieces, size, part, is_ended=True)
                    pieces, size = [], 0
                else:
                    yield Line(number, part.removeprefix(_BOM) if number == 1 else part, False, True)
                number += 1
            if parts[-1]:
                size += len(parts[-1])
                if size <= LONGEST_LINE or not pieces:
                    pieces.append(parts[-1])
                else:
                    pieces = [b"".join([*pieces, parts[-1][:BEGINNING]])[:BEGINNING]]
        if pieces:
            yield _line(number, pieces, size, b"", is_ended=False)


def _open(path: Path) -> BinaryIO:
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no plain file")
    return os.fdopen(descriptor, "rb")


def _line(number: int, pieces: list[bytes], size: int, last: bytes, *, is_ended: bool) -> Line:
    too_long = size + len(last) > LONGEST_LINE
    data = b"".join([*pieces, last])
    data = data.removeprefix(_BOM) if number == 1 else data
    return Line(number, data[:BEGINNING] if too_long else data, too_long, is_ended)
