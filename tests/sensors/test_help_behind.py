"""Help requests, learnings and briefs that are behind: what sensors ask for, and that they ask for nothing twice."""

from typing import Any

import dagster as dg
import pytest
from dagster import DagsterRunStatus

from tests.cli.channels import ask, brief, now, propose
from tests.knowledge.exporting import ExportHome
from tests.sensors.test_sensors import _age
from tests.sensors.ticks import SENSORS, asked, keys, make_run
from tests.support.pipelines import Pipelines
from thermite_pipelines.assets import help as help_assets
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge import help_reading
from thermite_pipelines.knowledge.help_reading import learnings
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.initialise import initialise
from thermite_pipelines.learnings import actions, folding, publishing
from thermite_pipelines.times import now_micros

pytestmark = pytest.mark.full  # each test lets whole programs work

REFRESH_HELP = ("refresh_help", None)


def arrive(pipelines: Pipelines, rig: str = "rig-a") -> None:
    """What was said is sent and its events are written."""
    pipelines.home.rig(rig).send()
    pipelines.done("take_reports", rig)


def settled(pipelines: Pipelines) -> Pipelines:
    """Runs of two campaigns that asked for help and go on, by two rigs; nothing is behind."""
    pipelines.home.campaign("reading")
    for rig, run, campaign in (("rig-a", "run-1", "speed-up"), ("rig-b", "run-2", "reading")):
        simulator = pipelines.home.rig(rig)
        simulator.say_run(run, mode="hill_climb", campaign=campaign, data={"flags": ["fast"]}, at=now())
        ask(simulator, f"no key on {rig}", run=run)
        propose(simulator, f"Found out on {rig}.", run=run)
        for other in (run, f"{run}-next"):
            ExportHome(pipelines.home).assign(other, campaign, rig=rig)
        arrive(pipelines, rig)
        pipelines.done("refresh_campaign", campaign)
    assert everything(pipelines) == []
    return pipelines


def everything(pipelines: Pipelines) -> list[tuple[str | None, str | None]]:
    """What all sensors ask for now, but for exports."""
    return [run for sensor in SENSORS if sensor != "exports" for run in asked(pipelines, sensor)]


def broken(*_: object, **__: object) -> Any:
    raise ThermiteError("the disk is full")


def test_a_request_makes_two_runs(pipelines: Pipelines) -> None:
    """One for its rig, one for its campaign, which folds it and writes the briefs; then none."""
    settled(pipelines)
    ask(pipelines.home.rig("rig-b"), "no network", run="run-2", blocker="environment")
    brief(pipelines.home.rig("rig-b"), run="run-2")
    arrive(pipelines, "rig-b")
    assert everything(pipelines) == [("refresh_campaign", "reading")]
    pipelines.done("refresh_campaign", "reading")
    assert everything(pipelines) == []
    assert pipelines.metadata("help/help_requests")["open"] == 3


