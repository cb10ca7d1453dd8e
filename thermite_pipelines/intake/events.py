"""Accepted reports become events: each event is verified, rejected or unknown, and lands in one Parquet table.

Work goes on from the rig's watermark (the newest accepted number that is written) and is committed report by report in
batches: files first, then runs, records and the watermark in one transaction.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, select, update

from thermite_pipelines.control.db import Control, insert_ignoring, upsert
from thermite_pipelines.control.lake_files import DamagedFile, LakeFiles
from thermite_pipelines.control.models import LakeFile, Receipt, Record, RigKey, RigState, Run
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake.event_rows import EventRows
from thermite_pipelines.intake.receipts import ReportCache
from thermite_pipelines.intake.run_index import RunIndex
from thermite_pipelines.intake.vault import Vault
from thermite_pipelines.ledger.envelope import REPORT_TYPE, pae, parse_envelope, verify
from thermite_pipelines.ledger.event_checks import judge
from thermite_pipelines.ledger.event_types import EVENT_TYPES
from thermite_pipelines.ledger.payload import Report, parse_payload
from thermite_pipelines.tables.lake import Lake
from thermite_pipelines.tables.schemas import EVENT_TABLES

BATCH_EVENTS = 50_000
Progress = Callable[[int, int], None]


@dataclass
class Written:
    """Events written by one call, by table, and the state of the rig after it."""

    verified: int = 0
    rejected: int = 0
    unknown: int = 0
    reports: int = 0
    rebuilt: bool = False


@dataclass(frozen=True)
class Accepted:
    """An accepted report, as its receipt tells it."""

    number: int
    kept: str
    payload_sha256: str
    keyid: str
    events: int
    accepted_at: int


class EventWriter:
    """Writes the event tables of one rig. The caller holds the lease of the rig."""

    def __init__(self, control: Control, lake: Lake, rig: str, cache: ReportCache | None = None) -> None:
        self._control = control
        self._lake = lake
        self._rig = rig
        self._cache = cache or ReportCache(0)
        self._vault = Vault(lake)
        self._files = LakeFiles(control, lake, f"rig:{rig}")

    def write(self, progress: Progress | None = None) -> Written:
        """Write the events of all accepted reports after the watermark; a damaged file rebuilds the rig's tables."""
        try:
            written = self._write(progress)
        except DamagedFile:
            return self.rebuild(progress)
        self._finish_rebuild(written)
        return written

    def rebuild(self, progress: Progress | None = None) -> Written:
        """Make the rig's event tables, runs and records anew from the kept reports, checking hash and signature again.

        Raises `ThermiteError` where a kept report is gone or is not what was accepted.
        """
        with self._control.write() as connection:
            keys = select(Run.run_key).where(Run.rig == self._rig)
            connection.execute(delete(Record).where(Record.run_key.in_(keys)))
            connection.execute(update(Run).where(Run.rig == self._rig).values(_RUN_UNSEEN))
            upsert(connection, RigState, [_BLANK_STATE | {"rig": self._rig, "rebuilding": True}])
            self._files.forget(connection)
        written = self._write(progress)
        self._finish_rebuild(written)
        return written

    def _finish_rebuild(self, written: Written) -> None:
        """Remove what a rebuild left over: files that no event is in any more, and runs that no verified event opens."""
        with self._control.read() as connection:
            query = select(RigState.rebuilding).where(RigState.rig == self._rig)
            if not connection.execute(query).scalar():
                return
        known = self._files.known()
        for table in EVENT_TABLES:
            for entry in list(self._lake.list(f"{table}/rig={self._rig}")):
                if entry.path not in known:
                    self._lake.delete(entry.path)
        with self._control.write() as connection:
            connection.execute(delete(Run).where(Run.rig == self._rig, Run.events == 0))
            connection.execute(update(RigState).where(RigState.rig == self._rig).values(rebuilding=False))
        written.rebuilt = True

    def _write(self, progress: Progress | None) -> Written:
        written = Written()
        due = self._due()
        total, done = sum(item.events for item in due), 0
        index = RunIndex(self._control, self._rig)
        rows = EventRows(self._rig)
        last: Accepted | None = None
        for batch in _batches(due):
            reports = [(item, self._report(item)) for item in batch]
            index.prefetch(report for _, report in reports)
            for item, report in reports:
                self._sort(item, report, index, rows, written)
                last = item
            done += rows.size
            self._commit(rows, index, written, last)
            if progress is not None:
                progress(done, total)
        return written

    def _due(self) -> list[Accepted]:
        with self._control.read() as connection:
            through = connection.execute(select(RigState.events_through).where(RigState.rig == self._rig)).scalar() or 0
            rows = connection.execute(
                select(Receipt)
                .where(Receipt.rig == self._rig, Receipt.outcome == "accepted", Receipt.accepted_number > through)
                .order_by(Receipt.accepted_number)
            )
            return [
                Accepted(row.accepted_number, row.kept, row.payload_sha256, row.keyid, row.events, row.accepted_at)
                for row in rows
            ]

    def _report(self, item: Accepted) -> Report:
        cached = self._cache.pop(item.payload_sha256)
        if cached is not None:
            return cached
        payload = read_accepted(self._control, self._vault, self._rig, item)
        return parse_payload(payload)

    def _sort(self, item: Accepted, report: Report, index: RunIndex, rows: EventRows, written: Written) -> None:
        """Judge each event of a report and add it to its table."""
        runs = index.ledger(report.ledger)
        rows.begin(report)
        for event in report.events:
            if event.type not in EVENT_TYPES:
                rows.add("unknown_events", report, event, item.payload_sha256, item.accepted_at)
                written.unknown += 1
                continue
            rejection = judge(event, runs)
            if rejection is None:
                index.note(report.ledger, event, item.number, item.accepted_at)
                rows.add("events", report, event, item.payload_sha256, item.accepted_at)
                written.verified += 1
            else:
                rows.add(
                    "rejected_events",
                    report,
                    event,
                    item.payload_sha256,
                    item.accepted_at,
                    reason=rejection.reason,
                    detail=rejection.detail,
                )
                written.rejected += 1
        written.reports += 1

    def _commit(self, rows: EventRows, index: RunIndex, written: Written, last: Accepted | None) -> None:
        if last is None:
            return
        rows.stage(self._files)
        self._files.publish()
        with self._control.write() as connection:
            self._files.confirm(connection)
            index.save(connection)
            totals = {
                name: _rows_in(connection, f"{table}/rig={self._rig}/%")
                for name, table in (
                    ("verified", "events"),
                    ("rejected", "rejected_events"),
                    ("unknown", "unknown_events"),
                )
            }
            insert_ignoring(connection, RigState, [_BLANK_STATE | {"rig": self._rig}])
            state = update(RigState).where(RigState.rig == self._rig)
            connection.execute(state.values(events_through=last.number, **totals))


