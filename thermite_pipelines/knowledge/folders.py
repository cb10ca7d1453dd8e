"""Campaign folders: verified events folded into Parquet, a file a run, kind and block.

Work is proportional to what is new. Files first, then the watermark of the run in one transaction; an item's `updated_n`
keeps an event from counting twice where a kill came between.
"""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from thermite_pipelines.control.db import Control, chunks, upsert
from thermite_pipelines.control.lake_files import DamagedFile, LakeFiles
from thermite_pipelines.control.models import CampaignState, Fold, Record
from thermite_pipelines.knowledge.blocks import RunBlocks, folder_path
from thermite_pipelines.knowledge.fold import FoldEvent, change_item, open_item, opens, target
from thermite_pipelines.knowledge.items import KINDS, Row, item_id
from thermite_pipelines.knowledge.quotes import Archive
from thermite_pipelines.knowledge.run_events import run_events
from thermite_pipelines.knowledge.state import RunState, runs_of, update_state
from thermite_pipelines.tables.lake import Lake
from thermite_pipelines.times import now_micros

# Changed rows in memory before blocks are written: bounds a rebuild of any size to a few hundred megabytes.
MAX_CHANGED = 60_000
Progress = Callable[[int, int], None]


@dataclass
class Folded:
    """What one refresh of a folder did."""

    runs: int = 0
    events: int = 0
    items: int = 0
    files: int = 0
    left: int = 0  # runs that left the folder
    rebuilt: int = 0  # runs folded from their first event, though some was folded before


class FolderWriter:
    """Writes one campaign's folder. The caller holds the campaign's lease (`campaign:<c>`)."""

    def __init__(self, control: Control, lake: Lake, campaign: str) -> None:
        self._control = control
        self._lake = lake
        self._campaign = campaign
        self._files = LakeFiles(control, lake, f"campaign:{campaign}")

    def refresh(self, progress: Progress | None = None) -> Folded:
        """Bring the folder to what control's record and the verified events say now.

        Raises `ThermiteError` where an event file is damaged. A damaged folder file is made anew with its run.
        """
        folded = Folded()
        with self._control.read() as connection:
            runs = runs_of(connection, self._campaign)
            query = select(Fold.run_key, Fold.folded_n).where(Fold.campaign == self._campaign)
            folds = {row.run_key: row.folded_n for row in connection.execute(query)}
        self._let_go(folds.keys() - {run.run_key for run in runs}, folded)
        due = [run for run in runs if folds.get(run.run_key, -1) < run.last_n]
        total, done = sum(run.last_n - folds.get(run.run_key, 0) for run in due), 0
        for run in due:
            self._fold_run(run, folds.get(run.run_key), folded)
            done += run.last_n - folds.get(run.run_key, 0)
            if progress is not None:
                progress(done, total)
        self._sweep()
        with self._control.write() as connection:
            update_state(connection, self._campaign, refreshed_at=now_micros())
        return folded

    def rebuild(self, progress: Progress | None = None) -> Folded:
        """Make the whole folder anew from the verified events. Its files stay readable meanwhile."""
        with self._control.write() as connection:
            connection.execute(delete(Fold).where(Fold.campaign == self._campaign))
            self._files.forget(connection)
            update_state(connection, self._campaign, sweep=True)
        folded = self.refresh(progress)
        folded.rebuilt = folded.runs
        return folded

    def repair(self, *, thorough: bool = False) -> list[str]:
        """Forget runs whose files are not what was written, so that the next refresh makes them anew; return the paths."""
        damaged = self._files.damaged(thorough=thorough)
        strays = self._strays()
        if damaged:
            with self._control.write() as connection:
                for run_key in sorted(self._files.run_keys(damaged)):
                    self._forget_run(connection, run_key)
        for path in strays:
            self._lake.delete(path)
        return damaged + strays

    def _let_go(self, run_keys: set[int], folded: Folded) -> None:
        """Runs that belong elsewhere now: their files stop counting at once and are swept at the end."""
        if not run_keys:
            return
        with self._control.write() as connection:
            for run_key in sorted(run_keys):
                self._forget_run(connection, run_key)
        folded.left += len(run_keys)
        self._sweep()

    def _forget_run(self, connection: Connection, run_key: int) -> None:
        self._files.forget(connection, run_key)
        connection.execute(delete(Fold).where(Fold.campaign == self._campaign, Fold.run_key == run_key))
        update_state(connection, self._campaign, sweep=True)

    def _sweep(self) -> None:
        """Remove files that control does not vouch for, where a run left or a rebuild ended."""
        with self._control.read() as connection:
            query = select(CampaignState.sweep).where(CampaignState.campaign == self._campaign)
            if not connection.execute(query).scalar():
                return
        for path in self._strays():
            self._lake.delete(path)
        with self._control.write() as connection:
            update_state(connection, self._campaign, sweep=False)

    def _strays(self) -> list[str]:
        known = self._files.known()
        found = []
        for kind in KINDS:
            folder = folder_path(kind, self._campaign)
            self._lake.sweep(folder)
            found += [entry.path for entry in self._lake.list(folder) if entry.path not in known]
        return found

    def _fold_run(self, run: RunState, folded_n: int | None, folded: Folded) -> None:
        try:
            RunFold(self._control, self._lake, self._files, self._campaign, run).fold(folded_n or 0, folded)
        except DamagedFile:
            with self._control.write() as connection:
                self._forget_run(connection, run.run_key)
            RunFold(self._control, self._lake, self._files, self._campaign, run).fold(0, folded)
            folded.rebuilt += 1
        folded.runs += 1


