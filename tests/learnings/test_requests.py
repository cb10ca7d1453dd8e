"""Help requests, from signed reports to the lines of the help folder."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.knowledge.filing import assign_run
from tests.learnings.telling import Clock, arrive, ask, open_runs, requests
from tests.support.homes import Home
from thermite_pipelines.knowledge import help_reading
from thermite_pipelines.knowledge.help_reading import BLOCKERS, REQUEST_FIELDS, blocked_on, grouped
from thermite_pipelines.learnings.folding import refresh_channels
from thermite_pipelines.learnings.requests import DETAIL_CHARACTERS, SUMMARY_CHARACTERS, capped

SIX = ("access", "tooling", "ambiguity", "environment", "decision", "other")
KEY = "ghp_" + "a1B2" * 9


def test_hl_02_a_request_has_its_fields_and_unknown_ones_are_ignored(home: Home, clock: Clock) -> None:
    rig = open_runs(home, "run-1")
    ask(rig, blocker="tooling", detail="Tried twice.", fatal=True, mood="low", resolved_at="2026-01-01T00:00:00Z")
    arrive(home)
    (row,) = requests(home)
    assert tuple(row) == REQUEST_FIELDS
    assert (row["blocker"], row["summary"], row["detail"]) == ("tooling", "No token", "Tried twice.")
    assert row["fatal"] is True and row["resolved_at"] is None
    assert "low" not in str(row)


@pytest.mark.parametrize(
    "wrong", [{"summary": 1}, {"summary": None}, {"detail": 5}, {"fatal": "yes"}, {"fatal": None}, {"blocker": 3}]
)
def test_hl_02_fields_of_another_type_are_rejected(home: Home, clock: Clock, wrong: dict[str, Any]) -> None:
    rig = open_runs(home, "run-1")
    ask(rig, **wrong)
    arrive(home)
    assert requests(home) == []
    (row,) = home.events(table="rejected_events")
    assert row["reason"] == "bad-data"


def test_hl_04_the_six_categories_are_kept(home: Home, clock: Clock) -> None:
    rig = open_runs(home, "run-1")
    for blocker in SIX:
        ask(rig, blocker=blocker)
    arrive(home)
    assert BLOCKERS == SIX
    assert sorted(row["blocker"] for row in requests(home)) == sorted(SIX)


def test_hl_05_without_a_category_it_is_other(home: Home, clock: Clock) -> None:
    rig = open_runs(home, "run-1")
    ask(rig, summary="left out")
    ask(rig, summary="null", blocker=None)
    ask(rig, summary="null", blocker="other")
    arrive(home)
    assert [(row["summary"], row["blocker"], row["count"]) for row in requests(home)] == [
        ("left out", "other", 1),
        ("null", "other", 2),
    ]


@pytest.mark.parametrize("blocker", ["acess", "", "Access", "access "])
def test_hl_06_an_unknown_category_is_an_error_that_lists_the_six(home: Home, clock: Clock, blocker: str) -> None:
    rig = open_runs(home, "run-1")
    ask(rig, blocker=blocker)
    arrive(home)
    assert requests(home) == []
    (row,) = home.events(table="rejected_events")
    assert row["reason"] == "bad-data"
    assert all(name in row["detail"] for name in SIX)


def test_hl_11_the_same_blocker_again_in_a_run_is_counted(home: Home, clock: Clock) -> None:
    rig = open_runs(home, "run-1")
    for number, summary in enumerate(["No token", "no token", " NO  TOKEN\n", "No\ttoken", "No token"]):
        ask(rig, summary=summary, when=-100 + number, fatal=number == 3, detail=f"try {number}")
    ask(rig, summary="No token", agent="planner")
    ask(rig, summary="No token", blocker="access")
    arrive(home)
    (five,) = [row for row in requests(home) if row["count"] > 1]
    assert (five["count"], five["fatal"], five["summary"], five["detail"]) == (5, True, "No token", "try 0")
    assert len(requests(home)) == 3


def test_hl_11_equal_open_requests_of_many_runs_are_one_line(home: Home, clock: Clock) -> None:
    runs = [f"run-{number}" for number in range(40)]
    rig = open_runs(home, *runs)
    for number, run in enumerate(runs):
        ask(rig, run, "No token" if number % 2 else "no TOKEN", fatal=number == 7)
    ask(rig, "run-3", "Disk full")
    ask(rig, "run-4", agent="planner")
    arrive(home)
    rows = help_reading.help_requests(home.opened)
    assert len(rows) == 42
    first, *rest = grouped(rows)
    assert (first["count"], first["fatal"], sorted(first["runs"])) == (40, True, sorted(runs))
    assert [(row["summary"], row["agent"], row["runs"]) for row in rest] == [
        ("No token", "planner", ["run-4"]),
        ("Disk full", "worker", ["run-3"]),
    ]


def test_hl_18_a_run_is_blocked_on_its_first_open_request_a_fatal_one_before_others(home: Home, clock: Clock) -> None:
    rig = open_runs(home, "none", "limiting", "fatal", "both")
    ask(rig, "limiting", "first", when=-9)
    ask(rig, "limiting", "second", when=-8)
    ask(rig, "fatal", "stopped", fatal=True)
    ask(rig, "both", "limited", when=-9)
    ask(rig, "both", "stopped", when=-8, fatal=True)
    for run in ("limiting", "both"):
        rig.say("run_finished", {"outcome": "completed"}, run=run)
    arrive(home)
    found = blocked_on(help_reading.help_requests(home.opened))
    places = {run: text for (_, _, run), text in found.items()}
    assert places == {"limiting": "first", "fatal": "stopped", "both": "stopped"}


def test_hl_19_credentials_go_and_long_texts_are_cut_before_they_are_kept(home: Home, clock: Clock) -> None:
    rig = open_runs(home, "run-1")
    ask(rig, summary="x" * 190 + " " + KEY, detail="password: hunter2hunter2\n" + "y" * 5_000)
    ask(rig, summary="s" * 200, detail="z" * 4_000)
    arrive(home)
    cut, whole = sorted(requests(home), key=lambda row: row["summary"], reverse=True)
    assert len(cut["summary"]) <= SUMMARY_CHARACTERS == 200 and cut["summary"].endswith("(cut)")
    assert len(cut["detail"]) == DETAIL_CHARACTERS == 4_000 and cut["detail"].endswith("(cut)")
    assert (whole["summary"], whole["detail"]) == ("s" * 200, "z" * 4_000)
    everything = str(requests(home)) + str(home.events())
    assert KEY[:12] not in everything and "hunter2" not in everything


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n    ", " \\\n"])
@pytest.mark.parametrize("place", [9, 20, 33])
def test_hl_19_a_credential_broken_over_a_line_end_goes_whole(home: Home, clock: Clock, end: str, place: int) -> None:
    rig = open_runs(home, "run-1")
    broken = KEY[:place] + end + KEY[place:]
    ask(rig, summary=f"refused: {broken} again", detail=f"curl said\n{broken}\nand more words")
    arrive(home)
    (row,) = requests(home)
    for part in (KEY[4:place], KEY[place:]):
        assert part not in str(row) + str(home.events())
    assert row["summary"].startswith("refused: ") and row["summary"].endswith("again")
    assert row["detail"].startswith("curl said\n") and row["detail"].endswith("\nand more words")


ORDINARY = [
    "Looked at\nsrc/train/run.py\nsrc/train/model.py\nand found\nnothing",
    "commits\n3f786850e387550fdab836ed7e6dc881de23001b\n89e6c98d92887913cadf06b2adb97f26cde4849b\nboth fail",
    "a1b2c3d\nd4e5f6a\n0a1b2c3\n4d5e6f7\na8b9c0d\n1e2f3a4\nb5c6d7e\n8f9a0b1\n2c3d4e5\n6f7a8b9",
    "npm-install\nof-everything-here",
    "task-\nforce-and-the-like-of-it",
]


@pytest.mark.parametrize("detail", ORDINARY)
def test_ordinary_text_over_several_lines_stays(home: Home, clock: Clock, detail: str) -> None:
    rig = open_runs(home, "run-1")
    ask(rig, detail=detail)
    arrive(home)
    assert requests(home)[0]["detail"] == detail


WHOLE = [
    "e\u0301\u0327",  # a letter with two marks
    "\U0001f469\u200d\U0001f469\u200d\U0001f467",  # a family, joined
    "\U0001f44d\U0001f3fd",  # a skin tone
    "\u2764\ufe0f",
    "1\ufe0f\u20e3",  # a key cap
    "\U0001f1e9\U0001f1ea",  # a flag
    "\u0915\u093e",  # a vowel sign that has a width of its own
    "\u1100\u1161\u11a8",  # a Hangul syllable in parts
    "\U0001f3f4\U000e0067\U000e0062\U000e007f",  # a flag of tags
]


@pytest.mark.parametrize("character", WHOLE)
def test_hl_19_no_character_is_parted(character: str) -> None:
    for before in range(40):
        text = "x" * before + character * 200
        cut = capped(text, 200)
        assert len(cut) <= 200 and cut.endswith(" … (cut)")
        kept = cut.removesuffix(" … (cut)").removeprefix("x" * before)
        assert kept == character * (len(kept) // len(character)), (before, kept)


@given(st.text(max_size=300), st.integers(20, 250))
def test_hl_19_a_cut_text_is_a_beginning_of_the_whole(text: str, most: int) -> None:
    cut = capped(text, most)
    assert len(cut) <= most
    if len(text) <= most:
        assert cut == text
    else:
        kept = cut.removesuffix(" … (cut)")
        assert text.startswith(kept) and kept != cut
        after = text[len(kept) :].lstrip()[:1] if kept else ""
        assert not (after and unicodedata.combining(after) and text[len(kept)] == after)


def test_a_summary_of_nothing_visible_says_so(home: Home, clock: Clock) -> None:
    rig = open_runs(home, "run-1")
    ask(rig, summary=" \n ")
    arrive(home)
    assert requests(home)[0]["summary"] == "(no summary given)"


def test_nothing_of_an_unplaced_run_is_used_and_a_late_assignment_places_it(home: Home, clock: Clock) -> None:
    rig = open_runs(home, "run-1", campaign=None)
    ask(rig)
    arrive(home)
    assert requests(home) == []
    assign_run(home, "rig-a", "run-1", "late")
    numbers = refresh_channels(home.opened)
    assert (numbers.open, numbers.folded) == (1, ["late"])
    assert requests(home)[0]["campaign"] == "late"
