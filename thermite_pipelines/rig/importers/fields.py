"""From the named fields of one row to a `LogRow`: the same rules for tables, JSON lines and Markdown."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from thermite_pipelines.rig.importers import columns
from thermite_pipelines.rig.importers.rows import LogRow, Note
from thermite_pipelines.rig.importers.words import clean, judge_word, moment, number, plain, yes_or_no

_TITLE_LENGTH = 160
_EXTRA_LENGTH = 400
_MAX_EXTRAS = 60
_COMMIT = re.compile(r"[0-9A-Za-z_]{1,64}")
_CAPITAL_WORD = re.compile(r"\b(KEEP|KEPT|REVERT|REVERTED|DISCARD|DISCARDED|DEFER|DEFERRED|CRASH|CRASHED|FAILED)\b")
_CODE = re.compile(r"[A-Za-z]{0,4}\d{1,4}(\.\d+)?[a-z]?")
_TELLING = ("title", "name", "description", "desc", "idea", "agent_idea", "plan", "change", "composition")
_SHORT_NOTE = 200
_EMPTY = frozenset(["", "-", "--", "—", "n/a", "na", "none", "null", "nan", "tbd"])


@dataclass
class Context:
    """What holds for all rows that follow: a config line's metric, the order of columns, the runtime."""

    metric: str | None = None
    unit: str | None = None
    runtime: str | None = None
    order: list[str] | None = None


def fingerprint(source: str) -> str:
    """16 hex digits that tell one row's source text from another's."""
    return hashlib.sha256(source.strip().encode("utf-8", "surrogatepass")).hexdigest()[:16]


def flatten(record: Mapping[str, Any]) -> dict[str, Any]:
    """Scalars of a nested object under dotted names, top level first; lists of scalars become text."""
    flat: dict[str, Any] = {}
    nested: list[tuple[str, Any]] = list(record.items())
    for _ in range(5):
        deeper: list[tuple[str, Any]] = []
        for name, value in nested:
            if isinstance(value, Mapping):
                deeper += [(f"{name}.{inner}", item) for inner, item in value.items()]
            elif isinstance(value, list):
                if 0 < len(value) <= 20 and not any(isinstance(item, dict | list) for item in value):
                    flat.setdefault(name, ", ".join(str(item) for item in value))
            else:
                flat.setdefault(name, value)
        nested = deeper
    return flat


class Fields:
    """The cells of one row by the plain form of their names; remembers which were used, so the rest can be kept."""

    def __init__(self, cells: Iterable[tuple[str, Any]]) -> None:
        self.cells: dict[str, Any] = {}
        for name, value in cells:
            if isinstance(value, str):
                value = clean(value).strip()
            self.cells.setdefault(clean(name).strip(), value)
        self.names = {plain(name): name for name in reversed(list(self.cells))}
        self.used: set[str] = set()

    def raw(self, name: str) -> Any:
        """The cell under a plain name, `None` where it is missing or holds a word for nothing."""
        value = self.cells.get(self.names.get(name, ""))
        return None if isinstance(value, str) and value.lower() in _EMPTY else value

    def text(self, names: Iterable[str]) -> tuple[str | None, str | None]:
        """(text, plain name) of the first of `names` that holds text; takes it."""
        for name in names:
            value = self.raw(name)
            if isinstance(value, str) and number(value) is None:
                self.use(name)
                return value, name
        return None, None

    def use(self, name: str) -> None:
        """Mark a cell as taken."""
        self.used.add(self.names.get(name, ""))

    def rest(self) -> list[tuple[str, str]]:
        """The cells that nothing took, as text."""
        left: list[tuple[str, str]] = []
        for name, value in self.cells.items():
            if name in self.used or value is None or plain(name) in columns.DROPPED:
                continue
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            if text.lower() not in _EMPTY:
                left.append((name or "column", clean(text)[:_EXTRA_LENGTH]))
        if len(left) > _MAX_EXTRAS:
            left = [*left[:_MAX_EXTRAS], ("more fields in the log", str(len(left) - _MAX_EXTRAS))]
        return left


