"""A budget is never exceeded: what a call can cost at most is set aside before it, and settled after."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.models import PARIS, City, asked_of, question
from tests.support.openai_server import Reply, fails, openai_server, says
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.answers import response_format, with_schema
from thermite_pipelines.llm.budget import Budget
from thermite_pipelines.llm.errors import BudgetReached, ModelError
from thermite_pipelines.llm.estimating import most_tokens
from thermite_pipelines.llm.questions import Answer, Question

PRICE = (1.0, 2.0)
COST = (10 * 1.0 + 5 * 2.0) / 1e6


def most(asked: Question[Any]) -> float:
    """The greatest possible cost of the first call of a question, in USD."""
    sent = most_tokens(with_schema(asked.messages, asked.answer), response_format(City))
    return (sent * 1.0 + asked.max_tokens * 2.0) / 1e6


MOST = most(question())


def numbers(asked: list[tuple[int, Answer[City] | ModelError]]) -> tuple[int, int]:
    """How many answers and how many that the budget left out."""
    answers = sum(isinstance(one, Answer) for _, one in asked)
    left = sum(isinstance(one, BudgetReached) for _, one in asked)
    assert answers + left == len(asked)
    return answers, left


def test_calls_go_on_while_the_next_one_has_room_whatever_it_costs(tmp_path: Path) -> None:
    with openai_server([says(PARIS)]) as server:
        it = asked_of(server, tmp_path, price=PRICE, budget_usd=MOST + 3.5 * COST, concurrency=1)
        assert numbers(list(it.model.ask_all([question(number) for number in range(8)]))) == (4, 4)
        assert len(server.asked) == 4
        assert it.model.budget.spent == pytest.approx(4 * COST)
        assert it.outcomes == ["answered"] * 4 + ["budget"] * 4
        assert [record.attempts for record in it.records] == [1] * 4 + [0] * 4
        # What is known costs nothing, so it still comes.
        assert it.model.ask(question(0)).cached
        with pytest.raises(BudgetReached, match="THERMITE_LLM_BUDGET_USD"):
            it.model.ask(question(9, max_tokens=1))
        assert len(server.asked) == 4


def test_with_several_at_once_a_call_waits_for_what_others_give_back(tmp_path: Path) -> None:
    with openai_server([says(PARIS)]) as server:
        it = asked_of(server, tmp_path, price=PRICE, budget_usd=MOST + 3.5 * COST, concurrency=4)
        assert numbers(list(it.model.ask_all([question(number) for number in range(8)]))) == (4, 4)
        # Only one at a time had room.
        assert (len(server.asked), server.most_at_once) == (4, 1)
        assert it.model.budget.spent == pytest.approx(4 * COST)


@pytest.mark.parametrize("concurrency", [1, 4])
def test_answers_as_dear_as_can_be_do_not_exceed_it(tmp_path: Path, concurrency: int) -> None:
    budget = 3.5 * MOST

    with openai_server([says(PARIS, usage=(round(MOST * 1e6) - 200, 100))]) as server:
        it = asked_of(server, tmp_path, price=PRICE, budget_usd=budget, concurrency=concurrency)
        numbers(list(it.model.ask_all([question(number) for number in range(8)])))
        paid = sum(record.usd or 0.0 for record in it.records)
    assert len(server.asked) == 3
    assert paid == pytest.approx(it.model.budget.spent)
    assert paid <= budget


@pytest.mark.parametrize("reply", [says(PARIS, usage=None), Reply("{}", wait=20), says(PARIS, cut=30), fails(500)])
def test_a_call_of_unknown_cost_stays_charged_at_its_greatest(tmp_path: Path, reply: Reply) -> None:
    with openai_server([reply]) as server:
        it = asked_of(server, tmp_path, price=PRICE, budget_usd=2.5 * MOST, timeout_seconds=0.2, concurrency=1)
        results = list(it.model.ask_all([question(number) for number in range(3)]))
        assert isinstance(results[-1][1], BudgetReached)
        assert len(server.asked) == 2
    assert it.model.budget.spent == pytest.approx(2 * MOST)
    assert it.records[0].usd is None


@pytest.mark.parametrize("status", [429, 503])
def test_what_a_server_did_not_begin_costs_nothing(tmp_path: Path, status: int) -> None:
    with openai_server([*[fails(status)] * 3, says(PARIS)]) as server:
        it = asked_of(server, tmp_path, price=PRICE, budget_usd=1.5 * MOST)
        assert it.model.ask(question()).usd == pytest.approx(COST)
    assert it.model.budget.spent == pytest.approx(COST)


def test_a_repair_question_needs_room_too(tmp_path: Path) -> None:
    with openai_server([Reply("no", usage=None), says(PARIS)]) as server:
        it = asked_of(server, tmp_path, price=PRICE, budget_usd=1.5 * MOST)
        with pytest.raises(BudgetReached):
            it.model.ask(question())
        assert (len(server.asked), it.outcomes, it.records[0].attempts) == (1, ["budget"], 1)


def test_models_of_one_run_share_a_budget(tmp_path: Path) -> None:
    budget = Budget(MOST + 0.5 * COST)
    with openai_server([says(PARIS)]) as server:
        first, second = (asked_of(server, tmp_path / str(n), price=PRICE, budget=budget) for n in range(2))
        first.model.ask(question())
        with pytest.raises(BudgetReached):
            second.model.ask(question())
        assert len(server.asked) == 1


def test_a_budget_without_a_price_asks_nobody_and_names_the_setting(tmp_path: Path) -> None:
    with openai_server([says(PARIS)]) as server:
        it = asked_of(server, tmp_path, models=("gpt-4o-mini", "openai/unheard-of"), budget_usd=1.0)
        for act in (it.model.check, lambda: it.model.ask(question()), lambda: list(it.model.ask_all([question()]))):
            with pytest.raises(ThermiteError, match=r"openai/unheard-of.*THERMITE_LLM_PRICE"):
                act()
        assert (server.asked, it.records) == ([], [])


def test_without_a_price_and_a_budget_the_cost_is_unknown_not_zero(tmp_path: Path) -> None:
    with openai_server([says(PARIS)]) as server:
        it = asked_of(server, tmp_path)
        answer = it.model.ask(question())
    assert (answer.usd, answer.tokens_in, it.model.usage.unknown, it.model.usage.tokens_in) == (None, 10, 1, 10)


@pytest.mark.parametrize(("price", "paid"), [(None, (0.15, 0.6)), ((100.0, 200.0), (100.0, 200.0))])
def test_at_another_address_the_price_that_is_given_comes_before_litellms_own(
    tmp_path: Path, price: tuple[float, float] | None, paid: tuple[float, float]
) -> None:
    with openai_server([says(PARIS, usage=(1000, 100))]) as server:
        it = asked_of(server, tmp_path, models=("openai/gpt-4o-mini",), price=price, budget_usd=1.0)
        answer = it.model.ask(question())
    assert answer.usd == pytest.approx((1000 * paid[0] + 100 * paid[1]) / 1e6)
