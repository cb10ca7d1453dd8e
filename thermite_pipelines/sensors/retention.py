"""Purging old runs: Dagster keeps runs and their event logs for ever, and frees no bytes when it deletes them.

The run of each partition's newest materialization stays, since partition counts come from its events. So does the
newest report of each partition of the assets that no run makes. Old help requests go by a job of their own.
"""

import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
from dagster import DagsterEventType, RunsFilter
from sqlalchemy import select

from thermite_pipelines.assets.targets import PLACED_EVENTS
from thermite_pipelines.control.leases import LeaseTaken, forget_dead
from thermite_pipelines.resources.home import HomeResource, explained
from thermite_pipelines.sensors.runs import ENDED
from thermite_pipelines.times import now_micros

KEEP_DAYS = 30
# Only the newest report of a target is ever asked for, and each tick looks through all of them.
KEEP_REPORTED_DAYS = 1
_BATCH = 500
_DAY = 86_400 * 1_000_000
_FREE_SHARE = 0.25
_PAGES = ("page_count", "freelist_count")
_REPORTED = [DagsterEventType.ASSET_MATERIALIZATION, DagsterEventType.ASSET_OBSERVATION]
# Events that no run made have this run id; SQLite keeps them in a file of that name.
_NO_RUN = ""


def purge_runs(instance: dg.DagsterInstance, before: datetime) -> int:
    """Delete ended runs from before a time with their files; return how many. Newest materializations stay."""
    keep = set(_newest_runs(instance))
    old = [run_id for run_id in _ended_runs(instance, before) if run_id not in keep]
    for run_id in old:
        instance.delete_run(run_id)
        _remove_files(instance, run_id)
    return len(old)


def _ended_runs(instance: dg.DagsterInstance, before: datetime) -> Iterator[str]:
    cursor: str | None = None
    while True:
        wanted = RunsFilter(statuses=ENDED, created_before=before)
        records = instance.get_run_records(wanted, limit=_BATCH, cursor=cursor)
        for record in records:
            cursor = record.dagster_run.run_id
            yield cursor
        if len(records) < _BATCH:
            return


def _newest_runs(instance: dg.DagsterInstance) -> Iterator[str]:
    """Runs that hold the newest materialization of an asset's partition, or the newest result of a check."""
    storage = instance.event_log_storage
    for key in instance.all_asset_keys():
        newest = list(storage.get_latest_storage_id_by_partition(key, DagsterEventType.ASSET_MATERIALIZATION).values())
        for start in range(0, len(newest), _BATCH):
            wanted = dg.EventRecordsFilter(
                event_type=DagsterEventType.ASSET_MATERIALIZATION,
                asset_key=key,
                storage_ids=newest[start : start + _BATCH],
            )
            yield from (record.event_log_entry.run_id for record in storage.get_event_records(wanted))
        record = instance.get_latest_materialization_event(key)
        if record is not None:
            yield record.run_id
    evaluations = instance.get_event_records(
        dg.EventRecordsFilter(event_type=DagsterEventType.ASSET_CHECK_EVALUATION), limit=_BATCH
    )
    yield from (record.event_log_entry.run_id for record in evaluations)


def _remove_files(instance: dg.DagsterInstance, run_id: str) -> None:
    root = Path(instance.root_directory)
    for suffix in (".db", ".db-wal", ".db-shm"):
        (root / "history" / "runs" / f"{run_id}{suffix}").unlink(missing_ok=True)
    shutil.rmtree(root / "storage" / run_id, ignore_errors=True)


