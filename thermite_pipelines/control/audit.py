"""The audit log: each change of control's record that a person made, with who, when, what and from where."""

import getpass
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from sqlalchemy import Connection, insert, select

from thermite_pipelines.control.models import AuditEntry
from thermite_pipelines.times import format_rfc3339, now_micros

_origin: ContextVar[str | None] = ContextVar("origin", default=None)


@contextmanager
def coming_from(origin: str) -> Iterator[None]:
    """Let entries that are made in the block say that this is where the change came from, not this machine's user."""
    before = _origin.set(origin)
    try:
        yield
    finally:
        _origin.reset(before)


def whoami() -> str:
    """The name of the person at the command line, for commands without `--by`."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid-{os.getuid()}"


def record(connection: Connection, by: str, action: str, subject: str, **detail: Any) -> None:
    """Add an entry inside the transaction that makes the change, so that neither exists without the other."""
    origin = {"from": _origin.get() or f"{whoami()}@{socket.gethostname()}"}
    connection.execute(
        insert(AuditEntry).values(at=now_micros(), by=by, action=action, subject=subject, detail=detail | origin)
    )


def entries(connection: Connection, since: int | None = None) -> list[dict[str, Any]]:
    """The log in order, from `since` (microseconds) on, in the form that `thermite audit --json` prints."""
    query = select(AuditEntry).order_by(AuditEntry.entry)
    if since is not None:
        query = query.where(AuditEntry.at >= since)
    return [
        {"at": format_rfc3339(row.at), "by": row.by, "action": row.action, "subject": row.subject, "detail": row.detail}
        for row in connection.execute(query)
    ]
