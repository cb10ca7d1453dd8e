"""What happens by the clock: checks, whole tables, the purge of old runs, and of old help requests. Times are UTC."""

import dagster as dg

from thermite_pipelines.assets.jobs import check_all, check_often, write_tables
from thermite_pipelines.sensors.retention import prune_requests, purge_old_runs


def _schedule(job: object, cron: str) -> dg.ScheduleDefinition:
    return dg.ScheduleDefinition(
        job=job,  # type: ignore[arg-type]
        cron_schedule=cron,
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
    )


SCHEDULES = [
    _schedule(prune_requests, "1 0 * * *"),
    _schedule(check_often, "7 * * * *"),
    _schedule(check_all, "23 3 * * *"),
    _schedule(write_tables, "11 2 * * *"),
    _schedule(purge_old_runs, "41 4 * * *"),
]
