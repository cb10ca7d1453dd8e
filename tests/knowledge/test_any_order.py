"""Whatever the order, split and steps on the way: the same accepted reports and assignments give the same bytes."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.knowledge import golden
from tests.knowledge.filing import assign_run, refresh
from tests.support.homes import Home, make_home
from tests.support.rigs import RigSimulator, Sealed
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.state import campaign_lags

RIGS = ("rig-a", "rig-b")
CAMPAIGNS = ("one", "two", "three")
RUNS = ("run-1", "run-2", "run-3")
NAMED: dict[str, str | None] = {"run-1": "one", "run-2": "two", "run-3": None}


@dataclass(frozen=True)
class Step:
    """Something that happens on the way: `drop` a report, `intake` a rig, `refresh` a folder or `assign` a run."""

    what: str
    rig: str = ""
    name: str = ""
    campaign: str = ""
    sealed: Sealed | None = None


def say(rig: RigSimulator, run: str, choice: int) -> None:
    """Say one event of a small choice; some of them are rejected, as their record is there or is not."""
    page = golden.EVENTS[12].data
    quotes = [{"source": "s1", "quote": "Warm caches"}, {"source": "s1", "quote": "Cold caches"}]
    said: list[tuple[str, dict[str, Any]]] = [
        ("experiment_queued", {"experiment": "e1", "title": "Try"}),
        ("experiment_finished", {"experiment": "e1", "status": "worse", "value": rig.n, "summary": f"by {rig.n}"}),
        ("document_written", golden.EVENTS[18].data),
        ("document_written", golden.EVENTS[19].data),
        ("source_archived", page),
        ("claim_recorded", {"claim": f"c{rig.n}", "text": "So.", "quotes": quotes}),
        ("run_finished", {"outcome": "completed"}),
        ("unheard_of", {}),
    ]
    if choice < len(said):
        rig.say(*said[choice], run=run, campaign=NAMED[run])
    else:
        rig.say_note(f"note {rig.n}", run=run, campaign=NAMED[run])


@st.composite
def ledgers(draw: st.DrawFn) -> dict[str, list[Sealed]]:
    """Reports of two rigs with two ledgers each; both ledgers use the same run ids."""
    reports: dict[str, list[Sealed]] = {}
    for name in RIGS:
        rig = RigSimulator(name, Path("nowhere"))
        reports[name] = []
        for ledger in ("L1", "L2"):
            rig.reset(ledger)
            for run in RUNS:
                rig.say_run(run, campaign=NAMED[run])
            choices = st.lists(st.tuples(st.sampled_from(RUNS), st.integers(0, 9)), max_size=6)
            for script in draw(st.lists(choices, min_size=1, max_size=4)):
                for run, choice in script:
                    say(rig, run, choice)
                reports[name].append(rig.report())
    return reports


@st.composite
def stories(draw: st.DrawFn) -> tuple[list[Step], dict[str, list[Sealed]], dict[tuple[str, str], str]]:
    """Steps on the way to the end; all reports; the assignments at the end."""
    reports = draw(ledgers())
    drops = [Step("drop", rig, sealed=sealed) for rig in RIGS for sealed in reports[rig][1:]]
    steps = list(draw(st.permutations(drops)))
    assigned: dict[tuple[str, str], str] = {}
    for place in sorted(draw(st.lists(st.integers(0, len(steps)), max_size=12)), reverse=True):
        what = draw(st.sampled_from(["intake", "intake", "refresh", "assign"]))
        rig, run, campaign = (draw(st.sampled_from(names)) for names in (RIGS, RUNS, CAMPAIGNS))
        steps.insert(place, Step(what, rig, run, campaign))
    for step in steps:
        if step.what == "assign":
            assigned[step.rig, step.name] = step.campaign
    return steps, reports, assigned


def play(home: Home, steps: list[Step]) -> None:
    for step in steps:
        if step.what == "drop" and step.sealed is not None:
            home.rig(step.rig).drop(step.sealed)
        elif step.what == "intake":
            home.intake(step.rig)
        elif step.what == "refresh":
            refresh(home, step.campaign)
        else:
            assign_run(home, step.rig, step.name, step.campaign)


def begin(home: Home, reports: dict[str, list[Sealed]]) -> None:
    """Which of two ledgers that share a run id came first matters: the first report comes first, everywhere."""
    home.campaign(*CAMPAIGNS)
    for rig in RIGS:
        home.rig(rig).drop(reports[rig][0])
        home.intake(rig)


def finish(home: Home) -> dict[str, bytes]:
    for rig in RIGS:
        home.intake(rig)
    refresh(home, *CAMPAIGNS)
    with home.control.read() as connection:
        assert not any(lag.is_behind or lag.behind for lag in campaign_lags(connection).values())
    return home.files("folders")


def everything_at_once(home: Home, reports: dict[str, list[Sealed]], assigned: dict[tuple[str, str], str]) -> None:
    for (rig, run), campaign in assigned.items():
        assign_run(home, rig, run, campaign)
    for rig in RIGS:
        for sealed in reports[rig][1:]:
            home.rig(rig).drop(sealed)


def same_bytes(ready_record: Path, story: Any) -> None:
    steps, reports, assigned = story
    with TemporaryDirectory() as path:
        stepwise, at_once = (make_home(Path(path, name), ready_record) for name in ("stepwise", "at-once"))
        begin(stepwise, reports)
        play(stepwise, steps)
        begin(at_once, reports)
        everything_at_once(at_once, reports, assigned)
        files = finish(stepwise)
        assert files == finish(at_once)
        rebuilt_whole(stepwise)
        assert finish(stepwise) == files
        stepwise.close()
        at_once.close()


@given(stories())
@settings(max_examples=6)
def test_any_way_there_gives_the_same_bytes(ready_record: Path, story: Any) -> None:
    same_bytes(ready_record, story)


@pytest.mark.full
@given(stories())
@settings(max_examples=40)
def test_any_of_many_ways_there_gives_the_same_bytes(ready_record: Path, story: Any) -> None:
    same_bytes(ready_record, story)


def rebuilt_whole(home: Home) -> None:
    for rig in RIGS:
        EventWriter(home.control, home.lake, rig).rebuild()
    for campaign in CAMPAIGNS:
        FolderWriter(home.control, home.lake, campaign).rebuild()
