"""Tables: TSV and CSV with columns in any order, with or without a header, and rows that do not fit it."""

import csv
import io
import re

from thermite_pipelines.rig.importers import columns
from thermite_pipelines.rig.importers.fields import Context, make_row
from thermite_pipelines.rig.importers.rows import ImportedLog
from thermite_pipelines.rig.importers.source import Source
from thermite_pipelines.rig.importers.words import judge_word, number, plain

_TEXT = frozenset([*columns.TITLE, *columns.DESCRIPTION, *columns.NOTES, *columns.REASON, "interaction", "tags"])
_KNOWN = frozenset(
    [
        *[*columns.COMMIT, *columns.KEY, *columns.TITLE, *columns.DESCRIPTION, *columns.STATUS, *columns.TIME],
        *[*columns.METRIC_NAME, *columns.VALUE, *columns.BASELINE, *columns.UNIT, *columns.DELTA, *columns.NOTES],
        *[*columns.REASON, "phase", "seed", "family", "memory_gb", "peak_vram_mb"],
    ]
)
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_CLASSIC = ["commit", "val_bpb", "memory_gb", "status", "description"]
_MAX_JOINED = 60


class TableReader:
    """Makes rows of cells; keeps the header that holds at the moment (a log may begin again with another one)."""

    def __init__(self, log: ImportedLog, context: Context | None = None) -> None:
        self.log = log
        self.context = context or Context()
        self.header: list[str] = []

    def feed(self, line: int, cells: list[str], source: str, *, torn: bool = False, at: str | None = None) -> None:
        """Take one row: a header, a row of data, or something to skip. `torn`: its line has no end."""
        if looks_like_header(cells, again=bool(self.header)):
            if [plain(cell) for cell in cells] == [plain(cell) for cell in self.header]:
                self.log.skip(line, "the header again")
                return
            self._use(cells)
            return
        if not self.header:
            guessed = guess_header(cells)
            if guessed is None:
                self.log.skip(line, "no header before it, and no status word or figure to know its columns by")
                return
            self.log.notices.append(f"the log has no header: columns were told by what line {line} holds")
            self._use(guessed)
        fitted = self._fit(line, cells, torn)
        if fitted is None:
            return
        named = [(name, cell) for name, cell in fitted if name or cell]
        row = make_row(line, source, [*named, *([("timestamp", at)] if at else [])], self.context)
        if row is None:
            self.log.skip(line, "neither a title, a status, a figure nor a note in it")
        else:
            self.log.rows.append(row)

    def _use(self, header: list[str]) -> None:
        self.header = [cell.strip().strip("*") for cell in header]
        self.context.order = columns.metric_order(self.header)

    def _fit(self, line: int, cells: list[str], torn: bool) -> list[tuple[str, str]] | None:
        """Cells with their column names, or `None` for a row that is skipped."""
        width = len(self.header)
        while len(cells) > width and not cells[-1].strip():
            cells = cells[:-1]
        missing = self.header[len(cells) :]
        if missing and (torn or not self._may_lack(missing, cells)):
            what = "the last line is torn: it has" if torn else "it has"
            self.log.skip(line, f"{what} {len(cells)} of {width} columns")
            return None
        if len(cells) > width:
            if plain(self.header[-1]) not in _TEXT:
                self.log.skip(line, f"it has {len(cells)} columns, the header {width}")
                return None
            # A delimiter inside the last text: the rest of the line belongs to it.
            cells = [*cells[: width - 1], " ".join(cells[width - 1 :])]
        named = list(zip(self.header, cells, strict=False))
        return self._in_order(line, named)

    def _may_lack(self, missing: list[str], cells: list[str]) -> bool:
        """Editors strip trailing tabs: texts at the end may be missing where the status is there."""
        places = [index for index, name in enumerate(self.header) if plain(name) in columns.STATUS]
        return all(plain(name) in _TEXT for name in missing) and any(
            index < len(cells) and judge_word(cells[index]) for index in places
        )

    def _in_order(self, line: int, named: list[tuple[str, str]]) -> list[tuple[str, str]] | None:
        """Rows whose cells stand in another order than the header says are read by what the cells hold."""
        status = [cell for name, cell in named if plain(name) == "status"]
        if not status or judge_word(status[0]) or number(status[0]) is None:
            return named
        guessed = guess_header([cell for _, cell in named])
        if guessed is None or "status" not in guessed:
            self.log.skip(line, f"its status column holds the number {status[0].strip()[:20]}: the columns do not fit")
            return None
        self.log.notices.append(f"line {line}: its columns do not stand as the header says; told by what they hold")
        metric = (self.context.order or ["metric"])[0]
        return [(metric if name == "val_bpb" else name, cell) for name, (_, cell) in zip(guessed, named, strict=True)]


