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
        found = picture(_svg(bars, len(counts) - len(bars)), title)
        if len(found.value or "") < _SHOWN_IN_PLACE or not bars:
            return found
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


def line_chart(values: Mapping[str, float], title: str) -> dg.MarkdownMetadataValue:
    """Values over names as a line, the newest 30: for figures that come one after the other."""
    points = list(values.items())[-30:]
    highest = max((value for _, value in points), default=0.0) or 1.0
    step = (_LEFT + _WIDTH - 60) / max(len(points) - 1, 1)
    places = [(round(10 + place * step), round(90 - 70 * value / highest)) for place, (_, value) in enumerate(points)]
    path = " ".join(f"{'L' if place else 'M'}{x} {y}" for place, (x, y) in enumerate(places))
    ends = [(0, points[0]), (len(points) - 1, points[-1])] if points else []
    texts = "".join(
        f'<text x="{places[place][0]}" y="{places[place][1] - 8}">{value:.2f}</text>'
        f'<text x="{places[place][0]}" y="108">{escape(name)}</text>'
        for place, (name, value) in dict(ends).items()
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH}" height="112" '
        f'style="font:12px sans-serif;fill:#777">{texts}<path fill="none" stroke="#46f" stroke-width="2" d="{path}"/>'
        f'<path stroke="#777" d="M4 92h{_LEFT + _WIDTH - 8}"/></svg>'
    )
    return picture(svg, title)


def picture(svg: str, title: str) -> dg.MarkdownMetadataValue:
    """A picture as Markdown, which the UI shows in place while it is short."""
    encoded = base64.b64encode(svg.encode()).decode()
    return dg.MetadataValue.md(f"![{title}](data:image/svg+xml;base64,{encoded})")
