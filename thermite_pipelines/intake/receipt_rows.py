"""Receipts as rows: making them from judgements, and finding those that a new intake looks at again."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, RowMapping, select, tuple_

from thermite_pipelines.control.db import chunks
from thermite_pipelines.control.models import Head, Receipt
from thermite_pipelines.intake.chain import ChainHead, Link
from thermite_pipelines.intake.judge import Finding, Key, SignedReport
from thermite_pipelines.times import now_micros

# Quarantine keeps at most so much for a rig, and as much for all unknown rigs together.
MAX_QUARANTINED = 10_000
MAX_QUARANTINED_BYTES = 2**30
_MAY_LOSE_BYTES = ("bad-envelope", "unknown-rig", "too-large")


def storable(name: str) -> str:
    """A file name as text: bytes that are no UTF-8 become escapes, since databases hold only text."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def empty_row(rig: str, name: str, inode: int, mtime_ns: int) -> dict[str, Any]:
    """A receipt of which only the file is known."""
    blank = dict.fromkeys(column.name for column in Receipt.__table__.columns if column.name != "receipt")
    return blank | {
        "rig": rig,
        "name": name,
        "inode": inode,
        "mtime_ns": mtime_ns,
        "kept_bytes": 0,
        "outcome": "",
        "arrived_at": now_micros(),
    }


def quarantined(reason: str, detail: str) -> dict[str, Any]:
    """Columns of a quarantined receipt."""
    return {"outcome": "quarantined", "reason": reason, "detail": detail}


def columns(judged: Finding | SignedReport) -> dict[str, Any]:
    """Columns that a judgement gives; the outcome is '' where the chain decides."""
    report = judged.report
    values: dict[str, Any] = {"payload_sha256": judged.payload_sha256, "outcome": "", "reason": None, "detail": None}
    if isinstance(judged, Finding):
        values |= quarantined(judged.reason, judged.detail)
    else:
        values["keyid"] = judged.keyid
    if report is not None:
        values |= {
            "payload_rig": report.rig,
            "ledger": report.ledger,
            "seq": report.seq,
            "prev": report.prev,
            "first_n": report.events[0].n if report.events else None,
            "events": len(report.events),
            "sent_at": report.sent_at,
        }
    return values


def link(token: int, row: Mapping[str, Any] | RowMapping) -> Link:
    """A receipt as the chain sees it."""
    return Link(
        token=token,
        ledger=row["ledger"],
        seq=row["seq"],
        prev=row["prev"],
        payload_sha256=row["payload_sha256"],
        file_sha256=row["sha256"],
        name=row["name"],
        first_n=row["first_n"],
        events=row["events"],
        sent_at=row["sent_at"],
        size=row["kept_bytes"],
    )


def candidates(connection: Connection, rig: str) -> list[Any]:
    """Receipts that wait, or were too far ahead: judged again by every intake."""
    query = select(Receipt).where(
        Receipt.rig == rig,
        (Receipt.outcome == "waiting") | ((Receipt.outcome == "quarantined") & (Receipt.reason == "too-far-ahead")),
    )
    return list(connection.execute(query.order_by(Receipt.receipt)))


def is_revoked(row: Any, keys: dict[str, Key]) -> bool:
    """Whether the key that signed a waiting report is revoked by now."""
    key = keys.get(row.keyid)
    return key is None or key.revoked_at is not None


def heads_of(connection: Connection, rig: str, ledgers: Iterable[str]) -> dict[str, ChainHead]:
    """Where the chains of the ledgers stand."""
    return {
        row.ledger: ChainHead(row.seq, row.n, row.payload_sha256, row.first_sent_at)
        for batch in chunks(sorted(ledgers))
        for row in connection.execute(select(Head).where(Head.rig == rig, Head.ledger.in_(batch)))
    }


def accepted_hashes(
    connection: Connection, rig: str, links: list[Link], heads: dict[str, ChainHead]
) -> dict[tuple[str, int], str]:
    """Payload hashes of accepted reports at the places that links name."""
    places = sorted({(item.ledger, item.seq) for item in links if item.seq <= heads.get(item.ledger, ChainHead()).seq})
    return {
        (row.ledger, row.seq): row.payload_sha256
        for batch in chunks(places)
        for row in connection.execute(
            select(Receipt.ledger, Receipt.seq, Receipt.payload_sha256).where(
                Receipt.rig == rig, Receipt.outcome == "accepted", tuple_(Receipt.ledger, Receipt.seq).in_(batch)
            )
        )
    }


def overfull(connection: Connection, like: str) -> list[str]:
    """Paths of kept junk, oldest first, that must go so that quarantine is within its bounds."""
    rows = connection.execute(
        select(Receipt.kept, Receipt.kept_bytes, Receipt.reason)
        .where(Receipt.outcome == "quarantined", Receipt.kept.like(like, escape="\\"))
        .order_by(Receipt.receipt)
    ).all()
    number, size = len(rows), sum(row.kept_bytes for row in rows)
    lost: list[str] = []
    for row in rows:
        if number <= MAX_QUARANTINED and size <= MAX_QUARANTINED_BYTES:
            break
        if row.reason in _MAY_LOSE_BYTES:
            lost.append(row.kept)
            number, size = number - 1, size - row.kept_bytes
    return sorted(set(lost))
