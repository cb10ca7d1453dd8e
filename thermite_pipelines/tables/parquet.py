"""The one function that makes Parquet bytes, and what reads and compares them.

The same rows give the same bytes within one release of pyarrow: rows are sorted, the table is one chunk with its one
schema, and every option is spelled out. `rows_hash` goes further and does not depend on the release, so it tells a
changed row from a changed writer.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.tables.compute import pc
from thermite_pipelines.tables.schemas import LONG_TEXT, TIME, Column, Table

Rows = Sequence[Mapping[str, Any]]

# pyarrow makes its compute functions when it is imported, where no type checker sees them; its stubs are partial too.
_compute: Any = pc
_write_table: Any = pq.write_table
_PAGE_BYTES = 1 << 20

# The names of types in a rows hash: our own, so that a release that prints a type otherwise changes no hash.
_HASH_NAMES: dict[pa.DataType, bytes] = {
    pa.int64(): b"int64\n",
    pa.float64(): b"float64\n",
    pa.bool_(): b"bool\n",
    TIME: b"micros\n",
}


def encode(table: Table, data: pa.Table | Rows) -> bytes:
    """The Parquet bytes of these rows: the same for the same rows, in whatever order or chunks they come.

    Raises `ThermiteError` where the rows do not fit the table (see `arrange`).
    """
    return encode_arranged(table, arrange(table, data))


def encode_arranged(table: Table, arranged: pa.Table) -> bytes:
    """The same for rows that `arrange` gave."""
    sink = pa.BufferOutputStream()
    _write_table(
        arranged,
        sink,
        row_group_size=max(arranged.num_rows, 1),
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=3,
        # Long texts hardly repeat: a dictionary of them is built, found too large and thrown away.
        use_dictionary=[column.name for column in table.columns if column.repeats],
        dictionary_pagesize_limit=_PAGE_BYTES,
        data_page_size=_PAGE_BYTES,
        write_batch_size=1024,
        write_statistics=[column.name for column in table.columns if column.type != LONG_TEXT],
        write_page_index=False,
        write_page_checksum=False,
        use_byte_stream_split=False,
        use_deprecated_int96_timestamps=False,
        coerce_timestamps=None,
        allow_truncated_timestamps=False,
        use_compliant_nested_type=True,
        # The Arrow schema in the file's metadata is where the field descriptions are.
        store_schema=True,
    )
    return sink.getvalue().to_pybytes()


def decode(raw: bytes, columns: Sequence[str] | None = None) -> pa.Table:
    """The rows of a Parquet file, or some of its columns, in the file's order.

    Raises `ThermiteError` where the bytes are no Parquet file or a column is not there.
    """
    try:
        with pq.ParquetFile(pa.BufferReader(raw)) as file:
            missing = set(columns or ()).difference(file.schema_arrow.names)
            if missing:
                raise ThermiteError(f"the Parquet file has no column {', '.join(sorted(missing))}")
            return file.read(None if columns is None else list(columns), use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise ThermiteError(f"the bytes are no whole Parquet file ({error})", do="run `thermite rebuild`") from None


def arrange(table: Table, data: pa.Table | Rows) -> pa.Table:
    """The rows as `encode` writes them: the table's columns and types, sorted, one chunk.

    Rows may be dicts with exactly the table's columns (times as whole microseconds) or an Arrow table with them in any
    order. Raises `ThermiteError` for a missing or foreign column, a null where none may be, or a value of a wrong type.
    """
    columns = _columns_of_table(data) if isinstance(data, pa.Table) else _columns_of_rows(table, data)
    wrong = set(columns).symmetric_difference(table.column_names)
    if wrong:
        raise _wrong_columns(table, wrong)
    arrays = [_array(table, column, columns[column.name]) for column in table.columns]
    return _sorted(table, pa.Table.from_arrays(arrays, schema=table.schema))


def to_rows(data: pa.Table) -> list[dict[str, Any]]:
    """The rows as dicts, times as whole microseconds: what `arrange` takes, and what the fold works on."""
    columns = [
        (column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column).to_pylist()
        for column in data.columns
    ]
    names = data.column_names
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def rows_hash(data: pa.Table) -> str:
    """Hex SHA-256 over names, types and values, row by row in their order.

    Chunks, slices, absent or needless validity buffers, and the writer's release do not change it.
    """
    digest = hashlib.sha256(b"thermite rows 1\n%d\n" % data.num_rows)
    for name, column in zip(data.column_names, data.columns, strict=True):
        digest.update(b"%s\n" % name.encode())
        _feed(digest, _one_array(column))
    return digest.hexdigest()


def _columns_of_table(data: pa.Table) -> dict[str, Any]:
    return dict(zip(data.column_names, data.columns, strict=True))


def _columns_of_rows(table: Table, rows: Rows) -> dict[str, Any]:
    names = frozenset(table.column_names)
    for row in rows:
        if row.keys() != names:
            raise _wrong_columns(table, names.symmetric_difference(row))
    return {name: [row[name] for row in rows] for name in table.column_names}


def _wrong_columns(table: Table, names: Iterable[str]) -> ThermiteError:
    listed = ", ".join(sorted(names))
    return ThermiteError(f"these columns are missing or do not belong there: {listed}", where=table.name)


def _array(table: Table, column: Column, values: Any) -> pa.Array:
    try:
        if isinstance(values, pa.ChunkedArray):
            array = _one_array(values if values.type == column.type else values.cast(column.type))
        else:
            array = pa.array(values, type=column.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        # Arrow's own words quote the value, which may be an agent's text: it must not reach a log.
        what = f"column {column.name} takes {column.type}, a value is of another type"
        raise ThermiteError(what, where=table.name) from None
    if isinstance(array, pa.ChunkedArray):  # pyarrow's answer where one array cannot hold the bytes
        raise ThermiteError(f"column {column.name} is more than one chunk can hold", where=table.name)
    if not column.nullable and array.null_count:
        raise ThermiteError(f"column {column.name} has {array.null_count} nulls and takes none", where=table.name)
    return array


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    combined: Any = column.combine_chunks()
    if isinstance(combined, pa.ChunkedArray):  # pyarrow's answer where one chunk cannot hold the bytes
        raise ThermiteError("a column holds more than 2 GiB of text")
    return combined


def _sorted(table: Table, data: pa.Table) -> pa.Table:
    if data.num_rows < 2:
        return data
    order = _compute.sort_indices(data, sort_keys=[(name, "ascending") for name in table.sort])
    steps = _compute.pairwise_diff(order.cast(pa.int64()))
    in_order = _compute.all(_compute.equal(steps, 1)).as_py()
    return data if in_order else data.take(order).combine_chunks()


def _feed(digest: Any, array: pa.Array) -> None:
    """Feed one column in a form that holds its values and nothing else."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        _feed(digest, array.dictionary_decode())
    elif pa.types.is_struct(kind):
        digest.update(b"struct\n")
        _feed_numbers(digest, array.is_valid().cast(pa.int8()))
        for field, child in zip(kind, array.flatten(), strict=True):
            digest.update(b"%s\n" % field.name.encode())
            _feed(digest, child)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        digest.update(b"list\n")
        _feed_numbers(digest, _compute.fill_null(_compute.list_value_length(array).cast(pa.int64()), -1))
        _feed(digest, _compute.list_flatten(array))
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
        digest.update(b"text\n")
        _feed_texts(digest, array.cast(LONG_TEXT) if kind != LONG_TEXT else array)
    else:
        _feed_plain(digest, array)


