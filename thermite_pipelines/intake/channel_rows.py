"""Events by which agents reach people and later runs, put aside in control's record while a rig's events are written.

Help requests, learnings and briefs are few among many events, and are folded in one order over all rigs of a campaign:
(time, rig, ledger, n). An event's time is its `at`, raised to the largest `at` before it in its ledger, but never past
the time its report was accepted, so that a clock that runs ahead does not freeze those behind it.
"""

import secrets
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from thermite_pipelines.control.channel_models import AgentFold, ChannelEvent, LedgerClock
from thermite_pipelines.control.db import Control, upsert
from thermite_pipelines.control.models import Fact, Run
from thermite_pipelines.intake.event_rows import redacted_data
from thermite_pipelines.ledger.payload import Event, Report

CHANNEL_TYPES = frozenset(["help_requested", "learning_proposed", "brief_given"])


class ChannelRows:
    """The channel events of one rig, and its ledgers' clocks, collected until they are saved."""

    def __init__(self, control: Control, rig: str) -> None:
        self._control = control
        self._rig = rig
        self._clocks: dict[str, int] = {}
        self._rows: list[tuple[tuple[str, str], dict[str, Any]]] = []

    def note(self, report: Report, verified: list[Event], number: int, accepted_at: int) -> None:
        """Take a report's channel events, and let its ledger's clock go on over all its events."""
        if not report.events:
            return
        latest = self._clock(report.ledger)
        wanted = {event.n for event in verified if event.type in CHANNEL_TYPES}
        if wanted:
            for event in report.events:
                latest = max(latest, event.at)
                if event.n in wanted:
                    self._rows.append(_row(report.ledger, event, min(latest, accepted_at), number, accepted_at))
        self._clocks[report.ledger] = max(latest, *(event.at for event in report.events))

    def save(self, connection: Connection) -> None:
        """Write what was collected; the runs are saved already."""
        clocks = [{"rig": self._rig, "ledger": ledger, "latest_at": at} for ledger, at in self._clocks.items()]
        upsert(connection, LedgerClock, clocks)
        if self._rows:
            query = select(Run.ledger, Run.run, Run.run_key).where(Run.rig == self._rig)
            keys = {(row.ledger, row.run): row.run_key for row in connection.execute(query)}
            connection.execute(insert(ChannelEvent), [row | {"run_key": keys[place]} for place, row in self._rows])
        self._rows.clear()

    def _clock(self, ledger: str) -> int:
        if ledger not in self._clocks:
            query = select(LedgerClock.latest_at)
            with self._control.read() as connection:
                found = connection.execute(query.where(LedgerClock.rig == self._rig, LedgerClock.ledger == ledger))
                stored = found.scalar()
            self._clocks[ledger] = _NEVER if stored is None else stored
        return self._clocks[ledger]


_NEVER = -(2**63)
_JUDGED_SINCE = "channel_events_judged_since"


def forget(connection: Connection, rig: str) -> None:
    """Forget a rig's channel events before they are judged anew; what was folded from them stays until then.

    A fold that is at work meanwhile finds another `judged_since` and keeps nothing of what it read.
    """
    keys = select(Run.run_key).where(Run.rig == rig)
    connection.execute(delete(ChannelEvent).where(ChannelEvent.run_key.in_(keys)))
    connection.execute(delete(LedgerClock).where(LedgerClock.rig == rig))
    connection.execute(update(AgentFold).values(mark={}))
    upsert(connection, Fact, [{"name": _JUDGED_SINCE, "value": secrets.token_hex(8)}])


def judged_since(connection: Connection) -> str:
    """A name for what all channel events are by now: another one once some of them were forgotten to be judged anew."""
    return connection.execute(select(Fact.value).where(Fact.name == _JUDGED_SINCE)).scalar() or ""


def _row(ledger: str, event: Event, at: int, number: int, accepted_at: int) -> tuple[tuple[str, str], dict[str, Any]]:
    assert event.run is not None
    data = event.data if event.type == "brief_given" else msgspec.json.decode(redacted_data(event))
    row = {
        "n": event.n,
        "type": event.type,
        "agent": event.data["agent"],
        "at": at,
        "occurred_at": event.at,
        "accepted_number": number,
        "accepted_at": accepted_at,
        "data": data,
    }
    return (ledger, event.run), row
