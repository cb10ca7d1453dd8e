"""Metadata that people look at: small tables and pictures of counts, ids, kinds and times; never texts."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

import dagster as dg
import pyarrow as pa

from thermite_pipelines.tables.schemas import Table

_BAR, _ROW, _LABEL, _WIDTH = 18, 24, 150, 560


def column_schema(table: Table) -> dg.TableSchema:
    """A table's columns for the UI."""
    return dg.TableSchema(
        columns=[
            dg.TableColumn(
                column.name,
                str(column.type),
                column.description,
                constraints=dg.TableColumnConstraints(nullable=column.nullable),
            )
            for column in table.columns
        ]
    )


def small_table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> dg.TableMetadataValue:
    """A table of at most 50 rows; all values as text or numbers."""
    records = [
        dg.TableRecord(
            {name: row[name] if isinstance(row[name], (int, float, str, bool)) else str(row[name]) for name in columns}
        )
        for row in list(rows)[:50]
    ]
    return dg.MetadataValue.table(records, dg.TableSchema([dg.TableColumn(name) for name in columns]))


def bar_chart(counts: Mapping[str, int], title: str) -> dg.MarkdownMetadataValue:
    """Counts by name as a bar chart: a picture in Markdown, since Dagster has no plots."""
    highest = max(counts.values(), default=0) or 1
    height = _ROW * len(counts) + 34
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH + 60}" height="{height}" font-family="sans-serif" font-size="12">',
        f'<rect width="100%" height="100%" fill="#ffffff"/><text x="8" y="18" font-weight="bold">{escape(title)}</text>',
    ]
    for place, (name, count) in enumerate(counts.items()):
        y = 30 + place * _ROW
        length = round((_WIDTH - _LABEL) * count / highest)
        parts.append(
            f'<text x="{_LABEL - 8}" y="{y + 13}" text-anchor="end">{escape(name)}</text>'
            f'<rect x="{_LABEL}" y="{y}" width="{length}" height="{_BAR}" fill="#4f6df5"/>'
            f'<text x="{_LABEL + length + 6}" y="{y + 13}">{count}</text>'
        )
    picture = base64.b64encode("".join([*parts, "</svg>"]).encode()).decode()
    return dg.MetadataValue.md(f"![{title}](data:image/svg+xml;base64,{picture})")


def count_column(table: pa.Table, name: str) -> dict[str, int]:
    """How often each value of a column stands there, most first."""
    counts = table[name].value_counts().to_pylist()
    return {
        str(item["values"]): item["counts"]
        for item in sorted(counts, key=lambda item: (-item["counts"], str(item["values"])))
    }