def purge_reported(instance: dg.DagsterInstance, before: datetime) -> int:
    """Delete events of `placed_events` from before a time, but the newest of each partition; return how many.

    No run made them, so they go with none, and Dagster has no call for it: this is SQL on its tables.
    """
    # Loaded here, since Alembic comes with them.
    from dagster._core.storage.event_log.schema import AssetEventTagsTable, SqlEventLogStorageTable
    from dagster._core.storage.event_log.sql_event_log import SqlEventLogStorage

    storage = instance.event_log_storage
    if not isinstance(storage, SqlEventLogStorage):
        return 0
    keep = {
        number
        for kind in _REPORTED
        for number in storage.get_latest_storage_id_by_partition(PLACED_EVENTS, kind).values()
    }
    events, tags = SqlEventLogStorageTable, AssetEventTagsTable
    old = (
        (events.c.run_id == _NO_RUN)
        & (events.c.dagster_event_type.in_([kind.value for kind in _REPORTED]))
        & (events.c.timestamp < before.astimezone(UTC).replace(tzinfo=None))
    )
    of_ours = old & (events.c.asset_key == PLACED_EVENTS.to_string())
    with storage.index_connection() as connection:
        ids = [row[0] for row in connection.execute(select(events.c.id).where(of_ours)) if row[0] not in keep]
        for start in range(0, len(ids), _BATCH):
            some = ids[start : start + _BATCH]
            connection.execute(tags.delete().where(tags.c.event_id.in_(some)))
            connection.execute(events.delete().where(events.c.id.in_(some)))
    if (Path(instance.root_directory) / "history" / "runs" / f"{_NO_RUN}.db").exists():
        # SQLite's copy for the log of a run: there is no such run, so nobody reads it.
        with storage.run_connection(_NO_RUN) as connection:
            connection.execute(events.delete().where(old))
    return len(ids)


def give_back_bytes(instance: dg.DagsterInstance) -> int:
    """Shrink SQLite files of which a quarter is free; return the bytes. One that is in use waits for the next time."""
    freed = 0
    history = Path(instance.root_directory) / "history"
    files = [history / "runs.db", history / "runs" / "index.db", history / "runs" / f"{_NO_RUN}.db"]
    for path in files:
        if not path.exists():
            continue
        size = path.stat().st_size
        try:
            with closing(sqlite3.connect(path, timeout=10.0, isolation_level=None)) as connection:
                pages, free = (
                    connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count")
                )
                if free > pages * _FREE_SHARE:
                    connection.execute("VACUUM")
                    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.OperationalError:
            continue
        freed += max(0, size - path.stat().st_size)
    return freed


def _purge_error_files(folder: Path, before: float) -> None:
    """Remove what was written about unexpected errors of runs that are long gone."""
    for path in folder.glob("*.txt"):
        if path.is_file() and path.stat().st_mtime < before:
            path.unlink(missing_ok=True)


@dg.op
def purge(context: dg.OpExecutionContext, home: HomeResource) -> None:
    """Delete ended runs and error files of 30 days ago, reported targets and leases of a day ago; then shrink files."""
    opened = home.opened
    with explained(opened, context.run.run_id):
        now = datetime.fromtimestamp(time.time(), UTC)
        before = now - timedelta(days=KEEP_DAYS)
        runs = purge_runs(context.instance, before)
        events = purge_reported(context.instance, now - timedelta(days=KEEP_REPORTED_DAYS))
        with opened.control.write() as connection:
            forget_dead(connection, now_micros() - _DAY)
        _purge_error_files(opened.settings.home / "errors", before.timestamp())
        freed = give_back_bytes(context.instance)
        context.log.info(f"{runs} runs and {events} reported targets deleted; {freed} bytes given back by SQLite")


@dg.job(name="purge_old_runs", executor_def=dg.in_process_executor)
def purge_old_runs() -> None:
    """Free the bytes of runs that ended more than 30 days ago."""
    purge()


@dg.op
def prune_help_requests(context: dg.OpExecutionContext, home: HomeResource) -> None:
    """Write the help folder anew for today: without the requests whose time is over."""
    from thermite_pipelines.learnings.folding import refresh_channels

    opened = home.opened
    with explained(opened, context.run.run_id):
        try:
            numbers = refresh_channels(opened)
        except LeaseTaken as taken:
            context.log.info(f"gives way: {taken}")  # whoever holds it writes for today too
            return
        context.log.info(f"{numbers.asked} help requests kept, {numbers.open} of them open")


@dg.job(name="prune_requests", executor_def=dg.in_process_executor)
def prune_requests() -> None:
    """Remove help requests of more than 90 days ago."""
    prune_help_requests()