def looks_like_header(cells: list[str], *, again: bool = False) -> bool:
    """Whether these cells are column names: no figures, no status words, and enough names that are known.

    With `again` (there is a header already) half of them must be known: data may hold a word that is also a name.
    """
    names = [plain(cell.strip().strip("*")) for cell in cells]
    if len(cells) < 2 or any(number(cell) is not None or len(cell) > 60 for cell in cells):
        return False
    filled = [name for name in names if name]
    telling = [name for name in filled if (name in _KNOWN or columns.is_metric(name)) and not judge_word(name)]
    data = [name for name in filled if name not in _KNOWN and judge_word(name)]
    enough = len(filled) / 2 if again else len(filled) / 6
    return len(telling) >= max(1, enough) and not data and len(set(filled)) == len(filled)


def guess_header(cells: list[str]) -> list[str] | None:
    """Column names by what the cells of one row hold, or `None` if that tells nothing."""
    words = [index for index, cell in enumerate(cells) if judge_word(cell.strip()) and len(cell.strip()) <= 20]
    figures = [index for index, cell in enumerate(cells) if number(cell) is not None]
    if len(cells) < 3 or not words or not figures:
        return None
    names = [f"column {index + 1}" for index in range(len(cells))]
    commits = [index for index, cell in enumerate(cells) if _COMMIT.fullmatch(cell.strip())]
    # A commit of digits alone is a figure too: what stands first and is long is the commit.
    commits = [index for index in commits if index not in figures or (len(cells[index].strip()) >= 7 and index == 0)]
    figures = [index for index in figures if index not in commits[:1]]
    if commits:
        names[commits[0]] = "commit"
    names[words[0]] = "status"
    for index, name in zip(figures, _CLASSIC[1:3], strict=False):
        names[index] = name
    texts = [index for index in range(len(cells)) if names[index].startswith("column ") and index not in figures]
    if texts:
        names[max(texts, key=lambda index: (len(cells[index]), index))] = "description"
    return names


def read_table(source: Source, log: ImportedLog) -> None:
    """Read a TSV or CSV into `log`."""
    lines = source.lines
    delimiter = sniff(lines)
    reader = TableReader(log)
    index = 0
    while index < len(lines):
        line = lines[index]
        if not line.strip("\0 \t\r,;") or (not reader.header and line.startswith("#") and delimiter not in line):
            if line and "\0" in line:
                log.skip(index + 1, "nothing but NUL characters")
            index += 1
            continue
        cells, used = split_cells(lines, index, delimiter, len(reader.header))
        torn = not source.ends_whole and index + used >= len(lines)
        reader.feed(
            index + 1, [cell.replace("\0", "") for cell in cells], "\n".join(lines[index : index + used]), torn=torn
        )
        index += used


def sniff(lines: list[str]) -> str:
    """The delimiter of a table: the one that its first line of several cells has most of, the tab before others."""
    for line in lines[:20]:
        counts = {mark: line.count(mark) for mark in "\t,;"}
        best = max(counts, key=lambda mark: counts[mark])
        if counts["\t"]:
            return "\t"
        if counts[best]:
            return best
    return "\t"


def split_cells(lines: list[str], index: int, delimiter: str, width: int) -> tuple[list[str], int]:
    """The cells of the row that begins at `index`, and how many lines it takes.

    Quotes count as CSV quotes only where that gives a whole row; a stray quote must not swallow the rows behind it.
    """
    line = lines[index]
    if '"' not in line:
        return line.split(delimiter), 1
    for used in range(1, min(_MAX_JOINED, len(lines) - index) + 1):
        text = "\n".join(lines[index : index + used])
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                continue
            break
        if len(rows) == 1 and (used == 1 or len(rows[0]) == width):
            return rows[0], used
        break
    return line.split(delimiter), 1
