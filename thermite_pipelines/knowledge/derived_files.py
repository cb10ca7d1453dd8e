"""What a run's `knowledge/` shows of derived tables: which rows, and each as a file's head and text. Pure.

A kind of derived thing joins the sync by an entry in `DERIVED_KINDS`. Its rows go through `markdown.render` with those
of items: a dict with `item`, `title`, `campaign`, `kind`, `text`, and whatever its `head` names.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thermite_pipelines.knowledge import atom_reading, synthesis_reading
from thermite_pipelines.knowledge.items import TITLE_CHARACTERS
from thermite_pipelines.knowledge.said_by import Lineage, Own
from thermite_pipelines.knowledge.synthesis_reading import SYNTHESIS_KINDS, shown_name
from thermite_pipelines.safety.quoting import quoted_lines
from thermite_pipelines.tables.derived import DERIVED_TABLES
from thermite_pipelines.times import format_rfc3339

if TYPE_CHECKING:
    # Not loaded: what writes the files loads no database.
    from thermite_pipelines.knowledge.derived import Content

Row = dict[str, Any]
Contents = Mapping[str, "Content"]
"""What the derived tables of a campaign hold, by name."""


@dataclass(frozen=True)
class Reader:
    """Whose folder it is: what is the run's own in the campaign, who said what there, and the time."""

    own: Own
    lineage: Lineage
    now: int


@dataclass(frozen=True)
class DerivedKind:
    """One kind of derived thing in `knowledge/`: its table, the names in its files' heads, and how its rows are shown.

    `state` makes of what the tables of a campaign hold, by name, and of the time what tells one version of all their
    files from another; None where there is nothing to show. `show` makes the row of a file of a row of the table, or
    None where a run must not see it. With `needs_lineage` it asks who said what a thing rests on.
    """

    kind: str
    table: str
    description: str
    head: tuple[str, ...]
    state: Callable[[Contents, int], str | None]
    show: Callable[[Row, Reader], Row | None]
    needs_lineage: bool = False


_ATOM_HEAD = (
    "item",
    "title",
    "campaign",
    "rig",
    "run",
    "kind",
    "written_by",
    "created_at",
    "type",
    "domain",
    "conditions",
    "established",
    "confidence",
    "is_dated",
    "source",
    "session",
    "message",
    "verbatim_quote",
    "quote_checked",
    "wrong_assumption",
    "why_confused",
    "supersedes",
    "members",
    "derived_from",
    "model",
    "prompt_version",
)


def _atom_state(held: Contents, now: int) -> str | None:
    """The content, and the newest day whose atoms are old by now: with the next one, files of that day change."""
    atoms = held.get("atoms")
    if atoms is None:
        return None
    aged = max((day for day in atoms.days if atom_reading.is_aged(day, now)), default="")
    return f"{atoms.content} {aged}".rstrip()


def _show_atom(atom: Row, reader: Reader) -> Row | None:
    """The newest of a chain, unless only the run's own sessions say it."""
    said_in = frozenset(atom["sessions"] or ())
    if not atom_reading.is_shown(atom) or (said_in and said_in <= reader.own.sessions):
        return None
    return _atom(atom, reader.now)


def _atom(atom: Row, now: int) -> Row:
    """An atom as its file shows it; lists as JSON text."""
    statement = " ".join(atom["statement"].split())
    row = {name: atom.get(name) for name in _ATOM_HEAD} | {
        "item": atom["atom"],
        "title": statement[:TITLE_CHARACTERS],
        "kind": "atom",
        "written_by": atom_reading.written_by(atom),
        "created_at": format_rfc3339(atom_reading.day_start(atom["established"])),
        "confidence": atom_reading.confidence(atom, now),
        "is_dated": "true" if atom_reading.is_dated(atom, now) else None,
        "quote_checked": json.dumps(bool(atom["quote_checked"])) if atom["verbatim_quote"] else None,
        "text": _atom_text(atom),
    }
    for name, values in (("domain", atom["domain"]), ("members", atom["members"])):
        row[name] = _json(values) if values else None
    derived_from = atom["members"] or atom["sessions"]
    return row | {"derived_from": _json(derived_from) if derived_from else None}


