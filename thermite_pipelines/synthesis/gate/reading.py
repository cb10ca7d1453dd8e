"""From the text of an answer to a value of the wanted type."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from thermite_pipelines.ledger import strict_json
from thermite_pipelines.synthesis.gate.sizes import too_large
from thermite_pipelines.synthesis.work import Item, Refused, StepType

T = TypeVar("T")

REQUIRED: dict[StepType, tuple[str, ...]] = {
    "prune": ("decisions",),
    "distill": ("synthesize",),
    "reflect": ("reasoning", "reinforce", "propose"),
    "hypothesize": ("hypothesis",),
    "discover": ("proposals",),
}
"""Keys that an answer must have, though they may be empty: a key that is missing is a misread schema."""

_THOUGHT = "</think>"
_FENCED = re.compile(r"```[\w-]*+\s*+(.*)```", re.DOTALL)
_LISTS = ("domain", "entities", "refs")
_SHOWN = 5
_NAMED = 60


def refusal(item: Item, problems: Sequence[str]) -> Refused:
    """The error for an answer with these problems, the first few of them named."""
    more = [f"and {len(problems) - _SHOWN} more"] if len(problems) > _SHOWN else []
    said = "; ".join([*problems[:_SHOWN], *more])
    return Refused(
        f"the answer is refused: {said}", where=f"item {item.item}", do="nothing changed: correct it and send it again"
    )


def named(text: str) -> str:
    """What an answer names, short enough for an error."""
    return repr(text if len(text) <= _NAMED else text[: _NAMED - 1] + "…")


class NoObject(Exception):
    """A text that holds no JSON object; the message says why."""


def read_object(text: str) -> dict[str, Any]:
    """The object that a text holds: after any thoughts, in a code fence or bare. Raises `NoObject`."""
    why = "it is empty"
    for candidate in _candidates(text):
        try:
            value = strict_json.loads(candidate.encode("utf-8", "surrogatepass"))
        except strict_json.StrictJsonError as error:
            why = f"it is no JSON ({error.detail})"
            continue
        if isinstance(value, dict):
            return value
        why = "it is no JSON object"
    raise NoObject(why)


def _candidates(text: str) -> Iterator[str]:
    """The text as it is first: only a text that is no answer yet has thoughts before it, or a fence around it."""
    places = {0}
    for find in (text.find, text.rfind):
        if (end := find(_THOUGHT)) >= 0:
            places.add(end + len(_THOUGHT))
    for place in sorted(places):
        bare = text[place:].strip().removeprefix("\ufeff")
        if bare:
            yield bare
        if fenced := _FENCED.search(bare):
            yield fenced[1].strip()


def decode(item: Item, text: str, wanted: type[T]) -> T:
    """The answer as a value of the wanted type. Raises `Refused`, naming keys that are missing and those that came."""
    try:
        value = read_object(text)
    except NoObject as error:
        raise refusal(item, [str(error)]) from None
    return convert(item, value, wanted)


def convert(item: Item, value: Mapping[str, Any], wanted: type[T]) -> T:
    """An object as a value of the wanted type, nothing of it larger than an answer needs. Raises `Refused`."""
    if missing := [key for key in REQUIRED[item.step] if key not in value]:
        came = ", ".join(named(key) for key in list(value)[:_SHOWN]) or "nothing"
        raise refusal(item, [f"key {', '.join(map(named, missing))} is missing, what came is {came}"])
    try:
        answer = msgspec.convert(_with_lists(value), wanted, strict=True)
    except msgspec.ValidationError as error:
        raise refusal(item, [strict_json.describe(error)]) from None
    if problems := list(too_large(answer)):
        raise refusal(item, problems)
    return answer


def _with_lists(node: Any) -> Any:
    """The same with lists where one name or nothing stands for a list, and without optional keys that say nothing."""
    if isinstance(node, list):
        return [_with_lists(part) for part in node]
    if not isinstance(node, dict):
        return node
    return {
        key: _names(value) if key in _LISTS else _with_lists(value)
        for key, value in node.items()
        if not (value is None and key in ("merges", "retract"))
    }


def _names(value: Any) -> Any:
    """A list of names, each once and without blanks around it; anything else as it is, to be refused."""
    given = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        return given
    return [name for name in dict.fromkeys(name.strip() for name in given) if name]
