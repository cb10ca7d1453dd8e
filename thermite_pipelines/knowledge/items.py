"""Items: their ids, their empty rows, and the title and text that a row gives.

An item is the fold of one record's events. Its id is `<kind>:<rig>/<run>/<record id>`; a run that another ledger of the
rig had first is written `<run>~<ledger>` in ids (neither part can hold a `~`). A document's record id is a path and may
hold slashes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from thermite_pipelines.errors import UsageError
from thermite_pipelines.names import LEDGER, RIG, RUN, is_document_path
from thermite_pipelines.tables.schemas import ITEM_TABLES

Row = dict[str, Any]
"""One item: exactly the columns of its kind's table, times as whole microseconds."""

KINDS: tuple[str, ...] = tuple(ITEM_TABLES)
TITLE_CHARACTERS = 120

_BLANK_ROWS: dict[str, Row] = {kind: dict.fromkeys(table.column_names) for kind, table in ITEM_TABLES.items()}


@dataclass(frozen=True)
class RunId:
    """One run of one ledger. `label` is how it is written in item ids: `run`, or `run~ledger`."""

    rig: str
    ledger: str
    run: str
    label: str


@dataclass(frozen=True)
class ItemId:
    """The parts of an item id. `label` is the run as written in the id, `ledger` is None in the plain form."""

    kind: str
    rig: str
    label: str
    record: str

    @property
    def run(self) -> str:
        """The rig's own id of the run."""
        return self.label.partition("~")[0]

    @property
    def ledger(self) -> str | None:
        """The ledger that the id names; None in the plain form, which belongs to the ledger that had the run first."""
        return self.label.partition("~")[2] or None

    def __str__(self) -> str:
        return item_id(self.kind, self.rig, self.label, self.record)


def item_id(kind: str, rig: str, label: str, record: str) -> str:
    """The id of an item."""
    return f"{kind}:{rig}/{label}/{record}"


def parse_item_id(text: str) -> ItemId:
    """The parts of an item id; raises `UsageError` where it is none."""
    kind, colon, rest = text.partition(":")
    parts = rest.split("/", 2)
    if not colon or len(parts) != 3:
        raise _no_item(text, "write <kind>:<rig>/<run>/<record id>")
    if kind not in ITEM_TABLES:
        raise _no_item(text, f"kinds are {', '.join(KINDS)}")
    rig, label, record = parts
    run, tilde, ledger = label.partition("~")
    if not RIG.fullmatch(rig) or not RUN.fullmatch(run) or (tilde and not LEDGER.fullmatch(ledger)):
        raise _no_item(text, "its rig or run is no legal name")
    legal = is_document_path(record) if kind == "document" else RUN.fullmatch(record)
    if not legal:
        raise _no_item(text, "its record id is not legal")
    return ItemId(kind, rig, label, record)


def _no_item(text: str, do: str) -> UsageError:
    return UsageError(f"{text[:160]!r} is no item id", do=do)


def blank_row(kind: str) -> Row:
    """A row of the kind with every column null."""
    return _BLANK_ROWS[kind].copy()


def record_of(row: Row) -> str:
    """The record id of a row."""
    return row["item"].split("/", 2)[2]


def recompute(kind: str, row: Row) -> None:
    """Set the row's `title` and `text` from its other columns; what was recorded as title or text itself stays."""
    _RECOMPUTE[kind](row)


def _cut(text: str) -> str:
    return text[:TITLE_CHARACTERS]


def _joined(*parts: str | None) -> str | None:
    """The parts that exist, joined by a blank line; None without any."""
    there = [part for part in parts if part]
    return "\n\n".join(there) if there else None


def _run(row: Row) -> None:
    row["title"] = row["title"] or row["run"]
    row["text"] = row["summary"] or None


def _trial(row: Row) -> None:
    row["title"] = f"{row['lane']} {row['trial_kind']} trial"
    row["text"] = row["reason"] or None


def _experiment(row: Row) -> None:
    row["text"] = _joined(row["description"], row["summary"])


def _attempt(row: Row) -> None:
    row["title"] = row["title"] or record_of(row)
    row["text"] = _joined(row["summary"], row["reason"])


def _note(row: Row) -> None:
    row["title"] = row["note_kind"]


def _research_note(row: Row) -> None:
    # The first line that says something: blank lines before it are no title.
    row["title"] = _cut(row["text"].lstrip("\r\n").partition("\n")[0].rstrip("\r"))


def _document(row: Row) -> None:
    row["title"] = record_of(row)


def _source(row: Row) -> None:
    row["title"] = row["title"] or row["url"]


def _cut_text(row: Row) -> None:
    row["title"] = _cut(row["text"])


def _hypothesis(row: Row) -> None:
    row["title"] = _cut(row["statement"])
    row["text"] = _joined(row["statement"], row["prediction"], row["falsifier"], row["evidence"])


def _report(row: Row) -> None:
    """A report's title and text are as recorded."""


_RECOMPUTE: dict[str, Callable[[Row], None]] = {
    "run": _run,
    "trial": _trial,
    "experiment": _experiment,
    "attempt": _attempt,
    "note": _note,
    "research_note": _research_note,
    "document": _document,
    "source": _source,
    "claim": _cut_text,
    "hypothesis": _hypothesis,
    "finding": _cut_text,
    "report": _report,
}
