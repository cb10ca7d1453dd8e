"""Reports as bytes: the payload of a list of events, the rules they must keep, and the file they travel in."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.ledger import envelope, payload, strict_json
from thermite_pipelines.ledger.event_types import EVENT_TYPES, DataError
from thermite_pipelines.rig.files import write_atomic
from thermite_pipelines.times import format_rfc3339, parse_rfc3339

MAX_PAYLOAD_BYTES = 40 * 1024 * 1024
"""Largest payload that is sent: its envelope stays below the 64 MiB that a pipeline takes by default."""


def build_report(
    rig: str, ledger: str, seq: int, prev: str | None, sent_at: int, events: Sequence[Mapping[str, Any]]
) -> bytes:
    """The payload bytes of report `seq`; the same arguments give the same bytes.

    `prev` is the payload hash of the report before it, `sent_at` microseconds since the epoch, each event an object of
    the wire format. Raises `ThermiteError` if the pipeline would quarantine it.
    """
    report = {
        "schema": payload.SCHEMA,
        "rig": rig,
        "ledger": ledger,
        "seq": seq,
        "prev": prev,
        "sent_at": format_rfc3339(sent_at),
        "events": list(events),
    }
    where = f"report {seq} of {ledger}"
    try:
        raw = strict_json.dumps(report)
        payload.parse_payload(raw)
    except payload.PayloadError as error:
        raise ThermiteError(f"this would be a bad report: {error.detail}", where=where) from None
    except (msgspec.MsgspecError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ThermiteError(f"this is nothing that JSON can hold: {str(error)[:80]}", where=where) from None
    return raw


def make_event(
    n: int,
    event_id: str,
    at: int,
    event_type: str,
    by: str,
    data: Mapping[str, Any],
    *,
    run: str | None,
    campaign: str | None,
) -> dict[str, Any]:
    """One event of the wire format; `at` in microseconds since the epoch. `None` in `data` leaves the field out."""
    return {
        "n": n,
        "id": event_id,
        "at": format_rfc3339(at),
        "run": run,
        "campaign": campaign,
        "type": event_type,
        "by": by,
        "data": {name: value for name, value in data.items() if value is not None},
    }


def check_event(event: Mapping[str, Any]) -> None:
    """Raise `ThermiteError` for an event that the pipeline would reject for what it holds, whatever came before it."""
    where = f"event {event.get('id')} ({event.get('type')})"
    kind = EVENT_TYPES.get(str(event.get("type")))
    if kind is None:
        raise ThermiteError("there is no such event type", where=where, do="see the table in docs/report-format.md")
    try:
        kind.read(event.get("data"))
    except DataError as error:
        raise ThermiteError(error.detail, where=where) from None
    if kind.writer is not None and event.get("by") != kind.writer:
        raise ThermiteError(f"only {kind.writer} writes such an event, not {event.get('by')}", where=where)
    if event.get("run") is None:
        raise ThermiteError("it needs a run", where=where)


def payload_hash(raw: bytes) -> str:
    """The hash that the next report names as its `prev`."""
    return hashlib.sha256(raw).hexdigest()


def latest(events: Sequence[Mapping[str, Any]]) -> int:
    """The latest `at` of the events, in microseconds since the epoch."""
    return max(parse_rfc3339(event["at"]) for event in events)


def report_name(ledger: str, seq: int) -> str:
    """The file name of a report; names sort as the reports follow each other."""
    return f"{ledger}-{seq:08d}.dsse.json"


def deliver(folder: Path, ledger: str, seq: int, raw: bytes, seed: bytes) -> Path:
    """Sign a payload and put it into `folder` as a whole file. Ed25519 is deterministic: again gives the same bytes."""
    path = folder / report_name(ledger, seq)
    write_atomic(path, envelope.seal(envelope.REPORT_TYPE, raw, seed))
    return path
