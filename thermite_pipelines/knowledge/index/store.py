"""Keeping a folder's index in step with the folder: what is new is added, what changed or left no longer counts.

Work goes by what is new: of a file that changed, the texts that say the same stay where they are. Segments of one size
are joined once there are several, so a text is moved a few times at most however large the index grows.
"""

import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.embeddings.embedder import Embedder
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.index import manifest as files
from thermite_pipelines.knowledge.index.compacting import compacted
from thermite_pipelines.knowledge.index.files import BrokenFile
from thermite_pipelines.knowledge.index.manifest import Manifest, Part
from thermite_pipelines.knowledge.index.open_index import EMPTY, Index, open_index
from thermite_pipelines.knowledge.index.segments import Entry, build
from thermite_pipelines.knowledge.index.texts import ATOM, Source, by_path, entries, read, sources
from thermite_pipelines.knowledge.index.vectors import Vectors, embed
from thermite_pipelines.knowledge.index_targets import MANIFEST, held, index_folder

Progress = Callable[[int, int], None]

AT_ONCE = 4_096
"""Texts that become a segment together."""
EMBEDDING_SECONDS = 120.0
"""For so long at most one refresh embeds; the rest is found by its words until the next one."""
_EMBEDDED_AT_ONCE = 512


@dataclass
class Indexed:
    """What one refresh of an index did."""

    added: int = 0
    removed: int = 0
    files: int = 0
    embedded: int = 0
    joined: int = 0
    anew: bool = False


