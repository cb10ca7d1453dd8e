"""Sync: each running run's `knowledge/` folder, kept in step with what its campaign may read.

What a folder is made from is one hash (`sync_runs.Readable.signature`); where it differs from that of the last sync,
the items that changed since are read and written, and what may not be read any more goes. Control's record notes that
a sync began, then that it is done, so a folder whose sync was cut off is made anew.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sqlalchemy import Connection, delete, select

from thermite_pipelines.control.assignments import assigned_campaign
from thermite_pipelines.control.db import upsert
from thermite_pipelines.control.leases import lease
from thermite_pipelines.control.models import SyncState
from thermite_pipelines.knowledge.derived_files import DERIVED_KINDS
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.run_folders import Due, Progress, by_campaign, check_due, digest, due, in_turn
from thermite_pipelines.knowledge.sync_derived import DerivedFiles
from thermite_pipelines.knowledge.sync_files import remove_strays
from thermite_pipelines.knowledge.sync_manifest import BadManifest
from thermite_pipelines.knowledge.sync_plan import Marks, Plan, plan, settle
from thermite_pipelines.knowledge.sync_runs import (
    Readable,
    SyncRun,
    fold_marks,
    readable,
    rigs_rebuilding,
    state_of,
    sync_runs,
)
from thermite_pipelines.knowledge.sync_writer import FOLDER, Change, KnowledgeWriter, Outcome, Title
from thermite_pipelines.times import now_micros

_LEASE_WAIT_SECONDS = 60

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Synced:
    """What a sync did: item files written, removed, and left as they were. `path` is relative to the home."""

    rig: str
    run: str
    path: str
    written: int
    removed: int
    unchanged: int


class Syncer:
    """Syncs the runs of a home. Each run is synced under a lease of its own (`sync:<rig>/<run>`)."""

    def __init__(self, home: Home) -> None:
        self._settings = home.settings
        self._control = home.control
        self._reader = FolderReader(home.control, home.lake)
        self._derived = DerivedFiles(home)

    def due(self) -> list[Due]:
        """Every run that a sync would do something for, by control's record alone."""
        now = now_micros()
        with self._control.read() as connection:
            runs = sync_runs(connection, now, self._settings.sync_grace_seconds)
            view = readable(connection, (run.campaign for run in runs))
            columns = (SyncState.rig, SyncState.run, SyncState.signature, SyncState.synced_at, SyncState.checked_at)
            states = {(row.rig, row.run): row for row in connection.execute(select(*columns))}
        found = []
        for run in runs:
            state = states.get((run.rig, run.run))
            signature = "" if run.phase == "gone" else view.signature(run)
            looked_at, noted = (0, (0, 0)) if state is None else (state.checked_at, (state.synced_at, state.checked_at))
            found.append(due(run, signature, state, looked_at, noted, now))
        return [one for one in found if one is not None]

    def behind(self) -> dict[str, str]:
        """The campaigns that a sync would do something for, each with a hash of what there is to do."""
        return by_campaign(self.due())

    def signature(self, campaign: str) -> str:
        """A hash of what the folders of a campaign's runs should be made from now."""
        with self._control.read() as connection:
            runs = sync_runs(connection, now_micros(), self._settings.sync_grace_seconds)
            view = readable(connection, [campaign])
        mine = [run for run in runs if run.campaign == campaign and run.phase != "gone"]
        return digest(f"{run.rig}/{run.run} {view.signature(run)}" for run in mine)

    def differences(self, limit: int) -> list[tuple[str, str, str]]:
        """Rig, run and path below `knowledge/` of files that are not what the last sync left; at most `limit`."""
        found: list[tuple[str, str, str]] = []
        for run in self._runs():
            with self._control.read() as connection:
                before = state_of(connection, run)
            if before is None or not before.signature or run.phase == "gone":
                continue
            with KnowledgeWriter(self._settings.sync, run.rig, run.run) as writer:
                paths = list(islice(writer.differences(run.rig, run.run, before.campaign), limit - len(found)))
            with self._control.read() as connection:
                # A sync that came between explains what was seen.
                if state_of(connection, run) == before:
                    found += [(run.rig, run.run, path) for path in paths]
        return found

    def sync_campaign(self, campaign: str, *, check: bool = False, progress: Progress | None = None) -> list[Synced]:
        """Sync all runs of a campaign; return the running ones, unchanged ones too. `check` as in `sync_all`.

        Ended runs take removals only; folders whose time is over go. Raises `LeaseTaken` where another keeps at one.
        """
        return self._sync([run for run in self._runs() if run.campaign == campaign], check=check, progress=progress)

    def sync_all(self, *, check: bool = False, progress: Progress | None = None) -> list[Synced]:
        """Sync every run; return the running ones. With `check` every file is looked at, not only what changed."""
        runs = self._runs()
        if check:
            self._remove_strays(runs)
        return self._sync(runs, check=check, progress=progress)

    def sync_run(self, rig: str, run: str, *, campaign: str | None = None, check: bool = False) -> Synced:
        """Sync one run. The campaign is what control's record says; one that the caller names must be that.

        Raises `ThermiteError`, and logs it, unless control assigned that run to that rig (KB-54).
        """
        with self._control.read() as connection:
            assigned_campaign(connection, rig, run, campaign)
        for known in self._runs((rig, run)):
            return self._sync_one(known, check=check)
        # It ended and its folder went, or its rig is being rebuilt: there is nothing to do for it now.
        return Synced(rig, run, self._path(rig, run), 0, 0, 0)

    def _runs(self, only: tuple[str, str] | None = None) -> list[SyncRun]:
        with self._control.read() as connection:
            return sync_runs(connection, now_micros(), self._settings.sync_grace_seconds, only)

    def _sync(self, runs: list[SyncRun], *, check: bool = False, progress: Progress | None = None) -> list[Synced]:
        return in_turn(runs, lambda run: self._sync_one(run, check=check), progress)

    def _sync_one(self, run: SyncRun, *, check: bool) -> Synced:
        with KnowledgeWriter(self._settings.sync, run.rig, run.run) as writer:
            if not check:
                with self._control.read() as connection:
                    current = self._current(connection, run, writer)
                if current is not None:
                    return current
            with self._lease(run):
                return self._work(run, writer, check)

    def _current(self, connection: Connection, run: SyncRun, writer: KnowledgeWriter) -> Synced | None:
        """What to say of a run whose folder is as it should be; None where there is something to do."""
        if run.phase == "gone":
            return None
        state = state_of(connection, run)
        if state is None or check_due(state.checked_at, now_micros()):
            return None
        if readable(connection, [run.campaign]).signature(run) != state.signature:
            return None
        if writer.manifest_version() != state.manifest:
            return None
        return Synced(run.rig, run.run, self._path(run.rig, run.run), 0, 0, state.items)

    def _work(self, run: SyncRun, writer: KnowledgeWriter, check: bool) -> Synced:
        """Bring a folder up to date. The run's lease is held; what was done meanwhile by another counts."""
        with self._control.read() as connection:
            only = (run.rig, run.run)
            again = next(iter(sync_runs(connection, now_micros(), self._settings.sync_grace_seconds, only)), None)
            state = state_of(connection, run)
            current = None if again is None or check else self._current(connection, again, writer)
            view = readable(connection, [again.campaign]) if again else None
        if current is not None:
            return current
        if again is None or view is None or again.phase == "gone":
            return self._remove(run, writer, state)
        whole = (
            check
            or state is None
            or not state.signature
            or writer.manifest_version() != state.manifest
            or check_due(state.checked_at, now_micros())
        )
        job = _Job(again, view, Title(again.rig, again.run, again.campaign, view.signature(again)), state)
        outcome = self._write(job, writer, whole)
        _log.info("synced %s/%s: %d written, %d removed", run.rig, run.run, outcome.written, outcome.removed)
        unchanged = outcome.items - outcome.written
        return Synced(run.rig, run.run, self._path(run.rig, run.run), outcome.written, outcome.removed, unchanged)

    def _write(self, job: "_Job", writer: KnowledgeWriter, whole: bool) -> Outcome:
        self._note(job, signature="", sources=job.marks)
        todo, outcome = self._plan(job, whole), None
        if not whole:
            try:
                outcome = writer.apply(job.title, self._changes(job, todo), todo.left)
            except BadManifest:
                whole, todo = True, self._plan(job, True)
        if outcome is None:
            outcome = writer.make(job.title, self._changes(job, todo), todo.kept)
        with self._control.read() as connection:
            folded = fold_marks(connection, {source.campaign for source, _ in todo.reads})
        done = {"signature": job.title.signature, "sources": settle(todo, folded), "items": outcome.items}
        checked = {"checked_at": now_micros()} if whole else {}
        self._note(job, manifest=outcome.manifest, synced_at=now_micros(), **done, **checked)
        return outcome

    def _plan(self, job: "_Job", whole: bool) -> Plan:
        """What there is to do; what is derived and can't be read now stays as it is."""
        todo = job.plan(whole)
        for part in [part for part in todo.derived if not self._derived.is_readable(part)]:
            todo.hold(part, job.marks)
            table = DERIVED_KINDS[part.kind].table
            _log.warning("the %s of campaign %s can't be read: left as they are", table, part.campaign)
        return todo

    def _changes(self, job: "_Job", todo: Plan) -> Iterator[Change]:
        for source, after_n in todo.reads:
            for row in self._reader.changed(source.campaign, source.run_key, after_n):
                yield Change(row, row["n"] <= after_n)
        for part in todo.derived:
            for row in self._derived.rows(part, job.run.rig, job.run.run, job.view.now):
                yield Change(row)

    def _note(self, job: "_Job", **values: Any) -> None:
        """Change what control's record says of the last sync of a run."""
        blank = {"signature": "", "sources": {}, "items": 0, "manifest": "", "synced_at": 0, "checked_at": 0}
        before = blank if job.state is None else dict(job.state._mapping)
        key = {"rig": job.run.rig, "run": job.run.run, "campaign": job.run.campaign}
        with self._control.write() as connection:
            upsert(connection, SyncState, [before | key | values])

    def _remove(self, run: SyncRun, writer: KnowledgeWriter, state: Any) -> Synced:
        writer.drop()
        with self._control.write() as connection:
            connection.execute(delete(SyncState).where(SyncState.rig == run.rig, SyncState.run == run.run))
        _log.info("removed the knowledge folder of %s/%s", run.rig, run.run)
        return Synced(run.rig, run.run, self._path(run.rig, run.run), 0, state.items if state else 0, 0)

    def _remove_strays(self, runs: list[SyncRun]) -> None:
        """Remove knowledge folders of runs that have none by control's record."""
        known = {(run.rig, run.run) for run in runs}
        with self._control.read() as connection:
            rebuilding = rigs_rebuilding(connection)
        strays = remove_strays(self._settings.sync, FOLDER, lambda rig, run: (rig, run) in known or rig in rebuilding)
        for rig, run in strays:
            _log.warning("removed the knowledge folder of %s/%s, which control knows no sync of", rig, run)

    def _path(self, rig: str, run: str) -> str:
        path = self._settings.sync / rig / run / FOLDER
        return path.relative_to(self._settings.home).as_posix()

    @contextmanager
    def _lease(self, run: SyncRun) -> Iterator[None]:
        """The run's lease; another sync of the same run is waited for. Raises `LeaseTaken` after a minute."""
        with lease(self._control, f"sync:{run.rig}/{run.run}", wait=_LEASE_WAIT_SECONDS):
            yield


@dataclass(frozen=True)
class _Job:
    """One run to sync: what it may read, what its folder will say it is, and the row that its last sync left."""

    run: SyncRun
    view: Readable
    title: Title
    state: Any

    @property
    def marks(self) -> Marks:
        return self.state.sources if self.state is not None else {}

    def plan(self, whole: bool) -> Plan:
        sources, derived = self.view.of(self.run), self.view.derived_of(self.run)
        return plan(sources, self.marks, ended=self.run.phase == "ended", whole=whole, derived=derived)
