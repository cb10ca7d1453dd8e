"""A campaign's facts as they are now: base facts and decisions, read from the lake and from control's record."""

from sqlalchemy import Connection, select

from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.synthesis import decision_log
from thermite_pipelines.synthesis.fact_store import read_base_facts
from thermite_pipelines.synthesis.fold import Folded, fold
from thermite_pipelines.tables.derived import BASE_FACTS


def read_folded(home: Home, campaign: str) -> Folded:
    """The facts of a campaign after all decisions. Raises `DamagedFile` where base facts are not what was written."""
    base = read_base_facts(home, campaign)
    with home.control.read() as connection:
        decisions = list(decision_log.read(connection, campaign))
    return fold(base, decisions)


def base_content(connection: Connection, campaign: str) -> str | None:
    """A hash of what a campaign's base facts hold; None where there are none."""
    same = (DerivedState.campaign == campaign, DerivedState.name == BASE_FACTS.name, DerivedState.rows > 0)
    return connection.execute(select(DerivedState.content).where(*same)).scalar()
