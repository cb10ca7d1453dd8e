"""Reports that come over HTTP: into the rig's inbox whole, or not at all.

The bytes go into a file whose name begins with a dot, which intake leaves alone, and get a report's name by one rename
once all of them are on the disk. The name is their hash, so the same report sent again is the same file. Nothing of
what is inside is looked at here: intake judges reports, whatever way they came.
"""

import contextlib
import errno
import hashlib
import os
import secrets
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import anyio
from anyio import to_thread

from thermite_pipelines.intake.inbox import open_folder
from thermite_pipelines.serve.guard import too_large
from thermite_pipelines.serve.problems import Refusal
from thermite_pipelines.settings import Settings
from thermite_pipelines.tables.lake import disk_error

TEMPORARY_PREFIX = ".upload-"
SECONDS = 300.0
"""How long one upload may take."""
AT_ONCE = 4
"""How many uploads of one rig are taken at the same time; the others wait."""
FULL_SECONDS = 60
"""After how long to try again where the disk is full."""

_CHUNK = 1 << 20
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
# How each form of a report begins; see `docs/report-format.md`.
_ENDINGS = ((b"\x1f\x8b", ".dsse.json.gz"), (b"\x28\xb5\x2f\xfd", ".dsse.json.zst"))
_PLAIN = ".dsse.json"
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Taken:
    """A report that lies in the inbox: the hash of its bytes as they came, and its name there."""

    sha256: str
    name: str


class Uploads:
    """Takes the uploads of all rigs; for one event loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._turns: dict[str, anyio.CapacityLimiter] = {}

    async def take(self, rig: str, parts: AsyncIterator[bytes], declared: int) -> Taken:
        """Take one file from its parts; `declared` is the length that was announced, 0 for none.

        Raises `Refusal` for an empty or too large body, one that takes too long, and a disk that is too full.
        """
        if declared > self._settings.max_report_bytes:
            raise too_large(self._settings.max_report_bytes)
        turns = self._turns.setdefault(rig, anyio.CapacityLimiter(AT_ONCE))
        async with turns:
            try:
                with anyio.fail_after(SECONDS):
                    return await self._take(rig, parts, declared)
            except TimeoutError:
                raise Refusal(408, "the report took too long to arrive") from None

    async def _take(self, rig: str, parts: AsyncIterator[bytes], declared: int) -> Taken:
        limit = self._settings.max_report_bytes
        folder = self._settings.inbox / rig
        await _in_thread(lambda: _check_room(folder, declared or limit, self._settings.min_free_bytes))
        upload = await _in_thread(lambda: _Upload(folder))
        try:
            held: list[bytes] = []
            size = waiting = 0
            async for part in parts:
                size += len(part)
                waiting += len(part)
                held.append(part)
                if size > limit:
                    raise too_large(limit)
                if waiting >= _CHUNK:
                    data = b"".join(held)
                    await _in_thread(lambda data=data: upload.write(data))
                    held, waiting = [], 0
            if not size:
                raise Refusal(422, "the report is empty")
            return await _in_thread(lambda: upload.finish(b"".join(held)))
        finally:
            # Also where the rig went away, or the service is told to end: the cancelled task still tidies up.
            with anyio.CancelScope(shield=True):
                await _in_thread(upload.close)


class _Upload:
    """A file in the making. Raises `ThermiteError` where the disk can't take it."""

    def __init__(self, folder: Path) -> None:
        self._folder_path = folder
        self._digest = hashlib.sha256()
        self._beginning = b""
        self._temporary = f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
        self._stack = contextlib.ExitStack()
        self._made = False
        with self._explained():
            folder.mkdir(parents=True, exist_ok=True)
            found = self._stack.enter_context(open_folder(folder))
            if found is None:
                raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
            self._folder = found
            self._file = os.open(self._temporary, _FLAGS, 0o644, dir_fd=found)
            self._made = True
            self._stack.callback(os.close, self._file)

    def write(self, data: bytes) -> None:
        """Add bytes at the end."""
        self._digest.update(data)
        self._beginning = self._beginning or data[:4]
        view = memoryview(data)
        with self._explained():
            while view:
                view = view[os.write(self._file, view) :]

    def finish(self, data: bytes) -> Taken:
        """Add the last bytes, and let the file appear in the inbox. It is there after a loss of power, too."""
        self.write(data)
        sha256 = self._digest.hexdigest()
        name = sha256 + next((ending for mark, ending in _ENDINGS if self._beginning.startswith(mark)), _PLAIN)
        with self._explained():
            os.fsync(self._file)
            os.rename(self._temporary, name, src_dir_fd=self._folder, dst_dir_fd=self._folder)
            self._made = False
            os.fsync(self._folder)
        return Taken(sha256, name)

    def close(self) -> None:
        """Remove what is not whole."""
        if self._made:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._temporary, dir_fd=self._folder)
            self._made = False
        self._stack.close()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if not self._made:
                self._stack.close()
            if error.errno == errno.ENOSPC:
                raise _no_room() from None
            raise disk_error(self._folder_path, error) from error


def sweep(inbox: Path) -> int:
    """Remove what uploads left that a kill ended; return how many. Only while no service takes uploads."""
    removed = 0
    for path in inbox.glob(f"*/{TEMPORARY_PREFIX}*"):
        with contextlib.suppress(OSError):
            path.unlink()
            removed += 1
    return removed


def _check_room(folder: Path, size: int, least: int) -> None:
    """Raise `Refusal` where a file of this size would leave less free than the setting wants."""
    place = folder
    while not place.exists():
        place = place.parent
    if shutil.disk_usage(place).free - size < least:
        raise _no_room()


def _no_room() -> Refusal:
    return Refusal(
        503, "there is no room for reports; keep it and send it again", headers={"Retry-After": str(FULL_SECONDS)}
    )


async def _in_thread(work: Callable[[], _Result]) -> _Result:
    return await to_thread.run_sync(work)
