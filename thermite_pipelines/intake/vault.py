"""Keeping what arrived, byte for byte, under the hash of what is kept.

A good file is kept as its decompressed envelope (stored as zstd); one that is too large, or does not decompress, as itself.
"""

import errno
import hashlib
import os
import shutil

import zstandard

from thermite_pipelines.intake.inbox import Arrival, Content, FileChanged
from thermite_pipelines.tables.lake import TEMPORARY_PREFIX, Lake, disk_error

UNKNOWN = "_unknown"
_LEVEL = 3


class Vault:
    """The part `reports/` of the lake."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def keep(self, owner: str, folder: int, arrival: Arrival, content: Content) -> tuple[str, int]:
        """Keep one file of an inbox; return its path in the lake and how many bytes that takes.

        `owner` is `rig=<rig>` or `_unknown`. Doing it again changes nothing. Raises `FileChanged` where the file was
        swapped meanwhile.
        """
        if content.envelope is not None:
            digest = hashlib.sha256(content.envelope).hexdigest()
            path = f"reports/{owner}/{digest[:2]}/{digest}.dsse.json.zst"
            entry = self._lake.stat(path)
            if entry is None:
                packed = zstandard.compress(content.envelope, _LEVEL)
                self._lake.put(path, packed)
                return path, len(packed)
            return path, entry.size
        path = f"reports/{owner}/as-it-came/{content.sha256}"
        if self._lake.stat(path) is None:
            if self._lake.is_local:
                self._link(folder, arrival, path)
            else:
                with os.fdopen(os.open(arrival.name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), "rb") as file:
                    self._lake.put(path, file.read())
        return path, arrival.size

    def envelope(self, path: str) -> bytes:
        """The envelope kept under a path of this vault. Raises `LakeMissing`."""
        return (
            zstandard.decompress(self._lake.get(path), max_output_size=2**40)
            if path.endswith(".zst")
            else self._lake.get(path)
        )

    def forget(self, path: str) -> None:
        """Give up the bytes of a quarantined file."""
        self._lake.delete(path)

    def _link(self, folder: int, arrival: Arrival, path: str) -> None:
        """Give the file a second name in the lake: nothing is copied, and it leaves the inbox only with its receipt."""
        target = self._lake.local(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(f"{TEMPORARY_PREFIX}{arrival.inode}")
        temporary.unlink(missing_ok=True)
        try:
            os.link(arrival.name, temporary, src_dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EPERM, errno.EMLINK):
                raise disk_error(target, error) from error
            with os.fdopen(os.open(arrival.name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=folder), "rb") as source:
                with temporary.open("wb") as sink:
                    shutil.copyfileobj(source, sink)
        else:
            if temporary.stat().st_ino != arrival.inode:
                temporary.unlink()
                raise FileChanged("another file lies there now")
        temporary.replace(target)
