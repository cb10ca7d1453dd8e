"""A kill at any moment, and two intakes at once: nothing is lost, nothing counts twice."""

import os
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.homes import Home, make_home
from tests.support.killing import Points, in_child
from tests.support.rigs import drop
from thermite_pipelines.control.leases import LeaseTaken, lease
from thermite_pipelines.control.models import Head, Receipt, Record, RigState, Run, core_table
from thermite_pipelines.intake import settling
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.intake.receipts import Intake

MOMENT = 1_800_000_000_000_000


@pytest.fixture(autouse=True)
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """All reports are accepted at one moment, so that tables of two runs can be compared byte for byte."""
    monkeypatch.setattr(settling, "now_micros", lambda: MOMENT)


def prepare(home: Home) -> None:
    """Some reports are accepted, one waits; in the inbox lie its missing one, a fork, copies, junk, a large file."""
    rig = home.rig()
    rig.say_run()
    rig.say_note()
    rig.send()
    twin = rig.fork()
    home.intake()
    rig.say_note("missing at first")
    missing = rig.report()
    rig.say("of_the_future", {"x": 1})
    rig.say("claim_recorded", {"claim": "c1", "text": "x", "quotes": []})
    waiting = rig.send("3.dsse.json")
    home.intake()
    twin.say_note("another story")
    rig.drop(missing, "2.dsse.json")
    rig.drop(missing, "2-copy.dsse.json", packing="gz")
    rig.drop(waiting, "3-copy.dsse.json")
    twin.send("fork.dsse.json")
    rig.say_note("the newest")
    rig.send("4.dsse.json")
    drop(rig.inbox, "junk.dsse.json", b"junk")
    drop(rig.inbox, "large.dsse.json", b"x" * 5_000)


def state(home: Home) -> dict[str, Any]:
    """All that an intake leaves: receipts, chains, runs, records, files."""
    hidden = {"receipt", "arrived_at", "inode", "mtime_ns", "run_key"}
    tables: dict[str, Any] = {}
    with home.control.read() as connection:
        for model in (Receipt, Head, RigState, Run, Record):
            rows = connection.execute(select(core_table(model))).mappings()
            tables[model.__tablename__] = sorted(
                [str({k: v for k, v in row.items() if k not in hidden}) for row in rows]
            )
    files = {table: home.files(table) for table in ("events", "rejected_events", "unknown_events", "reports")}
    return tables | files | {"inbox": sorted(path.name for path in home.rig().inbox.iterdir())}


def fresh(home: Home) -> Home:
    """The same home with connections of its own, as another process has."""
    return Home(home.settings, simulators=home.simulators)


def killed_intake(home: Home, points: Points) -> int:
    """Run one intake in a child that `points` ends."""

    def work() -> None:
        child = fresh(home)
        with points.watched(child.control.engine):
            child.intake()

    return in_child(work)


@pytest.fixture
def prepared(tmp_path: Path, ready_record: Path) -> Home:
    home = make_home(tmp_path / "prepared", ready_record, max_report_bytes=3_000)
    prepare(home)
    home.close()
    return home


def copy_of(home: Home, path: Path) -> Home:
    """A copy of a home, with inodes of its own but the same modification times."""
    shutil.copytree(home.settings.home, path, symlinks=True)
    copy = make_home(path, max_report_bytes=home.settings.max_report_bytes)
    copy.simulators = {name: rig.fork(inbox=path / "inbox" / name) for name, rig in home.simulators.items()}
    return copy


def undisturbed(home: Home, path: Path) -> tuple[dict[str, Any], int]:
    """What one intake leaves, and how many moments it has."""
    copy = copy_of(home, path)
    points = Points()
    with points.watched(copy.control.engine):
        copy.intake()
    copy.close()
    return state(copy), points.seen


def test_the_undisturbed_run_is_what_it_should_be(prepared: Home, tmp_path: Path) -> None:
    copy = copy_of(prepared, tmp_path / "copy")
    copy.intake()
    outcomes = copy.outcomes()
    duplicates = [outcomes.pop(name) for name in ("2-copy.dsse.json.gz", "3-copy.dsse.json")]
    first = [outcomes.pop(name) for name in ("2.dsse.json", "3.dsse.json")]
    assert sorted(duplicates + first) == ["accepted", "accepted", "duplicate", "duplicate"]
    outcomes.popitem()
    assert len(copy.events()) == 4
    assert len(copy.events(table="rejected_events")) == len(copy.events(table="unknown_events")) == 1
    copy.close()


