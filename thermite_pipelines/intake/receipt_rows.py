"""Receipts as rows: making them from judgements, and finding those that a new intake looks at again."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, and_, case, func, or_, select

from thermite_pipelines.control.db import chunks, pairs_in
from thermite_pipelines.control.models import Head, Receipt, RigKey, core_table
from thermite_pipelines.intake.chain import ChainHead, Link
from thermite_pipelines.intake.judge import Finding, Key, SignedReport
from thermite_pipelines.times import now_micros

UNSAFE = "unsafe-file"

# Quarantine keeps at most so much for a rig, and as much for all unknown rigs together.
MAX_QUARANTINED = 10_000
MAX_QUARANTINED_BYTES = 2**30
_MAY_LOSE_BYTES = ("bad-envelope", "unknown-rig", "too-large")


def storable(name: str) -> str:
    """A file name as text: bytes that are no UTF-8 become escapes, since databases hold only text."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def empty_row(rig: str, name: str, inode: int, mtime_ns: int) -> dict[str, Any]:
    """A receipt of which only the file is known."""
    return _BLANK | {
        "rig": rig,
        "name": name,
        "inode": signed(inode),
        "mtime_ns": signed(mtime_ns),
        "kept_bytes": 0,
        "outcome": "",
        "arrived_at": now_micros(),
    }


_BLANK = dict.fromkeys(column.name for column in core_table(Receipt).columns if column.name != "receipt")


def signed(number: int) -> int:
    """A number of a file as 64 bits with a sign: some file systems count further, and times can be set to anything."""
    return (number + 2**63) % 2**64 - 2**63


def quarantined(reason: str, detail: str) -> dict[str, Any]:
    """Columns of a quarantined receipt."""
    return {"outcome": "quarantined", "reason": reason, "detail": detail}


def columns(judged: Finding | SignedReport) -> dict[str, Any]:
    """Columns that a judgement gives; the outcome is '' where the chain decides."""
    report = judged.report
    values: dict[str, Any] = {"payload_sha256": judged.payload_sha256, "outcome": "", "reason": None, "detail": None}
    if isinstance(judged, Finding):
        values |= quarantined(judged.reason, judged.detail)
        if judged.place is not None:
            values |= {"payload_rig": judged.place.rig, "ledger": judged.place.ledger, "seq": judged.place.seq}
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


def keys_of(connection: Connection, rig: str) -> dict[str, Key]:
    """The keys that control holds for a rig, revoked ones too, by key id."""
    rows = connection.execute(select(RigKey).where(RigKey.rig == rig))
    return {row.keyid: Key(bytes.fromhex(row.public_key), row.revoked_at) for row in rows}


def is_accepted(connection: Connection, rig: str, payload_sha256: str) -> bool:
    """Whether a payload is accepted for the rig."""
    # By the hash alone: with more conditions SQLite would rather go through all that the rig has sent.
    query = select(Receipt.rig, Receipt.outcome).where(Receipt.payload_sha256 == payload_sha256)
    return any(row.rig == rig and row.outcome == "accepted" for row in connection.execute(query))


def receipted(connection: Connection, rows: list[dict[str, Any]]) -> set[int]:
    """Places of rows (all of one rig) whose very file has a receipt: the same name, hash, inode and modification time.

    Of an unsafe file, which is listed once and stays, the time does not count: a folder's changes by itself.
    """
    files: dict[Any, int] = {}
    unsafe: dict[Any, int] = {}
    for place, row in enumerate(rows):
        if row["reason"] == UNSAFE:
            unsafe[row["name"], row["inode"]] = place
        else:
            files[row["name"], row["mtime_ns"], row["inode"], row["sha256"]] = place
    found: set[int] = set()
    for batch in chunks({(name, mtime) for name, mtime, *_ in files}):
        wanted = pairs_in(batch)
        query = select(Receipt.name, Receipt.mtime_ns, Receipt.inode, Receipt.sha256).where(
            Receipt.rig == rows[0]["rig"], Receipt.name == wanted.c.text, Receipt.mtime_ns == wanted.c.number
        )
        found |= {files[tuple(row)] for row in connection.execute(query) if tuple(row) in files}
    for batch in chunks(name for name, _ in unsafe):
        query = select(Receipt.name, Receipt.inode).where(
            Receipt.rig == rows[0]["rig"], Receipt.name.in_(batch), Receipt.reason == UNSAFE
        )
        found |= {unsafe[tuple(row)] for row in connection.execute(query) if tuple(row) in unsafe}
    return found


def waits() -> ColumnElement[bool]:
    """The condition on receipts that wait, or were too far ahead: every intake of their rig judges them again."""
    ahead = and_(Receipt.outcome == "quarantined", Receipt.reason == "too-far-ahead")
    return or_(Receipt.outcome == "waiting", ahead)


def candidates(connection: Connection, rig: str) -> list[Any]:
    """Receipts that every intake judges again."""
    return list(connection.execute(select(Receipt).where(Receipt.rig == rig, waits())))


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
    found: dict[tuple[str, int], str] = {}
    for batch in chunks(places):
        wanted = pairs_in(batch)
        query = select(Receipt.ledger, Receipt.seq, Receipt.payload_sha256).where(
            Receipt.rig == rig,
            Receipt.outcome == "accepted",
            Receipt.ledger == wanted.c.text,
            Receipt.seq == wanted.c.number,
        )
        found |= {(row.ledger, row.seq): row.payload_sha256 for row in connection.execute(query)}
    return found


def overfull(connection: Connection, rig: str | None) -> list[str]:
    """Paths of kept junk, oldest first, that must go so that a rig's quarantine is within its bounds.

    None as rig stands for all rigs that control does not know: their files are kept together.
    """
    rows = connection.execute(_quarantine_of(rig)).all()
    number, size = len(rows), sum(row.kept_bytes for row in rows)
    lost: list[str] = []
    for row in rows:
        if number <= MAX_QUARANTINED and size <= MAX_QUARANTINED_BYTES:
            break
        if not row.worth:
            lost.append(row.kept)
            number, size = number - 1, size - row.kept_bytes
    return sorted(set(lost) - _used(connection, lost))


def _quarantine_of(rig: str | None) -> Select[*tuple[Any, ...]]:
    """Kept bytes of quarantined files, oldest first; `worth` counts the receipts that may not lose them."""
    worth = func.sum(case((Receipt.reason.in_(_MAY_LOSE_BYTES), 0), else_=1))
    query = select(Receipt.kept, func.max(Receipt.kept_bytes).label("kept_bytes"), worth.label("worth"))
    query = query.where(Receipt.outcome == "quarantined", Receipt.kept.is_not(None))
    if rig is None:
        query = query.where(Receipt.kept.like("reports/\\_unknown/%", escape="\\"))
    else:
        query = query.where(Receipt.rig == rig, Receipt.kept.like(f"reports/rig={rig}/%"))
    return query.group_by(Receipt.kept).order_by(func.min(Receipt.receipt))


def _used(connection: Connection, paths: list[str]) -> set[str]:
    """Those of the paths whose bytes another outcome than quarantine needs too."""
    return {
        kept
        for batch in chunks(paths)
        for kept in connection.execute(
            select(Receipt.kept).where(Receipt.kept.in_(batch), Receipt.outcome != "quarantined")
        ).scalars()
        if kept is not None
    }
