"""What an intake would find: whether inboxes hold settled files, or accepted reports are not written as events yet."""

import hashlib
import os
import time
from pathlib import Path

from sqlalchemy import Connection, func, select

from thermite_pipelines.control.models import Receipt, RigState
from thermite_pipelines.control.rigs import rig_names
from thermite_pipelines.intake import inbox
from thermite_pipelines.intake.receipt_rows import UNSAFE, signed, storable

# A look at an inbox stops here: that something waits is enough to know, however much junk lies there.
_ENOUGH = 200


def pending_rigs(connection: Connection, folder: Path, settle_seconds: float) -> dict[str, str]:
    """Rigs with work for an intake, each with a target that changes when what lies there changes."""
    newest = dict(
        connection.execute(
            select(Receipt.rig, func.max(Receipt.accepted_number))
            .where(Receipt.outcome == "accepted")
            .group_by(Receipt.rig)
        )
        .tuples()
        .all()
    )
    written = dict(connection.execute(select(RigState.rig, RigState.events_through)).tuples().all())
    found = {}
    for rig in rig_names(connection):
        waiting = _waiting(connection, folder / rig, rig, settle_seconds)
        through, last = written.get(rig, 0), newest.get(rig) or 0
        if waiting or last > through:
            text = f"{last}-{through}-" + " ".join(waiting)
            found[rig] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return found


def pending_unknown(connection: Connection, folder: Path, settle_seconds: float) -> str | None:
    """A target where inboxes of rigs that control does not know hold files to take; None where none does."""
    known = set(rig_names(connection))
    parts = []
    for name in inbox.inbox_folders(folder):
        if name not in known:
            parts += [
                f"{storable(name)}/{entry}" for entry in _waiting(connection, folder / name, name, settle_seconds)
            ]
            if len(parts) >= _ENOUGH:
                break
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16] if parts else None


def _waiting(connection: Connection, path: Path, rig: str, settle_seconds: float) -> list[str]:
    """Some of the entries that an intake would take now, as text that tells them apart."""
    found: list[str] = []
    with inbox.open_folder(path) as folder:
        if folder is None:
            return found
        now = time.time_ns()
        for arrival in inbox.arrivals(folder):
            young = arrival.regular and 0 <= arrival.age_ns(now) < settle_seconds * 1e9
            if young or (not arrival.regular and _is_listed(connection, rig, arrival)):
                continue
            found.append(f"{os.fsencode(arrival.name).hex()}:{arrival.inode}:{arrival.mtime_ns}")
            if len(found) >= _ENOUGH:
                break
    return sorted(found)


def _is_listed(connection: Connection, rig: str, arrival: inbox.Arrival) -> bool:
    """Whether an unsafe file has its receipt: it stays where it is, and must not ask for a run for ever."""
    query = select(Receipt.receipt).where(
        Receipt.rig == storable(rig),
        Receipt.name == storable(arrival.name),
        Receipt.inode == signed(arrival.inode),
        Receipt.reason == UNSAFE,
    )
    return connection.execute(query.limit(1)).first() is not None
