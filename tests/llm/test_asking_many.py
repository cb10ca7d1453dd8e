"""Many questions at once: as they come, never more at a time than allowed, and none left behind."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.support.models import PARIS, Asked, City, asked_of, question
from tests.support.openai_server import Asked as Request
from tests.support.openai_server import Reply, openai_server, says
from thermite_pipelines.llm.answers import response_format, with_schema
from thermite_pipelines.llm.cache import AnswerCache
from thermite_pipelines.llm.client import LanguageModel
from thermite_pipelines.llm.config import ModelConfig
from thermite_pipelines.llm.errors import BadAnswer
from thermite_pipelines.llm.estimating import most_tokens
from thermite_pipelines.llm.pool import ask_each
from thermite_pipelines.llm.questions import Answer, CallRecord
from thermite_pipelines.tables.lake import Lake


def threads() -> list[str]:
    """Threads that ask."""
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("ask-")]


def test_every_question_gets_its_own_answer_or_error(tmp_path: Path) -> None:
    def script(asked: Request) -> Reply:
        number = int(asked.body["messages"][1]["content"].split()[1].rstrip("?"))
        return Reply("no") if number == 3 else says({"name": "x", "people": number})

    with openai_server(script) as server:
        it = asked_of(server, tmp_path, concurrency=3)
        results = dict(it.model.ask_all([question(number) for number in range(10)]))
        assert server.most_at_once <= 3
    assert sorted(results) == list(range(10))
    assert isinstance(results.pop(3), BadAnswer)
    assert all(isinstance(one, Answer) and one.value.people == place for place, one in results.items())
    assert (it.model.usage.questions, it.model.usage.failed, it.model.usage.calls) == (10, 1, 11)


def test_questions_are_asked_at_the_same_time(tmp_path: Path) -> None:
    together = threading.Barrier(3, timeout=30)

    def script(_: Request) -> Reply:
        together.wait()  # nobody is answered before all three have asked
        return says(PARIS)

    with openai_server(script) as server:
        it = asked_of(server, tmp_path, concurrency=3)
        assert len(list(it.model.ask_all([question(number) for number in range(3)]))) == 3
        assert server.most_at_once == 3


def test_the_same_question_is_asked_once_however_many_ask_it(tmp_path: Path) -> None:
    with openai_server([says(PARIS)]) as server:
        it = asked_of(server, tmp_path, concurrency=4)
        assert it.model.estimate([question(1)] * 8).calls == 1
        results = dict(it.model.ask_all([question(1)] * 8))
        assert len(server.asked) == 1
    assert (len(results), sorted(it.outcomes)) == (8, ["answered"] + ["cached"] * 7)


def test_an_answer_is_cached_before_it_is_given(tmp_path: Path) -> None:
    questions = [question(number) for number in range(4)]
    cache = AnswerCache(Lake(str(tmp_path)))
    with openai_server([says(PARIS)]) as server:
        it = asked_of(server, tmp_path)
        for place, _ in it.model.ask_all(questions):
            assert cache.find(["openai/first"], questions[place]) is not None


def test_who_stops_early_leaves_no_call_running_and_loses_no_answer(tmp_path: Path) -> None:
    with openai_server([says(PARIS)]) as server:
        it = asked_of(server, tmp_path, concurrency=2)
        results = it.model.ask_all([question(number) for number in range(50)])
        next(results)
        results.close()  # type: ignore[attr-defined]
        asked = len(server.asked)
        assert (threads(), asked < 50) == ([], True)
        # Whatever was asked was kept and recorded.
        assert it.outcomes == ["answered"] * asked
        assert len(list(tmp_path.rglob("*.json"))) == asked


def test_who_stops_early_does_not_wait_for_waits_between_attempts(tmp_path: Path) -> None:
    def script(asked: Request) -> Reply:
        return says(PARIS) if "City 0?" in asked.last else Reply(status=429, body={}, headers={"Retry-After": "500"})

    records: list[CallRecord] = []
    with openai_server(script) as server:
        config = ModelConfig(("openai/first",), server.url, concurrency=2, deadline_seconds=1000)
        model = LanguageModel(config, AnswerCache(Lake(str(tmp_path))), records.append)
        results = model.ask_all([question(1), question(0)])
        assert next(results)[0] == 1
        results.close()  # type: ignore[attr-defined]
    assert sorted(record.outcome for record in records) in (["answered"], ["answered", "unavailable"])


def test_an_error_that_is_no_models_reaches_who_takes_the_answers(tmp_path: Path) -> None:
    def full(_: CallRecord) -> None:
        raise OSError("no space")

    with openai_server([says(PARIS)]) as server:
        config = ModelConfig(("openai/first",), server.url)
        model = LanguageModel(config, AnswerCache(Lake(str(tmp_path))), full)
        with pytest.raises(OSError, match="no space"):
            list(model.ask_all([question(number) for number in range(9)]))
        assert threads() == []


def test_threads_do_not_run_far_ahead_of_who_takes_the_answers() -> None:
    begun = threading.Semaphore(0)

    def ask(number: int, _: threading.Event) -> int:
        begun.release()
        return number

    results = ask_each(range(100), ask, 2)
    next(results)
    # One was taken, two lie ready, and each of two threads holds one more.
    assert all(begun.acquire(timeout=30) for _ in range(5))
    assert not begun.acquire(timeout=0.3)
    results.close()  # type: ignore[attr-defined]


def test_no_questions_need_no_threads_and_no_litellm(tmp_path: Path) -> None:
    assert list(asked_of("http://127.0.0.1:9", tmp_path).model.ask_all([])) == []


def test_an_estimate_counts_calls_that_are_not_cached_and_is_no_less_than_the_bill(tmp_path: Path) -> None:
    questions = [question(number) for number in range(5)]
    with openai_server([says(PARIS, usage=(70, 20))]) as server:
        it = asked_of(server, tmp_path, price=(1.0, 2.0))
        it.model.ask(questions[0])
        before = it.model.estimate(questions)
        assert (before.calls, before.cached, before.tokens_out) == (4, 1, 400)
        list(it.model.ask_all(questions))
        after = it.model.estimate(questions)
        assert len(server.asked) == 5
    usage = it.model.usage
    assert before.usd is not None and before.usd >= usage.usd - (70 + 40) / 1e6 > 0
    assert before.tokens == before.tokens_in + 400 > 4 * 90
    assert before.usd == pytest.approx((before.tokens_in + 2 * 400) / 1e6)
    # No less than what the budget sets aside for each.
    left = [with_schema(one.messages, one.answer) for one in questions[1:]]
    assert before.tokens_in == sum(most_tokens(one, response_format(City)) for one in left)
    assert (after.calls, after.cached, after.tokens, after.usd) == (0, 5, 0, 0.0)


def test_an_estimate_without_a_price_has_no_cost(tmp_path: Path) -> None:
    it: Asked = asked_of("http://127.0.0.1:9", tmp_path)
    made = it.model.estimate([question()])
    assert (made.calls, made.usd, it.records) == (1, None, [])


UNTOUCHED = """
import sys
from pathlib import Path
from tests.support.models import asked_of, question, City
import thermite_pipelines.llm.prompts
from thermite_pipelines.llm.cache import AnswerCache
from thermite_pipelines.tables.lake import Lake
AnswerCache(Lake(sys.argv[1])).put("gpt-4o-mini", question(), City(name="x", people=1))
it = asked_of("http://127.0.0.1:9", Path(sys.argv[1]), models=("gpt-4o-mini",), budget_usd=1.0)
it.model.check()
assert it.model.estimate([question(), question(1)]).usd
assert it.model.ask(question()).cached and next(it.model.ask_all([question()]))[1].cached
assert not {"litellm", "openai", "httpx", "tiktoken", "dagster"} & set(sys.modules), sys.modules.keys()
"""


def test_cached_answers_checks_and_estimates_do_without_litellm(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", UNTOUCHED, str(tmp_path)], cwd=Path(__file__).parents[2], check=True)
