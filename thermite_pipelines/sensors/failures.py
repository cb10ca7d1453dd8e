"""Runs that ended badly: dead ones are ended, failed ones are written down for people and their alerting."""

import time
import warnings

import dagster as dg
import msgspec

from thermite_pipelines.sensors.common import opened_home
from thermite_pipelines.sensors.runs import PARTITION_TAG, end_dead_runs
from thermite_pipelines.settings import load_settings
from thermite_pipelines.times import format_rfc3339, now_micros

INTERVAL_SECONDS = 30


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
    line = {
        "at": format_rfc3339(now_micros()),
        "job": run.job_name,
        "partition": run.tags.get(PARTITION_TAG),
        "dagster_run": run.run_id,
    }
    settings = load_settings()
    settings.home.mkdir(parents=True, exist_ok=True)
    # One short write in append mode is whole or not there, also beside another writer.
    with (settings.home / "failures.jsonl").open("ab", buffering=0) as file:
        file.write(msgspec.json.encode(line) + b"\n")
    context.log.error(f"{run.job_name} of {line['partition']} failed: run {run.run_id}")


with warnings.catch_warnings():
    # The decorator itself hands over a parameter that Dagster calls beta; nothing here uses it.
    warnings.simplefilter("ignore", dg.BetaWarning)
    failed_runs = dg.run_failure_sensor(
        name="failed_runs",
        description="Writes a line for each failed run to failures.jsonl of the home.",
        minimum_interval_seconds=INTERVAL_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        monitor_all_code_locations=False,
    )(_write_down)
