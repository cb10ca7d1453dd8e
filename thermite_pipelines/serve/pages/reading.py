"""What pages show of folders and runs, read as commands read it: from control's record and the folders' files.

Everything that holds words of agents is read through `knowledge.readable`, with the eyes of whoever asks.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa
from sqlalchemy import Connection, select

from thermite_pipelines.control.campaigns import campaign_names, require_campaign
from thermite_pipelines.control.models import Assignment, Campaign, Grant, LakeFile, Run
from thermite_pipelines.errors import UnknownName
from thermite_pipelines.knowledge.derived import DerivedReader
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.knowledge.readable import Readable, Reader
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.state import RunState, all_runs
from thermite_pipelines.knowledge.synthesis_reading import SYNTHESIS_KINDS, own_text, shown, written_by
from thermite_pipelines.names import LEDGER, RUN
from thermite_pipelines.tables.parquet import to_rows
from thermite_pipelines.tables.schemas import ITEM_TABLES

Row = dict[str, Any]
PAGE = 50
"""Rows on a page of a list."""
_OF_RUN = ["rig", "ledger", "run", "title", "created_at", "started_at", "finished_at"]
_LABEL = re.compile(rf"{RUN.pattern}(~{LEDGER.pattern})?")


class Part(NamedTuple):
    """A page of a list: its rows, its number from 1, and how many rows there are in all."""

    rows: Sequence[Any]
    number: int
    total: int

    @property
    def last(self) -> int:
        """The number of the last page."""
        return max(1, -(-self.total // PAGE))


@dataclass(frozen=True)
class ShownRun:
    """A run as its page names it. `seen` is None while it is assigned and its rig has reported nothing of it."""

    rig: str
    label: str
    campaign: str | None
    seen: RunState | None
    assignment: Row | None

    @property
    def state(self) -> str:
        """What state it is in."""
        return self.seen.state if self.seen is not None else "assigned"


def cut(rows: Sequence[Any], number: int) -> Part:
    """A page of rows that are at hand."""
    return Part(rows[(number - 1) * PAGE : number * PAGE], number, len(rows))


def titles(home: Home) -> dict[str, str]:
    """The titles of all campaigns by name, in order."""
    with home.control.read() as connection:
        query = select(Campaign.campaign, Campaign.title).order_by(Campaign.campaign)
        return {row.campaign: row.title for row in connection.execute(query)}


def grants_of(home: Home, campaign: str) -> tuple[list[Row], list[Row]]:
    """Grants that let a campaign read others, and grants that let others read it: campaign, who gave it, when."""
    with home.control.read() as connection:
        rows = list(connection.execute(select(Grant).order_by(Grant.reader, Grant.source)))
    given = {"by": "granted_by", "at": "granted_at"}
    taken = [_named(row, given) | {"campaign": row.source} for row in rows if row.reader == campaign]
    return taken, [_named(row, given) | {"campaign": row.reader} for row in rows if row.source == campaign]


def _named(row: Any, columns: dict[str, str]) -> Row:
    return {name: getattr(row, column) for name, column in columns.items()}


def find_run(home: Home, rig: str, label: str) -> ShownRun:
    """A run by its rig and its label, as ids of items write it. Raises `UnknownName` where control knows of none."""
    with home.control.read() as connection:
        found = all_runs(connection, Run.rig == rig, Run.label == label) if _LABEL.fullmatch(label) else []
        seen = found[0] if found else None
        # What was assigned and never seen has no ledger yet, so its label is the run's id.
        id = label if seen is None else seen.run
        row = connection.execute(select(Assignment).where(Assignment.rig == rig, Assignment.run == id)).first()
    if seen is None and row is None:
        raise UnknownName(f"there is no run {rig}/{label}", do="look at `thermite folders`")
    assignment = None if row is None else dict(row._mapping)
    campaign = seen.campaign if seen is not None else assignment["campaign"] if assignment is not None else None
    return ShownRun(rig, label, campaign, seen, assignment)


def labels(home: Home) -> dict[tuple[str, str, str], str]:
    """How runs are named in addresses, by rig, ledger and run, where it is not by the run's own id."""
    with home.control.read() as connection:
        query = select(Run.rig, Run.ledger, Run.run, Run.label).where(Run.label != Run.run)
        return {(row.rig, row.ledger, row.run): row.label for row in connection.execute(query)}


def known_of_runs(home: Home, reader: Reader, campaign: str, runs: Sequence[Row]) -> dict[tuple[str, str, str], Row]:
    """Title and times of some runs of a folder, by rig, ledger and run, as far as they are in the folder yet."""
    ids = {run["run"] for run in runs if run["ledger"] is not None}
    if not ids:
        return {}
    folder = readable_folder(home, reader, campaign)
    parts = FolderReader(home.control, home.lake).files(folder, ["run"], ids)
    rows = (row for _, part in parts for row in to_rows(part.select(_OF_RUN)))
    return {(row["rig"], row["ledger"], row["run"]): row for row in rows}


def picked_for(run: ShownRun) -> list[Row]:
    """The items that were picked for a run, each with its id and words of it, as its command has them."""
    if run.assignment is None:
        return []
    command = run.assignment["command"]
    words = {one["item"]: one.get("title") or one.get("text") or one["item"] for one in _given(command)}
    return [{"item": item, "words": words.get(item, item)} for item in run.assignment["picks"]]


def _given(command: Row) -> list[Row]:
    return [*(command.get("briefing") or ()), *(command.get("queue") or ())]


