"""Whose `knowledge/` is kept and what it is made from: everything here is read from control's record as it stands.

A run is `running` while it is assigned and open, `ended` until the grace after that is over, then `gone`.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import Connection, func, select

from thermite_pipelines.control.channel_models import BriefState
from thermite_pipelines.control.db import chunks
from thermite_pipelines.control.models import Assignment, Fold, Head, Receipt, RigState, Run, SyncState
from thermite_pipelines.knowledge.placement import RunFacts, place
from thermite_pipelines.knowledge.readable import folders_of
from thermite_pipelines.knowledge.state import Mark, placement_facts, running_runs
from thermite_pipelines.knowledge.sync_derived import Derived, derived_in
from thermite_pipelines.times import now_micros

Phase = Literal["running", "ended", "gone"]
ENDED = "ended-"
"""How signatures of ended runs begin: what left them is all that counts."""
# Part of every signature: raise it when the files change for the same items, so that all are made anew.
_FORMAT = "1"


@dataclass(frozen=True)
class SyncRun:
    """A run that has, or should have, a `knowledge/` folder, and the campaign that control's record gives it."""

    rig: str
    run: str
    campaign: str
    phase: Phase


@dataclass(frozen=True)
class Source:
    """A run of a ledger whose items belong in a folder, and how far they are there.

    `is_complete`: all its events are there, as far as control's record knows.
    """

    campaign: str
    run_key: int
    rig: str
    run: str
    label: str
    mark: Mark
    is_complete: bool

    @property
    def group(self) -> str:
        """The run as it stands in item ids."""
        return f"{self.rig}/{self.label}"


@dataclass
class Readable:
    """What the runs of each campaign may read: the sources in the campaign's own folder and in those granted to it.

    `derived` is what is derived in each folder, as it reads at `now`.
    """

    folders: dict[str, list[str]] = field(default_factory=dict)
    sources: dict[str, list[Source]] = field(default_factory=dict)
    derived: dict[str, list[Derived]] = field(default_factory=dict)
    now: int = 0

    def of(self, run: SyncRun) -> list[Source]:
        """The sources of a run, its own records left out, in order."""
        return [
            source
            for folder in self.folders[run.campaign]
            for source in self.sources[folder]
            if not (source.rig == run.rig and source.run == run.run)
        ]

    def derived_of(self, run: SyncRun) -> list[Derived]:
        """What is derived in the folders that a run may read, in order."""
        return [part for folder in self.folders[run.campaign] for part in self.derived.get(folder, ())]

    def signature(self, run: SyncRun) -> str:
        """The hash of what a run's folder is made from; of an ended run, of what may stay in it."""
        ended = run.phase == "ended"
        parts = [_FORMAT, run.rig, run.run, run.campaign, *self.folders[run.campaign]]
        parts += [
            f"{source.campaign} {source.group}" + ("" if ended else f" {source.mark.n} {source.mark.events}")
            for source in self.of(run)
            if ended or source.mark.n
        ]
        parts += [f"{part.campaign} {part.kind} {part.state}" for part in self.derived_of(run) if not ended]
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        return ENDED + digest if ended else digest


def readable(connection: Connection, campaigns: Iterable[str], now: int | None = None) -> Readable:
    """What these campaigns may read now, by grants and placement as they stand."""
    found = Readable(
        {campaign: folders_of(connection, campaign) for campaign in sorted(set(campaigns))}, now=now or now_micros()
    )
    folders = sorted({folder for names in found.folders.values() for folder in names})
    found.derived = derived_in(connection, folders, found.now)
    found.sources = {folder: [] for folder in folders}
    assigned = select(Assignment.rig, Assignment.run).where(Assignment.campaign.in_(folders)).subquery()
    by_assignment = select(Run.run_key).join(assigned, (Run.rig == assigned.c.rig) & (Run.run == assigned.c.run))
    # A run that a rebuild has not seen again yet (no events) keeps its place until the rebuild is over.
    query = (
        select(Run.run_key, Run.rig, Run.run, Run.label, Run.named_campaign, Run.last_n, Run.events)
        .where(Run.run_key.in_(by_assignment) | Run.named_campaign.in_(folders))
        .order_by(Run.rig, Run.label)
    )
    runs = list(connection.execute(query))
    facts = placement_facts(connection, {(row.rig, row.run) for row in runs})
    folded = fold_marks(connection, folders)
    rebuilding = rigs_rebuilding(connection)
    for row in runs:
        campaign = place(RunFacts(row.rig, row.run, row.named_campaign), facts).campaign
        if campaign in found.sources:
            mark = folded.get((campaign, row.run_key), Mark())
            complete = mark == Mark(row.last_n, row.events) and row.rig not in rebuilding
            source = Source(campaign, row.run_key, row.rig, row.run, row.label, mark, complete)
            found.sources[campaign].append(source)
    return found


