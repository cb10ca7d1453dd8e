"""What all sensors share: opening the home, and asking for runs of partitions that are due."""

import time
from collections.abc import Collection

import dagster as dg

from thermite_pipelines.assets.partitions import campaigns, new_keys, rigs
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home, open_home
from thermite_pipelines.sensors.due import Ask, due
from thermite_pipelines.sensors.runs import behind, in_flight


def opened_home() -> Home | dg.SkipReason:
    """The home, or why a sensor can do nothing: it says so on each tick and never fails for it."""
    try:
        return open_home()
    except ThermiteError as error:
        return dg.SkipReason(str(error))


def asks_for(
    instance: dg.DagsterInstance, job: str, targets: dict[str, str], busy: Collection[str] = (), *, pause: float = 0.0
) -> list[Ask]:
    """The runs of a job that are due now for partitions behind their targets. `busy` partitions are left alone."""
    if not targets:
        return []
    items = behind(instance, job, targets)
    return due(items, in_flight(instance) | set(busy), time.time(), pause=pause)


def result(
    instance: dg.DagsterInstance,
    partitions: dg.DynamicPartitionsDefinition,
    asks: list[Ask],
    job: str,
    *,
    more: list[dg.RunRequest] | None = None,
    events: list[dg.AssetObservation | dg.AssetMaterialization] | None = None,
    names: Collection[str] = (),
) -> dg.SensorResult | dg.SkipReason:
    """Run requests for what is due, with the partitions that are missing for them."""
    fresh = new_keys(instance, partitions, sorted({*names, *(ask.partition for ask in asks)}))
    requests = [dg.RunRequest(run_key=ask.run_key, partition_key=ask.partition, job_name=job) for ask in asks]
    requests += more or []
    if not fresh and not requests and not events:
        return dg.SkipReason("nothing is behind")
    return dg.SensorResult(
        run_requests=requests,
        dynamic_partitions_requests=[partitions.build_add_request(fresh)] if fresh else [],
        asset_events=events or [],  # type: ignore[arg-type]
    )


__all__ = ["asks_for", "campaigns", "opened_home", "result", "rigs"]
