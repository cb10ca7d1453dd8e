"""The form of an answer: the schema as it is sent, and how a text becomes a value of the wanted type.

Providers promise a schema and still fence it, wrap it in words, or break it: the text is judged here, by pydantic.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from thermite_pipelines.llm.questions import Messages

T = TypeVar("T", bound=BaseModel)

# Possessive, so that no text takes more than one look at each of its characters.
_FENCE = re.compile(r"```[\w-]*+[ \t]*+\r?\n")
_FENCE_END = "```"
_THOUGHTS, _THOUGHTS_END = "<think>", "</think>"
_MOST_FENCES = 8
_MOST_BYTES = 64 * 1024
_MOST_BYTES_A_TOKEN = 16
_SHOWN_ERRORS = 8
_SHOWN_CHARS = 20_000
_DROPPED = ("default", "title")
_UNDERSTOOD = ("type", "required", "enum", "const", "description", "additionalProperties")


class WrongForm(Exception):
    """A text that is no value of the wanted type; the message says what is wrong without repeating the text."""


@cache
def schema_of(answer: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a type, whole and flat: no references, no defaults, every field required, no others.

    Some providers follow no reference and others insist on the last two. Raises `TypeError` for a type that contains
    itself. Do not change what it gives.
    """
    schema = answer.model_json_schema()
    return _flat(schema, schema.pop("$defs", {}), ())


def _flat(node: Any, parts: dict[str, Any], inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_flat(item, parts, inside) for item in node]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):
        name = str(reference).removeprefix("#/$defs/")
        if name in inside:
            raise TypeError(f"{name} contains itself, so its schema can't be flat")
        rest = {key: value for key, value in node.items() if key != "$ref"}
        return _flat(parts[name] | rest, parts, (*inside, name))
    # Below `properties` the keys are names of fields, which may well be called `title`.
    flat = {key: _flat(value, parts, inside) for key, value in node.items() if key not in (*_DROPPED, "properties")}
    if "properties" in node:
        flat["properties"] = {name: _flat(value, parts, inside) for name, value in node["properties"].items()}
        flat["required"] = list(flat["properties"])
        flat["additionalProperties"] = False
    return flat


def response_format(answer: type[BaseModel]) -> dict[str, Any]:
    """What the provider is asked to hold the answer to: of the schema, the part that providers understand.

    Limits of lengths and numbers are left to our own check. Objects with free keys exclude OpenAI's strict mode.
    """
    schema = _understood(schema_of(answer))
    return {
        "type": "json_schema",
        "json_schema": {"name": answer.__name__, "strict": _closed(schema), "schema": schema},
    }