@pytest.mark.full
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_kill_at_any_moment_changes_nothing_in_the_end(prepared: Home, tmp_path: Path, after: bool) -> None:
    expected, moments = undisturbed(prepared, tmp_path / "whole")
    assert moments >= 20
    for moment in range(moments):
        home = copy_of(prepared, tmp_path / f"killed-{moment}")
        code = killed_intake(home, Points(moment, after=after))
        assert code in (-9, 0)  # 0: the moment is a commit, which has no "after" of its own
        fresh(home).intake()
        assert state(home) == expected, f"killed at moment {moment} of {moments}"
        home.close()


def test_kills_one_after_the_other(prepared: Home, tmp_path: Path) -> None:
    expected, moments = undisturbed(prepared, tmp_path / "whole")
    home = copy_of(prepared, tmp_path / "killed")
    for moment in range(0, moments, 3):
        killed_intake(home, Points(moment))
    fresh(home).intake()
    assert state(home) == expected


def test_a_kill_during_a_rebuild(prepared: Home, tmp_path: Path) -> None:
    expected, _ = undisturbed(prepared, tmp_path / "whole")
    home = copy_of(prepared, tmp_path / "killed")
    home.intake()

    def work(points: Points) -> int:
        def rebuild() -> None:
            child = fresh(home)
            with points.watched(child.control.engine):
                EventWriter(child.control, child.lake, "rig-a").rebuild()

        return in_child(rebuild)

    moment = 1  # moment 0 is the commit that begins the rebuild
    while True:
        home.lake.put("events/rig=rig-a/L0-000000.parquet", b"left over from before")
        if work(Points(moment)) == 0:
            break
        fresh(home).write()
        assert state(home) == expected, f"killed at moment {moment}"
        moment += 1
    assert moment > 5


def test_kills_with_postgresql(any_home: Home) -> None:
    prepare(any_home)
    any_home.close()
    for moment in range(0, 40, 4):
        killed_intake(any_home, Points(moment, after=bool(moment % 8)))
    fresh(any_home).intake()
    outcomes = any_home.receipts()
    assert sorted(row["outcome"] for row in outcomes).count("accepted") == 4
    assert len(outcomes) == 9
    assert [row["n"] for row in any_home.events()] == [1, 2, 3, 6]
    assert not list(any_home.rig().inbox.iterdir())


def test_several_intakes_at_once_take_each_file_once(any_home: Home) -> None:
    """Each holds the lease or gives way; whoever gives way leaves everything to the other."""
    rig = any_home.rig()
    rig.say_run()
    for _ in range(30):
        rig.say_note()
        rig.send()
    any_home.close()

    def work() -> None:
        child = fresh(any_home)
        until = time.monotonic() + 100
        while time.monotonic() < until:
            try:
                with lease(child.control, "rig:rig-a"):
                    child.intake()
                return
            except LeaseTaken:
                continue
        raise AssertionError("never got the lease")

    codes = _together([work] * 4)
    assert codes == [0] * 4
    assert [row["outcome"] for row in any_home.receipts()] == ["accepted"] * 30
    assert len(any_home.events()) == 31


def test_even_without_leases_nothing_is_accepted_or_listed_twice(any_home: Home) -> None:
    """A process that stood still for a minute has lost its lease without knowing: the transaction still holds."""
    rig = any_home.rig()
    rig.say_run()
    for _ in range(30):
        rig.say_note()
        rig.send()
    for number in range(30):
        drop(rig.inbox, f"junk-{number}.dsse.json", b"junk %d" % number)
    any_home.close()

    def work() -> None:
        child = fresh(any_home)
        Intake(child.control, child.lake, child.settings).take("rig-a")

    assert _together([work] * 4) == [0] * 4
    rows = any_home.receipts()
    assert sorted(row["outcome"] for row in rows) == ["accepted"] * 30 + ["quarantined"] * 30
    assert sorted(row["accepted_number"] for row in rows if row["accepted_number"]) == list(range(1, 31))
    any_home.write()
    assert len(any_home.events()) == 31


def _together(works: list[Any]) -> list[int]:
    """Run all works at the same time in forked processes that start at one signal."""
    go, start = os.pipe()
    children = []
    for work in works:
        child = os.fork()
        if child == 0:
            os.close(start)
            os.read(go, 1)
            os._exit(0 if in_child(work) == 0 else 1)
        children.append(child)
    os.close(go)
    os.close(start)
    return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
