"""Finding and reading report files safely.

A rig, or whoever can write to an inbox, may put anything there under a report's name. One descriptor, opened without
following links and without blocking, is what is hashed, checked and kept.
"""

import hashlib
import os
import stat
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import zstandard

SUFFIXES = (".dsse.json", ".dsse.json.gz", ".dsse.json.zst")
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Arrival:
    """A directory entry under a report's name. `regular` is false for links, devices, pipes, sockets and directories."""

    name: str
    inode: int
    mtime_ns: int
    size: int
    regular: bool


@dataclass(frozen=True)
class Content:
    """What reading a file gave: its hash, and the envelope, or the reason why there is none."""

    sha256: str
    envelope: bytes | None
    reason: str | None = None
    detail: str | None = None


class FileChanged(Exception):
    """The file changed or went away while it was read: look again at the next tick."""


def is_report_name(name: str) -> bool:
    """Whether a name is a report's: not a write in progress, with one of the three endings."""
    return name.endswith(SUFFIXES) and not name.startswith(".")


def inbox_folders(inbox: Path) -> list[str]:
    """Names of the rigs' folders in the inbox; links, plain files and names with a leading dot are left alone."""
    try:
        with os.scandir(inbox) as entries:
            return sorted(
                entry.name
                for entry in entries
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False)
            )
    except FileNotFoundError:
        return []


@contextmanager
def open_folder(path: Path) -> Iterator[int | None]:
    """A descriptor of an inbox folder, or None where it is missing or is a link."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def arrivals(folder: int) -> Iterator[Arrival]:
    """Entries of an inbox folder under a report's name, in no particular order."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if is_report_name(entry.name):
                try:
                    info = entry.stat(follow_symlinks=False)
                except FileNotFoundError:
                    continue
                yield Arrival(entry.name, info.st_ino, info.st_mtime_ns, info.st_size, stat.S_ISREG(info.st_mode))


def settled(folder: int, settle_seconds: float, *, wait: bool = True) -> list[Arrival]:
    """Entries that may be taken now, in order of their names.

    A plain file is settled from `settle_seconds` after its modification time on. One whose time lies in the future is
    settled once its size and time stood still that long, which `wait` allows to sleep for.
    """
    now = time.time_ns()
    ready: list[Arrival] = []
    ahead: list[Arrival] = []
    for arrival in arrivals(folder):
        age = now - arrival.mtime_ns
        if not arrival.regular or age >= settle_seconds * 1e9:
            ready.append(arrival)
        elif age < 0:
            ahead.append(arrival)
    if ahead and wait:
        time.sleep(settle_seconds)
        later = {arrival.name: arrival for arrival in arrivals(folder)}
        ready.extend(arrival for arrival in ahead if later.get(arrival.name) == arrival)
    return sorted(ready, key=lambda arrival: arrival.name)


def has_young(folder: int, settle_seconds: float) -> bool:
    """Whether a plain report file is still too young to be taken."""
    now = time.time_ns()
    return any(item.regular and 0 <= now - item.mtime_ns < settle_seconds * 1e9 for item in arrivals(folder))


def read(folder: int, arrival: Arrival, max_bytes: int) -> Content:
    """Read, hash and decompress one file through one descriptor.

    Raises `FileChanged` where it is not the file that was listed, or changes while it is read.
    """
    try:
        descriptor = os.open(arrival.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        raise FileChanged(str(error)) from None
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode) or _identity(info) != (arrival.inode, arrival.mtime_ns, arrival.size):
            raise FileChanged("another file lies there now")
        content = _read(descriptor, arrival, max_bytes)
        if _identity(os.fstat(descriptor)) != (arrival.inode, arrival.mtime_ns, arrival.size):
            raise FileChanged("the file changed while it was read")
        return content
    finally:
        os.close(descriptor)


def remove(folder: int, arrival: Arrival) -> None:
    """Take a file out of the inbox, unless another file lies under its name by now."""
    try:
        info = os.stat(arrival.name, dir_fd=folder, follow_symlinks=False)
        if _identity(info) == (arrival.inode, arrival.mtime_ns, arrival.size):
            os.unlink(arrival.name, dir_fd=folder)
    except FileNotFoundError:
        return


