"""The tables of what synthesis made of a campaign's facts, and of its decisions: folds, written where they changed.

One file a table, of decisions one for each block of 10,000 numbers. Files first; the transaction that makes them count
says what they were made from. Before the first file is replaced, control's record says that the tables are stale, so
after a kill in between the next refresh completes them. The bytes depend on base facts and decisions alone.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from sqlalchemy import ColumnElement, Connection, delete, or_, select

from thermite_pipelines.atoms.session_store import mark_stale
from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.db import chunks, upsert
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.control.synthesis_models import Decision as Logged
from thermite_pipelines.knowledge.derived import DerivedReader, derived_folder, derived_scope
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.synthesis_reading import SHOWN_TABLES, shown_state
from thermite_pipelines.synthesis import decision_log
from thermite_pipelines.synthesis.fold import Folded
from thermite_pipelines.synthesis.state import base_content, read_folded
from thermite_pipelines.synthesis.synthesis_rows import FACT_TABLES, decision_rows, fact_rows
from thermite_pipelines.tables.derived import DECISIONS, DERIVED_TABLES
from thermite_pipelines.tables.parquet import arrange, rows_hash
from thermite_pipelines.tables.schemas import Table
from thermite_pipelines.times import now_micros

FORMAT = "1"
"""Begins every signature: raise it when the same facts and decisions give other rows, so that all are made anew."""
BLOCK = 10_000
"""Decision numbers a file: numbers count over all campaigns."""
TABLES: tuple[Table, ...] = (*FACT_TABLES, DECISIONS)
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class SynthesisNumbers:
    """What the tables of a campaign hold, for people who watch.

    Facts by type, syntheses by depth, those that hold and those taken back; decisions by verb, and how many of them do
    not apply any more. Hypotheses are `open`, `confirmed` by an observation, `refuted` by their rig, `promoted` (merged
    into a fact of another type) or `retracted` for another reason. `contents` has a short hash of each table.
    """

    facts: dict[str, int]
    facts_retracted: dict[str, int]
    syntheses: dict[int, int]
    syntheses_retracted: dict[int, int]
    methodologies: int
    methodologies_retracted: int
    hypotheses: dict[str, int]
    decisions: dict[str, int]
    stale: int
    contents: dict[str, str]


class SynthesisTables:
    """The tables `facts`, `syntheses`, `methodologies`, `hypotheses` and `decisions` of one campaign.

    The caller holds the lease `synthesis:<c>`.
    """

    def __init__(self, home: Home, campaign: str) -> None:
        self._home = home
        self.campaign = campaign
        self._files = LakeFiles(home.control, home.lake, derived_scope(campaign, DECISIONS.name))

    def refresh(self, *, anew: bool = False) -> bool:
        """Bring the tables to what base facts and decisions say now; whether any file changed. `anew` writes all.

        Raises `DamagedFile` where a file of base facts is not what was written.
        """
        with self._home.control.read() as connection:
            # The target first: what is decided in between makes the tables late again, and is not missed.
            target = tables_target(connection, self.campaign)
            known = _signatures(connection, self.campaign)
        damaged = self._damaged()
        if not anew and not damaged and all(known.get(table.name) == target for table in TABLES):
            return False
        made = self._made()
        with self._home.control.read() as connection:
            hashes = dict(connection.execute(select(LakeFile.path, LakeFile.rows_sha256).where(self._ours())).all())
        due = [path for path, rows in made.items() if anew or path in damaged or hashes.get(path) != rows_hash(rows[1])]
        gone = sorted(hashes.keys() - made.keys())
        if due or gone:
            self._write({path: made[path] for path in due}, gone)
        self._remove_strays()
        # What readers are shown of the tables is told beside them: they count and compare it without opening a file.
        shown = [shown_state(self.campaign, name, made[table_path(name, self.campaign)][1]) for name in SHOWN_TABLES]
        with self._home.control.write() as connection:
            upsert(connection, DerivedState, [self._state(connection, table, target) for table in TABLES] + shown)
        return bool(due or gone)

    def _made(self) -> dict[str, tuple[Table, pa.Table]]:
        """All files that there should be, by path."""
        folded = read_folded(self._home, self.campaign)
        log = self._log(folded)
        made = {
            table_path(name, self.campaign): (DERIVED_TABLES[name], arrange(DERIVED_TABLES[name], rows))
            for name, rows in fact_rows(folded, log).items()
        }
        blocks: dict[int, Rows] = {}
        for row in decision_rows(folded, log):
            blocks.setdefault(row["number"] // BLOCK, []).append(row)
        return made | {
            decision_path(self.campaign, block): (DECISIONS, arrange(DECISIONS, rows)) for block, rows in blocks.items()
        }

    def _log(self, folded: Folded) -> dict[int, dict[str, Any]]:
        """Who decided what: rows of the log by number, without what the decisions themselves hold."""
        last = max((one.number for one in (*folded.applied, *(stale.decision for stale in folded.stale))), default=0)
        names = ("session", "item", "answered_by", "model", "prompt_version", "cache_key", "decided_at")
        columns = [getattr(Logged, name) for name in names]
        query = select(Logged.decision, *columns).where(Logged.campaign == self.campaign, Logged.decision <= last)
        with self._home.control.read() as connection:
            return {row.decision: dict(row._mapping) for row in connection.execute(query)}

    def _write(self, files: dict[str, tuple[Table, pa.Table]], gone: list[str]) -> None:
        with self._home.control.write() as connection:
            for table in TABLES:
                mark_stale(connection, self.campaign, table.name)
        for path, (table, rows) in files.items():
            self._files.stage(path, table, rows)
        self._files.publish()
        with self._home.control.write() as connection:
            self._files.confirm(connection)
            for paths in chunks(gone):
                connection.execute(delete(LakeFile).where(LakeFile.path.in_(paths)))

    def _damaged(self) -> set[str]:
        """Paths of files that are not what was written, or were never confirmed."""
        with self._home.control.read() as connection:
            query = select(LakeFile.path).where(LakeFile.next_sha256.is_not(None), self._ours())
            torn = set(connection.execute(query).scalars())
        folders = tuple(self._folders())
        return torn | {path for path in self._files.damaged() if path.startswith(folders)}

    def _state(self, connection: Connection, table: Table, target: str) -> dict[str, Any]:
        query = select(LakeFile.path, LakeFile.rows, LakeFile.rows_sha256).order_by(LakeFile.path)
        folder = f"{derived_folder(table.name, self.campaign)}/"
        files = list(connection.execute(query.where(LakeFile.path.startswith(folder, autoescape=True))))
        content = hashlib.sha256("\n".join(f"{row.path} {row.rows_sha256}" for row in files if row.rows).encode())
        return {
            "campaign": self.campaign,
            "name": table.name,
            "signature": target,
            "content": content.hexdigest(),
            "rows": sum(row.rows for row in files),
            "days": [],
            "changed_at": now_micros(),
        }

    def _remove_strays(self) -> None:
        """Remove what nothing vouches for, before the tables count as done."""
        with self._home.control.read() as connection:
            known = set(connection.execute(select(LakeFile.path).where(self._ours())).scalars())
        for folder in self._folders():
            self._home.lake.sweep(folder)
            for entry in self._home.lake.list(folder):
                if entry.path not in known:
                    self._home.lake.delete(entry.path)

    def _folders(self) -> list[str]:
        return [f"{derived_folder(table.name, self.campaign)}/" for table in TABLES]

    def _ours(self) -> ColumnElement[bool]:
        return or_(*(LakeFile.path.startswith(folder, autoescape=True) for folder in self._folders()))


def table_path(name: str, campaign: str) -> str:
    """Where the one file of a table of facts lies in the lake."""
    return f"{derived_folder(name, campaign)}/{name}.parquet"


def decision_path(campaign: str, block: int) -> str:
    """Where a block of a campaign's decisions lies in the lake."""
    return f"{derived_folder(DECISIONS.name, campaign)}/{block:06d}.parquet"


