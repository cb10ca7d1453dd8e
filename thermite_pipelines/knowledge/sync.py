"""Sync: each running run's `knowledge/` folder, kept in step with what its campaign may read.

What a folder is made from is one hash (`sync_runs.Readable.signature`); where it differs from that of the last sync, the items that
changed since are read and written, and what may not be read any more goes. Control's record notes that a sync began, then
that it is done, so a folder whose sync was cut off is made anew.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import delete, select

from thermite_pipelines.control.db import upsert
from thermite_pipelines.control.leases import LeaseTaken, lease
from thermite_pipelines.control.models import Assignment, Fold, SyncState
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.sync_files import SyncFolder
from thermite_pipelines.knowledge.sync_manifest import BadManifest
from thermite_pipelines.knowledge.sync_plan import Marks, Plan, plan, settle
from thermite_pipelines.knowledge.sync_runs import (
    Readable,
    SyncRun,
    by_campaign,
    readable,
    rigs_rebuilding,
    state_of,
    sync_runs,
)
from thermite_pipelines.knowledge.sync_writer import FOLDER, Change, KnowledgeWriter, Outcome, Title
from thermite_pipelines.times import now_micros

CHECK_SECONDS = 3600
"""How often the files themselves are looked at."""
_LEASE_WAIT_SECONDS = 60
_LEASE_POLL_SECONDS = 0.1

Progress = Callable[[int, int], None]
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


@dataclass(frozen=True)
class Due:
    """A run whose folder is not as it should be.

    `why`: `behind` (something to read changed), `left` (an ended run holds what it may not), `gone` (the folder is to be
    removed) or `check` (its files were not looked at for an hour). `signature` is what the folder should be made from.
    """

    rig: str
    run: str
    campaign: str
    why: str
    signature: str


class Syncer:
    """Syncs the runs of a home. Each run is synced under a lease of its own (`sync:<rig>/<run>`)."""

    def __init__(self, home: Home) -> None:
        self._settings = home.settings
        self._control = home.control
        self._reader = FolderReader(home.control, home.lake)

    def due(self) -> list[Due]:
        """Every run that a sync would do something for, by control's record alone."""
        now = now_micros()
        with self._control.read() as connection:
            runs = sync_runs(connection, now, self._settings.sync_grace_seconds)
            view = readable(connection, (run.campaign for run in runs))
            query = select(SyncState.rig, SyncState.run, SyncState.signature, SyncState.checked_at)
            states = {(row.rig, row.run): row for row in connection.execute(query)}
        found = []
        for run in runs:
            state = states.get((run.rig, run.run))
            signature = "" if run.phase == "gone" else view.signature(run)
            if run.phase == "gone":
                why = "gone"
            elif state is None or state.signature != signature:
                why = "behind" if run.phase == "running" else "left"
            elif _check_due(state.checked_at, now):
                why = "check"
            else:
                continue
            found.append(Due(run.rig, run.run, run.campaign, why, signature))
        return found

    def sync_campaign(self, campaign: str, progress: Progress | None = None) -> list[Synced]:
        """Sync all runs of a campaign; return the running ones, unchanged ones too.

        Ended runs take removals only; folders whose time is over go. Raises `LeaseTaken` where another keeps at one.
        """
        return self._sync(by_campaign(self._runs()).get(campaign, []), progress=progress)

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
            query = select(Assignment.campaign).where(Assignment.rig == rig, Assignment.run == run)
            assigned = connection.execute(query).scalar()
        if assigned is None:
            raise _refused(f"control assigned no run {run[:128]!r} to rig {rig[:64]!r}")
        if campaign is not None and campaign != assigned:
            raise _refused(f"run {run} on rig {rig} belongs to campaign {assigned}, not to {campaign[:64]!r}")
        for known in self._runs():
            if (known.rig, known.run) == (rig, run):
                return self._sync_one(known, check=check)
        # It ended and its folder went, or its rig is being rebuilt: there is nothing to do for it now.
        return Synced(rig, run, self._path(rig, run), 0, 0, 0)

    def _runs(self) -> list[SyncRun]:
        with self._control.read() as connection:
            return sync_runs(connection, now_micros(), self._settings.sync_grace_seconds)

    def _sync(self, runs: list[SyncRun], *, check: bool = False, progress: Progress | None = None) -> list[Synced]:
        done = []
        for number, run in enumerate(runs, 1):
            synced = self._sync_one(run, check=check)
            if run.phase == "running":
                done.append(synced)
            if progress is not None:
                progress(number, len(runs))
        return done

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
        if state is None or _check_due(state.checked_at, now_micros()):
            return None
        if readable(connection, [run.campaign]).signature(run) != state.signature:
            return None
        if writer.manifest_version() != state.manifest:
            return None
        return Synced(run.rig, run.run, self._path(run.rig, run.run), 0, 0, state.items)
