"""What a run's `knowledge/` shows of derived tables: which rows, and each as a file's head and text. Pure.

A kind of derived thing joins the sync by an entry in `DERIVED_KINDS`. Its rows go through `markdown.render` with those
of items: a dict with `item`, `title`, `campaign`, `kind`, `text`, and whatever its `head` names.
"""

import json
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from thermite_pipelines.knowledge import atom_reading
from thermite_pipelines.knowledge.items import TITLE_CHARACTERS
from thermite_pipelines.safety.quoting import quoted_lines
from thermite_pipelines.tables.derived import DERIVED_TABLES
from thermite_pipelines.times import format_rfc3339

Row = dict[str, Any]


@dataclass(frozen=True)
class DerivedKind:
    """One kind of derived thing in `knowledge/`: its table, the names in its files' heads, and how its rows are shown.

    `state` makes of the hash of a campaign's rows and of the days from which they age what tells one version of all
    their files from another at a time. `show` makes the row of a file of a row of the table, or None where a run must
    not see it; it is told which sessions are the run's own, and the time.
    """

    kind: str
    table: str
    head: tuple[str, ...]
    state: Callable[[str, Sequence[str], int], str]
    show: Callable[[Row, AbstractSet[str], int], Row | None]

    @property
    def description(self) -> str:
        """What things of this kind are, in one line."""
        return DERIVED_TABLES[self.table].description


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


def _atom_state(content: str, days: Sequence[str], now: int) -> str:
    """The content, and the newest day whose atoms are old by now: with the next one, files of that day change."""
    aged = max((day for day in days if atom_reading.is_aged(day, now)), default="")
    return f"{content} {aged}".rstrip()


def _show_atom(atom: Row, own: AbstractSet[str], now: int) -> Row | None:
    """The newest of a chain, unless only the run's own sessions say it."""
    said_in = frozenset(atom["sessions"] or ())
    if not atom_reading.is_shown(atom) or (said_in and said_in <= own):
        return None
    return _atom(atom, now)


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
    return "\n\n".join(f"{heading}\n\n{quoted_lines(words)}" for heading, words in parts if words) + "\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


DERIVED_KINDS: dict[str, DerivedKind] = {
    kind.kind: kind for kind in (DerivedKind("atom", "atoms", _ATOM_HEAD, _atom_state, _show_atom),)
}
"""What is synced besides items, by kind."""
