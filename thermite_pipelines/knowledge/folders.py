"""Campaign folders: verified events folded into Parquet, a file a run, kind and block.

Work is proportional to what is new. Files first, then the mark of the run in one transaction; an item's `updated_n`
keeps an event from counting twice where a kill came between. A run that is folded anew keeps the files it has until all
its new ones count at once, so that whoever reads meanwhile misses nothing.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.control.db import Control, upsert
from thermite_pipelines.control.lake_files import DamagedFile, LakeFiles
from thermite_pipelines.control.models import CampaignState, Fold
from thermite_pipelines.knowledge.blocks import folder_path
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.knowledge.run_fold import EventsMissing, RunFold
from thermite_pipelines.knowledge.state import Mark, RunState, keys_on_hold, marks, runs_of, update_state
from thermite_pipelines.tables.lake import Lake
from thermite_pipelines.times import now_micros

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


def remove_strangers(control: Control, lake: Lake) -> list[str]:
    """Remove files below `folders` that lie in no known campaign's folder of a kind; return their paths.

    Inside campaigns' folders `FolderWriter.repair` does the same.
    """
    # The files first: a campaign that is added meanwhile has none of them.
    paths = [entry.path for entry in lake.list("folders")]
    with control.read() as connection:
        campaigns = campaign_names(connection)
    ours = {folder_path(kind, campaign) for kind in KINDS for campaign in campaigns}
    found = [path for path in paths if "/".join(path.split("/")[:3]) not in ours]
    for path in found:
        lake.delete(path)
    return found


class FolderWriter:
    """Writes one campaign's folder. The caller holds the campaign's lease (`campaign:<c>`)."""

    def __init__(self, control: Control, lake: Lake, campaign: str) -> None:
        self._control = control
        self._lake = lake
        self._campaign = campaign
        self._files = LakeFiles(control, lake, f"campaign:{campaign}")

    def refresh(self, progress: Progress | None = None) -> Folded:
        """Bring the folder to what control's record and the verified events say now.

        A damaged folder file is made anew with its run. Runs of a rig whose event tables are being rebuilt stay as they
        are. Raises `ThermiteError` where an event file is damaged, or a rebuild of event tables comes between.
        """
        folded = Folded()
        with self._control.read() as connection:
            on_hold = keys_on_hold(connection)
            runs = {run.run_key: run for run in runs_of(connection, self._campaign)}
            done = marks(connection, self._campaign)
        if self._files.unsettled():
            self._want_sweep()
        self._let_go(done.keys() - runs.keys() - on_hold, folded)
        due = [run for key, run in runs.items() if key not in on_hold and done.get(key) != run.mark]
        total = sum(run.events - run.resume(done.get(run.run_key)).events for run in due)
        for run in due:
            self._fold_run(run, done.get(run.run_key), folded)
            if progress is not None:
                progress(folded.events, total)
        self._sweep()
        with self._control.write() as connection:
            update_state(connection, self._campaign, refreshed_at=now_micros(), behind_since=None)
        return folded

    def rebuild(self, progress: Progress | None = None) -> Folded:
        """Make the whole folder anew from the verified events. Its items stay readable meanwhile."""
        with self._control.read() as connection:
            run_keys = marks(connection, self._campaign).keys()
        with self._control.write() as connection:
            self._begin_anew(connection, run_keys)
            update_state(connection, self._campaign, sweep=True)
        return self.refresh(progress)

    def repair(self, *, thorough: bool = False) -> list[str]:
        """Find files that are not what was written, and files that nobody wrote; return their paths.

        The runs of the former are made anew by the next refresh, the latter are removed at once.
        """
        damaged = self._files.damaged(thorough=thorough)
        if damaged:
            with self._control.write() as connection:
                self._begin_anew(connection, self._files.run_keys(damaged))
        strays = self._strays()
        for path in strays:
            self._lake.delete(path)
        return damaged + strays

    def _begin_anew(self, connection: Connection, run_keys: Iterable[int]) -> None:
        rows = [
            {"campaign": self._campaign, "run_key": key, "folded_n": 0, "folded_events": 0} for key in sorted(run_keys)
        ]
        upsert(connection, Fold, rows)

    def _let_go(self, run_keys: set[int], folded: Folded) -> None:
        """Runs that belong elsewhere now: their files stop counting at once, then they are removed."""
        if not run_keys:
            return
        with self._control.write() as connection:
            for run_key in sorted(run_keys):
                self._files.forget(connection, run_key)
                connection.execute(delete(Fold).where(Fold.campaign == self._campaign, Fold.run_key == run_key))
            update_state(connection, self._campaign, sweep=True)
        folded.left += len(run_keys)
        self._sweep()

    def _want_sweep(self) -> None:
        with self._control.write() as connection:
            update_state(connection, self._campaign, sweep=True)

    def _sweep(self) -> None:
        """Remove files that control does not vouch for, where a run left, a rebuild ended or a kill came between."""
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

    def _fold_run(self, run: RunState, mark: Mark | None, folded: Folded) -> None:
        start = run.resume(mark)
        try:
            try:
                self._fold_from(run, start, folded)
            except DamagedFile:
                start = Mark()
                with self._control.write() as connection:
                    self._begin_anew(connection, [run.run_key])
                self._fold_from(run, start, folded)
        except EventsMissing:
            # What was folded of it so far may lack events that come back: the next refresh begins anew.
            with self._control.write() as connection:
                self._begin_anew(connection, [run.run_key])
            raise
        folded.runs += 1
        folded.rebuilt += start == Mark() and mark is not None

    def _fold_from(self, run: RunState, start: Mark, folded: Folded) -> None:
        anew = start == Mark()
        # A run that is folded anew must not lose what it has: no part of it counts before the whole does.
        at_once = anew and self._files.holds(run.run_key)
        if at_once:
            self._want_sweep()

        def part(mark: Mark, changed: int) -> None:
            nonlocal anew
            folded.items += changed
            if not at_once:
                self._commit(run, mark, folded, anew=anew)
                anew = False

        self._files.discard()
        fold = RunFold(self._control, self._lake, self._files, self._campaign, run, start)
        fold.fold(part)
        folded.items += fold.stage()
        folded.events += run.events - start.events
        self._commit(run, run.mark, folded, anew=anew)

    def _commit(self, run: RunState, mark: Mark, folded: Folded, *, anew: bool) -> None:
        self._files.publish()
        with self._control.write() as connection:
            folded.files += self._files.confirm(connection, only_of_run=run.run_key if anew else None)
            row = {"campaign": self._campaign, "run_key": run.run_key, "folded_n": mark.n, "folded_events": mark.events}
            upsert(connection, Fold, [row])
