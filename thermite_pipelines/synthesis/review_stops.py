"""Reviews that stopped because the budget of their run was spent.

A budget is for one Dagster run. A sensor that asked for the next run at once would spend it again and again; so it
waits for further news, and people can go on by hand.
"""

from sqlalchemy import Connection, delete, select

from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.db import upsert
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.synthesis.review_targets import review_lags
from thermite_pipelines.times import now_micros

_STOP = "review_budget"


def note_stop(home: Home, campaign: str, is_spent: bool) -> None:
    """Remember at which target a review stopped because its budget was spent, or that none did."""
    same = (DerivedState.campaign == campaign) & (DerivedState.name == _STOP)
    with home.control.write() as connection:
        lag = review_lags(connection, campaign).get(campaign)
        if not is_spent or lag is None:
            connection.execute(delete(DerivedState).where(same))
            return
        row = {"campaign": campaign, "name": _STOP, "content": "", "rows": 0, "days": [], "changed_at": now_micros()}
        upsert(connection, DerivedState, [row | {"signature": lag.target}])


def stopped_at(connection: Connection) -> dict[str, str]:
    """The targets at which reviews stopped because a budget was spent: more is asked only after further news."""
    query = select(DerivedState.campaign, DerivedState.signature).where(DerivedState.name == _STOP)
    return {row.campaign: row.signature for row in connection.execute(query)}