def fold_marks(connection: Connection, campaigns: Iterable[str]) -> dict[tuple[str, int], Mark]:
    """How far each run is folded into these campaigns' folders, by campaign and run key."""
    columns = select(Fold.campaign, Fold.run_key, Fold.folded_n, Fold.folded_events)
    return {
        (row.campaign, row.run_key): Mark(row.folded_n, row.folded_events)
        for batch in chunks(campaigns)
        for row in connection.execute(columns.where(Fold.campaign.in_(batch)))
    }


def sync_runs(
    connection: Connection,
    now: int,
    grace_seconds: int,
    only: tuple[str, str] | None = None,
    states: type[SyncState] | type[BriefState] = SyncState,
) -> list[SyncRun]:
    """Every run that is running, or has a folder still, in order of rig and run; or one rig's run id alone.

    `states` tells which folders there are. While a rig is rebuilt its runs are told by their last sync alone: their
    events are only being counted again.
    """
    columns = (states.rig, states.run, states.campaign, states.signature)
    synced, assigned = select(*columns), select(Assignment.rig, Assignment.run, Assignment.campaign)
    if only is not None:
        rig, run = only
        synced = synced.where(states.rig == rig, states.run == run)
        assigned = assigned.where(Assignment.rig == rig, Assignment.run == run)
    kept = {(row.rig, row.run): row for row in connection.execute(synced)}
    campaigns = {(row.rig, row.run): row.campaign for row in connection.execute(assigned)}
    rebuilding = rigs_rebuilding(connection)
    found = {
        (run.rig, run.run): SyncRun(run.rig, run.run, run.campaign, "running")
        for run in running_runs(connection, only)
        if run.rig not in rebuilding
    }
    for (rig, run), state in kept.items():
        if (rig, run) in found:
            continue
        campaign = campaigns.get((rig, run))
        if campaign is None:
            found[rig, run] = SyncRun(rig, run, state.campaign, "gone")
        elif rig in rebuilding:
            if state.signature:
                phase = "ended" if state.signature.startswith(ENDED) else "running"
                found[rig, run] = SyncRun(rig, run, campaign, phase)
        else:
            over = ended_at(connection, rig, run) + grace_seconds * 1_000_000 <= now
            found[rig, run] = SyncRun(rig, run, campaign, "gone" if over else "ended")
    return [found[key] for key in sorted(found)]


def rigs_rebuilding(connection: Connection) -> set[str]:
    """The rigs whose events are being made anew."""
    return set(connection.execute(select(RigState.rig).where(RigState.rebuilding)).scalars())


def ended_at(connection: Connection, rig: str, run: str) -> int:
    """When a run that is not open ended: control accepted its finish, or the first report of a ledger begun later."""
    begun = {
        row.ledger: row.first_sent_at
        for row in connection.execute(select(Head.ledger, Head.first_sent_at).where(Head.rig == rig))
    }
    query = select(Run.ledger, Run.finished_accepted_at).where(Run.rig == rig, Run.run == run, Run.events > 0)
    ends = []
    for row in connection.execute(query):
        end = row.finished_accepted_at
        if end is None:
            later = [ledger for ledger, sent_at in begun.items() if sent_at > begun[row.ledger]]
            first_reports = select(func.min(Receipt.accepted_at)).where(
                Receipt.payload_rig == rig, Receipt.ledger.in_(later), Receipt.seq == 1, Receipt.outcome == "accepted"
            )
            end = connection.execute(first_reports).scalar()
        ends.append(end or 0)
    return max(ends, default=0)


def state_of(connection: Connection, run: SyncRun) -> Any:
    """The row that the last sync of a run left; None where there is none."""
    return connection.execute(select(SyncState).where(SyncState.rig == run.rig, SyncState.run == run.run)).first()
