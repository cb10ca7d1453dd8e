"""What Dagster's run storage says about partitions: runs in flight, ended attempts, and runs whose process is gone."""

from collections.abc import Iterable
from typing import Any

import dagster as dg
from dagster import DagsterRunStatus, RunRecord, RunsFilter

from thermite_pipelines.control.leases import all_scopes, holders
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.sensors.due import Attempt, Behind

PARTITION_TAG = "dagster/partition"
RUN_KEY_TAG = "dagster/run_key"
DIED_TAG = "thermite/died"

IN_FLIGHT = [
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.MANAGED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
]
ENDED = [DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED]
# A run shows its lease once its process has started and opened the home.
STARTED_GRACE_SECONDS = 60
STARTING_GRACE_SECONDS = 180
_LOOK_BACK = 12


def in_flight(instance: dg.DagsterInstance) -> set[str]:
    """Partitions with a run that has not ended, whatever its job is called: the UI's button runs another one."""
    runs = instance.get_runs(RunsFilter(statuses=IN_FLIGHT))
    return {run.tags[PARTITION_TAG] for run in runs if PARTITION_TAG in run.tags}


def behind(instance: dg.DagsterInstance, job: str, targets: dict[str, str]) -> list[Behind]:
    """Partitions that are behind their targets, with the ended runs of a job for each."""
    return [Behind(name, target, tuple(_attempts(instance, job, name, target))) for name, target in targets.items()]


def _attempts(instance: dg.DagsterInstance, job: str, partition: str, target: str) -> Iterable[Attempt]:
    newest = instance.get_run_records(
        RunsFilter(job_name=job, tags={PARTITION_TAG: partition}, statuses=ENDED), limit=_LOOK_BACK
    )
    yield from (_attempt(record) for record in newest)
    # Keys spent long ago, for a target that comes back: the key must be new among all runs ever.
    probe = Behind(partition, target, tuple(_attempt(record) for record in newest))
    while instance.get_run_records(RunsFilter(tags={RUN_KEY_TAG: probe.next_key}), limit=1):
        spent = Attempt("succeeded", 0.0, probe.next_key)
        yield spent
        probe = Behind(partition, target, (*probe.attempts, spent))


def _attempt(record: RunRecord) -> Attempt:
    run = record.dagster_run
    ended = record.end_time or record.update_timestamp.timestamp()
    if DIED_TAG in run.tags:
        outcome = "died"
    else:
        outcome = "succeeded" if run.status == DagsterRunStatus.SUCCESS else "failed"
    return Attempt(outcome, ended, run.tags.get(RUN_KEY_TAG))


def end_dead_runs(home: Home, instance: dg.DagsterInstance, now: float, *, all_started_here: bool = False) -> list[str]:
    """Report runs as failed that Dagster calls started while their process is gone; return their ids.

    A live run holds the lease `run:<id>`. `all_started_here` is for the start of `thermite up`, when no worker can be on
    its way: then runs that are only starting count too, at once.
    """
    with home.control.read() as connection:
        alive, leased = holders(connection), all_scopes(connection)
    ended = []
    for record in instance.get_run_records(RunsFilter(statuses=[DagsterRunStatus.STARTED, DagsterRunStatus.STARTING])):
        run = record.dagster_run
        started = run.status == DagsterRunStatus.STARTED
        since = (record.start_time if started else None) or record.update_timestamp.timestamp()
        grace = STARTED_GRACE_SECONDS if started else STARTING_GRACE_SECONDS
        scope = f"run:{run.run_id}"
        if scope in alive or (scope not in leased and not all_started_here and now - since < grace):
            continue
        instance.add_run_tags(run.run_id, {DIED_TAG: "true"})
        instance.report_run_failed(run, "its process is gone: the run is over, and its work will be asked for again")
        ended.append(run.run_id)
    return ended


def failing(instance: dg.DagsterInstance, job: str, partitions: Iterable[str], least: int = 5) -> list[dict[str, Any]]:
    """Partitions whose last `least` or more runs of a job all failed."""
    found = []
    for name in partitions:
        attempts = list(_attempts(instance, job, name, ""))
        count = next((place for place, item in enumerate(attempts) if item.outcome == "succeeded"), len(attempts))
        if count >= least:
            found.append({"job": job, "partition": name, "attempts": count})
    return found
