"""Where each run belongs and how far each folder is: what should be, beside what is.

Everything here is computed from control's record as it stands, so that a lost cursor or a missed tick changes nothing.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select, tuple_

from thermite_pipelines.control.db import Control, chunks, upsert
from thermite_pipelines.control.models import Assignment, Campaign, CampaignState, Fold, Head, RigState, Run
from thermite_pipelines.knowledge.items import RunId
from thermite_pipelines.knowledge.placement import PlacementFacts, RunFacts, place
from thermite_pipelines.times import now_micros


@dataclass(frozen=True)
class Mark:
    """How far a run is folded: the number of its last event, and how many events that is (other runs' lie between)."""

    n: int = 0
    events: int = 0


@dataclass(frozen=True)
class RunState:
    """A run of a ledger, as its verified events tell it, with the folder it belongs in now (or why in none)."""

    run_key: int
    rig: str
    ledger: str
    run: str
    label: str
    mode: str
    named_campaign: str | None
    accepted_number: int
    created_n: int
    last_n: int
    events: int
    started: bool
    outcome: str | None
    finished_n: int | None
    finished_accepted_at: int | None
    last_accepted_at: int
    campaign: str | None
    why: str | None
    said_n: int | None = 0
    said_events: int | None = 0

    @property
    def state(self) -> str:
        """`created`, `running`, `completed`, `failed` or `stopped`."""
        return self.outcome or ("running" if self.started else "created")

    @property
    def run_id(self) -> RunId:
        """The run as the fold sees it."""
        return RunId(self.rig, self.ledger, self.run, self.label)

    @property
    def mark(self) -> Mark:
        """Where a fold of all its events ends."""
        return Mark(self.last_n, self.events)

    def resume(self, mark: Mark | None) -> Mark:
        """Where folding goes on from. Events that were judged anew since may be others: then it begins anew."""
        if mark is None or mark.n > self.last_n or mark.events > self.events:
            return Mark()
        return Mark() if mark.n == self.last_n and mark != self.mark else mark


@dataclass(frozen=True)
class OpenRun:
    """A run that control assigned and that has not finished: it is synced."""

    rig: str
    run: str
    campaign: str


@dataclass
class CampaignLag:
    """How far a campaign's folder is behind what it should hold."""

    campaign: str
    target: str
    folded: str
    behind: int = 0
    since: int | None = None
    refreshed_at: int | None = None
    runs: list[RunState] = field(default_factory=list)

    @property
    def is_behind(self) -> bool:
        """Whether the folder is not what it should be."""
        return self.target != self.folded


def placement_facts(connection: Connection, runs: Collection[tuple[str, str]] | None = None) -> PlacementFacts:
    """What control's record says about placement now: of all runs, or of some by rig and run id."""
    campaigns = frozenset(connection.execute(select(Campaign.campaign)).scalars())
    query = select(Assignment.rig, Assignment.run, Assignment.campaign)
    # A run that a person's reply starts is no word on whose runs the campaign takes.
    by_people = Assignment.command["command"].as_string() != "start_run"
    assigned = frozenset(connection.execute(select(Assignment.campaign).where(by_people).distinct()).scalars())
    if runs is None:
        rows = list(connection.execute(query))
        return PlacementFacts({(row.rig, row.run): row.campaign for row in rows}, campaigns, assigned)
    assignments = {
        (row.rig, row.run): row.campaign
        for batch in chunks(sorted(runs))
        for row in connection.execute(query.where(tuple_(Assignment.rig, Assignment.run).in_(batch)))
    }
    return PlacementFacts(assignments, campaigns, assigned)


def all_runs(connection: Connection, *conditions: Any) -> list[RunState]:
    """All runs (or those that meet SQL conditions on `Run`) with their placement, by rig, ledger and first event."""
    facts = placement_facts(connection)
    query = select(Run).where(Run.events > 0, *conditions).order_by(Run.rig, Run.ledger, Run.created_n)
    return [_run_state(row, facts) for row in connection.execute(query)]


def _run_state(row: Any, facts: PlacementFacts) -> RunState:
    placement = place(RunFacts(row.rig, row.run, row.named_campaign), facts)
    return RunState(**row._mapping, campaign=placement.campaign, why=placement.why)


def runs_of(connection: Connection, campaign: str) -> list[RunState]:
    """The runs whose items belong in a campaign's folder."""
    assigned = select(Assignment.rig, Assignment.run).where(Assignment.campaign == campaign).subquery()
    by_assignment = select(Run.run_key).join(assigned, (Run.rig == assigned.c.rig) & (Run.run == assigned.c.run))
    condition = Run.run_key.in_(by_assignment) | (Run.named_campaign == campaign)
    return [run for run in all_runs(connection, condition) if run.campaign == campaign]


def runs_of_rig(connection: Connection, rig: str) -> list[RunState]:
    """All runs of a rig, in all its ledgers."""
    return all_runs(connection, Run.rig == rig)


def marks(connection: Connection, campaign: str) -> dict[int, Mark]:
    """How far each run is folded into a folder, by run key."""
    query = select(Fold.run_key, Fold.folded_n, Fold.folded_events).where(Fold.campaign == campaign)
    return {row.run_key: Mark(row.folded_n, row.folded_events) for row in connection.execute(query)}


def keys_on_hold(connection: Connection) -> frozenset[int]:
    """Runs of rigs whose event tables are being rebuilt: not all is known of them, so folders keep what they have."""
    rebuilding = select(RigState.rig).where(RigState.rebuilding)
    return frozenset(connection.execute(select(Run.run_key).where(Run.rig.in_(rebuilding))).scalars())


def target(runs: Iterable[RunState]) -> str:
    """What a folder should hold, as a short hash over its runs and their events."""
    return _watermark((f"{run.rig}/{run.ledger}/{run.run}", run.mark) for run in runs)


def _watermark(parts: Iterable[tuple[str, Mark]]) -> str:
    lines = sorted(f"{run}/{mark.n}/{mark.events}" for run, mark in parts)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def campaign_lags(connection: Connection, *campaigns: str) -> dict[str, CampaignLag]:
    """How far each campaign's folder is (of all campaigns, or of those named)."""
    names = campaigns or tuple(connection.execute(select(Campaign.campaign).order_by(Campaign.campaign)).scalars())
    on_hold = keys_on_hold(connection)
    runs = {run.run_key: run for run in all_runs(connection) if run.run_key not in on_hold}
    placed: dict[str, list[RunState]] = defaultdict(list)
    for run in runs.values():
        if run.campaign is not None:
            placed[run.campaign].append(run)
    folds: dict[str, dict[int, Mark]] = defaultdict(dict)
    for row in connection.execute(select(Fold)):
        if row.run_key not in on_hold:
            folds[row.campaign][row.run_key] = Mark(row.folded_n, row.folded_events)
    states = {row.campaign: row for row in connection.execute(select(CampaignState))}
    return {name: _lag(name, placed[name], folds[name], states.get(name), runs) for name in names}


def _lag(
    campaign: str, placed: list[RunState], folds: dict[int, Mark], state: Any, runs: dict[int, RunState]
) -> CampaignLag:
    folded = [
        (f"{runs[key].rig}/{runs[key].ledger}/{runs[key].run}" if key in runs else str(key), mark)
        for key, mark in folds.items()
    ]
    lag = CampaignLag(campaign, target(placed), _watermark(folded), runs=placed)
    if state is not None:
        lag.folded += "-unswept" if state.sweep else ""
        lag.refreshed_at = state.refreshed_at
    late = [run for run in placed if folds.get(run.run_key) != run.mark]
    lag.behind = sum(run.events - run.resume(folds.get(run.run_key)).events for run in late)
    if lag.is_behind:
        since = state.behind_since if state is not None else None
        lag.since = since or min((run.last_accepted_at for run in late), default=None)
    return lag


def unplaced_runs(connection: Connection) -> list[RunState]:
    """Runs whose items are in no folder; `why` says the reason."""
    return [run for run in all_runs(connection) if run.campaign is None]


def running_runs(connection: Connection, only: tuple[str, str] | None = None) -> list[OpenRun]:
    """Runs that control assigned and that are open (of all, or of one rig and run id): their `knowledge/` is kept.

    A run that has sent nothing yet counts. A run of a ledger does not once another ledger of its rig, begun later by
    the rig's clock, is accepted: the rig was reset since.
    """
    heads, seen = select(Head), select(Run.rig, Run.run, Run.ledger, Run.finished_n)
    assigned = select(Assignment.rig, Assignment.run, Assignment.campaign).order_by(Assignment.rig, Assignment.run)
    if only is not None:
        rig, run = only
        heads, seen = heads.where(Head.rig == rig), seen.where(Run.rig == rig, Run.run == run)
        assigned = assigned.where(Assignment.rig == rig, Assignment.run == run)
    begun = {(row.rig, row.ledger): row.first_sent_at for row in connection.execute(heads)}
    newest: dict[str, int] = {}
    for (rig, _), sent_at in begun.items():
        newest[rig] = max(newest.get(rig, sent_at), sent_at)
    rows: dict[tuple[str, str], list[Any]] = defaultdict(list)
    rebuilding = select(RigState.rig).where(RigState.rebuilding)
    for row in connection.execute(seen.where((Run.events > 0) | Run.rig.in_(rebuilding))):
        rows[row.rig, row.run].append(row)
    found = []
    for row in connection.execute(assigned):
        runs = rows[row.rig, row.run]
        is_open = any(run.finished_n is None and begun[run.rig, run.ledger] == newest[run.rig] for run in runs)
        if not runs or is_open:
            found.append(OpenRun(row.rig, row.run, row.campaign))
    return found


def note_targets(
    control: Control, report: Callable[[dict[str, str]], None], *, known: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Hand the targets that moved since they were reported last to `report`, then remember them; return them.

    `known` is what the other side holds, where it can say so: then that decides, not what is remembered here. A kill in
    between reports a target twice, which changes nothing; none is lost.
    """
    with control.read() as connection:
        lags = campaign_lags(connection)
        states = {row.campaign: row for row in connection.execute(select(CampaignState))}
    moved, rows = {}, []
    for name, lag in lags.items():
        state = states.get(name)
        since = state.behind_since if state else None
        wanted = (since or now_micros()) if lag.is_behind else None
        noted = state.reported_target if state else None
        if (noted if known is None else known.get(name)) != lag.target:
            moved[name] = lag.target
        if noted != lag.target or since != wanted:
            rows.append({"campaign": name, "reported_target": lag.target, "behind_since": wanted})
    if moved:
        report(moved)
    if rows:
        with control.write() as connection:
            for row in rows:
                update_state(connection, **row)
    return moved


def _state_row(campaign: str, state: Any) -> dict[str, Any]:
    blank = {"reported_target": None, "behind_since": None, "refreshed_at": None, "checked_at": None, "sweep": False}
    return {"campaign": campaign} | (blank if state is None else dict(state._mapping))


def update_state(connection: Connection, campaign: str, **values: Any) -> None:
    """Change columns of a campaign's state."""
    state = connection.execute(select(CampaignState).where(CampaignState.campaign == campaign)).first()
    upsert(connection, CampaignState, [_state_row(campaign, state) | values])
