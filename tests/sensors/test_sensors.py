"""Sensors compare what is with what should be: each tick by itself, over a real instance."""

import shutil
import time

import dagster as dg
import pytest
from dagster import DagsterRunStatus

from tests.knowledge.exporting import ExportHome
from tests.sensors.ticks import SENSORS, asked, keys, make_run, new_partitions, tick, why_nothing
from tests.support.atoms import atom_row, put_atoms
from tests.support.pipelines import Pipelines
from thermite_pipelines.assets.partitions import campaigns, new_keys
from thermite_pipelines.control.leases import acquire, release
from thermite_pipelines.sensors import arrival, common

GOING_ON = [
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
]


def send(pipelines: Pipelines, rig: str = "rig-a", run: str = "run-1", campaign: str = "speed-up") -> None:
    simulator = pipelines.home.rig(rig)
    if simulator.n == 0:
        simulator.say_run(run, campaign=campaign)
    simulator.say_note(run=run, campaign=campaign)
    simulator.send()


def test_an_idle_home_asks_for_nothing(pipelines: Pipelines) -> None:
    assert sorted(new_partitions(pipelines, "reports")) == ["rig-a", "rig-b"]
    pipelines.instance.add_dynamic_partitions("rigs", ["rig-a", "rig-b"])
    tick(pipelines, "campaigns")  # reports the empty campaign's target, and makes its partition
    for sensor in SENSORS:
        assert why_nothing(pipelines, sensor) == "nothing is behind"


@pytest.mark.parametrize("sensor", SENSORS)
def test_a_home_that_is_not_made_yet_is_a_skip(
    pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch, sensor: str
) -> None:
    monkeypatch.setenv("THERMITE_HOME", str(pipelines.home.settings.home / "nowhere"))
    assert "thermite init" in why_nothing(pipelines, sensor)


def test_a_report_makes_two_runs(pipelines: Pipelines) -> None:
    """One run for its rig, one for its campaign, then none."""
    send(pipelines)
    assert asked(pipelines, "reports") == [("take_reports", "rig-a")]
    assert asked(pipelines, "campaigns") == []
    pipelines.done("take_reports", "rig-a")
    assert asked(pipelines, "reports") == []
    assert asked(pipelines, "campaigns") == [("refresh_campaign", "speed-up")]
    pipelines.done("refresh_campaign", "speed-up")
    assert all(asked(pipelines, sensor) == [] for sensor in SENSORS if sensor != "exports")


def test_a_tick_done_again_asks_for_the_same(pipelines: Pipelines) -> None:
    """A crash after the runs were made and before the tick was noted: the same keys, which Dagster takes once."""
    send(pipelines)
    first = keys(pipelines, "reports")
    assert first == keys(pipelines, "reports")
    pipelines.home.intake()
    key = keys(pipelines, "campaigns")
    assert len(key) == 1 and key == keys(pipelines, "campaigns")
    # Once the run is there, the next tick leaves its partition alone.
    make_run(pipelines, "refresh_campaign", "speed-up", DagsterRunStatus.QUEUED, key[0])
    assert keys(pipelines, "campaigns") == []


@pytest.mark.parametrize("status", GOING_ON)
def test_partitions_in_flight_are_left_alone_whoever_started_the_run(
    pipelines: Pipelines, status: DagsterRunStatus
) -> None:
    send(pipelines)
    pipelines.home.intake()
    send(pipelines, "rig-b", "run-2", campaign="none")
    make_run(pipelines, "__ASSET_JOB", "speed-up", status)
    make_run(pipelines, "__ASSET_JOB", "rig-b", status)
    assert asked(pipelines, "campaigns") == asked(pipelines, "reports") == []


def test_partitions_whose_lease_another_holds_are_left_alone(pipelines: Pipelines) -> None:
    send(pipelines)
    control = pipelines.home.control
    acquire(control, "rig:rig-a", "a command")
    assert asked(pipelines, "reports") == []
    release(control, "rig:rig-a", "a command")
    assert asked(pipelines, "reports") == [("take_reports", "rig-a")]
    pipelines.home.intake()
    acquire(control, "campaign:speed-up", "a command")
    assert asked(pipelines, "campaigns") == []


