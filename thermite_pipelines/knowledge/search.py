"""Search: items, what was made of them, and atoms, by words. `search` is the one way in, whatever finds and scores.

Scores count the texts of the folders that the reader may read and no others, so what may not be read changes neither
order nor scores; filters take away from what is found and change no score. Every file is read for every question:
simple, and quick enough for tens of thousands of items.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from thermite_pipelines.control.campaigns import campaign_names, readable_by, require_campaign
from thermite_pipelines.control.lake_files import DamagedFile
from thermite_pipelines.errors import UsageError
from thermite_pipelines.knowledge import atom_reading, synthesis_reading
from thermite_pipelines.knowledge.atom_reading import Weights
from thermite_pipelines.knowledge.derived import DerivedReader
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.search_scope import run_sees
from thermite_pipelines.knowledge.synthesis_reading import SYNTHESIS_KINDS
from thermite_pipelines.knowledge.words import Corpus, Terms
from thermite_pipelines.tables.compute import pc
from thermite_pipelines.tables.parquet import to_rows
from thermite_pipelines.times import format_rfc3339, now_micros

Row = dict[str, Any]

ATOM = "atom"
RESULT_KINDS = (*KINDS, *SYNTHESIS_KINDS)
"""Kinds of what stands in the first list; atoms have one of their own."""
SEARCH_KINDS = (*RESULT_KINDS, ATOM)
_DAY = 24 * 3600 * 1_000_000
_SHOWN_WORDS = 8
_SLICE = 2_000
_COLUMNS = ["item", "rig", "run", "written_by", "created_at"]

# pyarrow makes its compute functions when it is imported, where no type checker sees them.
_compute: Any = pc


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


class _Hit(NamedTuple):
    """A text that matched and is wanted."""

    id: str
    campaign: str
    kind: str
    length: int
    counts: tuple[int, ...]
    row: Row


def search(home: Home, query: SearchQuery) -> SearchResults:
    """What matches the words, best first; ties by id.

    Raises `UsageError` for words without a letter or digit and for an unknown kind, `ThermiteError` for a campaign, rig
    or run that control does not know.
    """
    terms = Terms(query.words)
    if not terms:
        raise UsageError("there is no word to search for", do="give a word with a letter or a digit")
    unknown = [kind for kind in query.kinds if kind not in SEARCH_KINDS]
    if unknown:
        raise UsageError(f"{unknown[0]!r} is no kind", do=f"use one of: {', '.join(SEARCH_KINDS)}")
    scope = _scope(home, query)
    kinds = query.kinds or SEARCH_KINDS
    finder = _Finder(home, query, terms, scope)
    items = finder.items() if any(kind != ATOM for kind in kinds) else []
    atoms = finder.atoms() if ATOM in kinds else []
    return SearchResults(items, atoms, tuple(finder.notices))


class _Scope(NamedTuple):
    """The campaigns whose texts may be read, and the ids alone that are seen where a run's agents ask."""

    campaigns: list[str]
    ids: frozenset[str] | None
    filters: dict[str, str]
    """Columns that must have these values."""


def _scope(home: Home, query: SearchQuery) -> _Scope:
    filters = {"rig": query.rig, "run": query.run, "written_by": query.by}
    ids = None
    with home.control.read() as connection:
        for name in query.folders:
            require_campaign(connection, name)
        if query.as_campaign is None:
            campaigns = campaign_names(connection)
        else:
            require_campaign(connection, query.as_campaign)
            campaigns = readable_by(connection, query.as_campaign)
    if query.as_campaign is not None and query.run is not None:
        ids = run_sees(home, query.as_campaign, query.run, query.rig)
        filters |= {"rig": None, "run": None}
    return _Scope(campaigns, ids, {name: value for name, value in filters.items() if value is not None})


