"""The runs of `thermite refresh` and `rebuild` that ask the configured answerer: atoms, then reviews of facts."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from thermite_pipelines.assets.targets import report_said
from thermite_pipelines.atoms.inspection import can_copy_again, damaged_files
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.embeddings.embedder import embedder_of
from thermite_pipelines.knowledge.derived import derived_scope
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.resources.llm import model_of
from thermite_pipelines.synthesis.fact_targets import fact_lags
from thermite_pipelines.synthesis.late_reviews import late_reviews
from thermite_pipelines.synthesis.review_targets import review_lags
from thermite_pipelines.tables.derived import BASE_FACTS

if TYPE_CHECKING:
    from thermite_pipelines.cli.dagster_runs import Runner


def require_answerers(home: Home) -> None:
    """Raise `ThermiteError` for what could only fail once runs have started: a budget without a price, no embedder."""
    for small in (True, False):
        model_of(home, small=small)
    embedder_of(home.settings, home.lake)


def extract_atoms(home: Home, runner: "Runner", campaigns: set[str]) -> bool:
    """Take atoms where people said something new; return whether anything ran. A budget is spent once a campaign."""
    lags = report_said(home, runner.instance)
    names = [
        name
        for name, lag in lags.items()
        if (not campaigns or name in campaigns)
        and (lag.is_behind or damaged_files(home, name) or can_copy_again(home, name))
    ]
    runner.left = len(names)
    for name in names:
        runner.run("extract_atoms", name, scope=f"atoms:{name}")
    return bool(names)


def review_campaigns(home: Home, runner: "Runner", campaigns: set[str]) -> bool:
    """Review campaigns with facts that no review saw, those that new atoms will make too; return whether any ran.

    Those whose tables are damaged, too: that run makes them anew. Those that somebody reviews over MCP or HTTP are
    left to him.
    """
    with home.control.read() as connection:
        late = late_reviews(connection)
        lags = fact_lags(connection)
    wanted = [name for name in lags if not campaigns or name in campaigns]
    names = [name for name in wanted if name in late or lags[name].is_behind or _is_damaged(home, name)]
    review_all(runner, names)
    return bool(names)


def with_facts(home: Home, campaigns: Iterable[str]) -> list[str]:
    """Those of the campaigns that have facts, or had some that a review saw."""
    with home.control.read() as connection:
        lags = review_lags(connection)
    return [name for name in campaigns if name in lags and (lags[name].target or lags[name].done)]


def review_all(runner: "Runner", campaigns: Iterable[str], tags: Mapping[str, str] | None = None) -> None:
    """Review these campaigns, one after the other."""
    names = list(campaigns)
    runner.left = len(names)
    for name in names:
        runner.run("review_campaign", name, scope=f"synthesis:{name}", tags=tags)


def _is_damaged(home: Home, campaign: str) -> bool:
    scope = derived_scope(campaign, BASE_FACTS.name)
    return bool(LakeFiles(home.control, home.lake, scope).damaged())
