import io
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.tables.parquet import arrange, decode, encode, rows_hash, to_rows
from thermite_pipelines.tables.schemas import EVENT_TABLES, EVENTS, ITEM_TABLES, LONG_TEXT, Column, Table

ALL_TABLES: list[Table] = [*EVENT_TABLES.values(), *ITEM_TABLES.values()]
Row = dict[str, Any]


def values_of(kind: pa.DataType) -> st.SearchStrategy[Any]:
    if pa.types.is_list(kind):
        return st.lists(values_of(kind.value_type), max_size=3)
    if pa.types.is_struct(kind):
        return st.fixed_dictionaries({field.name: st.none() | values_of(field.type) for field in kind})
    if pa.types.is_timestamp(kind):
        return st.integers(-(10**15), 10**16)
    if kind == pa.int64():
        return st.integers(0, 2**53 - 1)
    if kind == pa.float64():
        return st.floats(allow_nan=False)
    if kind == pa.bool_():
        return st.booleans()
    return st.text(max_size=12)


def cell(column: Column) -> st.SearchStrategy[Any]:
    values = values_of(column.type)
    return st.none() | values if column.nullable else values


@st.composite
def tables_with_rows(draw: st.DrawFn, max_size: int = 6) -> tuple[Table, list[Row]]:
    table = draw(st.sampled_from(ALL_TABLES))
    rows = draw(
        st.lists(st.fixed_dictionaries({column.name: cell(column) for column in table.columns}), max_size=max_size)
    )
    for number, row in enumerate(rows):
        row["n"] = number  # what makes a row unique in its table
    return table, rows


def event(n: int, **fields: Any) -> Row:
    return {
        "ledger": "L1",
        "seq": n // 500 + 1,
        "n": n,
        "id": f"e{n}",
        "occurred_at": 1_764_500_000_000_000 + n,
        "run": "run-7",
        "campaign": "speed-up",
        "type": "journal_note",
        "written_by": "lane-1",
        "data": f'{{"text":"number {n}"}}',
        "report_sha256": "ab" * 32,
        "accepted_at": 1_764_500_100_000_000,
        **fields,
    }


def in_chunks(data: pa.Table, cuts: list[int]) -> pa.Table:
    edges = sorted({0, data.num_rows, *(cut % (data.num_rows + 1) for cut in cuts)})
    pieces = [data.slice(start, end - start) for start, end in pairwise(edges)]
    return pa.concat_tables(pieces) if pieces else data


def with_needless_validity(data: pa.Table) -> pa.Table:
    """The same rows, cut out of a larger table with nulls around them, so that buffers and offsets differ."""
    nulls = pa.table({name: pa.nulls(1, kind) for name, kind in zip(data.column_names, data.schema.types, strict=True)})
    wide = pa.concat_tables([nulls, data.cast(nulls.schema), nulls]).combine_chunks()
    return wide.slice(1, data.num_rows)


@settings(max_examples=60, deadline=None)
@given(tables_with_rows())
def test_rows_come_back_as_they_were_with_the_schema_of_the_table(given_rows: tuple[Table, list[Row]]) -> None:
    table, rows = given_rows
    data = decode(encode(table, rows))
    assert data.schema.equals(table.schema, check_metadata=True)
    assert sorted(to_rows(data), key=lambda row: row["n"]) == rows


@settings(max_examples=60, deadline=None)
@given(tables_with_rows(), st.randoms(use_true_random=False), st.lists(st.integers(0, 9), max_size=3))
def test_the_same_rows_give_the_same_bytes(given_rows: tuple[Table, list[Row]], shuffle: Any, cuts: list[int]) -> None:
    table, rows = given_rows
    raw = encode(table, rows)
    mixed = list(rows)
    shuffle.shuffle(mixed)
    assert encode(table, mixed) == raw
    data = decode(raw)
    assert encode(table, data) == raw
    assert encode(table, in_chunks(data, cuts)) == raw
    assert encode(table, in_chunks(arrange(table, mixed), cuts).select(list(reversed(table.column_names)))) == raw


