"""Whatever the order of arrival, and whatever happens in between: the files are those of a plain fold from scratch."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.learnings import naive
from tests.learnings.stories import REFUSED, RIGS, Reports, Step, begin, finish, play, stories
from tests.learnings.telling import NOW, Clock, files, learnings, lines, requests, with_key
from tests.support.homes import Home, make_home
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.learnings import lifecycle
from thermite_pipelines.learnings.folding import channels_behind, refresh_channels

ALONE = ("assign",)
WITH_PEOPLE = ("assign", "take", "wait", "wait", "keep", "keep", "drop", "drop", "resolve", "reply")
FEW, MANY = (
    settings(max_examples=count, suppress_health_check=[HealthCheck.function_scoped_fixture]) for count in (6, 60)
)


@pytest.fixture(autouse=True)
def a_short_life(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> Iterator[None]:
    """Learnings lapse after two briefed runs, so that short histories hold whole lives; the clock stands still."""
    monkeypatch.setattr(lifecycle, "RUNS", 2)
    yield


def assert_as_naive(home: Home, reports: Reports) -> None:
    said = naive.all_said(home, reports, {REFUSED})
    assert learnings(home) == naive.learnings(home, said)
    told = [{name: row[name] for name in row if name not in ("reason", "original_sha256")} for row in lines(home, "re")]
    assert told == naive.refusals(said)

    def ordered(rows: naive.Rows) -> naive.Rows:
        return sorted(rows, key=lambda row: (row["campaign"], row["rig"], row["ledger"], row["run"], row["request"]))

    asked = naive.requests(home, said)
    found = [row | {"detail": row["detail"]} for row in requests(home)]
    assert ordered(found) == ordered(asked)


def assert_same_from_scratch(home: Home, reports: Reports) -> None:
    stepwise = files(home)
    assert not channels_behind(home.opened)
    assert_as_naive(home, reports)
    refresh_channels(home.opened, whole=True)
    assert files(home) == stepwise
    for rig in RIGS:
        EventWriter(home.control, home.lake, rig).rebuild()
    refresh_channels(home.opened)
    assert files(home) == stepwise


def with_people(ready_record: Path, clock: Clock, story: Any) -> None:
    reports, steps = story
    clock.now = NOW
    with TemporaryDirectory() as path:
        home = with_key(make_home(Path(path), ready_record))
        begin(home, reports)
        play(home, steps, clock)
        finish(home)
        assert_same_from_scratch(home, reports)
        home.close()


def two_ways(ready_record: Path, clock: Clock, story: tuple[Reports, list[Step]]) -> None:
    reports, steps = story
    clock.now = NOW
    with TemporaryDirectory() as path:
        stepwise, at_once = (make_home(Path(path, name), ready_record) for name in ("stepwise", "at-once"))
        begin(stepwise, reports)
        play(stepwise, steps, clock)
        found = finish(stepwise)
        begin(at_once, reports)
        play(at_once, [step for step in steps if step.what == "assign"], clock)
        play(at_once, [step for step in reversed(steps) if step.what == "drop"], clock)
        assert finish(at_once) == found
        assert_same_from_scratch(stepwise, reports)
        stepwise.close()
        at_once.close()


@FEW
@given(stories(WITH_PEOPLE))
def test_steps_with_people_in_between_give_a_fold_from_scratch(ready_record: Path, clock: Clock, story: Any) -> None:
    with_people(ready_record, clock, story)


@pytest.mark.full
@MANY
@given(stories(WITH_PEOPLE))
def test_many_steps_with_people_in_between_do(ready_record: Path, clock: Clock, story: Any) -> None:
    with_people(ready_record, clock, story)


@FEW
@given(stories(ALONE))
def test_any_order_of_arrival_gives_the_same_bytes(ready_record: Path, clock: Clock, story: Any) -> None:
    two_ways(ready_record, clock, story)


@pytest.mark.full
@MANY
@given(stories(ALONE))
def test_any_of_many_orders_of_arrival_does(ready_record: Path, clock: Clock, story: Any) -> None:
    two_ways(ready_record, clock, story)
