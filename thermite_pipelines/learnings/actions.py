"""What people decide: answering a help request or marking it dealt with, keeping or dropping a learning.

Each is checked against the state as it stands, audited, and in the files of the `help` folder when it returns. All of
it happens under the lease of the folds, so that two people never decide on two states.
"""

from dataclasses import dataclass

from sqlalchemy import Connection, func, insert, select

from thermite_pipelines.control import audit
from thermite_pipelines.control.channel_models import AgentFold, HelpAction, LearningAction
from thermite_pipelines.control.commands import publish_command, read_control_key
from thermite_pipelines.control.models import Assignment, Receipt, Run
from thermite_pipelines.control.rigs import require_rig
from thermite_pipelines.errors import ThermiteError, UnknownName, UsageError
from thermite_pipelines.knowledge.help_reading import Row, help_requests, is_open, learnings
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.learnings import replies
from thermite_pipelines.learnings.agent import Agent
from thermite_pipelines.learnings.folding import bring_in_step, holding
from thermite_pipelines.learnings.replies import Answer
from thermite_pipelines.names import check_run
from thermite_pipelines.times import now_micros


@dataclass(frozen=True)
class Replied:
    """What came of a reply: the run that it starts, the agent that goes on in it, and where its signed command lies.

    `command` is relative to the home. All three are None where requests were only ever marked as dealt with.
    """

    changed: bool
    rig: str
    run: str
    reply: str | None
    agent: str | None
    command: str | None
    answered: int
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Resolved:
    """How many requests of a run were marked as dealt with."""

    changed: bool
    rig: str
    run: str
    resolved: int


@dataclass(frozen=True)
class Decided:
    """A learning after a person's decision."""

    changed: bool
    id: str
    campaign: str
    agent: str
    state: str


def reply(home: Home, run: str, rig: str | None = None, *, text: str, by: str, flags: tuple[str, ...] = ()) -> Replied:
    """Answer every open request of a run: one new run of the agent that asked, by a signed command.

    A request that was asked again after somebody dealt with it counts as open. Again changes nothing, but writes a
    command file that was lost. Raises `ThermiteError` where the run asked nothing, where its record has no flags and
    none are given, or where control has no signing key; `UsageError` for an empty text.
    """
    if not text.strip():
        raise UsageError("the reply is empty", do="say with --text what the agent should know")
    read_control_key(home.settings)  # without a key no command can be signed: nothing is to change then
    with holding(home):
        rig, requests = _requests_of(home, rig, run)
        due, notices = _of_one_campaign(_due(requests))
        if not due:
            return _replied_before(home, rig, run, requests)
        start = replies.compose(home, due, Answer(text, by, flags))
        with home.control.write() as connection:
            handed = replies.assign(connection, home.settings, start, by)
            _act(connection, due, by, start.run)
            requests_named = [row["request"] for row in due]
            detail = {"campaign": start.campaign, "reply": start.run, "requests": requests_named} | handed.details
            audit.record(connection, by, "reply", f"{rig}/{run}", command=start.payload["id"], **detail)
        command = _publish(home, rig, [*_replies(requests), start.run])
        bring_in_step(home)
    notices += handed.notices + _closed_for_others(due, start.agent)
    return Replied(True, rig, run, start.run, start.agent, command, len(due), notices)


def _due(requests: list[Row]) -> list[Row]:
    """Requests that a person has to deal with: open ones, and those that were asked again after somebody did."""
    return [row for row in requests if is_open(row) or row["asked_again"]]


def _of_one_campaign(due: list[Row]) -> tuple[list[Row], tuple[str, ...]]:
    """The requests that one new run can answer: runs of one name in two ledgers may be of two campaigns."""
    first = min(due, key=lambda row: not row["fatal"], default=None)
    chosen = [row for row in due if first is not None and row["campaign"] == first["campaign"]]
    others = sorted({row["campaign"] for row in due if row not in chosen})
    said = f"what the run of that name in campaign {', '.join(others)} asked is still open: reply once more"
    return chosen, ((said,) if others else ())


def _closed_for_others(due: list[Row], agent: str) -> tuple[str, ...]:
    """Says which agents' requests are answered along with those of the one that goes on."""
    others = sorted({row["agent"] for row in due} - {agent})
    said = f"agent {agent} goes on; the same answer closes what {', '.join(others)} asked, and starts no run of theirs"
    return (said,) if others else ()


def _replies(requests: list[Row]) -> list[str]:
    """The runs that answered requests already, each once."""
    return list(dict.fromkeys(row["reply"] for row in requests if row["reply"] is not None))


def _publish(home: Home, rig: str, runs: list[str]) -> str:
    """See that the commands of these runs lie where the rig looks; the path of the last, relative to the home."""
    paths = [publish_command(home.control, home.settings, rig, run) for run in runs]
    return paths[-1].relative_to(home.settings.home).as_posix()


def _replied_before(home: Home, rig: str, run: str, requests: list[Row]) -> Replied:
    """Nothing is open: say what was answered before, and see that its command lies where the rig looks."""
    answers = _replies(sorted(requests, key=lambda row: row["resolved_at"]))
    if not answers:
        notices = ("nothing is open: the requests were marked as dealt with",)
        return Replied(False, rig, run, None, None, None, 0, notices)
    command = _publish(home, rig, answers)
    with home.control.read() as connection:
        query = select(Assignment.command).where(Assignment.rig == rig, Assignment.run == answers[-1])
        agent = connection.execute(query).scalar_one()["agent"]
    return Replied(False, rig, run, answers[-1], agent, command, 0, ("nothing is open: a reply was given before",))


