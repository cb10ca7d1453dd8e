"""Which folder a run's items lie in, as control's record changes."""

import pytest

from tests.knowledge.filing import assign_run, expected, folder, refresh
from tests.support.homes import Home
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.state import all_runs, campaign_lags, runs_of, runs_of_rig, unplaced_runs

RUN_1 = ("rig-a", "L1", "run-1")


def say_runs(home: Home, *runs: str, rig: str = "rig-a", campaign: str | None = "speed-up") -> None:
    for run in runs:
        home.rig(rig).say_run(run, campaign=campaign)
        home.rig(rig).say_note(f"of {run}", run=run, campaign=campaign)
    home.rig(rig).send()
    home.intake(rig)


def why(home: Home) -> dict[str, str | None]:
    with home.control.read() as connection:
        return {run.run: run.why for run in unplaced_runs(connection)}


def behind(home: Home) -> dict[str, bool]:
    with home.control.read() as connection:
        return {name: lag.is_behind for name, lag in campaign_lags(connection).items()}


def test_kb_34_control_picks_the_folder_whatever_the_events_say(any_home: Home) -> None:
    any_home.campaign("other")
    assign_run(any_home, "rig-a", "run-1", "speed-up")
    say_runs(any_home, "run-1", campaign="other")
    refresh(any_home, "speed-up", "other")
    assert folder(any_home, "other") == {}
    assert folder(any_home, "speed-up") == expected(any_home, RUN_1)


def test_kb_35_an_unassigned_run_goes_where_it_says_if_no_rig_has_that_campaign(home: Home) -> None:
    home.campaign("smoke", "taken")
    assign_run(home, "rig-b", "run-9", "taken")
    say_runs(home, "run-1", campaign="smoke")
    say_runs(home, "run-2", campaign="taken")
    say_runs(home, "run-3", campaign="unheard-of")
    say_runs(home, "run-4", campaign=None)
    refresh(home, "smoke", "taken")
    assert folder(home, "smoke") == expected(home, RUN_1)
    assert folder(home, "taken") == {}
    assert why(home) == {"run-2": "campaign-assigned", "run-3": "unknown-campaign", "run-4": "no-campaign"}
    home.campaign("unheard-of")
    assign_run(home, "rig-a", "run-2", "taken")
    assign_run(home, "rig-a", "run-4", "taken")
    assert behind(home) == {"smoke": False, "taken": True, "unheard-of": True}
    refresh(home, "smoke", "taken", "unheard-of")
    assert folder(home, "taken") == expected(home, ("rig-a", "L1", "run-2"), ("rig-a", "L1", "run-4"))
    assert folder(home, "unheard-of") == expected(home, ("rig-a", "L1", "run-3"))
    assert why(home) == {}
    assert not any(behind(home).values())


def test_kb_35_a_run_leaves_when_its_campaign_gets_a_rig(any_home: Home) -> None:
    any_home.campaign("smoke")
    say_runs(any_home, "run-1", campaign="smoke")
    refresh(any_home, "smoke")
    assert folder(any_home, "smoke")
    assign_run(any_home, "rig-b", "run-9", "smoke")
    assert behind(any_home) == {"smoke": True}
    (folded,) = refresh(any_home, "smoke")
    assert folded.left == 1
    assert any_home.files("folders") == {}
    assert why(any_home) == {"run-1": "campaign-assigned"}
    assert behind(any_home) == {"smoke": False}


@pytest.mark.parametrize("order", [("one", "two"), ("two", "one")])
def test_a_moved_run_leaves_one_folder_for_the_other(home: Home, order: tuple[str, str]) -> None:
    assign_run(home, "rig-a", "run-1", "one")
    assign_run(home, "rig-a", "run-2", "one")
    say_runs(home, "run-1", "run-2")
    home.campaign("two")
    refresh(home, "one", "two")
    before = home.files("folders")
    assign_run(home, "rig-a", "run-1", "two")
    assert behind(home) == {"one": True, "two": True}
    refresh(home, *order)
    assert folder(home, "one") == expected(home, ("rig-a", "L1", "run-2"))
    assert folder(home, "two") == expected(home, RUN_1)
    moved = {path.replace("campaign=two", "campaign=one"): data for path, data in home.files("folders").items()}
    assert moved == before, "a move changes the folder's name alone"
    assert not any(behind(home).values())


def test_an_assignment_holds_in_every_ledger_and_before_the_run_is_seen(home: Home) -> None:
    assign_run(home, "rig-a", "run-1", "one")
    say_runs(home, "run-1")
    home.rig().reset("L2", "2026-12-01T00:00:00Z")
    say_runs(home, "run-1")
    refresh(home, "one")
    assert folder(home, "one") == expected(home, RUN_1, ("rig-a", "L2", "run-1"), L2="run-1~L2")
    with home.control.read() as connection:
        assert [run.label for run in runs_of(connection, "one")] == ["run-1", "run-1~L2"]


def test_the_same_run_id_on_another_rig_is_another_run(home: Home) -> None:
    assign_run(home, "rig-a", "run-1", "one")
    assign_run(home, "rig-b", "run-1", "two")
    say_runs(home, "run-1", rig="rig-a")
    say_runs(home, "run-1", rig="rig-b")
    refresh(home, "one", "two")
    assert {row["rig"] for row in folder(home, "one").values()} == {"rig-a"}
    assert {row["rig"] for row in folder(home, "two").values()} == {"rig-b"}
    with home.control.read() as connection:
        assert [(run.rig, run.campaign) for run in all_runs(connection)] == [("rig-a", "one"), ("rig-b", "two")]
        assert [run.rig for run in runs_of_rig(connection, "rig-b")] == ["rig-b"]


def test_while_a_rig_is_rebuilt_its_runs_stay_where_they_are(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rebuild of the event tables may be cut off half-way: folders must not take that for what is."""
    from thermite_pipelines.intake.events import EventWriter

    home.campaign("speed-up")
    say_runs(home, "run-1", "run-2")
    refresh(home, "speed-up")
    before = home.files("folders")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(EventWriter, "_write", killed)
        EventWriter(home.control, home.lake, "rig-a").rebuild()
    assert behind(home) == {"speed-up": False}
    writer = FolderWriter(home.control, home.lake, "speed-up")
    assert writer.refresh().left == 0
    assert writer.rebuild().runs == 0
    assert home.files("folders") == before
    home.write()
    refresh(home, "speed-up")
    assert home.files("folders") == before
    assert behind(home) == {"speed-up": False}
