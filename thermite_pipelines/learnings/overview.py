"""What a person should look at: fatal requests that nobody answers, and agents whose learnings people drop."""

from sqlalchemy import select

from thermite_pipelines.control.channel_models import AgentFold, LearningAction
from thermite_pipelines.knowledge.help_reading import Row, help_requests, is_open
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.learnings.agent import Agent
from thermite_pipelines.times import parse_rfc3339

MANY_DROPPED = 3
_HOUR = 3_600_000_000


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
