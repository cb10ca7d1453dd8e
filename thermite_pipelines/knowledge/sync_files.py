"""The files of one run's `knowledge/` or `briefs/` folder, written so that nothing planted there leads outside.

Each folder on the way is opened from the one above without following links; what stands in the way (a link, a file in
the place of a folder) is replaced. Files appear whole, by renaming, and are read-only.
"""

import errno
import os
import secrets
import stat
from collections import OrderedDict
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType

from thermite_pipelines.tables.lake import TEMPORARY_PREFIX, disk_error

FILE_MODE = 0o444
FOLDER_MODE = 0o755
_OPEN_FOLDERS = 64
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# O_NONBLOCK: a planted pipe must not make a check wait for ever.
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def file_version(info: os.stat_result) -> str:
    """What changes whenever a file is replaced or written to."""
    return f"{info.st_size}-{info.st_mtime_ns}-{info.st_ino}"


class SyncFolder:
    """A folder below `root`, reached by `parts`. Use it as a context manager: it holds folders open.

    Paths are relative with '/' between parts. Writing raises `ThermiteError` where the disk is full or not writable.
    """

    def __init__(self, root: Path, *parts: str) -> None:
        self.path = root.joinpath(*parts)
        self._root = root
        self._parts = parts
        self._open: OrderedDict[str, int] = OrderedDict()

    def __enter__(self) -> "SyncFolder":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._open:
            os.close(self._open.popitem()[1])

    def open_file(self, path: str) -> int | None:
        """A descriptor of a regular file to read from, which the caller closes; None where there is none."""
        folder, _, name = path.rpartition("/")
        descriptor = self._folder(folder)
        if descriptor is None:
            return None
        try:
            found = os.open(name, _READ_FLAGS, dir_fd=descriptor)
        except OSError:
            return None
        if stat.S_ISREG(os.fstat(found).st_mode):
            return found
        os.close(found)
        return None

    def read(self, path: str) -> bytes | None:
        """The bytes of a file that is as `write` leaves files; None for any other and where there is none."""
        found = self.open_file(path)
        if found is None:
            return None
        with open(found, "rb") as file:
            return file.read() if stat.S_IMODE(os.fstat(found).st_mode) == FILE_MODE else None

    def version(self, path: str) -> str | None:
        """What changes whenever a file is replaced; None where there is no regular file."""
        found = self.open_file(path)
        if found is None:
            return None
        try:
            return file_version(os.fstat(found))
        finally:
            os.close(found)

    def write(self, path: str, data: bytes) -> None:
        """Put a file in place, whole; whoever reads sees the old one or the new one."""
        self.write_with(path, lambda descriptor: write_all(descriptor, data))

    def write_with(self, path: str, fill: Callable[[int], None]) -> None:
        """Put a file in place whose bytes `fill` writes to a descriptor."""
        folder, _, name = path.rpartition("/")
        temporary = f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
        try:
            place = self._made(folder)
            descriptor = os.open(temporary, _WRITE_FLAGS, 0o600, dir_fd=place)
            try:
                fill(descriptor)
                os.fchmod(descriptor, FILE_MODE)
            except BaseException:
                os.unlink(temporary, dir_fd=place)
                raise
            finally:
                os.close(descriptor)
            _rename(place, temporary, name)
        except OSError as error:
            raise disk_error(self.path / path, error) from error

    def remove(self, paths: Iterable[str]) -> int:
        """Remove files, and the folders that are empty then; return how many files there were."""
        folders = set()
        removed = 0
        for path in paths:
            folder, _, name = path.rpartition("/")
            descriptor = self._folder(folder)
            if descriptor is not None:
                removed += _clear(descriptor, name)
                folders.add(folder)
        for folder in sorted(folders, key=len, reverse=True):
            self._prune(folder)
        return removed

    def strays(self, folders: Iterable[str], is_expected: Callable[[str], bool]) -> list[str]:
        """What lies here besides `folders` (with those above them) and the files in them whose paths are expected."""
        found = []
        known = _with_parents(folders)
        for folder in sorted(known):
            descriptor = self._folder(folder)
            if descriptor is None:
                continue
            above = f"{folder}/" if folder else ""
            with os.scandir(descriptor) as entries:
                for entry in entries:
                    path = above + entry.name
                    if not (path in known if entry.is_dir(follow_symlinks=False) else is_expected(path)):
                        found.append(path)
        return found

    def sweep(self, folders: Iterable[str], is_expected: Callable[[str], bool]) -> int:
        """Remove all strays; return how many files went. Folders get the mode they should have."""
        strays = self.strays(folders, is_expected)
        removed = 0
        for path in strays:
            folder, _, name = path.rpartition("/")
            removed += _clear(self._made(folder), name)
        for folder in _with_parents(folders):
            descriptor = self._folder(folder)
            if descriptor is not None and stat.S_IMODE(os.fstat(descriptor).st_mode) != FOLDER_MODE:
                os.fchmod(descriptor, FOLDER_MODE)
        return removed

    def drop(self) -> int:
        """Remove the folder with all that is in it, and the folders above it that are empty then, up to the root."""
        *above, name = self._parts
        removed = 0
        try:
            root = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            return 0
        opened = [root]
        try:
            for part in above:
                opened.append(os.open(part, _FOLDER_FLAGS, dir_fd=opened[-1]))
            removed = _clear(opened[-1], name)
            for part, parent in zip(reversed(above), reversed(opened[:-1]), strict=True):
                os.rmdir(part, dir_fd=parent)
        except (FileNotFoundError, NotADirectoryError):
            pass
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ELOOP):
                raise disk_error(self.path, error) from error
        finally:
            for descriptor in opened:
                os.close(descriptor)
        return removed

    def _made(self, folder: str) -> int:
        found = self._folder(folder, make=True)
        assert found is not None
        return found

    def _folder(self, folder: str, *, make: bool = False) -> int | None:
        """The descriptor of a folder below this one; None where there is none and it is not to be made."""
        found = self._open.get(folder)
        if found is not None:
            self._open.move_to_end(folder)
            return found
        parts = [*self._parts, *filter(None, folder.split("/"))]
        try:
            if make:
                self._root.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        for part in parts:
            try:
                inner = _step(descriptor, part, make)
            finally:
                os.close(descriptor)
            if inner is None:
                return None
            descriptor = inner
        self._open[folder] = descriptor
        if len(self._open) > _OPEN_FOLDERS:
            os.close(self._open.popitem(last=False)[1])
        return descriptor

    def _prune(self, folder: str) -> None:
        """Remove a folder, and those above it, as long as they are empty."""
        while folder:
            parent, _, name = folder.rpartition("/")
            above = self._folder(parent)
            try:
                if above is None:
                    return
                os.rmdir(name, dir_fd=above)
            except OSError:
                return
            if folder in self._open:
                os.close(self._open.pop(folder))
            folder = parent


