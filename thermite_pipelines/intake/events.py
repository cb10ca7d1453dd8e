"""Accepted reports become events: each event is verified, rejected or unknown, and lands in one Parquet table.

Work goes on from the rig's watermark (the newest accepted number that is written) and is committed report by report in
batches: files first, then runs, records and the watermark in one transaction.
"""

import gc
import hashlib
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, select, update

from thermite_pipelines.control.db import Control, insert_ignoring, upsert
from thermite_pipelines.control.lake_files import DamagedFile, LakeFiles
from thermite_pipelines.control.models import LakeFile, Receipt, Record, RigKey, RigState, Run
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import channel_rows
from thermite_pipelines.intake.channel_rows import ChannelRows
from thermite_pipelines.intake.event_rows import EventRows, safe_detail
from thermite_pipelines.intake.receipts import ReportCache
from thermite_pipelines.intake.run_index import RunIndex
from thermite_pipelines.intake.vault import Vault
from thermite_pipelines.ledger.envelope import REPORT_TYPE, EnvelopeError, pae, parse_envelope, verify
from thermite_pipelines.ledger.event_checks import Rejection, judge
from thermite_pipelines.ledger.event_types import EVENT_TYPES
from thermite_pipelines.ledger.payload import Event, PayloadError, Report, parse_payload
from thermite_pipelines.tables.lake import Lake, LakeMissing
from thermite_pipelines.tables.schemas import EVENT_TABLES

# A batch is held in memory: it ends at so many events, or so many bytes as they are kept (packed some fivefold).
BATCH_EVENTS = 50_000
BATCH_BYTES = 16 * 2**20
Progress = Callable[[int, int], None]
_log = logging.getLogger(__name__)


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
    kept_bytes: int
    payload_sha256: str
    keyid: str
    events: int
    accepted_at: int


@dataclass(frozen=True)
class _Collected:
    """What reports gave, until it is committed."""

    rows: EventRows
    index: RunIndex
    channels: ChannelRows