class RunFold:
    """Folds the new events of one run into its blocks."""

    def __init__(self, control: Control, lake: Lake, files: LakeFiles, campaign: str, run: RunState) -> None:
        self._control = control
        self._lake = lake
        self._files = files
        self._campaign = campaign
        self._run = run
        self._blocks = RunBlocks(files, campaign, run.rig, run.ledger, run.run, run.run_key)
        self._archive = Archive(self._source_text)
        self._first: dict[tuple[str, str], int] = {}  # first event numbers of the records that the events at hand touch

    def fold(self, after_n: int, folded: Folded) -> None:
        """Fold the events after `after_n` and commit; a long run is committed in parts."""
        count = 0
        for events in run_events(self._control, self._lake, self._run, after_n):
            self.apply(events)
            count += len(events)
            folded.events += len(events)
            if self._blocks.changed > MAX_CHANGED:
                self._commit(events[-1].n, count, folded)
                count = 0
        self._commit(self._run.last_n, count, folded)

    def apply(self, events: list[FoldEvent]) -> None:
        """Apply events, in order, to the blocks in memory. Raises `DamagedFile`."""
        self._look_up(events)
        run = self._run.run_id
        for event in events:
            key = target(run, event)
            if key is None:
                continue
            kind, record = key
            block = self._blocks.block(kind, self._first.setdefault(key, event.n))
            item = item_id(kind, run.rig, run.label, record)
            row = block.find(item)
            if row is not None:
                change_item(row, event)
            elif opens(event):
                block.changed[item] = open_item(run, event, self._archive)

    def changed_rows(self) -> list[tuple[str, Row]]:
        """Kind and row of each item that the applied events touched."""
        return list(self._blocks.changed_rows())

    def row(self, kind: str, n: int, item: str) -> Row | None:
        """An item whose first event is `n`, with the applied events."""
        return self._blocks.block(kind, n).find(item)

    def _look_up(self, events: list[FoldEvent]) -> None:
        """Learn where the items lie that events change, or quote, and that none of these events opens."""
        self._first.clear()
        wanted: dict[str, set[str]] = {}
        opened: set[tuple[str, str]] = set()
        for event in events:
            key = target(self._run.run_id, event)
            if key is not None and opens(event) and event.type != "document_written":
                opened.add(key)
            elif key is not None:
                wanted.setdefault(key[0], set()).add(key[1])
            if event.type == "claim_recorded":
                wanted.setdefault("source", set()).update(quote["source"] for quote in event.data["quotes"])
        with self._control.read() as connection:
            for kind, records in wanted.items():
                for batch in chunks(sorted(record for record in records if (kind, record) not in opened)):
                    query = select(Record.record, Record.n).where(
                        Record.run_key == self._run.run_key, Record.kind == kind, Record.record.in_(batch)
                    )
                    for row in connection.execute(query):
                        self._first[kind, row.record] = row.n

    def _source_text(self, source: str) -> str | None:
        n = self._first.get(("source", source))
        if n is None:
            return None
        item = item_id("source", self._run.rig, self._run.label, source)
        return self._blocks.block("source", n).text(item)

    def _commit(self, to_n: int, events: int, folded: Folded) -> None:
        folded.items += self._blocks.stage()
        self._files.publish()
        with self._control.write() as connection:
            folded.files += self._files.confirm(connection)
            place = {"campaign": self._campaign, "run_key": self._run.run_key}
            query = select(Fold.folded_events).filter_by(**place)
            before = connection.execute(query).scalar() or 0
            upsert(connection, Fold, [place | {"folded_n": to_n, "folded_events": before + events}])
