"""What every importer makes of a log, whatever its format: neutral rows, and the rows it could not read."""

from dataclasses import dataclass, field
from typing import TypedDict


class Skipped(TypedDict):
    """A row that was not taken: its line in the file (from 1) and why."""

    line: int
    reason: str


@dataclass(frozen=True)
class Note:
    """Prose that a row carries; `kind` is a kind of `journal_note`."""

    kind: str
    text: str


@dataclass(frozen=True)
class LogRow:
    """One row of a log. `None` and empty tuples mean that the log does not say.

    `status` is a status of `experiment_finished`, `verdict` one of `attempt_judged`; `word` is the log's own word.
    `at` is in microseconds since the epoch. `fingerprint` tells whether a row of a grown log is the one sent before: it
    is made of the source text, so a newer importer that reads the same text otherwise still knows it.
    """

    line: int
    fingerprint: str
    key: str | None = None
    commit: str | None = None
    title: str | None = None
    description: str | None = None
    word: str | None = None
    status: str | None = None
    verdict: str | None = None
    reason: str | None = None
    metric: str | None = None
    value: int | float | None = None
    unit: str | None = None
    baseline: int | float | None = None
    at: int | None = None
    runtime: str | None = None
    notes: tuple[Note, ...] = ()
    extras: tuple[tuple[str, str], ...] = ()

    @property
    def is_experiment(self) -> bool:
        """Whether the row tells of an experiment; else it holds notes only."""
        return self.title is not None or self.status is not None or self.value is not None


@dataclass
class ImportedLog:
    """A log as read: its rows in order, what was skipped, and what a person should know though nothing was lost."""

    title: str
    rows: list[LogRow] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    modified_at: int = 0
    unknown_words: dict[str, int] = field(default_factory=dict)

    def skip(self, line: int, reason: str) -> None:
        """Count one unreadable row."""
        self.skipped.append({"line": line, "reason": reason})
