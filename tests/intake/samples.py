"""A rig with events of all three tables, and what a home holds of them."""

from typing import Any

from sqlalchemy import select

from tests.support.homes import Home
from tests.support.rigs import RigSimulator
from thermite_pipelines.control.models import Record, RigState, Run
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.tables.schemas import EVENT_TABLES


def writer(home: Home) -> EventWriter:
    return EventWriter(home.control, home.lake, "rig-a")


def tables(home: Home) -> dict[str, bytes]:
    return {path: data for table in EVENT_TABLES for path, data in home.files(table).items()}


def facts(home: Home) -> dict[str, list[Any]]:
    """Runs and records as control holds them."""
    with home.control.read() as connection:
        return {
            "runs": [tuple(row) for row in connection.execute(select(Run).order_by(Run.ledger, Run.run))],
            "records": [tuple(row) for row in connection.execute(select(Record).order_by(Record.kind, Record.record))],
            "state": [tuple(row) for row in connection.execute(select(RigState))],
        }


def sample(rig: RigSimulator) -> None:
    """Two reports with verified, rejected and unknown events of two runs."""
    rig.say_run("run-1")
    rig.say("run_started", run="run-1")
    rig.say_note("to be verified")
    rig.say("from_the_future", {"a": [1, 2.5, None]})
    rig.say("journal_note", {"note": "n", "kind": "mood", "text": "bad kind"})
    rig.send()
    rig.say_run("run-2", mode="goal")
    rig.say("experiment_queued", {"experiment": "x", "title": "t"}, run="run-2")
    rig.say("experiment_finished", {"experiment": "y", "status": "worse"}, run="run-2")
    rig.say("run_finished", {"outcome": "completed"}, run="run-1")
    rig.send()