@settings(max_examples=60, deadline=None)
@given(tables_with_rows(), st.lists(st.integers(0, 9), max_size=3))
def test_the_hash_sees_rows_and_nothing_else(given_rows: tuple[Table, list[Row]], cuts: list[int]) -> None:
    table, rows = given_rows
    data = arrange(table, rows)
    known = rows_hash(data)
    assert rows_hash(decode(encode(table, data))) == known
    assert rows_hash(in_chunks(data, cuts)) == known
    assert rows_hash(with_needless_validity(data)) == known
    other_writer = io.BytesIO()
    pq.write_table(data, other_writer, compression="none", use_dictionary=True, row_group_size=2, version="1.0")
    assert rows_hash(decode(other_writer.getvalue())) == known


@settings(max_examples=100, deadline=None)
@given(tables_with_rows(), tables_with_rows())
def test_different_rows_have_different_hashes(one: tuple[Table, list[Row]], other: tuple[Table, list[Row]]) -> None:
    first, second = arrange(*one), arrange(*other)
    same = first.schema.equals(second.schema) and to_rows(first) == to_rows(second)
    # 0.0 equals -0.0 in Python and is another value in a file.
    assert (rows_hash(first) == rows_hash(second)) == same or "-0.0" in f"{one}{other}"


@settings(max_examples=60, deadline=None)
@given(tables_with_rows(max_size=3), st.data())
def test_one_changed_cell_changes_the_hash(given_rows: tuple[Table, list[Row]], data: st.DataObject) -> None:
    table, rows = given_rows
    if not rows:
        rows = [{**dict.fromkeys(table.column_names), **_filled(table)}]
    column = data.draw(st.sampled_from(table.columns))
    before = rows_hash(arrange(table, rows))
    value = data.draw(cell(column).filter(lambda value: value != rows[0][column.name]))
    if column.name != "n":
        assert rows_hash(arrange(table, [{**rows[0], column.name: value}, *rows[1:]])) != before


def _filled(table: Table) -> Row:
    return {
        column.name: 1 if column.type in (pa.int64(), pa.timestamp("us", "UTC")) else "x"
        for column in table.columns
        if not column.nullable
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [(["ab", "c"], ["a", "bc"]), ([None, "a"], ["", "a"]), ([None, "a"], ["a", None]), (["a"], ["a", ""])],
)
def test_moved_borders_and_nulls_change_the_hash(one: list[str | None], other: list[str | None]) -> None:
    assert rows_hash(pa.table({"a": pa.array(one, pa.string())})) != rows_hash(
        pa.table({"a": pa.array(other, pa.string())})
    )


def test_the_hash_knows_lists_apart() -> None:
    forms = [[["a", "b"]], [["a"], ["b"]], [["ab"]], [None], [[]], [[None]], [[""]], [[], []]]
    assert len({rows_hash(pa.table({"a": pa.array(form, pa.list_(pa.string()))})) for form in forms}) == len(forms)


def test_the_hash_of_known_rows_stays_what_it_is() -> None:
    # Control's record keeps these hashes: another value here is a change of what `doctor` compares.
    data = pa.table(
        {
            "word": pa.array(["a", None, ""]),
            "whole": pa.array([1, None, -3], pa.int64()),
            "number": pa.array([1.5, 0.0, None], pa.float64()),
            "flag": pa.array([True, None, False]),
            "moment": pa.array([0, 1, None], pa.timestamp("us", "UTC")),
            "words": pa.array([["a"], [], None], pa.list_(pa.string())),
        }
    )
    assert rows_hash(data) == "d752db952b8d1dd677b42cef457119a51f5b18b3deedb727f9dcdfbd404d3425"
    assert rows_hash(data.set_column(0, "word", data["word"].cast(LONG_TEXT))) == rows_hash(data)
    assert rows_hash(data.set_column(0, "word", data["word"].dictionary_encode())) == rows_hash(data)
    assert rows_hash(data.rename_columns(["other", *data.column_names[1:]])) != rows_hash(data)