class _Finder:
    """One question: texts are counted first, then the best of those that matched are scored and read."""

    def __init__(self, home: Home, query: SearchQuery, terms: Terms, scope: _Scope) -> None:
        self._query = query
        self._terms = terms
        self._scope = scope
        self.notices: list[str] = []
        self._now = query.now or now_micros()
        self._weights = Weights.of(home.settings)
        self._folders = FolderReader(home.control, home.lake)
        self._derived = DerivedReader(home)
        self._folder_names = frozenset(query.folders or scope.campaigns)

    def items(self) -> list[Row]:
        """The items that matched, and what synthesis made of items, best first."""
        corpus = Corpus(len(self._terms.terms))
        hits: list[_Hit] = []
        wanted = frozenset(self._query.kinds or RESULT_KINDS)
        for campaign in self._scope.campaigns:
            for kind, table in self._folders.files(campaign):
                places, numbers = self._count(table, ("title", "text"), corpus)
                if places and kind in wanted and campaign in self._folder_names:
                    rows = to_rows(table.select(_COLUMNS).take(places))
                    hits += (
                        _Hit(row["item"], campaign, kind, *found, row)
                        for row, found in zip(rows, numbers, strict=True)
                        if self._is_wanted(row["item"], row, row["created_at"], row["created_at"])
                    )
            for kind in SYNTHESIS_KINDS:
                found_of_kind = self._made(campaign, kind, corpus)
                if kind in wanted and campaign in self._folder_names:
                    hits += found_of_kind
        ranked = self._ranked((corpus.score(hit.length, hit.counts), hit) for hit in hits)
        texts = self._texts([hit for _, hit in ranked])
        return [self._item(score, hit, texts[hit.id]) for score, hit in ranked if hit.id in texts]

    def _made(self, campaign: str, kind: str, corpus: Corpus) -> list[_Hit]:
        """What synthesis made of a kind and matched and is wanted; what was taken back is neither found nor counted."""
        table = SYNTHESIS_KINDS[kind]
        try:
            rows = to_rows(synthesis_reading.shown(table, self._derived.table(campaign, table)))
        except DamagedFile as error:
            # Items are found whatever became of what was made of them.
            self.notices.append(str(error))
            return []
        texts = [{"title": row["title"], "text": synthesis_reading.whole_text(row)} for row in rows]
        schema = pa.schema([("title", pa.large_string()), ("text", pa.large_string())])
        places, numbers = self._count(pa.Table.from_pylist(texts, schema), ("title", "text"), corpus)
        hits = []
        for place, found in zip(places, numbers, strict=True):
            row, decided_at = rows[place], rows[place]["decided_at"]
            shown = dict.fromkeys(("rig", "run")) | {"item": row["fact"], "created_at": decided_at} | texts[place]
            shown |= {"written_by": synthesis_reading.written_by(row)}
            if self._is_wanted(row["fact"], shown, decided_at, decided_at):
                hits.append(_Hit(row["fact"], campaign, kind, *found, shown))
        return hits

    def atoms(self) -> list[Row]:
        """The atoms that matched, best first, superseded ones left out."""
        corpus = Corpus(len(self._terms.terms))
        hits: list[_Hit] = []
        for campaign in self._scope.campaigns:
            try:
                table = self._derived.table(campaign, "atoms")
            except DamagedFile as error:
                # Items are found whatever became of the atoms.
                self.notices.append(str(error))
                continue
            newest = table.filter(_compute.is_null(table["superseded_by"]))
            places, numbers = self._count(newest, ("statement", "verbatim_quote"), corpus)
            if places and campaign in self._folder_names:
                rows = [row | {"campaign": campaign} for row in to_rows(newest.take(places))]
                hits += (
                    _Hit(row["atom"], campaign, ATOM, *found, row)
                    for row, found in zip(rows, numbers, strict=True)
                    if self._is_wanted_atom(row)
                )
        scored = ((self._atom_score(corpus, hit), hit) for hit in hits)
        return [
            self._atom(score, hit)
            for score, hit in self._ranked(pair for pair in scored if pair[0] >= self._weights.threshold)
        ]

    def _atom_score(self, corpus: Corpus, hit: _Hit) -> float:
        return corpus.score(hit.length, hit.counts) * self._weights.weight(hit.row, self._query.as_campaign)

    def _count(
        self, table: pa.Table, texts: Sequence[str], corpus: Corpus
    ) -> tuple[list[int], list[tuple[int, tuple[int, ...]]]]:
        """Count every text into the corpus; the places of the rows that matched, with their numbers."""
        places: list[int] = []
        numbers: list[tuple[int, tuple[int, ...]]] = []
        for start in range(0, table.num_rows, _SLICE):
            columns = [table[name].slice(start, _SLICE).to_pylist() for name in texts]
            for place, parts in enumerate(zip(*columns, strict=True), start):
                length, counts = self._terms.count("\n".join(part for part in parts if part))
                corpus.add(length, counts)
                if counts is not None:
                    places.append(place)
                    numbers.append((length, counts))
        return places, numbers

    def _is_wanted(self, id: str, row: Row, first: int, last: int) -> bool:
        since, until = self._query.since, self._query.until
        return (
            (since is None or last >= since)
            and (until is None or first <= until)
            and (self._scope.ids is None or id in self._scope.ids)
            and all(row[name] == value for name, value in self._scope.filters.items())
        )

    def _is_wanted_atom(self, atom: Row) -> bool:
        first = atom_reading.day_start(atom["established"])
        row = atom | {"written_by": atom_reading.written_by(atom)}
        return self._is_wanted(atom["atom"], row, first, first + _DAY - 1)

    def _ranked(self, scored: Iterable[tuple[float, _Hit]]) -> list[tuple[float, _Hit]]:
        return sorted(scored, key=lambda pair: (-pair[0], pair[1].id))[: self._query.limit]

    def _texts(self, hits: Sequence[_Hit]) -> dict[str, Row]:
        """Title and text of what is shown, by id: of items read now."""
        made = {hit.id: hit.row for hit in hits if hit.kind in SYNTHESIS_KINDS}
        ids = {hit.id for hit in hits} - made.keys()
        runs: dict[tuple[str, str], set[str]] = defaultdict(set)
        for hit in hits:
            if hit.id in ids:
                runs[hit.campaign, hit.kind].add(hit.row["run"])
        return made | {
            row["item"]: row
            for (campaign, kind), names in sorted(runs.items())
            for _, table in self._folders.files(campaign, [kind], names)
            for row in _of_ids(table, ids)
        }

    def _item(self, score: float, hit: _Hit, texts: Row) -> Row:
        row = hit.row
        return {
            "item": hit.id,
            "campaign": hit.campaign,
            "rig": row["rig"],
            "run": row["run"],
            "kind": hit.kind,
            "written_by": row["written_by"],
            "created_at": format_rfc3339(row["created_at"]),
            "score": score,
            "title": texts["title"],
            "text": texts["text"],
            "why": self._why(hit),
        }

    def _atom(self, score: float, hit: _Hit) -> Row:
        atom = hit.row
        document = {name: atom[name] for name in ("atom", "type", "statement", "verbatim_quote", "conditions")}
        document |= {
            "established": atom["established"],
            "confidence": atom_reading.confidence(atom, self._now),
            "score": score,
            "campaign": hit.campaign,
            "is_dated": atom_reading.is_dated(atom, self._now),
            "written_by": atom_reading.written_by(atom),
            "quote_checked": bool(atom["quote_checked"]),
            "domain": list(atom["domain"] or ()),
        }
        more = ("wrong_assumption", "why_confused", "source", "session", "message", "sessions", "rig", "run")
        document |= {name: atom[name] for name in (*more, "supersedes", "members")}
        return document | {"why": self._why(hit), "instinct": atom_reading.instinct(atom)}

    def _why(self, hit: _Hit) -> str:
        words = self._terms.matched(hit.counts)
        more = f" and {len(words) - _SHOWN_WORDS} more" if len(words) > _SHOWN_WORDS else ""
        return f"words: {', '.join(words[:_SHOWN_WORDS])}{more}"


def _of_ids(table: pa.Table, ids: set[str]) -> Iterator[Row]:
    items = table["item"].to_pylist()
    places = [place for place, item in enumerate(items) if item in ids]
    if places:
        yield from to_rows(table.select(["item", "title", "text"]).take(places))