def _feed_plain(digest: Any, array: pa.Array) -> None:
    digest.update(_HASH_NAMES.get(array.type) or b"%s\n" % str(array.type).encode())
    if pa.types.is_timestamp(array.type):
        array = array.cast(pa.int64())
    elif pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())
    digest.update(b"%d\n" % array.null_count)
    if array.null_count:
        _feed_numbers(digest, array.is_valid().cast(pa.int8()))
        array = _compute.fill_null(array, pa.scalar(0, array.type))
    _feed_numbers(digest, array)


def _feed_texts(digest: Any, array: pa.Array) -> None:
    _feed_numbers(digest, _compute.fill_null(_compute.binary_length(array), -1))
    if array.null_count:
        array = _compute.fill_null(array, "")
    if not len(array):
        return
    _, offsets, data = array.buffers()
    bounds = memoryview(offsets).cast("q")
    first, last = bounds[array.offset], bounds[array.offset + len(array)]
    if last > first:
        digest.update(memoryview(data)[first:last])


def _feed_numbers(digest: Any, array: pa.Array) -> None:
    """Feed the values of a fixed-width array without nulls, as they lie in memory."""
    # Not by way of numpy, which Arrow works without and which nothing else here needs.
    width = array.type.bit_width // 8
    values = array.buffers()[1]
    if len(array):
        digest.update(memoryview(values)[array.offset * width : (array.offset + len(array)) * width])
