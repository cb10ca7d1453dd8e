"""Event files that are not what was written, kept reports that are not what was accepted, and new rules."""

import pytest
from sqlalchemy import select

from tests.intake.samples import facts, sample, tables, writer
from tests.support.homes import Home
from tests.support.rigs import RigSimulator
from thermite_pipelines.control.models import Receipt, Run
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import events
from thermite_pipelines.intake.events import Written
from thermite_pipelines.ledger import event_types
from thermite_pipelines.tables.schemas import EVENT_TABLES


@pytest.fixture
def rig(home: Home) -> RigSimulator:
    return home.rig()


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
