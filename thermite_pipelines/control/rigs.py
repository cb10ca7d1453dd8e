"""Rigs and their public keys."""

import re
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from thermite_pipelines.control import audit
from thermite_pipelines.control.db import insert_ignoring
from thermite_pipelines.control.models import Head, Receipt, Rig, RigKey
from thermite_pipelines.errors import ThermiteError, UnknownName, UsageError
from thermite_pipelines.ledger.envelope import check_public_key, keyid_of
from thermite_pipelines.names import check_name
from thermite_pipelines.times import format_rfc3339, now_micros

_HEX_KEY = re.compile(r"[0-9a-fA-F]{64}")


def add_key(connection: Connection, rig: str, public_key: str, by: str) -> bool:
    """Register a public key (64 hex digits) for a rig, adding the rig where it is new; return False where it was there.

    Raises `UsageError` for a name or hex that breaks its pattern, `ThermiteError` for a key that is unsafe, another
    rig's, or revoked.
    """
    check_name("rig", rig, reserved=True)
    if not _HEX_KEY.fullmatch(public_key):
        raise UsageError("the public key is not 64 hex digits", do="copy the line that `thermite rig keygen` printed")
    raw = bytes.fromhex(public_key)
    check_public_key(raw)
    keyid = keyid_of(raw)
    known = connection.execute(select(RigKey.rig, RigKey.revoked_at).where(RigKey.keyid == keyid)).first()
    if known is not None:
        if known.rig != rig:
            raise ThermiteError(f"this key belongs to rig {known.rig}", where=rig, do="make a new key for this rig")
        if known.revoked_at is not None:
            raise ThermiteError("this key was revoked", where=rig, do="make a new key")
        return False
    now = now_micros()
    insert_ignoring(connection, Rig, [{"rig": rig, "added_at": now}])
    connection.execute(insert(RigKey).values(keyid=keyid, rig=rig, public_key=raw.hex(), added_at=now, revoked_at=None))
    audit.record(connection, by, "rig-add", rig, keyid=keyid)
    return True


def revoke_key(connection: Connection, rig: str, keyid: str, by: str) -> bool:
    """Revoke a key from now on; return False where it was revoked before. Raises `ThermiteError` for an unknown one."""
    require_rig(connection, rig)
    row = connection.execute(select(RigKey.revoked_at).where(RigKey.keyid == keyid, RigKey.rig == rig)).first()
    if row is None:
        raise ThermiteError(f"rig {rig} has no key {keyid}", do="look at `thermite rig list`")
    if row.revoked_at is not None:
        return False
    connection.execute(update(RigKey).where(RigKey.keyid == keyid).values(revoked_at=now_micros()))
    audit.record(connection, by, "key-revoke", rig, keyid=keyid)
    return True


def require_rig(connection: Connection, rig: str) -> None:
    """Raise `UnknownName` unless control knows the rig."""
    check_name("rig", rig)
    if connection.execute(select(Rig.rig).where(Rig.rig == rig)).first() is None:
        raise UnknownName(
            f"control knows no rig {rig!r}", do="add it with `thermite rig add`, or look at `thermite rig list`"
        )


def rig_names(connection: Connection) -> list[str]:
    """All rigs, in order."""
    return list(connection.execute(select(Rig.rig).order_by(Rig.rig)).scalars())


def overview(connection: Connection) -> list[dict[str, Any]]:
    """Each rig with keys, chain heads and counts, in the form that `thermite rig list --json` prints."""
    counts = {
        (row.rig, row.outcome): row.number
        for row in connection.execute(
            select(Receipt.rig, Receipt.outcome, func.count().label("number")).group_by(Receipt.rig, Receipt.outcome)
        )
    }
    keys: dict[str, list[dict[str, Any]]] = {}
    for row in connection.execute(select(RigKey).order_by(RigKey.added_at, RigKey.keyid)):
        keys.setdefault(row.rig, []).append(
            {
                "keyid": row.keyid,
                "public_key": row.public_key,
                "added_at": format_rfc3339(row.added_at),
                "revoked_at": None if row.revoked_at is None else format_rfc3339(row.revoked_at),
            }
        )
    heads: dict[str, list[dict[str, Any]]] = {}
    for row in connection.execute(select(Head).order_by(Head.ledger)):
        heads.setdefault(row.rig, []).append({"ledger": row.ledger, "seq": row.seq, "n": row.n})
    return [
        {
            "rig": rig,
            "keys": keys.get(rig, []),
            "heads": heads.get(rig, []),
            "waiting": counts.get((rig, "waiting"), 0),
            "quarantined": counts.get((rig, "quarantined"), 0),
        }
        for rig in rig_names(connection)
    ]
