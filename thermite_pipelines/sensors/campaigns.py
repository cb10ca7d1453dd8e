"""Campaigns whose folder is behind what control's record and the verified events say; help, syncs, briefs that are."""

import dagster as dg

from thermite_pipelines.assets.help import help_behind
from thermite_pipelines.assets.jobs import index_campaign, refresh_campaign, refresh_help, sync_campaign
from thermite_pipelines.assets.partitions import campaigns
from thermite_pipelines.assets.targets import report_targets
from thermite_pipelines.control.leases import holders
from thermite_pipelines.knowledge import index_targets
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.state import CampaignLag, campaign_lags
from thermite_pipelines.knowledge.sync import Syncer
from thermite_pipelines.sensors.common import ask_for_job, asks_for, opened_home, result
from thermite_pipelines.sensors.runs import in_flight, is_in_flight
from thermite_pipelines.settings import load_settings
from thermite_pipelines.synthesis.fact_targets import fact_lags
from thermite_pipelines.times import now_micros

INTERVAL_SECONDS = 10
INDEX_SECONDS = 60
# Each takes some hundredths of a second; the rest comes with the next ticks.
MAX_REPORTED = 100


@dg.sensor(
    jobs=[refresh_campaign, refresh_help],
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def campaigns_behind(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Report targets that moved (also by an assignment), and ask for a refresh of each campaign that is behind.

    Also of those whose facts are behind their folder and atoms, and of one where help requests or learnings are not
    folded yet; where people's decisions are not shown, or only the help files are not as they should be, for
    `refresh_help` alone.
    """
    from thermite_pipelines.learnings.folding import channels_behind

    home = opened_home()
    if isinstance(home, dg.SkipReason):
        return home
    report_targets(home.control, context.instance, most=MAX_REPORTED)
    with home.control.read() as connection:
        lags = campaign_lags(connection)
        facts = fact_lags(connection)
        held = holders(connection)
    busy = {scope.removeprefix("campaign:") for scope in held if scope.startswith("campaign:")}
    # While a synthesis works on a campaign its facts stay as they are.
    late = {name: lag for name, lag in facts.items() if lag.is_behind and f"synthesis:{name}" not in held}
    targets = {name: f"facts-{lag.target}" for name, lag in late.items()}
    targets |= {name: lag.target for name, lag in lags.items() if lag.is_behind}
    asks = asks_for(context.instance, "refresh_campaign", targets, busy)
    more: list[dg.RunRequest] = []
    if not asks and not is_in_flight(context.instance, "refresh_campaign"):
        # Each refresh folds the help requests and learnings of all campaigns: one is asked for where none comes anyway.
        channels = {name: f"help-{target}" for name, target in channels_behind(home).items()}
        asks = asks_for(context.instance, "refresh_campaign", channels, busy)[:1]
        if not asks:
            more = ask_for_job(context.instance, "refresh_help", "help", help_behind(home, context.instance))
    return result(context.instance, campaigns, asks, "refresh_campaign", more=more, names=lags.keys())


def _sync_interval() -> int:
    # The setting is the longest wait: looking three times as often leaves time for the run itself.
    return max(5, load_settings().kb_sync_seconds // 3)


@dg.sensor(
    job=sync_campaign,
    minimum_interval_seconds=_sync_interval(),
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def syncs_behind(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Ask for a sync of each campaign with a running run whose `knowledge/` or briefs are not what they should be."""
    home = opened_home()
    if isinstance(home, dg.SkipReason):
        return home
    now = now_micros()
    with home.control.read() as connection:
        lags = campaign_lags(connection)
    soon = {name for name, lag in lags.items() if _refreshed_soon(lag, now, home.settings.kb_sync_seconds)}
    targets = {name: target for name, target in _syncs_and_briefs(home).items() if name not in soon}
    asks = asks_for(context.instance, "sync_campaign", targets)
    return result(context.instance, campaigns, asks, "sync_campaign")


@dg.sensor(
    job=index_campaign,
    minimum_interval_seconds=INDEX_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def indexes_behind(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Ask for the index of each campaign whose index is not what its folder, atoms and syntheses are."""
    home = opened_home()
    if isinstance(home, dg.SkipReason):
        return home
    with home.control.read() as connection:
        lags = campaign_lags(connection)
        held = holders(connection)
    # A refresh ends with the index; while a campaign is worked on, more may come.
    soon = {name for name, lag in lags.items() if lag.is_behind}
    soon |= {scope.partition(":")[2] for scope in held if scope.startswith(("campaign:", "index:"))}
    soon |= in_flight(context.instance, "refresh_campaign")
    targets = {name: target for name, target in index_targets.indexes_behind(home).items() if name not in soon}
    asks = asks_for(context.instance, "index_campaign", targets)
    return result(context.instance, campaigns, asks, "index_campaign")


def _syncs_and_briefs(home: Home) -> dict[str, str]:
    from thermite_pipelines.knowledge.briefs import Briefer

    targets = Syncer(home).behind()
    for name, target in Briefer(home).behind().items():
        targets[name] = f"{targets[name]}-{target}" if name in targets else f"briefs-{target}"
    return targets


def _refreshed_soon(lag: CampaignLag, now: int, kb_sync_seconds: int) -> bool:
    """Whether a refresh of the campaign, which ends with its sync, can still come in time.

    One that fails for longer must not hold up the sync: a revoked grant is to empty its part all the same.
    """
    return lag.is_behind and lag.since is not None and now - lag.since < kb_sync_seconds * 1_000_000 // 2
