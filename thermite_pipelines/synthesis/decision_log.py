"""The decision log: what answers did to facts, in the order in which it was decided.

It is the durable state of synthesis: rows are added in the transaction that claims the answer, and never changed.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, func, insert, select

from thermite_pipelines.control.models import core_table
from thermite_pipelines.control.synthesis_models import Decision as Row
from thermite_pipelines.synthesis.decisions import Decision, decision_of
from thermite_pipelines.synthesis.work import By, Session
from thermite_pipelines.times import now_micros


def record(connection: Connection, session: Session, item: int | None, decisions: Sequence[Decision], by: By) -> None:
    """Add decisions, in their order, inside the caller's transaction."""
    now = now_micros()
    shared = {
        "campaign": session.campaign,
        "session": session.session,
        "item": item,
        "answered_by": by.answered_by,
        "model": by.model,
        "prompt_version": by.prompt_version,
        "cache_key": by.cache_key,
        "decided_at": now,
    }
    # One statement a row: the order of the numbers is the order of the decisions, on every database.
    for decision in decisions:
        connection.execute(insert(Row).values(**shared, **decision.stored()))


def newest(connection: Connection, campaign: str) -> int:
    """The number of a campaign's newest decision, 0 before the first: whoever decides by facts compares it."""
    return connection.execute(select(func.max(Row.decision)).where(Row.campaign == campaign)).scalar() or 0


def read(connection: Connection, campaign: str, after: int = 0) -> Iterator[Decision]:
    """A campaign's decisions past a number, in order. Raises `ThermiteError` for one that can't be read."""
    return (decision_of(row) for row in rows(connection, campaign, after))


def rows(connection: Connection, campaign: str, after: int = 0) -> Iterator[dict[str, Any]]:
    """The same with all columns: session, item, who answered, model, prompt version, cache key, time."""
    query = select(core_table(Row)).where(Row.campaign == campaign, Row.decision > after).order_by(Row.decision)
    return (dict(row._mapping) for row in connection.execute(query))