def make_row(line: int, source: str, cells: Iterable[tuple[str, Any]], context: Context) -> LogRow | None:
    """The row that these cells make, or `None` if no experiment, attempt or note can be made of them."""
    fields = Fields(cells)
    found: dict[str, Any] = {}
    found["at"] = _take_time(fields)
    found["commit"] = _take_commit(fields)
    found.update(_take_status(fields))
    found.update(_take_metric(fields, context))
    found["notes"] = tuple(_take_notes(fields))
    found["key"] = _take_key(fields)
    found["title"], found["description"] = _take_title(fields)
    found["runtime"] = _runtime(fields) or context.runtime
    found["status"] = _settle(found, fields)
    if not (found["title"] or found["word"] or found["notes"] or _is_measured(found, context)):
        return None
    if found["title"] is None and (found["word"] or found["value"] is not None):
        found["title"] = found["commit"] or (f"Experiment {found['key']}" if found["key"] else f"Row {line}")
    return LogRow(line=line, fingerprint=fingerprint(source), extras=tuple(fields.rest()), **found)


def _is_measured(found: dict[str, Any], context: Context) -> bool:
    """Whether a figure alone makes an experiment: it has an id or a commit, or is of a known kind."""
    if found["value"] is None:
        return False
    return bool(found["key"] or found["commit"] or context.metric or columns.is_metric(plain(found["metric"] or "")))


def _take_time(fields: Fields) -> int | None:
    for name in columns.TIME:
        value = fields.raw(name)
        found = moment(value) if value is not None else None
        if found is not None:
            fields.use(name)
            return found
    return None