class IndexWriter:
    """Writes the index of one campaign's folder. The caller holds the lease `index:<campaign>`."""

    def __init__(self, home: Home, campaign: str, embedder: Embedder | None) -> None:
        self._home = home
        self._campaign = campaign
        self._embedder = embedder
        self._folder = index_folder(home.settings, campaign)

    def refresh(self, *, anew: bool = False, seconds: float | None = None, progress: Progress | None = None) -> Indexed:
        """Bring the index to what control's record says of the folder now; `anew` from nothing.

        Words first, all of them; then vectors, for at most so many seconds (default: `EMBEDDING_SECONDS`). What was
        done counts after a kill. Files that someone is writing are left for the next refresh. Raises `DamagedFile` for
        a file of the lake.
        """
        try:
            return self._refresh(anew or not self._is_usable(), seconds, progress)
        except BrokenFile:
            # A file of the index is read where it is needed, and no sooner.
            return self._refresh(True, seconds, progress)

    def _refresh(self, anew: bool, seconds: float | None, progress: Progress | None) -> Indexed:
        done = Indexed(anew=anew)
        if done.anew:
            _remove(self._folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        if done.anew:
            self._count(Manifest(model=self._model))
        with self._home.control.read() as connection:
            now = by_path(sources(connection, self._campaign))
        self._forget(now, done)
        self._add(now, done)
        self._embed(done, EMBEDDING_SECONDS if seconds is None else seconds, progress)
        while (joined := compacted(self._folder, self._index())) is not None:
            done.joined += 1
            self._count(joined)
        self._sweep()
        return done

    @property
    def _model(self) -> str:
        return "" if self._embedder is None else self._embedder.name

    def _is_usable(self) -> bool:
        """Whether the index that is there can be gone on with: it is whole, of this format and of this model."""
        try:
            found = self._index()
            # What is told of an index after each refresh is made of these.
            for part in found.parts:
                part.segment.arrays["kind"]
        except BrokenFile:
            return False
        # What was opened before hides that its files are gone.
        is_there = held(self._home.settings, self._campaign).sha256 == found.manifest.sha256
        return is_there and found is not EMPTY and found.manifest.model == self._model

    def _index(self) -> Index:
        return open_index(self._folder)

    def _count(self, manifest: Manifest) -> None:
        files.save(self._folder, manifest)

    def _sweep(self) -> None:
        """Remove what no longer counts, or never did."""
        counts = {MANIFEST, *(file.name for file in self._index().manifest.files)}
        for path in self._folder.iterdir():
            if path.name not in counts:
                _remove(path)

    def _forget(self, now: dict[str, Source], done: Indexed) -> None:
        """Files that left the folder: their texts no longer count."""
        index = self._index()
        left = _indexed_paths(index) - now.keys()
        gone = [part.segment.codes("source", *left) & part.kept for part in index.parts]
        if not left & index.manifest.sources.keys() and not any(mask.any() for mask in gone):
            return
        manifest = self._without(index.manifest, index, gone, done)
        kept = {path: content for path, content in manifest.sources.items() if path not in left}
        self._count(msgspec.structs.replace(manifest, sources=kept))

    def _add(self, now: dict[str, Source], done: Indexed) -> None:
        """Index what changed, some files at a time."""
        known = self._index().manifest.sources
        behind = [source for path, source in now.items() if source.content and known.get(path) != source.content]
        for some in _batches(behind):
            index = self._index()
            new, gone = self._compared(index, some)
            read_whole = {source.path: source.content for source in some if self._is_still(source) and source.content}
            manifest = self._without(index.manifest, index, gone, done)
            for atoms in (False, True):
                mine = [entry for entry in new if (entry.kind == ATOM) == atoms]
                for start in range(0, len(mine), AT_ONCE):
                    manifest = self._with(manifest, mine[start : start + AT_ONCE], atoms)
            self._count(msgspec.structs.replace(manifest, sources=manifest.sources | read_whole))
            done.added += len(new)
            done.files += len(some)

    def _compared(self, index: Index, some: list[Source]) -> tuple[list[Entry], list[NDArray[np.bool_]]]:
        """The entries of files that are not indexed, and which texts of each segment are no longer in them."""
        gone, held = [], dict[tuple[str, bytes], tuple[int, int]]()
        for number, part in enumerate(index.parts):
            mine = part.segment.codes("source", *(source.path for source in some)) & part.kept
            gone.append(mine)
            said = part.segment.arrays["said"]
            for place in np.flatnonzero(mine).tolist():
                path = part.segment.meta["source"][part.segment.arrays["source"][place]]
                held[path, said[place].tobytes()] = (number, place)
        new = []
        for source in some:
            for entry in entries(source, read(self._home, source)):
                found = held.get((source.path, entry.said))
                if found is None:
                    new.append(entry)
                else:
                    gone[found[0]][found[1]] = False
        return new, gone

    def _is_still(self, source: Source) -> bool:
        """Whether what was read of a file is what control's record said before."""
        with self._home.control.read() as connection:
            now = by_path(sources(connection, self._campaign)).get(source.path)
        return now is not None and now.content == source.content

    def _with(self, manifest: Manifest, some: list[Entry], atoms: bool) -> Manifest:
        number = manifest.number + 1
        segment = build(some)
        part = Part(files.put(self._folder, f"{number:08d}.words", segment), segment.size, atoms)
        return msgspec.structs.replace(manifest, parts=(*manifest.parts, part), number=number)

    def _without(self, manifest: Manifest, index: Index, gone: Iterable[NDArray[np.bool_]], done: Indexed) -> Manifest:
        """The manifest with texts of the index that no longer count, a mask for each of its segments."""
        parts, number = list(manifest.parts), manifest.number
        for place, (opened, leaving) in enumerate(zip(index.parts, gone, strict=True)):
            if leaving.any():
                number += 1
                mask = leaving | ~opened.kept
                file = files.put(self._folder, f"{number:08d}.gone", mask)
                parts[place] = msgspec.structs.replace(parts[place], gone=file, gone_count=int(mask.sum()))
                done.removed += int((leaving & opened.kept).sum())
        return msgspec.structs.replace(manifest, parts=tuple(parts), number=number)

    def _embed(self, done: Indexed, seconds: float, progress: Progress | None) -> None:
        """Make the vectors of segments that have none, as far as time allows."""
        if self._embedder is None:
            return
        index = self._index()
        waiting = [place for place, part in enumerate(index.parts) if part.vectors is None]
        total, until = sum(index.parts[place].segment.size for place in waiting), time.monotonic() + seconds
        for place in waiting:
            segment, matrix = index.parts[place].segment, []
            for start in range(0, segment.size, _EMBEDDED_AT_ONCE):
                if time.monotonic() > until:
                    return
                matrix.append(embed(segment, self._embedder, range(segment.size)[start : start + _EMBEDDED_AT_ONCE]))
                done.embedded += len(matrix[-1])
                if progress is not None:
                    progress(done.embedded, total)
            manifest = self._index().manifest
            parts, number = list(manifest.parts), manifest.number + 1
            vectors = Vectors.of(self._embedder.name, np.concatenate(matrix))
            file = files.put(self._folder, f"{number:08d}.vectors", vectors)
            parts[place] = msgspec.structs.replace(parts[place], vectors=file)
            self._count(msgspec.structs.replace(manifest, parts=tuple(parts), number=number))


def _remove(path: Path) -> None:
    """Remove whatever stands at a path: people leave files and folders where none should be."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _indexed_paths(index: Index) -> set[str]:
    """Files of the lake of which texts are indexed, those that are not whole too."""
    held = {path for part in index.parts for path in part.segment.meta["source"]}
    return held | index.manifest.sources.keys()


def _batches(found: Iterable[Source]) -> Iterator[list[Source]]:
    """Some files at a time: a segment's worth of rows, or one file."""
    batch, rows = [], 0
    for source in found:
        if batch and rows + source.size > AT_ONCE:
            yield batch
            batch, rows = [], 0
        batch.append(source)
        rows += source.size
    if batch:
        yield batch
