"""The fold: verified events of one run, in ledger order, to item rows.

Pure and incremental: an event changes a row only where its number is above the row's `updated_n`, so applying an event
again changes nothing, and any split of the events into steps gives the same rows as one go. Null in a later event
changes nothing. Events come here after the rules of the report format were checked; what they hold is taken as it is.

    key = target(run, event)
    if key is not None:
        row = rows.get(key)
        if row is None:
            rows[key] = open_item(run, event, archive)
        else:
            change_item(row, event)
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.items import Row, RunId, blank_row, item_id, recompute
from thermite_pipelines.knowledge.quotes import Archive, SourceTexts
from thermite_pipelines.times import parse_rfc3339

Data = dict[str, Any]

__all__ = ["FoldEvent", "RunId", "change_item", "open_item", "opens", "target"]


class FoldEvent(msgspec.Struct, frozen=True, gc=False):
    """One verified event of the run: number, time in microseconds, writer, type and decoded data."""

    n: int
    at: int
    by: str
    type: str
    data: Data


class _Opening(NamedTuple):
    kind: str
    record: str
    """The field of `data` that holds the record id; empty for the run itself."""
    fill: Callable[[Row, Data, Archive], None]


class _Change(NamedTuple):
    kind: str
    record: str
    fields: tuple[str, ...]
    """The fields of `data` that fill the columns of the same names."""
    time: str = ""
    """The column that takes the time of the event."""


def target(run: RunId, event: FoldEvent) -> tuple[str, str] | None:
    """Kind and record id of the item that the event opens or changes; None for events that make no item."""
    rule = _OPENINGS.get(event.type) or _CHANGES.get(event.type)
    if rule is None:
        return None
    return rule.kind, (event.data[rule.record] if rule.record else run.run)


def opens(event: FoldEvent) -> bool:
    """Whether the event opens an item where the run has none of that id yet (a document written again changes it)."""
    return event.type in _OPENINGS


def open_item(run: RunId, event: FoldEvent, source_texts: Archive | SourceTexts) -> Row:
    """The row that an opening event makes.

    `source_texts` gives the archived text of a source of the run; pass one `Archive` for many events, which brings each
    text into its compared form only once. Raises `ThermiteError` where the event opens nothing.
    """
    opening = _OPENINGS.get(event.type)
    if opening is None:
        raise ThermiteError(f"{event.type} opens no item", where=f"event {event.n} of {run.rig}/{run.label}")
    data = event.data
    row = blank_row(opening.kind)
    row["item"] = item_id(opening.kind, run.rig, run.label, data[opening.record] if opening.record else run.run)
    row["rig"] = run.rig
    row["ledger"] = run.ledger
    row["run"] = run.run
    row["written_by"] = event.by
    row["created_at"] = row["updated_at"] = event.at
    row["n"] = row["updated_n"] = event.n
    opening.fill(row, data, source_texts if isinstance(source_texts, Archive) else Archive(source_texts))
    recompute(opening.kind, row)
    return row


def change_item(row: Row, event: FoldEvent) -> None:
    """Apply a later event of the item's record to its row, in place; one that was applied before changes nothing."""
    if event.n <= row["updated_n"]:
        return
    data = event.data
    change = _CHANGES.get(event.type)
    if change is not None:
        for field in change.fields:
            value = data.get(field)
            if value is not None:
                row[field] = float(value) if field in _NUMBERS else value
        if change.time:
            row[change.time] = event.at
        kind = change.kind
    elif event.type == "document_written":
        row.update(text=data["text"], text_sha256=data["text_sha256"], lane=data["lane"], version=row["version"] + 1)
        kind = "document"
    else:
        return
    row["updated_at"] = event.at
    row["updated_n"] = event.n
    recompute(kind, row)


_NUMBERS = frozenset({"value", "baseline", "champion_value", "confidence"})


def _copy(row: Row, data: Data, fields: tuple[str, ...]) -> None:
    for field in fields:
        row[field] = data.get(field)


def _run(row: Row, data: Data, _: Archive) -> None:
    _copy(row, data, ("title", "mode", "kit", "contract", "flags", "routes", "planner_runtime", "agents"))
    fetch = data.get("teachers_open_fetch")
    row["teachers_open_fetch"] = True if fetch is None else fetch
    row["briefing"] = [_briefed(entry) for entry in data.get("briefing") or ()]