def _take_commit(fields: Fields) -> str | None:
    for name in columns.COMMIT:
        value = fields.raw(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and _COMMIT.fullmatch(str(value)):
            fields.use(name)
            return str(value)
    return None


def _take_key(fields: Fields) -> str | None:
    for name in columns.KEY:
        value = fields.raw(name)
        if value is None or isinstance(value, bool) or len(str(value)) > 60:
            continue
        if name in columns.TITLE and number(value) is None and not _is_code(value, fields):
            # `experiment` holds a number or a short name in some logs and the title in others.
            continue
        fields.use(name)
        return str(value)
    return None


def _is_code(value: str, fields: Fields) -> bool:
    if _CODE.fullmatch(value):
        return True
    return " " not in value and any(isinstance(fields.raw(name), str) for name in _TELLING)


def _take_status(fields: Fields) -> dict[str, Any]:
    """The log's word on the row, and what it means. A cell that is a number is no status."""
    word = status = verdict = None
    for name in columns.STATUS:
        value = fields.raw(name)
        truth = yes_or_no(value) if name in columns.BOOLEAN_STATUS or isinstance(value, bool) else None
        if truth is not None and name in columns.BOOLEAN_STATUS:
            word = "kept" if truth else "discarded"
        elif truth is not None:
            word = "success" if truth else "failed"
        elif isinstance(value, str) and number(value) is None and len(value) <= 200:
            word = value
        else:
            continue
        fields.use(name)
        status, verdict = judge_word(word) or (None, None)
        break
    if word is None and fields.raw("is_buggy") is True:
        word, status, verdict = "buggy", "failed", "invalid"
    if word is None:
        word, status, verdict = _status_in_notes(fields)
    reason, _ = fields.text(columns.REASON)
    if reason and (known := judge_word(reason)) and status in ("improved", "worse") and len(reason) <= 40:
        # `kept: false` with `reason: tests_failed` says more than the first alone.
        status = known[0] or status
        verdict = "invalid" if status == "failed" else verdict
    return {"word": word, "status": status, "verdict": verdict, "reason": reason}


def _status_in_notes(fields: Fields) -> tuple[str | None, str | None, str | None]:
    """Logs without a status column may put the word into a short note, in capitals: `REVERT delta=-0.02`."""
    for name in ("notes", "note", "comment", "result"):
        value = fields.raw(name)
        if isinstance(value, str) and len(value) <= _SHORT_NOTE:
            found = {word: judge_word(word) for word in _CAPITAL_WORD.findall(value)}
            meanings = set(found.values())
            if len(meanings) == 1 and (meaning := meanings.pop()):
                return next(iter(found)), *meaning
    return None, None, None


def _take_metric(fields: Fields, context: Context) -> dict[str, Any]:
    """Metric, value, unit and baseline: named in cells, or the likeliest column that holds a number."""
    metric = context.metric
    value = None
    for name in columns.METRIC_NAME:
        cell = fields.raw(name)
        if isinstance(cell, str) and number(cell) is None:
            metric = cell[:200]
            fields.use(name)
        elif cell is not None and value is None:
            value = number(cell)
            metric = metric or name
            fields.use(name)
    for name in columns.VALUE:
        if value is None and (value := number(fields.raw(name))) is not None:
            metric = metric or ("metric" if name == "metric_after" else name)
            fields.use(name)
    # An object of metrics repeats the metric under its own name; `metric` may also name one of the columns.
    if value is None:
        metric, value = _measured(fields, metric, context)
    unit = context.unit if metric == context.metric else None
    for name in columns.UNIT:
        unit = (fields.text([name])[0] or "")[:60] or unit
    baseline = None
    for name in columns.BASELINE:
        if baseline is None and (baseline := number(fields.raw(name))) is not None:
            fields.use(name)
    return {
        "metric": metric,
        "value": value,
        "unit": unit or (columns.unit_of(metric) if metric else None),
        "baseline": baseline,
    }


def _measured(fields: Fields, wanted: str | None, context: Context) -> tuple[str | None, int | float | None]:
    if wanted is not None:
        value = number(fields.raw(plain(wanted)))
        if value is not None:
            fields.use(plain(wanted))
        return wanted, value
    groups = tuple(f"{group}." for group in columns.RESULT_GROUPS)
    names = [name for name in fields.cells if "." not in name or name.startswith(groups)]
    for name in context.order if context.order is not None else _order(names):
        value = number(fields.cells.get(name))
        if value is not None:
            fields.used.add(name)
            return next((name.removeprefix(group) for group in groups if name.startswith(group)), name)[:200], value
    return None, None


def _order(names: list[str]) -> list[str]:
    return columns.metric_order([name for name in names if "." not in name]) + columns.metric_order(
        [name for name in names if "." in name]
    )


def _take_notes(fields: Fields) -> Iterable[Note]:
    for name, kind in columns.NOTES.items():
        value = fields.raw(name)
        if isinstance(value, str) and value.strip():
            fields.use(name)
            yield Note(kind, value.strip())


def _take_title(fields: Fields) -> tuple[str | None, str | None]:
    full, used = fields.text(columns.TITLE)
    if full is None:
        return None, None
    first_line = full.strip().splitlines()[0].strip()
    title = first_line if len(first_line) <= _TITLE_LENGTH else first_line[: _TITLE_LENGTH - 1].rstrip() + "…"
    parts = [full] if title != full.strip() else []
    for name in columns.DESCRIPTION:
        value = fields.raw(name)
        if name == used or not isinstance(value, str) or value.strip() in (title, full):
            continue
        if fields.names.get(name) in fields.used:
            continue
        fields.use(name)
        parts.append(value if name in ("description", "desc", "experiment", "blurb") else f"{name}: {value}")
    return title, "\n\n".join(parts) or None


def _runtime(fields: Fields) -> str | None:
    for name in columns.RUNTIME:
        value = fields.raw(name)
        if isinstance(value, str) and (found := columns.runtime_of(value)):
            return found
    return None


def _settle(found: dict[str, Any], fields: Fields) -> str | None:
    """The experiment's status once figures are known: equal figures are no change, a measured row is finished."""
    status, value, baseline = found["status"], found["value"], found["baseline"]
    if status in ("failed", "skipped") and value == 0:
        # Loops write 0 where nothing was measured; as a figure it would look like the best loss ever.
        found["value"] = None
    elif status in ("improved", "worse"):
        deltas = [number(fields.raw(name)) for name in columns.DELTA]
        if (baseline is not None and value == baseline) or 0 in deltas:
            status = "no_change"
    if status is None and value is not None and not _is_open(found["word"]):
        status = "no_change"
    if status is None and found["word"] and not _is_open(found["word"]):
        status = "no_change"
    return status


def _is_open(word: str | None) -> bool:
    known = judge_word(word) if word else None
    return known is not None and known[0] is None
