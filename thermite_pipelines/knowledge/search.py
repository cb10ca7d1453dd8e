"""Search: items, what was made of them, and atoms, by words and by meaning. `search` is the one way in.

Scores count the texts of the folders that the reader may read and no others, so what may not be read changes neither
order nor scores; filters take away from what is found and change no score. What the index holds is taken from there,
what it does not hold yet is read from the folders and found by its words.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.control.campaigns import require_campaign
from thermite_pipelines.errors import UsageError
from thermite_pipelines.knowledge import atom_reading
from thermite_pipelines.knowledge.atom_reading import Weights
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.index.files import BrokenFile
from thermite_pipelines.knowledge.index.folder_view import Piece
from thermite_pipelines.knowledge.index.open_index import found_broken
from thermite_pipelines.knowledge.index.scoring import Hit, Meaning, Question
from thermite_pipelines.knowledge.index.texts import ATOM
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.knowledge.meaning import meaning_of
from thermite_pipelines.knowledge.readable import Readable, Reader
from thermite_pipelines.knowledge.search_scope import Seen, rig_of, seen_by
from thermite_pipelines.knowledge.synthesis_reading import SYNTHESIS_KINDS
from thermite_pipelines.knowledge.words import Terms
from thermite_pipelines.times import format_rfc3339, now_micros

Row = dict[str, Any]

RESULT_KINDS = (*KINDS, *SYNTHESIS_KINDS)
"""Kinds of what stands in the first list; atoms have one of their own."""
SEARCH_KINDS = (*RESULT_KINDS, ATOM)
_SHOWN_WORDS = 8
_FILTERED = ("rig", "run", "written_by")


@dataclass(frozen=True)
class SearchQuery:
    """What is asked, and of what.

    `kinds` (of `SEARCH_KINDS`) and `folders` (campaigns): none means all. `since` and `until` are microseconds, both
    inclusive; an atom counts for its whole day. What synthesis made is of no rig and no run, was written by a model (or
    by `rules` or `agent`), and counts for the time at which it was decided. With `as_campaign` only what that campaign
    may read is seen; then `run` (with `rig` where several rigs have that run) is no filter: what that run's agents see
    is seen. `limit` holds for each of the two lists. `now` is the time that atoms' age is measured at (default: now).
    """

    words: str
    kinds: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    rig: str | None = None
    run: str | None = None
    by: str | None = None
    since: int | None = None
    until: int | None = None
    as_campaign: str | None = None
    limit: int | None = None
    now: int | None = None


@dataclass(frozen=True)
class SearchResults:
    """Items with what was made of them, and atoms, best first: in the form that `thermite search --json` prints."""

    results: list[Row]
    atoms: list[Row]
    notices: tuple[str, ...] = ()
    """What a person should know of what could not be searched: one line each."""
    unindexed: int = 0
    """How many texts the index does not hold as they are now: they are found by their words alone."""


_NOT_SYNCED = "what this run may read was not gathered yet: ask again in some minutes"


def search(home: Home, query: SearchQuery) -> SearchResults:
    """What matches the words or is near in meaning, best first; ties by id.

    Raises `UsageError` for words without a letter or digit and for an unknown kind, `ThermiteError` for a campaign, rig
    or run that control does not know.
    """
    if query.as_campaign is not None and query.run is not None:
        rig = rig_of(home, query.as_campaign, query.run, query.rig)
        return search_for_run(home, rig, query.run, replace(query, rig=None, run=None))
    return _search(home, query, Reader.owner() if query.as_campaign is None else Reader.of(query.as_campaign), None)


def search_for_run(home: Home, rig: str, run: str, query: SearchQuery) -> SearchResults:
    """What a run's agents find: in what the manifest of its sync lists and its own sources, as if nothing else existed.

    `rig` and `run` of the query are filters here; its `as_campaign` is not looked at: a run reads for its campaign.
    Raises what `search` does, and `ThermiteError` where control assigned the rig no such run or its manifest can't be
    read.
    """
    seen = seen_by(home, rig, run)
    return _search(home, replace(query, as_campaign=seen.campaign), Reader.of(seen.campaign), seen)


def _search(home: Home, query: SearchQuery, reader: Reader, seen: Seen | None) -> SearchResults:
    while True:
        try:
            return _searched(home, query, reader, seen)
        except BrokenFile as error:
            # Of an index no more is read than is used: damage shows here, and the folder is read instead.
            if not found_broken(error):
                raise


def _searched(home: Home, query: SearchQuery, reader: Reader, seen: Seen | None) -> SearchResults:
    terms = Terms(query.words)
    if not terms:
        raise UsageError("there is no word to search for", do="give a word with a letter or a digit")
    unknown = [kind for kind in query.kinds if kind not in SEARCH_KINDS]
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no kind", do=f"use one of: {', '.join(SEARCH_KINDS)}")
    scope = _scope(home, query, reader)
    kinds = query.kinds or SEARCH_KINDS
    views = scope.readable.views(home)
    notices = [notice for view in views for notice in view.notices]
    pieces = [piece for view in views for piece in view.pieces]
    if seen is not None:
        notices += [] if seen.is_synced else [_NOT_SYNCED]
        pieces = [piece.narrowed(seen.texts(piece)) for piece in pieces]
    meaning, notice = meaning_of(home, query.words, pieces)
    finder = _Finder(home, query, terms, scope, meaning)
    items = finder.items([piece for piece in pieces if not piece.atoms]) if any(kind != ATOM for kind in kinds) else []
    atoms = finder.atoms([piece for piece in pieces if piece.atoms]) if ATOM in kinds else []
    notices += [notice] if notice else []
    unindexed = sum(piece.texts for piece in pieces if not piece.is_indexed)
    return SearchResults(items, atoms, tuple(notices), unindexed)


class _Scope(NamedTuple):
    """What may be read, the folders of it that are wanted, and the columns that must have certain values."""

    readable: Readable
    folders: frozenset[str]
    filters: dict[str, str]


def _scope(home: Home, query: SearchQuery, reader: Reader) -> _Scope:
    with home.control.read() as connection:
        for name in query.folders:
            require_campaign(connection, name)
    readable = Readable.with_files(home, reader)
    wanted = frozenset(readable.only(query.folders) if query.folders else readable.folders)
    filters = zip(_FILTERED, (query.rig, query.run, query.by), strict=True)
    return _Scope(readable, wanted, {name: value for name, value in filters if value is not None})


class _Finder:
    """One question, and the form in which what was found is shown."""

    def __init__(self, home: Home, query: SearchQuery, terms: Terms, scope: _Scope, meaning: Meaning | None) -> None:
        self._query = query
        self._terms = terms
        self._scope = scope
        self._meaning = meaning
        self._now = query.now or now_micros()
        self._weights = Weights.of(home.settings)

    def items(self, pieces: Sequence[Piece]) -> list[Row]:
        """The items that matched, and what synthesis made of items, best first."""
        hits = self._hits(pieces, self._query.limit)
        return [self._item(hit) for hit in hits]

    def atoms(self, pieces: Sequence[Piece]) -> list[Row]:
        """The atoms that matched, best first by their weighted scores."""
        # Weights change the order, and are of few values: some more are looked at than are shown.
        limit = None if self._query.limit is None else 10 * self._query.limit + 100
        found = []
        for hit in self._hits(pieces, limit):
            row = hit.piece.segment.row(hit.place) | {"campaign": hit.piece.campaign}
            score = hit.score * self._weights.weight(row, self._query.as_campaign)
            if score >= self._weights.threshold:
                found.append((score, hit, row))
        found.sort(key=lambda one: (-one[0], one[1].id))
        return [self._atom(*one) for one in found[: self._query.limit]]

    def _hits(self, pieces: Sequence[Piece], limit: int | None) -> list[Hit]:
        return Question(pieces, self._terms.terms, self._meaning).hits(self._wanted, limit)

    def _wanted(self, piece: Piece) -> NDArray[np.bool_] | None:
        """Which texts of a piece the filters leave; None: all."""
        query, segment = self._query, piece.segment
        if piece.campaign not in self._scope.folders:
            return np.zeros(segment.size, bool)
        masks = [segment.codes(name, value) for name, value in self._scope.filters.items()]
        if query.kinds:
            masks.append(segment.codes("kind", *query.kinds))
        if query.since is not None:
            masks.append(segment.arrays["last"] >= query.since)
        if query.until is not None:
            masks.append(segment.arrays["first"] <= query.until)
        return np.logical_and.reduce(masks) if masks else None

    def _item(self, hit: Hit) -> Row:
        row = hit.piece.segment.row(hit.place)
        return {
            "item": hit.id,
            "campaign": hit.piece.campaign,
            "rig": row["rig"],
            "run": row["run"],
            "kind": hit.piece.segment.meta["kind"][hit.piece.segment.arrays["kind"][hit.place]],
            "written_by": row["written_by"],
            "created_at": format_rfc3339(row["created_at"]),
            "score": hit.score,
            "title": row["title"],
            "text": row["text"],
            "why": _why(hit),
        }

    def _atom(self, score: float, hit: Hit, atom: Row) -> Row:
        document = {name: atom[name] for name in ("atom", "type", "statement", "verbatim_quote", "conditions")}
        document |= {
            "established": atom["established"],
            "confidence": atom_reading.confidence(atom, self._now),
            "score": score,
            "campaign": hit.piece.campaign,
            "is_dated": atom_reading.is_dated(atom, self._now),
            "written_by": atom_reading.written_by(atom),
            "quote_checked": bool(atom["quote_checked"]),
            "domain": list(atom["domain"] or ()),
        }
        more = ("wrong_assumption", "why_confused", "source", "session", "message", "sessions", "rig", "run")
        document |= {name: atom[name] for name in (*more, "supersedes", "members")}
        return document | {"why": _why(hit), "instinct": atom_reading.instinct(atom)}


def _why(hit: Hit) -> str:
    """The words of the question that a result holds, and whether its meaning is near."""
    words = hit.words
    more = f" and {len(words) - _SHOWN_WORDS} more" if len(words) > _SHOWN_WORDS else ""
    parts = [f"words: {', '.join(words[:_SHOWN_WORDS])}{more}"] if words else []
    return "; ".join([*parts, *(["near in meaning"] if hit.is_near else [])])
