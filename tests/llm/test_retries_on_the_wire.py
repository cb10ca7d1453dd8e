"""Failures that pass, time-outs, the deadline and fallbacks: how often a server is asked, and after what waits."""

import time
from email.utils import formatdate
from pathlib import Path

import pytest

from tests.support.models import PARIS, asked_of, question
from tests.support.openai_server import Asked, Reply, fails, openai_server, says
from thermite_pipelines.llm.errors import OutOfTime, Unavailable

PRICE = (1.0, 2.0)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504, 529, 408])
def test_a_failure_that_may_pass_is_tried_again_after_a_growing_wait(tmp_path: Path, status: int) -> None:
    with openai_server([fails(status), fails(status), says(PARIS)]) as server:
        it = asked_of(server, tmp_path, price=PRICE)
        answer = it.model.ask(question())
    assert (answer.attempts, len(server.asked), it.outcomes) == (3, 3, ["answered"])
    first, second = it.waits
    assert (0.5 <= first <= 1.0, 1.0 <= second <= 2.0) == (True, True)
    # Of some failures nobody knows whether they cost something: then the sum is not known.
    assert (answer.usd is None) == (status in (500, 502, 504, 408))


def test_attempts_have_an_end(tmp_path: Path) -> None:
    with openai_server([fails(500)]) as server:
        it = asked_of(server, tmp_path, max_attempts=3)
        with pytest.raises(Unavailable, match="after 3 attempts"):
            it.model.ask(question())
    assert (len(server.asked), len(it.waits), it.outcomes, it.records[0].attempts) == (3, 2, ["unavailable"], 3)


def test_retry_after_in_seconds_is_kept_to(tmp_path: Path) -> None:
    with openai_server([fails(429, Retry_After="7"), says(PARIS)]) as server:
        it = asked_of(server, tmp_path)
        it.model.ask(question())
    assert (len(server.asked), 7.0 <= it.waits[0] <= 7.2) == (2, True)


def test_retry_after_as_a_date_is_kept_to(tmp_path: Path) -> None:
    date = formatdate(time.time() + 30, usegmt=True)
    with openai_server([fails(503, Retry_After=date), says(PARIS)]) as server:
        it = asked_of(server, tmp_path)
        it.model.ask(question())
    assert 25.0 <= it.waits[0] <= 31.0


@pytest.mark.parametrize("value", ["soon", "", "-5", "1e3", "½"])
def test_a_senseless_retry_after_is_passed_over(tmp_path: Path, value: str) -> None:
    with openai_server([fails(429, Retry_After=value), says(PARIS)]) as server:
        it = asked_of(server, tmp_path)
        it.model.ask(question())
    assert 0.5 <= it.waits[0] <= 1.0


@pytest.mark.parametrize("value", ["3600", "9" * 30, "9" * 400, "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_wait_beyond_the_deadline_is_not_waited(tmp_path: Path, value: str) -> None:
    with openai_server([fails(429, Retry_After=value)]) as server:
        it = asked_of(server, tmp_path, deadline_seconds=60)
        with pytest.raises(OutOfTime, match="within 60 s: HTTP 429"):
            it.model.ask(question())
    assert (len(server.asked), it.waits, it.outcomes) == (1, [], ["deadline"])


def test_the_deadline_ends_all_attempts_together(tmp_path: Path) -> None:
    with openai_server([fails(429, Retry_After="10")]) as server:
        it = asked_of(server, tmp_path, deadline_seconds=25, max_attempts=99)
        with pytest.raises(OutOfTime):
            it.model.ask(question())
    assert (len(server.asked), sum(it.waits) < 25) == (3, True)


@pytest.mark.parametrize("slow", [Reply("{}", wait=20), says(PARIS, drip=0.02)])
def test_an_answer_that_is_slow_or_trickles_in_is_given_up(tmp_path: Path, slow: Reply) -> None:
    with openai_server([slow, says(PARIS)]) as server:
        it = asked_of(server, tmp_path, price=PRICE, timeout_seconds=0.3)
        started = time.monotonic()
        answer = it.model.ask(question())
        assert time.monotonic() - started < 5
    assert (answer.attempts, len(server.asked), answer.usd, answer.tokens_in) == (2, 2, None, None)


def test_one_call_gets_no_more_time_than_is_left(tmp_path: Path) -> None:
    with openai_server([Reply("{}", wait=20)]) as server:
        it = asked_of(server, tmp_path, timeout_seconds=60, deadline_seconds=0.3)
        started = time.monotonic()
        with pytest.raises(OutOfTime):
            it.model.ask(question())
        assert time.monotonic() - started < 5
        assert len(server.asked) == 1


@pytest.mark.parametrize("broken", [says(PARIS, cut=30), Reply(body="nothing"), Reply(body={"choices": []})])
def test_an_answer_that_breaks_off_or_can_not_be_read_is_asked_for_again(tmp_path: Path, broken: Reply) -> None:
    with openai_server([broken, says(PARIS)]) as server:
        it = asked_of(server, tmp_path, price=PRICE)
        answer = it.model.ask(question())
    assert (answer.value.model_dump(), answer.attempts, answer.usd) == (PARIS, 2, None)


def test_no_server_at_all_costs_nothing(tmp_path: Path) -> None:
    it = asked_of("http://127.0.0.1:9/v1", tmp_path, price=PRICE, budget_usd=1.0, max_attempts=2)
    with pytest.raises(Unavailable, match="no connection"):
        it.model.ask(question())
    assert (it.model.budget.spent, it.records[0].usd) == (0.0, 0.0)


@pytest.mark.parametrize("failure", [fails(500), fails(401), fails(404), fails(429, Retry_After="9999")])
def test_the_next_model_is_asked_where_one_can_not_be_had(tmp_path: Path, failure: Reply) -> None:
    def script(asked: Asked) -> Reply:
        return failure if asked.model == "first" else says(PARIS)

    with openai_server(script) as server:
        it = asked_of(server, tmp_path, models=("openai/first", "openai/second"), max_attempts=2)
        answer = it.model.ask(question())
        assert (answer.model, it.records[0].model) == ("openai/second", "openai/second")
        assert answer.attempts == len(server.asked)
        again = it.model.ask(question())
        assert (again.cached, again.model, again.attempts) == (True, "openai/second", 0)


def test_where_no_model_can_be_had_the_error_says_why_of_each(tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        return fails(401) if asked.model == "first" else fails(404)

    with openai_server(script) as server:
        it = asked_of(server, tmp_path, models=("openai/first", "openai/second"))
        with pytest.raises(Unavailable, match=r"first.* 401.*second.* 404"):
            it.model.ask(question())
    assert len(server.asked) == 2
