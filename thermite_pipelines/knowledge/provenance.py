"""Down to the signed reports: events of a run with the report that brought each, checked against what was kept.

A report is verified when its kept bytes hash to what the event names, the signature stands, made with the key under
which it was accepted and which belongs to the rig, and the event in it is word for word the one in the lake.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa
from sqlalchemy import select

from thermite_pipelines.control.db import chunks
from thermite_pipelines.control.models import Receipt, RigKey
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake.event_rows import BLOCK, event_path
from thermite_pipelines.intake.vault import Vault
from thermite_pipelines.knowledge.columns import ColumnReader
from thermite_pipelines.knowledge.fold import FoldEvent, target
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.state import RunState
from thermite_pipelines.ledger.envelope import (
    REPORT_TYPE,
    EnvelopeError,
    keyid_of,
    pae,
    parse_envelope,
    verify,
)
from thermite_pipelines.ledger.payload import PayloadError, accepted_events
from thermite_pipelines.tables.compute import pc
from thermite_pipelines.tables.parquet import to_rows
from thermite_pipelines.tables.schemas import EVENTS

# pyarrow makes its compute functions when it is imported, where no type checker sees them.
_compute: Any = pc
_decode = msgspec.json.Decoder().decode
_COLUMNS = ("n", "occurred_at", "written_by", "run", "type", "data", "report_sha256")
_NEAR = 200
"""Of an item whose first and last event are so near, those in between are looked at one by one."""
Span = tuple[int, int]
"""Numbers of a first and a last event."""


class SignedEvent(NamedTuple):
    """A verified event of a run as the lake has it, and the payload hash of the report that brought it."""

    rig: str
    ledger: str
    n: int
    at: int
    by: str
    type: str
    data: Any
    report_sha256: str


class EventReader:
    """Reads the verified events of runs as the lake has them; each file is read once."""

    def __init__(self, columns: ColumnReader) -> None:
        self._columns = columns

    def of_run(self, run: RunState, first_n: int, last_n: int, types: Collection[str] = ()) -> Iterator[SignedEvent]:
        """The events of a run with `first_n <= n <= last_n`, of some types or of all, in order."""
        for table in self._blocks(run, first_n, last_n):
            within = table.filter(_compute.and_(_is_of(run, table), _between(table["n"], first_n, last_n)))
            yield from _events(run, _of_types(within, types) if types else within)

    def of_items(
        self, run: RunState, items: Mapping[tuple[str, str], Span]
    ) -> dict[tuple[str, str], list[SignedEvent]]:
        """The events of some of a run's items, by kind and record id, each between its first and last number."""
        found: dict[tuple[str, str], list[SignedEvent]] = {key: [] for key in items}
        first, last = min(span[0] for span in items.values()), max(span[1] for span in items.values())
        for table in self._blocks(run, first, last):
            wanted = _compute.and_(_may_concern(table, items), _is_of(run, table))
            for event in _events(run, table.filter(wanted)):
                key = target(run.run_id, FoldEvent(event.n, event.at, event.by, event.type, event.data))
                if key is not None and key in items and items[key][0] <= event.n <= items[key][1]:
                    found[key].append(event)
        return found

    def _blocks(self, run: RunState, first_n: int, last_n: int) -> Iterator[pa.Table]:
        for block in range(first_n // BLOCK, last_n // BLOCK + 1):
            table = self._columns.read(event_path("events", run.rig, run.ledger, block), EVENTS, _COLUMNS)
            if table is not None:
                yield table


def _is_of(run: RunState, table: pa.Table) -> Any:
    return _compute.equal(table["run"], run.run)


def _may_concern(table: pa.Table, items: Mapping[tuple[str, str], Span]) -> Any:
    """Which events may be about some items: few are decoded, however many lie between an item's first and last."""
    near: set[int] = set()
    mask: Any = None
    for (kind, record), (first, last) in items.items():
        if last - first <= _NEAR:
            near.update(range(first, last + 1))
            continue
        wide = _between(table["n"], first, last)
        # Record ids stand in the data as they are; only a run's events don't name it, and a document's is any path.
        if kind not in ("run", "document"):
            named = _compute.match_substring(table["data"], f'"{record}"')
            wide = _compute.and_(wide, named)
        mask = wide if mask is None else _compute.or_(mask, wide)
    few = _compute.is_in(table["n"], value_set=pa.array(sorted(near), pa.int64()))
    return few if mask is None else _compute.or_(mask, few)


def _between(numbers: Any, first: int, last: int) -> Any:
    return _compute.and_(_compute.greater_equal(numbers, first), _compute.less_equal(numbers, last))


def _of_types(table: pa.Table, types: Collection[str]) -> pa.Table:
    places = [place for place, type in enumerate(table["type"].to_pylist()) if type in types]
    return table.take(pa.array(places, pa.int64()))


def _events(run: RunState, table: pa.Table) -> Iterator[SignedEvent]:
    for row in to_rows(table):
        yield SignedEvent(
            run.rig,
            run.ledger,
            row["n"],
            row["occurred_at"],
            row["written_by"],
            row["type"],
            _decode(row["data"]),
            row["report_sha256"],
        )


@dataclass(frozen=True)
class CheckedReport:
    """A signed report that something rests on, and whether it is verified."""

    rig: str
    ledger: str
    seq: int | None
    payload_sha256: str
    keyid: str | None
    verified: bool

    def document(self) -> dict[str, Any]:
        """The form of `thermite explain --json`."""
        return dict(vars(self))


_Events = dict[int, tuple[str, str, Any]]
"""By `n` the type, writer and data of each event of a report."""


class ReportChecker:
    """Checks kept reports; each is read once, however many events of it are asked for."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._vault = Vault(home.lake)
        self._receipts: dict[tuple[str, str], Any] = {}
        self._keys: dict[tuple[str, str | None], Any] = {}
        self._checked: dict[tuple[str, str], tuple[CheckedReport, _Events]] = {}

    def check(self, event: SignedEvent) -> CheckedReport:
        """The report that brought an event, verified with that event in it."""
        key = (event.rig, event.report_sha256)
        if key not in self._checked:
            self._checked[key] = self._read(event)
        report, signed = self._checked[key]
        if report.verified and signed.get(event.n) != (event.type, event.by, event.data):
            return CheckedReport(**{**vars(report), "verified": False})
        return report

    def expect(self, events: Iterable[SignedEvent]) -> None:
        """Look up the receipts of many events' reports at once, before they are checked."""
        new = {(event.rig, event.report_sha256) for event in events} - self._receipts.keys()
        if not new:
            return
        self._receipts |= dict.fromkeys(new)
        query = select(Receipt).where(Receipt.outcome == "accepted").order_by(Receipt.receipt.desc())
        with self._home.control.read() as connection:
            for batch in chunks(sorted({sha256 for _, sha256 in new})):
                for row in connection.execute(query.where(Receipt.payload_sha256.in_(batch))):
                    if (row.payload_rig, row.payload_sha256) in new:
                        self._receipts[row.payload_rig, row.payload_sha256] = row
            for batch in chunks(sorted({rig for rig, _ in new})):
                keys = connection.execute(select(RigKey).where(RigKey.rig.in_(batch)))
                self._keys |= {(row.rig, row.keyid): row for row in keys}

    def _read(self, event: SignedEvent) -> tuple[CheckedReport, _Events]:
        self.expect([event])
        receipt = self._receipts[event.rig, event.report_sha256]
        keyid = None if receipt is None else receipt.keyid
        key = self._keys.get((event.rig, keyid))
        events = None
        if receipt is not None and receipt.kept is not None and key is not None:
            payload = self._payload(receipt.kept, event.report_sha256, bytes.fromhex(key.public_key), key.keyid)
            events = None if payload is None else _held(payload, event, receipt.seq)
        seq = None if receipt is None else receipt.seq
        report = CheckedReport(event.rig, event.ledger, seq, event.report_sha256, keyid, events is not None)
        return report, events or {}

    def _payload(self, kept: str, sha256: str, public_key: bytes, keyid: str) -> bytes | None:
        """The payload of a kept envelope; None where anything about it is not as it was accepted."""
        try:
            envelope = parse_envelope(self._vault.envelope(kept), REPORT_TYPE)
        except (ThermiteError, EnvelopeError, OSError):
            return None
        if keyid_of(public_key) != keyid or hashlib.sha256(envelope.payload).hexdigest() != sha256:
            return None
        message = pae(REPORT_TYPE, envelope.payload)
        is_signed = any(verify(public_key, message, signature.sig) for signature in envelope.signatures)
        return envelope.payload if is_signed else None


def _held(payload: bytes, event: SignedEvent, seq: int) -> _Events | None:
    """The events of a verified payload; None where it is not that of the event's place in its chain."""
    try:
        return accepted_events(payload, event.rig, event.ledger, seq)
    except PayloadError:
        return None


def kept_whole(home: Home, path: str, sha256: str) -> bool:
    """Whether a file of the lake still hashes to what it was when it was read."""
    digest = hashlib.sha256()
    try:
        for piece in home.lake.pieces(path):
            digest.update(piece)
    except (ThermiteError, OSError):
        return False
    return digest.hexdigest() == sha256
