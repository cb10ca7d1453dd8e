"""Printing: one JSON document, or tables and lines for people; progress on standard error.

JSON is plain ASCII with escapes, whatever the terminal speaks. Texts that rigs sent are shown to people with their
control characters escaped, since a terminal would obey them.
"""

import json
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

# C0 and C1 controls, marks that turn the direction of text or are not seen, and halves of characters.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")
_SPOOL_BYTES = 32 * 2**20
_MIN_PLAIN_WIDTH = 4

Progress = Callable[[int, int], None]


def clean(value: Any) -> str:
    """What is shown to people for a value: '' for None, control characters as escapes."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _UNSAFE.sub(lambda found: _escape(ord(found[0])), str(value))


def program() -> str:
    """The command as it can be typed here: with the way to it where it is not on the path."""
    if shutil.which("thermite") is not None:
        return "thermite"
    script = Path(sys.executable).with_name("thermite")
    with suppress(ValueError):
        script = script.relative_to(Path.cwd())
    return clean(script)


def _escape(code: int) -> str:
    short = {9: "\\t", 10: "\\n", 13: "\\r"}.get(code)
    return short or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def cut(text: str | None, width: int) -> str:
    """One line of at most `width` characters for people."""
    shown = clean(" ".join((text or "").split()))
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document."""
    sys.stdout.write(json.dumps(document, indent=2, allow_nan=False) + "\n")


def print_json_list(name: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Print `{name: [rows]}`, of any length in bounded memory; nothing is printed if making a row fails."""
    with tempfile.SpooledTemporaryFile(max_size=_SPOOL_BYTES, mode="w+", encoding="ascii") as spool:
        spool.write(f'{{"{name}": [')
        comma = "\n"
        for row in rows:
            spool.write(comma + json.dumps(row, allow_nan=False))
            comma = ",\n"
        spool.write("\n]}\n" if comma != "\n" else "]}\n")
        spool.seek(0)
        shutil.copyfileobj(spool, sys.stdout)


def say(line: str = "") -> None:
    """Print one line for people; the parts that rigs wrote must have been through `clean`."""
    print(line)


def warn(line: str) -> None:
    """Print one line on standard error."""
    print(clean(line), file=sys.stderr)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]], empty: str = "nothing yet") -> None:
    """Print rows for people: a table as wide as the terminal, or plain aligned lines where there is no terminal."""
    cells = [[clean(value) for value in row] for row in rows]
    if not cells:
        say(empty)
    elif sys.stdout.isatty():
        _print_rich(columns, cells)
    else:
        _print_plain(columns, cells)


def _print_rich(columns: Sequence[str], cells: list[list[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    Console(file=sys.stdout, highlight=False).print(table)


def _print_plain(columns: Sequence[str], cells: list[list[str]]) -> None:
    lines = [list(columns), *cells]
    widths = [max(_MIN_PLAIN_WIDTH, *(len(line[place]) for line in lines)) for place in range(len(columns))]
    for line in lines:
        say("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


@contextmanager
def progress(what: str) -> Iterator[Progress]:
    """A function (done, total) that shows how far a piece of work is, on standard error.

    A bar on a terminal; elsewhere one plain line for each tenth of the work.
    """
    if sys.stderr.isatty():
        yield from _bar(what)
        return
    shown = -1

    def line(done: int, total: int) -> None:
        nonlocal shown
        tenth = 10 if total <= 0 else 10 * done // total
        if tenth > shown:
            shown = tenth
            warn(f"{what}: {done} of {total}")

    yield line


def _bar(what: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        task = bars.add_task(clean(what), total=None)
        yield lambda done, total: bars.update(task, completed=done, total=total)
