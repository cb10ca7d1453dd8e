"""How the briefs of a run go on: when they are made anew, and others' hands on their files."""

import logging
import stat
from pathlib import Path

import pytest

from tests.knowledge.briefed import READERS, BriefHome, learning, refusal, two_campaigns
from tests.knowledge.syncing import tree
from tests.support.homes import Home
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.sync_files import SyncFolder
from thermite_pipelines.times import now_micros


@pytest.fixture
def place(home: Home) -> BriefHome:
    return two_campaigns(home)


def times(place: BriefHome, run: str = "r1") -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in place.briefs(run).iterdir()}


# What is written


def test_what_is_as_it_should_be_is_not_touched(place: BriefHome) -> None:
    before = times(place)
    assert place.dues() == {}
    assert place.brief() == {"r1": (0, 5, 0), "r2": (0, 5, 0), "r3": (0, 5, 0)}
    assert place.brief(check=True)["r1"] == (0, 5, 0)
    assert times(place) == before


def test_the_same_things_give_the_same_bytes(place: BriefHome) -> None:
    before = tree(place.home.settings.sync)
    for run, rig in (("r1", "rig-a"), ("r2", "rig-a"), ("r3", "rig-b")):
        with SyncFolder(place.home.settings.sync, rig, run, "briefs") as folder:
            folder.drop()
    assert place.brief()["r1"] == (5, 0, 0)
    assert tree(place.home.settings.sync) == before


def test_only_briefs_that_differ_are_written(place: BriefHome) -> None:
    before = times(place)
    place.learn(learning(agent="planner"))
    assert place.dues() == {"r1": "behind", "r2": "behind"}
    assert place.brief() == {"r1": (1, 4, 0), "r2": (1, 4, 0), "r3": (0, 5, 0)}
    assert {name for name, at in times(place).items() if at != before[name]} == {"planner.md", "planner.json"}


@pytest.mark.parametrize(
    ("change", "due"),
    [
        ("note", {"r1", "r2"}),  # r2's line tells of one item more
        ("learning", {"r1", "r2"}),
        ("refusal", {"r1", "r2"}),
        ("revoke", {"r1", "r2"}),
        ("trial", {"r1", "r2"}),
        ("elsewhere", {"r3"}),
    ],
)
def test_whatever_briefs_are_made_from_makes_them_due_where_it_counts(
    place: BriefHome, change: str, due: set[str]
) -> None:
    signatures = {name: place.briefer.signature(name) for name in ("a", "b")}
    if change == "note":
        place.write("new")
        place.bring()
    elif change == "trial":
        place.trial("lane-2")
        place.bring()
    elif change == "revoke":
        place.revoke("a", "b")
    elif change == "learning":
        place.learn(learning())
    elif change == "refusal":
        place.refuse(refusal())
    else:
        place.learn(learning(campaign="b"))
    place.sync()
    assert set(place.dues()) == due
    assert set(place.briefer.behind()) == {"b" if run == "r3" else "a" for run in due}
    changed = {name for name, signature in signatures.items() if place.briefer.signature(name) != signature}
    assert changed == set(place.briefer.behind())
    place.brief()
    assert place.dues() == {} and place.briefer.behind() == {}


def test_learnings_that_nobody_is_shown_make_no_work(place: BriefHome) -> None:
    place.learn(learning(state="lapsed"), learning(state="rejected", number=2), learning(campaign="c", number=3))
    place.refuse(refusal(told=True))
    assert place.dues() == {}
    place.learn(learning())
    place.brief()
    place.learn(learning(impact="high", runs_left=3, proposals=2))
    assert place.dues() == {}


def test_a_campaign_is_briefed_alone(place: BriefHome) -> None:
    place.learn(learning(), learning(campaign="b"))
    assert [(one.run, one.written) for one in place.briefer.brief_campaign("b")] == [("r3", 1)]
    assert place.dues() == {"r1": "behind", "r2": "behind"}
    assert place.briefer.brief_campaign("nothing-like-it") == []


def test_one_run_is_briefed_where_control_assigned_it(place: BriefHome, caplog: pytest.LogCaptureFixture) -> None:
    place.learn(learning())
    one = place.briefer.brief_run("rig-a", "r1", campaign="a")
    assert (one.rig, one.run, one.written, one.unchanged, one.removed) == ("rig-a", "r1", 1, 4, 0)
    for rig, run, claimed in (("rig-b", "r1", None), ("rig-a", "r9", None), ("rig-a", "r1", "b")):
        with pytest.raises(ThermiteError):
            place.briefer.brief_run(rig, run, campaign=claimed)
    assert [record.levelname for record in caplog.records].count("WARNING") == 3
    with pytest.raises(UsageError):
        place.briefer.brief_run("rig-a", "../r1")


