"""From the rows of a log to the events of one run.

Each experiment of the log becomes an experiment, with a trial that ran it, an attempt where the log names a commit or
a verdict, and a journal note for each piece of prose. Nothing is taken from the clock, so the same log gives the same
events.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from thermite_pipelines.rig.importers.rows import ImportedLog, LogRow, Note
from thermite_pipelines.rig.importers.words import plain
from thermite_pipelines.rig.reports import make_event

NOTE_LENGTH = 2_000
"""Longest text of a journal note, in characters (report format)."""

_TEXT_LENGTH = 50_000
_PROSE_LENGTH = 400_000
_TITLE_LENGTH = 300
_LANE = "lane-1"
_HARNESS_TYPES = frozenset(["run_created", "run_started", "trial_started", "trial_ended", "attempt_judged"])


@dataclass(frozen=True)
class Target:
    """The run that a log's events belong to."""

    run: str
    campaign: str | None


class EventWriter:
    """Numbers events on from the last one of the ledger."""

    def __init__(self, target: Target, last_n: int) -> None:
        self.target = target
        self.n = last_n
        self.events: list[dict[str, Any]] = []

    def add(self, record: str, event_type: str, at: int, **data: Any) -> None:
        """Add one event about a record."""
        self.n += 1
        by = "harness" if event_type in _HARNESS_TYPES else _LANE
        self.events.append(
            make_event(
                *(self.n, f"{record}.{event_type}", at, event_type, by, data),
                run=self.target.run,
                campaign=self.target.campaign,
            )
        )


def row_times(log: ImportedLog) -> list[int]:
    """The time of each row, in microseconds since the epoch.

    A row without a time takes that of the row before it; rows before the first time take the first. A log without any
    time takes the file's modification time.
    """
    known = [row.at for row in log.rows if row.at is not None]
    current = known[0] if known else log.modified_at
    times: list[int] = []
    for row in log.rows:
        current = row.at if row.at is not None else current
        times.append(current)
    return times


def open_run(writer: EventWriter, log: ImportedLog, at: int) -> None:
    """The run itself. It is not finished here, since a log may grow."""
    title = cut(log.title, _TITLE_LENGTH)
    writer.add("run", "run_created", at, mode="hill_climb", title=title, agents=True, briefing=[])
    writer.add("run", "run_started", at)


def add_row(writer: EventWriter, row: LogRow, index: int, at: int) -> None:
    """The events of one row; `index` (from 1) makes the ids of its records and never changes once sent."""
    number = f"{index:04d}"
    if row.is_experiment:
        _add_experiment(writer, row, number, at)
    for place, (kind, text) in enumerate(_note_texts(row), start=1):
        note = f"n{number}" if place == 1 else f"n{number}-{place}"
        about = {"kind": "experiment", "id": f"e{number}"} if row.is_experiment else None
        writer.add(note, "journal_note", at, note=note, kind=kind, text=text, about=about)


def _add_experiment(writer: EventWriter, row: LogRow, number: str, at: int) -> None:
    experiment, trial, attempt = f"e{number}", f"t{number}", f"a{number}"
    title = cut(row.title or row.commit or f"Row {row.line}", _TITLE_LENGTH)
    description = row.description
    if row.status is None:
        # Without an end there is no summary, so what else the row holds goes here.
        description = "\n\n".join(filter(None, [description, _details(row)]))
    description = cut(description, _TEXT_LENGTH) if description else None
    writer.add(experiment, "experiment_queued", at, experiment=experiment, title=title, description=description)
    if row.status is None and not (row.word or row.notes or row.commit):
        return  # an idea that nobody has tried yet
    if row.status == "skipped":
        summary = _summary(row)
        writer.add(experiment, "experiment_finished", at, experiment=experiment, status="skipped", summary=summary)
        return
    started = {"lane": _LANE, "kind": "code", "runtime": row.runtime or "claude_code"}
    writer.add(trial, "trial_started", at, trial=trial, **started, experiment=experiment)
    writer.add(experiment, "experiment_started", at, experiment=experiment, trial=trial)
    if row.status is not None and (row.commit or row.verdict):
        _add_attempt(writer, row, attempt, trial, experiment, title, at)
    if row.status is None:
        return
    writer.add(
        experiment,
        "experiment_finished",
        at,
        experiment=experiment,
        trial=trial,
        status=row.status,
        **_figures(row),
        unit=row.unit,
        baseline=row.baseline,
        summary=_summary(row),
    )
    writer.add(trial, "trial_ended", at, trial=trial, outcome=_outcome(row), reason=_reason(row))


