"""Bringing each agent's requests and learnings in step with verified events and with what people decided.

What was folded lies in control's record with a mark of how far that is. Where all that is new comes after the mark, it
is added; a late event, a run that moved, or events judged anew make the agent's fold begin anew: both give the same.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, func, select, update

from thermite_pipelines.control.channel_models import AgentFold, ChannelEvent, LearningAction
from thermite_pipelines.control.db import chunks, upsert
from thermite_pipelines.control.leases import lease
from thermite_pipelines.control.models import Run
from thermite_pipelines.intake.channel_rows import judged_since
from thermite_pipelines.knowledge.help_reading import BLOCKERS, STATES, Row, help_requests, is_open, learnings, refusals
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.placement import RunFacts, place
from thermite_pipelines.knowledge.state import RunState, all_runs, placement_facts
from thermite_pipelines.knowledge.sync_runs import rigs_rebuilding
from thermite_pipelines.learnings.agent import RULES, Agent, Decision, Told
from thermite_pipelines.learnings.publishing import inputs_of, is_published, publish, rendered

LEASE = "help"
LEASE_WAIT_SECONDS = 60

Key = tuple[str, str]
"""Campaign and agent."""


@dataclass(frozen=True)
class ChannelNumbers:
    """What is there after a fold; `folded` names campaigns of which something was new.

    The versions are hashes of what the files of requests say, and of what those of learnings and refusals do.
    """

    asked: int
    open: int
    fatal_open: int
    requests: dict[str, int]  # open ones by category
    learnings: dict[str, int]  # by state
    refused: int
    folded: list[str]
    requests_version: str
    learnings_version: str


@dataclass
class _Work:
    """An agent with its runs' counts of channel events, and what people decided about its learnings."""

    runs: dict[int, RunState] = field(default_factory=dict)
    counts: dict[int, list[int]] = field(default_factory=dict)  # run key -> number of events, number of the last
    decisions: list[Decision] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)  # texts, of runs that have left the campaign

    def is_current(self, mark: dict[str, Any]) -> bool:
        newest = max((decision.action for decision in self.decisions), default=0)
        same = bool(mark) and mark["rules"] == RULES and mark["runs"] == _plain(self.counts)
        return same and mark["actions"] == newest and mark["dropped"] == self.dropped


def refresh_channels(home: Home, *, whole: bool = False, campaign: str | None = None) -> ChannelNumbers:
    """Fold what is new, write the files of the `help` folder, and count what there is.

    With `whole` all is folded from the first event on, or all of one campaign. Raises `LeaseTaken` where another
    process keeps at it for a minute, and `ThermiteError` where the disk is full.
    """
    folded: list[str] = []
    if whole or not is_published(home):
        with holding(home):
            folded = bring_in_step(home, whole=whole, campaign=campaign)
    return _numbers(home, folded)


def holding(home: Home) -> AbstractContextManager[None]:
    """The lease under which folds, files and people's decisions change; it is waited for. Raises `LeaseTaken`."""
    return lease(home.control, LEASE, wait=LEASE_WAIT_SECONDS)


def bring_in_step(home: Home, *, whole: bool = False, campaign: str | None = None) -> list[str]:
    """Fold what is new and write the files; return the campaigns that were folded. The lease is held.

    `whole` and `campaign` as in `refresh_channels`.
    """
    if not whole and is_published(home):
        return []
    with home.control.read() as connection:
        inputs, since = inputs_of(connection), judged_since(connection)
        now = _read(connection)
    anew = {key for key in now.work if whole and campaign in (None, key[0])}
    marks = {key: {} if key in anew else now.marks.get(key, {}) for key in now.work}
    late = [key for key, todo in now.work.items() if not todo.is_current(marks[key])]
    for key in late:
        _fold_agent(home, key, now.work[key], marks[key], since)
    for key in now.held:
        _decide_held(home, key)
    if now.gone:
        with home.control.write() as connection:
            for campaign, agent in now.gone:
                of_agent = (AgentFold.campaign == campaign, AgentFold.agent == agent)
                connection.execute(delete(AgentFold).where(*of_agent))
    publish(home, inputs)
    return sorted({campaign for campaign, _ in [*late, *now.gone]})


def channels_behind(home: Home) -> dict[str, str]:
    """The campaigns of which something is not folded yet, each with a hash of what should be."""
    if is_published(home):
        return {}
    with home.control.read() as connection:
        now, target = _read(connection), inputs_of(connection)
    return dict.fromkeys(now.late, target)


