"""Campaigns whose folder is behind what control's record and the verified events say."""

import dagster as dg

from thermite_pipelines.assets.jobs import refresh_campaign, sync_campaign
from thermite_pipelines.assets.targets import target_events
from thermite_pipelines.control.leases import holders
from thermite_pipelines.knowledge.state import campaign_lags, note_targets
from thermite_pipelines.knowledge.sync import Syncer
from thermite_pipelines.sensors.common import asks_for, campaigns, opened_home, result
from thermite_pipelines.settings import load_settings

INTERVAL_SECONDS = 15


@dg.sensor(
    job=refresh_campaign,
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def campaigns_behind(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Report targets that moved (also by an assignment), and ask for a refresh of each campaign that is behind."""
    home = opened_home()
    if isinstance(home, dg.SkipReason):
        return home
    with home.control.read() as connection:
        lags = campaign_lags(connection)
        busy = {scope.removeprefix("campaign:") for scope in holders(connection) if scope.startswith("campaign:")}
    moved: dict[str, str] = {}
    note_targets(home.control, moved.update)
    targets = {name: lag.target for name, lag in lags.items() if lag.is_behind}
    asks = asks_for(context.instance, "refresh_campaign", targets, busy)
    return result(context.instance, campaigns, asks, "refresh_campaign", events=target_events(moved), names=lags.keys())


def _sync_interval() -> int:
    # The setting is the longest wait: looking three times as often leaves time for the run itself.
    return max(5, load_settings().kb_sync_seconds // 3)


@dg.sensor(
    job=sync_campaign,
    minimum_interval_seconds=_sync_interval(),
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def syncs_behind(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Ask for a sync of each campaign with a running run whose `knowledge/` is not what it should be."""
    home = opened_home()
    if isinstance(home, dg.SkipReason):
        return home
    targets = Syncer(home).behind()
    with home.control.read() as connection:
        # A refresh of the campaign itself ends with its sync.
        behind = {name for name, lag in campaign_lags(connection).items() if lag.is_behind}
    targets = {name: target for name, target in targets.items() if name not in behind}
    asks = asks_for(context.instance, "sync_campaign", targets)
    return result(context.instance, campaigns, asks, "sync_campaign")
