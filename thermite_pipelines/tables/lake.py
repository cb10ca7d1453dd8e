"""The lake: files by relative path in a directory or an object store, each written whole or not at all.

Everything durable but control's record goes through here. A directory gets a temporary neighbour, fsync and rename; an
object store gets one put, which is atomic there.
"""

import contextlib
import ctypes
import errno
import os
import secrets
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thermite_pipelines.errors import ThermiteError

TEMPORARY_PREFIX = ".tmp-"
_TEMPORARY_FOLDER = ".tmp"
# From so many new files on, syncing the whole file system costs less than a wait a file.
_MANY = 16


class LakeMissing(ThermiteError):
    """A path of the lake does not exist."""


@dataclass(frozen=True)
class LakeEntry:
    """One file of the lake; `version` changes whenever the file is replaced.

    It is the ETag, or size, modification time and inode: clocks of file systems stand still for milliseconds.
    """

    path: str
    size: int
    version: str


def write_atomic(
    path: Path, data: bytes | Iterable[bytes], *, mode: int = 0o644, sync: bool = True, beside: Path | None = None
) -> None:
    """Write `data` to `path` so that a reader, or a kill at any moment, sees the old file or the new one.

    What is not whole yet lies in the folder `beside` (default: the file's own). Raises `ThermiteError` where the disk
    is full or not writable.
    """
    temporary = (beside or path.parent) / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
    try:
        descriptor = _create(temporary, mode)
        try:
            for piece in (data,) if isinstance(data, bytes) else data:
                view = memoryview(piece)
                while view:
                    view = view[os.write(descriptor, view) :]
            if sync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        _rename(temporary, path)
    except OSError as error:
        _remove(temporary)
        raise disk_error(path, error) from error
    except BaseException:
        _remove(temporary)
        raise


def _remove(temporary: Path) -> None:
    # Where the folder is none, that is what the caller is to be told of.
    with contextlib.suppress(OSError):
        temporary.unlink(missing_ok=True)


def _rename(old: Path, new: Path) -> None:
    try:
        old.replace(new)
    except FileNotFoundError:
        new.parent.mkdir(parents=True, exist_ok=True)
        old.replace(new)
    except IsADirectoryError:
        new.rmdir()  # an empty folder in the file's place; one that holds something stays, and is an error
        old.replace(new)


def _create(path: Path, mode: int) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        return os.open(path, flags, mode)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, flags, mode)


def _fsync(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise disk_error(path, error) from error


def _sync_whole(path: Path) -> bool:
    """Sync the whole file system that a folder lies on with one wait; False where the system has no such call.

    On ext4 an fsync each would wait for as many commits of the journal.
    """
    syncfs = getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)
    if syncfs is None:
        return False
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if syncfs(descriptor) != 0:
            number = ctypes.get_errno()
            raise disk_error(path, OSError(number, os.strerror(number)))
    finally:
        os.close(descriptor)
    return True


def disk_error(path: Path, error: OSError) -> ThermiteError:
    """What to tell a person when writing failed."""
    advice = {
        errno.ENOSPC: "free some space; nothing was lost",
        errno.EROFS: "make the file system writable",
        errno.EACCES: "give the user who runs this the right to write there",
    }
    return ThermiteError(
        f"can't write: {error.strerror or error}", where=str(path), do=advice.get(error.errno or 0, "look at the disk")
    )