def files_behind(home: Home) -> str | None:
    """A hash of what the files should be made from, where all is folded and only they are not as they should be.

    None too where no agent said anything: then there is nothing to write.
    """
    if is_published(home):
        return None
    with home.control.read() as connection:
        now, target = _read(connection), inputs_of(connection)
    return target if (now.work or now.marks) and not now.late else None


def _fold_agent(home: Home, key: Key, todo: _Work, mark: dict[str, Any], since: str) -> None:
    """Fold one agent, from its mark where that can be gone on from, and keep the state with its new mark.

    Nothing is kept where events began to be judged anew meanwhile (`since`): the next fold has them.
    """
    campaign, agent = key
    with home.control.read() as connection:
        news = _Step.after(connection, agent, todo, mark)
        if news is None:
            news, mark = _Step(_events(connection, agent, todo, {}), todo.decisions), {}
        query = select(AgentFold.state).where(AgentFold.campaign == campaign, AgentFold.agent == agent)
        stored = connection.execute(query).scalar() if mark else None
    state = Agent.new(agent, todo.dropped) if stored is None else Agent.restore(agent, stored)
    state.apply(news.events, news.decisions)
    row = {"campaign": campaign, "agent": agent, "mark": news.mark(todo, mark), "state": state.snapshot()}
    row["rendered"] = rendered(campaign, agent, state)
    with home.control.write() as connection:
        if judged_since(connection) == since:
            upsert(connection, AgentFold, [row])


def _decide_held(home: Home, key: Key) -> None:
    """Let people's decisions hold in a state that can't be folded on now: its events are being judged anew.

    What is decided already stays so when it is decided again, and the next fold begins anew.
    """
    place = (AgentFold.campaign == key[0], AgentFold.agent == key[1])
    with home.control.write() as connection:
        query = select(LearningAction).where(LearningAction.agent == key[1]).order_by(LearningAction.action)
        taken = [Decision(row.action, row.learning, row.verb, 0) for row in connection.execute(query)]
        stored = connection.execute(select(AgentFold.state).where(*place)).scalar() if taken else None
        if stored is None:
            return
        state = Agent.restore(key[1], stored)
        state.apply([], taken)
        if state.learnings.take_changed():
            values = {"mark": {}, "state": state.snapshot(), "rendered": rendered(*key, state)}
            connection.execute(update(AgentFold).where(*place).values(values))


@dataclass(frozen=True)
class _Step:
    """Events in order, and decisions, that a fold takes at once."""

    events: list[Told]
    decisions: list[Decision]

    @classmethod
    def after(cls, connection: Connection, agent: str, todo: _Work, mark: dict[str, Any]) -> "_Step | None":
        """What is new since a mark; None where the fold can't go on from there."""
        if not mark or mark["rules"] != RULES or mark["dropped"] != todo.dropped:
            return None
        if not mark["runs"].keys() <= _plain(todo.counts).keys():
            return None
        known = {int(run): counted for run, counted in mark["runs"].items()}
        if any(todo.counts[run][0] < count or todo.counts[run][1] < last for run, (count, last) in known.items()):
            return None
        events = _events(connection, agent, todo, {run: last for run, (_, last) in known.items()})
        if len(events) != sum(count for count, _ in todo.counts.values()) - sum(count for count, _ in known.values()):
            return None
        decisions = [one for one in todo.decisions if one.action > mark["actions"]]
        # An event that sorts before folded ones, one that an applied decision had to follow, a decision that comes
        # before folded events: each asks for the whole history.
        late = any(list(event[:4]) <= mark["last"] or event.accepted_number <= mark["decided"] for event in events)
        early = any(one.receipt_number < mark["number"] for one in decisions)
        return None if late or early else cls(events, decisions)

    def mark(self, todo: _Work, before: dict[str, Any]) -> dict[str, Any]:
        """How far the fold is after this step."""
        last = list(self.events[-1][:4]) if self.events else before.get("last", [])
        return {
            "rules": RULES,
            "runs": _plain(todo.counts),
            "last": last,
            "number": max([before.get("number", 0), *(event.accepted_number for event in self.events)]),
            "actions": max((one.action for one in todo.decisions), default=0),
            "dropped": todo.dropped,
            "decided": max((one.receipt_number for one in todo.decisions), default=0),
        }


def _plain(counts: dict[int, list[int]]) -> dict[str, list[int]]:
    return {str(run): counted for run, counted in sorted(counts.items())}


@dataclass(frozen=True)
class _State:
    """What there is to fold, and how far each agent is.

    `gone`: folded agents that have nothing to fold any more; `held`: those that stay as they are for now.
    """

    work: dict[Key, _Work]
    marks: dict[Key, dict[str, Any]]
    gone: list[Key]
    held: list[Key]

    @property
    def late(self) -> list[str]:
        """The campaigns of which something is not folded yet."""
        behind = {key[0] for key, todo in self.work.items() if not todo.is_current(self.marks.get(key, {}))}
        return sorted(behind | {key[0] for key in self.gone})


