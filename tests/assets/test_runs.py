"""Jobs run for real, in this process, against a home: what they write, what they say, and when they hold back."""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest

from tests.support.pipelines import Pipelines, bytes_below, repository, why_failed
from thermite_pipelines.assets.targets import report_targets
from thermite_pipelines.control.leases import acquire, holders, release
from thermite_pipelines.knowledge import briefs, sync
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.learnings import folding
from thermite_pipelines.resources import home as home_resource
from thermite_pipelines.sensors.retention import purge_reported

FACTS = "synthesis/base_facts"
INDEX = "knowledge/knowledge_index"
FOLDER = {"knowledge/campaign_folder", "knowledge/folder_catalog", "sync/knowledge_sync", FACTS, INDEX}
HELP = {"help/help_requests", "help/learnings"}
SYNC_NOTE = "read the source first"


def test_from_the_inbox_to_the_sync(pipelines: Pipelines) -> None:
    """One report goes through all groups; what is shown of it is counts, ids, kinds and times."""
    pipelines.done("take_reports", "rig-a")
    raw = pipelines.metadata("intake/raw_reports", "rig-a")
    assert raw["outcomes"] == [{"outcome": "accepted", "reports": 1}]
    assert (raw["dagster/row_count"], raw["arrived_now"], raw["accepted_now"]) == (1, 1, 1)
    assert raw["picture"].startswith("![reports by outcome](data:image/svg+xml;base64,")
    rows = {name: pipelines.metadata(f"intake/{name}_events", "rig-a") for name in ("verified", "rejected", "unknown")}
    assert {name: one["dagster/row_count"] for name, one in rows.items()} == {
        "verified": 4,
        "rejected": 1,
        "unknown": 1,
    }

    for campaign in ("speed-up", "reading"):
        pipelines.done("refresh_campaign", campaign)
    folder = pipelines.metadata("knowledge/campaign_folder", "reading")
    assert folder["items"] == [{"kind": "run", "items": 1}, {"kind": "note", "items": 1}]
    assert folder["runs"] == [{"rig": "rig-a", "run": "run-2", "state": "created", "events": 2}]
    assert (folder["dagster/row_count"], folder["events_folded_now"], folder["items_changed_now"]) == (2, 2, 2)
    catalog = {row["campaign"]: row for row in pipelines.metadata("knowledge/folder_catalog")["campaigns"]}
    assert set(catalog) == {"speed-up", "reading", "empty"}
    assert (catalog["speed-up"]["behind"], catalog["speed-up"]["items"], catalog["speed-up"]["attempts"]) == (0, 2, 0)
    synced = pipelines.metadata("sync/knowledge_sync", "reading")
    assert [row["run"] for row in synced["runs"]] == ["run-2", "run-3"]
    knowledge = pipelines.home.settings.sync / "rig-a" / "run-3" / "knowledge"
    assert SYNC_NOTE in "".join(path.read_text() for path in knowledge.rglob("*.md"))
    briefed = pipelines.metadata("sync/run_briefs", "reading")
    assert [(row["run"], row["unchanged"]) for row in briefed["runs"]] == [("run-2", 0), ("run-3", 0)]
    assert briefed["dagster/row_count"] == briefed["written_now"] >= 2
    indexed = pipelines.metadata(INDEX, "reading")
    assert indexed["texts"] == [{"kind": "note", "texts": 1}, {"kind": "run", "texts": 1}]
    assert (indexed["texts_indexed_now"], indexed["texts_embedded_now"], indexed["without_vector"]) == (2, 2, 0)

    pipelines.done("export_rig", "rig-a")
    assert pipelines.metadata("exports/journal_jsonl", "rig-a")["dagster/row_count"] == 2
    assert pipelines.metadata("exports/knowledge_jsonl", "rig-a")["number"] == "000001"
    assert pipelines.newest("exports/results_repository", "rig-a") is None  # no repository is set
    pipelines.done("write_tables")
    assert pipelines.metadata("knowledge/tables")["dagster/row_count"] == 4
    assert pipelines.metadata("knowledge/placed_events", "reading")["dagster/row_count"] == 2
    made = {key.to_user_string() for key in pipelines.instance.all_asset_keys()} - {"exports/results_repository"}
    assert len(made) == 19
    for key in sorted(made):
        shown = pipelines.metadata(key)
        assert isinstance(shown["dagster/row_count"], int), key
        assert "picture" in shown or any(isinstance(value, list) for value in shown.values()), key


