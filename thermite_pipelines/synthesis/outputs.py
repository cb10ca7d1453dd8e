"""What readers see of synthesis, brought in step with facts and decisions: the tables, and the page of the tree."""

from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.synthesis.synthesis_tables import SynthesisTables


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
