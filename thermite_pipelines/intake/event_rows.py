"""Events as rows of the three event tables, collected by file."""

import hashlib
import re
from typing import Any

import pyarrow as pa
import rfc8785

from thermite_pipelines import names
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.ledger.payload import Event, Report
from thermite_pipelines.ledger.strict_json import dumps
from thermite_pipelines.tables.schemas import EVENT_TABLES, TIME, Table

BLOCK = 10_000
"""Events a file: block = event number // 10,000."""

NO_TEXT = "no-text"
"""Why a proposal without a text is refused; its event is rejected too."""

_REDACTED_TYPES = frozenset(["help_requested", "learning_proposed"])
_OURS = frozenset(["refused", "original_sha256"])
_IDS = frozenset(["learning", "request"])
_NAMES_KEPT = {"learning": names.RUN, "agent": names.AGENT, "impact": re.compile("low|medium|high")}


def event_path(table: str, rig: str, ledger: str, block: int) -> str:
    """The path in the lake of one block of an event table."""
    return f"{table}/rig={rig}/{ledger}-{block:06d}.parquet"


def redacted_data(event: Event) -> str:
    """Data of a help or learning event as JSON text: redacted, with the hash of what was sent (RFC 8785).

    Of a learning that screening refuses, verified or rejected, nothing stays but who proposed what kind of thing, and
    why it was refused. What a rig itself says about either is dropped.
    """
    original = hashlib.sha256(rfc8785.dumps(event.data)).hexdigest()
    clean = _redact(event.data)
    clean = clean if isinstance(clean, dict) else {"data": clean}
    clean = {name: _still_named(name, value, event.data) for name, value in clean.items() if name not in _OURS}
    if event.type == "learning_proposed":
        refused = _refused(event.data)
        if refused is not None:
            clean = {name: value for name, value in clean.items() if _stays(name, value)} | {"refused": refused}
    return dumps(clean | {"original_sha256": original}).decode()


def _redact(data: Any) -> Any:
    # Here and not above: its patterns take a tenth of a second to compile, and most reports ask for none of them.
    from thermite_pipelines.safety.redaction import redact

    return redact(data)


def _still_named(name: str, clean: Any, data: dict[str, Any]) -> Any:
    """What stands for an id: where it is shaped like a credential, another one that still tells it from the rest."""
    if name not in _IDS or clean == data.get(name) or not isinstance(data.get(name), str):
        return clean
    return f"redacted-{hashlib.sha256(data[name].encode()).hexdigest()[:16]}"


def _refused(data: Any) -> str | None:
    """Why screening refuses a proposed learning, which is also done where the event itself is rejected."""
    # Here and not above: most reports propose nothing, and the phrases it knows are many.
    from thermite_pipelines.safety.product_names import product_names
    from thermite_pipelines.safety.screening import screen

    text = data.get("text") if isinstance(data, dict) else None
    if not isinstance(text, str):
        return NO_TEXT
    refusal = screen(text, product_names())
    return None if refusal is None else refusal.reason


def _stays(name: str, value: Any) -> bool:
    """Whether a field of a refused learning stays: one that can hold no text but a name."""
    pattern = _NAMES_KEPT.get(name)
    return pattern is not None and isinstance(value, str) and pattern.fullmatch(value) is not None


def safe_detail(event: Event, detail: str) -> str:
    """Why an event was rejected. What might quote something that is redacted or refused is left out."""
    if event.type in _REDACTED_TYPES and _redact(event.data) != event.data:
        return "not shown: it might quote what is redacted"
    if event.type == "learning_proposed" and _refused(event.data) is not None:
        return "not shown: it might quote what is refused"
    return detail


class EventRows:
    """Rows for event files of one rig, in columns, until they are staged."""

    def __init__(self, rig: str) -> None:
        self._rig = rig
        self._files: dict[tuple[str, str, int], dict[str, list[Any]]] = {}
        self._first: dict[str, int] = {}
        self.size = 0

    def add(
        self, table: str, report: Report, events: list[Event], sha256: str, accepted_at: int, **more: list[str]
    ) -> None:
        """Add events of a report, in their order; `more` are the columns that only rejected events have."""
        start = 0
        while start < len(events):
            block = events[start].n // BLOCK
            end = len(events) if events[-1].n // BLOCK == block else _end_of(block, events, start)
            rows = self._columns(table, report.ledger, block)
            _extend(rows, report, events[start:end], sha256, accepted_at)
            for name, values in more.items():
                rows[name] += values[start:end]
            start = end
        self.size += len(events)

    def _columns(self, table: str, ledger: str, block: int) -> dict[str, list[Any]]:
        key = (table, ledger, block)
        if key not in self._files:
            self._files[key] = {name: [] for name in EVENT_TABLES[table].column_names}
        return self._files[key]

    def begin(self, report: Report) -> None:
        """Say that a report's events follow: what its ledger's files hold from its first event on is replaced."""
        if report.events:
            self._first.setdefault(report.ledger, report.events[0].n)

    def stage(self, files: LakeFiles) -> None:
        """Join the rows with what their files hold from before, and stage the files."""
        for (name, ledger, block), rows in sorted(self._files.items()):
            table = EVENT_TABLES[name]
            path = event_path(name, self._rig, ledger, block)
            fresh = _arrow(table, rows)
            before = files.load(path, table)
            if before is not None:
                # A kill may have left rows of these very reports: they are made again.
                earlier = sum(n < self._first[ledger] for n in before["n"].to_pylist())  # rows are sorted by n
                fresh = pa.concat_tables([before.slice(0, earlier), fresh])
            files.stage(path, table, fresh)
        self._files.clear()
        self._first.clear()
        self.size = 0


def _end_of(block: int, events: list[Event], start: int) -> int:
    """The place of the first event after a block; events of a report are few, and a report rarely spans two blocks."""
    return next(place for place in range(start, len(events)) if events[place].n // BLOCK != block)


def _extend(rows: dict[str, list[Any]], report: Report, events: list[Event], sha256: str, accepted_at: int) -> None:
    # Column by column: half of an intake's time would go into appending to lists one by one.
    number = len(events)
    rows["ledger"] += [report.ledger] * number
    rows["seq"] += [report.seq] * number
    rows["n"] += [event.n for event in events]
    rows["id"] += [event.id for event in events]
    rows["occurred_at"] += [event.at for event in events]
    rows["run"] += [event.run for event in events]
    rows["campaign"] += [event.campaign if isinstance(event.campaign, str) else None for event in events]
    rows["type"] += [event.type for event in events]
    rows["written_by"] += [event.by for event in events]
    rows["data"] += [
        redacted_data(event) if event.type in _REDACTED_TYPES else dumps(event.data).decode() for event in events
    ]
    rows["report_sha256"] += [sha256] * number
    rows["accepted_at"] += [accepted_at] * number


def _arrow(table: Table, rows: dict[str, list[Any]]) -> pa.Table:
    arrays = [
        pa.array(rows[field.name], pa.int64()).cast(TIME)
        if field.type == TIME
        else pa.array(rows[field.name], field.type)
        for field in table.schema
    ]
    return pa.Table.from_arrays(arrays, schema=table.schema)