_BRIEFING_COLUMNS = ("item", "kind", "campaign", "rig", "run", "by", "at", "text")
_RENAMED = {"by": "written_by", "at": "written_at"}


def _briefed(entry: Data) -> Data:
    return {_RENAMED.get(field, field): entry.get(field) for field in _BRIEFING_COLUMNS}


def _trial(row: Row, data: Data, _: Archive) -> None:
    row["lane"] = data["lane"]
    row["trial_kind"] = data["kind"]
    row["runtime"] = data["runtime"]
    row["experiment"] = data.get("experiment")
    row["agent"] = data.get("agent") or "worker"


def _experiment(row: Row, data: Data, _: Archive) -> None:
    _copy(row, data, ("title", "description", "from_item"))


def _attempt(row: Row, data: Data, _: Archive) -> None:
    _copy(row, data, ("title", "trial", "experiment", "summary", "commit"))


def _note(row: Row, data: Data, _: Archive) -> None:
    row["note_kind"] = data["kind"]
    row["text"] = data["text"]
    about = data.get("about")
    row["about_kind"], row["about"] = ("run", row["run"]) if about is None else (about["kind"], about["id"])


def _research_note(row: Row, data: Data, _: Archive) -> None:
    _copy(row, data, ("text", "sources"))


def _document(row: Row, data: Data, _: Archive) -> None:
    _copy(row, data, ("text", "text_sha256", "lane"))
    row["version"] = 1


def _source(row: Row, data: Data, _: Archive) -> None:
    _copy(row, data, ("title", "url", "media_type", "text", "text_sha256"))
    row["fetched_at"] = parse_rfc3339(data["fetched_at"])


def _claim(row: Row, data: Data, archive: Archive) -> None:
    row["text"] = data["text"]
    row["quotes"] = [
        {
            "source": quote["source"],
            "quote": quote["quote"],
            "verified": archive.verifies(quote["source"], quote["quote"]),
        }
        for quote in data["quotes"]
    ]


def _hypothesis(row: Row, data: Data, _: Archive) -> None:
    row["statement"] = data["text"]
    _copy(row, data, ("prediction", "falsifier"))


def _finding(row: Row, data: Data, _: Archive) -> None:
    _copy(row, data, ("text", "claims"))
    confidence = data.get("confidence")
    row["confidence"] = None if confidence is None else float(confidence)


def _report(row: Row, data: Data, _: Archive) -> None:
    _copy(row, data, ("title", "text"))


_OPENINGS: dict[str, _Opening] = {
    "run_created": _Opening("run", "", _run),
    "trial_started": _Opening("trial", "trial", _trial),
    "experiment_queued": _Opening("experiment", "experiment", _experiment),
    "attempt_submitted": _Opening("attempt", "attempt", _attempt),
    "journal_note": _Opening("note", "note", _note),
    "research_note": _Opening("research_note", "note", _research_note),
    "document_written": _Opening("document", "document", _document),
    "source_archived": _Opening("source", "source", _source),
    "claim_recorded": _Opening("claim", "claim", _claim),
    "hypothesis_recorded": _Opening("hypothesis", "hypothesis", _hypothesis),
    "finding_recorded": _Opening("finding", "finding", _finding),
    "report_written": _Opening("report", "report", _report),
}

_CHANGES: dict[str, _Change] = {
    "run_started": _Change("run", "", (), "started_at"),
    "run_finished": _Change("run", "", ("outcome", "summary"), "finished_at"),
    "trial_ended": _Change("trial", "trial", ("outcome", "reason")),
    "experiment_started": _Change("experiment", "experiment", ("trial",)),
    "experiment_finished": _Change(
        "experiment", "experiment", ("trial", "status", "metric", "value", "unit", "baseline", "summary")
    ),
    "attempt_judged": _Change("attempt", "attempt", ("verdict", "metric", "value", "champion_value", "reason")),
    "hypothesis_resolved": _Change("hypothesis", "hypothesis", ("outcome", "evidence")),
}
