"""What people should know about reviews: late ones, items that fail, decisions that no longer apply, bare syntheses.

Rows hold ids, counts, kinds and times; never a text. The check assets and `doctor` ask here.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, select

from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.synthesis_models import SynthesisSession, Watermark, WorkItem
from thermite_pipelines.knowledge.derived import DerivedReader
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.synthesis.queue import GIVEN_UP
from thermite_pipelines.synthesis.review_targets import review_lags
from thermite_pipelines.synthesis.sessions import IDLE_SECONDS
from thermite_pipelines.synthesis.work import BY_HAND
from thermite_pipelines.tables.derived import BASE_FACTS

STALE_SHARE = 0.2
"""More than this part of a campaign's decisions without effect means that its facts changed under them."""
STALE_LEAST = 10
_SECOND = 1_000_000

Row = dict[str, Any]


def late_since(connection: Connection, now: int, patience: int) -> list[Row]:
    """Campaigns with facts that no review saw for longer than `patience` seconds, as `campaign` and `lag_seconds`.

    The time runs from the later of the last review and the newest change of the facts. One whose review is going on, or
    is answered by somebody over MCP or HTTP, is not late.
    """
    facts = select(DerivedState.campaign, DerivedState.changed_at).where(DerivedState.name == BASE_FACTS.name)
    changed = {row.campaign: row.changed_at for row in connection.execute(facts)}
    marks = select(Watermark.campaign, Watermark.set_at).where(Watermark.tool == "review")
    reviewed = {row.campaign: row.set_at for row in connection.execute(marks)}
    going = set(
        connection.execute(
            select(SynthesisSession.campaign).where(
                SynthesisSession.tool == "review",
                SynthesisSession.status == "active",
                SynthesisSession.last_used_at >= now - patience * _SECOND,
            )
        ).scalars()
    )
    found = []
    for name, lag in review_lags(connection).items():
        since = max(changed.get(name, now), reviewed.get(name, 0))
        if lag.is_behind and not lag.is_by_hand and name not in going and now - since > patience * _SECOND:
            found.append({"campaign": name, "lag_seconds": (now - since) // _SECOND})
    return found


def unanswered_items(connection: Connection) -> list[Row]:
    """Items that a run found no answer to, those of sessions that went on or ended not long ago.

    `reason` is of the newest failure, or of the one for which it was given up: that may quote facts.
    """
    is_given_up = WorkItem.response.startswith(GIVEN_UP, autoescape=True)
    query = (
        select(
            SynthesisSession.campaign,
            SynthesisSession.tool,
            WorkItem.cluster_key,
            WorkItem.failures,
            WorkItem.failed_because,
            WorkItem.response,
        )
        .join(SynthesisSession, SynthesisSession.session == WorkItem.session)
        .where(
            ((SynthesisSession.status == "active") & WorkItem.answered_at.is_(None) & (WorkItem.failures > 0))
            | ((SynthesisSession.status != "abandoned") & is_given_up)
        )
        .order_by(SynthesisSession.campaign, WorkItem.item)
    )
    return [
        {
            "campaign": row.campaign,
            "tool": row.tool,
            "item": row.cluster_key,
            "failures": row.failures,
            "is_given_up": row.response is not None,
            "reason": row.failed_because or "",
        }
        for row in connection.execute(query)
    ]


def held_by_hand(connection: Connection, now: int) -> list[Row]:
    """Sessions that somebody answers over MCP or HTTP: runs leave these campaigns alone. Times are microseconds."""
    query = select(SynthesisSession).where(
        SynthesisSession.status == "active",
        SynthesisSession.opened_by.in_(BY_HAND),
        SynthesisSession.last_used_at >= now - IDLE_SECONDS * _SECOND,
    )
    names = ("campaign", "tool", "opened_by", "created_at", "last_used_at")
    rows = connection.execute(query.order_by(SynthesisSession.campaign))
    return [{name: getattr(row, name) for name in names} for row in rows]


def stale_decisions(home: Home, campaign: str) -> Row | None:
    """How many of a campaign's decisions no longer apply; None where there are no decisions. Raises `DamagedFile`."""
    rows = DerivedReader(home).rows(campaign, "decisions", ["applies"])
    if not rows:
        return None
    stale = sum(not row["applies"] for row in rows)
    return {"campaign": campaign, "decisions": len(rows), "stale": stale, "share": round(stale / len(rows), 3)}


def bare_syntheses(home: Home, campaign: str) -> Iterator[Row]:
    """Syntheses that hold though fewer than two of the facts that they cite do. Raises `DamagedFile`.

    A fact that another took the place of counts where that one holds.
    """
    columns = ["fact", "refs", "retracted_by", "superseded_by"]
    read = DerivedReader(home).rows
    tables = ("facts", "syntheses", "methodologies", "hypotheses")
    facts = {row["fact"]: row for table in tables for row in read(campaign, table, columns)}
    for row in sorted(read(campaign, "syntheses", columns), key=lambda row: row["fact"]):
        if _holds(row["fact"], facts):
            cited = [ref for ref in row["refs"] or () if ref in facts and ref != row["fact"]]
            holding = sum(_holds(ref, facts) for ref in cited)
            if holding < 2:
                yield {"campaign": campaign, "synthesis": row["fact"], "cited": len(cited), "holding": holding}


def _holds(name: str, facts: dict[str, Row]) -> bool:
    """Whether a fact lives, or what took its place does."""
    seen = set()
    while name in facts and name not in seen:
        seen.add(name)
        row = facts[name]
        if row["superseded_by"] is None or row["superseded_by"] == name:
            return row["retracted_by"] is None
        name = row["superseded_by"]
    return False
