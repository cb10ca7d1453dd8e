"""Exports that are due: a run finished since the rig's last export, or a day went by with news."""

import dagster as dg

from thermite_pipelines.assets.jobs import export_rig
from thermite_pipelines.assets.partitions import rigs
from thermite_pipelines.knowledge.export_changes import due_exports
from thermite_pipelines.sensors.common import asks_for, opened_home, result
from thermite_pipelines.times import now_micros

INTERVAL_SECONDS = 300


@dg.sensor(
    job=export_rig,
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def exports_due(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Ask for an export of each rig that has something to export now."""
    home = opened_home()
    if isinstance(home, dg.SkipReason):
        return home
    with home.control.read() as connection:
        targets = due_exports(connection, now_micros())
    asks = asks_for(context.instance, "export_rig", targets)
    return result(context.instance, rigs, asks, "export_rig")
