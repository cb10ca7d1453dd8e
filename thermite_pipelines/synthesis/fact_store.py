"""The table `base_facts`: made from a campaign's own folder and its atoms, a file for each part.

Files first; the transaction that makes them count says what each was made from. Before the first file is replaced,
control's record says that the table is stale, so after a kill in between the next refresh completes it. The bytes
depend on the sources alone, not on the order in which they came or on how often the table was refreshed.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from sqlalchemy import ColumnElement, Connection, delete, select

from thermite_pipelines.atoms.session_store import mark_stale
from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.db import chunks, upsert
from thermite_pipelines.control.lake_files import DamagedFile, LakeFiles
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.knowledge.derived import DerivedReader, derived_folder, derived_scope
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.synthesis.base_facts import ID_DIGITS, BaseFact, base_fact_of, base_facts, ids_of, source_digest
from thermite_pipelines.synthesis.fact_parts import Part, Source, part_path, sources_of, unchanged, wanted_parts
from thermite_pipelines.synthesis.fact_targets import fact_lags
from thermite_pipelines.synthesis.tags import markers
from thermite_pipelines.tables.derived import BASE_FACTS
from thermite_pipelines.tables.lake import LakeMissing
from thermite_pipelines.tables.parquet import arrange, decode
from thermite_pipelines.times import now_micros

Progress = Callable[[int, int], None]

_FLUSH_ROWS = 50_000
_PART_PREFIX = f"{BASE_FACTS.name}/"


@dataclass(frozen=True)
class FactsWritten:
    """What a refresh did: parts made anew, and facts that were made rather than kept."""

    parts: int = 0
    made: int = 0
    removed: int = 0


@dataclass(frozen=True)
class FactNumbers:
    """Base facts of a campaign by type, those that no longer hold among them; `content` is a hash of all of them."""

    facts: int
    types: dict[str, int]
    retracted: dict[str, int]
    superseded: int
    pragmatic: int
    content: str


class _Shared(Exception):
    """Sources of the campaign share the first digits of their hashes: ids must be looked at together."""


class FactTable:
    """The base facts of one campaign. The caller holds the lease `synthesis:<c>`."""

    def __init__(self, home: Home, campaign: str) -> None:
        self._home = home
        self.campaign = campaign
        self._files = LakeFiles(home.control, home.lake, derived_scope(campaign, BASE_FACTS.name))

    def refresh(self, *, anew: bool = False, progress: Progress | None = None) -> FactsWritten:
        """Bring the table to what the folder and the atoms say now; `anew` makes all of it from its sources.

        Raises `DamagedFile` where a file of the folder or of the atoms is not what was written.
        """
        with self._home.control.read() as connection:
            # The target first: what comes in between makes the table late again, and is not missed.
            target = fact_lags(connection, self.campaign)[self.campaign].target
            wanted = wanted_parts(connection, self.campaign)
            known = self._signatures(connection)
        damaged = self._damaged()
        due = {
            name: part for name, part in wanted.items() if anew or name in damaged or known.get(name) != part.signature
        }
        gone = sorted(known.keys() - wanted.keys() - {""})
        if not due and not gone and known.get("") == target:
            return FactsWritten()
        with self._home.control.write() as connection:
            mark_stale(connection, self.campaign, BASE_FACTS.name)
        try:
            others = [part for name, part in wanted.items() if name not in due]
            made = self._write(list(due.values()), others, anew, None, progress)
        except _Shared:
            self._files.discard()
            due = wanted
            made = self._write(list(due.values()), [], True, self._all_ids(due.values()), progress)
        self._finish(target, gone)
        return FactsWritten(len(due), made, len(gone))

    def _signatures(self, connection: Connection) -> dict[str, str]:
        """What each part was made from, by name; of the whole table under the empty name."""
        query = select(DerivedState.name, DerivedState.signature).where(DerivedState.campaign == self.campaign)
        rows = connection.execute(query.where(DerivedState.name.startswith(BASE_FACTS.name, autoescape=True)))
        return {row.name.removeprefix(BASE_FACTS.name).removeprefix("/"): row.signature for row in rows}

    def _damaged(self) -> set[str]:
        """Names of parts whose files are not what was written, or were never confirmed."""
        with self._home.control.read() as connection:
            query = select(LakeFile.path).where(LakeFile.next_sha256.is_not(None))
            torn = set(connection.execute(query.where(self._ours())).scalars())
        paths = torn | set(self._files.damaged())
        return {path.rpartition("/")[2].removesuffix(".parquet") for path in paths}

    def _state(self, name: str, signature: str, content: str, rows: int) -> dict[str, Any]:
        return {
            "campaign": self.campaign,
            "name": f"{_PART_PREFIX}{name}" if name else BASE_FACTS.name,
            "signature": signature,
            "content": content,
            "rows": rows,
            "days": [],
            "changed_at": now_micros(),
        }

    def _write(
        self, due: list[Part], others: list[Part], anew: bool, ids: dict[str, str] | None, progress: Progress | None
    ) -> int:
        """Make the parts that are due; return how many facts were made."""
        seen = set[str]() if ids is not None else self._seen(others)
        made = 0
        batch: list[tuple[Part, int]] = []
        for place, part in enumerate(due, 1):
            rows, fresh = self._facts(part, anew, ids)
            made += fresh
            if ids is None:
                _note(seen, rows["fact"].to_pylist())
            self._files.stage(part_path(self.campaign, part.name), BASE_FACTS, rows, part.run_key)
            batch.append((part, rows.num_rows))
            if sum(count for _, count in batch) > _FLUSH_ROWS or place == len(due):
                self._commit(batch)
                batch = []
            if progress is not None:
                progress(place, len(due))
        return made

    def _facts(self, part: Part, anew: bool, ids: dict[str, str] | None) -> tuple[pa.Table, int]:
        """All facts of a part, and how many of them were made now."""
        sources = sources_of(self._home, self.campaign, part)
        kept, known = self._stored(part, sources) if not anew else (None, set[str]())
        drafts = [draft for source in sources if source.id not in known for draft in source.drafts()]
        fresh = arrange(BASE_FACTS, [fact.row() for fact in base_facts(self.campaign, drafts, ids)])
        whole = fresh if kept is None else arrange(BASE_FACTS, pa.concat_tables([kept, fresh]))
        return whole, fresh.num_rows

    def _stored(self, part: Part, sources: list[Source]) -> tuple[pa.Table | None, set[str]]:
        try:
            stored = self._files.load(part_path(self.campaign, part.name), BASE_FACTS)
        except DamagedFile:
            return None, set()
        return (None, set()) if stored is None else unchanged(stored, sources)

    def _seen(self, parts: Iterable[Part]) -> set[str]:
        """The ids of all facts in some parts."""
        seen: set[str] = set()
        for part in parts:
            try:
                data = self._home.lake.get(part_path(self.campaign, part.name))
            except LakeMissing:
                continue  # a part without facts
            _note(seen, decode(data, ["fact"])["fact"].to_pylist())
        return seen

    def _all_ids(self, parts: Iterable[Part]) -> dict[str, str]:
        names = (
            draft.source
            for part in parts
            for source in sources_of(self._home, self.campaign, part)
            for draft in source.drafts()
        )
        return ids_of(self.campaign, names, source_digest)

    def _commit(self, batch: list[tuple[Part, int]]) -> None:
        self._files.publish()
        with self._home.control.write() as connection:
            self._files.confirm(connection)
            upsert(connection, DerivedState, [self._state(part.name, part.signature, "", n) for part, n in batch])

    def _finish(self, target: str, gone: list[str]) -> None:
        """Let go of parts that nothing gives any more, then say what the whole table was made from."""
        with self._home.control.write() as connection:
            for names in chunks(gone):
                paths = [part_path(self.campaign, name) for name in names]
                connection.execute(delete(LakeFile).where(LakeFile.path.in_(paths)))
                states = DerivedState.name.in_([f"{_PART_PREFIX}{name}" for name in names])
                connection.execute(delete(DerivedState).where(DerivedState.campaign == self.campaign, states))
        # Before the table counts as done: after a kill in between the next refresh does it again.
        self._remove_strays()
        with self._home.control.write() as connection:
            query = select(LakeFile.path, LakeFile.rows, LakeFile.rows_sha256)
            files = [row for row in connection.execute(query.where(self._ours()).order_by(LakeFile.path)) if row.rows]
            content = hashlib.sha256("\n".join(f"{row.path} {row.rows_sha256}" for row in files).encode())
            state = self._state("", target, content.hexdigest(), sum(row.rows for row in files))
            upsert(connection, DerivedState, [state])

    def _ours(self) -> ColumnElement[bool]:
        folder = derived_folder(BASE_FACTS.name, self.campaign)
        return LakeFile.path.startswith(f"{folder}/", autoescape=True)

    def _remove_strays(self) -> None:
        folder = derived_folder(BASE_FACTS.name, self.campaign)
        with self._home.control.read() as connection:
            known = set(connection.execute(select(LakeFile.path).where(self._ours())).scalars())
        self._home.lake.sweep(folder)
        for entry in self._home.lake.list(folder):
            if entry.path not in known:
                self._home.lake.delete(entry.path)


def _note(seen: set[str], facts: Iterable[str]) -> None:
    """Add ids of facts. Raises `_Shared` where one was there, or is a long one: it shares its first digits."""
    for fact in facts:
        if fact in seen or len(fact.rpartition("/")[2]) > ID_DIGITS:
            raise _Shared
        seen.add(fact)


def read_base_facts(home: Home, campaign: str) -> list[BaseFact]:
    """The base facts of a campaign by id, those that no longer hold too. Raises `DamagedFile`."""
    return [base_fact_of(row) for row in DerivedReader(home).rows(campaign, BASE_FACTS.name)]


def campaign_markers(home: Home, campaign: str) -> frozenset[str]:
    """What marks all facts of a campaign, in the form of tags: its name, and the kits of the runs in its folder."""
    kits = FolderReader(home.control, home.lake).table(campaign, "run")["kit"].to_pylist()
    return markers(campaign, kits)


def fact_numbers(home: Home, campaign: str) -> FactNumbers:
    """What a campaign's table holds, for people who watch: counts by type. Raises `DamagedFile`."""
    columns = ["type", "kind", "retracted_as", "superseded_by"]
    rows = DerivedReader(home).rows(campaign, BASE_FACTS.name, columns)
    same = (DerivedState.campaign == campaign) & (DerivedState.name == BASE_FACTS.name)
    with home.control.read() as connection:
        content = connection.execute(select(DerivedState.content).where(same)).scalar()
    return FactNumbers(
        facts=len(rows),
        types=dict(sorted(Counter(row["type"] for row in rows).items(), key=lambda pair: (-pair[1], pair[0]))),
        retracted=dict(sorted(Counter(row["retracted_as"] for row in rows if row["retracted_as"]).items())),
        superseded=sum(row["superseded_by"] is not None for row in rows),
        pragmatic=sum(row["kind"] == "pragmatic" for row in rows),
        content=(content or "none")[:16],
    )
