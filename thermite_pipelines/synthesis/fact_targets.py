"""How far each campaign's base facts are: what they should be made from, beside what they were. No file is opened."""

import hashlib
from collections import defaultdict
from dataclasses import dataclass

from sqlalchemy import Connection, select

from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.models import Campaign, Fold
from thermite_pipelines.tables.derived import ATOMS, BASE_FACTS

FORMAT = "2"
"""Begins every signature of base facts: raise it when the same sources give other facts, so that all are made anew."""
NOTHING = ""
"""The target of a campaign without runs and atoms: there is nothing to be made."""


@dataclass(frozen=True)
class FactLag:
    """What a campaign's base facts should be made from, as a short hash, and what they were made from."""

    target: str
    done: str

    @property
    def is_behind(self) -> bool:
        """Whether they are to be made."""
        return self.target != self.done


def fact_lags(connection: Connection, *campaigns: str) -> dict[str, FactLag]:
    """The state of each campaign that control knows, or of those named.

    The target is made of how far each run is folded into the folder, and of what the table of atoms holds.
    """
    names = campaigns or tuple(connection.execute(select(Campaign.campaign).order_by(Campaign.campaign)).scalars())
    folds: dict[str, list[str]] = defaultdict(list)
    query = select(Fold)
    for row in connection.execute(query.where(Fold.campaign.in_(campaigns)) if campaigns else query):
        folds[row.campaign].append(f"{row.run_key}/{row.folded_n}/{row.folded_events}")
    states = select(DerivedState.campaign, DerivedState.name, DerivedState.signature, DerivedState.content)
    of_both = DerivedState.name.in_([ATOMS.name, BASE_FACTS.name])
    known = {(row.campaign, row.name): row for row in connection.execute(states.where(of_both))}
    found = {}
    for name in names:
        atoms, facts = known.get((name, ATOMS.name)), known.get((name, BASE_FACTS.name))
        target = _target(folds[name], atoms.content if atoms is not None else "")
        found[name] = FactLag(target, facts.signature if facts is not None else NOTHING)
    return found


def _target(folds: list[str], atoms: str) -> str:
    if not folds and not atoms:
        return NOTHING
    lines = "\n".join([FORMAT, atoms, *sorted(folds)])
    return f"{FORMAT}:{hashlib.sha256(lines.encode()).hexdigest()[:16]}"