def _add_attempt(
    writer: EventWriter, row: LogRow, attempt: str, trial: str, experiment: str, title: str, at: int
) -> None:
    ids = {"attempt": attempt, "trial": trial, "experiment": experiment}
    writer.add(attempt, "attempt_submitted", at, **ids, title=title, commit=row.commit)
    if row.verdict is None:
        return
    verdict: dict[str, Any] = {"verdict": row.verdict, "reason": _reason(row)}
    if row.value is not None:
        verdict["champion_value"] = row.baseline
    writer.add(attempt, "attempt_judged", at, attempt=attempt, **verdict, **_figures(row))


def _figures(row: LogRow) -> dict[str, Any]:
    return {"metric": row.metric, "value": row.value}


def _outcome(row: LogRow) -> str:
    """How the trial of a finished experiment ended."""
    if row.word and plain(row.word).startswith(("timeout", "timed_out")):
        return "timed_out"
    if row.status == "failed":
        return "failed"
    if row.reason and plain(row.reason).startswith("no_change"):
        return "gave_up"
    return "submitted"


def _reason(row: LogRow) -> str | None:
    if row.reason:
        return cut(row.reason, _TEXT_LENGTH)
    return f"the log says: {row.word}" if row.word else None


def _details(row: LogRow) -> str:
    """What the row says beyond the fields of an experiment, a line each."""
    named = [
        ("id in the log", row.key),
        ("status in the log", row.word),
        ("reason", row.reason),
        ("commit", row.commit),
    ]
    return "\n".join(f"{name}: {value}" for name, value in [*named, *row.extras] if value)


def _summary(row: LogRow) -> str | None:
    """Notes that the journal shows in part only, then the details."""
    whole = [note.text for note in row.notes if len(note.text) > NOTE_LENGTH]
    return cut("\n\n".join([*whole, _details(row)]).strip(), _TEXT_LENGTH) or None


def _note_texts(row: LogRow) -> Iterator[tuple[str, str]]:
    """(kind, text) of each journal note: cut where the experiment's summary has the whole, else in parts."""
    for note in row.notes:
        if len(note.text) <= NOTE_LENGTH:
            yield note.kind, note.text
        elif row.is_experiment and row.status is not None:
            yield note.kind, cut(note.text, NOTE_LENGTH)
        else:
            yield from ((note.kind, part) for part in split_text(note))


def split_text(note: Note) -> Sequence[str]:
    """A long text in parts of at most `NOTE_LENGTH` characters, between paragraphs or lines where possible."""
    parts: list[str] = []
    rest = cut(note.text, _PROSE_LENGTH).strip()
    while len(rest) > NOTE_LENGTH:
        window = rest[:NOTE_LENGTH]
        end = max(window.rfind("\n\n"), window.rfind("\n"), window.rfind(" "))
        for mark in ("\n\n", "\n", ". "):
            place = window.rfind(mark)
            if place > NOTE_LENGTH // 3:
                end = place + len(mark.rstrip())
                break
        end = end if end > 0 else NOTE_LENGTH
        parts.append(rest[:end].strip())
        rest = rest[end:].strip()
    return [part for part in [*parts, rest] if part]


def cut(text: str, length: int) -> str:
    """`text` in at most `length` characters; a cut one ends in an ellipsis."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"