def test_each_export_is_a_commit_where_a_repository_is_set(
    pipelines: Pipelines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repository that is not fit fails its own asset, in one line; the export stays, for the next commit."""
    results = tmp_path / "results"
    subprocess.run(["git", "init", "-q", str(results)], check=True)
    monkeypatch.setenv("THERMITE_RESULTS_REPO", str(results))
    pipelines.done("take_reports", "rig-a")
    (results / "unsaved").write_text("work of a person")
    failed = pipelines.run("export_rig", "rig-a")
    [why] = why_failed(failed)
    assert not failed.success and str(results) in why and "\n" not in why
    assert pipelines.metadata("exports/knowledge_jsonl", "rig-a")["number"] == "000001"

    (results / "unsaved").unlink()
    pipelines.home.rig().say_note("later", run="run-1")
    pipelines.home.rig().send()
    pipelines.done("take_reports", "rig-a")
    pipelines.done("export_rig", "rig-a")
    commits = pipelines.metadata("exports/results_repository", "rig-a")["commits"]
    assert [row["number"] for row in commits] == ["000001", "000002"]


def test_a_run_that_finds_nothing_new_changes_no_data_version(pipelines: Pipelines) -> None:
    keys = [("intake/verified_events", "rig-a"), ("knowledge/campaign_folder", "reading")]
    keys += [("sync/knowledge_sync", "reading"), ("sync/run_briefs", "reading"), (INDEX, "reading")]
    seen = []
    for _ in range(2):
        pipelines.done("take_reports", "rig-a")
        pipelines.done("refresh_campaign", "reading")
        seen.append([pipelines.data_version(*key) for key in keys])
    assert seen[0] == seen[1]
    pipelines.home.rig().say_note("one more", run="run-2", campaign="reading")
    pipelines.home.rig().send()
    pipelines.done("take_reports", "rig-a")
    pipelines.done("refresh_campaign", "reading")
    assert not set(seen[0]) & {pipelines.data_version(*key) for key in keys}


def test_a_backfill_rebuilds(pipelines: Pipelines) -> None:
    """The tag of the UI's backfills makes a run rebuild its partition whole, to the same bytes."""
    pipelines.done("take_reports", "rig-a")
    pipelines.done("refresh_campaign", "reading")
    lake = pipelines.home.files("")
    knowledge = pipelines.home.settings.sync / "rig-a" / "run-3" / "knowledge"
    synced = bytes_below(knowledge)
    some = next(knowledge.rglob("*.md"))
    some.chmod(0o644)
    some.write_text("somebody else's words")

    pipelines.done("refresh_campaign", "reading")
    assert pipelines.metadata("knowledge/campaign_folder", "reading")["events_folded_now"] == 0
    pipelines.done("take_reports", "rig-a", **{"dagster/backfill": "abc"})
    pipelines.done("refresh_campaign", "reading", **{"dagster/backfill": "abc"})
    assert pipelines.metadata("knowledge/campaign_folder", "reading")["events_folded_now"] == 2
    assert pipelines.metadata(INDEX, "reading")["made_anew"] and pipelines.metadata(INDEX, "reading")["segments"] == 1
    assert pipelines.home.files("") == lake
    assert bytes_below(knowledge) == synced


@pytest.mark.parametrize(
    ("job", "partition", "scope", "all_the_same"),
    [
        ("take_reports", "rig-a", "rig:rig-a", set()),
        ("refresh_campaign", "reading", "campaign:reading", {"help/help_requests", "help/learnings"}),
        ("refresh_campaign", "reading", "help", FOLDER),
        ("refresh_campaign", "reading", "synthesis:reading", (FOLDER - {FACTS}) | HELP | {"sync/run_briefs"}),
        ("refresh_campaign", "reading", "index:reading", (FOLDER - {INDEX}) | HELP | {"sync/run_briefs"}),
        ("index_campaign", "reading", "index:reading", set()),
        ("sync_campaign", "reading", "sync:rig-a/run-3", set()),
        ("sync_campaign", "reading", "briefs:rig-a/run-3", {"sync/knowledge_sync"}),
        ("export_rig", "rig-a", "rig:rig-a", set()),
        ("take_unknown_reports", None, "rig:_unknown", set()),
    ],
)
def test_a_run_gives_way_to_whoever_holds_the_lease(
    pipelines: Pipelines,
    monkeypatch: pytest.MonkeyPatch,
    job: str,
    partition: str | None,
    scope: str,
    all_the_same: set[str],
) -> None:
    """It makes nothing of what the other works on or what comes after that, and fails nothing."""
    monkeypatch.setattr(home_resource, "WAIT_SECONDS", 0.0)
    for module in (sync, briefs):
        monkeypatch.setattr(module, "_LEASE_WAIT_SECONDS", 0.0)
    monkeypatch.setattr(folding, "LEASE_WAIT_SECONDS", 0.0)
    control = pipelines.home.control
    acquire(control, scope, "another")
    result = pipelines.done(job, partition)
    made = [event.asset_key for event in result.all_events if event.event_type_value == "ASSET_MATERIALIZATION"]
    assert {key.to_user_string() for key in made if key is not None} == all_the_same
    with control.read() as connection:
        held = holders(connection)
    assert held[scope].owner == "another"
    release(control, scope, "another")
    pipelines.done(job, partition)


def test_nothing_is_held_after_a_run_but_the_sign_that_it_lived(pipelines: Pipelines) -> None:
    results = [pipelines.done("take_reports", "rig-a"), pipelines.done("refresh_campaign", "reading")]
    with pipelines.home.control.read() as connection:
        assert set(holders(connection)) == {f"run:{result.run_id}" for result in results}


def test_unsynced_means_behind(pipelines: Pipelines) -> None:
    """Staleness in the UI is what the sensors mean by behind, for one campaign and not for others."""
    folder = dg.AssetKey(["knowledge", "campaign_folder"])

    def status(campaign: str) -> str:
        context = LoadingContextForTest(pipelines.instance)
        return (
            CachingStaleStatusResolver(pipelines.instance, repository().asset_graph, context)
            .get_status(folder, campaign)
            .value
        )

    pipelines.done("take_reports", "rig-a")
    for campaign in ("speed-up", "reading"):
        pipelines.done("refresh_campaign", campaign)
    assert [status(name) for name in ("speed-up", "reading", "empty")] == ["FRESH", "FRESH", "MISSING"]
    pipelines.home.rig().say_note("news", run="run-2", campaign="reading")
    pipelines.home.rig().send()
    pipelines.done("take_reports", "rig-a")
    assert [status(name) for name in ("speed-up", "reading")] == ["FRESH", "STALE"]
    purge_reported(pipelines.instance, datetime.now(UTC) + timedelta(days=1))  # keeps what this rests on
    assert [status(name) for name in ("speed-up", "reading")] == ["FRESH", "STALE"]
    pipelines.done("refresh_campaign", "reading")
    assert [status(name) for name in ("speed-up", "reading")] == ["FRESH", "FRESH"]


def test_targets_are_reported_once_and_to_a_dagster_home_made_anew_again(pipelines: Pipelines) -> None:
    control = pipelines.home.control
    pipelines.done("take_reports", "rig-a")
    assert report_targets(control, pipelines.instance) == {}
    with dg.DagsterInstance.ephemeral() as other:
        assert set(report_targets(control, other)) == {"speed-up", "reading", "empty"}
        assert set(other.get_dynamic_partitions("campaigns")) == {"speed-up", "reading", "empty"}
        assert report_targets(control, other) == {}
    # A kill between reporting and remembering: reported again, with the same version.
    with dg.DagsterInstance.ephemeral() as third:
        assert len(report_targets(control, third, most=1)) == 3
        assert len(report_targets(control, third, most=1)) == 2


def test_an_unexpected_error_says_its_class_and_place_alone(
    pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> Any:
        raise ValueError("MARKER of an agent")

    pipelines.done("take_reports", "rig-a")
    monkeypatch.setattr(FolderWriter, "refresh", fail)
    result = pipelines.run("refresh_campaign", "reading")
    assert not result.success
    lines = [str(event) for event in result.all_events]
    assert any("unexpected ValueError at fail (test_runs.py" in line for line in lines)
    assert not any("MARKER" in line for line in lines)
    written = pipelines.home.settings.home / "errors" / f"{result.run_id}.txt"
    assert "MARKER of an agent" in written.read_text()
    assert written.stat().st_mode & 0o777 == 0o600


def test_a_home_that_cannot_be_opened_is_one_line(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_HOME", str(Path(pipelines.home.settings.home) / "nowhere"))
    result = (
        repository().get_job("purge_old_runs").execute_in_process(instance=pipelines.instance, raise_on_error=False)
    )
    assert not result.success
    assert any("run `thermite init`" in str(event) for event in result.all_events)
