"""An index opened for reading: kept open in this process until another manifest counts."""

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
from thermite_pipelines.knowledge.index_targets import MANIFEST

_TRIES = 5
_MOST = 256
_lock = threading.Lock()
_opened: dict[Path, tuple[tuple[int, int, int], "Index"]] = {}


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
    failed: Exception = BrokenFile(MANIFEST)
    for _ in range(_TRIES):
        try:
            state = (folder / MANIFEST).stat()
        except OSError:
            return EMPTY
        key = (state.st_ino, state.st_mtime_ns, state.st_size)
        with _lock:
            known = _opened.get(folder)
        if known is not None and known[0] == key:
            return known[1]
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
        return index
    raise failed if isinstance(failed, BrokenFile) else BrokenFile(type(failed).__name__)


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
