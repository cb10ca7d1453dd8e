"""How the briefs of a run end, and what rebuilds, kills and others at work make of them."""

import threading
from typing import Any

import pytest
from sqlalchemy import delete, event, update

from tests.knowledge.briefed import BriefHome, learning, two_campaigns
from tests.knowledge.killed_sync import die_before
from tests.support.homes import Home
from tests.support.killing import in_child
from thermite_pipelines.control.channel_models import BriefState
from thermite_pipelines.control.leases import lease
from thermite_pipelines.control.models import Assignment, RigState, Run
from thermite_pipelines.knowledge import briefs
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.sync_files import SyncFolder

A_WEEK = 7 * 86_400 * 1_000_000


@pytest.fixture
def place(home: Home) -> BriefHome:
    return two_campaigns(home)


def times(place: BriefHome, run: str = "r1") -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in place.briefs(run).iterdir()}


def change_run(place: BriefHome, run: str, **values: Any) -> None:
    with place.home.control.write() as connection:
        connection.execute(update(Run).where(Run.run == run).values(**values))


def states(place: BriefHome) -> set[str]:
    with place.home.control.read() as connection:
        return {row.run for row in connection.execute(BriefState.__table__.select())}


# Ends


def test_an_ended_runs_briefs_stay_as_they_are_and_go_after_the_grace(place: BriefHome) -> None:
    place.finish("r1")
    before = times(place)
    place.learn(learning())
    place.write("after the end", run="r2")
    place.bring()
    place.sync()
    assert "r1" not in place.brief() and place.dues() == {}
    assert times(place) == before
    change_run(place, "r1", finished_accepted_at=Run.finished_accepted_at - A_WEEK)
    assert place.dues() == {"r1": "gone"}
    place.brief()
    assert not place.briefs().exists() and place.knowledge("r1").exists()
    place.sync()
    assert not (place.home.settings.sync / "rig-a" / "r1").exists()
    assert "r1" not in place.dues() and "r1" not in states(place)
    gone = place.briefer.brief_run("rig-a", "r1")
    assert (gone.written, gone.unchanged, gone.removed) == (0, 0, 0)


def test_an_ended_runs_briefs_of_what_may_not_be_read_any_more_go(place: BriefHome) -> None:
    place.finish("r1")
    place.brief()
    place.revoke("a", "b")
    assert place.dues()["r1"] == "left"
    before = place.brief_files()
    place.brief()
    kept = place.brief_files()
    assert sorted(kept) == ["teachers.json", "teachers.md"] and kept.items() <= before.items()
    place.grant("a", "b")
    place.brief()
    assert place.brief_files() == kept


@pytest.mark.parametrize("check", [False, True])
def test_an_ended_runs_brief_that_another_hand_changed_goes(place: BriefHome, check: bool) -> None:
    place.finish("r1")
    place.brief()
    path = place.briefs() / "planner.md"
    path.chmod(0o644)
    path.write_text("do as I say")
    (place.briefs() / "extra").write_text("x")
    before = place.brief_files()
    place.brief(check=check)
    gone = {"planner.md", "planner.json", "extra"}
    assert place.brief_files() == {name: data for name, data in before.items() if name not in gone}


def test_a_run_that_is_opened_again_is_briefed_again(place: BriefHome) -> None:
    place.finish("r1")
    place.brief()
    place.rig().reset("L2", "2026-11-30T00:00:00Z")
    place.rig().say_run("r1")
    place.write("back")
    place.bring()
    assert place.brief()["r1"][0] > 0 and "back" in place.text("planner")


def test_a_run_that_is_not_assigned_any_more_loses_its_briefs(place: BriefHome) -> None:
    with place.home.control.write() as connection:
        connection.execute(delete(Assignment).where(Assignment.run == "r1"))
    assert place.dues()["r1"] == "gone"
    place.brief()
    assert not place.briefs().exists() and "r1" not in states(place)


# Rebuilds


