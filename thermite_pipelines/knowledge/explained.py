"""What explainers of all kinds share: a step of where something came from, and what is read while one is explained."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from thermite_pipelines.control.models import Run
from thermite_pipelines.knowledge.columns import ColumnReader
from thermite_pipelines.knowledge.derived import DerivedReader
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.provenance import CheckedReport, EventReader, ReportChecker, SignedEvent
from thermite_pipelines.knowledge.readable import Readable, Reader
from thermite_pipelines.knowledge.state import RunState, all_runs

Row = dict[str, Any]
DEEPEST = 40
"""Steps below a thing that are told with it: deeper ones are questions of their own."""


@dataclass(frozen=True)
class Explained:
    """One step of where something came from. `sources` are the steps below it, `reports` all signed ones below it.

    `verified`: everything that it rests on was found as it was signed or kept, and says what is said of it. `once`: in
    one explanation it may stand below many things, and what is below it is told the first time only.
    """

    id: str
    kind: str
    text: str | None
    verified: bool
    reports: tuple[CheckedReport, ...] = ()
    sources: tuple["Explained", ...] = ()
    decisions: tuple[Row, ...] = ()
    more: Row = field(default_factory=dict)
    once: bool = False

    def document(self) -> Row:
        """The form that `thermite explain --json` prints.

        Where `is_cut` is true, its decisions and what it came from stand elsewhere: above, or in an explanation of its
        own.
        """
        return _document(self, set(), 0)


def is_cut(step: Explained, told: set[str], depth: int) -> bool:
    """Whether a step is to be told without what is below it; one that is told is added to `told`."""
    if not step.once or not (step.sources or step.decisions):
        return False
    if step.id in told or depth > DEEPEST:
        return True
    told.add(step.id)
    return False


def _document(step: Explained, told: set[str], depth: int) -> Row:
    cut = is_cut(step, told, depth)
    return {
        "id": step.id,
        "kind": step.kind,
        "text": step.text,
        "decisions": [] if cut else list(step.decisions),
        "from": [] if cut else [_document(source, told, depth + 1) for source in step.sources],
        "reports": [report.document() for report in step.reports],
        "verified": step.verified,
        **({"is_cut": True} if cut else {}),
        **step.more,
    }


class Explaining:
    """What explainers share while one thing is explained: each report and each table is read once.

    Raises `ThermiteError` for a reader that control does not know.
    """

    def __init__(self, home: Home, reader: Reader) -> None:
        self.home = home
        with home.control.read() as connection:
            self.readable = Readable.by(connection, reader)
        self.reports = ReportChecker(home)
        self.derived = DerivedReader(home)
        self.columns = ColumnReader(home)
        self.events = EventReader(self.columns)
        self.trail: list[str] = []
        """The ids that are being explained, from the top down: what was composed of itself is not followed for ever."""
        self._rows: dict[tuple[str, str], list[Row]] = {}
        self._runs: dict[tuple[str, str], RunState | None] = {}

    def rows(self, campaign: str, table: str) -> list[Row]:
        """All rows of a derived table of a campaign; none where its folder may not be read."""
        key = (campaign, table)
        if key not in self._rows:
            self._rows[key] = self.derived.rows(campaign, table) if campaign in self.readable else []
        return self._rows[key]

    def run(self, rig: str, *conditions: Any) -> RunState | None:
        """The run of a rig that meets SQL conditions on `Run`."""
        with self.home.control.read() as connection:
            return _first(connection, Run.rig == rig, *conditions)

    def runs(self, labels: Iterable[tuple[str, str]]) -> dict[tuple[str, str], RunState]:
        """Runs by rig and label, looked up together; without those that are not there."""
        wanted = set(labels)
        with self.home.control.read() as connection:
            for rig in sorted({rig for rig, _ in wanted - self._runs.keys()}):
                names = [label for other, label in wanted if other == rig]
                found = all_runs(connection, Run.rig == rig, Run.label.in_(names))
                self._runs |= {(rig, name): None for name in names} | {(rig, run.label): run for run in found}
        return {key: run for key in wanted if (run := self._runs[key]) is not None}

    def reports_of(self, events: Iterable[SignedEvent]) -> tuple[CheckedReport, ...]:
        """The reports of events, each once, in order; one that fails for any of its events is not verified."""
        found: dict[tuple[str, str], CheckedReport] = {}
        for event in events:
            report = self.reports.check(event)
            key = (report.rig, report.payload_sha256)
            if key not in found or not report.verified:
                found[key] = report
        return tuple(found.values())


def joined(sources: Sequence[Explained]) -> tuple[CheckedReport, ...]:
    """The reports of some steps, each once."""
    return tuple(dict.fromkeys(report for source in sources for report in source.reports))


def all_verified(reports: Iterable[CheckedReport]) -> bool:
    """Whether each report is verified."""
    return all(report.verified for report in reports)


def _first(connection: Connection, *conditions: Any) -> RunState | None:
    return next(iter(all_runs(connection, *conditions)), None)