def resolve(home: Home, run: str, rig: str | None = None, *, by: str) -> Resolved:
    """Mark every open request of a run as dealt with; nothing starts. Again changes nothing.

    Raises `ThermiteError` where the run asked nothing.
    """
    with holding(home):
        rig, requests = _requests_of(home, rig, run)
        due = _due(requests)
        if due:
            with home.control.write() as connection:
                _act(connection, due, by, None)
                detail = {"campaign": due[0]["campaign"], "requests": [row["request"] for row in due]}
                audit.record(connection, by, "resolve", f"{rig}/{run}", **detail)
            bring_in_step(home)
    return Resolved(bool(due), rig, run, len(due))


def _requests_of(home: Home, rig: str | None, run: str) -> tuple[str, list[Row]]:
    """The rig that is meant, and the requests of its run as they stand. Raises `ThermiteError` where there are none."""
    check_run(run)
    if rig is not None:
        with home.control.read() as connection:
            require_rig(connection, rig)
    bring_in_step(home)
    asked = [row for row in help_requests(home) if row["run"] == run and rig in (None, row["rig"])]
    rigs = sorted({row["rig"] for row in asked})
    if not rigs:
        place = run if rig is None else f"{rig}/{run}"
        raise UnknownName(f"no run {place} has asked for help", do="look at `thermite requests list`")
    if len(rigs) > 1:
        raise ThermiteError(f"runs {run} of several rigs asked: {', '.join(rigs)}", do="name one with --rig")
    return rigs[0], asked


def _act(connection: Connection, requests: list[Row], by: str, answer: str | None) -> None:
    places = ("rig", "ledger", "run", "request")
    taken = {"reply": answer, "by": by, "at": now_micros(), "receipt_number": _newest_receipt(connection)}
    rows = [{name: row[name] for name in places} | taken for row in requests]
    connection.execute(insert(HelpAction), rows)


def _newest_receipt(connection: Connection) -> int:
    return connection.execute(select(func.max(Receipt.accepted_number))).scalar() or 0


def keep(home: Home, learning: str, *, by: str) -> Decided:
    """Keep a learning: it lapses no more. Any proposal's id names it; again changes nothing.

    Raises `ThermiteError` for an unknown id, and for a learning that lapsed or was dropped.
    """
    return _decide(home, learning, "keep", by)


def drop(home: Home, learning: str, *, by: str) -> Decided:
    """Drop a learning: it is shown no more and counts no more, whoever proposes it again. Raises as `keep` does."""
    return _decide(home, learning, "drop", by)


def _decide(home: Home, learning: str, verb: str, by: str) -> Decided:
    with holding(home):
        row = find_learning(home, learning)
        state = row["state"]
        if state in ("lapsed", "rejected"):
            why = "it lapsed: an agent has to find it again first" if state == "lapsed" else "a person dropped it"
            raise ThermiteError(f"can't {verb} this learning: {why}", where=row["id"], do="`thermite learnings list`")
        changed = verb == "drop" or state == "provisional"
        if changed:
            with home.control.write() as connection:
                values = {"campaign": row["campaign"], "agent": row["agent"], "learning": row["id"], "verb": verb}
                others = _others(connection, row)
                taken = {"by": by, "at": now_micros(), "receipt_number": _newest_receipt(connection)}
                said = {"others": others, "text": row["text"]}
                connection.execute(insert(LearningAction), [values | taken | said])
                audit.record(connection, by, verb, row["id"], campaign=row["campaign"], agent=row["agent"])
            row = find_learning(home, learning)
    return Decided(changed, row["id"], row["campaign"], row["agent"], row["state"])


def _others(connection: Connection, row: Row) -> list[str]:
    """The first proposal of each other run that said the same as the learning, by its id."""
    of_agent = (AgentFold.campaign == row["campaign"], AgentFold.agent == row["agent"])
    state = connection.execute(select(AgentFold.state).where(*of_agent)).scalar_one()
    first: dict[str, str] = {}
    for proposal in Agent.restore(row["agent"], state).learnings.proposals_of(row["id"]):
        first.setdefault(proposal.rpartition("/")[0], proposal)
    return [proposal for proposal in first.values() if proposal != row["id"]]


def find_learning(home: Home, learning: str) -> Row:
    """The learning that an id names, as the files have it now; the id of any of its proposals will do.

    The lease is held. Raises `UnknownName` where no proposal has that id.
    """
    bring_in_step(home)
    found = known_learning(home, learning)
    if found is None:
        raise UnknownName(f"there is no learning {learning[:200]!r}", do="take an id from `thermite learnings list`")
    return found


def known_learning(home: Home, learning: str) -> Row | None:
    """The learning that the id of any of its proposals names, as the files have it; nothing is brought in step."""
    rows = {row["id"]: row for row in learnings(home)}
    return rows.get(learning) or rows.get(_first_id(home, learning) or "")


def _first_id(home: Home, proposal: str) -> str | None:
    """The id of the learning that took a proposal, which may be an echo of it."""
    named, _, _ = proposal.rpartition("/")
    rig, _, label = named.partition("/")
    with home.control.read() as connection:
        if connection.execute(select(Run.run_key).where(Run.rig == rig, Run.label == label)).first() is None:
            return None
        for row in connection.execute(select(AgentFold.agent, AgentFold.state)):
            insight = Agent.restore(row.agent, row.state).learnings.insight(proposal)
            if insight is not None:
                return insight.id
    return None
