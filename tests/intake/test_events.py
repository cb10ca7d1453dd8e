"""Events of accepted reports: which table each lands in, what is stored, and making the tables anew."""

import hashlib
import json
from typing import Any

import pytest
import rfc8785
from sqlalchemy import select

from tests.safety.test_redaction import SECRETS
from tests.support.homes import Home
from tests.support.rigs import RigSimulator
from thermite_pipelines.control.models import LakeFile, Receipt, Record, RigState, Run
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import event_rows, events
from thermite_pipelines.intake.events import EventWriter, Written
from thermite_pipelines.intake.receipts import ReportCache
from thermite_pipelines.ledger import event_types
from thermite_pipelines.tables.parquet import decode
from thermite_pipelines.tables.schemas import EVENT_TABLES


@pytest.fixture
def rig(home: Home) -> RigSimulator:
    return home.rig()


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


class TestRedaction:
    """HL-19, HL-44: no credential of a known shape reaches a table."""

    @pytest.fixture
    def planted(self, home: Home, rig: RigSimulator) -> list[dict[str, Any]]:
        rig.say_run()
        sent = []
        for number, (frame, secret) in enumerate(SECRETS.values()):
            text = frame.format(secret)
            ask = {"request": f"r{number}", "agent": "worker", "summary": text, "detail": f"so: {text}", "fatal": False}
            learn = {"learning": f"l{number}", "agent": "worker", "text": text, "impact": "low", "extra": [{"k": text}]}
            sent += [ask, learn]
            rig.say("help_requested", ask)
            rig.say("learning_proposed", learn)
            rig.say("help_requested", {"request": f"bad{number}", "agent": text, "summary": 5, "api_key": secret})
            rig.say("learning_proposed", [text])
        token = SECRETS["github"][1]
        for _ in range(2):  # the second one is a duplicate-record, whose detail quotes the id
            rig.say("learning_proposed", {"learning": token, "agent": "worker", "text": "x", "impact": "low"})
        rig.send()
        home.intake()
        return sent

    def test_secrets_are_nowhere_in_the_tables(self, home: Home, planted: list[dict[str, Any]]) -> None:
        assert len(home.events(table="rejected_events")) == 2 * len(SECRETS) + 1
        everything = "".join(
            str(decode(data).to_pylist()) for table in EVENT_TABLES for data in home.files(table).values()
        )
        for _, secret in SECRETS.values():
            for line in secret.splitlines():
                assert line not in everything
                assert line[-12:] not in everything or line.startswith("-----")
        assert everything.count("[redacted]") > 4 * len(SECRETS)

    def test_the_hash_of_what_was_sent_stays(self, home: Home, planted: list[dict[str, Any]]) -> None:
        rows = [json.loads(row["data"]) for row in home.events() if row["type"] != "run_created"]
        for row, sent in zip(rows, planted, strict=False):
            assert row["original_sha256"] == hashlib.sha256(rfc8785.dumps(sent)).hexdigest()
            assert row.get("request", row.get("learning")) == sent.get("request", sent.get("learning"))

    def test_the_raw_report_keeps_what_was_sent(self, home: Home, planted: list[dict[str, Any]]) -> None:
        (path,) = home.files("reports")
        assert path.endswith(".dsse.json.zst")

    def test_harmless_help_keeps_its_words(self, home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        data = {"request": "r1", "agent": "worker", "summary": "no access to the registry", "fatal": True}
        rig.say("help_requested", data)
        rig.say("help_requested", data)
        rig.send()
        home.intake()
        stored = json.loads(home.events()[1]["data"])
        assert stored.pop("original_sha256")
        assert stored == data
        (rejected,) = home.events(table="rejected_events")
        assert (rejected["reason"], "'r1'" in rejected["detail"]) == ("duplicate-record", True)

    def test_other_events_are_stored_as_they_are(self, home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        rig.say_note("password: hunter2-hunter2")
        rig.send()
        home.intake()
        assert "hunter2-hunter2" in home.events()[1]["data"]


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


class TestDamage:
    """A file that was edited, torn or removed is noticed when the rig's next events are written, and made anew."""

    @pytest.fixture
    def before(self, home: Home, rig: RigSimulator) -> dict[str, bytes]:
        sample(rig)
        home.intake()
        return tables(home)

    @pytest.mark.parametrize("table", list(EVENT_TABLES))
    @pytest.mark.parametrize("how", ["torn", "removed", "other rows", "empty", "not Parquet"])
    def test_it_is_noticed_and_rebuilt(
        self, home: Home, rig: RigSimulator, before: dict[str, bytes], table: str, how: str
    ) -> None:
        (path,) = home.files(table)
        other = next(data for name, data in before.items() if name != path)
        if how == "removed":
            home.lake.delete(path)
        else:
            damaged = {"torn": before[path][:-10], "empty": b"", "not Parquet": b"x" * 500, "other rows": other}[how]
            home.lake.put(path, damaged)
        assert home.write().rebuilt
        assert tables(home) == before
        assert home.write() == Written()

    def test_a_file_that_was_only_written_again_is_no_damage(self, home: Home, before: dict[str, bytes]) -> None:
        for path, data in before.items():
            home.lake.put(path, data)
        assert not home.write().rebuilt

    def test_a_file_that_nobody_knows_of_goes_with_a_rebuild(self, home: Home, before: dict[str, bytes]) -> None:
        home.lake.put("events/rig=rig-a/L7-000000.parquet", b"foreign")
        writer(home).rebuild()
        assert tables(home) == before

    @pytest.mark.parametrize("how", ["gone", "torn", "other report", "no envelope"])
    def test_a_kept_report_that_is_not_what_was_accepted_stops_a_rebuild_before_it_begins(
        self, home: Home, rig: RigSimulator, before: dict[str, bytes], how: str
    ) -> None:
        known = facts(home)
        first, second = (row["kept"] for row in home.receipts(outcome="accepted"))
        if how == "gone":
            home.lake.delete(second)
        else:
            packed = home.lake.get(second)
            home.lake.put(second, {"torn": packed[:-5], "other report": home.lake.get(first)}.get(how, b"x"))
        with pytest.raises(ThermiteError, match="report"):
            writer(home).rebuild()
        assert tables(home) == before
        assert facts(home) == known

    def test_a_kept_report_is_checked_with_the_key_of_then(self, home: Home, before: dict[str, bytes]) -> None:
        with home.control.write() as connection:
            receipt = connection.execute(select(Receipt.receipt).limit(1)).scalar_one()
            connection.execute(
                Receipt.__table__.update().where(Receipt.receipt == receipt).values(keyid="0" * 64)  # type: ignore[attr-defined]
            )
        with pytest.raises(ThermiteError, match="does not verify"):
            writer(home).rebuild()


class TestNewRules:
    def test_a_rebuild_judges_again(self, home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch) -> None:
        rig.say_run()
        rig.say_note()
        rig.send()
        with monkeypatch.context() as patch:
            types = {name: kind for name, kind in event_types.EVENT_TYPES.items() if name != "journal_note"}
            patch.setattr(events, "EVENT_TYPES", types)
            home.intake()
            assert [row["n"] for row in home.events(table="unknown_events")] == [2]
        assert home.write() == Written()
        assert writer(home).rebuild().unknown == 0
        assert [row["n"] for row in home.events()] == [1, 2]
        assert home.files("unknown_events") == {}

    def test_a_run_that_nothing_opens_any_more_goes(
        self, home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rig.say_run("run-1")
        rig.say_run("run-2")
        rig.send()
        home.intake()
        refuse_all = {"run_created"}
        judged = events.judge
        monkeypatch.setattr(
            events,
            "judge",
            lambda event, runs: (
                events.Rejection("bad-data", "x")
                if event.type in refuse_all and event.run == "run-2"
                else judged(event, runs)
            ),
        )
        writer(home).rebuild()
        with home.control.read() as connection:
            assert list(connection.execute(select(Run.run, Run.run_key)).tuples()) == [("run-1", 1)]


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
