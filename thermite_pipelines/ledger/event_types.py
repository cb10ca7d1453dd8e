"""The event types of the report format: who may write each, and what it does to the records of its run.

A *record* is a thing that events of one run open and change: a trial, a note, a claim. It is known by its kind and its
id, unique within the run. The shapes of `data` are in `event_data`.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from thermite_pipelines import names, times
from thermite_pipelines.ledger import event_data as shapes
from thermite_pipelines.ledger import strict_json

Record = tuple[str, str]
"""Kind and id of a record."""

RECORD_KINDS = (
    "run",
    "trial",
    "experiment",
    "attempt",
    "note",
    "research_note",
    "source",
    "claim",
    "hypothesis",
    "finding",
    "report",
    "document",
    "round",
    "owner_message",
    "request",
    "learning",
    "session",
)


class DataError(ValueError):
    """`data` that breaks its type's rule; `detail` is one line that names the place and quotes no input."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Reference:
    """Where `data` names other records of the run: in `field`, or in `part` of the object or of each entry there.

    Without a `kind` of its own, the kind stands beside the id (a note's `about`).
    """

    field: str
    kind: str = ""
    part: str = ""

    def found(self, data: dict[str, Any]) -> list[Record]:
        """The records named in `data`; what is not of the right shape is passed over."""
        records: list[Record] = []
        value = data.get(self.field)
        if value is None:
            return records
        for entry in value if type(value) is list else (value,):
            kind, name = self.kind, entry
            if self.part:
                if type(entry) is not dict:
                    continue
                kind, name = kind or entry.get("kind"), entry.get(self.part)
            if type(kind) is str and type(name) is str:
                records.append((kind, name))
        return records


@dataclass(frozen=True, slots=True)
class EventType:
    """What one event type is.

    `creates` or `changes` is the kind of the record that the event opens or changes, and `id_field` the field of `data`
    with its id (empty for a run: its id is the event's `run`). With `versioned`, creating a record again is a new
    version. `writer` is the only one who may write it. `research_only` events belong to runs of mode `research`.
    `check` holds the rules that the shape cannot say; it gives the detail of the first that is broken.
    """

    data: type[msgspec.Struct]
    creates: str | None = None
    changes: str | None = None
    id_field: str = ""
    references: tuple[Reference, ...] = ()
    writer: str | None = None
    research_only: bool = False
    versioned: bool = False
    check: Callable[[Any], str | None] | None = None

    def read(self, data: Any) -> msgspec.Struct:
        """`data` as the type's struct. Raises `DataError` where it breaks the type's rule."""
        try:
            value = msgspec.convert(data, self.data)
        except msgspec.ValidationError as error:
            raise DataError(_describe(self.data, error)) from None
        if self.check is not None and (detail := self.check(value)) is not None:
            raise DataError(f"data.{detail}")
        return value


def _describe(shape: type[msgspec.Struct], error: msgspec.ValidationError) -> str:
    detail = strict_json.describe(error)
    place, colon, _ = detail.partition(": ")
    if not colon:
        return f"data: {detail}"
    choices = _choices(shape, place)
    if choices:
        return f"data.{place}: not one of {', '.join(choices)}"
    return f"data.{detail}"


def _choices(shape: type[msgspec.Struct], place: str) -> tuple[str, ...]:
    """The values that the field at `place` (`about.kind`, `messages[2].role`) may have, empty if any."""
    hint: Any = shape
    for part in place.split("."):
        structs = [leaf for leaf in _leaves(hint) if isinstance(leaf, type) and issubclass(leaf, msgspec.Struct)]
        if not structs:
            return ()
        hint = get_type_hints(structs[0]).get(part.partition("[")[0])
    return next((get_args(leaf) for leaf in _leaves(hint) if get_origin(leaf) is Literal), ())


def _leaves(hint: Any) -> Iterator[Any]:
    if get_origin(hint) is None or get_origin(hint) is Literal:
        yield hint
    else:
        for argument in get_args(hint):
            yield from _leaves(argument)


def _check_briefing(data: shapes.RunCreated) -> str | None:
    times_given = ((f"briefing[{index}].at", item.at) for index, item in enumerate(data.briefing))
    return next((detail for place, text in times_given if (detail := _check_time(place, text))), None)


def _check_source(data: shapes.SourceArchived) -> str | None:
    return _check_hash(data.text, data.text_sha256) or _check_time("fetched_at", data.fetched_at)


