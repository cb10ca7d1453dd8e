"""A folder as a question sees it: what is indexed, and beside it what is not, read from the lake there and then.

Which is which is told by control's record for each file: a text is taken from the index only where its file holds what
it held when it was indexed. So an index that is behind, damaged or gone makes a search slower, never wrong.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from thermite_pipelines.control.lake_files import DamagedFile
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.index.files import BrokenFile
from thermite_pipelines.knowledge.index.open_index import EMPTY, OpenPart, open_index
from thermite_pipelines.knowledge.index.segments import Segment, build
from thermite_pipelines.knowledge.index.texts import ATOM, Source, entries, read
from thermite_pipelines.knowledge.index.vectors import Vectors
from thermite_pipelines.knowledge.index_targets import index_folder

_KEPT_ROWS = 50_000
_lock = threading.Lock()
_kept: OrderedDict[tuple[str, ...], list[tuple[Segment, bool]]] = OrderedDict()


@dataclass(frozen=True)
class Piece:
    """Some texts of a folder; `counts` says which of them are there, None all. Atoms are in pieces of their own.

    `is_indexed`: they are in the index, not read past it.
    """

    campaign: str
    segment: Segment
    vectors: Vectors | None
    counts: NDArray[Any] | None
    atoms: bool
    is_indexed: bool = True

    @property
    def texts(self) -> int:
        """How many texts are there."""
        return self.segment.size if self.counts is None else int(self.counts.sum())

    def speaks(self, model: str) -> bool:
        """Whether its texts have vectors of a model."""
        return self.vectors is not None and self.vectors.meta["model"] == model

    def narrowed(self, counts: NDArray[Any]) -> "Piece":
        """The piece with only those of its texts that also count by another mask."""
        return replace(self, counts=counts if self.counts is None else self.counts & counts)


@dataclass(frozen=True)
class FolderView:
    """The pieces of a folder, and what could not be read."""

    pieces: list[Piece]
    notices: list[str]


def view(home: Home, campaign: str, now: Sequence[Source]) -> FolderView:
    """A folder by what control's record says of its files, read by the caller with its grants.

    Raises `DamagedFile` for a file of items that is to be read; others are told of.
    """
    notices: list[str] = []
    try:
        index = open_index(index_folder(home.settings, campaign))
    except BrokenFile as error:
        index = EMPTY
        notices.append(f"the search index of {campaign} is damaged ({error}): `thermite refresh` makes it anew")
    indexed = index.manifest.sources
    fresh = {source.path for source in now if source.content is not None and indexed.get(source.path) == source.content}
    pieces = [_indexed(campaign, part, fresh) for part in index.parts]
    behind = [source for source in now if source.path not in fresh]
    pieces += [Piece(campaign, segment, None, None, atoms, False) for segment, atoms in _read(home, behind, notices)]
    return FolderView(pieces, notices)


def _indexed(campaign: str, part: OpenPart, fresh: set[str]) -> Piece:
    segment = part.segment
    stale = set(segment.meta["source"]) - fresh
    counts = None if part.gone is None else part.kept
    if stale:
        counts = part.kept & ~segment.codes("source", *stale)
    return Piece(campaign, segment, part.vectors, counts, part.atoms)


def _read(home: Home, behind: Sequence[Source], notices: list[str]) -> list[tuple[Segment, bool]]:
    """Segments of what is not indexed, in memory; small ones are kept for the next question."""
    if not behind:
        return []
    key = (home.lake.address(""), *(f"{source.path} {source.content}" for source in behind))
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    known = len(notices)
    found = _segments(home, behind, notices)
    if len(notices) == known and all(source.content for source in behind):
        with _lock:
            _kept[key] = found
            while sum(segment.size for kept in _kept.values() for segment, _ in kept) > _KEPT_ROWS:
                _kept.popitem(last=False)
    return found


def _segments(home: Home, behind: Iterable[Source], notices: list[str]) -> list[tuple[Segment, bool]]:
    texts = {False: [], True: []}
    for source in behind:
        try:
            rows = read(home, source)
        except DamagedFile as error:
            if not source.is_optional:
                raise
            # Items are found whatever became of what was made of them.
            notices.append(str(error))
            continue
        texts[source.kind == ATOM] += entries(source, rows)
    return [(build(found), atoms) for atoms, found in texts.items() if found]
