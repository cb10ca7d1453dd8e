"""The pure decision: what is due, given what is behind, what runs, and the time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.sensors.due import Attempt, Behind, due, failures, wait_until

MINUTE = 60.0
NOW = 1_000_000.0


def attempts(*outcomes: str, ended_at: float = NOW, keys: str | None = None) -> tuple[Attempt, ...]:
    return tuple(Attempt(outcome, ended_at, keys) for outcome in outcomes)


@pytest.mark.parametrize(
    ("outcomes", "minutes"),
    [
        ([], 0),
        (["succeeded"], 0),
        (["failed"], 1),
        (["failed", "failed"], 2),
        (["failed"] * 3, 4),
        (["failed"] * 4, 8),
        (["failed"] * 5, 16),
        (["failed"] * 6, 32),
        (["failed"] * 7, 60),
        (["failed"] * 12, 60),
        (["failed", "succeeded", "failed", "failed"], 1),
        (["succeeded", "failed", "failed"], 0),
        (["died"], 0),  # a killed process is made up for at once
        (["died", "died"], 1),
        (["died", "failed"], 1),
        (["failed", "died", "failed"], 2),
    ],
)
def test_a_failed_attempt_makes_wait(outcomes: list[str], minutes: int) -> None:
    item = Behind("c", "t2", attempts(*outcomes, keys="c@t1#1"))
    start = NOW + minutes * MINUTE
    assert [ask.partition for ask in due([item], (), start)] == ["c"]
    if minutes:
        assert due([item], (), start - 1) == []


def test_a_run_that_reached_nothing_counts_as_failed() -> None:
    item = Behind("c", "t1", attempts("succeeded", keys="c@t1#1"))
    assert due([item], (), NOW + MINUTE - 1) == []
    assert [ask.run_key for ask in due([item], (), NOW + MINUTE)] == ["c@t1#2"]


def test_the_pause_is_for_runs_that_went_well_since_a_time() -> None:
    item = Behind("rig-a", "t2", attempts("succeeded", keys="rig-a@t1#1"))
    assert wait_until(item, pause=MINUTE) == NOW + MINUTE
    assert wait_until(item, pause=MINUTE, pause_from=NOW + 1) == NOW
    failed = Behind("rig-a", "t2", attempts("failed"))
    assert wait_until(failed, pause=10 * MINUTE) == NOW + MINUTE


def test_keys_are_new_whatever_was_spent() -> None:
    spent = Attempt("failed", 0, "c@t1#3"), Attempt("failed", 0, "c@t1#x"), Attempt("failed", 0, "c@t10#9")
    assert Behind("c", "t1", spent).next_key == "c@t1#4"
    assert Behind("c", "t1", spent, frozenset(["c@t1#7", "other@t1#9"])).next_key == "c@t1#8"
    assert Behind("c", "t2", spent).next_key == "c@t2#1"


def test_those_whose_wait_is_over_longest_come_first() -> None:
    items = [
        Behind("late", "t", attempts("failed", ended_at=NOW)),
        Behind("early", "t", attempts("failed", ended_at=NOW - 100)),
        Behind("new", "t"),
        Behind("running", "t"),
    ]
    assert [ask.partition for ask in due(items, {"running"}, NOW + MINUTE)] == ["new", "early", "late"]
    assert [ask.partition for ask in due(items, {"running"}, NOW + MINUTE, most=2)] == ["new", "early"]


times = st.floats(0, 2 * NOW, allow_nan=False)
outcome = st.sampled_from(["succeeded", "failed", "died"])
targets = st.sampled_from(["t1", "t2"])


@st.composite
def behind(draw: st.DrawFn) -> Behind:
    partition = draw(st.sampled_from("abcdefgh"))
    keys = st.none() | st.builds(lambda t, n: f"{partition}@{t}#{n}", targets, st.integers(1, 9))
    made = draw(st.lists(st.builds(Attempt, outcome, times, keys), max_size=12))
    return Behind(partition, draw(targets), tuple(made))


items = st.lists(behind(), unique_by=lambda item: item.partition, max_size=8)


@given(items, st.sets(st.sampled_from("abcdefgh")), times, st.integers(1, 9))
def test_laws(items: list[Behind], in_flight: set[str], now: float, most: int) -> None:
    asks = due(items, in_flight, now, most=most)
    by_name = {item.partition: item for item in items}
    assert len(asks) <= most
    assert len({ask.partition for ask in asks}) == len(asks)
    for ask in asks:
        item = by_name[ask.partition]
        assert ask.partition not in in_flight
        assert ask.run_key not in {attempt.run_key for attempt in item.attempts}
        assert ask.run_key.startswith(f"{item.partition}@{item.target}#")
    # Asking changes nothing, the order of what is behind neither.
    assert due(list(reversed(items)), in_flight, now, most=most) == asks
    # Nothing waits longer than an hour after its last attempt.
    later = max((item.attempts[0].ended_at for item in items if item.attempts), default=0.0) + 3600
    assert {ask.partition for ask in due(items, (), max(now, later))} == set(by_name)


@given(behind(), times)
def test_a_new_target_shortens_no_wait_of_failures(item: Behind, now: float) -> None:
    """Failures count whatever they were at; only a success at an older target ends them."""
    other = Behind(item.partition, "t9", item.attempts)
    if all(attempt.outcome != "succeeded" for attempt in item.attempts):
        assert failures(other) == failures(item)
        assert wait_until(other) == wait_until(item)