def remove_strays(root: Path, name: str, is_known: Callable[[str, str], bool]) -> list[tuple[str, str]]:
    """Remove the folders `<root>/<rig>/<run>/<name>` whose rig and run are not known; return these."""
    found = [(path.parent.parent.name, path.parent.name) for path in sorted(root.glob(f"*/*/{name}"))]
    strays = [place for place in found if not is_known(*place)]
    for rig, run in strays:
        with SyncFolder(root, rig, run, name) as folder:
            folder.drop()
    return strays


def _with_parents(folders: Iterable[str]) -> set[str]:
    """These folders, all that they lie in, and the top ('')."""
    found = {""}
    for folder in folders:
        parts = folder.split("/")
        found.update("/".join(parts[:depth]) for depth in range(1, len(parts) + 1))
    return found


def _step(parent: int, name: str, make: bool) -> int | None:
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=parent)
    except FileNotFoundError:
        if not make:
            return None
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP):
            raise
        if not make:
            return None
        os.unlink(name, dir_fd=parent)
    os.mkdir(name, FOLDER_MODE, dir_fd=parent)
    made = os.open(name, _FOLDER_FLAGS, dir_fd=parent)
    os.fchmod(made, FOLDER_MODE)  # whatever the umask is
    return made


def _rename(folder: int, temporary: str, name: str) -> None:
    try:
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except IsADirectoryError:
        _clear(folder, name)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def _clear(folder: int, name: str) -> int:
    """Remove a file, link or whole folder, following no link; return how many files that were."""
    try:
        os.unlink(name, dir_fd=folder)
        return 1
    except FileNotFoundError:
        return 0
    except (IsADirectoryError, PermissionError):
        inner = os.open(name, _FOLDER_FLAGS, dir_fd=folder)
    try:
        with os.scandir(inner) as entries:
            names = [entry.name for entry in entries]
        removed = sum(_clear(inner, entry) for entry in names)
    finally:
        os.close(inner)
    os.rmdir(name, dir_fd=folder)
    return removed


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes to a descriptor."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
