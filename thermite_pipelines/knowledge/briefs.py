"""Briefs: what each agent of a running run is told at its start, in `sync/<rig>/<run>/briefs/`.

What a run's briefs are made from is one hash (`brief_runs.BriefRun.signature`); where it differs from that of the last
time, they are made anew and what differs is written. Control's record notes that a write began, then that it is done.
"""

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, select

from thermite_pipelines.control.assignments import assigned_campaign
from thermite_pipelines.control.channel_models import BriefState
from thermite_pipelines.control.db import upsert
from thermite_pipelines.control.leases import lease
from thermite_pipelines.control.models import Assignment
from thermite_pipelines.knowledge.brief_help import Channels, HelpRows
from thermite_pipelines.knowledge.brief_notes import FIRST_LANE, RunRecord, read_run, starting_agent
from thermite_pipelines.knowledge.brief_runs import BriefRun, brief_runs
from thermite_pipelines.knowledge.brief_text import BriefSource, Counts, render_briefs
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.run_folders import Due, Progress, by_campaign, check_due, digest, due, in_turn
from thermite_pipelines.knowledge.sync_files import SyncFolder, remove_strays
from thermite_pipelines.knowledge.sync_runs import rigs_rebuilding
from thermite_pipelines.knowledge.sync_writer import KnowledgeWriter
from thermite_pipelines.times import now_micros

FOLDER = "briefs"
_LEASE_WAIT_SECONDS = 60

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Briefed:
    """What became of a run's briefs: how many were written, left as they were, and removed."""

    rig: str
    run: str
    written: int
    unchanged: int
    removed: int


