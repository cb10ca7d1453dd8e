"""Campaigns with facts that no review saw. No sensor asks for hypotheses: only people start those."""

import time

import dagster as dg

from thermite_pipelines.assets.jobs import review_campaign
from thermite_pipelines.assets.partitions import campaigns
from thermite_pipelines.control.leases import holders
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.state import campaign_lags
from thermite_pipelines.resources.llm import model_of
from thermite_pipelines.sensors.common import asks_for, opened_home, result
from thermite_pipelines.sensors.runs import failed_in_a_row
from thermite_pipelines.synthesis.fact_targets import fact_lags
from thermite_pipelines.times import now_micros

INTERVAL_SECONDS = 30
PAUSE_SECONDS = 300.0
"""The least time between two reviews of a campaign: while its runs send reports, news come every minute."""
_LOADED_AT = time.time()


@dg.sensor(
    job=review_campaign,
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def reviews_behind(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Ask for a review of each campaign with facts that none saw, once its folder, atoms and facts are up to date.

    Not while somebody works on its facts, or answers a review over MCP or HTTP; where a budget was spent, only after
    further news.
    """
    from thermite_pipelines.embeddings.embedder import embedder_of
    from thermite_pipelines.synthesis.late_reviews import late_reviews
    from thermite_pipelines.synthesis.review_stops import stopped_at

    home = opened_home()
    if isinstance(home, dg.SkipReason):
        return home
    try:
        model_of(home)
        embedder_of(home.settings, home.lake)
    except ThermiteError as error:
        return dg.SkipReason(str(error))
    with home.control.read() as connection:
        late = late_reviews(connection)
        spent = stopped_at(connection)
        busy = {scope.removeprefix("synthesis:") for scope in holders(connection) if scope.startswith("synthesis:")}
    targets = {name: target for name, target in late.items() if not spent.get(name, "-").startswith(target)}
    if targets:
        half = _made_soon(home, context.instance)
        targets = {name: target for name, target in targets.items() if name not in half}
    asks = asks_for(context.instance, "review_campaign", targets, busy, pause=PAUSE_SECONDS, pause_from=_LOADED_AT)
    return result(context.instance, campaigns, asks, "review_campaign")


def _made_soon(home: Home, instance: dg.DagsterInstance) -> set[str]:
    """Campaigns whose facts are about to change: reviewed now, they would be reviewed again in a moment.

    What fails again and again must not hold up the review: a folder that is behind for long, atoms whose newest
    extraction failed or whose budget is spent.
    """
    from thermite_pipelines.atoms.budget_stops import stopped_at
    from thermite_pipelines.atoms.targets import atom_targets

    now, patience = now_micros(), home.settings.lag_warn_seconds * 1_000_000
    with home.control.read() as connection:
        folders = {
            name
            for name, lag in campaign_lags(connection).items()
            if lag.is_behind and lag.since is not None and now - lag.since < patience
        }
        facts = {name for name, lag in fact_lags(connection).items() if lag.is_behind}
        spent = stopped_at(connection)
        atoms = {
            name
            for name, lag in atom_targets(connection, home.settings).items()
            if lag.is_behind and spent.get(name) != lag.target
        }
    return folders | facts | (atoms - failed_in_a_row(instance, "extract_atoms", atoms).keys())