def test_nothing_leaves_a_brief_while_a_folder_is_made_anew(place: BriefHome) -> None:
    place.write("a note")
    place.bring()
    place.brief()
    before = place.brief_files()

    def cut_off(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FolderWriter(place.home.control, place.home.lake, "a").rebuild(cut_off)
    place.brief()
    assert place.brief_files() == before
    place.fold()
    place.brief()
    assert place.brief_files() == before


def test_while_a_rig_is_rebuilt_its_briefs_stay_without_what_may_not_be_read(place: BriefHome) -> None:
    place.write("a note")
    place.bring()
    place.brief()
    before = place.brief_files()
    with place.home.control.write() as connection:
        connection.execute(update(RigState).where(RigState.rig == "rig-a").values(rebuilding=True))
    change_run(place, "r1", events=0, last_n=0)
    place.brief(check=True)
    assert place.brief_files() == before
    place.revoke("a", "b")
    place.brief()
    assert sorted(place.brief_files()) == ["teachers.json", "teachers.md"]
    place.grant("a", "b")
    with place.home.control.write() as connection:
        connection.execute(update(RigState).where(RigState.rig == "rig-a").values(rebuilding=False))
    change_run(place, "r1", events=2, last_n=3)
    place.brief()
    assert place.brief_files() == before


# Kills, and others at work


def test_two_at_once_do_the_work_once(place: BriefHome) -> None:
    place.learn(learning())
    done: list[int] = []

    def work() -> None:
        done.append(place.briefer.brief_run("rig-a", "r1").written)

    threads = [threading.Thread(target=work) for _ in range(4)]
    with lease(place.home.control, "briefs:rig-a/r1"):
        for thread in threads:
            thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [0, 0, 0, 1]


def kill_at_steps(place: BriefHome, stride: int) -> int:
    """Kill the writing of r1's briefs at steps, each time from the same start; return how many died."""
    place.learn(*[learning("first", agent=name) for name in ("worker", "planner", "auditor")])
    place.brief()
    old = place.brief_files()
    place.trial("lane-2")
    place.bring()
    place.learn(*[learning("second", agent=name) for name in ("worker", "planner", "panel")])

    def work(step: int) -> None:
        die_before(step, briefs, ("rename", "unlink", "fchmod"))
        BriefHome(place.home).briefer.brief_run("rig-a", "r1")

    for dead, step in enumerate(range(1, 1_000, stride)):
        place.home.control.engine.dispose()
        if in_child(lambda step=step: work(step)) == 0:
            return dead
        half = place.brief_files()
        assert place.dues()["r1"] == "behind"
        place.briefer.brief_run("rig-a", "r1")
        new = place.brief_files()
        assert "second" in place.text("panel") and "r1" not in place.dues() and "first" not in place.text("planner")
        assert all(data in (old.get(name), new[name]) for name, data in half.items() if not name.startswith("."))
        # Back to the start.
        with SyncFolder(place.home.settings.sync, "rig-a", "r1", "briefs") as folder:
            folder.remove(new)
            for name, data in old.items():
                folder.write(name, data)
        place.change_brief_state("r1", signature="other")
    raise AssertionError("it died at every step")


def test_briefs_whose_writing_was_killed_are_completed_by_the_next(place: BriefHome) -> None:
    assert kill_at_steps(place, 5) >= 4


@pytest.mark.full
def test_briefs_whose_writing_was_killed_at_any_step_are_completed_by_the_next(place: BriefHome) -> None:
    assert kill_at_steps(place, 1) >= 18


def test_without_changes_control_is_asked_a_few_questions_whatever_the_number_of_runs(home: Home) -> None:
    place = BriefHome(home)
    asked: list[str] = []
    event.listen(home.control.engine, "before_cursor_execute", lambda *args: asked.append(args[2]))

    def questions() -> int:
        asked.clear()
        assert place.briefer.due() == []
        return len(asked)

    counts = []
    for number in range(12):
        place.rig().say_run(f"r{number}")
        place.assign(f"r{number}", "a")
        if number in (1, 11):
            place.bring()
            place.brief()
            counts.append(questions())
    assert counts[0] == counts[1] < 30
