"""The rules on one event of an accepted report, judged at its place in the ledger.

Every rule has one reason code; the first that applies, in the order of docs/report-format.md, is the event's. The
records of the runs come from the caller and are the only state, so that a rebuild gives the same answers.
"""

from dataclasses import dataclass, field

from thermite_pipelines.ledger.event_types import EVENT_TYPES, DataError, EventType, Record
from thermite_pipelines.ledger.payload import Event
from thermite_pipelines.ledger.strict_json import show


@dataclass(frozen=True, slots=True)
class Rejection:
    """Why an event is rejected: a reason code, and one line for people that quotes at most 40 characters at a time."""

    reason: str
    detail: str


@dataclass(slots=True)
class RunRecords:
    """What a run has so far in its ledger: its mode (None = no such run) and, for each record, its first event's `n`.

    It need not hold all records of the run, only those that the events to be judged mention.
    """

    mode: str | None = None
    records: dict[Record, int] = field(default_factory=dict)


def judge(event: Event, runs: dict[str, RunRecords]) -> Rejection | None:
    """Judge one event of a known type by what its run has so far; None means that it holds.

    `runs` (by run id) covers one ledger and must hold what `mentions` gives, as far as it exists. Only an event that
    holds changes it: the record that it creates is entered. Raises `KeyError` for a type not in `EVENT_TYPES`.
    """
    kind = EVENT_TYPES[event.type]
    if event.campaign is not None and type(event.campaign) is not str:
        return Rejection("bad-data", "campaign: neither a string nor null")
    try:
        kind.read(event.data)
    except DataError as error:
        return Rejection("bad-data", error.detail)
    if kind.writer is not None and event.by != kind.writer:
        return Rejection("wrong-writer", f"by: {event.type} is written by {kind.writer} alone, not by {show(event.by)}")
    if event.run is None:
        return Rejection("unknown-run", f"run: {event.type} needs a run")
    run = runs.get(event.run)
    if kind.creates == "run":
        return _create_run(event, run, runs)
    if run is None or run.mode is None:
        return Rejection("unknown-run", f"run: no run_created for {show(event.run)} earlier in the ledger")
    if kind.research_only and run.mode != "research":
        return Rejection("wrong-mode", f"type: {event.type} belongs to research runs, this one is {run.mode}")
    return _judge_records(event, kind, run)


def created_record(event: Event) -> Record | None:
    """The record that an event of a known type opens or writes again; None if there is none or its id is no string."""
    kind = EVENT_TYPES[event.type]
    return None if kind.creates is None else _record(kind.creates, kind.id_field, event)


def mentions(event: Event) -> list[Record]:
    """The records whose existence decides on the event, for looking them up beforehand; never raises for odd `data`.

    Nothing for a type not in `EVENT_TYPES`. The run itself is not among them: its mode is always needed.
    """
    kind = EVENT_TYPES.get(event.type)
    if kind is None or type(event.data) is not dict:
        return []
    records: list[Record] = []
    own = kind.creates or kind.changes
    if own and kind.id_field and (record := _record(own, kind.id_field, event)):
        records.append(record)
    for reference in kind.references:
        records += reference.found(event.data)
    return records


def _record(kind: str, id_field: str, event: Event) -> Record | None:
    name = event.run
    if id_field:
        name = event.data.get(id_field) if type(event.data) is dict else None
    return (kind, name) if type(name) is str else None


def _create_run(event: Event, run: RunRecords | None, runs: dict[str, RunRecords]) -> Rejection | None:
    name = str(event.run)
    if run is not None and run.mode is not None:
        return Rejection("duplicate-record", f"run: the ledger already has a run {show(name)}")
    if run is None:
        run = runs[name] = RunRecords()
    run.mode = event.data["mode"]
    run.records["run", name] = event.n
    return None


def _judge_records(event: Event, kind: EventType, run: RunRecords) -> Rejection | None:
    """The rules on records, in order: one that it changes, one that it creates, those that it refers to."""
    records, data = run.records, event.data
    if kind.changes is not None and (kind.changes, data[kind.id_field]) not in records:
        return Rejection("unknown-record", _nothing(kind.changes, data[kind.id_field], kind.id_field))
    created = (kind.creates, data[kind.id_field]) if kind.creates is not None else None
    if created is not None and created in records and not kind.versioned:
        return Rejection(
            "duplicate-record", f"data.{kind.id_field}: the run already has a {created[0]} {show(created[1])}"
        )
    for reference in kind.references:
        for record in reference.found(data):
            if record not in records:
                return Rejection("unknown-reference", _nothing(*record, reference.field))
    if created is not None:
        records.setdefault(created, event.n)
    return None


def _nothing(kind: str, name: str, place: str) -> str:
    return f"data.{place}: the run has no {kind} {show(name)} yet"