def _identity(info: os.stat_result) -> tuple[int, int, int]:
    return info.st_ino, info.st_mtime_ns, info.st_size


def _read(descriptor: int, arrival: Arrival, max_bytes: int) -> Content:
    return unpack(iter(lambda: os.read(descriptor, _CHUNK), b""), arrival.name, max_bytes)


def unpack(pieces: Iterable[bytes], name: str, max_bytes: int) -> Content:
    """Hash a file's bytes and decompress them as its name says, up to `max_bytes` of envelope."""
    digest = hashlib.sha256()
    unpacker = _unpacker(name, max_bytes)
    failed: tuple[str, str] | None = None
    for piece in pieces:
        digest.update(piece)
        if failed is None:
            failed = _failure(unpacker, piece, max_bytes)
    if failed is None:
        failed = _failure(unpacker, None, max_bytes)
    if failed is not None:
        return Content(digest.hexdigest(), None, *failed)
    return Content(digest.hexdigest(), unpacker.result())


def _failure(unpacker: "_Plain", piece: bytes | None, max_bytes: int) -> tuple[str, str] | None:
    try:
        if piece is None:
            unpacker.end()
        else:
            unpacker.feed(piece)
    except TooLarge:
        return "too-large", f"more than {max_bytes} bytes after decompression"
    except (zlib.error, zstandard.ZstdError, ValueError) as error:
        return "bad-envelope", f"does not decompress: {error}"
    return None


class TooLarge(Exception):
    """More bytes than allowed came out of decompression."""


class _Plain:
    """Collects bytes up to the limit."""

    def __init__(self, max_bytes: int) -> None:
        self._left = max_bytes
        self._parts: list[bytes] = []

    def feed(self, chunk: bytes) -> None:
        self._left -= len(chunk)
        if self._left < 0:
            self._parts.clear()
            raise TooLarge
        self._parts.append(chunk)

    def end(self) -> None:
        """All bytes were fed."""

    def result(self) -> bytes:
        """The envelope."""
        return b"".join(self._parts)


class _Gzip(_Plain):
    """All gzip members; anything after the last one that is no member is an error."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        self._member = zlib.decompressobj(wbits=31)

    def feed(self, chunk: bytes) -> None:
        while chunk:
            if self._member.eof:
                self._member = zlib.decompressobj(wbits=31)
            out = self._member.decompress(chunk, _CHUNK)
            super().feed(out)
            chunk = self._member.unconsumed_tail or self._member.unused_data
            if not out and not chunk:
                return

    def end(self) -> None:
        while not self._member.eof:
            out = self._member.decompress(self._member.unconsumed_tail, _CHUNK)
            if not out:
                raise ValueError("the file ends within a gzip member")
            super().feed(out)


class _Zstd(_Plain):
    """All zstd frames; anything after the last one that is no frame is an error."""

    def __init__(self, max_bytes: int) -> None:
        super().__init__(max_bytes)
        # A frame may ask for a window as large as the limit, not for more memory.
        self._maker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
        self._frame = self._maker.decompressobj()
        self._begun = False

    def feed(self, chunk: bytes) -> None:
        # Small pieces: a frame may hold 1,000 times its size, and the limit is only seen between pieces.
        for start in range(0, len(chunk), 1024):
            piece = chunk[start : start + 1024]
            while piece:
                if self._frame.eof:
                    self._frame = self._maker.decompressobj()
                self._begun = True
                super().feed(self._frame.decompress(piece))
                piece = self._frame.unused_data if self._frame.eof else b""

    def end(self) -> None:
        if not self._begun or not self._frame.eof:
            raise ValueError("the file ends within a zstd frame")


def _unpacker(name: str, max_bytes: int) -> _Plain:
    if name.endswith(".gz"):
        return _Gzip(max_bytes)
    if name.endswith(".zst"):
        return _Zstd(max_bytes)
    return _Plain(max_bytes)
