"""From the text of an answer to its type, and the words that go around a question for that.

Keys that the type does not name are ignored unless the type forbids them: nothing but named fields is ever used, so
an added 'comment' is no reason to pay for a second answer. Values are taken strictly: no "5" for 5.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import ValidationError

from thermite_pipelines.llm.questions import T, Turn

_FENCE = re.compile(r"```[A-Za-z0-9]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```", re.DOTALL)
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_SHOWN_FAULTS = 12


@dataclass(frozen=True)
class Decoded(Generic[T]):
    """A value and the very text that it was made of."""

    value: T
    text: str


@dataclass(frozen=True)
class Faults:
    """Why a text does not fit: `shown` is for the model, `kinds` (no text of the answer) for people."""

    shown: str
    kinds: str


def decode(text: str, answer: type[T]) -> Decoded[T] | Faults:
    """Take an answer out of a text: the whole of it, else what its last code fence holds."""
    whole = _THOUGHT.sub("", text.removeprefix("\ufeff")).strip()
    fenced = _FENCE.findall(whole)
    faults = None
    for piece in (whole, *(found.strip() for found in fenced[-1:])):
        try:
            return Decoded(answer.model_validate_json(piece, strict=True), piece)
        except ValidationError as error:
            faults = _faults(error)
    assert faults is not None
    return faults


def _faults(error: ValidationError) -> Faults:
    found = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [f"- {'.'.join(str(part) for part in fault['loc']) or 'answer'}: {fault['msg']}" for fault in found]
    kinds = ", ".join(sorted({fault["type"] for fault in found}))
    return Faults("\n".join(lines[:_SHOWN_FAULTS]), kinds)


def with_schema(messages: list[Turn], schema: dict[str, Any]) -> list[Turn]:
    """The messages with the answer's schema at the end of their system message, or in one of its own.

    It goes there besides `response_format`, since many servers take that and do not heed it.
    """
    told = (
        "Answer with one JSON value and nothing else: no words around it, no code fence. "
        "It must fit this JSON Schema:\n" + json.dumps(schema, ensure_ascii=False, sort_keys=True)
    )
    for place, (role, text) in enumerate(messages):
        if role == "system":
            return [*messages[:place], (role, f"{text}\n\n{told}"), *messages[place + 1 :]]
    return [("system", told), *messages]


def repair(messages: list[Turn], text: str, faults: Faults) -> list[Turn]:
    """The one repair question: what was asked, what was answered, and why that does not fit."""
    told = (
        f"This answer does not fit the schema:\n{faults.shown}\n"
        "Answer the question again, as one JSON value that fits the schema, and nothing else."
    )
    return [*messages, ("assistant", text or "(empty)"), ("user", told)]
