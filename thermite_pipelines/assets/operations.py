"""What Dagster itself knows: the newest refresh of a campaign, failures in a row, findings of checks, what is shown."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import dagster as dg
from dagster import DagsterRunStatus, RunsFilter
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus

_NEWEST_RUNS = 1000
_PARTITION_TAG = "dagster/partition"
_EVALUATED = {AssetCheckExecutionRecordStatus.SUCCEEDED, AssetCheckExecutionRecordStatus.FAILED}


@dataclass
class Refreshes:
    """The newest refresh of a campaign that began, and how many ended ones failed in a row, the newest among them."""

    last_run: str = "none"
    failed: int = 0
    succeeded: bool = False


def refreshes(instance: dg.DagsterInstance, job: str) -> dict[str, Refreshes]:
    """The newest runs of a job, by campaign."""
    found: dict[str, Refreshes] = {}
    for run in instance.get_runs(RunsFilter(job_name=job), limit=_NEWEST_RUNS):
        seen = found.setdefault(run.tags.get(_PARTITION_TAG, ""), Refreshes(run.run_id))
        seen.succeeded |= run.status == DagsterRunStatus.SUCCESS
        if run.status in (DagsterRunStatus.FAILURE, DagsterRunStatus.CANCELED) and not seen.succeeded:
            seen.failed += 1
    return found


def open_findings(instance: dg.DagsterInstance, checks: Iterable[dg.AssetCheckKey]) -> Counter[str]:
    """Findings by campaign in the samples of each check's newest result."""
    found: Counter[str] = Counter()
    for record in instance.event_log_storage.get_latest_asset_check_execution_by_key(list(checks)).values():
        event = record.event.dagster_event if record.event is not None else None
        data = event.event_specific_data if event is not None else None
        sample = getattr(data, "metadata", {}).get("sample")
        if isinstance(sample, dg.TableMetadataValue):
            found.update(str(row.data["campaign"]) for row in sample.records if "campaign" in row.data)
    return found


def newest_metadata(instance: dg.DagsterInstance, key: dg.AssetKey) -> Mapping[str, dg.MetadataValue[Any]] | None:
    """The metadata of an asset's newest materialization; None where there is none."""
    entry = instance.get_latest_materialization_event(key)
    made = entry.asset_materialization if entry is not None else None
    return made.metadata if made is not None else None


def newest_check_metadata(
    instance: dg.DagsterInstance, key: dg.AssetCheckKey
) -> Mapping[str, dg.MetadataValue[Any]] | None:
    """The metadata of a check's newest result; None where it has none yet."""
    storage = instance.event_log_storage
    for record in storage.get_asset_check_execution_history(key, limit=1, status=_EVALUATED):
        event = record.event.dagster_event if record.event is not None else None
        return getattr(event.event_specific_data, "metadata", {}) if event is not None else {}
    return None
