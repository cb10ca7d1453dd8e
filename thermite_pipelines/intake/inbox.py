"""Finding and reading report files safely.

A rig, or whoever can write to an inbox, may put anything there under a report's name. One descriptor, opened without
following links and without blocking, is what is hashed, checked and kept.
"""

import errno
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

from thermite_pipelines.errors import ThermiteError

SUFFIXES = (".dsse.json", ".dsse.json.gz", ".dsse.json.zst")
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Arrival:
    """A directory entry under a report's name; `regular` is false for links, devices, pipes, sockets and folders."""

    name: str
    inode: int
    mtime_ns: int
    ctime_ns: int
    size: int
    regular: bool

    def is_file(self, info: os.stat_result) -> bool:
        """Whether `info` is of this very file, unchanged since it was listed."""
        return (info.st_ino, info.st_mtime_ns, info.st_size) == (self.inode, self.mtime_ns, self.size)

    def age_ns(self, now: int) -> int:
        """How long the file has stood still; negative where both of its times lie in the future.

        A modification time in the future says nothing. The change time is the kernel's, and moves whenever size or
        modification time do.
        """
        return now - (self.mtime_ns if self.mtime_ns <= now else self.ctime_ns)


@dataclass(frozen=True)
class Content:
    """What reading a file gave: its hash, and the envelope with its own hash, or the reason why there is none."""

    sha256: str
    envelope: bytes | None
    envelope_sha256: str | None
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
    """A descriptor of an inbox folder, or None where it is missing, is a link or no folder at all.

    Raises `ThermiteError` where it may not be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        yield None
        return
    except OSError as error:
        if error.errno == errno.ELOOP:
            yield None
            return
        raise ThermiteError(
            f"can't look into the inbox: {error.strerror}", where=str(path), do="correct its rights"
        ) from None
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
                regular = stat.S_ISREG(info.st_mode)
                yield Arrival(entry.name, info.st_ino, info.st_mtime_ns, info.st_ctime_ns, info.st_size, regular)


def settled(folder: int, settle_seconds: float, *, wait: bool = True) -> list[Arrival]:
    """Entries that may be taken now, in order of their names.

    A plain file is settled once it has stood still for `settle_seconds`. Where all of its times lie in the future (a
    clock was set back) that can only be seen by looking twice, which `wait` allows to sleep for.
    """
    now = time.time_ns()
    ready: list[Arrival] = []
    ahead: list[Arrival] = []
    for arrival in arrivals(folder):
        age = arrival.age_ns(now)
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
    return any(item.regular and 0 <= item.age_ns(now) < settle_seconds * 1e9 for item in arrivals(folder))


@contextmanager
def opened(folder: int, arrival: Arrival) -> Iterator[int]:
    """The one descriptor through which a file is read and kept: links are not followed, a pipe does not block.

    Raises `FileChanged` where another file lies there now, or one that may not be read.
    """
    try:
        descriptor = os.open(arrival.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError as error:
        raise FileChanged(str(error)) from None
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode) or not arrival.is_file(info):
            raise FileChanged("another file lies there now")
        yield descriptor
    finally:
        os.close(descriptor)


def read(descriptor: int, arrival: Arrival, max_bytes: int) -> Content:
    """Hash and decompress an opened file. Raises `FileChanged` where it changes meanwhile or can't be read."""
    try:
        content = unpack(pieces(descriptor), arrival.name, max_bytes)
    except OSError as error:
        raise FileChanged(str(error)) from None
    if not arrival.is_file(os.fstat(descriptor)):
        raise FileChanged("the file changed while it was read")
    return content


def pieces(descriptor: int) -> Iterator[bytes]:
    """The bytes of an opened file from its beginning."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    return iter(lambda: os.read(descriptor, _CHUNK), b"")


def remove(folder: int, arrival: Arrival) -> None:
    """Take a file out of the inbox, unless another file lies under its name by now."""
    try:
        if arrival.is_file(os.stat(arrival.name, dir_fd=folder, follow_symlinks=False)):
            os.unlink(arrival.name, dir_fd=folder)
    except FileNotFoundError:
        return


def unpack(parts: Iterable[bytes], name: str, max_bytes: int) -> Content:
    """Hash a file's bytes and decompress them as its name says, up to `max_bytes` of envelope."""
    digest = hashlib.sha256()
    unpacker = _unpacker(name, max_bytes)
    failed: tuple[str, str] | None = None
    for piece in parts:
        digest.update(piece)
        if failed is None:
            failed = _failure(unpacker, piece, max_bytes)
    if failed is None:
        failed = _failure(unpacker, None, max_bytes)
    if failed is not None:
        return Content(digest.hexdigest(), None, None, *failed)
    envelope = unpacker.result()
    same = type(unpacker) is _Plain
    return Content(digest.hexdigest(), envelope, digest.hexdigest() if same else hashlib.sha256(envelope).hexdigest())


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
