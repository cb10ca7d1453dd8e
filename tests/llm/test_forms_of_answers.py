"""Schemas as they are sent, and texts as they are judged: without a server."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from tests.support.growth import assert_in_proportion
from thermite_pipelines.llm.answers import WrongForm, parse, repair, response_format, schema_of, with_schema


class Part(BaseModel):
    """A part."""

    title: str = Field(description="its name")
    marks: list[str] = []


class Whole(BaseModel):
    """Parts, one of them alone."""

    parts: list[Part]
    best: Part | None = None
    count: int = 0


class Tree(BaseModel):
    """Contains itself."""

    branches: list["Tree"]


def nodes(value: Any) -> list[dict[str, Any]]:
    """Every object of a JSON value."""
    if isinstance(value, list):
        return [node for item in value for node in nodes(item)]
    if not isinstance(value, dict):
        return []
    return [value, *(node for item in value.values() for node in nodes(item))]


def test_a_schema_is_flat_and_strict() -> None:
    schema = schema_of(Whole)
    text = json.dumps(schema)
    assert "$ref" not in text and "$defs" not in text and '"default"' not in text
    objects = [node for node in nodes(schema) if node.get("type") == "object"]
    assert len(objects) == 3
    for node in objects:
        assert node["required"] == list(node["properties"])
        assert node["additionalProperties"] is False
    part = schema["properties"]["parts"]["items"]
    assert part["properties"]["title"] == {"description": "its name", "type": "string"}


def test_a_type_that_contains_itself_has_no_flat_schema() -> None:
    with pytest.raises(TypeError, match="contains itself"):
        schema_of(Tree)


class Bounded(BaseModel):
    """Fields with limits, one of them with free keys."""

    name: str = Field(min_length=1, pattern="^[a-z]+$")
    counts: dict[str, int]


def test_limits_are_our_own_to_check_and_free_keys_are_not_strict() -> None:
    form = response_format(Bounded)["json_schema"]
    assert form["strict"] is False
    assert form["schema"]["properties"]["name"] == {"type": "string"}
    assert form["schema"]["properties"]["counts"] == {"type": "object", "additionalProperties": {"type": "integer"}}
    assert schema_of(Bounded)["properties"]["name"]["minLength"] == 1
    assert response_format(Whole)["json_schema"]["strict"] is True


def test_values_are_taken_strictly_and_other_fields_are_passed_over() -> None:
    with pytest.raises(WrongForm):
        parse('{"parts": [], "count": "5"}', Whole)
    assert parse('{"parts": [], "count": 5, "comment": "x"}', Whole).count == 5


def test_the_schema_joins_the_system_message_or_becomes_one() -> None:
    assert [role for role, _ in with_schema((("system", "a"), ("user", "b")), Part)] == ["system", "user"]
    assert [role for role, _ in with_schema((("user", "b"),), Part)] == ["system", "user"]


@given(st.builds(Whole), st.sampled_from(["{}", "```json\n{}\n```", "Sure:\n```\n{}\n```\nDone.", "{} {}"]), st.text())
def test_a_value_is_found_in_its_wrapping(value: Whole, wrapping: str, words: str) -> None:
    text = value.model_dump_json()
    wrapped = text if wrapping == "{} {}" else wrapping.replace("{}", text)
    assert parse(wrapped, Whole) == value
    assert parse(f"\n{wrapped}  ", Whole) == value


@given(st.text(max_size=200))
def test_any_text_is_a_value_or_of_the_wrong_form(text: str) -> None:
    with pytest.raises(WrongForm) as error:
        parse(text, Part)
    assert len(str(error.value)) < 500


@pytest.mark.parametrize(
    "text",
    [
        ("", " ", "x"),
        ("", "\n", "{}"),
        ('{"title": "a"', "\n", ""),
        ("", "`", ""),
        ("```", " ", ""),
        ("```\n", " ", "x"),
        ("```", "a", ""),
        ("", "```\n", ""),
        ("", "```json \t", ""),
        ("", "<think>", ""),
        ("", "{", ""),
        ("", "}{", ""),
    ],
    ids=range(12),
)
def test_a_text_of_any_kind_takes_time_in_proportion_to_its_length(text: tuple[str, str, str]) -> None:
    head, unit, tail = text

    def refused(text: str) -> None:
        with pytest.raises(WrongForm):
            parse(text, Part)

    assert_in_proportion(refused, lambda size: head + unit * (size // len(unit)) + tail, 10_000_000)


def test_white_space_and_thoughts_around_a_value_are_passed_over() -> None:
    space = " \n\t" * 100_000
    for text in (
        "{}",
        "```\n{}\n```",
        "<think>{ maybe }</think>{}",
        "Well:```json\n\n{} ```",
        "``` no\n```\n```\n{}\n```",
    ):
        assert (
            parse(space + text.replace("{}", f'{space}{{"title":{space}"a", "marks": []}}{space}'), Part).title == "a"
        )


def test_what_is_wrong_is_told_by_place_without_the_text() -> None:
    with pytest.raises(WrongForm) as error:
        parse('Well: {"parts": [{"title": 5}], "count": "SECRET"}', Whole)
    assert "parts.0.title" in str(error.value) and "count" in str(error.value)
    assert "SECRET" not in str(error.value)


def test_the_repair_question_shows_the_answer_and_what_is_wrong() -> None:
    asked = repair((("user", "q"),), "", WrongForm("it is empty."))
    assert asked[0] == ("user", "q")
    assert asked[1] == ("assistant", "(nothing)")
    assert "it is empty." in asked[2][1]
