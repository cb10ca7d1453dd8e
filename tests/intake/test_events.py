"""Events of accepted reports: which table each lands in, what is stored, and making the tables anew."""

import json

import pytest
from sqlalchemy import select

from tests.intake.samples import facts, sample, tables, writer
from tests.support.homes import Home
from tests.support.rigs import RigSimulator
from thermite_pipelines.control.models import LakeFile, Record, RigState, Run
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import event_rows, events
from thermite_pipelines.intake.events import EventWriter, Written
from thermite_pipelines.intake.receipts import ReportCache
from thermite_pipelines.tables.parquet import decode
from thermite_pipelines.tables.schemas import EVENT_TABLES


@pytest.fixture
def rig(home: Home) -> RigSimulator:
    return home.rig()


def test_each_event_lands_in_one_table(any_home: Home) -> None:
    sample(any_home.rig())
    any_home.intake()
    numbers = {table: [row["n"] for row in any_home.events(table=table)] for table in EVENT_TABLES}
    assert numbers == {"events": [1, 2, 3, 6, 7, 9], "rejected_events": [5, 8], "unknown_events": [4]}
    assert [row["reason"] for row in any_home.events(table="rejected_events")] == ["bad-data", "unknown-record"]
    with any_home.control.read() as connection:
        state = connection.execute(select(RigState)).one()
    assert (state.verified, state.rejected, state.unknown, state.events_through) == (6, 2, 1, 2)


def test_rows_say_where_the_event_came_from(home: Home, rig: RigSimulator) -> None:
    rig.say_run()
    rig.say_note("x", campaign=None, at="2026-11-29T11:14:58.1234567+01:00", by="planner")
    report = rig.send()
    home.intake()
    row = home.events()[1]
    (receipt,) = home.receipts()
    assert row == {
        "ledger": "L1",
        "seq": 1,
        "n": 2,
        "id": "e2",
        "occurred_at": 1_795_947_298_123_456,
        "run": "run-1",
        "campaign": None,
        "type": "journal_note",
        "written_by": "planner",
        "data": '{"note":"note-2","kind":"note","text":"x"}',
        "report_sha256": report.sha256,
        "accepted_at": receipt["accepted_at"],
    }


def test_data_is_stored_as_it_was_sent(home: Home, rig: RigSimulator) -> None:
    data = {
        "note": "n",
        "kind": "note",
        "text": "ä 🧀 \u2028",
        "z": [1, 0.1, 1e300, -0.0],
        "a": {"deep": None},
        "extra": True,
    }
    rig.say_run()
    rig.say("journal_note", data)
    rig.say("from_the_future", [data])
    rig.send()
    home.intake()
    assert json.loads(home.events()[1]["data"]) == data
    assert json.loads(home.events(table="unknown_events")[0]["data"]) == [data]


def test_runs_are_kept_with_what_is_known_of_them(any_home: Home) -> None:
    sample(any_home.rig())
    any_home.intake()
    with any_home.control.read() as connection:
        first, second = connection.execute(select(Run).order_by(Run.run)).all()
        records = {(row.run_key, row.kind, row.record, row.n) for row in connection.execute(select(Record))}
    assert (first.mode, first.started, first.outcome, first.finished_n) == ("research", True, "completed", 9)
    assert (first.created_n, first.last_n, first.events, first.accepted_number) == (1, 9, 4, 1)
    assert (second.mode, second.started, second.outcome, second.events) == ("goal", False, None, 2)
    assert {(kind, record, n) for _, kind, record, n in records} == {
        ("run", "run-1", 1),
        ("note", "note-3", 3),
        ("run", "run-2", 6),
        ("experiment", "x", 7),
    }


