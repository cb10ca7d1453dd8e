"""JSON Schemas of answer types: whole for the prompt and the cache's key, plain for a provider.

Providers take a subset: references are put in their places, limits of lengths and numbers are left to our own check
of the answer, and every object names all its properties and closes itself, which OpenAI's strict mode asks for.
"""

from typing import Any

from pydantic import BaseModel

_PLAIN = {"type", "properties", "required", "items", "enum", "const", "anyOf", "description", "additionalProperties"}


def full_schema(answer: type[BaseModel]) -> dict[str, Any]:
    """The schema of an answer type without references and generated titles. Raises `ValueError` if it is recursive."""
    schema = answer.model_json_schema()
    return _flat(schema, schema.get("$defs", {}), ())


def wire_schema(full: dict[str, Any]) -> dict[str, Any]:
    """The part of a full schema that providers understand."""
    plain: dict[str, Any] = {}
    for name, value in full.items():
        if name == "properties":
            plain[name] = {key: wire_schema(child) for key, child in value.items()}
        elif name in ("anyOf", "oneOf"):
            plain["anyOf"] = [wire_schema(child) for child in value]
        elif name in ("items", "additionalProperties") and isinstance(value, dict):
            plain[name] = wire_schema(value)
        elif name in _PLAIN:
            plain[name] = value
    if "properties" in plain:
        plain |= {"required": list(plain["properties"]), "additionalProperties": False}
    return plain


def is_strict(wire: Any) -> bool:
    """Whether a wire schema fits OpenAI's strict mode: no object with free keys in it."""
    if isinstance(wire, list):
        return all(is_strict(child) for child in wire)
    if not isinstance(wire, dict):
        return True
    if wire.get("type") == "object" and "properties" not in wire:
        return False
    properties = wire.get("properties", {})
    rest = [value for name, value in wire.items() if name in ("items", "anyOf")]
    return is_strict([*properties.values(), *rest])


def response_format(answer: type[BaseModel]) -> dict[str, Any]:
    """The `response_format` of a request for an answer type."""
    wire = wire_schema(full_schema(answer))
    return {
        "type": "json_schema",
        "json_schema": {"name": answer.__name__, "schema": wire, "strict": is_strict(wire)},
    }


def _flat(node: Any, kept: dict[str, Any], inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_flat(child, kept, inside) for child in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = str(node["$ref"]).removeprefix("#/$defs/")
        if name in inside:
            raise ValueError(f"the answer type {name} holds itself: providers take no recursive schema")
        target = _flat(kept[name], kept, (*inside, name))
        return {**target, **{key: _flat(value, kept, inside) for key, value in node.items() if key != "$ref"}}
    made = {}
    for key, value in node.items():
        if key == "properties":
            made[key] = {name: _flat(child, kept, inside) for name, child in value.items()}
        elif key not in ("$defs", "title", "discriminator"):
            made[key] = _flat(value, kept, inside)
    return made
