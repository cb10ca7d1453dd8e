"""What Dagster's run storage says about partitions: runs in flight, ended attempts, and runs whose process is gone."""

import random
import time
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

import dagster as dg
from dagster import DagsterRunStatus, RunRecord, RunsFilter

from thermite_pipelines.control.leases import (
    dead_scopes,
    forget,
    holders,
    is_marked_process_gone,
    scopes_known,
)
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.sensors.due import Attempt, Behind

PARTITION_TAG = "dagster/partition"
RUN_KEY_TAG = "dagster/run_key"
DIED_TAG = "thermite/died"
# Runs that a command executes in its own process carry its mark: whether they live is known before they hold a lease.
PROCESS_TAG = "thermite/process"

IN_FLIGHT = [
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.MANAGED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
]
ENDED = [DagsterRunStatus.SUCCESS, DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED]
# How long a run may be without a lease: it takes one once its process has started and opened the home. A queued run has
# no process yet, so nothing is said of it.
GRACE_SECONDS = {
    DagsterRunStatus.NOT_STARTED: 300,
    DagsterRunStatus.STARTING: 180,
    DagsterRunStatus.STARTED: 60,
    DagsterRunStatus.CANCELING: 60,
}
# Jobs of groups that may wait for a model for hours: what they write, and under which lease, is apart from all else.
_JOBS_APART = {
    "extract_atoms": "atoms",
    "read_transcripts": "atoms",
    "review_campaign": "synthesis",
    "hypothesize_campaign": "synthesis",
}
# Looking at attempts stops here, whatever the number of partitions: a sensor that takes a minute is ended by Dagster.
BUDGET_SECONDS = 10.0
_LOOK_BACK = 12
_PROBED = 200


def in_flight(instance: dg.DagsterInstance, job: str) -> set[str]:
    """Partitions with a run that has not ended, whatever its job is called: the UI's button runs another one.

    A run that only takes atoms, or only reviews, may wait for a model for hours: it holds up no other job, and no other
    holds up it.
    """
    runs = instance.get_runs(RunsFilter(statuses=IN_FLIGHT))
    group = _JOBS_APART.get(job)
    return {run.tags[PARTITION_TAG] for run in runs if PARTITION_TAG in run.tags and _group_apart(run) == group}


def _group_apart(run: dg.DagsterRun) -> str | None:
    """The group that a run stays within, if it is one of those that are apart."""
    groups = {key.path[0] for key in run.asset_selection or ()}
    alone = next(iter(groups)) if len(groups) == 1 else None
    return _JOBS_APART.get(run.job_name) or (alone if alone in _JOBS_APART.values() else None)


def is_in_flight(instance: dg.DagsterInstance, job: str) -> bool:
    """Whether a job without partitions has a run that has not ended."""
    return bool(instance.get_runs(RunsFilter(job_name=job, statuses=IN_FLIGHT), limit=1))


def behind(
    instance: dg.DagsterInstance,
    job: str,
    targets: dict[str, str],
    busy: Collection[str] = (),
    *,
    partitioned: bool = True,
) -> list[Behind]:
    """Partitions that are behind their targets, with the ended runs of a job for each; `busy` ones are left out.

    With very many the time is bounded: then some of them, by chance, are looked at by the next tick.
    """
    names = [name for name in targets if name not in busy]
    random.shuffle(names)
    deadline = time.monotonic() + BUDGET_SECONDS
    found = []
    for name in names:
        attempts = _attempts(instance, job, name if partitioned else None)
        found.append(Behind(name, targets[name], tuple(attempts)))
        if time.monotonic() > deadline:
            break
    return _with_spent_keys(instance, found)


def _attempts(instance: dg.DagsterInstance, job: str, partition: str | None) -> list[Attempt]:
    """The newest ended runs of a job for a partition, the newest first."""
    tags = None if partition is None else {PARTITION_TAG: partition}
    records = instance.get_run_records(RunsFilter(job_name=job, tags=tags, statuses=ENDED), limit=_LOOK_BACK)
    return [_attempt(record) for record in records]


