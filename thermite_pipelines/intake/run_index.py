"""Runs and records of a rig while its events are judged: read from control in bulk, written back in bulk."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, insert, select, update

from thermite_pipelines.control.db import Control, chunks, insert_many
from thermite_pipelines.control.models import Record, Run, core_table
from thermite_pipelines.ledger.event_checks import RunRecords, created_record, mentions
from thermite_pipelines.ledger.payload import Event, Report

_RUN_TYPES = frozenset(["run_created", "run_started", "run_finished"])
# Events in which people speak: atoms are taken from them, so a run says how far they go.
SAID_TYPES = frozenset(["session_recorded", "owner_message"])


class RunIndex:
    """What runs exist in each ledger of a rig, and which of the mentioned records they have.

    `ledger(name)` is what `event_checks.judge` works on. Records are only looked up for events that mention them, so a
    report costs what it brings and not what the rig has.
    """

    def __init__(self, control: Control, rig: str) -> None:
        self._control = control
        self._rig = rig
        self._ledgers: dict[str, dict[str, RunRecords]] = {}
        self._rows: dict[tuple[str, str], dict[str, Any]] = {}  # runs as rows; without a run_key: new
        self._changed: set[tuple[str, str]] = set()
        self._created: list[tuple[tuple[str, str], str, str, int]] = []
        self._complete: set[tuple[str, str]] = set()  # runs opened here: all their records are known
        self._taken_names: dict[str, str] = {}  # run id -> the ledger whose run of that name was accepted first

    def ledger(self, name: str) -> dict[str, RunRecords]:
        """The runs of a ledger by run id."""
        return self._ledgers.setdefault(name, {})

    def prefetch(self, reports: Iterable[Report]) -> None:
        """Load the runs that reports name, and those of the records they mention that exist already."""
        reports = list(reports)
        named = {(report.ledger, event.run) for report in reports for event in report.events if event.run}
        self._load_runs(named)
        # Rows of runs of the same name in other ledgers were loaded too: nothing asks for their records.
        wanted: dict[tuple[str, str], set[tuple[str, str]]] = {
            place: set() for place in named - self._complete if "run_key" in self._rows.get(place, {})
        }
        if not wanted:
            return
        for report in reports:
            for event in report.events:
                found = wanted.get((report.ledger, event.run or ""))
                if found is not None:
                    found.update(mentions(event))
        with self._control.read() as connection:
            for place, pairs in wanted.items():
                self._load_records(connection, place, self._rows[place]["run_key"], pairs)

    def _load_runs(self, wanted: set[tuple[str, str]]) -> None:
        names = sorted({run for _, run in wanted} - self._taken_names.keys())
        with self._control.read() as connection:
            for batch in chunks(names):
                for row in connection.execute(select(Run).where(Run.rig == self._rig, Run.run.in_(batch))):
                    place = (row.ledger, row.run)
                    if place not in self._rows:
                        self._rows[place] = dict(row._mapping)
                    if row.label == row.run:
                        self._taken_names[row.run] = row.ledger
        for ledger, run in wanted:
            row = self._rows.get((ledger, run))
            seen = row is not None and row["events"] > 0
            self.ledger(ledger).setdefault(run, RunRecords(mode=row["mode"] if row is not None and seen else None))

    def _load_records(
        self, connection: Connection, place: tuple[str, str], run_key: int, pairs: set[tuple[str, str]]
    ) -> None:
        known = self._ledgers[place[0]][place[1]].records
        by_kind: dict[str, list[str]] = {}
        for kind, record in pairs:
            if (kind, record) not in known:
                by_kind.setdefault(kind, []).append(record)
        for kind, records in by_kind.items():
            for batch in chunks(records):
                query = select(Record.record, Record.n).where(
                    Record.run_key == run_key, Record.kind == kind, Record.record.in_(batch)
                )
                for row in connection.execute(query):
                    known[kind, row.record] = row.n

    def note(self, ledger: str, events: list[Event], number: int, accepted_at: int) -> None:
        """Take the verified events of one report into their runs. `number` and `accepted_at` are of its acceptance."""
        runs = self._ledgers[ledger]
        last: dict[str, int] = {}
        counts: Counter[str] = Counter()
        for event in events:
            run = event.run
            assert run is not None
            if event.type in _RUN_TYPES:
                self._note_run((ledger, run), event, number, accepted_at)
            created = created_record(event)
            # A document or session written again is no new record.
            if created is not None and runs[run].records[created] == event.n:
                self._created.append(((ledger, run), *created, event.n))
            if event.type in SAID_TYPES:
                self._note_said(self._rows[ledger, run], event.n)
            last[run] = event.n
            counts[run] += 1
        for run, n in last.items():
            row = self._rows[ledger, run]
            row |= {"last_n": n, "events": row["events"] + counts[run], "last_accepted_at": accepted_at}
            self._changed.add((ledger, run))

    def _note_run(self, place: tuple[str, str], event: Event, number: int, accepted_at: int) -> None:
        if event.type == "run_created":
            self._open(place, event, number)
        elif event.type == "run_started":
            self._rows[place]["started"] = True
        else:
            outcome = event.data["outcome"]
            self._rows[place] |= {"outcome": outcome, "finished_n": event.n, "finished_accepted_at": accepted_at}

    @staticmethod
    def _note_said(row: dict[str, Any], n: int) -> None:
        # A run of before this was counted stays uncounted: its readers look at all its events.
        if row["said_n"] is not None:
            row |= {"said_n": n, "said_events": row["said_events"] + 1}

    def _open(self, place: tuple[str, str], event: Event, number: int) -> None:
        ledger, run = place
        self._complete.add(place)
        first = self._taken_names.setdefault(run, ledger)
        before = self._rows.get(place, {})
        self._rows[place] = before | {
            "rig": self._rig,
            "ledger": ledger,
            "run": run,
            "label": before.get("label") or (run if first == ledger else f"{run}~{ledger}"),
            "mode": event.data["mode"],
            "named_campaign": event.campaign,
            "accepted_number": number,
            "created_n": event.n,
            "last_n": event.n,
            "events": 0,
            "started": False,
            "outcome": None,
            "finished_n": None,
            "finished_accepted_at": None,
            "said_n": 0,
            "said_events": 0,
        }

    def save(self, connection: Connection) -> None:
        """Write changed runs and new records."""
        table = core_table(Run)
        for place in sorted(self._changed):
            row = self._rows[place]
            if "run_key" in row:
                connection.execute(update(table).where(table.c.run_key == row["run_key"]).values(row))
            else:
                row["run_key"] = connection.execute(insert(table).values(row).returning(table.c.run_key)).scalar_one()
        keys = {place: row["run_key"] for place, row in self._rows.items() if "run_key" in row}
        records = [(keys[place], kind, record, n) for place, kind, record, n in self._created]
        insert_many(connection, Record, ("run_key", "kind", "record", "n"), records)
        self._changed.clear()
        self._created.clear()
