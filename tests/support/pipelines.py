"""A home with a Dagster instance of its own: jobs run in this process, and what they left is asked for by asset."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from sqlalchemy import Engine, event

from tests.support.homes import Home
from thermite_pipelines.assets.intake import add_partitions
from thermite_pipelines.assets.targets import report_targets
from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.control.rigs import rig_names
from thermite_pipelines.definitions import build_defs

QUIET: dict[str, Any] = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@cache
def repository() -> dg.RepositoryDefinition:
    """All definitions, built once a process."""
    return build_defs().get_repository_def()


@dataclass
class Pipelines:
    """A home and an instance. `run` runs a job in this process, with partitions made as sensors make them."""

    home: Home
    instance: dg.DagsterInstance

    def run(self, job: str, partition: str | None = None, **tags: str) -> dg.ExecuteInProcessResult:
        """Run a job to its end, whether it fails or not."""
        with self.home.control.read() as connection:
            add_partitions(self.instance, rig_names(connection), campaign_names(connection))
        report_targets(self.home.control, self.instance)
        return (
            repository()
            .get_job(job)
            .execute_in_process(
                instance=self.instance, partition_key=partition, tags=tags, raise_on_error=False, run_config=QUIET
            )
        )

    def materialize(self, key: str, partition: str) -> dg.ExecuteInProcessResult:
        """Materialize one asset (as `group/name`) of a job that holds them all, as the UI's button does."""
        result = (
            repository()
            .get_job("__ASSET_JOB")
            .execute_in_process(
                instance=self.instance,
                partition_key=partition,
                asset_selection=[dg.AssetKey(key.split("/"))],
                raise_on_error=False,
                run_config=QUIET,
            )
        )
        assert result.success, why_failed(result)
        return result

    def done(self, job: str, partition: str | None = None, **tags: str) -> dg.ExecuteInProcessResult:
        """Run a job that must succeed."""
        result = self.run(job, partition, **tags)
        assert result.success, why_failed(result)
        return result

    def newest(self, key: str, partition: str | None = None) -> dg.AssetMaterialization | None:
        """The newest materialization of an asset (as `group/name`), of one partition or of all."""
        partitions = None if partition is None else [partition]
        wanted = dg.AssetRecordsFilter(asset_key=dg.AssetKey(key.split("/")), asset_partitions=partitions)
        records = self.instance.fetch_materializations(wanted, limit=1).records
        return records[0].asset_materialization if records else None

    def metadata(self, key: str, partition: str | None = None) -> dict[str, Any]:
        """The metadata of the newest materialization, as plain values; tables as lists of dicts."""
        newest = self.newest(key, partition)
        assert newest is not None, f"{key} was never materialized"
        return {name: plain(value) for name, value in newest.metadata.items()}

    def data_version(self, key: str, partition: str | None = None) -> str:
        """The data version of the newest materialization."""
        newest = self.newest(key, partition)
        assert newest is not None and newest.tags is not None
        return newest.tags["dagster/data_version"]


def why_failed(result: dg.ExecuteInProcessResult) -> list[str]:
    """The failures of a run, for people."""
    failed = [event.step_failure_data for event in result.all_events if event.is_step_failure]
    whys = [
        data.user_failure_data.description if data.user_failure_data else data.error_display_string for data in failed
    ]
    return [str(why) for why in whys]


def plain(value: dg.MetadataValue[Any]) -> Any:
    """A metadata value as plain data."""
    return [dict(row.data) for row in value.records] if isinstance(value, dg.TableMetadataValue) else value.value


@contextmanager
def open_pipelines(
    home: Home, patch: pytest.MonkeyPatch, folder: Path | None = None, **settings: object
) -> Iterator[Pipelines]:
    """Point the settings at a home and open an instance: in memory, or on SQLite in `folder`."""
    wanted = {"home": home.settings.home, "settle_seconds": 0, "min_free_bytes": 1} | settings
    for name, value in wanted.items():
        patch.setenv(f"THERMITE_{name.upper()}", str(value))
    if folder is None:
        with dg.DagsterInstance.ephemeral() as instance:
            yield Pipelines(home, instance)
    else:
        folder.mkdir(parents=True, exist_ok=True)
        template = resources.files("thermite_pipelines") / "resources" / "dagster.yaml"
        (folder / "dagster.yaml").write_bytes(template.read_bytes())
        patch.setenv("DAGSTER_HOME", str(folder))
        with no_waits_for_the_disk(), dg.DagsterInstance.from_config(str(folder)) as instance:
            yield Pipelines(home, instance)


@contextmanager
def no_waits_for_the_disk() -> Iterator[None]:
    """Let Dagster's SQLite not wait until bytes lie on the disk: no test pulls the plug."""

    def relax(connection: Any, _: object) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous = OFF")

    event.listen(Engine, "connect", relax)
    try:
        yield
    finally:
        event.remove(Engine, "connect", relax)


def bytes_below(folder: Path) -> bytes:
    """All bytes of all files below a folder, one after the other."""
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def environment(home: Home, **more: str) -> dict[str, str]:
    """Variables for a process that works on a home."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("THERMITE_", "DAGSTER_"))}
    own = {
        "THERMITE_HOME": str(home.settings.home),
        "THERMITE_SETTLE_SECONDS": "0",
        "THERMITE_MIN_FREE_BYTES": "1",
        "DAGSTER_DISABLE_TELEMETRY": "1",
    }
    return kept | own | more