def _attempt(record: RunRecord) -> Attempt:
    run = record.dagster_run
    ended = record.end_time or record.update_timestamp.timestamp()
    outcome = "succeeded" if run.status == DagsterRunStatus.SUCCESS else "failed"
    return Attempt("died" if DIED_TAG in run.tags else outcome, ended, run.tags.get(RUN_KEY_TAG))


def _with_spent_keys(instance: dg.DagsterInstance, items: list[Behind]) -> list[Behind]:
    """Note keys that runs spent before those looked at: a target may come back, and keys must be new among all runs."""
    done: list[Behind] = []
    while items:
        now, items = items[:_PROBED], items[_PROBED:]
        keys = [item.next_key for item in now]
        runs = instance.get_runs(RunsFilter(tags={RUN_KEY_TAG: keys}))
        spent = {run.tags[RUN_KEY_TAG] for run in runs}
        done += [item for item in now if item.next_key not in spent]
        again = [item for item in now if item.next_key in spent]
        items += [replace(item, spent=item.spent | {item.next_key}) for item in again]
    return done


def end_dead_runs(home: Home, instance: dg.DagsterInstance, now: float, *, none_starting: bool = False) -> list[str]:
    """Report runs as failed that Dagster holds for going on while their process is gone; return their ids.

    A live run holds the lease `run:<id>`. `none_starting` is for the start of `thermite up`, when no daemon can have
    a worker on its way: then runs that hold no lease yet count at once, but for those of another command.
    """
    records = instance.get_run_records(RunsFilter(statuses=list(GRACE_SECONDS)))
    with home.control.read() as connection:
        alive = holders(connection)
        leased = scopes_known(connection, [_scope(record) for record in records])
        left_over = dead_scopes(connection, "run:")
    ended = []
    for record in records:
        if _scope(record) in alive or not _is_dead(record, now, _scope(record) in leased, none_starting):
            continue
        run = record.dagster_run
        instance.add_run_tags(run.run_id, {DIED_TAG: "true"})
        instance.report_run_failed(run, "its process is gone: the run is over, and its work will be asked for again")
        ended.append(run.run_id)
    going = {_scope(record) for record in records} - {f"run:{run_id}" for run_id in ended}
    gone = [scope for scope in left_over if scope not in going]
    if gone:
        with home.control.write() as connection:
            forget(connection, gone)
    return ended


def _scope(record: RunRecord) -> str:
    return f"run:{record.dagster_run.run_id}"


def _is_dead(record: RunRecord, now: float, leased: bool, none_starting: bool) -> bool:
    """Whether a run without a live lease is over."""
    run = record.dagster_run
    mark = run.tags.get(PROCESS_TAG)
    if leased or (mark is not None and is_marked_process_gone(mark)):
        return True
    if none_starting and mark is None:
        return True
    since = (
        record.start_time if run.status == DagsterRunStatus.STARTED else None
    ) or record.update_timestamp.timestamp()
    return now - since >= GRACE_SECONDS[run.status]


def failed_in_a_row(instance: dg.DagsterInstance, job: str, partitions: Iterable[str]) -> dict[str, int]:
    """How many of the newest runs of a job failed in a row, by partition; those that succeeded last are left out."""
    found = {}
    for name in partitions:
        attempts = _attempts(instance, job, name)
        count = next((place for place, item in enumerate(attempts) if item.outcome == "succeeded"), len(attempts))
        if count:
            found[name] = count
    return found


def failing(instance: dg.DagsterInstance, job: str, partitions: Iterable[str], least: int = 5) -> list[dict[str, Any]]:
    """Partitions whose last `least` or more runs of a job all failed."""
    counts = failed_in_a_row(instance, job, partitions)
    return [{"job": job, "partition": name, "attempts": count} for name, count in counts.items() if count >= least]