def _check_document(data: shapes.DocumentWritten) -> str | None:
    if not names.is_document_path(data.document):
        return "document: no relative path without '..', empty parts, backslashes and control characters"
    return _check_hash(data.text, data.text_sha256)


def _check_session(data: shapes.SessionRecorded) -> str | None:
    if detail := _check_time("started_at", data.started_at):
        return detail
    for index, message in enumerate(data.messages):
        if message.at is not None and (detail := _check_time(f"messages[{index}].at", message.at)):
            return detail
    return None


def _check_hash(text: str, sha256: str) -> str | None:
    return None if hashlib.sha256(text.encode()).hexdigest() == sha256 else "text_sha256: not the SHA-256 of text"


def _check_time(place: str, text: str) -> str | None:
    try:
        times.parse_rfc3339(text)
    except ValueError:
        return f"{place}: no RFC 3339 time with an offset"
    return None


_TRIAL = Reference("trial", "trial")
_EXPERIMENT = Reference("experiment", "experiment")


def _creates(data: type[msgspec.Struct], kind: str, id_field: str, *references: Reference, **rules: Any) -> EventType:
    return EventType(data, creates=kind, id_field=id_field, references=references, **rules)


def _changes(data: type[msgspec.Struct], kind: str, id_field: str, *references: Reference, **rules: Any) -> EventType:
    return EventType(data, changes=kind, id_field=id_field, references=references, **rules)


EVENT_TYPES: dict[str, EventType] = {
    "run_created": _creates(shapes.RunCreated, "run", "", writer="harness", check=_check_briefing),
    # These two change the run, which exists by the rule on unknown runs: no record is looked up for them.
    "run_started": EventType(shapes.RunStarted, writer="harness"),
    "run_finished": EventType(shapes.RunFinished, writer="harness"),
    "trial_started": _creates(shapes.TrialStarted, "trial", "trial", _EXPERIMENT, writer="harness"),
    "trial_ended": _changes(shapes.TrialEnded, "trial", "trial", writer="harness"),
    "experiment_queued": _creates(shapes.ExperimentQueued, "experiment", "experiment"),
    "experiment_started": _changes(shapes.ExperimentStarted, "experiment", "experiment", _TRIAL),
    "experiment_finished": _changes(shapes.ExperimentFinished, "experiment", "experiment", _TRIAL),
    "attempt_submitted": _creates(shapes.AttemptSubmitted, "attempt", "attempt", _TRIAL, _EXPERIMENT),
    "attempt_judged": _changes(shapes.AttemptJudged, "attempt", "attempt", writer="harness"),
    "journal_note": _creates(shapes.JournalNote, "note", "note", Reference("about", part="id")),
    "research_note": _creates(shapes.ResearchNote, "research_note", "note", Reference("sources", "source")),
    "source_archived": _creates(shapes.SourceArchived, "source", "source", check=_check_source),
    "claim_recorded": _creates(shapes.ClaimRecorded, "claim", "claim", Reference("quotes", "source", "source")),
    "hypothesis_recorded": _creates(shapes.HypothesisRecorded, "hypothesis", "hypothesis", research_only=True),
    "hypothesis_resolved": _changes(shapes.HypothesisResolved, "hypothesis", "hypothesis", research_only=True),
    "finding_recorded": _creates(
        shapes.FindingRecorded, "finding", "finding", Reference("claims", "claim"), research_only=True
    ),
    "report_written": _creates(shapes.ReportWritten, "report", "report", research_only=True),
    "document_written": _creates(shapes.DocumentWritten, "document", "document", versioned=True, check=_check_document),
    "round_started": _creates(shapes.RoundStarted, "round", "round"),
    "round_ended": _changes(shapes.RoundEnded, "round", "round"),
    "owner_message": _creates(shapes.OwnerMessage, "owner_message", "message", writer="owner"),
    "help_requested": _creates(shapes.HelpRequested, "request", "request"),
    "learning_proposed": _creates(shapes.LearningProposed, "learning", "learning"),
    "brief_given": EventType(shapes.BriefGiven, references=(_TRIAL,), writer="harness"),
    "session_recorded": _creates(
        shapes.SessionRecorded, "session", "session", _TRIAL, versioned=True, writer="harness", check=_check_session
    ),
}
"""All event types of this version, by name."""
