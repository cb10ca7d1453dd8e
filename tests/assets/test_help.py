"""Group help and the briefs: what they show, what a backfill does, and that one failing step takes no other with it."""

from collections.abc import Iterator
from typing import Any

import dagster as dg
import pytest
from dagster._core.definitions.data_version import CachingStaleStatusResolver
from dagster._core.loader import LoadingContextForTest
from sqlalchemy import update

from tests.cli.channels import ask, now, propose
from tests.knowledge.exporting import ExportHome
from tests.support.homes import Home
from tests.support.pipelines import Pipelines, open_pipelines, repository, why_failed
from thermite_pipelines.control.channel_models import AgentFold
from thermite_pipelines.control.leases import acquire
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge import help_reading
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.learnings import actions, folding, publishing
from thermite_pipelines.times import format_rfc3339, now_micros

pytestmark = pytest.mark.full  # each test lets whole programs work

CHANNELS = {"help/help_requests", "help/learnings"}
NO_CHANNELS = {
    "knowledge/campaign_folder",
    "knowledge/folder_catalog",
    "knowledge/knowledge_index",
    "synthesis/base_facts",
    "sync/knowledge_sync",
}
BACKFILL = {"dagster/backfill": "abc"}


@pytest.fixture
def pipelines(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipelines]:
    """Two campaigns in which agents asked and found out something; two runs go on in `speed-up`."""
    home.campaign("speed-up", "reading")
    rig = home.rig()
    rig.say_run(at=now())
    ask(rig, "no key for the registry", fatal=True)
    ask(rig, "no network", blocker="environment")
    propose(rig, "The loader is slower with two workers.")
    propose(rig, "See https://example.org/how for it.")
    rig.say_run("run-2", campaign="reading", at=now())
    for type, data in (
        ("help_requested", {"request": "q", "agent": "worker", "blocker": "access", "summary": "no", "fatal": False}),
        ("learning_proposed", {"learning": "l", "agent": "worker", "text": "Tables come last.", "impact": "low"}),
    ):
        rig.say(type, data, run="run-2", campaign="reading", at=now())
    rig.send()
    for run in ("run-1", "run-3"):
        ExportHome(home).assign(run, "speed-up")
    with open_pipelines(home, monkeypatch) as opened:
        opened.done("take_reports", "rig-a")
        yield opened


def made(result: dg.ExecuteInProcessResult) -> set[str]:
    """The assets that a run made."""
    keys = [event.asset_key for event in result.all_events if event.event_type_value == "ASSET_MATERIALIZATION"]
    return {key.to_user_string() for key in keys if key is not None}


def results(result: dg.ExecuteInProcessResult) -> dict[str, bool]:
    """The checks that a run made, and whether they passed."""
    return {one.check_name: one.passed for one in result.get_asset_check_evaluations()}


def broken(*_: object, **__: object) -> Any:
    raise ThermiteError("the disk is full")


def test_counts_are_shown_over_all_campaigns(pipelines: Pipelines) -> None:
    pipelines.done("refresh_campaign", "speed-up")
    asked = pipelines.metadata("help/help_requests")
    counts = {row["blocker"]: row["open"] for row in asked["open_by_blocker"]}
    others = dict.fromkeys(["tooling", "ambiguity", "decision", "other"], 0)
    assert counts == {"access": 2, "environment": 1, **others}
    assert (asked["dagster/row_count"], asked["open"], asked["fatal_open"]) == (3, 3, 1)
    assert asked["picture"].startswith("![open help requests by blocker](data:image/svg+xml;base64,")
    told = pipelines.metadata("help/learnings")
    states = {row["state"]: row["learnings"] for row in told["by_state"]}
    assert states == {"provisional": 2, "confirmed": 0, "lapsed": 0, "rejected": 0}
    assert (told["dagster/row_count"], told["refused"], told["campaigns_folded_now"]) == (2, 1, 2)
    assert told["picture"].startswith("![learnings by state](data:image/svg+xml;base64,")
    briefed = pipelines.metadata("sync/run_briefs", "speed-up")
    assert [(row["rig"], row["run"], row["unchanged"]) for row in briefed["runs"]] == [
        ("rig-a", "run-1", 0),
        ("rig-a", "run-3", 0),
    ]
    brief = pipelines.home.settings.sync / "rig-a" / "run-3" / "briefs" / "lane-1.md"
    assert "The loader is slower with two workers." in brief.read_text()


