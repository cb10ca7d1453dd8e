"""Lists that people and programs ask for: events, folders and items, as plain values with RFC 3339 times."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import msgspec
import pyarrow as pa
from sqlalchemy import select

from thermite_pipelines.control.campaigns import require_campaign
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import Assignment, Grant, LakeFile
from thermite_pipelines.control.rigs import rig_names
from thermite_pipelines.knowledge.catalog import counts_by_kind
from thermite_pipelines.knowledge.help_reading import blocked_on, help_requests
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.knowledge.readable import Readable, Reader
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.state import campaign_lags, unplaced_runs
from thermite_pipelines.tables.compute import pc
from thermite_pipelines.tables.parquet import to_rows
from thermite_pipelines.tables.schemas import EVENT_TABLES, ITEM_TABLES
from thermite_pipelines.times import format_rfc3339

Row = dict[str, Any]

# pyarrow makes its compute functions when it is imported, where no type checker sees them.
_compute: Any = pc
_decode = msgspec.json.Decoder().decode
_SLICE = 2_000
_time = lru_cache(4096)(format_rfc3339)


def event_rows(home: Home, table: str, rig: str | None = None, run: str | None = None) -> Iterator[Row]:
    """Events of one of the three event tables, by rig, ledger and number; `reason` and `detail`: of rejected ones."""
    with home.control.read() as connection:
        names = rig_names(connection) if rig is None else [rig]
    for name in names:
        files = LakeFiles(home.control, home.lake, f"rig:{name}")
        for path in _event_paths(home, table, name):
            rows = files.load(path, EVENT_TABLES[table])
            if rows is not None:
                yield from _events(name, rows, run)


def _event_paths(home: Home, table: str, rig: str) -> list[str]:
    """The files of a rig's event table, by ledger and block."""
    with home.control.read() as connection:
        query = select(LakeFile.path).where(LakeFile.path.like(f"{table}/rig={rig}/%"), LakeFile.rows > 0)
        paths = list(connection.execute(query).scalars())
    return sorted(paths, key=lambda path: path.rsplit("-", 1))


def _events(rig: str, rows: pa.Table, run: str | None) -> Iterator[Row]:
    if run is not None:
        rows = rows.filter(_compute.equal(rows["run"], run))
    for row in _rows(rows):
        yield {
            "rig": rig,
            "ledger": row["ledger"],
            "seq": row["seq"],
            "n": row["n"],
            "id": row["id"],
            "occurred_at": _time(row["occurred_at"]),
            "run": row["run"],
            "type": row["type"],
            "written_by": row["written_by"],
            "data": _decode(row["data"]),
            "reason": row.get("reason"),
            "detail": row.get("detail"),
        }


def item_rows(
    home: Home,
    reader: Reader,
    campaign: str | None = None,
    kinds: Iterable[str] | None = None,
    run: str | None = None,
) -> Iterator[Row]:
    """Items with every column of their kind, `campaign` and `kind`, by campaign, kind, time and id.

    One kind of one folder is in memory at a time. Raises `ThermiteError` for an unknown campaign, `NotReadable` for one
    whose folder the reader may not read.
    """
    names = _folders(home, reader, campaign)
    wanted = frozenset(KINDS if kinds is None else kinds)
    return _items(FolderReader(home.control, home.lake), names, [kind for kind in KINDS if kind in wanted], run)


def _items(reader: FolderReader, campaigns: Iterable[str], kinds: list[str], run: str | None) -> Iterator[Row]:
    for campaign in campaigns:
        for kind in kinds:
            rows = reader.table(campaign, kind)
            if run is not None:
                rows = rows.filter(_compute.equal(rows["run"], run))
            rows = rows.sort_by([("created_at", "ascending"), ("item", "ascending")])
            times = [column.name for column in ITEM_TABLES[kind].columns if pa.types.is_timestamp(column.type)]
            for row in _rows(rows):
                for name in times:
                    row[name] = None if row[name] is None else _time(row[name])
                yield row | {"campaign": campaign, "kind": kind}


def _rows(table: pa.Table) -> Iterator[Row]:
    """Rows as dicts, a slice at a time: texts of a whole folder need not be Python strings at once."""
    for start in range(0, table.num_rows, _SLICE):
        yield from to_rows(table.slice(start, _SLICE))


def _folders(home: Home, reader: Reader, campaign: str | None) -> tuple[str, ...]:
    """The folders that a list is of: the one that is named, or all that the reader may read."""
    with home.control.read() as connection:
        if campaign is not None:
            require_campaign(connection, campaign)
        found = Readable.by(connection, reader)
    return found.folders if campaign is None else (found.require(campaign),)


def folder_rows(home: Home, reader: Reader, campaign: str | None = None) -> list[Row]:
    """Each campaign's folder, as `thermite folders` shows it: counts by kind, and each run with what it is blocked on.

    Raises `ThermiteError` for an unknown campaign and for a broken line of a help file, `NotReadable` for a folder that
    the reader may not read.
    """
    names = _folders(home, reader, campaign)
    with home.control.read() as connection:
        lags = campaign_lags(connection, *([] if campaign is None else [campaign]))
        counts = counts_by_kind(connection, campaign)
        reads, read_by = defaultdict(list), defaultdict(list)
        for row in connection.execute(select(Grant).order_by(Grant.reader, Grant.source)):
            reads[row.reader].append(row.source)
            read_by[row.source].append(row.reader)
        assigned = defaultdict(list)
        for row in connection.execute(select(Assignment).order_by(Assignment.rig, Assignment.run)):
            assigned[row.campaign].append((row.rig, row.run))
    folders, blocked = [], blocked_on(help_requests(home))
    for name, lag in lags.items():
        if name not in names:
            continue
        seen = {(run.rig, run.run) for run in lag.runs}
        runs = [
            _run(run.rig, run.ledger, run.run, run.state, blocked.get((run.rig, run.ledger, run.run)))
            for run in lag.runs
        ]
        runs += [_run(rig, None, run, "assigned") for rig, run in assigned[name] if (rig, run) not in seen]
        folders.append(
            {
                "campaign": name,
                "items": counts.get(name, {}),
                "runs": runs,
                "read_by": read_by[name],
                "reads": reads[name],
                "behind": lag.behind,
            }
        )
    return folders


def _run(rig: str, ledger: str | None, run: str, state: str, blocked: str | None = None) -> Row:
    return {"rig": rig, "ledger": ledger, "run": run, "state": state, "blocked_on": blocked}


def unplaced_rows(home: Home) -> list[Row]:
    """Runs whose items are in no folder, with the reason."""
    with home.control.read() as connection:
        return [
            {"rig": run.rig, "ledger": run.ledger, "run": run.run, "campaign": run.named_campaign, "why": run.why}
            for run in unplaced_runs(connection)
        ]