class Briefer:
    """Keeps the briefs of a home's runs, each under a lease of its own (`briefs:<rig>/<run>`)."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._settings = home.settings
        self._control = home.control
        self._reader = FolderReader(home.control, home.lake)
        self._help = HelpRows(home)

    def due(self) -> list[Due]:
        """Every run whose briefs have to change, by control's record and the help files alone."""
        with self._control.read() as connection:
            runs = self._brief_runs(connection)
            columns = (BriefState.rig, BriefState.run, BriefState.signature, BriefState.written_at)
            states = {(row.rig, row.run): row for row in connection.execute(select(*columns))}
        now = now_micros()
        found = []
        for run in runs:
            state = states.get((run.rig, run.run))
            written_at = 0 if state is None else state.written_at
            found.append(due(run, run.signature, state, written_at, (written_at,), now))
        return [one for one in found if one is not None]

    def behind(self) -> dict[str, str]:
        """The campaigns in which briefs have to change, each with a hash of what there is to do."""
        return by_campaign(self.due())

    def signature(self, campaign: str) -> str:
        """A hash of what the briefs of a campaign's runs should be made from now."""
        runs = [run for run in self._runs() if run.campaign == campaign and run.phase != "gone"]
        return digest(f"{run.rig}/{run.run} {run.signature}" for run in runs)

    def differences(self, limit: int) -> list[tuple[str, str, str]]:
        """Rig, run and name of files that are not as they were written, at most `limit`; `another` is one of others."""
        found: list[tuple[str, str, str]] = []
        for run in self._runs():
            with self._control.read() as connection:
                before = _state(connection, run)
            if run.phase == "gone" or before is None or not before.signature:
                continue
            with SyncFolder(self._settings.sync, run.rig, run.run, FOLDER) as folder:
                names = _changed(folder, before.files)
                names += ["another"] * len(folder.strays((), before.files.__contains__))
            with self._control.read() as connection:
                # A write that came between explains what was seen.
                if _state(connection, run) == before:
                    found += [(run.rig, run.run, name) for name in names[: limit - len(found)]]
        return found

    def brief_campaign(self, campaign: str, *, check: bool = False, progress: Progress | None = None) -> list[Briefed]:
        """Bring the briefs of a campaign's runs up to date; return the running ones, unchanged ones too.

        `check` as in `brief_all`. Ended runs keep theirs as they are, without what they may not show any more, until
        their time is over. Raises `LeaseTaken` where another keeps at one.
        """
        return self._brief([run for run in self._runs() if run.campaign == campaign], check, progress)

    def brief_all(self, *, check: bool = False, progress: Progress | None = None) -> list[Briefed]:
        """Bring all briefs up to date; return the running runs. With `check` every brief is made anew and compared."""
        runs = self._runs()
        if check:
            self._remove_strays(runs)
        return self._brief(runs, check, progress)

    def brief_run(self, rig: str, run: str, *, campaign: str | None = None, check: bool = False) -> Briefed:
        """Bring one run's briefs up to date. The campaign is what control's record says; one that is named must be it.

        Raises `ThermiteError`, and logs it, unless control assigned that run to that rig.
        """
        with self._control.read() as connection:
            assigned_campaign(connection, rig, run, campaign)
        for known in self._runs((rig, run)):
            return self._brief_one(known, check)
        return Briefed(rig, run, 0, 0, 0)  # it ended, and its briefs went

    def _runs(self, only: tuple[str, str] | None = None) -> list[BriefRun]:
        with self._control.read() as connection:
            return self._brief_runs(connection, only)

    def _brief_runs(self, connection: Connection, only: tuple[str, str] | None = None) -> list[BriefRun]:
        grace = self._settings.sync_grace_seconds
        return brief_runs(connection, now_micros(), grace, self._help.channels(), only)

    def _brief(self, runs: list[BriefRun], check: bool, progress: Progress | None) -> list[Briefed]:
        return in_turn(runs, lambda run: self._brief_one(run, check), progress)

    def _brief_one(self, run: BriefRun, check: bool) -> Briefed:
        with SyncFolder(self._settings.sync, run.rig, run.run, FOLDER) as folder:
            current = None if check else self._current(run, folder)
            if current is not None:
                return current
            with lease(self._control, f"{FOLDER}:{run.rig}/{run.run}", wait=_LEASE_WAIT_SECONDS):
                return self._work(run, folder, check)

    def _current(self, run: BriefRun, folder: SyncFolder) -> Briefed | None:
        """What to say of a run whose briefs are as they should be; None where there is something to do."""
        with self._control.read() as connection:
            state = _state(connection, run)
        if run.phase == "gone" or state is None or state.signature != run.signature:
            return None
        if check_due(state.written_at, now_micros()) or _altered(folder, state.files):
            return None
        return Briefed(run.rig, run.run, 0, len(_readers(state.files)), 0)

    def _work(self, run: BriefRun, folder: SyncFolder, check: bool) -> Briefed:
        """Bring briefs up to date. The run's lease is held; what was done meanwhile by another counts."""
        with self._control.read() as connection:
            again = next(iter(self._brief_runs(connection, (run.rig, run.run))), None)
            state = _state(connection, run)
            command = _command(connection, run)
        if again is None:
            return Briefed(run.rig, run.run, 0, 0, 0)  # another removed them, or the rig is being rebuilt
        if again.phase == "gone":
            return self._remove(run, folder)
        current = None if check else self._current(again, folder)
        if current is not None:
            return current
        if again.phase == "ended":
            return self._take_out(again, folder, state)
        return self._write(again, folder, state, render_briefs(self._source(again, command, self._help.channels())))

    def _source(self, run: BriefRun, command: dict[str, Any] | None, channels: Channels) -> BriefSource:
        agent = starting_agent(command)
        record = RunRecord({FIRST_LANE: agent})
        if run.run_key is not None:
            record = read_run(self._reader, run.campaign, run.run_key, agent)
        briefing = [] if command is None else command["briefing"]
        return BriefSource(
            rig=run.rig,
            run=run.run,
            label=run.label,
            campaign=run.campaign,
            mode=run.mode,
            record=record,
            briefing=[entry for entry in briefing if entry["item"] not in run.hidden],
            counts=self._counts(run),
            learnings=channels.learnings.get(run.campaign, ()),
            refusals=channels.refusals.get(run.campaign, ()),
        )

    def _counts(self, run: BriefRun) -> Counts | None:
        """What the run's `knowledge/` holds of folders that it may read; None before, and while, it is synced."""
        with KnowledgeWriter(self._settings.sync, run.rig, run.run) as knowledge:
            counts = knowledge.counts(run.manifest) if run.manifest else None
        return None if counts is None else {name: counts[name] for name in run.folders if name in counts}

    def _write(self, run: BriefRun, folder: SyncFolder, state: Any, files: dict[str, bytes]) -> Briefed:
        before = {} if state is None else state.files
        changed = [name for name, data in files.items() if folder.read(name) != data]
        hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
        if changed or folder.strays((), files.__contains__):
            self._note(run, "", hashes)
            for name in changed:
                folder.write(name, files[name])
            folder.sweep((), files.__contains__)
            _log.info("wrote briefs of %s/%s: %s", run.rig, run.run, ", ".join(changed))
        self._note(run, run.signature, hashes)
        written, there = _readers(changed), _readers(files)
        return Briefed(run.rig, run.run, len(written), len(there - written), len(_readers(before) - there))

    def _take_out(self, run: BriefRun, folder: SyncFolder, state: Any) -> Briefed:
        """Remove an ended run's briefs that show what its campaign may not read now, or that are not as written."""
        files: dict[str, str] = state.files
        gone = _readers(_changed(folder, files))
        for reader in _readers(files) - gone:
            data = folder.read(f"{reader}.json")
            if data is None or run.hidden.intersection(json.loads(data)["items"]):
                gone.add(reader)
        kept = {name: sha256 for name, sha256 in files.items() if not _readers([name]) & gone}
        folder.sweep((), kept.__contains__)
        self._note(run, run.signature, kept)
        return Briefed(run.rig, run.run, 0, len(_readers(kept)), len(gone))

    def _note(self, run: BriefRun, signature: str, files: Mapping[str, str]) -> None:
        row = {"rig": run.rig, "run": run.run, "campaign": run.campaign, "signature": signature, "files": dict(files)}
        with self._control.write() as connection:
            upsert(connection, BriefState, [row | {"written_at": now_micros()}])

    def _remove(self, run: BriefRun, folder: SyncFolder) -> Briefed:
        removed = folder.drop()
        with self._control.write() as connection:
            connection.execute(delete(BriefState).where(BriefState.rig == run.rig, BriefState.run == run.run))
        _log.info("removed the briefs of %s/%s", run.rig, run.run)
        return Briefed(run.rig, run.run, 0, 0, removed // 2)

    def _remove_strays(self, runs: list[BriefRun]) -> None:
        known = {(run.rig, run.run) for run in runs}
        with self._control.read() as connection:
            rebuilding = rigs_rebuilding(connection)
        strays = remove_strays(self._settings.sync, FOLDER, lambda rig, run: (rig, run) in known or rig in rebuilding)
        for rig, run in strays:
            _log.warning("removed the briefs of %s/%s, which control knows nothing of", rig, run)


def _state(connection: Connection, run: BriefRun) -> Any:
    query = select(BriefState).where(BriefState.rig == run.rig, BriefState.run == run.run)
    return connection.execute(query).first()


def _command(connection: Connection, run: BriefRun) -> dict[str, Any] | None:
    """The command that the run was assigned with: its briefing in control's words, and whom a reply starts.

    Both stay as they are for good, so no signature holds them.
    """
    query = select(Assignment.command).where(Assignment.rig == run.rig, Assignment.run == run.run)
    return connection.execute(query).scalar()


def _readers(names: Iterable[str]) -> set[str]:
    """The readers whose files have these names."""
    return {name.rpartition(".")[0] for name in names}


def _changed(folder: SyncFolder, files: Mapping[str, str]) -> list[str]:
    """The names of files that are not as they were written."""
    found = {name: folder.read(name) for name in files}
    return [name for name, data in found.items() if data is None or hashlib.sha256(data).hexdigest() != files[name]]


def _altered(folder: SyncFolder, files: Mapping[str, str]) -> bool:
    """Whether the files are not those that were written, or others lie beside them."""
    return bool(_changed(folder, files) or folder.strays((), files.__contains__))
