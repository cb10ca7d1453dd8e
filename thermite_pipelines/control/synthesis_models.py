"""The tables of control's record behind synthesis: sessions, work items, decisions. See `models` for roles and times.

Sessions and their items may be dropped at any time: the next session makes them anew. What counts are the decisions.
"""

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from thermite_pipelines.control.models import Base, RowNumber, role


class SynthesisSession(Base):
    """One pass of a tool over a campaign's facts. Status, phase and effort are independent of each other."""

    __tablename__ = "synthesis_sessions"
    __table_args__ = (Index("synthesis_sessions_by_campaign", "campaign", "tool", "status"), role("derived"))
    session: Mapped[str] = mapped_column(primary_key=True)  # a UUID
    campaign: Mapped[str]
    tool: Mapped[str]  # review or hypothesize
    status: Mapped[str]  # active, completed or abandoned
    phase: Mapped[str]  # work, reflect or done
    effort: Mapped[str]  # normal, medium or high
    scoped: Mapped[bool]  # a scope was given: the watermark neither limits it nor moves
    opened_by: Mapped[str]  # asset, mcp, http or cli
    base_content: Mapped[str | None]  # hash of the base facts that it was planned on
    pruned: Mapped[int]
    merged: Mapped[int]
    updated: Mapped[int]
    synthesized: Mapped[int]
    created_at: Mapped[int]
    updated_at: Mapped[int]
    last_used_at: Mapped[int]


class WorkItem(Base):
    """A piece of a session's work, answered once. Numbers are never used again, so a stale one names nothing."""

    __tablename__ = "work_items"
    __table_args__ = (
        Index("work_items_by_session", "session", "answered_at", "priority"),
        role("derived", sqlite_autoincrement=True),
    )
    item: Mapped[int] = mapped_column(RowNumber, primary_key=True, autoincrement=True)
    session: Mapped[str]
    step_type: Mapped[str]  # prune, distill, reflect, hypothesize or discover
    cluster_key: Mapped[str]
    facts: Mapped[str]  # compact JSON, delivered as it stands here
    inputs: Mapped[list]  # [fact, version] of every fact in it
    priority: Mapped[float]
    depth: Mapped[int]
    created_at: Mapped[int]
    served_at: Mapped[int | None]  # first handed out: from then on it is the current one until it is answered
    answered_at: Mapped[int | None]
    response: Mapped[str | None]  # of the answer that counted; null until then
    failures: Mapped[int] = mapped_column(default=0, server_default="0")  # runs that found no answer that counts
    failed_because: Mapped[str | None]  # why the newest of these found none


class SessionFact(Base):
    """A version of a fact that a session saw at its start or wrote itself: what its watermark will be."""

    __tablename__ = "session_facts"
    __table_args__ = role("derived")
    session: Mapped[str] = mapped_column(primary_key=True)
    fact: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[str]
    type: Mapped[str]
    confidence: Mapped[float]


class Decision(Base):
    """What an answer, or the removal of near-duplicates, did to facts. Only ever added to: tables are folds of it."""

    __tablename__ = "synthesis_decisions"
    __table_args__ = (
        Index("synthesis_decisions_by_campaign", "campaign", "decision"),
        role("source", sqlite_autoincrement=True),
    )
    decision: Mapped[int] = mapped_column(RowNumber, primary_key=True, autoincrement=True)
    campaign: Mapped[str]
    session: Mapped[str]
    item: Mapped[int | None]  # null: made while the session was planned
    step: Mapped[str]  # the item's step type, or dedup
    verb: Mapped[str]  # keep, retract, update, merge, synthesize, reinforce, propose, hypothesize or discover
    inputs: Mapped[list]  # [fact, version] of the facts before
    output: Mapped[dict]  # the facts after
    answered_by: Mapped[str]  # rules, model or agent; engine where nobody was asked
    model: Mapped[str | None]
    prompt_version: Mapped[str | None]
    cache_key: Mapped[str | None]
    decided_at: Mapped[int]


class SeenFact(Base):
    """The watermark of a tool: the versions of facts that completed sessions have seen, with what reflect compares."""

    __tablename__ = "seen_facts"
    __table_args__ = role("source")
    campaign: Mapped[str] = mapped_column(primary_key=True)
    tool: Mapped[str] = mapped_column(primary_key=True)
    fact: Mapped[str] = mapped_column(primary_key=True)
    version: Mapped[str]
    type: Mapped[str]
    confidence: Mapped[float]


class Watermark(Base):
    """That a tool completed a session of a campaign, which one, and the newest decision then."""

    __tablename__ = "synthesis_watermarks"
    __table_args__ = role("source")
    campaign: Mapped[str] = mapped_column(primary_key=True)
    tool: Mapped[str] = mapped_column(primary_key=True)
    session: Mapped[str]
    decision: Mapped[int]
    base_content: Mapped[str | None]  # hash of the base facts that the session saw
    set_at: Mapped[int]