_BLANK_STATE = {"events_through": 0, "rebuilding": False, "verified": 0, "rejected": 0, "unknown": 0}
# How a run ended stays until its events are judged again: a run that finished must not look open meanwhile.
_RUN_UNSEEN = {"events": 0, "last_n": 0}


def read_accepted(control: Control, vault: Vault, rig: str, item: Accepted) -> bytes:
    """The payload of an accepted report from the kept bytes, its hash and signature checked with the key of then.

    Raises `ThermiteError` where the bytes are gone or are not what was accepted.
    """
    with control.read() as connection:
        key = connection.execute(select(RigKey.public_key).where(RigKey.keyid == item.keyid)).scalar()
    envelope = parse_envelope(vault.envelope(item.kept), REPORT_TYPE)
    if hashlib.sha256(envelope.payload).hexdigest() != item.payload_sha256:
        raise ThermiteError("the kept report is not what was accepted", where=item.kept, do="restore it from a backup")
    message = pae(REPORT_TYPE, envelope.payload)
    signed = key is not None and any(
        signature.keyid == item.keyid and verify(bytes.fromhex(key), message, signature.sig)
        for signature in envelope.signatures
    )
    if not signed:
        raise ThermiteError(
            "the kept report's signature does not verify", where=item.kept, do="restore it from a backup"
        )
    return envelope.payload


def _rows_in(connection: Connection, like: str) -> int:
    # The parts of the pattern are rig names: letters, digits and hyphens, no wildcard.
    return connection.execute(
        select(func.coalesce(func.sum(LakeFile.rows), 0)).where(LakeFile.path.like(like))
    ).scalar_one()


def _batches(due: list[Accepted]) -> Iterator[list[Accepted]]:
    batch: list[Accepted] = []
    size = 0
    for item in due:
        batch.append(item)
        size += item.events
        if size >= BATCH_EVENTS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def events_agree(control: Control, lake: Lake, rig: str) -> bool:
    """Whether a rig's event files are what was written, and each accepted report's events are all in one of them."""
    if LakeFiles(control, lake, f"rig:{rig}").damaged(thorough=True):
        return False
    with control.read() as connection:
        query = select(func.coalesce(func.sum(Receipt.events), 0), func.max(Receipt.accepted_number))
        due, newest = connection.execute(query.where(Receipt.rig == rig, Receipt.outcome == "accepted")).one()
        state = connection.execute(select(RigState).where(RigState.rig == rig)).first()
    if state is None:
        return due == 0
    return state.events_through == newest and state.verified + state.rejected + state.unknown == due
