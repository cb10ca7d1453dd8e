"""What no schema can say is checked by whoever asks: a value that does not pass is repaired once, and never kept."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.models import PARIS, City, asked_of, question
from tests.support.openai_server import Reply, openai_server, says
from thermite_pipelines.llm.answers import WrongForm, parse
from thermite_pipelines.llm.errors import BadAnswer
from thermite_pipelines.llm.questions import Question

EMPTY = {"name": "Paris", "people": 0}


def populated(city: City) -> str | None:
    return None if city.people else "a city has people."


def checked() -> Question[City]:
    return replace(question(), check=populated)


def test_what_does_not_pass_gets_the_repair_question_that_says_why(tmp_path: Path) -> None:
    with openai_server([says(EMPTY), says(PARIS)]) as server:
        it = asked_of(server, tmp_path)
        assert it.model.ask(checked()).value.model_dump() == PARIS
    assert it.outcomes == ["repaired"]
    *_, given, asked = server.asked[1].body["messages"]
    assert (json.loads(given["content"]), given["role"]) == (EMPTY, "assistant")
    assert "a city has people." in asked["content"]


def test_what_does_not_pass_twice_is_an_error_and_is_not_kept(tmp_path: Path) -> None:
    with openai_server([says(EMPTY)]) as server:
        it = asked_of(server, tmp_path)
        with pytest.raises(BadAnswer):
            it.model.ask(checked())
        server.script = [says(PARIS)]
        assert it.model.ask(checked()).cached is False
        assert it.model.ask(checked()).cached is True
    assert (len(server.asked), it.outcomes) == (3, ["bad_answer", "answered", "cached"])


def test_an_answer_kept_under_a_milder_check_counts_as_absent(tmp_path: Path) -> None:
    with openai_server([says(EMPTY), says(PARIS)]) as server:
        it = asked_of(server, tmp_path)
        assert it.model.ask(question()).value.people == 0
        assert it.model.estimate([checked()]).calls == 1
        assert it.model.ask(checked()).value.people == 2
        assert it.model.ask(checked()).cached
    assert len(server.asked) == 2


def test_of_several_values_in_a_text_the_first_that_passes_is_taken() -> None:
    text = f"First:\n```json\n{json.dumps(EMPTY)}\n```\nno, rather\n```json\n{json.dumps(PARIS)}\n```"
    assert parse(text, City, populated).people == 2
    assert parse(text, City).people == 0


def test_a_value_of_the_form_that_does_not_pass_is_told_before_what_has_no_form() -> None:
    text = f"Here:\n```json\n{json.dumps(EMPTY)}\n```"
    with pytest.raises(WrongForm, match=r"a city has people\."):
        parse(text, City, populated)


def test_a_text_without_a_value_is_refused_as_before(tmp_path: Path) -> None:
    with openai_server([Reply("no JSON"), says(PARIS)]) as server:
        it = asked_of(server, tmp_path)
        assert it.model.ask(checked()).value.model_dump() == PARIS
    assert "it is no JSON." in server.asked[1].last
