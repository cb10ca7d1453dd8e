"""Prose logs: Markdown whose tables hold experiments, whose headings name runs and whose text is notes."""

import re

from thermite_pipelines.rig.importers import columns
from thermite_pipelines.rig.importers.delimited import TableReader, looks_like_header
from thermite_pipelines.rig.importers.fields import fingerprint
from thermite_pipelines.rig.importers.rows import ImportedLog, LogRow, Note
from thermite_pipelines.rig.importers.words import clean, moment, number, plain

_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*")
_RULE = re.compile(r"[\s|:+-]+")
# `Run 3: wider net`, `Experiment 12`, `E07 -- baseline`: headings that name one experiment.
_EXPERIMENT = re.compile(
    r"(?:run|experiment|exp|trial|iteration|attempt)\s*#?\s*(?P<number>\d[\w.]*)\b[\s:.–—-]*(?P<title>.*)"
    r"|(?P<code>[A-Z]{1,4}\d{1,4}[a-z]?)\s*(?::|–|—|-{1,2}|\s)\s*(?P<rest>.*)",
    re.IGNORECASE,
)
_LESSON = re.compile(r"\b(lessons?|learnings|insights?|takeaways?|key findings?)\b", re.IGNORECASE)
_LONG_HEADING = 80


def read_prose(log: ImportedLog, lines: list[str], first_line: int = 1, *, whole_line: int | None = None) -> None:
    """Read Markdown into `log`; with `whole_line` every row gets that line, in which all of it lay in another log."""
    Prose(log, first_line, whole_line).read(lines)


class Prose:
    """Walks through Markdown: collects a section, and hands its tables to a table reader."""

    def __init__(self, log: ImportedLog, first_line: int, whole_line: int | None) -> None:
        self.log = log
        self.first_line = first_line
        self.whole_line = whole_line
        self.heading = ""
        self.start = first_line
        self.body: list[str] = []

    def read(self, lines: list[str]) -> None:
        """Read all lines."""
        fenced = False
        index = 0
        while index < len(lines):
            line = clean(lines[index])
            if line.lstrip().startswith(("```", "~~~")):
                fenced = not fenced
            heading = None if fenced else _HEADING.fullmatch(line.strip())
            if heading:
                self._close()
                self._open(heading[2], len(heading[1]), index)
            elif not fenced and line.lstrip().startswith("|"):
                end = index
                while end < len(lines) and lines[end].lstrip().startswith("|"):
                    end += 1
                self._table([clean(row) for row in lines[index:end]], index)
                index = end
                continue
            else:
                self.body.append(line)
            index += 1
        self._close()

    def _line(self, index: int) -> int:
        return self.whole_line if self.whole_line is not None else self.first_line + index

    def _open(self, heading: str, level: int, index: int) -> None:
        self.heading = heading.strip().strip("*")
        self.start = self._line(index)
        if level == 1 and not self.log.rows and self.whole_line is None:
            self.log.title = self.heading or self.log.title

    def _close(self) -> None:
        text = "\n".join(self.body).strip()
        self.body = []
        if not text and len(self.heading) > _LONG_HEADING:
            # Some logs put a whole paragraph behind the hash.
            text, self.heading = self.heading, ""
        if not text and not self._names_experiment():
            return
        source = f"{self.heading}\n{text}"
        notes = (Note("lesson" if _LESSON.search(self.heading) else "observation", text),) if text else ()
        if not self._names_experiment():
            if self.heading:
                notes = tuple(Note(note.kind, f"{self.heading}\n\n{note.text}") for note in notes)
            self.log.rows.append(LogRow(self.start, fingerprint(source), at=moment(self.heading), notes=notes))
        else:
            match = _EXPERIMENT.fullmatch(self.heading)
            key = (match["number"] or match["code"]) if match else None
            self.log.rows.append(
                LogRow(self.start, fingerprint(source), key=key, title=self.heading[:160], notes=notes)
            )
        self.heading = ""

    def _names_experiment(self) -> bool:
        return _EXPERIMENT.fullmatch(self.heading) is not None

    def _table(self, rows: list[str], index: int) -> None:
        """A table with a status column, or with a key and a figure, holds experiments; others are part of the prose."""
        cells = [_cells(row) for row in rows]
        header = cells[0]
        names = [plain(name) for name in header]
        has_status = any(name in columns.STATUS for name in names)
        has_key = any(name in columns.KEY or name in columns.COMMIT or name in columns.TITLE for name in names)
        figures = len(cells) > 2 and any(number(cell) is not None for cell in cells[2])
        if not looks_like_header(header) or not (has_key and (has_status or figures)):
            self.body += rows
            return
        reader = TableReader(self.log)
        for offset, row in enumerate(rows):
            if not _RULE.fullmatch(row):
                reader.feed(self._line(index + offset), cells[offset], row)


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|").removesuffix("|")
    parts = re.split(r"(?<!\\)\|", inner)
    return [part.replace(r"\|", "|").strip().strip("*") for part in parts]