class EventWriter:
    """Writes the event tables of one rig. The caller holds the lease of the rig."""

    def __init__(self, control: Control, lake: Lake, rig: str, cache: ReportCache | None = None) -> None:
        self._control = control
        self._lake = lake
        self._rig = rig
        self._cache = cache or ReportCache(0)
        self._vault = Vault(lake)
        self._files = LakeFiles(control, lake, f"rig:{rig}")
        self._keys: dict[str, bytes] = {}

    def write(self, progress: Progress | None = None) -> Written:
        """Write the events of all accepted reports after the watermark.

        A damaged file rebuilds the rig's tables, and so do rules of another version: what was refused or let pass by
        them is judged again.
        """
        try:
            if self._must_judge_again():
                return self.rebuild(progress)
            # A look at each file costs next to nothing on a disk; elsewhere the files that are read have to do.
            if self._lake.is_local and self._files.damaged():
                return self.rebuild(progress)
            written = self._write(progress)
        except DamagedFile:
            return self.rebuild(progress)
        self._finish_rebuild(written)
        return written

    def _must_judge_again(self) -> bool:
        """Whether other rules judged the rig's events; where a kept report is damaged, they stay as they are."""
        with self._control.read() as connection:
            if self._rig not in rigs_judged_by_others(connection):
                return False
        try:
            self._check_kept()
        except ThermiteError as error:
            _log.warning("the events of %s can't be judged again: %s", self._rig, error)
            return False
        return True

    def _check_kept(self) -> None:
        for item in self._due(all_accepted=True):
            self._read(item)

    def rebuild(self, progress: Progress | None = None) -> Written:
        """Make the rig's event tables, runs and records anew from the kept reports, checking hash and signature again.

        Raises `ThermiteError` where a kept report is gone or is not what was accepted, before anything is changed.
        """
        self._check_kept()
        with self._control.write() as connection:
            keys = select(Run.run_key).where(Run.rig == self._rig)
            connection.execute(delete(Record).where(Record.run_key.in_(keys)))
            channel_rows.forget(connection, self._rig)
            connection.execute(update(Run).where(Run.rig == self._rig).values(_RUN_UNSEEN))
            upsert(connection, RigState, [_BLANK_STATE | {"rig": self._rig, "rebuilding": True}])
            self._files.forget(connection)
        written = self._write(progress)
        self._finish_rebuild(written)
        return written

    def _finish_rebuild(self, written: Written) -> None:
        """Remove what a rebuild left over: files without an event by now, and runs that no verified event opens."""
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
        # Events hold no cycles: looking for some among a batch of them is a tenth of the work.
        with _no_cycle_search():
            return self._write_due(progress)

    def _write_due(self, progress: Progress | None) -> Written:
        written = Written()
        through = self._through()
        due = self._due()
        total, done = sum(item.events for item in due), 0
        index = RunIndex(self._control, self._rig)
        collected = _Collected(EventRows(self._rig), index, ChannelRows(self._control, self._rig))
        for batch in _batches(due):
            reports = [(item, self._report(item)) for item in batch]
            index.prefetch(report for _, report in reports)
            for item, report in reports:
                self._sort(item, report, collected, written)
            done += collected.rows.size
            self._commit(collected, through, batch[-1].number)
            through = batch[-1].number
            if progress is not None:
                progress(done, total)
        return written

    def _through(self) -> int:
        with self._control.read() as connection:
            return _watermark(connection, self._rig)

    def _due(self, *, all_accepted: bool = False) -> list[Accepted]:
        """Accepted reports that are not written yet, or all of them, in the order in which they were accepted."""
        with self._control.read() as connection:
            through = 0 if all_accepted else _watermark(connection, self._rig)
            rows = connection.execute(
                select(Receipt)
                .where(Receipt.rig == self._rig, Receipt.accepted_number > through)
                .order_by(Receipt.accepted_number)
            )
            return [
                Accepted(
                    row.accepted_number,
                    row.kept,
                    row.kept_bytes,
                    row.payload_sha256,
                    row.keyid,
                    row.events,
                    row.accepted_at,
                )
                for row in rows
            ]

    def _report(self, item: Accepted) -> Report:
        cached = self._cache.pop(item.payload_sha256)
        if cached is not None:
            return cached
        try:
            return parse_payload(self._read(item))
        except PayloadError as error:
            raise ThermiteError(
                f"an accepted report can't be read by this version: {error}", where=item.kept, do="use a newer version"
            ) from None

    def _read(self, item: Accepted) -> bytes:
        if item.keyid not in self._keys:
            self._keys = signing_keys(self._control, self._rig)
        return read_accepted(self._vault, item, self._keys.get(item.keyid))

    def _sort(self, item: Accepted, report: Report, collected: _Collected, written: Written) -> None:
        """Judge each event of a report and add it to its table."""
        rows, runs = collected.rows, collected.index.ledger(report.ledger)
        verified: list[Event] = []
        unknown: list[Event] = []
        rejected: list[tuple[Event, Rejection]] = []
        for event in report.events:
            if event.type not in EVENT_TYPES:
                unknown.append(event)
            elif (rejection := judge(event, runs)) is None:
                verified.append(event)
            else:
                rejected.append((event, rejection))
        source = (item.payload_sha256, item.accepted_at)
        rows.begin(report)
        rows.add("events", report, verified, *source)
        rows.add("unknown_events", report, unknown, *source)
        rows.add(
            "rejected_events",
            report,
            [event for event, _ in rejected],
            *source,
            reason=[rejection.reason for _, rejection in rejected],
            detail=[safe_detail(event, rejection.detail) for event, rejection in rejected],
        )
        collected.index.note(report.ledger, verified, item.number, item.accepted_at)
        collected.channels.note(report, verified, item.number, item.accepted_at)
        written.verified += len(verified)
        written.unknown += len(unknown)
        written.rejected += len(rejected)
        written.reports += 1

    def _commit(self, collected: _Collected, before: int, through: int) -> None:
        """Write what was collected, and move the watermark from `before` to `through`."""
        collected.rows.stage(self._files)
        self._files.publish()
        with self._control.write() as connection:
            if _watermark(connection, self._rig) != before:
                # This process stood still for so long that its lease was taken over.
                raise ThermiteError(f"another intake of {self._rig} went on meanwhile", do="start this one again")
            self._files.confirm(connection)
            collected.index.save(connection)
            collected.channels.save(connection)
            totals = {name: _rows_in(connection, self._rig, table) for name, table in _TOTALS.items()}
            insert_ignoring(connection, RigState, [_BLANK_STATE | {"rig": self._rig}])
            state = update(RigState).where(RigState.rig == self._rig)
            connection.execute(state.values(events_through=through, **totals))


