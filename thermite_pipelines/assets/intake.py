"""Group intake: from files in the inbox to verified, rejected and unknown events, a rig a partition.

The four assets are made by one step, since a report is read and checked once for all of them.
"""

from collections import Counter
from collections.abc import Iterator

import dagster as dg

from thermite_pipelines.assets.metadata import bar_chart, column_schema, small_table
from thermite_pipelines.assets.partitions import campaigns, new_keys, rigs
from thermite_pipelines.assets.targets import report_targets
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.intake.overview import RigNumbers, rejected_reasons, rig_numbers
from thermite_pipelines.intake.receipts import Intake, Taken
from thermite_pipelines.knowledge.state import RunState, runs_of_rig
from thermite_pipelines.resources.home import HomeResource, explained
from thermite_pipelines.resources.rebuilds import wants_rebuild
from thermite_pipelines.tables.schemas import EVENT_TABLES
from thermite_pipelines.times import format_rfc3339

OWNERS = ["team:data"]
_RAW = dg.AssetKey(["intake", "raw_reports"])


def _spec(name: str, description: str, table: str | None) -> dg.AssetSpec:
    return dg.AssetSpec(
        dg.AssetKey(["intake", name]),
        description=description,
        deps=[] if table is None else [_RAW],
        group_name="intake",
        owners=OWNERS,
        kinds={"file"} if table is None else {"parquet"},
        code_version="1",
        partitions_def=rigs,
        skippable=True,  # where a run gives way to another it makes nothing
        metadata={"dagster/column_schema": column_schema(EVENT_TABLES[table])} if table else {},
    )


@dg.multi_asset(
    name="intake",
    specs=[
        _spec("raw_reports", "Every file that arrived in the rig's inbox, byte for byte, with its outcome.", None),
        _spec("verified_events", "Events of accepted reports that are true to the rules of their type.", "events"),
        _spec("rejected_events", "Events of accepted reports that break a rule, with the reason.", "rejected_events"),
        _spec("unknown_events", "Events of types that this version does not know.", "unknown_events"),
    ],
    can_subset=False,
)
def intake(context: dg.AssetExecutionContext, home: HomeResource) -> Iterator[dg.MaterializeResult]:
    """Take what lies in the inbox, extend the rig's chains, and write the events of what was accepted."""
    rig = context.partition_key
    opened = home.opened
    with explained(opened, context.run.run_id):
        if not home.take(context, f"rig:{rig}"):
            return
        reports = Intake(opened.control, opened.lake, opened.settings)
        taken = reports.take(rig)
        writer = EventWriter(opened.control, opened.lake, rig, reports.cache)
        written = writer.rebuild() if wants_rebuild(context) else writer.write()
        report_targets(opened.control, context.instance)
        context.log.info(f"{dict(taken.outcomes)} of the files that arrived; {written.verified} events verified")
        with opened.control.read() as connection:
            numbers = rig_numbers(connection, rig)
            reasons = rejected_reasons(connection, opened.lake, rig)
            runs = runs_of_rig(connection, rig)
    yield _raw_result(taken, numbers, opened.lake.address(f"reports/rig={rig}"))
    for name, table, rows in (
        ("verified_events", "events", numbers.verified),
        ("rejected_events", "rejected_events", numbers.rejected),
        ("unknown_events", "unknown_events", numbers.unknown),
    ):
        yield dg.MaterializeResult(
            asset_key=["intake", name],
            data_version=dg.DataVersion(f"{numbers.events_through}-{rows}"),
            metadata={
                "dagster/row_count": rows,
                "dagster/uri": opened.lake.address(f"{table}/rig={rig}"),
                "accepted_through": numbers.events_through,
                "picture": bar_chart(_by_table(numbers), "events by table"),
                **(_runs_shown(runs) if name == "verified_events" else {}),
                **(_reasons_shown(reasons) if name == "rejected_events" else {}),
            },
        )


def _by_table(numbers: RigNumbers) -> dict[str, int]:
    return {"verified": numbers.verified, "rejected": numbers.rejected, "unknown": numbers.unknown}


def _runs_shown(runs: list[RunState]) -> dict[str, dg.TableMetadataValue]:
    newest = sorted(runs, key=lambda run: -run.last_accepted_at)
    rows = [{"ledger": run.ledger, "run": run.run, "state": run.state, "events": run.events} for run in newest[:20]]
    return {"runs": small_table(rows, ["ledger", "run", "state", "events"])}


def _reasons_shown(reasons: Counter[str]) -> dict[str, dg.TableMetadataValue]:
    rows = [{"reason": reason, "events": count} for reason, count in reasons.most_common()]
    return {"reasons": small_table(rows, ["reason", "events"])}


def _raw_result(taken: Taken, numbers: RigNumbers, address: str) -> dg.MaterializeResult:
    rows = [{"outcome": name, "reports": count} for name, count in numbers.outcomes.most_common()]
    rows += [{"outcome": f"quarantined: {name}", "reports": count} for name, count in numbers.reasons.most_common()]
    newest = numbers.last_accepted_at
    return dg.MaterializeResult(
        asset_key=_RAW,
        data_version=dg.DataVersion(f"{numbers.reports}-{numbers.outcomes['accepted']}"),
        metadata={
            "dagster/row_count": numbers.reports,
            "dagster/uri": address,
            "outcomes": small_table(rows, ["outcome", "reports"]),
            "picture": bar_chart(dict(numbers.outcomes.most_common()), "reports by outcome"),
            "arrived_now": sum(taken.outcomes.values()),
            "accepted_now": taken.outcomes["accepted"],
            "last_accepted": "never" if newest is None else format_rfc3339(newest),
            "arrived_to_accepted_seconds": numbers.last_lag_seconds,
        },
    )


@dg.op
def take_unknown_inboxes(context: dg.OpExecutionContext, home: HomeResource) -> None:
    """Quarantine what lies in inboxes of rigs that control does not know; no partition stands for them."""
    opened = home.opened
    with explained(opened, context.run.run_id):
        if home.take(context, "rig:_unknown"):  # no rig can have this name
            taken = Intake(opened.control, opened.lake, opened.settings).take_unknown()
            context.log.info(f"{sum(taken.outcomes.values())} files of unknown rigs were quarantined")


@dg.job(name="take_unknown_reports", executor_def=dg.in_process_executor)
def take_unknown_reports() -> None:
    """Take the files of inboxes whose rig control does not know."""
    take_unknown_inboxes()


def add_partitions(instance: dg.DagsterInstance, rig_names: list[str], campaign_names: list[str]) -> None:
    """Make partitions of the rigs and campaigns that have none yet."""
    for partitions, names in ((rigs, rig_names), (campaigns, campaign_names)):
        fresh = new_keys(instance, partitions, names)
        if fresh:
            instance.add_dynamic_partitions(str(partitions.name), fresh)
