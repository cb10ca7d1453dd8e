"""What all sensors share: opening the home, and asking for runs of partitions that are due."""

import time
from collections.abc import Collection

import dagster as dg

from thermite_pipelines.assets.partitions import new_keys
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home, open_home
from thermite_pipelines.sensors.due import Ask, due
from thermite_pipelines.sensors.runs import behind, in_flight, is_in_flight

# New partitions a tick: the daemon looks each one up. The rest comes with the next ticks.
MAX_NEW_KEYS = 200


def opened_home() -> Home | dg.SkipReason:
    """The home, or why a sensor can do nothing: it says so on each tick and never fails for it."""
    try:
        return open_home()
    except ThermiteError as error:
        return dg.SkipReason(str(error))


def asks_for(
    instance: dg.DagsterInstance,
    job: str,
    targets: dict[str, str],
    busy: Collection[str] = (),
    *,
    pause: float = 0.0,
    pause_from: float = 0.0,
) -> list[Ask]:
    """The runs of a job that are due now for partitions behind their targets. `busy` partitions are left alone."""
    if not targets:
        return []
    busy = in_flight(instance, job) | set(busy)
    return due(behind(instance, job, targets, busy), busy, time.time(), pause=pause, pause_from=pause_from)


def ask_for_job(instance: dg.DagsterInstance, job: str, name: str, target: str | None) -> list[dg.RunRequest]:
    """The run of a job without partitions that is due now; `name` stands for the partition in its run key."""
    if target is None or is_in_flight(instance, job):
        return []
    items = behind(instance, job, {name: target}, partitioned=False)
    return [dg.RunRequest(run_key=ask.run_key, job_name=job) for ask in due(items, (), time.time())]


def result(
    instance: dg.DagsterInstance,
    partitions: dg.DynamicPartitionsDefinition,
    asks: list[Ask],
    job: str,
    *,
    more: list[dg.RunRequest] | None = None,
    names: Collection[str] = (),
) -> dg.SensorResult | dg.SkipReason:
    """Run requests for what is due, with the partitions that are missing: for them first, then for other `names`."""
    wanted = dict.fromkeys([*(ask.partition for ask in asks), *sorted(names)])
    fresh = new_keys(instance, partitions, wanted)[:MAX_NEW_KEYS]
    requests = [dg.RunRequest(run_key=ask.run_key, partition_key=ask.partition, job_name=job) for ask in asks]
    requests += more or []
    if not fresh and not requests:
        return dg.SkipReason("nothing is behind")
    return dg.SensorResult(
        run_requests=requests,
        dynamic_partitions_requests=[partitions.build_add_request(fresh)] if fresh else [],
    )
