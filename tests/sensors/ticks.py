"""Evaluating sensors as the daemon does, but for launching: what a tick asks for is made in the instance."""

from typing import Any

import dagster as dg
from dagster import DagsterRunStatus
from dagster._core.remote_origin import RegisteredCodeLocationOrigin, RemoteJobOrigin, RemoteRepositoryOrigin
from dagster._core.test_utils import create_run_for_test

from tests.support.pipelines import Pipelines
from thermite_pipelines.sensors.arrival import reports_arrived
from thermite_pipelines.sensors.atoms import atoms_behind
from thermite_pipelines.sensors.campaigns import campaigns_behind, indexes_behind, syncs_behind
from thermite_pipelines.sensors.exports import exports_due
from thermite_pipelines.sensors.synthesis import reviews_behind

SENSORS: dict[str, dg.SensorDefinition] = {
    "reports": reports_arrived,
    "campaigns": campaigns_behind,
    "syncs": syncs_behind,
    "indexes": indexes_behind,
    "atoms": atoms_behind,
    "reviews": reviews_behind,
    "exports": exports_due,
}


def tick(pipelines: Pipelines, sensor: str) -> dg.SensorResult | dg.SkipReason:
    """Evaluate a sensor once; nothing of what it asks for happens."""
    context = dg.build_sensor_context(instance=pipelines.instance)
    result: Any = SENSORS[sensor](context)
    assert isinstance(result, (dg.SensorResult, dg.SkipReason))
    return result


def asked(pipelines: Pipelines, sensor: str) -> list[tuple[str | None, str | None]]:
    """Job and partition of the runs that a tick asks for."""
    result = tick(pipelines, sensor)
    return [(run.job_name, run.partition_key) for run in _requests(result)]


def keys(pipelines: Pipelines, sensor: str) -> list[str]:
    """The run keys that a tick asks for."""
    return [str(run.run_key) for run in _requests(tick(pipelines, sensor))]


def new_partitions(pipelines: Pipelines, sensor: str) -> list[str]:
    """The partitions that a tick would add."""
    result = tick(pipelines, sensor)
    requests = result.dynamic_partitions_requests or [] if isinstance(result, dg.SensorResult) else []
    return [key for request in requests for key in request.partition_keys]


def why_nothing(pipelines: Pipelines, sensor: str) -> str:
    """Why a tick asks for nothing."""
    result = tick(pipelines, sensor)
    assert isinstance(result, dg.SkipReason), result
    return str(result.skip_message)


def _requests(result: dg.SensorResult | dg.SkipReason) -> list[dg.RunRequest]:
    return list(result.run_requests or []) if isinstance(result, dg.SensorResult) else []


def make_run(
    pipelines: Pipelines,
    job: str,
    partition: str | None,
    status: DagsterRunStatus,
    key: str | None = None,
    **tags: str,
) -> dg.DagsterRun:
    """A run in the instance's storage that never ran."""
    if partition is not None:
        tags["dagster/partition"] = partition
    if key is not None:
        tags["dagster/run_key"] = key
    # A queued run must say where it comes from.
    location = RegisteredCodeLocationOrigin("thermite_pipelines")
    origin = RemoteJobOrigin(RemoteRepositoryOrigin(location, "__repository__"), job)
    return create_run_for_test(
        pipelines.instance,
        job_name=job,
        status=status,
        tags=tags,
        remote_job_origin=origin if status == DagsterRunStatus.QUEUED else None,
    )