def _read(connection: Connection) -> _State:
    """Every agent that said something in a placed run.

    Campaigns with runs of a rig that is being rebuilt stay as they are: not all is known of those runs.
    """
    held = _held(connection)
    work = {key: todo for key, todo in _work(connection).items() if key[0] not in held}
    rows = connection.execute(select(AgentFold.campaign, AgentFold.agent, AgentFold.mark))
    marks = {(row.campaign, row.agent): row.mark for row in rows}
    gone = [key for key in marks if key not in work and key[0] not in held]
    return _State(work, marks, gone, [key for key in marks if key[0] in held])


def _held(connection: Connection) -> set[str | None]:
    facts = placement_facts(connection)
    query = select(Run.rig, Run.run, Run.named_campaign).where(Run.rig.in_(rigs_rebuilding(connection)))
    return {place(RunFacts(*row), facts).campaign for row in connection.execute(query)}


def _work(connection: Connection) -> dict[Key, _Work]:
    runs = all_runs(connection, Run.run_key.in_(select(ChannelEvent.run_key).distinct()))
    placed = {run.run_key: run for run in runs}
    named = {f"{run.rig}/{run.label}": run.campaign for run in runs}
    counted = select(ChannelEvent.run_key, ChannelEvent.agent, func.count(), func.max(ChannelEvent.n))
    found: dict[Key, _Work] = defaultdict(_Work)
    for run_key, agent, count, last in connection.execute(counted.group_by(ChannelEvent.run_key, ChannelEvent.agent)):
        run = placed.get(run_key)
        if run is not None and run.campaign is not None:
            todo = found[run.campaign, agent]
            todo.runs[run_key], todo.counts[run_key] = run, [count, last]
    for row in connection.execute(select(LearningAction).order_by(LearningAction.action)):
        held = _held_where(row, named)
        for campaign, learning in held.items():
            if (campaign, row.agent) in found:
                decision = Decision(row.action, learning, row.verb, row.receipt_number)
                found[campaign, row.agent].decisions.append(decision)
        if row.verb == "drop" and row.campaign not in held and (row.campaign, row.agent) in found:
            found[row.campaign, row.agent].dropped.append(row.text)
    return dict(found)


def _held_where(action: Any, campaigns: dict[str, str | None]) -> dict[str, str]:
    """The campaigns in which a decision holds, with the proposal that names the insight there.

    A run that moved takes its proposals with it, and what was decided about them.
    """
    found: dict[str, str] = {}
    for proposal in (action.learning, *action.others):
        campaign = campaigns.get(proposal.rpartition("/")[0])
        if campaign is not None:
            found.setdefault(campaign, proposal)
    return found


def _events(connection: Connection, agent: str, todo: _Work, after: dict[int, int]) -> list[Told]:
    """The agent's events in its runs, of each run those after a number, in the one order."""
    found: list[Told] = []
    for keys in chunks(sorted(todo.runs)):
        query = select(ChannelEvent).where(ChannelEvent.agent == agent, ChannelEvent.run_key.in_(keys))
        least = min(after.get(key, 0) for key in keys)
        for row in connection.execute(query.where(ChannelEvent.n > least)):
            if row.n > after.get(row.run_key, 0):
                found.append(_told(row, todo.runs[row.run_key]))
    return sorted(found, key=lambda event: event[:4])


def _told(row: Any, run: RunState) -> Told:
    return Told(
        row.at,
        run.rig,
        run.ledger,
        row.n,
        run.run,
        run.label,
        row.type,
        row.occurred_at,
        row.accepted_number,
        row.accepted_at,
        row.data,
    )


def _numbers(home: Home, folded: Iterable[str]) -> ChannelNumbers:
    requests, insights, refused = help_requests(home), learnings(home), refusals(home)
    opened = [row for row in requests if is_open(row)]
    by_blocker, by_state = Counter(row["blocker"] for row in opened), Counter(row["state"] for row in insights)
    return ChannelNumbers(
        asked=len(requests),
        open=len(opened),
        fatal_open=sum(row["fatal"] for row in opened),
        requests={name: by_blocker[name] for name in BLOCKERS},
        learnings={name: by_state[name] for name in STATES},
        refused=len(refused),
        folded=list(folded),
        requests_version=_version(requests),
        learnings_version=_version([*insights, *refused]),
    )


def _version(rows: list[Row]) -> str:
    return hashlib.sha256(msgspec.json.encode(rows)).hexdigest()[:16]
