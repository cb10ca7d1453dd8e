"""Calibration: known corrections, asked for as an agent would, must be among the first two atoms that are found.

The weights of atoms are settings. What a calibration was run with is kept, so that weights which nobody tried since
they were changed are noticed.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import insert, select

from thermite_pipelines.control.atom_models import Calibration
from thermite_pipelines.control.campaigns import require_campaign
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.atom_reading import Weights
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.search import ATOM, SearchQuery, search
from thermite_pipelines.times import format_rfc3339, now_micros

TOP = 2
"""The last rank that counts as found."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Ranked:
    """A query, the atom that it is after, and at which place (from 1) that was found; None where it was not."""

    query: str
    atom: str
    rank: int | None

    @property
    def is_high(self) -> bool:
        """Whether the atom was among the first."""
        return self.rank is not None and self.rank <= TOP


@dataclass(frozen=True)
class Calibrated:
    """What became of each query, in the order of the file."""

    queries: list[Ranked]

    @property
    def ok(self) -> bool:
        """Whether every atom was among the first."""
        return all(query.is_high for query in self.queries)

    def document(self) -> Row:
        """The form that `thermite atoms calibrate --json` prints."""
        return {"queries": [dict(vars(query)) for query in self.queries], "ok": self.ok}


def calibrate(home: Home, lines: Iterable[str]) -> Calibrated:
    """Ask each query of JSON lines `{"query", "atom"}` as the atom's own campaign, and keep that it was done.

    Raises `ThermiteError` for a line that is none, for a file without any, for an unknown campaign, and where atoms
    can't be read; then nothing is kept.
    """
    asked = [_read(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not asked:
        raise ThermiteError("there is no query in it", do='write lines of {"query": ..., "atom": ...}')
    found = Calibrated([Ranked(query, atom, _rank(home, query, atom)) for query, atom in asked])
    with home.control.write() as connection:
        values = {"queries": len(asked), "passed": found.ok, "calibrated_at": now_micros()}
        connection.execute(insert(Calibration).values(weights_sha256=Weights.of(home.settings).digest, **values))
    return found


def weights_calibrated(home: Home) -> list[Row]:
    """A finding where the weights are not the documented ones and no calibration with them passed; else nothing.

    Of several with the same weights the last counts.
    """
    weights = Weights.of(home.settings)
    if weights.are_default:
        return []
    query = select(Calibration).where(Calibration.weights_sha256 == weights.digest)
    with home.control.read() as connection:
        last = connection.execute(query.order_by(Calibration.calibration.desc()).limit(1)).first()
    if last is not None and last.passed:
        return []
    finding: Row = {"weights_sha256": weights.digest, "calibrated": last is not None}
    return [finding | ({} if last is None else {"calibrated_at": format_rfc3339(last.calibrated_at)})]


def _read(number: int, line: str) -> tuple[str, str]:
    where = f"line {number}"
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    query, atom = (value.get("query"), value.get("atom")) if isinstance(value, dict) else (None, None)
    if not (isinstance(query, str) and query.strip() and isinstance(atom, str) and atom.strip()):
        raise ThermiteError("it is no query", where=where, do='write {"query": ..., "atom": ...} as one line of JSON')
    if not _campaign(atom):
        raise ThermiteError("it names no atom", where=where, do="write the atom as atom:<campaign>/<hex>")
    return query, atom


def _campaign(atom: str) -> str:
    """The campaign in an atom's id; '' where it is none."""
    kind, _, rest = atom.partition(":")
    return rest.partition("/")[0] if kind == ATOM and "/" in rest else ""


def _rank(home: Home, query: str, atom: str) -> int | None:
    campaign = _campaign(atom)
    with home.control.read() as connection:
        require_campaign(connection, campaign)
    found = search(home, SearchQuery(query, kinds=(ATOM,), as_campaign=campaign))
    if found.notices:
        raise ThermiteError(found.notices[0])
    return next((place for place, row in enumerate(found.atoms, 1) if row["atom"] == atom), None)
