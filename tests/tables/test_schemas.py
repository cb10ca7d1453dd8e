from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from tests.tables import snapshot
from thermite_pipelines.tables.derived import DERIVED_TABLES
from thermite_pipelines.tables.docs import tables_markdown, type_words
from thermite_pipelines.tables.schemas import (
    EVENT_TABLES,
    ITEM_COLUMNS,
    ITEM_TABLES,
    TIME,
    WHOLE_TABLES,
    Table,
)


def words(text: str) -> list[str]:
    return text.split()


# Reserved key words of PostgreSQL 18 (appendix C, with those that may only name a function or type).
POSTGRES_RESERVED = frozenset(
    words("""
    all analyse analyze and any array as asc asymmetric authorization binary both case cast check collate collation
    column concurrently constraint create cross current_catalog current_date current_role current_schema current_time
    current_timestamp current_user default deferrable desc distinct do else end except false fetch for foreign freeze
    from full grant group having ilike in initially inner intersect into is isnull join lateral leading left like limit
    localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing primary references
    returning right select session_user similar some symmetric system_user table tablesample then to trailing true union
    unique user using variadic verbose when where window with
    """)
)

ALL_TABLES: list[Table] = [
    *EVENT_TABLES.values(),
    *ITEM_TABLES.values(),
    *WHOLE_TABLES.values(),
    *DERIVED_TABLES.values(),
]
THE_TWELVE = words("run trial experiment attempt note research_note document source claim hypothesis finding report")


def names_of(table: Table) -> Iterator[str]:
    """Column names, the names inside records, and what stands in the path."""
    yield from ("campaign", "rig")
    for column in table.columns:
        yield column.name
        inner = column.type.value_type if pa.types.is_list(column.type) else column.type
        if pa.types.is_struct(inner):
            yield from (field.name for field in inner)


def every_name() -> list[str]:
    return sorted({name for table in ALL_TABLES for name in names_of(table)})


def empty(table: Table) -> pa.Table:
    return table.schema.empty_table()


@pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.path)
def test_every_column_is_selected_unquoted_by_duckdb(table: Table) -> None:
    import duckdb

    with duckdb.connect() as connection:
        connection.register("t", empty(table))
        for name in table.column_names:
            connection.execute(f"SELECT {name}, t.{name} FROM t WHERE {name} IS NOT NULL ORDER BY {name}").fetchall()


@pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.path)
def test_every_column_is_selected_unquoted_by_polars(table: Table) -> None:
    import polars as pl

    frame = pl.from_arrow(empty(table))
    assert isinstance(frame, pl.DataFrame)
    context = pl.SQLContext(t=frame)
    for name in table.column_names:
        context.execute(f"SELECT {name} FROM t WHERE {name} IS NOT NULL", eager=True)


@pytest.mark.parametrize("name", every_name())
def test_a_name_needs_no_quotes_anywhere(name: str) -> None:
    import duckdb
    import polars as pl

    assert name not in POSTGRES_RESERVED
    assert name == name.lower() and name.isidentifier()
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE t ({name} INTEGER)")
        connection.execute(f"SELECT {name} FROM t GROUP BY {name}").fetchall()
    pl.SQLContext(t=pl.DataFrame({name: [1]})).execute(f"SELECT {name} FROM t ORDER BY {name}", eager=True)


def test_there_are_twelve_kinds_and_each_begins_with_the_same_columns() -> None:
    expected = words("item rig ledger run written_by created_at updated_at n updated_n title text about_kind about")
    assert list(ITEM_TABLES) == THE_TWELVE
    assert list(ITEM_COLUMNS) == expected
    for table in ITEM_TABLES.values():
        assert list(table.column_names[:13]) == expected


def test_event_tables_have_the_documented_columns() -> None:
    documented = words("ledger seq n id occurred_at run campaign type written_by data report_sha256 accepted_at")
    assert list(EVENT_TABLES["events"].column_names) == documented
    assert list(EVENT_TABLES["unknown_events"].column_names) == documented
    assert list(EVENT_TABLES["rejected_events"].column_names) == [*documented, "reason", "detail"]


@pytest.mark.parametrize("table", ALL_TABLES, ids=lambda table: table.path)
def test_a_table_is_well_formed(table: Table) -> None:
    assert len(set(table.column_names)) == len(table.columns)
    assert set(table.sort) <= set(table.column_names)
    assert table.description and table.path
    assert table.schema.metadata is None  # no pandas metadata
    for column in table.columns:
        field = table.schema.field(column.name)
        assert field.metadata == {b"description": column.description.encode()}
        assert column.description.endswith(".")
        assert table.column(column.name) is column


@pytest.mark.parametrize("table", ITEM_TABLES.values(), ids=lambda table: table.name)
def test_path_columns_are_not_in_the_files(table: Table) -> None:
    assert not {"campaign", "kind"} & set(table.column_names)
    whole = WHOLE_TABLES[table.name]
    assert whole.column_names == ("campaign", *table.column_names)
    assert whole.sort[0] == "campaign"


def test_kb_29_writer_time_rig_and_run_are_never_null() -> None:
    for table in ITEM_TABLES.values():
        assert not any(table.column(name).nullable for name in ("item", "rig", "run", "written_by", "created_at", "n"))


@pytest.mark.parametrize("name", ["value", "baseline", "champion_value", "confidence"])
def test_measured_values_are_doubles_everywhere(name: str) -> None:
    found = [table.column(name).type for table in ITEM_TABLES.values() if name in table.column_names]
    assert found and all(kind == pa.float64() for kind in found)


def test_times_are_microseconds_in_utc() -> None:
    for table in ALL_TABLES:
        for column in table.columns:
            assert pa.types.is_timestamp(column.type) == column.name.endswith("_at")
            assert not pa.types.is_timestamp(column.type) or column.type == TIME


def test_no_column_is_removed_or_retyped_without_a_new_lake_schema() -> None:
    assert snapshot.broken(snapshot.kept(), snapshot.current()) == []


def test_the_snapshot_holds_every_column() -> None:
    assert snapshot.kept() == snapshot.current(), "run `python -m tests.tables.snapshot`"


def test_the_snapshot_notices_what_it_is_there_for() -> None:
    old = {"lake_schema": 1, "tables": {"note": {"item": "string", "n": "int64"}}}
    assert snapshot.broken(old, {"lake_schema": 1, "tables": {"note": {"item": "string"}}}) == ["note.n"]
    retyped = {"lake_schema": 1, "tables": {"note": {"item": "string", "n": "double", "more": "string"}}}
    assert snapshot.broken(old, retyped) == ["note.n"]
    assert snapshot.broken(old, {**retyped, "lake_schema": 2}) == []


def test_the_page_on_tables_is_what_the_schemas_say() -> None:
    page = Path(__file__).parents[2] / "docs" / "tables.md"
    made = tables_markdown()
    assert page.read_text(encoding="utf-8") == made, "run `python -m thermite_pipelines.tables.docs > docs/tables.md`"


def test_the_page_names_every_column_and_type() -> None:
    page = tables_markdown()
    for table in (*EVENT_TABLES.values(), *ITEM_TABLES.values()):
        assert table.path in page
        for column in table.columns:
            assert f"| `{column.name}` | {type_words(column.type)} |" in page


def test_types_are_written_in_the_words_of_sql() -> None:
    assert type_words(ITEM_TABLES["claim"].column("quotes").type) == (
        "STRUCT(source VARCHAR, quote VARCHAR, verified BOOLEAN)[]"
    )
    assert type_words(TIME) == "TIMESTAMP WITH TIME ZONE"
    assert type_words(pa.int16()) == "int16"
