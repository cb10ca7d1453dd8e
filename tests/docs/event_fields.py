"""The `data` of each event type in the words of docs/report-format.md, made from the structs that judge it.

Run as a script it prints the rows of the page's table.
"""

import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

from thermite_pipelines.ledger import event_data as shapes
from thermite_pipelines.ledger.event_types import EVENT_TYPES, EventType

_NAMED = {
    shapes.Id: "id",
    shapes.AgentName: "name",
    shapes.Lane: "lane",
    shapes.NoteText: "1 to 2,000 characters",
    shapes.Confidence: "0 to 1",
    shapes.SessionId: "UUID",
}
_PLAIN = {str: "", bool: "bool", float: "number", int: "integer"}


def rows() -> list[list[str]]:
    """Type, writer, what it does, fields, what must exist: one row an event type, as the page has them."""
    return [
        [f"`{name}`", kind.writer or "any", _effect(kind), _fields(kind.data) or "–", _references(kind) or "–"]
        for name, kind in EVENT_TYPES.items()
    ]


def _effect(kind: EventType) -> str:
    research = " (research runs only)" if kind.research_only else ""
    if kind.creates:
        article = "an" if kind.creates[0] in "aeo" else "a"
        again = ", or a new version of it" if kind.versioned else ""
        return f"opens {article} {kind.creates.replace('_', ' ')}{again}{research}"
    if kind.changes:
        return f"changes the {kind.changes}{research}"
    return "says what was shown" if kind.references else "changes the run"


def _references(kind: EventType) -> str:
    """Where `data` names records that the run must have by then."""
    return ", ".join(f"`{item.field}.{item.part}`" if item.part else f"`{item.field}`" for item in kind.references)


def _fields(shape: type[msgspec.Struct]) -> str:
    return "; ".join(_field(field) for field in msgspec.structs.fields(shape))


def _field(field: Any) -> str:
    optional = not field.required
    hint = _without_none(field.type) if optional else field.type
    said = _hint(hint)
    return f"`{field.encode_name}`{'?' if optional else ''}{f': {said}' if said else ''}"


def _without_none(hint: Any) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        left = [part for part in get_args(hint) if part is not type(None)]
        return left[0]
    return hint


def _hint(hint: Any) -> str:
    if hint in _NAMED:
        return _NAMED[hint]
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) is Literal:
        values = [f"`{value}`" for value in get_args(hint)]
        return f"{', '.join(values[:-1])} or {values[-1]}"
    if get_origin(hint) is Annotated:
        inner, *marks = get_args(hint)
        least = [mark.min_length for mark in marks if getattr(mark, "min_length", None)]
        return _hint(inner) + (f", at least {least[0]}" if least else "")
    if get_origin(hint) is list:
        (inner,) = get_args(hint)
        said = _hint(inner) or "text"
        return f"list of {said}" if said.startswith("{") else f"list of {said}s"
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return "{" + ", ".join(_field(field) for field in msgspec.structs.fields(hint)) + "}"
    raise AssertionError(f"docs know no words for {hint}")


if __name__ == "__main__":
    for row in rows():
        print("| " + " | ".join(row) + " |")
