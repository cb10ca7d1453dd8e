"""JSON logs: one object a line, flat or nested, with config lines; and files that are one JSON document."""

import json
import re
from collections.abc import Iterator
from typing import Any

from thermite_pipelines.rig.importers.delimited import TableReader
from thermite_pipelines.rig.importers.fields import Context, flatten, make_row
from thermite_pipelines.rig.importers.markdown import read_prose
from thermite_pipelines.rig.importers.rows import ImportedLog, LogRow
from thermite_pipelines.rig.importers.source import Source
from thermite_pipelines.rig.importers.words import clean, plain

_DECODER = json.JSONDecoder(strict=False)
_WINDOWS_PATH = re.compile(r'(?<![A-Za-z])[A-Za-z]:\\[^"]*')
_BACKSLASH = re.compile(r'\\(["\\/bfnrt]|u[0-9a-fA-F]{4})?')
_LISTS = ("experiments", "results", "runs", "rows", "trials", "history", "attempts", "entries", "log")
_WIDE_PROSE = 4_000


class JsonReader:
    """Makes rows of objects; a config line sets metric and unit for what follows."""

    def __init__(self, log: ImportedLog) -> None:
        self.log = log
        self.context = Context()
        self.replayed: TableReader | None = None

    def feed(self, line: int, record: Any, source: str) -> None:
        """Take one JSON value of the log."""
        if not isinstance(record, dict):
            self.log.skip(line, f"a JSON {_kind(record)}, not an object")
        elif self._is_config(record):
            self._configure(record)
        elif isinstance(record.get("added"), list):
            self._replay(line, record)
        elif _is_wide_prose(record):
            read_prose(self.log, record["text"].split("\n"), line, whole_line=line)
        elif row := self._row(line, record, source):
            self.log.rows.append(row)
        else:
            self.log.skip(line, "neither a title, a status, a figure nor a note in it")

    def _row(self, line: int, record: dict[str, Any], source: str) -> LogRow | None:
        cells = flatten(record)
        meta = record.get("meta")
        if isinstance(meta, dict) and "timestamp" in meta:
            cells.setdefault("meta_timestamp", cells.pop("meta.timestamp", None))
        return make_row(line, source, cells.items(), self.context)

    def _is_config(self, record: dict[str, Any]) -> bool:
        kind = str(record.get("type", "")).lower()
        if kind in ("config", "header", "meta") or "metricName" in record:
            return True
        return "metric_name" in record and "status" not in record and "value" not in record

    def _configure(self, record: dict[str, Any]) -> None:
        metric = record.get("metricName", record.get("metric_name"))
        unit = record.get("metricUnit", record.get("metric_unit"))
        self.context.metric = clean(metric)[:200] if isinstance(metric, str) and metric else self.context.metric
        self.context.unit = clean(unit)[:60] if isinstance(unit, str) and unit else None
        if "bestDirection" in record or "metricName" in record:
            self.context.runtime = "pi"
        name = record.get("name")
        if isinstance(name, str) and name.strip() and not self.log.rows:
            self.log.title = clean(name).strip()

    def _replay(self, line: int, record: dict[str, Any]) -> None:
        """A commit of a log that is kept in git: the lines that it added to a table, and when."""
        if self.replayed is None:
            self.replayed = TableReader(self.log)
        at = record.get("at") or record.get("timestamp") or record.get("date")
        for text in record["added"]:
            if isinstance(text, str) and text.strip():
                self.replayed.feed(line, clean(text).split("\t"), text, at=at if isinstance(at, str) else None)


def read_json_lines(source: Source, log: ImportedLog) -> None:
    """Read JSON lines (also several objects on a line, or one JSON document) into `log`."""
    reader = JsonReader(log)
    whole = _whole_document(source.lines)
    if whole is not None:
        for line, record in enumerate(whole, start=1):
            reader.feed(line, record, json.dumps(record, sort_keys=True, default=str))
        return
    last = len(source.lines)
    for line, text in enumerate(source.lines, start=1):
        if not text.strip():
            continue
        stripped = text.replace("\0", "").strip()
        if not stripped:
            log.skip(line, "nothing but NUL characters")
            continue
        try:
            for record in _records(stripped, log, line):
                reader.feed(line, record, text if record is not None else "null")
        except (ValueError, RecursionError) as error:
            torn = line == last and not source.ends_whole
            log.skip(line, "the last line is torn: it is no whole JSON" if torn else f"no JSON: {_why(error)}")


def _records(text: str, log: ImportedLog, line: int) -> Iterator[Any]:
    """The JSON values of a line. Raises `ValueError` or `RecursionError` before any is yielded if one is broken."""
    try:
        yield from _decode_all(text)
        return
    except ValueError:
        mended = _BACKSLASH.sub(lambda found: found[0] if found[1] else r"\\", _WINDOWS_PATH.sub(_double, text))
        if mended == text:
            raise
    yield from _decode_all(mended)
    log.notices.append(f"line {line}: single backslashes, as in a Windows path, were taken as they stand")


def _decode_all(text: str) -> list[Any]:
    records: list[Any] = []
    position = 0
    while position < len(text):
        record, position = _DECODER.raw_decode(text, position)
        records.append(record)
        while position < len(text) and text[position] in " \t\r\n,":
            position += 1
    return records


def _double(path: re.Match[str]) -> str:
    """A Windows path with each single backslash doubled; pairs are right already."""
    return re.sub(r"\\+", lambda run: r"\\" if len(run[0]) == 1 else run[0], path[0])


def _whole_document(lines: list[str]) -> list[Any] | None:
    """The rows of a file that is one JSON document over several lines or one list, else `None`."""
    first = next((line for line in lines if line.strip()), "").strip()
    if not first.startswith("[") and first != "{":
        return None
    try:
        document = json.loads("\n".join(lines), strict=False)
    except (ValueError, RecursionError):
        return None
    if isinstance(document, list):
        return document
    if isinstance(document, dict):
        for name in _LISTS:
            if isinstance(document.get(name), list):
                return document[name]
        return [document]
    return None


def _is_wide_prose(record: dict[str, Any]) -> bool:
    """Field notes: a long Markdown text and nothing that would make it an experiment."""
    text = record.get("text")
    if not isinstance(text, str) or len(text) < _WIDE_PROSE:
        return False
    return not any(plain(name) in ("status", "metric", "value", "verdict", "title") for name in record)


def _kind(value: Any) -> str:
    names = {str: "string", bool: "boolean", int: "number", float: "number", list: "list", type(None): "null"}
    return names.get(type(value), "value")


def _why(error: BaseException) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos + 1}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)[:80]
