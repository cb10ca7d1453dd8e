"""Runs whose process is gone are ended, and no others; failed ones are written down once."""

import json
import subprocess
import sys
import time

import dagster as dg
import pytest
from dagster import DagsterRunStatus
from sqlalchemy import select, update

from tests.sensors.ticks import make_run
from tests.support.pipelines import Pipelines, repository
from thermite_pipelines.control.leases import acquire, is_marked_process_gone, process_mark
from thermite_pipelines.control.models import Lease
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.sensors.failures import dead_runs
from thermite_pipelines.sensors.runs import DIED_TAG, PROCESS_TAG, end_dead_runs, failed_in_a_row

HOUR = 3600.0


def lease_of_a_gone_process(pipelines: Pipelines, scope: str) -> None:
    """A lease as a process leaves it that was killed a moment ago."""
    control = pipelines.home.control
    acquire(control, scope, "gone")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    with control.write() as connection:
        connection.execute(update(Lease).where(Lease.scope == scope).values(pid=ended.pid))


def scopes(pipelines: Pipelines) -> set[str]:
    with pipelines.home.control.read() as connection:
        return set(connection.execute(select(Lease.scope)).scalars())


def status(pipelines: Pipelines, run: dg.DagsterRun) -> DagsterRunStatus:
    found = pipelines.instance.get_run_by_id(run.run_id)
    assert found is not None
    return found.status


def test_a_started_run_whose_process_is_gone_is_ended_at_once(pipelines: Pipelines) -> None:
    run = make_run(pipelines, "refresh_campaign", "speed-up", DagsterRunStatus.STARTED)
    lease_of_a_gone_process(pipelines, f"run:{run.run_id}")
    context = dg.build_sensor_context(instance=pipelines.instance)
    assert "1 dead runs ended" in str(dead_runs(context))
    assert status(pipelines, run) == DagsterRunStatus.FAILURE
    ended = pipelines.instance.get_run_by_id(run.run_id)
    assert ended is not None and ended.tags[DIED_TAG] == "true"
    assert scopes(pipelines) == set()
    assert "no dead runs" in str(dead_runs(context))


def test_a_live_run_is_never_ended(pipelines: Pipelines) -> None:
    run = make_run(pipelines, "refresh_campaign", "speed-up", DagsterRunStatus.STARTED)
    acquire(pipelines.home.control, f"run:{run.run_id}", run.run_id)
    for none_starting in (False, True):
        now = time.time() + 10 * HOUR
        assert end_dead_runs(open_home(), pipelines.instance, now, none_starting=none_starting) == []
    assert status(pipelines, run) == DagsterRunStatus.STARTED


@pytest.mark.parametrize(
    ("state", "grace"),
    [
        (DagsterRunStatus.STARTED, 60),
        (DagsterRunStatus.STARTING, 180),
        (DagsterRunStatus.NOT_STARTED, 300),
        (DagsterRunStatus.CANCELING, 60),
    ],
)
def test_a_run_without_a_lease_has_some_time_to_take_one(
    pipelines: Pipelines, state: DagsterRunStatus, grace: int
) -> None:
    run = make_run(pipelines, "refresh_campaign", "speed-up", state)
    assert end_dead_runs(open_home(), pipelines.instance, time.time() + grace - 5) == []
    assert end_dead_runs(open_home(), pipelines.instance, time.time() + grace + 5) == [run.run_id]


def test_at_the_start_of_a_daemon_nothing_can_be_starting(pipelines: Pipelines) -> None:
    """But for a run of another command, whose process says by its mark that it lives."""
    starting = make_run(pipelines, "refresh_campaign", "a", DagsterRunStatus.STARTING)
    queued = make_run(pipelines, "refresh_campaign", "b", DagsterRunStatus.QUEUED)
    ours = make_run(pipelines, "refresh_campaign", "c", DagsterRunStatus.STARTED, **{PROCESS_TAG: process_mark()})
    ended = end_dead_runs(open_home(), pipelines.instance, time.time(), none_starting=True)
    assert ended == [starting.run_id]
    assert status(pipelines, queued) == DagsterRunStatus.QUEUED
    assert status(pipelines, ours) == DagsterRunStatus.STARTED


def test_a_run_of_a_killed_command_is_ended_at_once(pipelines: Pipelines) -> None:
    killed = subprocess.Popen([sys.executable, "-c", ""])
    killed.wait()
    mark = "/".join([process_mark().rsplit("/", 2)[0], str(killed.pid), "1"])
    run = make_run(pipelines, "take_reports", "rig-a", DagsterRunStatus.NOT_STARTED, **{PROCESS_TAG: mark})
    assert end_dead_runs(open_home(), pipelines.instance, time.time()) == [run.run_id]


@pytest.mark.parametrize("mark", ["", "x", "another-host/1/1", "4242", "//", "a/b/c"])
def test_a_mark_that_says_nothing_is_no_dead_process(mark: str) -> None:
    assert not is_marked_process_gone(mark)
    assert not is_marked_process_gone(process_mark())


def test_leases_of_runs_that_ended_are_forgotten(pipelines: Pipelines) -> None:
    run = make_run(pipelines, "take_reports", "rig-a", DagsterRunStatus.SUCCESS)
    lease_of_a_gone_process(pipelines, f"run:{run.run_id}")
    lease_of_a_gone_process(pipelines, "campaign:speed-up")  # which the next refresh takes over
    end_dead_runs(open_home(), pipelines.instance, time.time())
    assert scopes(pipelines) == {"campaign:speed-up"}


def test_failures_in_a_row_are_counted_for_people(pipelines: Pipelines) -> None:
    states = [DagsterRunStatus.FAILURE, DagsterRunStatus.SUCCESS, *[DagsterRunStatus.FAILURE] * 5]
    for state in states:
        make_run(pipelines, "take_reports", "rig-a", state)
    assert failed_in_a_row(pipelines.instance, "take_reports", ["rig-a", "rig-b"]) == {"rig-a": 5}


def test_a_failed_run_is_written_down_once(pipelines: Pipelines) -> None:
    """By the sensor, also where its tick is done again; a line holds no text."""
    result = pipelines.run("refresh_campaign", "speed-up", **{"thermite/test": "x"})
    run = pipelines.instance.get_run_by_id(result.run_id)
    assert run is not None
    [sensor] = [one for one in repository().sensor_defs if one.name == "failed_runs"]
    context = dg.build_run_status_sensor_context("failed_runs", _failure_event(run), pipelines.instance, run)
    for _ in range(2):
        sensor(context.for_run_failure())  # type: ignore[operator]
    lines = (pipelines.home.settings.home / "failures.jsonl").read_text().splitlines()
    assert [json.loads(line) | {"at": ""} for line in lines] == [
        {"at": "", "job": "refresh_campaign", "partition": "speed-up", "dagster_run": run.run_id}
    ]


def _failure_event(run: dg.DagsterRun) -> dg.DagsterEvent:
    return dg.DagsterEvent(
        event_type_value=dg.DagsterEventType.RUN_FAILURE.value,
        job_name=run.job_name,
        message="failed",
    )