def test_open_requests_are_listed_by_their_ids(pipelines: Pipelines) -> None:
    """At most 20: those that stopped an agent first, of each kind the oldest first; never what an agent wrote."""
    rig = pipelines.home.rig()
    for number in range(24):
        at = format_rfc3339(now_micros() - (number + 1) * 3_600_000_000)
        asked = {"request": f"r{number}", "agent": "worker", "blocker": "tooling", "summary": f"no tool {number}"}
        run = f"asks-{number:02d}"
        ExportHome(pipelines.home).assign(run, "speed-up")
        rig.say_run(run, at=at)
        rig.say("help_requested", asked | {"fatal": number in (3, 9)}, run=run, at=at)
    rig.send()
    pipelines.done("take_reports", "rig-a")
    pipelines.done("refresh_campaign", "speed-up")
    actions.resolve(open_home(), "asks-20", by="olga")
    pipelines.done("refresh_help")
    shown = pipelines.metadata("help/help_requests")
    rows = shown["open_requests"]
    left = [number for number in range(23, -1, -1) if number not in (3, 9, 20)][:17]
    wanted = [f"asks-{number:02d}" for number in (9, 3)] + ["run-1"] + [f"asks-{number:02d}" for number in left]
    assert [row["run"] for row in rows] == wanted and shown["open"] == 26
    first = {"campaign": "speed-up", "rig": "rig-a", "run": "asks-09", "agent": "worker", "blocker": "tooling"}
    assert rows[0] == first | {"fatal": True, "hours_open": 10.0}
    assert "no tool" not in str(shown)


def test_a_decision_is_shown_by_the_assets_and_their_checks(pipelines: Pipelines) -> None:
    """One run without a partition does both."""
    pipelines.done("refresh_campaign", "speed-up")
    first = pipelines.done("refresh_help")
    assert made(first) == CHANNELS
    at = now_micros() - 100 * 60_000_000
    rig = pipelines.home.rig()
    late = {"request": "q", "agent": "worker", "blocker": "access", "summary": "no key", "fatal": True}
    ExportHome(pipelines.home).assign("run-5", "speed-up")
    rig.say_run("run-5", at=format_rfc3339(at))
    rig.say("help_requested", late, run="run-5", at=format_rfc3339(at))
    rig.send()
    pipelines.done("take_reports", "rig-a")
    pipelines.done("refresh_campaign", "speed-up")
    assert results(pipelines.done("refresh_help")) == {"fatal_requests_answered": False, "learnings_are_kept": True}
    actions.resolve(open_home(), "run-5", by="olga")
    assert results(pipelines.done("refresh_help")) == {"fatal_requests_answered": True, "learnings_are_kept": True}
    shown = pipelines.metadata("help/help_requests")
    assert (shown["fatal_open"], shown["newest_request_decision"], shown["newest_learning_decision"]) == (1, 1, 0)