def run_counts(home: Home, run: ShownRun) -> dict[str, int]:
    """Items of a run in its folder, by kind: from what control knows of the folder's files, as the folder's own."""
    if run.seen is None or run.campaign is None:
        return {}
    query = select(LakeFile.path, LakeFile.rows).where(
        LakeFile.scope == f"campaign:{run.campaign}", LakeFile.run_key == run.seen.run_key
    )
    counts: Counter[str] = Counter()
    with home.control.read() as connection:
        for row in connection.execute(query.where(LakeFile.path.like("folders/%"))):
            counts[row.path.split("/", 2)[1]] += row.rows
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


def run_items(home: Home, reader: Reader, run: ShownRun, kind: str, number: int) -> Part:
    """A page of a run's items of a kind, in the order in which they were recorded."""
    table = run_table(home, reader, run, kind)
    return Part(_page_of(table.sort_by("n"), number), number, table.num_rows)


def last_items(home: Home, reader: Reader, run: ShownRun, kind: str, most: int) -> list[Row]:
    """The newest items of a kind that a run has in its folder, the oldest of them first."""
    if run.seen is None or run.campaign is None:
        return []
    folder = readable_folder(home, reader, run.campaign)
    found: list[pa.Table] = []
    for part in FolderReader(home.control, home.lake).run_tables(folder, run.seen.run_key, kind):
        found.append(part)
        if sum(table.num_rows for table in found) >= most:
            break
    if not found:
        return []
    table = pa.concat_tables(found).sort_by("n")
    return to_rows(table.slice(max(0, table.num_rows - most)))


def run_table(home: Home, reader: Reader, run: ShownRun, kind: str) -> pa.Table:
    """All items of a kind that a run has in its folder."""
    if run.seen is None or run.campaign is None:
        return ITEM_TABLES[kind].schema.empty_table()
    folder = readable_folder(home, reader, run.campaign)
    parts = list(FolderReader(home.control, home.lake).run_tables(folder, run.seen.run_key, kind))
    return pa.concat_tables(parts) if parts else ITEM_TABLES[kind].schema.empty_table()


def folder_items(home: Home, reader: Reader, folders: Sequence[str], kinds: Sequence[str], number: int) -> Part:
    """A page of items and of what synthesis made of them, the newest first: `folders` and `kinds`, empty for all."""
    with home.control.read() as connection:
        readable = Readable.by(connection, reader)
        for folder in folders:
            require_campaign(connection, folder)
    items, derived = FolderReader(home.control, home.lake), DerivedReader(home)
    keys, found = [], []
    for folder in map(readable.require, folders or readable.folders):
        for kind in kinds or (*KINDS, *SYNTHESIS_KINDS):
            table, time, id = _rows_of(items, derived, folder, kind)
            if table.num_rows:
                place = len(found)
                found.append((folder, kind, table))
                keys.append(_keys(table, time, id, place))
    if not keys:
        return Part([], number, 0)
    ordered = pa.concat_tables(keys).sort_by([("at", "descending"), ("id", "ascending")])
    wanted = ordered.slice((number - 1) * PAGE, PAGE).to_pylist()
    return Part([_shown_at(found[key["place"]], key["row"]) for key in wanted], number, ordered.num_rows)


def _rows_of(reader: FolderReader, derived: DerivedReader, folder: str, kind: str) -> tuple[pa.Table, str, str]:
    """All rows of a kind in a folder, and the columns that hold their time and their id."""
    if kind in SYNTHESIS_KINDS:
        name = SYNTHESIS_KINDS[kind]
        return shown(name, derived.table(folder, name)), "decided_at", "fact"
    return reader.table(folder, kind), "created_at", "item"


def _keys(table: pa.Table, time: str, id: str, place: int) -> pa.Table:
    count = table.num_rows
    return pa.table(
        {
            "at": table[time].cast(pa.int64()),
            "id": table[id].cast(pa.large_string()),
            "place": pa.array([place] * count, pa.int64()),
            "row": pa.array(range(count), pa.int64()),
        }
    )


def _shown_at(found: tuple[str, str, pa.Table], place: int) -> Row:
    """A row of any kind with the fields that results have; `found`: folder, kind and rows."""
    folder, kind, table = found
    (row,) = to_rows(table.slice(place, 1))
    if kind in SYNTHESIS_KINDS:
        words = {"item": row["fact"], "rig": None, "run": None, "written_by": written_by(row), "text": own_text(row)}
        words["why"] = ""
        return words | {"campaign": folder, "kind": kind, "created_at": row["decided_at"], "title": row["title"]}
    names = ("item", "rig", "run", "written_by", "created_at", "title", "text")
    return {name: row[name] for name in names} | {"campaign": folder, "kind": kind, "why": ""}


def _page_of(table: pa.Table, number: int) -> list[Row]:
    return to_rows(table.slice((number - 1) * PAGE, PAGE))


def readable_folder(home: Home, reader: Reader, campaign: str) -> str:
    """A campaign's folder. Raises `ThermiteError` for an unknown campaign, `NotReadable` where it may not be read."""
    with home.control.read() as connection:
        require_campaign(connection, campaign)
        return Readable.by(connection, reader).require(campaign)


def other_campaigns(connection: Connection, campaign: str, known: Sequence[Row]) -> list[str]:
    """Campaigns that are neither this one nor among those of some grants."""
    named = {row["campaign"] for row in known} | {campaign}
    return [name for name in campaign_names(connection) if name not in named]
