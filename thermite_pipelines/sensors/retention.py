"""Purging old runs: Dagster keeps runs and their event logs for ever, and frees no bytes when it deletes them.

The run of each partition's newest materialization stays, since partition counts come from its events.
"""

import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
from dagster import DagsterEventType, RunsFilter

from thermite_pipelines.control.leases import forget_dead
from thermite_pipelines.resources.home import HomeResource, explained
from thermite_pipelines.sensors.runs import ENDED
from thermite_pipelines.times import now_micros

KEEP_DAYS = 30
_BATCH = 500
_DAY = 86_400 * 1_000_000


def purge_runs(instance: dg.DagsterInstance, before: datetime) -> int:
    """Delete ended runs from before a time with their files; return how many. Newest materializations stay."""
    keep = set(_newest_runs(instance))
    gone = 0
    cursor: str | None = None
    while True:
        records = instance.get_run_records(
            RunsFilter(statuses=ENDED, created_before=before), limit=_BATCH, cursor=cursor
        )
        for record in records:
            run_id = record.dagster_run.run_id
            cursor = run_id
            if run_id not in keep:
                instance.delete_run(run_id)
                _remove_files(instance, run_id)
                gone += 1
        if len(records) < _BATCH:
            return gone
        if gone:
            cursor = None  # the run that the cursor names may be gone


def _newest_runs(instance: dg.DagsterInstance) -> Iterator[str]:
    """Runs that hold the newest materialization of an asset's partition, or the newest result of a check."""
    for key in instance.all_asset_keys():
        partitions: list[str | None] = list(instance.get_materialized_partitions(key)) or [None]
        for partition in partitions:
            wanted = dg.AssetRecordsFilter(asset_key=key, asset_partitions=None if partition is None else [partition])
            for record in instance.fetch_materializations(wanted, limit=1).records:
                yield record.event_log_entry.run_id
    records = instance.get_event_records(
        dg.EventRecordsFilter(event_type=DagsterEventType.ASSET_CHECK_EVALUATION), limit=_BATCH
    )
    yield from (record.event_log_entry.run_id for record in records)


def _remove_files(instance: dg.DagsterInstance, run_id: str) -> None:
    root = Path(instance.root_directory)
    for suffix in (".db", ".db-wal", ".db-shm"):
        (root / "history" / "runs" / f"{run_id}{suffix}").unlink(missing_ok=True)
    shutil.rmtree(root / "storage" / run_id, ignore_errors=True)


@dg.op
def purge(context: dg.OpExecutionContext, home: HomeResource) -> None:
    """Delete runs that ended more than 30 days ago, and leases that nobody renews any more."""
    with explained(home.opened, context.run.run_id):
        gone = purge_runs(context.instance, datetime.fromtimestamp(time.time(), UTC) - timedelta(days=KEEP_DAYS))
        with home.opened.control.write() as connection:
            forget_dead(connection, now_micros() - _DAY)
        context.log.info(f"{gone} runs deleted")


@dg.job(name="purge_old_runs", executor_def=dg.in_process_executor)
def purge_old_runs() -> None:
    """Free the bytes of runs that ended more than 30 days ago."""
    purge()