def test_a_spent_key_holds_up_nothing(pipelines: Pipelines) -> None:
    """Dagster takes a run key once for ever; a second attempt, or an old target that comes back, has a new one."""
    send(pipelines)
    pipelines.home.intake()
    [first] = keys(pipelines, "campaigns")
    failed = make_run(pipelines, "refresh_campaign", "speed-up", DagsterRunStatus.FAILURE, first)
    assert keys(pipelines, "campaigns") == []  # it waits a minute
    _age(pipelines, failed, 61)
    assert keys(pipelines, "campaigns") == [first.replace("#1", "#2")]
    # Spent by a run that is no attempt of this job any more.
    make_run(pipelines, "another_job", None, DagsterRunStatus.SUCCESS, first.replace("#1", "#2"))
    assert keys(pipelines, "campaigns") == [first.replace("#1", "#3")]


def test_failures_in_a_row_wait_longer(pipelines: Pipelines) -> None:
    send(pipelines)
    pipelines.home.intake()
    [first] = keys(pipelines, "campaigns")
    runs = [make_run(pipelines, "refresh_campaign", "speed-up", DagsterRunStatus.FAILURE) for _ in range(3)]
    _age(pipelines, runs[-1], 239)
    assert keys(pipelines, "campaigns") == []
    _age(pipelines, runs[-1], 241)
    assert keys(pipelines, "campaigns") == [first]


def test_reports_that_pour_in_make_one_run_a_minute(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrival, "_LOADED_AT", time.time() - 3600)
    send(pipelines)
    assert asked(pipelines, "reports") == [("take_reports", "rig-a")]
    pipelines.done("take_reports", "rig-a")
    send(pipelines)
    assert asked(pipelines, "reports") == []
    monkeypatch.setattr(arrival, "_LOADED_AT", time.time())  # what a start of the daemon does
    assert asked(pipelines, "reports") == [("take_reports", "rig-a")]


def test_unknown_inboxes_have_a_run_of_their_own(pipelines: Pipelines) -> None:
    stranger = pipelines.home.rig("rig-x", register=False)
    stranger.say_run()
    stranger.send()
    assert asked(pipelines, "reports") == [("take_unknown_reports", None)]
    [key] = keys(pipelines, "reports")
    run = make_run(pipelines, "take_unknown_reports", None, DagsterRunStatus.STARTED, key)
    assert asked(pipelines, "reports") == []
    pipelines.instance.report_run_failed(run)
    assert asked(pipelines, "reports") == []
    _age(pipelines, run, 61)
    assert keys(pipelines, "reports") == [key.replace("#1", "#2")]
    pipelines.done("take_unknown_reports")
    assert asked(pipelines, "reports") == []


def test_an_assignment_alone_moves_a_target(pipelines: Pipelines) -> None:
    """Control's record says where runs belong; no report is needed for a folder to be behind."""
    send(pipelines, campaign="nobody-knows-it")
    pipelines.done("take_reports", "rig-a")
    assert asked(pipelines, "campaigns") == []
    ExportHome(pipelines.home).assign("run-1", "reading")
    assert asked(pipelines, "campaigns") == [("refresh_campaign", "reading")]
    assert "reading" in pipelines.instance.get_dynamic_partitions("campaigns")


def test_a_sync_is_due_for_a_grant_and_waits_for_a_refresh_that_comes(pipelines: Pipelines) -> None:
    home = ExportHome(pipelines.home)
    home.assign("run-2", "reading", rig="rig-b")
    assert asked(pipelines, "syncs") == [("sync_campaign", "reading")]
    pipelines.done("sync_campaign", "reading")
    assert asked(pipelines, "syncs") == []
    send(pipelines)
    pipelines.done("take_reports", "rig-a")
    pipelines.done("refresh_campaign", "speed-up")
    from thermite_pipelines.control.campaigns import grant

    with pipelines.home.control.write() as connection:
        grant(connection, "reading", "speed-up", "owner")
    assert asked(pipelines, "syncs") == [("sync_campaign", "reading")]
    # News of its own: the refresh ends with the sync.
    pipelines.home.rig("rig-b").say_run("run-2", campaign="reading")
    pipelines.home.rig("rig-b").send()
    pipelines.home.intake("rig-b")
    assert asked(pipelines, "syncs") == []
    assert asked(pipelines, "campaigns") == [("refresh_campaign", "reading")]


