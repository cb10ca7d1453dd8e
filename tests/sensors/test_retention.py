"""The purge frees bytes and changes no partition count and no newest materialization."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from dagster import DagsterEventType, DagsterRunStatus

from tests.sensors.ticks import make_run
from tests.support.homes import Home
from tests.support.pipelines import Pipelines, open_pipelines, repository
from thermite_pipelines.assets.targets import PLACED_EVENTS
from thermite_pipelines.sensors import retention
from thermite_pipelines.sensors.retention import give_back_bytes, purge_reported, purge_runs

pytestmark = pytest.mark.full  # each test lets whole programs work

KEYS = [key for key in repository().asset_graph.get_all_asset_keys() if key != PLACED_EVENTS]


@pytest.fixture
def pipelines(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipelines]:
    """Two rigs and two campaigns, each refreshed some times, on SQLite."""
    home.campaign("speed-up", "reading")
    for rig, run, campaign in (("rig-a", "run-1", "speed-up"), ("rig-b", "run-2", "reading")):
        home.rig(rig).say_run(run, campaign=campaign)
        home.rig(rig).send()
    with open_pipelines(home, monkeypatch, home.settings.dagster_home) as opened:
        for rig in ("rig-a", "rig-b"):
            opened.done("take_reports", rig)
        for campaign in ("speed-up", "reading", "speed-up"):
            opened.done("refresh_campaign", campaign)
        yield opened


def state(instance: dg.DagsterInstance) -> dict[str, object]:
    """Partitions that count as materialized, with the run of each newest materialization."""
    found: dict[str, object] = {}
    for key in KEYS:
        for partition in sorted(instance.get_materialized_partitions(key)) or [None]:
            partitions = None if partition is None else [partition]
            wanted = dg.AssetRecordsFilter(asset_key=key, asset_partitions=partitions)
            records = instance.fetch_materializations(wanted, limit=1).records
            found[f"{key.to_user_string()}[{partition}]"] = [record.event_log_entry.run_id for record in records]
    return found


@pytest.mark.parametrize("many", [12, pytest.param(100, marks=pytest.mark.full)])
def test_old_runs_go_with_their_files(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    monkeypatch.setattr(retention, "_BATCH", 3)  # more runs to keep than are looked at at once
    instance = pipelines.instance
    before = state(instance)
    assert before["knowledge/campaign_folder[reading]"]
    for number in range(many):
        run = make_run(pipelines, "take_reports", f"rig-{number % 9}", DagsterRunStatus.SUCCESS)
        instance.report_engine_event("ran", run)
    going_on = make_run(pipelines, "take_reports", "rig-a", DagsterRunStatus.STARTED)
    root = Path(instance.root_directory)
    runs = {run.run_id for run in instance.get_runs()}
    result = pipelines.done("purge_old_runs")  # nothing is a month old
    assert {run.run_id for run in instance.get_runs()} == runs | {result.run_id}
    files = len(list((root / "history" / "runs").glob("*.db")))
    size = _bytes(root)

    # All of them ended before tomorrow. Kept: what goes on, and the runs of the newest materializations.
    kept = {run_id for runs in before.values() for run_id in runs} | {going_on.run_id}  # type: ignore[attr-defined]
    gone = purge_runs(instance, datetime.now(UTC) + timedelta(days=1))
    assert gone == many + 2  # the older refresh of speed-up and that purge too
    assert {run.run_id for run in instance.get_runs()} == kept
    assert state(instance) == before
    assert instance.get_materialized_partitions(dg.AssetKey(["knowledge", "campaign_folder"])) == {
        "speed-up",
        "reading",
    }
    assert _bytes(root) < size
    assert len(list((root / "history" / "runs").glob("*.db"))) <= files - many
    assert {path.name for path in (root / "storage").iterdir()} <= kept
    # Again there is nothing to do, and nothing younger is ever touched.
    assert purge_runs(instance, datetime.now(UTC) + timedelta(days=1)) == 0


def test_reported_targets_go_but_for_the_newest(pipelines: Pipelines) -> None:
    instance = pipelines.instance
    for number in range(20):
        for kind in (dg.AssetObservation, dg.AssetMaterialization):
            event = kind(PLACED_EVENTS, partition="reading", tags={"dagster/data_version": f"t{number}"})
            instance.report_runless_asset_event(event)
    tags = _versions(instance)
    assert tags["reading"] == {"dagster/data_version": "t19"}
    assert purge_reported(instance, datetime.now(UTC) - timedelta(days=1)) == 0
    gone = purge_reported(instance, datetime.now(UTC) + timedelta(days=1))
    assert gone >= 38
    assert _versions(instance) == tags
    assert instance.get_materialized_partitions(PLACED_EVENTS) == {"speed-up", "reading"}
    assert purge_reported(instance, datetime.now(UTC) + timedelta(days=1)) == 0


def test_sqlite_gives_its_bytes_back(pipelines: Pipelines) -> None:
    for number in range(200):
        event = dg.AssetObservation(PLACED_EVENTS, partition="reading", tags={"dagster/data_version": f"t{number}"})
        pipelines.instance.report_runless_asset_event(event)
    root = Path(pipelines.instance.root_directory)
    size = _bytes(root)
    purge_reported(pipelines.instance, datetime.now(UTC) + timedelta(days=1))
    assert give_back_bytes(pipelines.instance) > 0
    assert _bytes(root) < size
    assert state(pipelines.instance)["knowledge/campaign_folder[reading]"]


def _versions(instance: dg.DagsterInstance) -> dict[str, dict[str, str]]:
    kind = DagsterEventType.ASSET_MATERIALIZATION
    found = instance.event_log_storage.get_latest_tags_by_partition(PLACED_EVENTS, kind, ["dagster/data_version"])
    return {partition: dict(tags) for partition, tags in found.items()}


def _bytes(root: Path) -> int:
    return sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