_TOTALS = {"verified": "events", "rejected": "rejected_events", "unknown": "unknown_events"}
RULES = 1
"""The version of the rules by which events are judged and redacted; raise it so that all are judged again."""
_BLANK_STATE = {
    "events_through": 0,
    "rebuilding": False,
    "verified": 0,
    "rejected": 0,
    "unknown": 0,
    "rules": RULES,
}
# How a run ended stays until its events are judged again: a run that finished must not look open meanwhile.
_RUN_UNSEEN = {"events": 0, "last_n": 0, "said_n": 0, "said_events": 0}


def rigs_judged_by_others(connection: Connection) -> set[str]:
    """The rigs whose events were judged by rules of another version than these."""
    query = select(RigState.rig).where(RigState.events_through > 0, func.coalesce(RigState.rules, 0) != RULES)
    return set(connection.execute(query).scalars())


def signing_keys(control: Control, rig: str) -> dict[str, bytes]:
    """All public keys that the rig ever had, by key id: what was accepted is checked with the key of then."""
    with control.read() as connection:
        rows = connection.execute(select(RigKey.keyid, RigKey.public_key).where(RigKey.rig == rig))
        return {row.keyid: bytes.fromhex(row.public_key) for row in rows}


@contextmanager
def _no_cycle_search() -> Iterator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def read_accepted(vault: Vault, item: Accepted, public_key: bytes | None) -> bytes:
    """The payload of an accepted report from the kept bytes, its hash and signature checked with the key of then.

    Raises `ThermiteError` where the bytes are gone or are not what was accepted.
    """
    try:
        envelope = parse_envelope(vault.envelope(item.kept), REPORT_TYPE)
    except LakeMissing:
        raise ThermiteError("an accepted report is gone", where=item.kept, do="restore it from a backup") from None
    except EnvelopeError as error:
        raise ThermiteError(
            f"the kept report is damaged ({error})", where=item.kept, do="restore it from a backup"
        ) from None
    if hashlib.sha256(envelope.payload).hexdigest() != item.payload_sha256:
        raise ThermiteError("the kept report is not what was accepted", where=item.kept, do="restore it from a backup")
    message = pae(REPORT_TYPE, envelope.payload)
    signed = public_key is not None and any(
        signature.keyid == item.keyid and verify(public_key, message, signature.sig)
        for signature in envelope.signatures
    )
    if not signed:
        raise ThermiteError(
            "the kept report's signature does not verify", where=item.kept, do="restore it from a backup"
        )
    return envelope.payload


def _watermark(connection: Connection, rig: str) -> int:
    return connection.execute(select(RigState.events_through).where(RigState.rig == rig)).scalar() or 0


def _rows_in(connection: Connection, rig: str, table: str) -> int:
    # The parts of the pattern are our table names and rig names: in both, no wildcard can do harm.
    return connection.execute(
        select(func.coalesce(func.sum(LakeFile.rows), 0)).where(
            LakeFile.scope == f"rig:{rig}", LakeFile.path.like(f"{table}/rig={rig}/%")
        )
    ).scalar_one()


def _batches(due: list[Accepted]) -> Iterator[list[Accepted]]:
    batch: list[Accepted] = []
    events = size = 0
    for item in due:
        batch.append(item)
        events, size = events + item.events, size + item.kept_bytes
        if events >= BATCH_EVENTS or size >= BATCH_BYTES:
            yield batch
            batch, events, size = [], 0, 0
    if batch:
        yield batch
