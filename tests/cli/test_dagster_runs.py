"""Work started from the command line: through Dagster, beside others, and after kills."""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import pytest
from sqlalchemy import select

from tests.knowledge.exporting import ExportHome
from tests.support.commands import thermite, wait_until
from tests.support.homes import Home
from tests.support.pipelines import Pipelines, no_waits_for_the_disk
from thermite_pipelines.cli import dagster_runs
from thermite_pipelines.cli.dagster_home import dagster_instance
from thermite_pipelines.control.leases import acquire, holders, release
from thermite_pipelines.control.models import Lease
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.home import open_home

pytestmark = pytest.mark.full  # each test lets whole programs work


@pytest.fixture
def told(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Two rigs with something to tell, a campaign by events and one with an assigned run."""
    home.campaign("speed-up")
    tell(home, "rig-a", "run-1")
    tell(home, "rig-b", "run-2", campaign="reading")
    ExportHome(home).assign("run-2", "reading", rig="rig-b")
    ExportHome(home).assign("run-3", "reading", rig="rig-b")
    for name, value in (("HOME", home.settings.home), ("SETTLE_SECONDS", 0), ("MIN_FREE_BYTES", 1)):
        monkeypatch.setenv(f"THERMITE_{name}", str(value))
    return home


@pytest.fixture(autouse=True)
def no_waits() -> Iterator[None]:
    with no_waits_for_the_disk():
        yield


@contextmanager
def instance_of(home: Home) -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.from_config(str(home.settings.dagster_home)) as instance:
        yield instance


def tell(home: Home, rig: str, run: str, notes: int = 2, campaign: str = "speed-up") -> None:
    simulator = home.rig(rig)
    if run not in simulator.__dict__.setdefault("told", set()):
        simulator.__dict__["told"].add(run)
        simulator.say_run(run, campaign=campaign)
    for number in range(notes):
        simulator.say_note(f"{run} saw {number}", run=run, campaign=campaign)
    simulator.send()


def refresh(home: Home, rigs: list[str] | None = None, campaigns: list[str] | None = None) -> list[list[str]]:
    """Job, partition and status of what a refresh ran."""
    runs = dagster_runs.refresh(open_home(home=home.settings.home), rigs or [], campaigns or [])
    return [[run.job, str(run.partition), run.status] for run in runs]


def test_a_refresh_does_all_that_is_behind_and_then_nothing(told: Home) -> None:
    stranger = told.rig("rig-x", register=False)
    stranger.say_run()
    stranger.send()
    ok = "SUCCESS"
    assert refresh(told) == [
        ["take_unknown_reports", "None", ok],
        ["take_reports", "rig-a", ok],
        ["take_reports", "rig-b", ok],
        ["refresh_campaign", "reading", ok],
        ["refresh_campaign", "speed-up", ok],
    ]
    assert refresh(told) == []
    assert (told.settings.sync / "rig-b" / "run-3" / "knowledge" / "README.md").exists()
    with told.control.read() as connection:
        assert connection.execute(select(Lease.scope)).all() == []


def test_only_what_was_named(told: Home) -> None:
    home = open_home()
    assert [run[:2] for run in refresh(told, ["rig-a"])] == [
        ["take_reports", "rig-a"],
        ["refresh_campaign", "speed-up"],
    ]
    # A sync without a report of its own: run-2 and run-3 are open by their assignment.
    assert [run[:2] for run in refresh(told, campaigns=["reading"])] == [["sync_campaign", "reading"]]
    for rigs, campaigns in ((["rig-x"], []), ([], ["nowhere"])):
        with pytest.raises(ThermiteError):
            dagster_runs.refresh(home, rigs, campaigns)


def test_a_failed_run_is_told_and_holds_up_no_other(told: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = FolderWriter.refresh

    def fail_for_one(writer: FolderWriter, progress: object = None) -> object:
        if writer._campaign == "reading":  # type: ignore[attr-defined]
            raise ThermiteError("the disk is full")
        return whole(writer)

    monkeypatch.setattr(FolderWriter, "refresh", fail_for_one)
    runs = {(run[0], run[1]): run[2] for run in refresh(told)}
    assert runs["refresh_campaign", "reading"] == "FAILURE"
    assert runs["refresh_campaign", "speed-up"] == "SUCCESS"
    with pytest.raises(ThermiteError, match="the disk is full"):
        dagster_runs.run_job(open_home(), "refresh_campaign", "reading")
    for _ in range(3):
        refresh(told)
    assert dagster_runs.failed_attempts(open_home()) == [
        {"job": "refresh_campaign", "partition": "reading", "attempts": 5}
    ]


def test_dagsters_home_may_go_at_any_time(told: Home) -> None:
    refresh(told)
    lake = told.files("")
    shutil.rmtree(told.settings.dagster_home)
    assert refresh(told) == []
    settings = told.settings
    assert "dagster/partition" in (settings.dagster_home / "dagster.yaml").read_text()
    with instance_of(told) as instance:
        assert set(instance.get_dynamic_partitions("rigs")) == {"rig-a", "rig-b"}
        assert set(instance.get_dynamic_partitions("campaigns")) == {"reading", "speed-up"}
        placed = dg.AssetKey(["knowledge", "placed_events"])
        assert instance.get_materialized_partitions(placed) == {"reading", "speed-up"}
    assert told.files("") == lake
    tell(told, "rig-a", "run-1")
    assert [run[:2] for run in refresh(told)] == [["take_reports", "rig-a"], ["refresh_campaign", "speed-up"]]


def test_a_refresh_makes_good_what_was_damaged_but_not_beside_another(told: Home) -> None:
    """What another writes right now does not count yet and looks foreign: it must not be removed under its hands."""
    refresh(told)
    control, lake = told.control, told.lake
    path = next(entry.path for entry in lake.list("folders/note/campaign=speed-up"))
    good = lake.get(path)
    unborn = path.replace(".parquet", "9.parquet")
    acquire(control, "campaign:speed-up", "another")
    lake.put(unborn, good)
    lake.put(path, b"damaged")
    assert refresh(told) == []
    assert lake.get(unborn) == good
    release(control, "campaign:speed-up", "another")
    assert [run[:2] for run in refresh(told)] == [["refresh_campaign", "speed-up"]]
    assert lake.get(path) == good
    assert lake.stat(unborn) is None


def test_a_rebuild_gives_the_same_bytes(told: Home) -> None:
    refresh(told)
    before = told.files("")
    home = open_home()
    assert [run.partition for run in dagster_runs.rebuild(home, ["speed-up"])] == ["speed-up"]
    runs = dagster_runs.rebuild(home, None)
    assert [(run.job, run.partition, run.status) for run in runs] == [
        ("take_reports", "rig-a", "SUCCESS"),
        ("take_reports", "rig-b", "SUCCESS"),
        ("refresh_campaign", "reading", "SUCCESS"),
        ("refresh_campaign", "speed-up", "SUCCESS"),
    ]
    assert told.files("") == before


def test_an_export_is_numbered_by_dagster_too(told: Home) -> None:
    refresh(told)
    exported = dagster_runs.export(open_home(), "rig-a")
    assert (exported.rig, exported.number) == ("rig-a", "000001")
    with instance_of(told) as instance:
        newest = Pipelines(told, instance).metadata("exports/journal_jsonl", "rig-a")
    assert newest["number"] == "000001"
    with pytest.raises(ThermiteError):
        dagster_runs.export(open_home(), "rig-x")


def test_two_refreshes_at_once_do_nothing_twice(told: Home) -> None:
    """Two processes, on a Dagster home that is not made yet: both end well."""
    home = told
    assert not home.settings.dagster_home.exists()
    processes = [thermite(home, "refresh", "--json") for _ in range(2)]
    documents = []
    for process in processes:
        out, err = process.communicate(timeout=180)
        assert process.returncode == 0, err
        documents.append(json.loads(out))
    assert [document["ok"] for document in documents] == [True, True]
    assert [row["outcome"] for row in home.receipts()] == ["accepted", "accepted"]
    assert len(home.events("rig-a")) == 3 and len(home.events("rig-b")) == 3
    _equals_a_rebuild(told)


def test_a_refresh_that_is_killed_in_the_middle_is_made_good_by_the_next(told: Home) -> None:
    home = told
    for _ in range(20):
        tell(home, "rig-a", "run-1", notes=200)
    process = thermite(home, "refresh")

    def folds() -> bool:
        with home.control.read() as connection:
            return "campaign:speed-up" in holders(connection)

    wait_until(folds, 120, process)
    process.kill()
    process.wait()
    begun = time.monotonic()
    runs = refresh(told)
    assert all(status == "SUCCESS" for _, _, status in runs)
    assert time.monotonic() - begun < 60
    assert refresh(told) == []
    _equals_a_rebuild(told)
    with instance_of(told) as instance:
        statuses = {run.status for run in instance.get_runs()}
    assert statuses <= {dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.FAILURE}


def _equals_a_rebuild(told: Home) -> None:
    """The folders are what a rebuild makes of them, byte for byte, and the sync is what it should be."""
    before = told.files("folders")
    assert before
    runs = dagster_runs.rebuild(open_home(), None)
    assert {run.status for run in runs} == {"SUCCESS"}
    assert told.files("folders") == before
    assert not [path for path in Path(told.settings.lake).rglob(".*") if path.is_file()]


def test_a_dagster_home_elsewhere_gets_our_settings_only_where_it_is_new(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, used = tmp_path / "new", tmp_path / "used"
    used.mkdir()
    (used / "history").mkdir()
    for folder in (new, used):
        monkeypatch.setenv("DAGSTER_HOME", str(folder))
        with dagster_instance(open_home(home=home.settings.home)) as instance:
            assert instance.telemetry_enabled is (folder == used)
    assert (new / "dagster.yaml").exists() and not (used / "dagster.yaml").exists()
