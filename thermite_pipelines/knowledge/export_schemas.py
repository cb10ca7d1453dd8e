"""JSON Schema of the files of an export, made from the tables, and published as `docs/exports.schema.json`.

Each `$defs` entry named after a file describes one line of it (or, of `manifest.json`, the whole).
"""

import json
import sys
from typing import Any

import pyarrow as pa

from thermite_pipelines.names import CAMPAIGN, LEDGER, RIG, RUN, SHA256_HEX
from thermite_pipelines.tables.schemas import ITEM_TABLES, TIME, Table

Schema = dict[str, Any]

_TIME: Schema = {"type": "string", "format": "date-time", "pattern": "Z$"}
_BRIEFED = ("item", "kind", "campaign", "rig", "run", "by", "at", "text")


def export_schemas() -> Schema:
    """The whole document."""
    kinds = {f"item-{kind}": _item(kind, table) for kind, table in ITEM_TABLES.items()}
    files = {
        "journal.jsonl": _ref("item-note"),
        "research-notes.jsonl": _ref("item-research_note"),
        "briefing.jsonl": _briefing(),
        "knowledge.jsonl": {"oneOf": [_ref(name) for name in kinds]},
        "research/<run>/claims.jsonl": _ref("item-claim"),
        "research/<run>/notes.jsonl": _ref("item-research_note"),
        "manifest.json": _manifest(),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Files of an export",
        "description": "An entry of $defs named after a file describes one line of it, or manifest.json whole.",
        "$defs": files | kinds,
    }


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _pattern(pattern: str) -> Schema:
    return {"type": "string", "pattern": f"^(?:{pattern})$"}


def _campaign() -> Schema:
    """A folder's campaign, or null for what is in no folder."""
    return {"type": ["string", "null"], "pattern": f"^(?:{CAMPAIGN.pattern})$"}


def _closed(properties: Schema, description: str = "") -> Schema:
    """An object with exactly these properties."""
    head = {"description": description} if description else {}
    required = list(properties)
    return head | {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _item(kind: str, table: Table) -> Schema:
    columns = {
        column.name: {"description": column.description} | _value(column.type, column.nullable)
        for column in table.columns
    }
    campaign = {"description": "The campaign whose folder holds the item; null where none does."} | _campaign()
    return _closed(columns | {"campaign": campaign, "kind": {"const": kind}}, table.description)


def _value(kind: pa.DataType, nullable: bool) -> Schema:
    schema = _of_type(kind)
    return schema | {"type": [schema["type"], "null"]} if nullable else schema


def _of_type(kind: pa.DataType) -> Schema:
    if isinstance(kind, pa.ListType):
        return {"type": "array", "items": _value(kind.value_type, True)}
    if isinstance(kind, pa.StructType):
        return _closed({field.name: _value(field.type, True) for field in kind})
    if kind == TIME:
        return dict(_TIME)
    names = {pa.int64(): "integer", pa.float64(): "number", pa.bool_(): "boolean"}
    return {"type": names.get(kind, "string")}


def _briefing() -> Schema:
    entry = _closed({name: {"type": "string"} for name in _BRIEFED})
    return _closed(
        {
            "rig": _pattern(RIG.pattern),
            "ledger": _pattern(LEDGER.pattern),
            "run": _pattern(RUN.pattern),
            "campaign": _campaign(),
            "briefing": {"type": "array", "items": entry},
        },
        "The past research that a run was given at its start, as its first event says.",
    )


def _manifest() -> Schema:
    ledger, run = _pattern(LEDGER.pattern), _pattern(RUN.pattern)
    number = {"type": "integer", "minimum": 1}
    file = _closed({"rows": {"type": "integer", "minimum": 0}, "sha256": _pattern(SHA256_HEX.pattern)})
    return _closed(
        {
            "rig": _pattern(RIG.pattern),
            "number": _pattern("[0-9]{6,}"),
            "ledgers": {"type": "array", "items": _closed({"ledger": ledger, "from_n": number, "to_n": number})},
            "placements": {
                "type": "array",
                "items": _closed({"ledger": ledger, "run": run, "campaign": _campaign()}),
            },
            "files": {"type": "object", "additionalProperties": file},
        },
        "What the export holds.",
    )


if __name__ == "__main__":
    sys.stdout.write(json.dumps(export_schemas(), indent=1, ensure_ascii=False) + "\n")