def test_an_index_is_due_for_news_that_come_with_no_refresh(pipelines: Pipelines) -> None:
    send(pipelines)
    pipelines.done("take_reports", "rig-a")
    assert asked(pipelines, "indexes") == []  # the refresh ends with it
    pipelines.done("refresh_campaign", "speed-up")
    assert asked(pipelines, "indexes") == []
    put_atoms(pipelines.home, "speed-up", atom_row("warm caches are kept", "speed-up"))
    assert asked(pipelines, "indexes") == [("index_campaign", "speed-up")]
    acquire(pipelines.home.control, "index:speed-up", "another")
    assert asked(pipelines, "indexes") == []
    release(pipelines.home.control, "index:speed-up", "another")
    pipelines.done("index_campaign", "speed-up")
    assert asked(pipelines, "indexes") == []
    shutil.rmtree(pipelines.home.settings.home / "index" / "knowledge")
    assert asked(pipelines, "indexes") == [("index_campaign", "speed-up")]


def test_an_export_is_due_when_a_run_finished(pipelines: Pipelines) -> None:
    pipelines.home.rig().say_run()
    pipelines.home.rig().say("run_finished", {"outcome": "completed"})
    pipelines.home.rig().send()
    pipelines.done("take_reports", "rig-a")
    assert asked(pipelines, "exports") == [("export_rig", "rig-a")]
    pipelines.done("export_rig", "rig-a")
    assert asked(pipelines, "exports") == []


def test_new_names_become_partitions_some_at_a_time(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common, "MAX_NEW_KEYS", 2)
    pipelines.home.rig("rig-c")
    send(pipelines, "rig-c", "run-3", campaign="none")
    # Those that a run is asked for come first: it could not start without.
    assert new_partitions(pipelines, "reports") == ["rig-c", "rig-a"]
    pipelines.instance.add_dynamic_partitions("rigs", ["rig-c", "rig-a"])
    assert new_partitions(pipelines, "reports") == ["rig-b"]


@pytest.mark.parametrize("name", ["a,b", "a/b", "a...b", "A", "", "a\n", "x" * 64, "1a", "ä"])
def test_what_is_no_legal_key_never_becomes_a_partition(pipelines: Pipelines, name: str) -> None:
    assert new_keys(pipelines.instance, campaigns, [name, "good-one"]) == ["good-one"]


@pytest.mark.full
def test_a_tick_is_short_whatever_lies_in_one_inbox(pipelines: Pipelines) -> None:
    """100,000 junk files, half of them unsafe ones under names of reports that have their receipts."""
    inbox = pipelines.home.rig().inbox
    for number in range(50_000):
        (inbox / f"{number}.txt").touch()
    for number in range(50_000):
        (inbox / f"{number}.dsse.json").symlink_to("nowhere")
    pipelines.home.intake()
    send(pipelines, "rig-b", "run-2")
    begun = time.perf_counter()
    assert asked(pipelines, "reports") == [("take_reports", "rig-b")]
    assert time.perf_counter() - begun < 10


def test_a_tick_with_many_behind_is_bounded(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    targets = {f"c{number}": "t" for number in range(60)}
    asks = common.asks_for(pipelines.instance, "refresh_campaign", targets)
    assert len(asks) == 25
    from thermite_pipelines.sensors import runs

    monkeypatch.setattr(runs, "BUDGET_SECONDS", 0.0)
    assert len(common.asks_for(pipelines.instance, "refresh_campaign", targets)) == 1


def _age(pipelines: Pipelines, run: dg.DagsterRun, seconds: float) -> None:
    """Let a run's end lie some seconds back."""
    from dagster._core.storage.runs.schema import RunsTable

    when = time.time() - seconds
    with pipelines.instance.run_storage.connect() as connection:  # type: ignore[attr-defined]
        connection.execute(RunsTable.update().where(RunsTable.c.run_id == run.run_id).values(end_time=when))