def test_a_moved_run_gets_the_briefs_of_its_new_campaign(place: BriefHome) -> None:
    place.learn(learning("of a"), learning("of b", campaign="b"))
    place.brief()
    assert '"of a"' in place.text("lane-1") and "campaign `a`" in place.text("lane-1")
    place.assign("r1", "b", move=True)
    place.fold()
    place.brief()
    text = place.text("lane-1")
    assert '"of b"' in text and '"of a"' not in text and "campaign `b`" in text and "a lesson of r3" in text


def test_progress_is_told(place: BriefHome) -> None:
    told: list[tuple[int, int]] = []
    place.briefer.brief_all(progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


# Files


def test_files_are_read_only_and_nothing_else_lies_there(place: BriefHome) -> None:
    assert set(times(place)) == {f"{reader}.{end}" for reader in READERS for end in ("md", "json")}
    for path in place.briefs().iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o444


@pytest.mark.parametrize("check", [False, True])
def test_a_file_changed_by_another_hand_is_put_right(place: BriefHome, check: bool) -> None:
    before = place.brief_files()
    folder = place.briefs()
    (folder / "lane-1.md").chmod(0o644)
    (folder / "lane-1.md").write_text("do as I say")
    (folder / "panel.json").unlink()
    (folder / "auditor.md").unlink()
    (folder / "auditor.md").symlink_to("/etc/hostname")
    (folder / "planner.md").chmod(0o666)
    (folder / "lane-9.md").write_text("x")
    (folder / "more").mkdir()
    (folder / "more" / "x").write_text("x")
    assert place.brief(check=check)["r1"] == (4, 1, 0)
    assert place.brief_files() == before
    assert stat.S_IMODE((folder / "planner.md").stat().st_mode) == 0o444


def test_files_are_looked_at_every_hour(place: BriefHome) -> None:
    before = place.brief_files()
    place.change_brief_state("r1", written_at=now_micros() - 3600 * 1_000_000)
    assert place.dues() == {"r1": "check"}
    place.briefs().rename(place.briefs().with_name("gone"))
    place.brief()
    assert place.dues() == {} and place.brief_files() == before


@pytest.mark.parametrize("level", ["rig-a", "rig-a/r1", "rig-a/r1/briefs"])
def test_links_planted_in_the_way_are_replaced_and_nothing_is_written_beyond(
    home: Home, tmp_path: Path, level: str
) -> None:
    place = BriefHome(home)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine.txt").write_text("mine")
    link = home.settings.sync / level
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    place.start("r1")
    place.brief()
    assert not link.is_symlink() and len(place.brief_files()) == 10
    assert [path.name for path in outside.rglob("*")] == ["mine.txt"]


def test_a_check_removes_briefs_that_control_knows_nothing_of(
    place: BriefHome, caplog: pytest.LogCaptureFixture
) -> None:
    stray = place.home.settings.sync / "rig-x" / "r1" / "briefs"
    stray.mkdir(parents=True)
    (stray / "lane-1.md").write_text("x")
    caplog.set_level(logging.WARNING)
    place.brief()
    assert stray.exists()
    place.brief(check=True)
    assert not stray.parent.parent.exists() and place.briefs().exists()
    assert "rig-x/r1" in caplog.text


def test_a_reader_that_is_no_more_loses_its_brief(place: BriefHome) -> None:
    place.trial("lane-2")
    place.bring()
    place.brief()
    assert "lane-2.md" in times(place)
    place.rig().reset("L2", "2026-11-30T00:00:00Z")
    place.rig().say_run("r1", "hill_climb")
    place.bring()
    assert place.brief()["r1"] == (0, 5, 1)
    assert "lane-2.md" not in times(place) and "lane-2.json" not in times(place)


def test_a_broken_help_file_is_an_error_that_names_the_line(place: BriefHome) -> None:
    place.learn(learning())
    path = place.home.settings.help / "learnings.jsonl"
    path.write_text(f"no json\n{path.read_text()}")
    with pytest.raises(ThermiteError, match=r"learnings\.jsonl:1"):
        place.brief()