class TestBlocks:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(event_rows, "BLOCK", 10)
        monkeypatch.setattr(events, "BATCH_EVENTS", 7)

    def notes(self, rig: RigSimulator, reports: int, each: int) -> None:
        for _ in range(reports):
            for _ in range(each):
                rig.say_note()
                rig.say("of_the_future", {})
            rig.send()

    def test_a_file_holds_a_block_of_event_numbers(self, home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        self.notes(rig, 5, 4)
        home.intake()
        found = {path: [row["n"] for row in decode(data).to_pylist()] for path, data in home.files("events").items()}
        assert sorted(found) == [f"events/rig=rig-a/L1-{block:06d}.parquet" for block in range(5)]
        assert all(n // 10 == block for block, numbers in enumerate(found.values()) for n in numbers)
        assert len(home.events()) == 21 and len(home.events(table="unknown_events")) == 20

    def test_the_same_bytes_however_the_reports_came(self, home: Home, rig: RigSimulator, any_home: Home) -> None:
        rig.say_run()
        self.notes(rig, 6, 3)
        home.take()
        home.write()
        again = rig.fork(inbox=any_home.rig().inbox, ledger="L1", seq=0, n=0, prev=None, said=[])
        again.say_run()
        for _ in range(6):
            self.notes(again, 1, 3)
            any_home.intake()
        numbers = [[row["n"] for row in one.events()] for one in (home, any_home)]
        assert numbers[0] == numbers[1]

    def test_only_files_with_new_events_are_written(self, home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        self.notes(rig, 5, 4)
        home.intake()
        before = {entry.path: entry.version for entry in home.lake.list("events")}
        self.notes(rig, 1, 1)
        home.intake()
        after = {entry.path: entry.version for entry in home.lake.list("events")}
        assert {path for path in after if after[path] != before.get(path)} == {"events/rig=rig-a/L1-000004.parquet"}

    def test_a_rebuild_gives_the_same_bytes(self, any_home: Home) -> None:
        rig = any_home.rig()
        rig.say_run()
        self.notes(rig, 6, 3)
        any_home.intake()
        rig.reset("L2")
        sample(rig)
        any_home.intake()
        before, known = tables(any_home), facts(any_home)
        written = writer(any_home).rebuild()
        assert written == Written(verified=25, rejected=2, unknown=19, reports=8, rebuilt=True)
        assert tables(any_home) == before
        assert facts(any_home) == known

    def test_a_cache_of_parsed_reports_changes_nothing(self, home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        self.notes(rig, 3, 3)
        home.intake()
        before = tables(home)
        EventWriter(home.control, home.lake, "rig-a", ReportCache(0)).rebuild()
        assert tables(home) == before


def test_writing_goes_on_where_it_stopped(home: Home, rig: RigSimulator) -> None:
    sample(rig)
    home.take()
    assert home.write().reports == 2
    assert home.write() == Written()
    rig.say_note()
    rig.send()
    home.take()
    assert home.write() == Written(verified=1, reports=1)


def test_of_two_writers_the_one_that_was_overtaken_stops(any_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that stood still for a minute has lost its lease without knowing."""
    rig = any_home.rig()
    sample(rig)
    any_home.take()
    slow = EventWriter(any_home.control, any_home.lake, "rig-a")
    publish = slow._files.publish

    def overtaken() -> None:
        publish()
        EventWriter(any_home.control, any_home.lake, "rig-a").write()

    monkeypatch.setattr(slow._files, "publish", overtaken)
    with pytest.raises(ThermiteError, match="went on meanwhile"):
        slow.write()
    assert any_home.write() == Written()
    assert len(any_home.events()) == 6
    before = tables(any_home)
    writer(any_home).rebuild()
    assert tables(any_home) == before


def test_files_are_written_down_with_the_hash_of_their_rows(home: Home, rig: RigSimulator) -> None:
    sample(rig)
    home.intake()
    with home.control.read() as connection:
        rows = {row.path: row for row in connection.execute(select(LakeFile))}
    assert set(rows) == set(tables(home))
    assert {row.scope for row in rows.values()} == {"rig:rig-a"}
    assert {path: (row.rows, row.high_n) for path, row in rows.items()} == {
        "events/rig=rig-a/L1-000000.parquet": (6, 9),
        "rejected_events/rig=rig-a/L1-000000.parquet": (2, 8),
        "unknown_events/rig=rig-a/L1-000000.parquet": (1, 4),
    }
    assert all(row.rows_sha256 and row.next_sha256 is None for row in rows.values())


def test_progress_is_told(home: Home, rig: RigSimulator) -> None:
    sample(rig)
    home.take()
    told: list[tuple[int, int]] = []
    EventWriter(home.control, home.lake, "rig-a").write(lambda done, total: told.append((done, total)))
    assert told == [(9, 9)]