def _atom_text(atom: Row) -> str:
    """Statement, conditions, the person's own words and what was wrongly assumed, each part quoted line by line."""
    checked = "" if atom["quote_checked"] else " (not checked against a session)"
    parts = [
        ("What was said:", atom["statement"]),
        ("It holds under these conditions:", atom["conditions"]),
        (f"The person's own words{checked}:", atom["verbatim_quote"]),
        ("What was wrongly assumed:", atom["wrong_assumption"]),
        ("Why one would assume it:", atom["why_confused"]),
    ]
    return _quoted_parts(parts)


_SYNTHESIS_HEAD = (
    "item",
    "title",
    "campaign",
    "kind",
    "written_by",
    "created_at",
    "type",
    "domain",
    "entities",
    "confidence",
    "sources",
    "evidence_weight",
    "depth",
    "derived_from",
    "answered_by",
    "model",
    "prompt_version",
    "decision",
)
_PREDICTION_HEAD = (*_SYNTHESIS_HEAD, "prediction", "falsifier")
LINEAGE_TABLES = ("facts", *SYNTHESIS_KINDS.values())
"""The tables in which all facts of a campaign stand."""


def _state_of(table: str) -> Callable[[Contents, int], str | None]:
    """What tells versions apart: all facts and atoms, as they say who said what a thing rests on. One for all kinds."""

    def state(held: Contents, _now: int) -> str | None:
        if shown_name(table) not in held:
            return None
        contents = (held[name].content if name in held else "" for name in (*LINEAGE_TABLES, "atoms"))
        return hashlib.sha256("\n".join(contents).encode()).hexdigest()

    return state


def _show(kind: str, row: Row, reader: Reader) -> Row | None:
    """What synthesis made, unless the run alone said all that it rests on."""
    if reader.lineage.is_only(row["fact"], reader.own):
        return None
    names = ("campaign", "type", "answered_by", "model", "prompt_version", "decision")
    shown = dict.fromkeys(_PREDICTION_HEAD) | {name: row[name] for name in names}
    lists = {"domain": row["domain"], "entities": row["entities"], "derived_from": row["refs"]}
    numbers = {name: row[name] for name in ("confidence", "sources", "evidence_weight", "depth")}
    if not row["evidence_weight"]:
        del numbers["evidence_weight"]  # it was weighed by nobody
    shown |= {name: _json(value) for name, value in numbers.items() if value is not None}
    shown |= {name: _json(value) for name, value in lists.items() if value}
    return shown | {
        "item": row["fact"],
        "title": row["title"],
        "kind": kind,
        "written_by": synthesis_reading.written_by(row),
        "created_at": format_rfc3339(row["decided_at"]),
        "prediction": row.get("prediction"),
        "falsifier": row.get("falsifier"),
        "text": _synthesis_text(row),
    }


def _synthesis_text(row: Row) -> str:
    """What it says, what it predicts and what would prove it false, each part quoted line by line."""
    parts = [
        ("What it says:", synthesis_reading.own_text(row)),
        ("What it predicts:", row.get("prediction")),
        ("What would prove it false:", row.get("falsifier")),
    ]
    return _quoted_parts(parts)


def _quoted_parts(parts: list[tuple[str, str | None]]) -> str:
    return "\n\n".join(f"{heading}\n\n{quoted_lines(words)}" for heading, words in parts if words) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _of_synthesis(kind: str, description: str) -> DerivedKind:
    table = SYNTHESIS_KINDS[kind]
    head = _PREDICTION_HEAD if kind == "prediction" else _SYNTHESIS_HEAD
    return DerivedKind(
        kind, table, description, head, _state_of(table), lambda row, reader: _show(kind, row, reader), True
    )


DERIVED_KINDS: dict[str, DerivedKind] = {
    kind.kind: kind
    for kind in (
        DerivedKind("atom", "atoms", DERIVED_TABLES["atoms"].description, _ATOM_HEAD, _atom_state, _show_atom),
        _of_synthesis("synthesis", "Syntheses: what several facts say together, with the facts that they cite."),
        _of_synthesis("methodology", "Methodologies: lessons on reasoning."),
        _of_synthesis("prediction", "Predictions: hypotheses made of syntheses, and what would prove each false."),
    )
}
"""What is synced besides items, by kind."""
