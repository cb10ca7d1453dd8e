"""Reading items back: whole kinds, one run, what changed since, or one item by its id."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

import pyarrow as pa
from sqlalchemy import select

from thermite_pipelines.control.db import Control
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import Fold, LakeFile, Record, Run
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.blocks import folder_path
from thermite_pipelines.knowledge.items import KINDS, Row, parse_item_id
from thermite_pipelines.knowledge.run_fold import RunFold
from thermite_pipelines.knowledge.state import Mark, RunState, all_runs
from thermite_pipelines.tables.compute import pc
from thermite_pipelines.tables.lake import Lake
from thermite_pipelines.tables.parquet import arrange, to_rows
from thermite_pipelines.tables.schemas import ITEM_TABLES

_compute: Any = pc
_TRIES = 10
_MANY_RUNS = 500


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

    def files(
        self, campaign: str, kinds: Iterable[str] | None = None, runs: Collection[str] | None = None
    ) -> Iterator[tuple[str, pa.Table]]:
        """Kind and rows of each file of a folder that has rows, one file at a time; `runs`: the rigs' own run ids.

        Of very many runs the files of others may come too.
        """
        conditions = [LakeFile.rows > 0]
        if runs is not None and len(runs) <= _MANY_RUNS:
            conditions.append(LakeFile.run_key.in_(select(Run.run_key).where(Run.run.in_(sorted(runs)))))
        return self._files(campaign, kinds, *conditions)

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

    def run_tables(self, campaign: str, run_key: int, kind: str) -> Iterator[pa.Table]:
        """The items of one kind that a run has in a folder, a file at a time: the one with the newest items first."""
        conditions = (LakeFile.run_key == run_key, LakeFile.rows > 0)
        for _, part in self._files(campaign, [kind], *conditions, newest_first=True):
            yield part

    def at_head(self, run: RunState, after_n: int, kinds: Iterable[str] | None = None) -> list[Row]:
        """A run's items (of some kinds) that an event after `after_n` changed, as they are after its last event.

        Events that are not in the folder yet are folded in memory; an unplaced run's all are, and `campaign` is None.
        Raises `ThermiteError` where an event file is damaged.
        """
        wanted = KINDS if kinds is None else tuple(kinds)
        for _ in range(_TRIES):
            mark = self._mark(run)
            rows = self._at_head(run, after_n, run.resume(mark), wanted)
            if self._mark(run) == mark:
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
            mark = self._mark(run)
            row = self._fold(run, run.resume(mark)).row(wanted.kind, n, item)
            if self._mark(run) == mark:
                return None if row is None else row | {"campaign": run.campaign, "kind": wanted.kind}
        raise _keeps_changing(run)

    def _mark(self, run: RunState) -> Mark:
        with self._control.read() as connection:
            query = select(Fold.folded_n, Fold.folded_events)
            row = connection.execute(query.where(Fold.campaign == run.campaign, Fold.run_key == run.run_key)).first()
        return Mark() if row is None else Mark(row.folded_n, row.folded_events)

    def _fold(self, run: RunState, start: Mark) -> RunFold:
        """The run's items in memory, with the events applied that are not in the folder yet."""
        campaign = run.campaign or ""
        files = LakeFiles(self._control, self._lake, f"campaign:{campaign}")
        fold = RunFold(self._control, self._lake, files, campaign, run, start)
        fold.fold()
        return fold

    def _at_head(self, run: RunState, after_n: int, start: Mark, kinds: tuple[str, ...]) -> list[Row]:
        fresh: dict[str, Row] = {}
        if start != run.mark:
            for kind, row in self._fold(run, start).changed_rows():
                if kind in kinds:
                    fresh[row["item"]] = row | {"campaign": run.campaign, "kind": kind}
        is_stored = run.campaign is not None and start != Mark()
        stored = self.changed(run.campaign, run.run_key, after_n, kinds) if run.campaign and is_stored else ()
        rows = [row for row in stored if row["item"] not in fresh]
        rows += [row for row in fresh.values() if row["updated_n"] > after_n]
        if is_stored and any(row["updated_n"] > run.last_n for row in rows):
            # The folder went further than the caller's view of the run while it was read.
            return self._at_head(run, after_n, Mark(), kinds)
        return sorted(rows, key=lambda row: (row["n"], row["item"]))

    def _files(
        self, campaign: str, kinds: Iterable[str] | None, *conditions: Any, newest_first: bool = False
    ) -> Iterator[tuple[str, pa.Table]]:
        wanted = KINDS if kinds is None else tuple(kinds)
        files = LakeFiles(self._control, self._lake, f"campaign:{campaign}")
        with self._control.read() as connection:
            query = select(LakeFile).where(LakeFile.scope == f"campaign:{campaign}", *conditions)
            # Of one run the names end in the number of the block.
            rows = connection.execute(query.order_by(LakeFile.path.desc() if newest_first else LakeFile.path)).all()
        for kind in wanted:
            prefix = f"{folder_path(kind, campaign)}/"
            for row in rows:
                if row.path.startswith(prefix):
                    table = files.load(row.path, ITEM_TABLES[kind], row)
                    if table is not None:
                        yield kind, table


def _keeps_changing(run: RunState) -> ThermiteError:
    return ThermiteError(f"the folder of {run.campaign} keeps changing", do="try again")


def _tagged(campaign: str, kind: str, table: pa.Table) -> Iterator[Row]:
    for row in to_rows(table):
        yield row | {"campaign": campaign, "kind": kind}
