"""What a person should look at: requests that nobody answers, agents whose learnings people drop; what was decided."""

from typing import Any

from sqlalchemy import func, select

from thermite_pipelines.control.channel_models import AgentFold, HelpAction, LearningAction
from thermite_pipelines.knowledge.help_reading import Row, day_of, help_requests, is_open
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.learnings.agent import Agent
from thermite_pipelines.times import parse_rfc3339

MANY_DROPPED = 3
SHOWN_OPEN = 20
OPEN_COLUMNS = ("campaign", "rig", "run", "agent", "blocker", "fatal", "hours_open")
_HOUR = 3_600_000_000


def newest_decisions(home: Home, now: int) -> dict[str, Any]:
    """The numbers of people's newest decisions about requests and about learnings (0: none), and the UTC day.

    What is shown of the help folder depends on them besides what agents say. Nothing where no agent said anything.
    `now` in microseconds.
    """
    with home.control.read() as connection:
        if connection.execute(select(AgentFold.agent).limit(1)).first() is None:
            return {}
        request, learning = (
            connection.execute(select(func.max(kind.action))).scalar() or 0 for kind in (HelpAction, LearningAction)
        )
    return {"newest_request_decision": request, "newest_learning_decision": learning, "day": day_of(now).isoformat()}


def open_requests(home: Home, now: int) -> list[Row]:
    """Open requests, at most 20, with `OPEN_COLUMNS`: fatal ones first, of each kind the oldest first; never a text.

    `now` in microseconds.
    """
    rows = [row | {"age": now - parse_rfc3339(row["at"])} for row in help_requests(home, now) if is_open(row)]
    rows.sort(key=lambda row: (not row["fatal"], -row["age"], row["rig"], row["run"]))
    aged = [row | {"hours_open": round(max(0, row["age"]) / _HOUR, 1)} for row in rows[:SHOWN_OPEN]]
    return [{name: row[name] for name in OPEN_COLUMNS} for row in aged]


def waiting_fatal(home: Home, now: int) -> list[Row]:
    """Open fatal requests older than THERMITE_FATAL_HELP_WARN_SECONDS, the oldest first: where, what kind, how long.

    `now` in microseconds. No row holds a text.
    """
    rows = [row | {"age": now - parse_rfc3339(row["at"])} for row in help_requests(home) if row["fatal"]]
    late = [row for row in rows if is_open(row) and row["age"] > home.settings.fatal_help_warn_seconds * 1_000_000]
    named = ("campaign", "rig", "run", "agent", "blocker")
    late.sort(key=lambda row: (-row["age"], row["rig"], row["run"]))
    return [{name: row[name] for name in named} | {"hours_open": round(row["age"] / _HOUR, 1)} for row in late]


def mostly_dropped(home: Home) -> list[Row]:
    """Agents of which people dropped three learnings or more, and at least half of those that they decided about."""
    with home.control.read() as connection:
        folds = list(connection.execute(select(AgentFold).order_by(AgentFold.campaign, AgentFold.agent)))
        decisions = list(connection.execute(select(LearningAction.agent, LearningAction.learning)))
    found = []
    for row in folds:
        learnings = Agent.restore(row.agent, row.state).learnings
        named = [learnings.insight(one.learning) for one in decisions if one.agent == row.agent]
        states = {insight.id: insight.state for insight in named if insight is not None}
        dropped = sum(state == "rejected" for state in states.values())
        if dropped >= MANY_DROPPED and 2 * dropped >= len(states):
            found.append({"campaign": row.campaign, "agent": row.agent, "dropped": dropped, "judged": len(states)})
    return found
