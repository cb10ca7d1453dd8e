"""Who answers: rules by default, without a network, or the one model that the settings name, through one client."""

import ast
import json
from pathlib import Path

import pytest

from tests.atoms.talking import opened
from tests.project.tree import PACKAGE
from tests.support.homes import Home
from tests.support.models import asked_of
from tests.support.network import no_network
from tests.support.openai_server import openai_server, says
from tests.synthesis import making
from tests.synthesis.asked import ANSWERS, ITEMS, NEW, SESSION, distills, said_to
from tests.synthesis.working import RULES, Engine, decided, fact, facts, groups, started
from thermite_pipelines.resources.llm import model_of
from thermite_pipelines.settings import Settings
from thermite_pipelines.synthesis import chunking, gate, rules
from thermite_pipelines.synthesis.answerer import Estimates
from thermite_pipelines.synthesis.answering import RulesAnswerer, answerer_of
from thermite_pipelines.synthesis.asking import ModelAnswerer
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.prompting import Prompts
from thermite_pipelines.synthesis.relevance import Methodologies
from thermite_pipelines.synthesis.work import StepType

CLIENTS = {"litellm", "openai", "anthropic", "httpx", "requests", "aiohttp", "urllib3"}


@pytest.fixture(autouse=True)
def a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")


def test_sy_43_by_default_rules_answer_whole_sessions_without_a_network(home: Home) -> None:
    model = model_of(opened(home))
    assert model is None and Settings.model_fields["llm_model"].default == "rules"
    with no_network():
        answerer = answerer_of(model, Prompts())
        queue, turn = started(home, Engine(groups(6)))
        answerer.ahead(turn.session, [])
        while turn.item is not None:
            answered = answerer.answer(turn.session, turn.item)
            assert answered.by == RULES
            turn = queue.answer(turn.session.session, answered.text, turn.item.item, by=answered.by, whole=True)
    assert turn.is_done


@pytest.mark.parametrize("step", ITEMS)
def test_sy_43_rules_are_deterministic_and_pass_the_gate(step: StepType) -> None:
    item = ITEMS[step]
    first, again = RulesAnswerer().answer(SESSION, item), answerer_of(None, Prompts()).answer(SESSION, item, "no")
    assert first == again
    assert first.text == rules.answer_text(step, json.loads(item.facts))
    assert gate.judge(item, first.text).warnings == ()


def test_sy_43_all_calls_go_through_one_client_and_name_the_configured_model(home: Home, tmp_path: Path) -> None:
    with openai_server(distills) as server:
        it = asked_of(server, tmp_path, models=("openai/chosen",))
        answerer = answerer_of(it.model, Prompts())
        queue, turn = started(home, Engine(groups(6)))
        answerer.ahead(turn.session, [turn.item] if turn.item else [])
        while turn.item is not None:
            answered = answerer.answer(turn.session, turn.item)
            turn = queue.answer(turn.session.session, answered.text, turn.item.item, by=answered.by, whole=True)
    assert turn.is_done
    assert len(server.asked) == len(it.records) == len(decided(home)) == 6
    assert {asked.model for asked in server.asked} == {"chosen"}
    assert {record.model for record in it.records} == {"openai/chosen"}


def test_sy_43_no_client_is_imported_but_by_the_one_client() -> None:
    importing = {
        path.relative_to(PACKAGE).parts[0]
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Import) and CLIENTS & {alias.name.split(".")[0] for alias in node.names})
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in CLIENTS)
    }
    assert importing == {"llm"}


def test_both_say_what_they_would_cost(tmp_path: Path) -> None:
    items = chunking.distill_items("distill-c0", facts(1, 2))
    free = answerer_of(None, Prompts())
    assert isinstance(free, Estimates)
    cost = free.estimate("reading", items)
    assert (cost.calls, cost.tokens, cost.usd) == (0, 0, 0.0)
    model = answerer_of(asked_of("http://127.0.0.1:1", tmp_path).model, Prompts())
    assert isinstance(model, ModelAnswerer) and isinstance(model, Estimates)
    assert model.estimate("reading", items).calls == 1


def test_sy_42_a_methodology_is_offered_and_cited_only_where_the_answer_cites_it(tmp_path: Path) -> None:
    method = making.fact(50, type="methodology", title="Vary one thing", domain=("lr",))
    both = [making.fact(number, domain=("lr",)) for number in (1, 2)]
    known = Methodologies([method])
    [new] = chunking.distill_items("distill-c0", both)
    item = ITEMS["distill"]
    item = type(item)(7, "s", new.step, new.key, new.facts, new.inputs, new.priority, new.depth)
    paths = [one.fact for one in both]
    for cited in ([], [method.fact]):
        with openai_server([says({"synthesize": [NEW | {"refs": [*paths, *cited]}], "retract": []})]) as server:
            asked = asked_of(server, tmp_path / str(len(cited)))
            answered = answerer_of(asked.model, Prompts(lambda session, item: known.relevant(both))).answer(
                SESSION, item
            )
        assert f'0.20 "Vary one thing" {method.fact}' in server.asked[0].body["messages"][0]["content"]
        decoded = gate.judge(item, answered.text).answer
        applied, corpus = making.answered("distill", both, decoded, Corpus([*both, method]))
        [written] = [decision.fact for decision in applied.decisions if decision.fact is not None]
        assert written.refs == (*paths, *cited)
        assert any(method.fact in one.refs for one in corpus.live().values()) == bool(cited)


def test_sy_42_what_prompts_offer_stands_in_no_fact_that_is_sent(tmp_path: Path) -> None:
    offered = [(0.7, "Vary one thing", fact(50).fact)]
    with openai_server([says(ANSWERS["distill"])]) as server:
        asked = asked_of(server, tmp_path)
        answered = answerer_of(asked.model, Prompts(lambda session, item: offered)).answer(SESSION, ITEMS["distill"])
    assert said_to(server.asked[0]) == {"facts": json.loads(ITEMS["distill"].facts)}
    assert fact(50).fact not in answered.text
