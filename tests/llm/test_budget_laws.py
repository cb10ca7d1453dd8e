"""Whatever is set aside and settled, in whatever order and by whatever threads, the limit holds."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.llm.budget import Budget

COSTS = st.floats(0, 3, allow_nan=False)


@given(st.floats(0.1, 10), st.lists(st.tuples(COSTS, st.none() | st.floats(0, 1))))
def test_what_is_charged_never_exceeds_the_limit(limit: float, calls: list[tuple[float, float | None]]) -> None:
    budget = Budget(limit)
    for most, share in calls:
        if budget.set_aside(most):
            budget.settle(most, None if share is None else most * share)
        assert budget.spent <= limit


@given(st.lists(COSTS, min_size=1, max_size=12), st.floats(0.5, 6))
def test_threads_together_keep_to_it(costs: list[float], limit: float) -> None:
    budget = Budget(limit)
    lock = threading.Lock()
    flying: list[float] = []
    excess: list[float] = []

    def call(most: float) -> None:
        if budget.set_aside(most):
            with lock:
                flying.append(most)
                excess.append(sum(flying) - limit)
                flying.remove(most)
            budget.settle(most, most / 2)

    threads = [threading.Thread(target=call, args=(most,)) for most in costs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert budget.spent <= limit
    assert all(over <= 1e-9 for over in excess)


def test_without_a_limit_all_has_room() -> None:
    budget = Budget(None)
    assert budget.set_aside(1e9)
    budget.settle(1e9, None)
    assert (budget.spent, budget.reached) == (0.0, False)


def test_a_call_that_waits_gets_the_room_that_another_gives_back() -> None:
    budget = Budget(1.0)
    assert budget.set_aside(0.9)
    got: list[bool] = []
    waiting = threading.Thread(target=lambda: got.append(budget.set_aside(0.5)))
    waiting.start()
    budget.settle(0.9, 0.1)
    waiting.join(30)
    assert (got, budget.reached) == ([True], False)


def test_a_call_that_waits_in_vain_reaches_the_budget() -> None:
    budget = Budget(1.0)
    assert budget.set_aside(0.9)
    got: list[bool] = []
    waiting = threading.Thread(target=lambda: got.append(budget.set_aside(0.5)))
    waiting.start()
    budget.settle(0.9, None)
    waiting.join(30)
    assert (got, budget.reached, budget.spent) == ([False], True, pytest.approx(0.9))
    assert not budget.set_aside(0.0)


def test_a_wait_ends_when_nobody_wants_the_answer() -> None:
    budget = Budget(1.0)
    stop = threading.Event()
    stop.set()
    assert not budget.set_aside(0.1, stop)
    assert not budget.reached
