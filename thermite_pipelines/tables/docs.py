"""The page `docs/tables.md`, made from the schemas: `python -m thermite_pipelines.tables.docs > docs/tables.md`."""

import sys
from collections.abc import Iterator

import pyarrow as pa

from thermite_pipelines.tables.derived import DERIVED_TABLES
from thermite_pipelines.tables.schemas import (
    EVENT_TABLES,
    ITEM_COLUMNS,
    ITEM_TABLES,
    LAKE_SCHEMA,
    LONG_TEXT,
    TIME,
    Column,
    Table,
)

_SQL_NAMES: dict[pa.DataType, str] = {
    pa.string(): "VARCHAR",
    LONG_TEXT: "VARCHAR",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    TIME: "TIMESTAMP WITH TIME ZONE",
}

_HEAD = f"""# Tables

Every table of the lake: what its rows are, where its files lie, and each column with its type. This page is made from
the schemas in `thermite_pipelines/tables`. The lake's schema has the number {LAKE_SCHEMA}.

* All files of a table have one schema, and no column name needs quotes in DuckDB, PostgreSQL or Polars SQL.
* Times are UTC, in microseconds. Measured values are always `DOUBLE`.
* What stands in a path (`rig=…`, `campaign=…`) is a column too for readers that know Hive paths: DuckDB
  (`hive_partitioning`), Polars, pandas and pyarrow. It is not repeated inside the files.
* A block is 10,000 event numbers: an event lies in the block of its `n`, an item in the block of its first event's `n`.
  The 16 hex digits in an item file's name stand for its ledger and run.
* Files are replaced whole, never appended to, and the same accepted reports give the same files.

For instance, with DuckDB:

    SELECT campaign, rig, run, title, value FROM 'lake/folders/experiment/**/*.parquet' WHERE status = 'improved'
"""


def type_words(kind: pa.DataType) -> str:
    """A type as an analyst writes it: SQL's names, lists as `T[]`, records as `STRUCT(name T, …)`."""
    if isinstance(kind, pa.ListType):
        return f"{type_words(kind.value_type)}[]"
    if isinstance(kind, pa.StructType):
        return "STRUCT(" + ", ".join(f"{field.name} {type_words(field.type)}" for field in kind) + ")"
    return _SQL_NAMES.get(kind, str(kind))


def tables_markdown() -> str:
    """The whole page as Markdown."""
    return "\n".join(_page())


def _page() -> Iterator[str]:
    yield _HEAD
    yield "## Events\n"
    for table in EVENT_TABLES.values():
        yield from _section(table, table.columns)
    yield "## Items\n"
    yield "What runs recorded, folded from their events: a table for each kind. Each begins with these columns:\n"
    yield from _columns([column for column in ITEM_TABLES["run"].columns if column.name in ITEM_COLUMNS])
    yield (
        "`lake/tables/<kind>.parquet`, written nightly and by `thermite tables`, holds the items of all campaigns in\n"
        "one sorted file, with `campaign` as its first column.\n"
    )
    for table in ITEM_TABLES.values():
        yield from _section(table, [column for column in table.columns if column.name not in ITEM_COLUMNS])
    yield "## Derived\n"
    yield "What people said, and what was made of it and of items. The rules are in the guides to atoms and synthesis.\n"
    for table in DERIVED_TABLES.values():
        yield from _section(table, table.columns)


def _section(table: Table, columns: tuple[Column, ...] | list[Column]) -> Iterator[str]:
    yield f"### {table.name}\n"
    yield f"{table.description} Files: `{table.path}`; sorted by `{', '.join(table.sort)}`.\n"
    if columns:
        yield from _columns(columns)
    else:
        yield "It has no columns of its own.\n"


def _columns(columns: tuple[Column, ...] | list[Column]) -> Iterator[str]:
    yield "| column | type | null | meaning |"
    yield "|---|---|---|---|"
    for column in columns:
        null = "yes" if column.nullable else "no"
        yield f"| `{column.name}` | {type_words(column.type)} | {null} | {column.description} |"
    yield ""


if __name__ == "__main__":
    sys.stdout.write(tables_markdown())
