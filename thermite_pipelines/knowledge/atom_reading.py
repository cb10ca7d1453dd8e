"""How atoms are read: what each weighs for a reader, how sure it still is, and the lighter view of instincts.

An atom is a row of the table `atoms` with its `campaign`. Superseded ones are not shown: of a chain the newest counts.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from thermite_pipelines.settings import SOURCE_WEIGHTS, TYPE_WEIGHTS, Settings, parse_weights
from thermite_pipelines.times import parse_rfc3339

Row = dict[str, Any]

AGE_SECONDS = 14 * 24 * 3600
"""An atom is `stated` for so long from the start of its day, then `inferred`."""
INSTINCT_LABEL = "to weigh, not a rule to obey"
NONE_STATED = "none stated"
OWNER = "owner"
"""Who wrote an atom whose source names no person: whoever owns the runs that the sessions are of."""
_PERSON = "person:"

# Where a reason begins, in the languages that people are most likely to write; it ends with its sentence.
_BECAUSE = re.compile(
    r"""(?ix)
    (?: \b(?: because | due\ to | so\ that | in\ order\ to | the\ reason | weil | damit | der\ grund
            | parce\ qu | afin\ d | la\ raison | porque | ya\ que | la\ raz[oó]n )
      | 因为 | 因為 | 由于 | 由於 | 原因 | なぜなら | 理由は )
    [^.!?\n。！？]*
    """
)


@dataclass(frozen=True)
class Weights:
    """What scores of atoms are multiplied with, by type and by source and for all; lower scores are not shown."""

    types: Mapping[str, float]
    sources: Mapping[str, float]
    overall: float = 1.0
    threshold: float = 0.0

    @classmethod
    def of(cls, settings: Settings) -> "Weights":
        """The weights that the settings give."""
        types = parse_weights(settings.atom_type_weights, TYPE_WEIGHTS)
        sources = parse_weights(settings.atom_source_weights, SOURCE_WEIGHTS)
        return cls(types, sources, settings.atom_weight, settings.atom_threshold)

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256 of all weights: the same weights give the same, however they were set."""
        values = [dict(self.types), dict(self.sources), float(self.overall), float(self.threshold)]
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()

    @property
    def are_default(self) -> bool:
        """Whether they are the documented ones."""
        return self.digest == DEFAULT_WEIGHTS.digest

    def weight(self, atom: Row, reader: str | None) -> float:
        """Type x source x overall for an atom; `reader` is the campaign that reads, None for the owner of all."""
        return self.types.get(atom["type"], 1.0) * self._source(atom, reader) * self.overall

    def _source(self, atom: Row, reader: str | None) -> float:
        if atom["source"].startswith(_PERSON):
            return self.sources["person"]
        is_own = atom["source"] == "campaign" and atom["campaign"] == reader
        return self.sources["campaign" if is_own else "company"]


DEFAULT_WEIGHTS = Weights(TYPE_WEIGHTS, SOURCE_WEIGHTS)


@lru_cache(4096)
def day_start(day: str) -> int:
    """The start of a day `YYYY-MM-DD` in microseconds, UTC. Raises `ValueError` for what is no day."""
    return parse_rfc3339(f"{day}T00:00:00Z")


def is_aged(day: str, now: int) -> bool:
    """Whether more than 14 x 24 hours have passed since the start of a day."""
    return now - day_start(day) > AGE_SECONDS * 1_000_000


def confidence(atom: Row, now: int) -> str:
    """`stated`, or `inferred` once the atom is old."""
    return "inferred" if is_aged(atom["established"], now) else atom["confidence"]


def is_dated(atom: Row, now: int) -> bool:
    """Whether the atom is old and holds what time changes: a price, a date, a count."""
    return bool(atom["time_bound"]) and is_aged(atom["established"], now)


def is_shown(atom: Row) -> bool:
    """Whether nothing took the atom's place."""
    return atom["superseded_by"] is None


def written_by(atom: Row) -> str:
    """The person that the atom's source names, else `owner`."""
    return atom["source"].removeprefix(_PERSON) if atom["source"].startswith(_PERSON) else OWNER


def instinct(atom: Row) -> Row:
    """The lighter view: `situation`, `lean`, `reason` and `source`, none of them empty, with a `label`."""
    return {
        "situation": f"{', '.join(atom['domain'] or ()) or 'any domain'}; conditions: {atom['conditions']}",
        "lean": atom["statement"],
        "reason": _reason(atom),
        "source": {
            "quote": atom["verbatim_quote"],
            "quote_checked": bool(atom["quote_checked"]),
            "session": atom["session"],
            "message": atom["message"],
            "members": list(atom["members"] or ()),
        },
        "label": INSTINCT_LABEL,
    }


def _reason(atom: Row) -> str:
    if atom["why_confused"]:
        return atom["why_confused"]
    for words in (atom["verbatim_quote"], atom["statement"]):
        found = _BECAUSE.search(words or "")
        if found is not None:
            return found.group().strip()
    return NONE_STATED