def test_a_file_is_one_row_group_with_zstd_and_described_fields() -> None:
    file = pq.ParquetFile(pa.BufferReader(encode(EVENTS, [event(n) for n in range(3000)])))
    assert file.metadata.num_row_groups == 1
    assert {file.metadata.row_group(0).column(i).compression for i in range(file.metadata.num_columns)} == {"ZSTD"}
    assert b"pandas" not in (file.schema_arrow.metadata or {})
    assert file.schema_arrow.field("n").metadata[b"description"] == EVENTS.column("n").description.encode()


def test_some_columns_are_read_alone() -> None:
    raw = encode(EVENTS, [event(2), event(1)])
    assert decode(raw, ["n", "data"]).to_pydict() == {
        "n": [1, 2],
        "data": ['{"text":"number 1"}', '{"text":"number 2"}'],
    }
    with pytest.raises(ThermiteError, match="no column nothing"):
        decode(raw, ["n", "nothing"])


def test_no_rows_are_a_file_too() -> None:
    assert decode(encode(EVENTS, [])).num_rows == 0
    assert to_rows(decode(encode(EVENTS, []))) == []


@pytest.mark.parametrize("raw", [b"", b"PAR1", b"no parquet at all, but long enough", encode(EVENTS, [event(1)])[:-9]])
def test_damaged_bytes_are_told_in_one_line(raw: bytes) -> None:
    with pytest.raises(ThermiteError, match="no whole Parquet file"):
        decode(raw)


def test_rows_that_do_not_fit_are_refused_without_their_words() -> None:
    too_few, too_many, other = event(1), event(1, more=1), event(1)
    del too_few["data"]
    other["datum"] = other.pop("data")
    for row in (too_few, too_many, other):
        with pytest.raises(ThermiteError, match="events: these columns are missing or do not"):
            encode(EVENTS, [row])
    with pytest.raises(ThermiteError, match="column data has 1 nulls"):
        encode(EVENTS, [event(1), event(2, data=None)])
    with pytest.raises(ThermiteError, match="column n takes int64") as refused:
        encode(EVENTS, [{**event(1), "n": "a secret text"}])
    assert "secret" not in str(refused.value)
    with pytest.raises(ThermiteError, match="missing"):
        encode(EVENTS, pa.table({"n": [1]}))
    with pytest.raises(ThermiteError, match="column n takes int64"):
        encode(EVENTS, arrange(EVENTS, [event(1)]).set_column(2, "n", pa.array([1.5])))


def test_whole_numbers_become_doubles() -> None:
    blank = dict.fromkeys(ITEM_TABLES["finding"].column_names)
    row = {**blank, **_filled(ITEM_TABLES["finding"]), "confidence": 1}
    assert decode(encode(ITEM_TABLES["finding"], [row]))["confidence"].to_pylist() == [1.0]


def test_pandas_polars_and_duckdb_read_the_files_of_a_folder(tmp_path: Any) -> None:
    import duckdb
    import pandas as pd
    import polars as pl

    for campaign, first in (("a", 1), ("b", 100)):
        folder = tmp_path / f"rig={campaign}"
        folder.mkdir()
        (folder / "L1-0.parquet").write_bytes(
            encode(EVENTS, [event(n, campaign=None) for n in range(first, first + 5)])
        )
    frame = pd.read_parquet(tmp_path)
    assert len(frame) == 10 and set(frame["rig"]) == {"a", "b"}
    polars = pl.read_parquet(tmp_path / "**/*.parquet", hive_partitioning=True)
    assert polars.height == 10 and polars["occurred_at"].dtype == pl.Datetime("us", "UTC")
    with duckdb.connect() as connection:
        found = connection.execute(
            f"SELECT rig, count(*), min(n) FROM '{tmp_path}/*/*.parquet' GROUP BY rig ORDER BY rig"
        )
        assert found.fetchall() == [("a", 5, 1), ("b", 5, 100)]
