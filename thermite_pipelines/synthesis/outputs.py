"""What readers see of synthesis, brought in step with facts and decisions: the tables, and the page of the tree."""

from sqlalchemy import select

from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.synthesis.synthesis_tables import SynthesisTables
from thermite_pipelines.tables.derived import FACTS


def has_outputs(home: Home, campaign: str) -> bool:
    """Whether tables of a campaign were ever written: before its first review there are none."""
    same = (DerivedState.campaign == campaign, DerivedState.name == FACTS.name)
    with home.control.read() as connection:
        return connection.execute(select(DerivedState.name).where(*same)).first() is not None


def refresh_outputs(home: Home, campaign: str, *, anew: bool = False) -> str:
    """Bring tables and page up to date, or make them `anew`; return the page's path relative to the home.

    The caller holds the lease `synthesis:<c>`. Raises as the tables and the page do: `DamagedFile`, or `ThermiteError`
    where the disk is full.
    """
    from thermite_pipelines.synthesis.tree_page import FOLDER, write_tree_page

    changed = SynthesisTables(home, campaign).refresh(anew=anew)
    page = f"{FOLDER}/{campaign}.html"
    if changed or anew or not (home.settings.home / page).is_file():
        write_tree_page(home, campaign)
    return page