def test_versions_move_only_with_what_the_files_say(pipelines: Pipelines) -> None:
    """Else one campaign's note would mark the briefs of all others."""

    def versions() -> list[str]:
        return [pipelines.data_version(key) for key in sorted(CHANNELS)]

    def status() -> str:
        context = LoadingContextForTest(pipelines.instance)
        resolver = CachingStaleStatusResolver(pipelines.instance, repository().asset_graph, context)
        return resolver.get_status(dg.AssetKey(["sync", "run_briefs"]), "speed-up").value

    for campaign in ("reading", "speed-up"):
        pipelines.done("refresh_campaign", campaign)
    first = versions()
    rig = pipelines.home.rig()
    rig.say_note(run="run-2", campaign="reading", at=now())
    rig.send()
    pipelines.done("take_reports", "rig-a")
    pipelines.done("refresh_campaign", "reading")
    assert versions() == first and status() == "FRESH"
    propose(rig, "Warm-up is over after 300 steps.")
    rig.send()
    pipelines.done("take_reports", "rig-a")
    pipelines.done("refresh_campaign", "speed-up")
    assert [now == then for now, then in zip(versions(), first, strict=True)] == [True, False]


def test_a_backfill_folds_its_campaign_from_the_first_event_on(pipelines: Pipelines) -> None:
    pipelines.done("refresh_campaign", "speed-up")
    good = [path.read_bytes() for path in sorted(pipelines.home.settings.help.iterdir())]
    nothing = {"requests": [], "learnings": {}, "refusals": []}
    with pipelines.home.control.write() as connection:
        connection.execute(update(AgentFold).where(AgentFold.campaign == "speed-up").values(state=nothing))
    pipelines.done("refresh_campaign", "speed-up")
    assert pipelines.metadata("help/help_requests")["campaigns_folded_now"] == 0
    pipelines.done("refresh_campaign", "speed-up", **BACKFILL)
    assert pipelines.metadata("help/help_requests")["campaigns_folded_now"] == 1
    assert [path.read_bytes() for path in sorted(pipelines.home.settings.help.iterdir())] == good


def test_a_backfill_that_finds_the_lease_taken_fails(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    """That nothing was made anew must be seen; the folder is made all the same."""
    monkeypatch.setattr(folding, "LEASE_WAIT_SECONDS", 0.0)
    acquire(pipelines.home.control, "help", "another")
    result = pipelines.run("refresh_campaign", "speed-up", **BACKFILL)
    assert not result.success
    assert made(result) == NO_CHANNELS


def test_a_failing_fold_takes_no_folder_with_it(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(folding, "refresh_channels", broken)
        result = pipelines.run("refresh_campaign", "speed-up")
    assert why_failed(result)[0] == "the disk is full"
    assert made(result) == NO_CHANNELS
    # What lies in the help folder is what briefs are made from, until the next fold.
    assert made(pipelines.done("sync_campaign", "speed-up")) == {"sync/knowledge_sync", "sync/run_briefs"}


def test_a_failing_folder_takes_no_request_with_it(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FolderWriter, "refresh", broken)
    result = pipelines.run("refresh_campaign", "speed-up")
    assert not result.success and made(result) == CHANNELS


def test_hl_20_the_schedule_removes_requests_of_more_than_90_days_ago(
    pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipelines.done("refresh_campaign", "speed-up")
    folder = pipelines.home.settings.help
    learnings = (folder / "learnings.jsonl").read_bytes()
    pipelines.done("prune_requests")
    assert len(list(folder.glob("help-*.jsonl"))) == 1
    later = now_micros() + 92 * 86_400_000_000
    for module in (publishing, help_reading):
        monkeypatch.setattr(module, "now_micros", lambda: later)
    pipelines.done("prune_requests")
    assert list(folder.glob("help-*.jsonl")) == []
    pipelines.done("refresh_campaign", "speed-up", **BACKFILL)
    assert pipelines.metadata("help/help_requests")["dagster/row_count"] == 0
    assert list(folder.glob("help-*.jsonl")) == []
    assert (folder / "learnings.jsonl").read_bytes() == learnings


def test_the_schedule_gives_way(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "LEASE_WAIT_SECONDS", 0.0)
    acquire(pipelines.home.control, "help", "another")
    pipelines.done("prune_requests")
    assert not (pipelines.home.settings.help / "learnings.jsonl").exists()
