"""What an intake would find: settled files, reports that wait with a revoked key, accepted ones not yet written."""

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection, func, select

from thermite_pipelines.control.db import chunks
from thermite_pipelines.control.models import Receipt, Rig, RigKey, RigState
from thermite_pipelines.control.rigs import rig_names
from thermite_pipelines.intake import inbox
from thermite_pipelines.intake.events import rigs_judged_by_others
from thermite_pipelines.intake.receipt_rows import UNSAFE, signed, storable, waits

# A look at an inbox stops here: that something waits is enough to know, however much junk lies there.
_ENOUGH = 200


def pending_rigs(connection: Connection, folder: Path, settle_seconds: float) -> dict[str, str]:
    """Rigs with work for an intake, each with a target that changes when what lies there changes."""
    last = select(func.max(Receipt.accepted_number)).where(Receipt.rig == Rig.rig).scalar_subquery()
    newest = dict(connection.execute(select(Rig.rig, last)).tuples().all())
    written = dict(connection.execute(select(RigState.rig, RigState.events_through)).tuples().all())
    overtaken, others = _overtaken(connection), rigs_judged_by_others(connection)
    found = {}
    for rig in rig_names(connection):
        waiting = _waiting(connection, folder / rig, rig, settle_seconds) + overtaken.get(rig, [])
        through, last = written.get(rig, 0), newest.get(rig) or 0
        if waiting or last > through or rig in others:
            text = f"{last}-{through}-" + " ".join([*waiting, *(["rules"] if rig in others else [])])
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


def _overtaken(connection: Connection) -> dict[str, list[str]]:
    """By rig, reports that wait for their turn although their key was revoked meanwhile: an intake must say so."""
    query = select(Receipt.rig, Receipt.receipt).where(waits()).order_by(Receipt.receipt)
    query = query.join(RigKey, (RigKey.rig == Receipt.rig) & (RigKey.keyid == Receipt.keyid))
    found: dict[str, list[str]] = {}
    for rig, receipt in connection.execute(query.where(RigKey.revoked_at.is_not(None))):
        found.setdefault(rig, []).append(f"receipt-{receipt}")
    return found


def _waiting(connection: Connection, path: Path, rig: str, settle_seconds: float) -> list[str]:
    """Some of the entries that an intake would take now, as text that tells them apart."""
    found: list[str] = []
    with inbox.open_folder(path) as folder:
        if folder is None:
            return found
        for arrival in _not_listed(connection, rig, inbox.arrivals(folder)):
            if arrival.regular and 0 <= arrival.age_ns(time.time_ns()) < settle_seconds * 1e9:
                continue
            found.append(f"{os.fsencode(arrival.name).hex()}:{arrival.inode}:{arrival.mtime_ns}")
            if len(found) >= _ENOUGH:
                break
    return sorted(found)


def _not_listed(connection: Connection, rig: str, arrivals: Iterator[inbox.Arrival]) -> Iterator[inbox.Arrival]:
    """All but the unsafe files that have their receipt: those stay where they are, and must not ask for ever."""
    for some in chunks(arrivals):
        unsafe = [storable(arrival.name) for arrival in some if not arrival.regular]
        listed = set()
        if unsafe:
            query = select(Receipt.name, Receipt.inode).where(Receipt.reason == UNSAFE)
            query = query.where(Receipt.rig == storable(rig), Receipt.name.in_(unsafe))
            listed = {tuple(row) for row in connection.execute(query)}
        for arrival in some:
            if arrival.regular or (storable(arrival.name), signed(arrival.inode)) not in listed:
                yield arrival
