"""Reading items back: whole kinds, one run, what changed since, or one item by its id."""

from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy import select

from thermite_pipelines.control.db import Control
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import Fold, LakeFile, Record, Run
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.blocks import folder_path
from thermite_pipelines.knowledge.folders import RunFold
from thermite_pipelines.knowledge.items import KINDS, Row, parse_item_id
from thermite_pipelines.knowledge.run_events import run_events
from thermite_pipelines.knowledge.state import RunState, all_runs
from thermite_pipelines.tables.lake import Lake
from thermite_pipelines.tables.parquet import arrange, to_rows
from thermite_pipelines.tables.schemas import ITEM_TABLES

_compute: Any = pc
_TRIES = 10


class FolderReader:
    """Reads campaign folders. Rows are dicts with all columns of the kind, and `campaign` and `kind`."""

    def __init__(self, control: Control, lake: Lake) -> None:
        self._control = control
        self._lake = lake

    def table(self, campaign: str, kind: str) -> pa.Table:
        """All items of one kind in a folder, sorted as their table is."""
        parts = [part for _, part in self._files(campaign, [kind], LakeFile.rows > 0)]
        schema = ITEM_TABLES[kind].schema
        return arrange(ITEM_TABLES[kind], pa.concat_tables(parts) if parts else schema.empty_table())

    def rows(self, campaign: str, kinds: Iterable[str] | None = None, run: str | None = None) -> Iterator[Row]:
        """The items of a folder, by kind and file; `run` is the rig's own run id."""
        conditions = [LakeFile.rows > 0]
        if run is not None:
            conditions.append(LakeFile.run_key.in_(select(Run.run_key).where(Run.run == run)))
        for kind, part in self._files(campaign, kinds, *conditions):
            yield from _tagged(campaign, kind, part)

    def changed(self, campaign: str, run_key: int, after_n: int, kinds: Iterable[str] | None = None) -> Iterator[Row]:
        """The items of one run in a folder that an event after `after_n` changed; other files are not read."""
        conditions = (LakeFile.run_key == run_key, LakeFile.high_n > after_n)
        for kind, part in self._files(campaign, kinds, *conditions):
            recent = part.filter(_compute.greater(part["updated_n"], after_n))
            yield from _tagged(campaign, kind, recent)

    def at_head(self, run: RunState, after_n: int, kinds: Iterable[str] | None = None) -> list[Row]:
        """A run's items (of some kinds) that an event after `after_n` changed, as they are after its last event.

        Events that are not in the folder yet are folded in memory; an unplaced run's all are, and `campaign` is None.
        Raises `ThermiteError` where an event file is damaged.
        """
        for _ in range(_TRIES):
            folded = self._folded_n(run)
            rows = self._at_head(run, after_n, folded, KINDS if kinds is None else tuple(kinds))
            if self._folded_n(run) == folded:
                return rows
        raise _keeps_changing(run)

    def find(self, item: str) -> Row | None:
        """The item of that id as control's record has it now, or None. Raises `UsageError` for what is no id."""
        wanted = parse_item_id(item)
        with self._control.read() as connection:
            runs = all_runs(connection, Run.rig == wanted.rig, Run.label == wanted.label)
            if not runs or runs[0].campaign is None:
                return None
            run = runs[0]
            query = select(Record.n).where(
                Record.run_key == run.run_key, Record.kind == wanted.kind, Record.record == wanted.record
            )
            n = connection.execute(query).scalar()
        if n is None:
            return None
        for _ in range(_TRIES):
            folded = self._folded_n(run)
            row = self._fold(run, folded).row(wanted.kind, n, item)
            if self._folded_n(run) == folded:
                return None if row is None else row | {"campaign": run.campaign, "kind": wanted.kind}
        raise _keeps_changing(run)

    def _folded_n(self, run: RunState) -> int:
        with self._control.read() as connection:
            query = select(Fold.folded_n).where(Fold.campaign == run.campaign, Fold.run_key == run.run_key)
            return connection.execute(query).scalar() or 0

    def _fold(self, run: RunState, folded_n: int) -> RunFold:
        """The run's items in memory, with the events applied that are not in the folder yet."""
        files = LakeFiles(self._control, self._lake, f"campaign:{run.campaign or ''}")
        fold = RunFold(self._control, self._lake, files, run.campaign or "", run)
        for events in run_events(self._control, self._lake, run, folded_n):
            fold.apply(events)
        return fold

    def _at_head(self, run: RunState, after_n: int, folded_n: int, kinds: tuple[str, ...]) -> list[Row]:
        fresh: dict[str, Row] = {}
        if folded_n < run.last_n:
            for kind, row in self._fold(run, folded_n).changed_rows():
                if kind in kinds:
                    fresh[row["item"]] = row | {"campaign": run.campaign, "kind": kind}
        stored = self.changed(run.campaign, run.run_key, after_n, kinds) if run.campaign and folded_n else ()
        rows = [row for row in stored if row["item"] not in fresh]
        rows += [row for row in fresh.values() if row["updated_n"] > after_n]
        return sorted(rows, key=lambda row: (row["n"], row["item"]))

    def _files(self, campaign: str, kinds: Iterable[str] | None, *conditions: Any) -> Iterator[tuple[str, pa.Table]]:
        wanted = KINDS if kinds is None else tuple(kinds)
        files = LakeFiles(self._control, self._lake, f"campaign:{campaign}")
        with self._control.read() as connection:
            query = select(LakeFile.path).where(LakeFile.scope == f"campaign:{campaign}", *conditions)
            paths = sorted(connection.execute(query).scalars())
        for kind in wanted:
            prefix = f"{folder_path(kind, campaign)}/"
            for path in paths:
                if path.startswith(prefix):
                    table = files.load(path, ITEM_TABLES[kind])
                    if table is not None:
                        yield kind, table


def _keeps_changing(run: RunState) -> ThermiteError:
    return ThermiteError(f"the folder of {run.campaign} keeps changing", do="try again")


def _tagged(campaign: str, kind: str, table: pa.Table) -> Iterator[Row]:
    for row in to_rows(table):
        yield row | {"campaign": campaign, "kind": kind}
