"""Extractions that stopped because the budget of their run was spent.

A budget is for one Dagster run. A sensor that asked for the next run at once would spend it again and again; so it
waits for further news, and people can go on by hand.
"""

from sqlalchemy import Connection, delete, select

from thermite_pipelines.atoms.targets import atom_targets
from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.db import upsert
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.times import now_micros

_BUDGET = "budget"


def note_stop(home: Home, campaign: str, stopped: str | None) -> None:
    """Remember at which target an extraction stopped because its budget was spent, or that none did."""
    same = (DerivedState.campaign == campaign) & (DerivedState.name == _BUDGET)
    if stopped is None:
        with home.control.write() as connection:
            connection.execute(delete(DerivedState).where(same))
        return
    with home.control.read() as connection:
        target = atom_targets(connection, home.settings)[campaign].target
    row = {"campaign": campaign, "name": _BUDGET, "content": "", "rows": 0, "days": [], "changed_at": now_micros()}
    with home.control.write() as connection:
        upsert(connection, DerivedState, [row | {"signature": target}])


def stopped_at(connection: Connection) -> dict[str, str]:
    """The targets at which campaigns stopped because a budget was spent: more is asked only after further news."""
    query = select(DerivedState.campaign, DerivedState.signature).where(DerivedState.name == _BUDGET)
    return {row.campaign: row.signature for row in connection.execute(query)}
