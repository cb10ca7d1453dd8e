"""Events as rows of the three event tables, collected by file."""

import hashlib
from typing import Any

import pyarrow as pa
import rfc8785

from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.ledger.payload import Event, Report
from thermite_pipelines.ledger.strict_json import dumps
from thermite_pipelines.safety.redaction import redact
from thermite_pipelines.tables.schemas import EVENT_TABLES, TIME, Table

BLOCK = 10_000
"""Events a file: block = event number // 10,000."""

_REDACTED_TYPES = frozenset(["help_requested", "learning_proposed"])


def event_path(table: str, rig: str, ledger: str, block: int) -> str:
    """The path in the lake of one block of an event table."""
    return f"{table}/rig={rig}/{ledger}-{block:06d}.parquet"


def stored_data(event: Event) -> str:
    """The event's data as JSON text; help and learning events redacted, with the hash of what was sent (RFC 8785)."""
    data = event.data
    if event.type in _REDACTED_TYPES:
        original = hashlib.sha256(rfc8785.dumps(data)).hexdigest()
        clean = redact(data)
        data = (clean if isinstance(clean, dict) else {"data": clean}) | {"original_sha256": original}
    return dumps(data).decode()


class EventRows:
    """Rows for event files of one rig, in columns, until they are staged."""

    def __init__(self, rig: str) -> None:
        self._rig = rig
        self._files: dict[tuple[str, str, int], dict[str, list[Any]]] = {}
        self._first: dict[str, int] = {}
        self.size = 0

    def add(self, table: str, report: Report, event: Event, sha256: str, accepted_at: int, **more: str | None) -> None:
        """Add one event; `more` are the columns that only rejected events have."""
        key = (table, report.ledger, event.n // BLOCK)
        rows = self._files.get(key)
        if rows is None:
            rows = self._files[key] = {name: [] for name in EVENT_TABLES[table].column_names}
        rows["ledger"].append(report.ledger)
        rows["seq"].append(report.seq)
        rows["n"].append(event.n)
        rows["id"].append(event.id)
        rows["occurred_at"].append(event.at)
        rows["run"].append(event.run)
        rows["campaign"].append(event.campaign if isinstance(event.campaign, str) else None)
        rows["type"].append(event.type)
        rows["written_by"].append(event.by)
        rows["data"].append(stored_data(event))
        rows["report_sha256"].append(sha256)
        rows["accepted_at"].append(accepted_at)
        for name, value in more.items():
            rows[name].append(value)
        self.size += 1

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


def _arrow(table: Table, rows: dict[str, list[Any]]) -> pa.Table:
    arrays = [
        pa.array(rows[field.name], pa.int64()).cast(TIME)
        if field.type == TIME
        else pa.array(rows[field.name], field.type)
        for field in table.schema
    ]
    return pa.Table.from_arrays(arrays, schema=table.schema)
