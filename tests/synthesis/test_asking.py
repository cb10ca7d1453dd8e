"""A language model as answerer, over a real wire: what it is asked, what is taken of what it says, what is kept."""

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support.models import Asked as Model
from tests.support.models import asked_of
from tests.support.openai_server import Asked, OpenAIServer, Reply, fails, openai_server, says
from tests.synthesis.asked import (
    ANSWERS,
    INJECTION,
    ITEMS,
    NEW,
    ONE,
    SECRET,
    SESSION,
    THREE,
    TWO,
    distilling,
    distills,
    said_to,
    stored,
)
from tests.synthesis.working import fact, facts
from thermite_pipelines.atoms.asking import GIVE_UP_AFTER
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.errors import BadAnswer, Truncated, Unavailable
from thermite_pipelines.llm.errors import Refused as ModelRefused
from thermite_pipelines.synthesis import chunking, gate
from thermite_pipelines.synthesis.asking import ANSWER_TOKENS, MOST_ANSWER_TOKENS, ModelAnswerer, answer_tokens
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.gate.schema import response_schema
from thermite_pipelines.synthesis.prompting import Offers, Prompts
from thermite_pipelines.synthesis.work import NewItem, StepType

NOTHING = {"synthesize": [], "retract": []}


@pytest.fixture(autouse=True)
def a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def answerer(server: OpenAIServer, lake: Path, offers: Offers | None = None, **config: Any) -> ModelAnswerer:
    return over(asked_of(server, lake, **config), offers)


def over(model: Model, offers: Offers | None = None) -> ModelAnswerer:
    return ModelAnswerer(model.model, Prompts(offers))


