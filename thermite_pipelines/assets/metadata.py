"""Metadata that people look at: small tables and pictures of counts, ids, kinds and times; never texts."""

import base64
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

import dagster as dg

from thermite_pipelines.tables.schemas import Table

_ROW, _LEFT, _WIDTH = 16, 150, 250  # pixels
_LABEL = 20  # letters
_SHOWN_IN_PLACE = 1000


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
    """Counts by name as a bar chart: a picture in Markdown, since Dagster has no plots.

    The UI shows short Markdown in place and hides longer behind a link, so the last names are left out where need be.
    """
    bars = list(counts.items())
    while True:
        picture = base64.b64encode(_svg(bars, len(counts) - len(bars)).encode()).decode()
        text = f"![{title}](data:image/svg+xml;base64,{picture})"
        if len(text) < _SHOWN_IN_PLACE or not bars:
            return dg.MetadataValue.md(text)
        bars.pop()


def _svg(bars: list[tuple[str, int]], left_out: int) -> str:
    """Bars as one path and a text each, as short as can be; grey and blue can be read on white and on black."""
    highest = max((count for _, count in bars), default=0) or 1
    lines = [f"{name if len(name) <= _LABEL else name[: _LABEL - 1] + '…'} {count}" for name, count in bars]
    lines += [f"and {left_out} more"] if left_out else []
    texts = "".join(f'<text y="{_ROW * place + 12}">{escape(line)}</text>' for place, line in enumerate(lines))
    path = "".join(
        f"M{_LEFT} {_ROW * place + 8}h{max(1, round(_WIDTH * count / highest))}"
        for place, (_, count) in enumerate(bars)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH}" height="{_ROW * len(lines)}" '
        f'style="font:12px sans-serif;fill:#777">{texts}<path stroke="#46f" stroke-width="11" d="{path}"/></svg>'
    )
