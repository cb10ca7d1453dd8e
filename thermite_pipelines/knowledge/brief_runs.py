"""Whose briefs are kept and what they are made from: control's record and the help files, read as they stand.

One hash, `BriefRun.signature`, covers all of it, so that an unchanged run costs no look at any table.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select, tuple_

from thermite_pipelines.control.channel_models import BriefState
from thermite_pipelines.control.db import chunks
from thermite_pipelines.control.models import Assignment, Fold, Head, RigState, Run, SyncState
from thermite_pipelines.knowledge.brief_help import Channels
from thermite_pipelines.knowledge.items import parse_item_id
from thermite_pipelines.knowledge.placement import RunFacts, place
from thermite_pipelines.knowledge.readable import folders_of
from thermite_pipelines.knowledge.state import Mark, placement_facts
from thermite_pipelines.knowledge.sync_runs import ENDED, Phase, SyncRun, rigs_rebuilding, sync_runs

_Place = tuple[str, str]

# Part of every signature: raise it when briefs read otherwise for the same input, so that all are made anew.
_FORMAT = "2"


@dataclass(frozen=True)
class BriefRun:
    """A run that has, or should have, briefs.

    `ended` also stands for a run whose rig is being rebuilt: its briefs stay as they are but for what must leave.
    `run_key` and `mode` are None, and `label` is the run's id, while none of its events is there. `folders` are those
    that its campaign may read, `hidden` the items picked for its briefing that lie in none of them now. `manifest`:
    the version of its synced folder's; None before the first sync.
    """

    rig: str
    run: str
    campaign: str
    phase: Phase
    run_key: int | None
    label: str
    mode: str | None
    folders: tuple[str, ...]
    hidden: frozenset[str]
    manifest: str | None
    signature: str


def brief_runs(
    connection: Connection, now: int, grace_seconds: int, channels: Channels, only: _Place | None = None
) -> list[BriefRun]:
    """Every run that is running, or has briefs still, in order of rig and run; or one rig's run id alone."""
    runs = sync_runs(connection, now, grace_seconds, only, BriefState)
    facts = _Facts(connection, runs, channels, only)
    return [facts.brief_run(run) for run in runs]


def hidden_picks(connection: Connection, rig: str, run: str, campaign: str) -> frozenset[str]:
    """The items picked for a run's briefing that its campaign may not read now."""
    picks = _picks(connection, [(rig, run)]).get((rig, run), ())
    return _hidden(picks, _placed(connection, picks), folders_of(connection, campaign))


def _hidden(picks: Iterable[str], placed: Mapping[str, str | None], folders: Collection[str]) -> frozenset[str]:
    return frozenset(item for item in picks if placed.get(item) not in folders)


class _Facts:
    """What control's record says about some runs, read at once."""

    def __init__(self, connection: Connection, runs: list[SyncRun], channels: Channels, only: _Place | None) -> None:
        self._channels = channels
        self._rebuilding = rigs_rebuilding(connection)
        self._folders = {name: tuple(folders_of(connection, name)) for name in {run.campaign for run in runs}}
        self._picks = _picks(connection, [(run.rig, run.run) for run in runs])
        self._placed = _placed(connection, {item for picks in self._picks.values() for item in picks})
        self._open = _open_runs(connection, only)
        self._marks = _marks(connection, [row.run_key for row in self._open.values()])
        synced = select(SyncState.rig, SyncState.run, SyncState.signature, SyncState.manifest)
        if only is not None:
            synced = synced.where(SyncState.rig == only[0], SyncState.run == only[1])
        self._synced = {(row.rig, row.run): row for row in connection.execute(synced)}

    def brief_run(self, run: SyncRun) -> BriefRun:
        """One run, with the signature of what its briefs are made from now."""
        phase = "ended" if run.phase == "running" and run.rig in self._rebuilding else run.phase
        folders, picks = self._folders[run.campaign], self._picks.get((run.rig, run.run), ())
        hidden = _hidden(picks, self._placed, folders)
        row, synced = self._open.get((run.rig, run.run)), self._synced.get((run.rig, run.run))
        parts: list[object] = [_FORMAT, run.rig, run.run, run.campaign, *sorted(hidden)]
        if phase == "running":
            parts += ["reads", *folders, "has", self._channels.digest(run.campaign)]
            parts += [None] if synced is None else [synced.signature, synced.manifest]
            if row is not None:
                parts += [row.run_key, row.label, row.mode, self._marks.get((run.campaign, row.run_key))]
        signature = _digest(map(str, parts))
        return BriefRun(
            run.rig,
            run.run,
            run.campaign,
            phase,
            run_key=None if row is None else row.run_key,
            label=run.run if row is None else row.label,
            mode=None if row is None else row.mode,
            folders=folders,
            hidden=hidden,
            manifest=None if synced is None else synced.manifest,
            signature=signature if phase == "running" else ENDED + signature,
        )