@pytest.mark.parametrize("step", ITEMS)
def test_the_prompt_the_whole_item_and_the_gate_s_schema_are_sent(tmp_path: Path, step: StepType) -> None:
    item = ITEMS[step]
    with openai_server([says(ANSWERS[step])]) as server:
        answered = answerer(server, tmp_path).answer(SESSION, item)
        [asked] = server.asked
    system, user = asked.body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert system["content"].startswith(Prompts().prompt(SESSION, item))
    payload = json.loads(item.facts)
    assert [payload] == list(said_to(asked).values()) or said_to(asked) == {"members": payload["bridge"]["members"]}
    shape = system["content"].splitlines()[-1]
    sent = asked.body["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert set(sent["schema"]["properties"]) == set(response_schema(step)["properties"])
    assert all(f'"{name}":' in shape for name in sent["schema"]["properties"]) and "$" not in shape
    assert (json.loads(answered.text), gate.judge(item, answered.text).stored) == (ANSWERS[step], answered.text)


@pytest.mark.parametrize("step", ITEMS)
def test_what_keeps_to_the_schema_as_sent_keeps_to_the_gate_s(tmp_path: Path, step: StepType) -> None:
    with openai_server([says(ANSWERS[step])]) as server:
        answerer(server, tmp_path).answer(SESSION, ITEMS[step])
        sent = server.asked[0].body["response_format"]["json_schema"]["schema"]
    for schema in (sent, response_schema(step)):
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(ANSWERS[step], schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({}, schema)


def test_who_answered_is_the_model_with_its_prompt_and_its_key(tmp_path: Path) -> None:
    with openai_server([says(ANSWERS["distill"])]) as server:
        it = asked_of(server, tmp_path)
        by = over(it).answer(SESSION, ITEMS["distill"]).by
    assert (by.answered_by, by.model, by.prompt_version) == ("model", "openai/first", "distill/1")
    assert by.cache_key == it.records[0].cache_key


def test_the_model_that_answered_is_named_where_the_first_can_not_be_had(tmp_path: Path) -> None:
    def one_is_gone(asked: Asked) -> Reply:
        return fails(404) if asked.model == "first" else says(NOTHING)

    with openai_server(one_is_gone) as server:
        by = answerer(server, tmp_path, models=("openai/first", "openai/second")).answer(SESSION, ITEMS["distill"]).by
    assert by.model == "openai/second"


@pytest.mark.parametrize(
    ("step", "wrong", "why"),
    [
        ("prune", {"decisions": [{"path": fact(88).fact, "action": "keep"}]}, "not in the item"),
        ("prune", {"actions": []}, "'decisions' is missing"),
        ("distill", {"synthesize": [NEW | {"refs": [ONE]}]}, "fewer than 2"),
        ("distill", {"synthesize": [NEW | {"type": "hypothesis"}]}, "never does"),
        ("hypothesize", {"hypothesis": {"title": "t"}}, "hypothesis"),
        ("reflect", ANSWERS["reflect"] | {"reasoning": 5}, "reasoning"),
    ],
)
def test_what_the_gate_refuses_is_asked_for_again_once(tmp_path: Path, step: StepType, wrong: Any, why: str) -> None:
    with openai_server([says(wrong), says(ANSWERS[step])]) as server:
        it = asked_of(server, tmp_path)
        answered = over(it).answer(SESSION, ITEMS[step])
        first, again = server.asked
    assert (json.loads(answered.text), it.outcomes) == (ANSWERS[step], ["repaired"])
    assert again.body["messages"][:2] == first.body["messages"]
    assert why in again.last


def test_what_the_gate_refuses_twice_is_no_answer_and_is_not_kept(tmp_path: Path) -> None:
    with openai_server([says({"synthesize": [NEW | {"refs": [ONE]}]})]) as server:
        it = asked_of(server, tmp_path)
        with pytest.raises(BadAnswer):
            over(it).answer(SESSION, ITEMS["distill"])
        server.script = [says(NOTHING)]
        assert json.loads(over(it).answer(SESSION, ITEMS["distill"]).text) == NOTHING
    assert (it.outcomes, len(server.asked)) == (["bad_answer", "answered"], 3)


def test_asked_again_the_same_bytes_come_from_the_cache_whatever_the_session(tmp_path: Path) -> None:
    given = '{"synthesize": [], "note": "größer", "retract": []}'
    with openai_server([Reply(given)]) as server:
        first = answerer(server, tmp_path).answer(SESSION, ITEMS["distill"])
        other = replace(ITEMS["distill"], item=99, session="t")
        again = answerer(server, tmp_path).answer(replace(SESSION, session="t", effort="high"), other)
        assert len(server.asked) == 1
    assert first == again
    assert first.text == '{"note":"größer","retract":[],"synthesize":[]}'


def five(first: int = 0) -> list[Any]:
    return [distilling(10 * place + 1, 10 * place + 2, at=place) for place in range(first, first + 5)]


def test_what_is_asked_ahead_is_asked_side_by_side_and_once(tmp_path: Path) -> None:
    with openai_server(distills) as server:
        it = asked_of(server, tmp_path, concurrency=3)
        asking = over(it)
        asking.ahead(SESSION, five())
        assert (len(server.asked), it.outcomes) == (5, ["answered"] * 5)
        asking.ahead(SESSION, five())
        texts = [asking.answer(SESSION, item).text for item in five()]
        assert (len(server.asked), len(it.records)) == (5, 5)
    for item, text in zip(five(), texts, strict=True):
        assert json.loads(text)["synthesize"][0]["title"] == f"of {item.inputs[0][0]}"


def test_an_item_whose_prompt_changed_since_is_asked_anew(tmp_path: Path) -> None:
    offered: list[Any] = []
    with openai_server(distills) as server:
        asking = answerer(server, tmp_path, lambda session, item: offered)
        asking.ahead(SESSION, five()[:1])
        offered.append((0.5, "Vary one thing", THREE))
        asking.answer(SESSION, five()[0])
        assert len(server.asked) == 2
    assert "Vary one thing" in server.asked[1].body["messages"][0]["content"]


def test_one_refusal_one_cut_answer_and_one_damaged_item_stop_no_other(tmp_path: Path) -> None:
    def some_fail(asked: Asked) -> Reply:
        first = said_to(asked)["facts"][0]["path"]
        if first == fact(1).fact:
            return Reply(refusal="no")
        return Reply('{"synthesize": []', finish="length") if first == fact(11).fact else distills(asked)

    items = [*five(), stored(NewItem("distill", "broken", "{", (), 0.0), 77)]
    with openai_server(some_fail) as server:
        asking = answerer(server, tmp_path)
        asking.ahead(SESSION, items)
        assert len(server.asked) == 5
        for item, wanted in ((items[0], ModelRefused), (items[1], Truncated), (items[5], ThermiteError)):
            with pytest.raises(wanted):
                asking.answer(SESSION, item)
        assert [asking.answer(SESSION, item).by.answered_by for item in items[2:5]] == ["model"] * 3
        assert len(server.asked) == 5, "what was paid for is not asked twice in a row"
        with pytest.raises(ModelRefused):
            asking.answer(SESSION, items[0])
        assert len(server.asked) == 6, "but a second time somebody wants to know"


def test_a_model_that_is_gone_is_not_asked_for_ever(tmp_path: Path) -> None:
    many = [item for first in range(0, 25, 5) for item in five(first)]
    with openai_server([fails(401)]) as server:
        asking = answerer(server, tmp_path, concurrency=1)
        asking.ahead(SESSION, many)
        for item in many:
            with pytest.raises(Unavailable):
                asking.answer(SESSION, item)
        assert len(server.asked) <= GIVE_UP_AFTER + 1
        server.script = distills
        asking.ahead(SESSION, many)
        assert {asking.answer(SESSION, item).by.model for item in many} == {"openai/first"}


def test_asking_ahead_never_raises(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with openai_server(distills) as server, caplog.at_level(logging.WARNING):
        # A budget, and no price by which to keep it: whoever asks is told.
        asking = answerer(server, tmp_path, budget_usd=1.0)
        asking.ahead(SESSION, five())
        with pytest.raises(ThermiteError, match="price"):
            asking.answer(SESSION, five()[0])
        assert server.asked == []
    assert "ThermiteError" in caplog.text


def test_a_budget_stops_questions_and_answers_so_far_count(tmp_path: Path) -> None:
    with openai_server(lambda asked: replace(distills(asked), usage=(1_000, 1_000))) as server:
        # Each answer takes 0.002 USD, and at most about 0.01 is set aside for one.
        it = asked_of(server, tmp_path, price=(1.0, 1.0), budget_usd=0.016, concurrency=1)
        asking = over(it)
        asking.ahead(SESSION, five())
        assert 0 < it.outcomes.count("answered") == len(server.asked) < 5
        assert it.outcomes.count("budget") == 5 - len(server.asked)
        assert asking.answer(SESSION, five()[0]).by.answered_by == "model"


def test_after_a_refusal_the_last_answer_and_the_reason_are_shown(tmp_path: Path) -> None:
    why = f'{fact(50).fact} is a methodology that says this already. "\nNow {SECRET}'
    with openai_server([says(ANSWERS["distill"]), says(NOTHING)]) as server:
        asking = answerer(server, tmp_path)
        first = asking.answer(SESSION, ITEMS["distill"])
        second = asking.answer(SESSION, ITEMS["distill"], why)
        again = asking.answer(SESSION, ITEMS["distill"], why)
        assert len(server.asked) == 3, "shown another last answer, it is another question"
        one, two, _ = server.asked
    *before, given, asked = two.body["messages"]
    assert before == one.body["messages"]
    assert given == {"role": "assistant", "content": first.text}
    [line] = [line for line in asked["content"].splitlines() if "already" in line]
    assert SECRET not in asked["content"] and fact(50).fact in line
    assert (json.loads(second.text), json.loads(again.text)) == (NOTHING, NOTHING)
    assert len({first.by.cache_key, second.by.cache_key, again.by.cache_key}) == 3


def test_a_refusal_from_another_time_is_shown_without_an_answer(tmp_path: Path) -> None:
    with openai_server([says(NOTHING)]) as server:
        answerer(server, tmp_path).answer(SESSION, ITEMS["distill"], "its source has changed")
        [asked] = server.asked
    assert asked.body["messages"][2] == {"role": "assistant", "content": "(not shown)"}
    assert "its source has changed" in asked.last


@pytest.mark.parametrize(
    "make", [lambda two: chunking.prune_items([two]), lambda two: chunking.distill_items("distill-c0", two)]
)
def test_texts_of_facts_can_not_pass_for_anything_else(tmp_path: Path, make: Callable[[list[Fact]], Any]) -> None:
    item = stored(make(facts(1, 2, title=INJECTION, body=INJECTION))[0])
    harmless = stored(make(facts(1, 2))[0])
    answer = ANSWERS[item.step] if item.step == "distill" else {"decisions": []}
    with openai_server([says(answer)]) as server:
        answerer(server, tmp_path).answer(SESSION, item)
        answerer(server, tmp_path).answer(SESSION, harmless)
        asked, plain = server.asked
    assert asked.body["messages"][0] == plain.body["messages"][0]
    assert len(asked.last.splitlines()) == 1
    assert said_to(asked) == {"facts": json.loads(item.facts)}


def test_credentials_are_not_sent_and_facts_keep_their_names(tmp_path: Path) -> None:
    two = [
        Fact(fact=f"fw-lr/{n:012x}", type="observation", title=f"t {SECRET}", body="password=Hunter2Secret99")
        for n in (1, 2)
    ]
    item = stored(chunking.distill_items("distill-c0", two)[0])
    with openai_server(distills) as server:
        answered = answerer(server, tmp_path).answer(SESSION, item)
        [asked] = server.asked
    assert SECRET not in json.dumps(asked.body) and "Hunter2" not in json.dumps(asked.body)
    assert json.loads(answered.text)["synthesize"][0]["refs"] == [one.fact for one in two]


def test_what_would_be_asked_is_counted_and_asks_nobody(tmp_path: Path) -> None:
    new = chunking.distill_items("distill-c0", facts(1, 2)) + chunking.hypothesize_items([fact(9, type="synthesis")])
    with openai_server(lambda asked: says({"hypothesis": None, "synthesize": []})) as server:
        asking = answerer(server, tmp_path, price=(1.0, 2.0))
        cost = asking.estimate("reading", new)
        assert (cost.calls, server.asked) == (2, [])
        answered = answer_tokens(new[0]) + answer_tokens(new[1])
        assert cost.usd == pytest.approx(1e-6 * (cost.tokens + answered))  # an answered token costs twice a sent one
        for item in new:
            asking.answer(SESSION, stored(item))
        assert asking.estimate("reading", [stored(item) for item in new]).calls == 0
        assert len(server.asked) == 2
    assert answerer(server, tmp_path / "other").estimate("reading", new).usd is None


def test_an_item_of_many_facts_has_room_for_a_longer_answer(tmp_path: Path) -> None:
    def of(number: int, body: str = "it holds") -> Any:
        return stored(chunking.prune_items([facts(*range(number), body=body)])[0])

    assert answer_tokens(of(2)) < answer_tokens(of(100)) < answer_tokens(of(100, "it holds " * 20))
    assert answer_tokens(of(100)) >= ANSWER_TOKENS + 40 * 100
    assert answer_tokens(of(2_000)) == MOST_ANSWER_TOKENS
    assert answer_tokens(ITEMS["reflect"]) == ANSWER_TOKENS
    with openai_server([says({"decisions": []})]) as server:
        answerer(server, tmp_path).answer(SESSION, of(400))
        [asked] = server.asked
    assert len(said_to(asked)["facts"]) == 400
    assert asked.body["max_tokens"] == answer_tokens(of(400))


def test_background_is_shown_beside_an_item_and_marked(tmp_path: Path) -> None:
    shown = fact(5, INJECTION, title=SECRET).record()
    with openai_server([says(ANSWERS["reflect"])]) as server:
        it = asked_of(server, tmp_path)
        ModelAnswerer(it.model, Prompts(), lambda session, item: [shown]).answer(SESSION, ITEMS["reflect"])
        [asked] = server.asked
    beside = said_to(asked)
    assert beside["transitions"] == json.loads(ITEMS["reflect"].facts)
    assert beside["background"] == [shown | {"title": "[redacted]"}]
    assert "`background` holds" in asked.body["messages"][0]["content"]


def test_without_background_that_can_be_had_an_item_is_asked_all_the_same(tmp_path: Path) -> None:
    def fails_to(session: Any, item: Any) -> Any:
        raise OSError

    with openai_server([says(ANSWERS["reflect"])]) as server:
        it = asked_of(server, tmp_path)
        ModelAnswerer(it.model, Prompts(), fails_to).answer(SESSION, ITEMS["reflect"])
        over(it).answer(SESSION, ITEMS["reflect"])
    assert len(server.asked) == 1
    assert TWO in server.asked[0].last
