"""What counts of a folder's index: its segments, and which files of the lake they hold, in one file replaced whole.

All else in the index's folder is nothing until the manifest names it, so a kill at any moment leaves the index before
or the index after. It is derived: it may be removed at any time.
"""

import contextlib
import hashlib
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.index.files import BrokenFile, encode, open_file
from thermite_pipelines.knowledge.index.segments import Segment
from thermite_pipelines.knowledge.index.vectors import Vectors
from thermite_pipelines.knowledge.index_targets import MANIFEST, MARK, Sealed, is_marked, sealed
from thermite_pipelines.tables.lake import write_atomic

_GONE = "gone"


class File(msgspec.Struct, frozen=True):
    """A file of the index, with what it must hold."""

    name: str
    bytes: int
    sha256: str


class Part(msgspec.Struct, frozen=True):
    """A segment: its texts, their vectors once they are made, and which of the texts no longer count."""

    words: File
    size: int
    atoms: bool
    """Whether its texts are atoms: those are scored among themselves."""
    vectors: File | None = None
    gone: File | None = None
    gone_count: int = 0


class Manifest(msgspec.Struct, frozen=True):
    """`sources`: by path, which content of a file of the lake is indexed whole. `model` made the vectors; '': none."""

    model: str = ""
    sources: dict[str, str] = {}
    parts: tuple[Part, ...] = ()
    number: int = 0
    """Counts files, so that no name comes twice."""
    sha256: str = ""
    """Of the manifest as it was written."""

    @property
    def files(self) -> list[File]:
        """All files that count."""
        return [file for part in self.parts for file in (part.words, part.vectors, part.gone) if file is not None]

    @property
    def content(self) -> str:
        """32 hex digits over what is indexed: of which rows, and by which model how many have vectors."""
        embedded = sum(part.size for part in self.parts if part.vectors is not None)
        lines = [self.model, str(embedded == self.size), *(f"{path} {one}" for path, one in self.sources.items())]
        return hashlib.sha256("\n".join([lines[0], lines[1], *sorted(lines[2:])]).encode()).hexdigest()[:32]

    @property
    def size(self) -> int:
        """How many texts the segments hold, those that no longer count too."""
        return sum(part.size for part in self.parts)


def load(folder: Path) -> Manifest | None:
    """The manifest of an index; None where there is none, or one of another format.

    Raises `BrokenFile`, also for an index that was found to be damaged before.
    """
    try:
        written = sealed(folder)
        if written is None:
            return None
        found = msgspec.json.decode(written.manifest, type=Manifest)
    except (msgspec.MsgspecError, OSError, ValueError):
        raise BrokenFile(f"{MANIFEST} can't be read", folder) from None
    if is_marked(folder, written.sha256):
        raise BrokenFile("some of it is not what was written", folder)
    return msgspec.structs.replace(found, sha256=written.sha256)


def save(folder: Path, manifest: Manifest) -> None:
    """Make a manifest count."""
    plain = msgspec.structs.replace(manifest, sha256="")
    write_atomic(folder / MANIFEST, msgspec.json.encode(Sealed.of(plain)))


def mark(folder: Path, manifest: Manifest) -> None:
    """Leave a mark that an index is damaged: it counts as behind, nobody reads it, and the next refresh makes it anew.

    It means this very index and none that is written later. Who may not write leaves none.
    """
    with contextlib.suppress(OSError, ThermiteError):
        if folder.is_dir():
            write_atomic(folder / MARK, manifest.sha256.encode())


def put(folder: Path, name: str, arrays: Segment | Vectors | NDArray[np.bool_]) -> File:
    """Write a file that does not count yet."""
    if isinstance(arrays, np.ndarray):
        pieces = list(encode({}, {_GONE: arrays}))
    else:
        pieces = list(encode(arrays.meta, arrays.arrays))
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    write_atomic(folder / name, pieces)
    return File(name, sum(map(len, pieces)), digest.hexdigest())


def get_segment(folder: Path, file: File) -> Segment:
    """A segment. Raises `BrokenFile` and `OSError`, as the two below."""
    return Segment(*_open(folder, file))


def get_vectors(folder: Path, file: File) -> Vectors:
    """The vectors of a segment."""
    return Vectors(*_open(folder, file))


def get_gone(folder: Path, file: File) -> NDArray[np.bool_]:
    """Which texts of a segment no longer count."""
    return _open(folder, file)[1][_GONE]


def _open(folder: Path, file: File) -> tuple:
    path = folder / file.name
    if path.stat().st_size != file.bytes:
        raise BrokenFile(f"{file.name} has another size", folder)
    return open_file(path)


def damaged(folder: Path, manifest: Manifest) -> list[str]:
    """The files of an index that are not what was written: every one is read."""
    return [file.name for file in manifest.files if not _is_whole(folder / file.name, file)]


def _is_whole(path: Path, file: File) -> bool:
    try:
        with path.open("rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest() == file.sha256
    except OSError:
        return False