def _picks(connection: Connection, runs: list[_Place]) -> dict[_Place, tuple[str, ...]]:
    """The items that people picked for each run."""
    query = select(Assignment.rig, Assignment.run, Assignment.picks)
    return {
        (row.rig, row.run): tuple(row.picks)
        for batch in chunks(runs)
        for row in connection.execute(query.where(tuple_(Assignment.rig, Assignment.run).in_(batch)))
    }


def _placed(connection: Connection, items: Iterable[str]) -> dict[str, str | None]:
    """The folder that each item lies in by control's record as it stands; None, or no entry, for none."""
    wanted: dict[_Place, list[str]] = defaultdict(list)
    for item in items:
        found = parse_item_id(item)
        wanted[found.rig, found.label].append(item)
    if not wanted:
        return {}
    rebuilding = select(RigState.rig).where(RigState.rebuilding)
    query = select(Run.rig, Run.label, Run.run, Run.named_campaign)
    query = query.where((Run.events > 0) | Run.rig.in_(rebuilding))
    rows = [
        row
        for batch in chunks(sorted(wanted))
        for row in connection.execute(query.where(tuple_(Run.rig, Run.label).in_(batch)))
    ]
    facts = placement_facts(connection, {(row.rig, row.run) for row in rows})
    return {
        item: place(RunFacts(row.rig, row.run, row.named_campaign), facts).campaign
        for row in rows
        for item in wanted[row.rig, row.label]
    }


def _open_runs(connection: Connection, only: _Place | None) -> dict[_Place, Any]:
    """The assigned runs that are not finished, each as its rig's newest ledger has it."""
    heads = select(Head.rig, Head.ledger, Head.first_sent_at)
    query = select(Run.run_key, Run.rig, Run.ledger, Run.run, Run.label, Run.mode).where(
        Run.events > 0, Run.finished_n.is_(None)
    )
    query = query.join(Assignment, (Run.rig == Assignment.rig) & (Run.run == Assignment.run))
    if only is not None:
        heads = heads.where(Head.rig == only[0])
        query = query.where(Run.rig == only[0], Run.run == only[1])
    begun = {(row.rig, row.ledger): row.first_sent_at for row in connection.execute(heads)}
    found: dict[_Place, Any] = {}
    for row in sorted(connection.execute(query), key=lambda row: (begun.get((row.rig, row.ledger), 0), row.run_key)):
        found[row.rig, row.run] = row
    return found


def _marks(connection: Connection, run_keys: list[int]) -> dict[tuple[str, int], Mark]:
    """How far each run is folded, by campaign and run key."""
    query = select(Fold.campaign, Fold.run_key, Fold.folded_n, Fold.folded_events)
    return {
        (row.campaign, row.run_key): Mark(row.folded_n, row.folded_events)
        for batch in chunks(run_keys)
        for row in connection.execute(query.where(Fold.run_key.in_(batch)))
    }


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
