"""Reports that lie in an inbox: one run of `take_reports` a rig, at most one a minute for a rig."""

import time

import dagster as dg

from thermite_pipelines.assets.intake import take_unknown_reports
from thermite_pipelines.assets.jobs import take_reports
from thermite_pipelines.assets.partitions import rigs
from thermite_pipelines.control.leases import holders
from thermite_pipelines.control.rigs import rig_names
from thermite_pipelines.intake.pending import pending_rigs, pending_unknown
from thermite_pipelines.sensors.common import ask_for_job, asks_for, opened_home, result
from thermite_pipelines.settings import load_settings

PAUSE_SECONDS = 60.0
# The pause spares runs while reports pour in. After a start there is none: what waited meanwhile is taken at once.
_LOADED_AT = time.time()


def _interval() -> int:
    return load_settings().arrival_seconds


@dg.sensor(
    jobs=[take_reports, take_unknown_reports],
    minimum_interval_seconds=_interval(),
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def reports_arrived(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Look into the inboxes; ask for an intake of each rig that has settled files or unwritten events."""
    home = opened_home()
    if isinstance(home, dg.SkipReason):
        return home
    settings = home.settings
    with home.control.read() as connection:
        names = rig_names(connection)
        targets = pending_rigs(connection, settings.inbox, settings.settle_seconds)
        unknown = pending_unknown(connection, settings.inbox, settings.settle_seconds)
        busy = {scope.removeprefix("rig:") for scope in holders(connection) if scope.startswith("rig:")}
    asks = asks_for(context.instance, "take_reports", targets, busy, pause=PAUSE_SECONDS, pause_from=_LOADED_AT)
    more = ask_for_job(context.instance, "take_unknown_reports", "_unknown", unknown)
    return result(context.instance, rigs, asks, "take_reports", more=more, names=names)
