"""Reports that lie in an inbox: one run of `take_reports` a rig, at most one a minute for a rig."""

import dagster as dg

from thermite_pipelines.assets.intake import take_unknown_reports
from thermite_pipelines.assets.jobs import take_reports
from thermite_pipelines.control.leases import holders
from thermite_pipelines.control.rigs import rig_names
from thermite_pipelines.intake.pending import pending_rigs, pending_unknown
from thermite_pipelines.sensors.common import asks_for, opened_home, result, rigs
from thermite_pipelines.settings import load_settings

PAUSE_SECONDS = 60.0


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
    asks = asks_for(context.instance, "take_reports", targets, busy, pause=PAUSE_SECONDS)
    more = [dg.RunRequest(run_key=f"unknown@{unknown}", job_name="take_unknown_reports")] if unknown else []
    return result(context.instance, rigs, asks, "take_reports", more=more, names=names)
