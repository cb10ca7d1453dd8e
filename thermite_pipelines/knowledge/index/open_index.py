"""An index opened for reading: kept open in this process until another manifest counts."""

import contextlib
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.knowledge.index import manifest as files
from thermite_pipelines.knowledge.index.files import BrokenFile
from thermite_pipelines.knowledge.index.manifest import Manifest
from thermite_pipelines.knowledge.index.segments import Segment
from thermite_pipelines.knowledge.index.vectors import Vectors
from thermite_pipelines.knowledge.index_targets import MANIFEST, is_marked

_TRIES = 5
_MOST = 256
_lock = threading.Lock()
_opened: dict[Path, tuple[tuple[int, int, int], "Index"]] = {}
_broken: set[tuple[Path, str]] = set()


@dataclass(frozen=True)
class OpenPart:
    """A segment with what belongs to it; `gone` None: all its texts count."""

    segment: Segment
    vectors: Vectors | None
    gone: NDArray[np.bool_] | None
    atoms: bool

    @property
    def kept(self) -> NDArray[np.bool_]:
        """Which texts count."""
        return np.ones(self.segment.size, bool) if self.gone is None else ~self.gone


@dataclass(frozen=True)
class Index:
    """What is indexed of a folder, and its segments."""

    manifest: Manifest
    parts: tuple[OpenPart, ...]


EMPTY = Index(Manifest(), ())


def open_index(folder: Path) -> Index:
    """The index in a folder as it counts now; an empty one where there is none.

    Raises `BrokenFile` where it can't be read.
    """
    failed: Exception = BrokenFile(MANIFEST, folder)
    for _ in range(_TRIES):
        try:
            state = (folder / MANIFEST).stat()
        except OSError:
            return EMPTY
        key = (state.st_ino, state.st_mtime_ns, state.st_size)
        with _lock:
            known = _opened.get(folder)
        if known is not None and known[0] == key:
            return _sound(folder, known[1])
        try:
            index = _read(folder)
        except (BrokenFile, OSError) as error:
            # A writer may have replaced the manifest, and removed what the older one named.
            failed = error
            continue
        with _lock:
            if len(_opened) >= _MOST:
                _opened.clear()
            _opened[folder] = (key, index)
        return _sound(folder, index)
    if not isinstance(failed, BrokenFile):
        raise BrokenFile(type(failed).__name__, folder)
    with contextlib.suppress(BrokenFile):
        if (manifest := files.load(folder)) is not None:
            files.mark(folder, manifest)
    raise failed


def found_broken(error: BrokenFile) -> bool:
    """Never use an index again of which a file was broken when it was read, and leave a mark for whoever makes it anew.

    False where the file is of no index: another try would fail likewise.
    """
    if error.folder is None:
        return False
    with _lock:
        known = _opened.get(error.folder)
        if known is not None:
            _broken.add((error.folder, known[1].manifest.sha256))
    if known is not None:
        files.mark(error.folder, known[1].manifest)
    return True


def _sound(folder: Path, index: Index) -> Index:
    """An index, unless it was found to be damaged, in this process or in another."""
    sha256 = index.manifest.sha256
    if sha256 and ((folder, sha256) in _broken or is_marked(folder, sha256)):
        raise BrokenFile("some of it is not what was written", folder)
    return index


def _read(folder: Path) -> Index:
    manifest = files.load(folder)
    if manifest is None:
        return EMPTY
    parts = tuple(
        OpenPart(
            files.get_segment(folder, part.words),
            None if part.vectors is None else files.get_vectors(folder, part.vectors),
            None if part.gone is None else files.get_gone(folder, part.gone),
            part.atoms,
        )
        for part in manifest.parts
    )
    return Index(manifest, parts)
