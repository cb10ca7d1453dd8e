"""Campaigns in which people said something that no atoms were taken from yet."""

import dagster as dg

from thermite_pipelines.assets.jobs import extract_atoms
from thermite_pipelines.assets.partitions import campaigns
from thermite_pipelines.assets.targets import report_said
from thermite_pipelines.control.leases import holders
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.resources.llm import model_of
from thermite_pipelines.sensors.common import asks_for, opened_home, result

INTERVAL_SECONDS = 30
# Each takes some hundredths of a second; the rest comes with the next ticks.
MAX_REPORTED = 100


@dg.sensor(
    job=extract_atoms,
    minimum_interval_seconds=INTERVAL_SECONDS,
    default_status=dg.DefaultSensorStatus.RUNNING,
)
def atoms_behind(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
    """Ask for an extraction where sessions are new or have grown; where a budget was spent, only after further news."""
    from thermite_pipelines.atoms.budget_stops import stopped_at

    home = opened_home()
    if isinstance(home, dg.SkipReason):
        return home
    try:
        model_of(home, small=True)
    except ThermiteError as error:
        return dg.SkipReason(str(error))
    lags = report_said(home, context.instance, most=MAX_REPORTED)
    with home.control.read() as connection:
        spent = stopped_at(connection)
        busy = {scope.removeprefix("atoms:") for scope in holders(connection) if scope.startswith("atoms:")}
    targets = {name: lag.target for name, lag in lags.items() if lag.is_behind and spent.get(name) != lag.target}
    asks = asks_for(context.instance, "extract_atoms", targets, busy)
    return result(context.instance, campaigns, asks, "extract_atoms")
