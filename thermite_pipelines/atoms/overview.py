"""Numbers of a campaign's sessions and atoms for people who watch: counts, ids, kinds and days, never a text."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from thermite_pipelines.atoms.inspection import table_rows
from thermite_pipelines.atoms.store import state_of, stored_sessions
from thermite_pipelines.atoms.targets import atom_targets
from thermite_pipelines.control.atom_models import Session
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.tables.derived import ATOMS, CHECKPOINTS, INTENTS

_NEWEST = 50


@dataclass(frozen=True)
class SessionNumbers:
    """Sessions of a campaign; `content` is a hash of all that was read."""

    sessions: int
    human_messages: int
    tools: dict[str, int]
    newest: list[dict[str, Any]]
    content: str


@dataclass(frozen=True)
class AtomNumbers:
    """What was taken from them; `signal` is the signal-to-noise of each whole checkpoint, by its number."""

    atoms: int
    intents: int
    types: dict[str, int]
    intent_days: dict[str, int]
    newest: list[dict[str, Any]]
    checkpoints: list[dict[str, Any]]
    signal: dict[str, float]
    content: str


def sessions(connection: Connection, campaign: str) -> SessionNumbers:
    """The sessions as control's record has them, the newest first."""
    rows = stored_sessions(connection, campaign)
    query = select(Session.session, Session.established_at).where(Session.campaign == campaign)
    times = {row.session: row.established_at for row in connection.execute(query)}
    newest = sorted(rows, key=lambda row: (times.get(row["session"], 0), row["session"]), reverse=True)
    content = hashlib.sha256("\n".join(f"{row['session']} {row['content_sha256']}" for row in rows).encode())
    return SessionNumbers(
        sessions=len(rows),
        human_messages=sum(row["human_messages"] for row in rows),
        tools=dict(Counter(row["tool"] for row in rows).most_common()),
        newest=[
            {
                "session": row["session"],
                "tool": row["tool"],
                "day": row["established"],
                "human_messages": row["human_messages"],
                "skipped": row["skipped_lines"],
            }
            for row in newest[:_NEWEST]
        ],
        content=content.hexdigest()[:16],
    )


def atoms(home: Home, campaign: str) -> AtomNumbers:
    """The atoms, intents and checkpoints as the tables have them."""
    rows = table_rows(home, ATOMS, campaign)
    intents = table_rows(home, INTENTS, campaign)
    checkpoints = table_rows(home, CHECKPOINTS, campaign)
    with home.control.read() as connection:
        state = state_of(connection, campaign)
    newest = sorted(rows, key=lambda row: (row["established"], row["atom"]), reverse=True)
    days = Counter(row["established"] for row in intents)
    return AtomNumbers(
        atoms=len(rows),
        intents=len(intents),
        types=dict(Counter(row["type"] for row in rows).most_common()),
        intent_days=dict(sorted(days.items(), reverse=True)),
        newest=[
            {
                "atom": row["atom"],
                "type": row["type"],
                "session": row["session"] or "proposed",
                "day": row["established"],
            }
            for row in newest[:_NEWEST]
        ],
        checkpoints=checkpoints,
        signal={
            str(row["checkpoint"]): row["signal_to_noise"] for row in checkpoints if row["signal_to_noise"] is not None
        },
        content=state.content[:16] if state is not None else "none",
    )


def folder_findings(home: Home) -> list[dict[str, Any]]:
    """What could not be looked at in each campaign's transcript folders: `campaign`, `problem`, `count`."""
    with home.control.read() as connection:
        lags = atom_targets(connection, home.settings)
    return [
        {"campaign": campaign, "problem": kind, "count": count}
        for campaign, lag in lags.items()
        for kind, count in sorted(Counter(problem.kind for problem in lag.problems).items())
    ]