def _understood(node: dict[str, Any]) -> dict[str, Any]:
    plain = {key: node[key] for key in _UNDERSTOOD if key in node}
    if "properties" in node:
        plain["properties"] = {name: _understood(child) for name, child in node["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            plain[key] = _understood(node[key])
    if choices := node.get("anyOf") or node.get("oneOf"):
        plain["anyOf"] = [_understood(choice) for choice in choices]
    return plain


def _closed(node: dict[str, Any]) -> bool:
    parts = [
        *node.get("properties", {}).values(),
        *node.get("anyOf", []),
        *([node["items"]] if "items" in node else []),
    ]
    return (node.get("type") != "object" or "properties" in node) and all(map(_closed, parts))


def with_schema(messages: Messages, answer: type[BaseModel]) -> Messages:
    """The messages with the schema in the first one of the system: not every provider holds an answer to it.

    An answer that is `Brief` is told by its shape, which takes a third of the tokens: its prompt explains the rest.
    """
    if issubclass(answer, Brief):
        rule = f"Answer with one JSON value of this shape, all keys there, and with nothing else:\n{shape(answer)}"
    else:
        text = json.dumps(schema_of(answer), ensure_ascii=False, separators=(",", ":"))
        rule = f"Answer with one JSON value that matches this JSON Schema, and with nothing else:\n{text}"
    if messages and messages[0][0] == "system":
        return (("system", f"{messages[0][1]}\n\n{rule}"), *messages[1:])
    return (("system", rule), *messages)


class Brief:
    """For types of answers, asked for many times, whose prompt says what each of their fields is for."""


def shape(answer: type[BaseModel]) -> str:
    """What an answer looks like, in few characters: its keys, and the kind of value that each has."""
    return _shape(schema_of(answer))


def _shape(node: Mapping[str, Any]) -> str:
    if choices := node.get("anyOf"):
        return "|".join(map(_shape, choices))
    if choices := node.get("enum"):
        return "|".join(json.dumps(choice, ensure_ascii=False) for choice in choices)
    if "properties" in node:
        return "{" + ",".join(f"{json.dumps(name)}:{_shape(part)}" for name, part in node["properties"].items()) + "}"
    if node.get("type") == "array":
        return f"[{_shape(node.get('items', {}))},…]"
    bounds = f" {node['minimum']} to {node['maximum']}" if "minimum" in node and "maximum" in node else ""
    return f"{node.get('type', 'any')}{bounds}"


def repair(messages: Messages, text: str, wrong: WrongForm) -> Messages:
    """The question once more, with the answer that did not do and what is wrong with it."""
    asked = f"This is not the answer that was asked for: {wrong}\nAnswer again, with the JSON value alone."
    return (*messages, ("assistant", text[:_SHOWN_CHARS] or "(nothing)"), ("user", asked))


def fits(text: str, max_tokens: int) -> bool:
    """Whether a text can be an answer within a limit of tokens: 64 KiB, or 16 bytes a token where that is more."""
    return len(text.encode()) <= max(_MOST_BYTES, _MOST_BYTES_A_TOKEN * max_tokens)


def parse(text: str, answer: type[T], check: Callable[[T], str | None] | None = None) -> T:
    """The value that a text holds, alone, in a fence or among other words. Raises `WrongForm`.

    Values are taken strictly, no "5" for 5. Fields that the type does not name are no reason to pay for a repair.
    `check` says what else is wrong with a value; see `Question`.
    """
    first: ValidationError | None = None
    unfit: str | None = None
    for candidate in _candidates(text):
        try:
            value = answer.model_validate_json(candidate, strict=True)
            if check is None or (why := check(value)) is None:
                return value
            unfit = unfit or why
        except ValidationError as error:
            # What is JSON but of another form says more about what is wrong than text around it.
            if first is None or _is_no_json(first):
                first = error
    if unfit is not None:
        raise WrongForm(unfit)  # it has the form: nothing else says more
    if first is None:
        raise WrongForm("it is empty.")
    raise WrongForm(_told(first)) from None


def _candidates(text: str) -> Iterator[str]:
    text = text.lstrip()
    if text.startswith(_THOUGHTS) and (end := text.find(_THOUGHTS_END)) >= 0:
        text = text[end + len(_THOUGHTS_END) :]
    text = text.strip().removeprefix("\ufeff")
    if text:
        yield text
    yield from _fenced(text)
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end and (start, end) != (0, len(text) - 1):
        yield text[start : end + 1]


def _fenced(text: str) -> Iterator[str]:
    """What stands between the first fences, in order."""
    place = 0
    for _ in range(_MOST_FENCES):
        opening = _FENCE.search(text, place)
        end = text.find(_FENCE_END, opening.end()) if opening else -1
        if opening is None or end < 0:
            return
        yield text[opening.end() : end].strip()
        place = end + len(_FENCE_END)


def _is_no_json(error: ValidationError) -> bool:
    return error.errors(include_url=False, include_input=False, include_context=False)[0]["type"] == "json_invalid"


def _told(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    if problems[0]["type"] == "json_invalid":
        return "it is no JSON."
    lines = [f"{'.'.join(str(part) for part in one['loc']) or 'value'}: {one['msg']}" for one in problems]
    more = [f"and {len(lines) - _SHOWN_ERRORS} more"] if len(lines) > _SHOWN_ERRORS else []
    return "; ".join([*lines[:_SHOWN_ERRORS], *more]) + "."
