"""Runs that ended badly: dead ones are ended, failed ones are written down for people and their alerting."""

import os
import time
import warnings
from pathlib import Path

import dagster as dg
import msgspec

from thermite_pipelines.sensors.common import opened_home
from thermite_pipelines.sensors.runs import PARTITION_TAG, end_dead_runs
from thermite_pipelines.settings import load_settings
from thermite_pipelines.times import format_rfc3339, now_micros

INTERVAL_SECONDS = 30
# Where a tick that was cut off looks whether it wrote a line already.
_TAIL_BYTES = 1 << 20


@dg.sensor(
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def dead_runs(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    """End runs that Dagster calls started though their process is gone; Dagster's own monitor can't see those."""
    home = opened_home()
    if isinstance(home, dg.SkipReason):
        return home
    ended = end_dead_runs(home, context.instance, time.time())
    return dg.SkipReason(f"{len(ended)} dead runs ended" if ended else "no dead runs")


def _write_down(context: dg.RunFailureSensorContext) -> None:
    """Add a line for each failed run to `<home>/failures.jsonl`: when, job, partition, run; never a text."""
    run = context.dagster_run
    partition = run.tags.get(PARTITION_TAG)
    path = load_settings().home / "failures.jsonl"
    if not _has_line(path, run.run_id):
        path.parent.mkdir(parents=True, exist_ok=True)
        at = format_rfc3339(now_micros())
        line = {"at": at, "job": run.job_name, "partition": partition, "dagster_run": run.run_id}
        # One short write in append mode is whole or not there, also beside another writer.
        with path.open("ab", buffering=0) as file:
            file.write(msgspec.json.encode(line) + b"\n")
    context.log.error(f"{run.job_name} of {partition} failed: run {run.run_id}")


def _has_line(path: Path, run_id: str) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            return f'"{run_id}"'.encode() in file.read()
    except FileNotFoundError:
        return False


with warnings.catch_warnings():
    # The decorator itself hands over a parameter that Dagster calls beta; nothing here uses it.
    warnings.simplefilter("ignore", dg.BetaWarning)
    failed_runs = dg.run_failure_sensor(
        name="failed_runs",
        description="Writes a line for each failed run to failures.jsonl of the home.",
        minimum_interval_seconds=INTERVAL_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        # Runs that a command executes in its own process belong to no code location.
        monitor_all_code_locations=True,
    )(_write_down)
