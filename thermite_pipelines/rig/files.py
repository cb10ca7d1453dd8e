"""Files that survive a kill: written whole or not at all, and locks that end with the process that holds them."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from thermite_pipelines.errors import ThermiteError


def write_atomic(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write `data` under a name that begins with a dot, sync it and rename it: readers see all of it or nothing.

    Raises `ThermiteError` where the folder cannot be written.
    """
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except OSError as error:
        raise ThermiteError(
            f"it cannot be written ({error.strerror})", where=str(path), do="check the disk and the permissions"
        ) from None


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable; file systems that cannot are left in peace."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Lock:
    """One process at a time. The lock goes with the process, also with one that is killed."""

    def __init__(self, path: Path, what: str) -> None:
        """Take the lock at `path`. Raises `ThermiteError` naming `what` if another process has it."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise ThermiteError(
                f"the lock cannot be made ({error.strerror})", where=str(path), do="check the permissions"
            ) from None
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._descriptor)
            raise ThermiteError(
                f"{what} is in use by another process", where=str(path), do="wait until it ends"
            ) from None

    def release(self) -> None:
        """Let others in; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


@contextlib.contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Hold the lock at `path` for a block."""
    lock = Lock(path, what)
    try:
        yield
    finally:
        lock.release()