def tables_target(connection: Connection, campaign: str) -> str:
    """What the tables of a campaign should be made from: its base facts, and its decisions up to the newest."""
    return f"{FORMAT}:{base_content(connection, campaign) or 'none'}:{decision_log.newest(connection, campaign)}"


def tables_are_behind(connection: Connection, campaign: str) -> bool:
    """Whether a refresh has something to do, by control's record alone."""
    target, known = tables_target(connection, campaign), _signatures(connection, campaign)
    return any(known.get(table.name) != target for table in TABLES)


def _signatures(connection: Connection, campaign: str) -> dict[str, str]:
    names = [table.name for table in TABLES]
    query = select(DerivedState.name, DerivedState.signature).where(DerivedState.name.in_(names))
    return {row.name: row.signature for row in connection.execute(query.where(DerivedState.campaign == campaign))}


def synthesis_numbers(home: Home, campaign: str) -> SynthesisNumbers:
    """The numbers of a campaign's tables as they were last written. Raises `DamagedFile`."""
    reader = DerivedReader(home)
    columns = ["fact", "type", "depth", "retracted_by", "superseded_by"]
    rows: dict[str, Rows] = {}
    for table in FACT_TABLES:
        more = [name for name in ("retracted_as",) if name in table.column_names]
        rows[table.name] = reader.rows(campaign, table.name, [*columns, *more])
    decisions = reader.rows(campaign, DECISIONS.name, ["verb", "applies"])
    names = [table.name for table in TABLES]
    query = select(DerivedState.name, DerivedState.content).where(DerivedState.name.in_(names))
    with home.control.read() as connection:
        contents = connection.execute(query.where(DerivedState.campaign == campaign)).all()
    types = {row["fact"]: row["type"] for table in rows.values() for row in table}
    methodologies = Counter(_is_live(row) for row in rows["methodologies"])
    states = Counter(_state_of(row, types) for row in rows["hypotheses"])
    return SynthesisNumbers(
        facts=_counted(row["type"] for row in rows["facts"] if _is_live(row)),
        facts_retracted=_counted(row["type"] for row in rows["facts"] if not _is_live(row)),
        syntheses=_by_depth(row for row in rows["syntheses"] if _is_live(row)),
        syntheses_retracted=_by_depth(row for row in rows["syntheses"] if not _is_live(row)),
        methodologies=methodologies[True],
        methodologies_retracted=methodologies[False],
        hypotheses={name: states[name] for name in ("open", "confirmed", "refuted", "promoted", "retracted")},
        decisions=_counted(row["verb"] for row in decisions),
        stale=sum(not row["applies"] for row in decisions),
        contents={row.name: (row.content or "none")[:16] for row in sorted(contents)},
    )


def _is_live(row: dict[str, Any]) -> bool:
    return row["retracted_by"] is None and row["superseded_by"] is None


def _state_of(row: dict[str, Any], types: dict[str, str]) -> str:
    """What became of a hypothesis, in the words in which reflect is told of it."""
    if _is_live(row):
        return "open"
    if row["retracted_as"] is not None:
        return row["retracted_as"]
    other = types.get(row["superseded_by"] or "", "hypothesis")
    return {"hypothesis": "retracted", "observation": "confirmed"}.get(other, "promoted")


def _counted(names: Iterable[str]) -> dict[str, int]:
    """How often each is there, the most frequent first."""
    return dict(sorted(Counter(names).items(), key=lambda pair: (-pair[1], pair[0])))


def _by_depth(rows: Iterable[dict[str, Any]]) -> dict[int, int]:
    # A synthesis that no work item wrote has no depth of its own: it counts among the first.
    return dict(sorted(Counter(row["depth"] or 0 for row in rows).items()))
