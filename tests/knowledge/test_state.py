"""What should be, beside what is: runs, lags, targets and open runs."""

import pytest

from tests.knowledge.filing import assign_run, refresh
from tests.support.homes import Home
from thermite_pipelines.knowledge.state import (
    CampaignLag,
    OpenRun,
    all_runs,
    campaign_lags,
    note_targets,
    running_runs,
    target,
)


def lag(home: Home, campaign: str = "speed-up") -> CampaignLag:
    with home.control.read() as connection:
        return campaign_lags(connection, campaign)[campaign]


def open_runs(home: Home) -> list[OpenRun]:
    with home.control.read() as connection:
        return running_runs(connection)


def states(home: Home) -> dict[str, str]:
    with home.control.read() as connection:
        return {run.label: run.state for run in all_runs(connection)}


def test_a_campaign_without_runs_is_not_behind(any_home: Home) -> None:
    any_home.campaign("speed-up")
    assert not lag(any_home).is_behind
    assert lag(any_home).since is None


def test_a_campaign_is_behind_by_the_events_that_are_not_folded(any_home: Home) -> None:
    any_home.campaign("speed-up", "idle")
    rig = any_home.rig()
    rig.say_run()
    rig.say_run("elsewhere", campaign=None)
    for _ in range(3):
        rig.say_note()
        rig.say_note(run="elsewhere", campaign=None)
    rig.send()
    any_home.intake()
    assert (lag(any_home).is_behind, lag(any_home).behind) == (True, 4)
    assert not lag(any_home, "idle").is_behind
    refresh(any_home, "speed-up")
    assert (lag(any_home).is_behind, lag(any_home).behind, lag(any_home).since) == (False, 0, None)
    rig.say_note(run="elsewhere", campaign=None)
    rig.say_note()
    rig.send()
    any_home.intake()
    assert (lag(any_home).is_behind, lag(any_home).behind) == (True, 1)
    accepted = [row["accepted_at"] for row in any_home.receipts()]
    assert lag(any_home).since == accepted[-1]


def test_targets_are_reported_once_for_each_change(any_home: Home) -> None:
    any_home.campaign("speed-up", "idle")
    reported: list[dict[str, str]] = []
    any_home.rig().say_run()
    any_home.rig().send()
    any_home.intake()
    assert note_targets(any_home.control, reported.append) == reported[0]
    assert reported[0].keys() == {"speed-up", "idle"}
    note_targets(any_home.control, reported.append)
    refresh(any_home, "speed-up")
    note_targets(any_home.control, reported.append)
    assert len(reported) == 1
    any_home.rig().say_note()
    any_home.rig().send()
    any_home.intake()
    note_targets(any_home.control, reported.append)
    assert [targets.keys() for targets in reported[1:]] == [{"speed-up"}]
    with any_home.control.read() as connection:
        assert reported[1]["speed-up"] == target(all_runs(connection)) == lag(any_home).target


def test_a_target_is_reported_again_where_reporting_failed(home: Home) -> None:
    home.campaign("speed-up")

    def fail(targets: dict[str, str]) -> None:
        raise RuntimeError("no such server")

    with pytest.raises(RuntimeError):
        note_targets(home.control, fail)
    reported: list[dict[str, str]] = []
    note_targets(home.control, reported.append)
    assert [targets.keys() for targets in reported] == [{"speed-up"}]


def test_a_campaign_that_gets_news_without_end_is_behind_since_the_last_refresh(home: Home) -> None:
    home.campaign("speed-up")
    home.rig().say_run()
    home.rig().send()
    home.intake()
    note_targets(home.control, lambda targets: None)
    first = lag(home).since
    assert first is not None
    refresh(home, "speed-up")
    home.rig().say_note()
    home.rig().send()
    home.intake()
    note_targets(home.control, lambda targets: None)
    second = lag(home)
    assert second.since is not None and second.refreshed_at is not None
    assert second.since >= second.refreshed_at > first


def test_states_of_runs(home: Home) -> None:
    rig = home.rig()
    for run in ("created", "running", "completed", "failed", "stopped"):
        rig.say_run(run)
        if run != "created":
            rig.say("run_started", run=run)
        if run not in ("created", "running"):
            rig.say("run_finished", {"outcome": run}, run=run)
    rig.send()
    home.intake()
    assert states(home) == {name: name for name in ("created", "running", "completed", "failed", "stopped")}


def test_an_assigned_run_is_open_until_it_finishes(any_home: Home) -> None:
    rig = any_home.rig()
    assert open_runs(any_home) == []
    for run in ("run-1", "run-2", "unseen"):
        assign_run(any_home, "rig-a", run, "speed-up")
    rig.say_run("run-1")
    rig.say_run("run-2")
    rig.say_run("not-assigned")
    rig.say("run_finished", {"outcome": "failed"}, run="run-2")
    rig.say("run_finished", {"outcome": "completed"}, run="run-1", by="lane-1")  # no harness: rejected
    rig.send()
    any_home.intake()
    opened = [OpenRun("rig-a", run, "speed-up") for run in ("run-1", "unseen")]
    assert open_runs(any_home) == opened


def test_a_later_ledger_closes_the_runs_of_those_before(any_home: Home) -> None:
    rig = any_home.rig()
    for run in ("run-1", "run-2", "unseen"):
        assign_run(any_home, "rig-a", run, "speed-up")
    assign_run(any_home, "rig-b", "run-1", "speed-up")
    early = rig.fork(ledger="L0", sent_at="2026-11-01T00:00:00Z", said=[])
    early.say_run("run-1")
    early.say_run("run-2")
    rig.say_run("run-1")
    rig.send()
    any_home.intake()
    early.send()
    any_home.intake()
    # By the rig's clock L0 began before L1, though it arrived after it.
    assert [(row.rig, row.run) for row in open_runs(any_home)] == [
        ("rig-a", "run-1"),
        ("rig-a", "unseen"),
        ("rig-b", "run-1"),
    ]
    rig.reset("L2", "2026-12-01T00:00:00Z")
    rig.send()
    any_home.intake()
    assert [(row.rig, row.run) for row in open_runs(any_home)] == [("rig-a", "unseen"), ("rig-b", "run-1")]


def test_a_finished_run_stays_finished_while_its_rig_is_rebuilt(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from thermite_pipelines.intake.events import EventWriter

    assign_run(home, "rig-a", "run-1", "speed-up")
    assign_run(home, "rig-a", "run-2", "speed-up")
    rig = home.rig()
    rig.say_run("run-1")
    rig.say_run("run-2")
    rig.say("run_finished", {"outcome": "completed"}, run="run-1")
    rig.send()
    home.intake()

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(EventWriter, "_write", killed)
        EventWriter(home.control, home.lake, "rig-a").rebuild()
    assert [row.run for row in open_runs(home)] == ["run-2"]
    home.write()
    assert [row.run for row in open_runs(home)] == ["run-2"]
    assert states(home) == {"run-1": "completed", "run-2": "created"}