def test_a_fold_that_failed_is_tried_again_with_waits(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is written, so its own target is reached; the help has a target, and so run keys, of its own."""
    settled(pipelines)
    ask(pipelines.home.rig(), "no network", blocker="environment")
    arrive(pipelines)
    [folder_key] = keys(pipelines, "campaigns")
    with monkeypatch.context() as patch:
        patch.setattr(folding, "refresh_channels", broken)
        assert not pipelines.run("refresh_campaign", "speed-up", **{"dagster/run_key": folder_key}).success
    assert asked(pipelines, "campaigns") == []  # a minute
    [failed] = pipelines.instance.get_runs(dg.RunsFilter(statuses=[DagsterRunStatus.FAILURE]))
    _age(pipelines, failed, 61)
    [key] = keys(pipelines, "campaigns")
    assert key.startswith("speed-up@help-") and key != folder_key
    again = make_run(pipelines, "refresh_campaign", "speed-up", DagsterRunStatus.FAILURE, key)
    _age(pipelines, again, 61)
    assert asked(pipelines, "campaigns") == []  # two minutes
    _age(pipelines, again, 121)
    assert keys(pipelines, "campaigns") == [key.replace("#1", "#2")]
    pipelines.done("refresh_campaign", "speed-up")
    assert everything(pipelines) == []


def test_a_fold_that_leaves_things_behind_is_no_loop(pipelines: Pipelines) -> None:
    """A run that gave way at the help folder ends well, and counts as an attempt that came to nothing."""
    settled(pipelines)
    (pipelines.home.settings.help / "learnings.jsonl").unlink()
    [key] = keys(pipelines, "campaigns")
    gave_way = make_run(pipelines, "refresh_help", None, DagsterRunStatus.SUCCESS, key)
    assert asked(pipelines, "campaigns") == []  # a minute
    _age(pipelines, gave_way, 61)
    assert keys(pipelines, "campaigns") == [key.replace("#1", "#2")]


def test_one_refresh_is_enough_for_all(pipelines: Pipelines) -> None:
    """None besides those that folders need or that is on its way; and one alone where many campaigns wait for it."""
    settled(pipelines)
    for rig, run in (("rig-a", "run-1"), ("rig-b", "run-2")):
        ask(pipelines.home.rig(rig), "no network", run=run)
        arrive(pipelines, rig)
    assert len(asked(pipelines, "campaigns")) == 2
    for campaign in ("speed-up", "reading"):
        pipelines.done("refresh_campaign", campaign)
    for path in pipelines.home.settings.help.glob("*.jsonl"):
        path.unlink()
    going_on = make_run(pipelines, "refresh_campaign", "speed-up", DagsterRunStatus.STARTED)
    assert asked(pipelines, "campaigns") == []
    pipelines.instance.report_run_canceled(going_on)
    assert asked(pipelines, "campaigns") == [REFRESH_HELP]
    going_on = make_run(pipelines, "refresh_help", None, DagsterRunStatus.QUEUED)
    assert asked(pipelines, "campaigns") == []
    pipelines.instance.report_run_canceled(going_on)
    _age(pipelines, going_on, 61)
    pipelines.done("refresh_help")
    assert everything(pipelines) == []


def test_what_a_person_decides_reaches_the_briefs_with_the_next_sync(pipelines: Pipelines) -> None:
    settled(pipelines)
    briefs = pipelines.home.settings.sync / "rig-a" / "run-1-next" / "briefs"
    assert "Found out on rig-a." in (briefs / "lane-1.md").read_text()
    [learning] = [row["id"] for row in learnings(open_home()) if row["campaign"] == "speed-up"]
    for act in (actions.keep, actions.drop):
        act(open_home(), learning, by="olga")
        assert everything(pipelines) == [REFRESH_HELP, ("sync_campaign", "speed-up")]
        pipelines.done("refresh_help")
        [key] = keys(pipelines, "syncs")
        assert key.startswith("speed-up@briefs-")
        pipelines.done("sync_campaign", "speed-up")
        assert everything(pipelines) == []
    assert "Found out on rig-a." not in (briefs / "lane-1.md").read_text()


def test_what_a_person_decides_is_shown_before_the_next_report(pipelines: Pipelines) -> None:
    """The command writes the files; the assets and their checks follow, with a wait where that fails, and only once."""
    settled(pipelines)
    actions.resolve(open_home(), "run-1", by="olga")
    assert pipelines.metadata("help/help_requests")["open"] == 2
    [key] = keys(pipelines, "campaigns")
    failed = make_run(pipelines, "refresh_help", None, DagsterRunStatus.FAILURE, key)
    assert asked(pipelines, "campaigns") == []  # a minute
    _age(pipelines, failed, 61)
    assert keys(pipelines, "campaigns") == [key.replace("#1", "#2")]
    pipelines.done("refresh_help")
    assert pipelines.metadata("help/help_requests")["open"] == 1
    assert everything(pipelines) == []
    actions.resolve(open_home(), "run-1", by="olga")  # changes nothing
    assert everything(pipelines) == []


def test_a_refresh_of_a_campaign_shows_decisions_too(pipelines: Pipelines) -> None:
    """While one is needed anyway or on its way there is no run for them alone; the checks that it leaves out follow."""
    settled(pipelines)
    pipelines.done("refresh_help")  # from here on there are results of the checks
    actions.resolve(open_home(), "run-1", by="olga")
    pipelines.home.rig("rig-b").say_note(run="run-2", campaign="reading", at=now())
    arrive(pipelines, "rig-b")
    assert asked(pipelines, "campaigns") == [("refresh_campaign", "reading")]
    pipelines.done("refresh_campaign", "reading")
    going_on = make_run(pipelines, "refresh_campaign", "speed-up", DagsterRunStatus.STARTED)
    assert asked(pipelines, "campaigns") == []
    pipelines.instance.report_run_canceled(going_on)
    assert pipelines.metadata("help/help_requests")["open"] == 1
    assert asked(pipelines, "campaigns") == [REFRESH_HELP]
    pipelines.done("check_all")
    assert everything(pipelines) == []


def test_a_new_day_is_shown_once(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever writes the files of a new day: requests may have left them, so the numbers are counted again."""
    settled(pipelines)
    tomorrow = now_micros() + 86_400_000_000
    for module in (publishing, help_reading, help_assets):
        monkeypatch.setattr(module, "now_micros", lambda: tomorrow)
    assert asked(pipelines, "campaigns") == [REFRESH_HELP]
    pipelines.done("prune_requests")
    assert asked(pipelines, "campaigns") == [REFRESH_HELP]
    pipelines.done("refresh_help")
    assert asked(pipelines, "campaigns") == []


def test_after_dagsters_home_is_lost_help_is_shown_again(pipelines: Pipelines) -> None:
    settled(pipelines)
    pipelines.instance.wipe_assets([dg.AssetKey(["help", name]) for name in ("help_requests", "learnings")])
    assert asked(pipelines, "campaigns") == [REFRESH_HELP]
    pipelines.done("refresh_help")
    assert asked(pipelines, "campaigns") == []


def test_where_no_agent_says_anything_no_run_is_for_help(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    pipelines.home.rig().say_run(at=now())
    arrive(pipelines)
    pipelines.done("refresh_campaign", "speed-up")
    assert everything(pipelines) == []
    tomorrow = now_micros() + 86_400_000_000
    for module in (publishing, help_reading, help_assets):
        monkeypatch.setattr(module, "now_micros", lambda: tomorrow)
    assert asked(pipelines, "campaigns") == []


def test_a_reply_gives_the_new_run_its_knowledge_and_briefs(pipelines: Pipelines) -> None:
    settled(pipelines)
    initialise(pipelines.home.settings)
    reply = actions.reply(open_home(), "run-2", text="The key is there now.", by="olga").reply
    assert reply is not None and everything(pipelines) == [REFRESH_HELP, ("sync_campaign", "reading")]
    pipelines.done("refresh_help")
    pipelines.done("sync_campaign", "reading")
    assert {path.name for path in (pipelines.home.settings.sync / "rig-b" / reply).iterdir()} == {"briefs", "knowledge"}
    assert everything(pipelines) == []


def test_briefs_that_somebody_changed_are_written_again(pipelines: Pipelines) -> None:
    """As with `knowledge/`, a sync looks at the files; the sensor alone does not."""
    settled(pipelines)
    path = pipelines.home.settings.sync / "rig-a" / "run-1" / "briefs" / "planner.md"
    before = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(b"other words")
    pipelines.done("sync_campaign", "speed-up")
    assert path.read_bytes() == before
    assert pipelines.metadata("sync/run_briefs", "speed-up")["written_now"] == 1
