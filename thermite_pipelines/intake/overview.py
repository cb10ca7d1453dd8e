"""What became of a rig's reports and events, in numbers: for metadata, checks and `doctor`."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from sqlalchemy import Connection, func, select

from thermite_pipelines.control.models import LakeFile, Receipt, RigState
from thermite_pipelines.tables.lake import Lake
from thermite_pipelines.tables.parquet import decode
from thermite_pipelines.tables.schemas import REJECTED_EVENTS

# A rig's clock may run a few minutes off before anyone should look.
CLOCK_SKEW_SECONDS = 300
OLD_GAP_SECONDS = 86_400


@dataclass
class RigNumbers:
    """Reports by outcome and reason, and events by table, of one rig."""

    outcomes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    verified: int = 0
    rejected: int = 0
    unknown: int = 0
    events_through: int = 0
    last_accepted_at: int | None = None
    last_lag_seconds: float = 0.0

    @property
    def reports(self) -> int:
        """All files that ever arrived."""
        return sum(self.outcomes.values())


def rig_numbers(connection: Connection, rig: str) -> RigNumbers:
    """The numbers of one rig."""
    numbers = RigNumbers()
    query = select(Receipt.outcome, Receipt.reason, func.count().label("number")).where(Receipt.rig == rig)
    for row in connection.execute(query.group_by(Receipt.outcome, Receipt.reason)):
        numbers.outcomes[row.outcome] += row.number
        if row.reason:
            numbers.reasons[row.reason] += row.number
    accepted = select(Receipt.arrived_at, Receipt.accepted_at).where(Receipt.rig == rig, Receipt.outcome == "accepted")
    newest = connection.execute(accepted.order_by(Receipt.accepted_number.desc()).limit(1)).first()
    if newest is not None:
        numbers.last_accepted_at = newest.accepted_at
        numbers.last_lag_seconds = (newest.accepted_at - newest.arrived_at) / 1_000_000
    state = connection.execute(select(RigState).where(RigState.rig == rig)).first()
    if state is not None:
        numbers.verified, numbers.rejected, numbers.unknown = state.verified, state.rejected, state.unknown
        numbers.events_through = state.events_through
    return numbers


def rejected_reasons(connection: Connection, lake: Lake, rig: str, newest_files: int = 20) -> Counter[str]:
    """Rejected events by reason, in the rig's newest files."""
    query = select(LakeFile.path).where(LakeFile.path.like(f"{REJECTED_EVENTS.name}/rig={rig}/%"))
    counts: Counter[str] = Counter()
    for path in connection.execute(query.order_by(LakeFile.path.desc()).limit(newest_files)).scalars():
        column: pa.ChunkedArray = decode(lake.get(path), ["reason"])["reason"]
        counts.update(column.to_pylist())
    return counts


def forks(connection: Connection) -> list[Any]:
    """Quarantined sides of forks, newest first."""
    query = select(Receipt).where(Receipt.outcome == "quarantined", Receipt.reason == "fork")
    return list(connection.execute(query.order_by(Receipt.receipt.desc())))


def old_gaps(connection: Connection, now: int) -> list[Any]:
    """Per rig and ledger, reports that wait for a missing one for more than a day."""
    query = (
        select(
            Receipt.rig,
            Receipt.ledger,
            func.count().label("waiting"),
            func.min(Receipt.seq).label("first_waiting"),
            func.min(Receipt.arrived_at).label("since"),
        )
        .where(Receipt.outcome == "waiting", Receipt.arrived_at < now - OLD_GAP_SECONDS * 1_000_000)
        .group_by(Receipt.rig, Receipt.ledger)
        .order_by(Receipt.rig, Receipt.ledger)
    )
    return list(connection.execute(query))


def rejected_shares(connection: Connection) -> list[dict[str, Any]]:
    """Per rig, how many of its events are rejected."""
    rows = connection.execute(select(RigState).order_by(RigState.rig))
    return [
        {
            "rig": row.rig,
            "verified": row.verified,
            "rejected": row.rejected,
            "share": round(row.rejected / max(1, row.verified + row.rejected), 4),
        }
        for row in rows
    ]


def skewed_clocks(connection: Connection) -> list[dict[str, Any]]:
    """Rigs whose newest accepted report was sent later than control accepted it, by more than five minutes."""
    newest = select(func.max(Receipt.accepted_number)).where(Receipt.outcome == "accepted").group_by(Receipt.rig)
    ahead = (Receipt.sent_at - Receipt.accepted_at).label("ahead")
    query = select(Receipt.rig, ahead).where(Receipt.accepted_number.in_(newest)).order_by(Receipt.rig)
    return [
        {"rig": row.rig, "seconds_ahead": row.ahead // 1_000_000}
        for row in connection.execute(query)
        if row.ahead > CLOCK_SKEW_SECONDS * 1_000_000
    ]
