"""Down to the signed reports: events of a run with the report that brought each, checked against what was kept.

A report is verified when its kept bytes hash to what the event names, the signature stands, made with the key under
which it was accepted and which belongs to the rig, and the event in it is word for word the one in the lake.
"""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import select

from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import Receipt, RigKey
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake.event_rows import BLOCK, event_path
from thermite_pipelines.intake.vault import Vault
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
from thermite_pipelines.ledger.payload import PayloadError, Report, parse_payload
from thermite_pipelines.tables.compute import pc
from thermite_pipelines.tables.schemas import EVENTS

# pyarrow makes its compute functions when it is imported, where no type checker sees them.
_compute: Any = pc
_decode = msgspec.json.Decoder().decode
_COLUMNS = ["n", "occurred_at", "written_by", "type", "data", "report_sha256"]


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


def signed_events(
    home: Home, run: RunState, first_n: int, last_n: int, types: Collection[str] = ()
) -> Iterator[SignedEvent]:
    """The events of a run with `first_n <= n <= last_n`, of some types or of all, in order."""
    files = LakeFiles(home.control, home.lake, f"rig:{run.rig}")
    for block in range(first_n // BLOCK, last_n // BLOCK + 1):
        table = files.load(event_path("events", run.rig, run.ledger, block), EVENTS)
        if table is None:
            continue
        wanted = _compute.and_(
            _compute.equal(table["run"], run.run),
            _compute.and_(_compute.greater_equal(table["n"], first_n), _compute.less_equal(table["n"], last_n)),
        )
        rows = table.filter(wanted).select(_COLUMNS)
        for row in rows.to_pylist() if not types else _of_types(rows, types):
            at = int(row["occurred_at"].timestamp() * 1_000_000)
            yield SignedEvent(
                run.rig,
                run.ledger,
                row["n"],
                at,
                row["written_by"],
                row["type"],
                _decode(row["data"]),
                row["report_sha256"],
            )


def _of_types(rows: Any, types: Collection[str]) -> list[dict[str, Any]]:
    places = [place for place, type in enumerate(rows["type"].to_pylist()) if type in types]
    return rows.take(places).to_pylist() if places else []


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


class ReportChecker:
    """Checks kept reports; each is read once, however many events of it are asked for."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._vault = Vault(home.lake)
        self._checked: dict[tuple[str, str], tuple[CheckedReport, Report | None]] = {}

    def check(self, event: SignedEvent) -> CheckedReport:
        """The report that brought an event, verified with that event in it."""
        key = (event.rig, event.report_sha256)
        if key not in self._checked:
            self._checked[key] = self._read(event)
        report, payload = self._checked[key]
        if report.verified and not _holds(payload, event):
            return CheckedReport(**{**vars(report), "verified": False})
        return report

    def _read(self, event: SignedEvent) -> tuple[CheckedReport, Report | None]:
        query = select(Receipt).where(
            Receipt.payload_sha256 == event.report_sha256,
            Receipt.payload_rig == event.rig,
            Receipt.outcome == "accepted",
        )
        with self._home.control.read() as connection:
            receipt = connection.execute(query).first()
            keyid = None if receipt is None else receipt.keyid
            key = connection.execute(select(RigKey).where(RigKey.keyid == keyid, RigKey.rig == event.rig)).first()
        seq = None if receipt is None else receipt.seq
        payload = None
        if receipt is not None and receipt.kept is not None and key is not None:
            payload = self._payload(receipt.kept, event.report_sha256, bytes.fromhex(key.public_key), key.keyid)
        is_that = payload is not None and (payload.rig, payload.ledger, payload.seq) == (event.rig, event.ledger, seq)
        report = CheckedReport(event.rig, event.ledger, seq, event.report_sha256, keyid, is_that)
        return report, payload if is_that else None

    def _payload(self, kept: str, sha256: str, public_key: bytes, keyid: str) -> Report | None:
        """What a kept envelope holds; None where anything about it is not as it was accepted."""
        try:
            envelope = parse_envelope(self._vault.envelope(kept), REPORT_TYPE)
            if keyid_of(public_key) != keyid or hashlib.sha256(envelope.payload).hexdigest() != sha256:
                return None
            message = pae(REPORT_TYPE, envelope.payload)
            if not any(verify(public_key, message, signature.sig) for signature in envelope.signatures):
                return None
            return parse_payload(envelope.payload)
        except (ThermiteError, EnvelopeError, PayloadError, OSError):
            return None


def _holds(payload: Report | None, event: SignedEvent) -> bool:
    """Whether a report holds the very event: its place, its type, its writer and all that it says."""
    return payload is not None and any(
        (one.n, one.type, one.by) == (event.n, event.type, event.by) and one.data == event.data
        for one in payload.events
    )


def kept_whole(home: Home, path: str, sha256: str) -> bool:
    """Whether a file of the lake still hashes to what it was when it was read."""
    digest = hashlib.sha256()
    try:
        for piece in home.lake.pieces(path):
            digest.update(piece)
    except (ThermiteError, OSError):
        return False
    return digest.hexdigest() == sha256
