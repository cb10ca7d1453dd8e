"""The JSON Schema of an answer, as it is sent beside a prompt."""

from functools import cache
from typing import Any

import msgspec

from thermite_pipelines.synthesis.answers import ANSWERS
from thermite_pipelines.synthesis.gate.reading import REQUIRED
from thermite_pipelines.synthesis.work import StepType

_DROPPED = ("title", "default")


@cache
def _schema(step: StepType) -> str:
    schema = msgspec.json.schema(ANSWERS[step])
    flat = _flat(schema, schema.pop("$defs", {})) | {"required": list(REQUIRED[step])}
    return msgspec.json.encode(flat).decode()


def response_schema(step: StepType) -> dict[str, Any]:
    """The schema of answers to items of a step: whole, without references, a value of the caller's own."""
    return msgspec.json.decode(_schema(step))


def _flat(node: Any, parts: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_flat(part, parts) for part in node]
    if not isinstance(node, dict):
        return node
    if reference := node.get("$ref"):
        return _flat(parts[str(reference).removeprefix("#/$defs/")], parts)
    # Below `properties` the keys are names of fields, which may well be called `title`.
    flat = {key: _flat(value, parts) for key, value in node.items() if key not in (*_DROPPED, "properties")}
    if "enum" in flat and all(isinstance(choice, str) for choice in flat["enum"]):
        flat.setdefault("type", "string")  # some providers take no enum without a type
    if "properties" in node:
        flat["properties"] = {name: _flat(value, parts) for name, value in node["properties"].items()}
    return flat