class Lake:
    """Files under one root; paths are relative, with '/' between parts."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._fs: Any = None
        if "://" in url and not url.startswith("file://"):
            import fsspec

            try:
                self._fs, self._root = fsspec.core.url_to_fs(url)
            except (ValueError, ImportError, OSError) as error:
                raise ThermiteError(
                    f"can't open the lake at {url!r}: {error}", do="correct THERMITE_LAKE_URL"
                ) from None
        else:
            self._root = str(Path(url.removeprefix("file://")).absolute())

    @property
    def is_local(self) -> bool:
        """Whether the lake is a directory."""
        return self._fs is None

    def local(self, path: str) -> Path:
        """The path on disk of a file of a lake in a directory."""
        return Path(self._root, path)

    def address(self, path: str) -> str:
        """What a person or another tool opens: an absolute path, or a URL."""
        return str(self.local(path)) if self._fs is None else f"{self.url.rstrip('/')}/{path}"

    def get(self, path: str) -> bytes:
        """The bytes of a file. Raises `LakeMissing`."""
        try:
            if self._fs is None:
                return self.local(path).read_bytes()
            return self._fs.cat_file(f"{self._root}/{path}")
        except (FileNotFoundError, NotADirectoryError):
            raise LakeMissing("no such file in the lake", where=path) from None

    def put(self, path: str, data: bytes, *, sync: bool = True) -> None:
        """Write a file whole, replacing any other. Without `sync` it survives a loss of power only after `sync`."""
        if self._fs is None:
            write_atomic(self.local(path), data, sync=sync, beside=self._beside(path))
        else:
            self._fs.pipe_file(f"{self._root}/{path}", data)

    def _beside(self, path: str) -> Path:
        """Where a file lies until it is whole: not in the tables' folders, since some readers take every file there."""
        parts = path.split("/")[:-1]
        # One a partition is enough: `reports` has 256 folders below each.
        depth = next((place for place, part in enumerate(parts, 1) if "=" in part), len(parts))
        return Path(self._root, _TEMPORARY_FOLDER, *parts[:depth])

    def put_pieces(self, path: str, pieces: Iterable[bytes]) -> None:
        """Write a file of any size, piece by piece, replacing any other once it is whole."""
        if self._fs is None:
            write_atomic(self.local(path), pieces, beside=self._beside(path))
        else:
            sink = self._fs.open(f"{self._root}/{path}", "wb")
            try:
                for piece in pieces:
                    sink.write(piece)
            except BaseException:
                sink.discard()  # closing would store what there is
                raise
            sink.close()

    def pieces(self, path: str) -> Iterator[bytes]:
        """The bytes of a file, piece by piece. Raises `LakeMissing`."""
        try:
            with self.local(path).open("rb") if self._fs is None else self._fs.open(f"{self._root}/{path}") as source:
                while piece := source.read(1 << 20):
                    yield piece
        except (FileNotFoundError, NotADirectoryError):
            raise LakeMissing("no such file in the lake", where=path) from None

    def part(self, path: str, offset: int, length: int) -> bytes:
        """Some bytes of a file; fewer where it ends before. Raises `LakeMissing`."""
        try:
            if self._fs is not None:
                return self._fs.cat_file(f"{self._root}/{path}", start=offset, end=offset + length)
            with self.local(path).open("rb") as source:
                source.seek(offset)
                return source.read(length)
        except (FileNotFoundError, NotADirectoryError):
            raise LakeMissing("no such file in the lake", where=path) from None

    def sync(self, paths: Iterable[str]) -> None:
        """Make files that were put without `sync`, and their names, survive a loss of power.

        One pass over all files at the end costs far less than one wait a file.
        """
        files = [self.local(path) for path in paths]
        if self._fs is not None or not files:
            return
        if len(files) > _MANY and _sync_whole(Path(self._root)):
            return
        root = Path(self._root)
        folders = {folder for file in files for folder in file.parents if folder == root or root in folder.parents}
        for path in [*files, *sorted(folders, key=lambda folder: len(folder.parts), reverse=True)]:
            _fsync(path)

    def delete(self, path: str) -> None:
        """Remove a file; one that is not there is no error."""
        try:
            if self._fs is None:
                self.local(path).unlink()
            else:
                self._fs.rm_file(f"{self._root}/{path}")
        except FileNotFoundError:
            return

    def stat(self, path: str) -> LakeEntry | None:
        """Size and version of a file, or None where there is none."""
        try:
            if self._fs is None:
                info = self.local(path).stat()
                return LakeEntry(path, info.st_size, f"{info.st_size}-{info.st_mtime_ns}-{info.st_ino}")
            return self._entry(self._fs.info(f"{self._root}/{path}"))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def list(self, prefix: str) -> Iterator[LakeEntry]:
        """All files below a folder, in an order that their paths alone decide; temporary ones are left out."""
        if self._fs is None:
            yield from self._list_local(prefix)
            return
        try:
            found = self._fs.find(f"{self._root}/{prefix}", detail=True)
        except FileNotFoundError:
            return
        for _, info in sorted(found.items()):
            yield self._entry(info)

    def _entry(self, info: dict[str, Any]) -> LakeEntry:
        version = info.get("ETag") or info.get("mtime") or info.get("LastModified") or info.get("created")
        path = str(info["name"]).removeprefix(self._root).lstrip("/")
        return LakeEntry(path, int(info["size"]), f"{info['size']}-{version}")

    def _list_local(self, prefix: str) -> Iterator[LakeEntry]:
        base = self.local(prefix)
        for folder, folders, names in os.walk(base):
            folders.sort()
            for name in sorted(names):
                if name.startswith(TEMPORARY_PREFIX):
                    continue
                entry = self.stat(str(Path(folder, name).relative_to(self._root).as_posix()))
                if entry is not None:
                    yield entry

    def sweep(self, prefix: str) -> int:
        """Remove what killed writers left below a folder; return how many. Call it under the folder's lease."""
        removed = 0
        bases = (self.local(prefix), self.local(f"{_TEMPORARY_FOLDER}/{prefix}")) if self._fs is None else ()
        for base in bases:
            for folder, _, names in os.walk(base):
                for name in names:
                    if name.startswith(TEMPORARY_PREFIX):
                        Path(folder, name).unlink(missing_ok=True)
                        removed += 1
        return removed
