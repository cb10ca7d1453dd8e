"""Keeping what arrived, byte for byte, under the hash of what is kept.

A good file is kept as its decompressed envelope (stored as zstd); one that is too large, or does not decompress, as it
came. Of many good reports that come together, the envelopes lie one after the other in one pack: a file each would be
most of what taking them costs, and millions of small files are slow to list and to back up.
"""

import errno
import hashlib
import os
import secrets
from collections.abc import Iterable, Iterator

import zstandard

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake.inbox import Arrival, Content, FileChanged, pieces
from thermite_pipelines.tables.lake import TEMPORARY_PREFIX, Lake, disk_error

UNKNOWN = "_unknown"
PACK_FROM = 16
"""So many envelopes at once go into a pack; fewer get a file each."""
_LEVEL = 1  # base64 of JSON: more effort costs more than it saves


class Vault:
    """The part `reports/` of the lake."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        self._packer = zstandard.ZstdCompressor(level=_LEVEL)
        self._fresh: list[str] = []

    def keep(self, owner: str, folder: int, descriptor: int, arrival: Arrival, content: Content) -> tuple[str, int]:
        """Keep one opened file of an inbox; return its path in the lake and how many bytes that takes.

        `owner` is `rig=<rig>` or `_unknown`. Doing it again changes nothing. Raises `FileChanged` where the file was
        swapped meanwhile. What is kept counts as safe only after `sync`.
        """
        if content.envelope is not None:
            return self.keep_envelope(owner, content.envelope, content.envelope_sha256)
        path = f"reports/{owner}/as-it-came/{content.sha256}"
        entry = self._lake.stat(path)
        if entry is None or entry.size != arrival.size:
            if not self._lake.is_local or not self._link(folder, arrival, path):
                self._lake.put_pieces(path, _same(pieces(descriptor), content.sha256))
            self._fresh.append(path)
        return path, arrival.size

    def keep_envelope(self, owner: str, envelope: bytes, sha256: str | None = None) -> tuple[str, int]:
        """Keep the bytes of an envelope as `keep` does; `sha256` is their hash where it is known."""
        sha256 = sha256 or hashlib.sha256(envelope).hexdigest()
        return self._keep_packed(owner, sha256, self.packed(envelope))

    def packed(self, envelope: bytes) -> bytes:
        """An envelope as it is stored."""
        return self._packer.compress(envelope)

    def keep_together(self, owner: str, envelopes: list[tuple[str, bytes]]) -> list[tuple[str, int]]:
        """Keep envelopes, each as its hash and what `packed` gives; return path and size of each, in their order.

        None of them may be given up later: the others of its pack would go too. Safe only after `sync`.
        """
        if len(envelopes) < PACK_FROM:
            return [self._keep_packed(owner, sha256, packed) for sha256, packed in envelopes]
        # A name that no pack ever had: one that a receipt counts on is never written again.
        path = f"reports/{owner}/packs/{secrets.token_hex(16)}.pack"
        self._lake.put(path, b"".join(packed for _, packed in envelopes), sync=False)
        self._fresh.append(path)
        places, offset = [], 0
        for _, packed in envelopes:
            places.append((f"{path}@{offset}-{len(packed)}", len(packed)))
            offset += len(packed)
        return places

    def _keep_packed(self, owner: str, sha256: str, packed: bytes) -> tuple[str, int]:
        path = f"reports/{owner}/{sha256[:2]}/{sha256}.dsse.json.zst"
        entry = self._lake.stat(path)
        # A name alone proves nothing: a loss of power may have left an empty file under it.
        if entry is not None and self._holds(path, sha256):
            return path, entry.size
        self._lake.put(path, packed, sync=False)
        self._fresh.append(path)
        return path, len(packed)

    def sync(self) -> None:
        """Make what was kept survive a loss of power: before a receipt says that it is kept."""
        self._lake.sync(self._fresh)
        self._fresh.clear()

    def envelope(self, path: str) -> bytes:
        """The envelope kept under a path of this vault. Raises `LakeMissing`, or `ThermiteError` for damaged bytes."""
        try:
            return b"".join(self.pieces(path))
        except zstandard.ZstdError as error:
            raise ThermiteError(
                f"the kept report is damaged ({error})", where=path, do="restore it from a backup"
            ) from None

    def pieces(self, path: str) -> Iterator[bytes]:
        """What is kept under a path, piece by piece: an envelope unpacked, anything else as it came."""
        file, offset, length = split_place(path)
        stored = self._lake.pieces(file) if length is None else [self._lake.part(file, offset, length)]
        if not is_envelope(path):
            yield from stored
            return
        unpacker = zstandard.ZstdDecompressor().decompressobj()
        for piece in stored:
            yield unpacker.decompress(piece)
        if not unpacker.eof:
            raise zstandard.ZstdError("it is not whole")

    def forget(self, path: str) -> None:
        """Give up the bytes of a quarantined file."""
        self._lake.delete(path)

    def _holds(self, path: str, sha256: str) -> bool:
        try:
            return hashlib.sha256(self.envelope(path)).hexdigest() == sha256
        except ThermiteError:
            return False

    def _link(self, folder: int, arrival: Arrival, path: str) -> bool:
        """Give the file a second name in the lake: nothing is copied, and it leaves the inbox only with its receipt.

        Returns False where the lake lies on another file system.
        """
        target = self._lake.local(path)
        temporary = target.with_name(f"{TEMPORARY_PREFIX}{arrival.inode}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            temporary.unlink(missing_ok=True)
            os.link(arrival.name, temporary, src_dir_fd=folder, follow_symlinks=False)
            if not arrival.is_file(temporary.stat(follow_symlinks=False)):
                temporary.unlink()
                raise FileChanged("another file lies there now")
            temporary.replace(target)
        except FileNotFoundError as error:
            raise FileChanged(str(error)) from None
        except OSError as error:
            if error.errno in (errno.EXDEV, errno.EPERM, errno.EMLINK):
                return False
            raise disk_error(target, error) from error
        return True


def is_envelope(path: str) -> bool:
    """Whether an envelope is kept under a path of the vault, not a file as it came."""
    return path.endswith(".dsse.json.zst") or "@" in path


def split_place(path: str) -> tuple[str, int, int | None]:
    """The file that a path of the vault names, with offset and length in it; length None stands for the whole."""
    file, at, place = path.partition("@")
    if not at:
        return file, 0, None
    offset, _, length = place.partition("-")
    return file, int(offset), int(length)


def _same(parts: Iterable[bytes], sha256: str) -> Iterator[bytes]:
    """Pass the pieces on. Raises `FileChanged` at the end where they are not what was hashed before."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
        yield part
    if digest.hexdigest() != sha256:
        raise FileChanged("the file changed while it was kept")
