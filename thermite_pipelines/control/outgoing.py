"""What agents said over the service, until their rigs have reported it: kept, handed out, and let go of.

Nothing here is knowledge. An event leaves with the run's next signed report, and once an accepted report holds the
record that it opens, it is let go of: whatever ends in between, none is lost, and none is handed out for ever.
"""

import secrets
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, delete, insert, select

from thermite_pipelines.control.db import Control, chunks
from thermite_pipelines.control.models import Record, Run
from thermite_pipelines.control.outgoing_models import OutgoingEvent
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.times import format_rfc3339, now_micros

EventType = Literal["help_requested", "learning_proposed"]

MOST_WAITING = 100
"""Events of one run that wait for its rig at a time."""
MOST_DAYS = 90
"""How long one waits; a help request that is older stands in no list."""
_RECORDS: dict[EventType, str] = {"help_requested": "request", "learning_proposed": "learning"}
"""The kind of record that an event opens, which is also the name of its id."""
_ID_BYTES = 8
_DAY = 86_400_000_000


@dataclass(frozen=True)
class Said:
    """What an agent said: the event that is to be carried, and `key`, which is equal for what says the same."""

    rig: str
    run: str
    type: EventType
    writer: str
    data: dict[str, Any]
    key: str


def put(connection: Connection, said: Said) -> tuple[str, bool]:
    """Keep an event until the rig has reported it; its id, and whether it is new: the same that waits still is not.

    Raises `ThermiteError` where too many of the run wait.
    """
    connection.execute(delete(OutgoingEvent).where(OutgoingEvent.said_at < now_micros() - MOST_DAYS * _DAY))
    mine = (OutgoingEvent.rig == said.rig, OutgoingEvent.run == said.run)
    all_of_run = list(connection.execute(select(OutgoingEvent.event).where(*mine)).scalars())
    carried = _carried(connection, said.rig, said.run, all_of_run)
    _forget(connection, carried)
    same = select(OutgoingEvent.event).where(*mine, OutgoingEvent.type == said.type, OutgoingEvent.said == said.key)
    if (known := connection.execute(same).scalar()) is not None:
        return known, False
    if len(all_of_run) - len(carried) >= MOST_WAITING:
        raise ThermiteError(f"{MOST_WAITING} messages of this run wait for its rig to report them", do="go on without")
    event = f"mcp-{secrets.token_hex(_ID_BYTES)}"
    values = {"rig": said.rig, "run": said.run, "type": said.type, "writer": said.writer, "said": said.key}
    data = {_RECORDS[said.type]: event, **said.data}
    connection.execute(insert(OutgoingEvent).values(event=event, data=data, said_at=now_micros(), **values))
    return event, True


def waiting(control: Control, rig: str, run: str) -> list[dict[str, Any]]:
    """The events of a run that no accepted report holds yet, in the order in which they were said."""
    query = select(OutgoingEvent).where(OutgoingEvent.rig == rig, OutgoingEvent.run == run)
    with control.read() as connection:
        rows = list(connection.execute(query.order_by(OutgoingEvent.number)))
        carried = _carried(connection, rig, run, [row.event for row in rows])
    if carried:
        with control.write() as connection:
            _forget(connection, carried)
    return [
        {
            "id": row.event,
            "at": format_rfc3339(row.said_at),
            "run": row.run,
            "type": row.type,
            "by": row.writer,
            "data": row.data,
        }
        for row in rows
        if row.event not in carried
    ]


def _carried(connection: Connection, rig: str, run: str, events: list[str]) -> set[str]:
    """Those of a run's events that came back in an accepted report, and so are the pipeline's to keep."""
    runs = select(Run.run_key).where(Run.rig == rig, Run.run == run)
    found: set[str] = set()
    for some in chunks(events):
        same = (Record.run_key.in_(runs), Record.kind.in_(_RECORDS.values()), Record.record.in_(some))
        found.update(connection.execute(select(Record.record).where(*same)).scalars())
    return found


def _forget(connection: Connection, events: set[str]) -> None:
    for some in chunks(events):
        connection.execute(delete(OutgoingEvent).where(OutgoingEvent.event.in_(some)))
