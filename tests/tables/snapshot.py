"""The snapshot of all columns and types: `python -m tests.tables.snapshot` writes it anew.

It refuses where a column was removed or retyped and `LAKE_SCHEMA` is still the number of the snapshot.
"""

import json
from pathlib import Path
from typing import Any

from thermite_pipelines.tables.derived import DERIVED_TABLES
from thermite_pipelines.tables.schemas import EVENT_TABLES, ITEM_TABLES, LAKE_SCHEMA

FILE = Path(__file__).with_name("schema_snapshot.json")


def current() -> dict[str, Any]:
    tables = {**EVENT_TABLES, **ITEM_TABLES, **DERIVED_TABLES}
    return {
        "lake_schema": LAKE_SCHEMA,
        "tables": {
            name: {column.name: _type_of(column.type, column.nullable) for column in table.columns}
            for name, table in tables.items()
        },
    }


def _type_of(kind: object, nullable: bool) -> str:
    return f"{kind}{'' if nullable else ' not null'}"


def kept() -> dict[str, Any]:
    return json.loads(FILE.read_text(encoding="utf-8"))


def broken(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """The columns of `old` that `new` has lost or typed otherwise, unless its number is higher."""
    if new["lake_schema"] > old["lake_schema"]:
        return []
    return [
        f"{table}.{column}"
        for table, columns in old["tables"].items()
        for column, kind in columns.items()
        if new["tables"].get(table, {}).get(column) != kind
    ]


def main() -> None:
    new = current()
    lost = broken(kept(), new) if FILE.exists() else []
    if lost:
        raise SystemExit(f"raise LAKE_SCHEMA first: removed or retyped are {', '.join(lost)}")
    FILE.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
