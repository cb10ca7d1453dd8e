"""Group knowledge: campaign folders, the table of operations, and whole tables for those who scan all."""

from collections.abc import Iterator

import dagster as dg

from thermite_pipelines.assets.checks import CHECKS
from thermite_pipelines.assets.intake import OWNERS
from thermite_pipelines.assets.metadata import bar_chart, column_schema, small_table
from thermite_pipelines.assets.operations import Refreshes, open_findings, refreshes
from thermite_pipelines.assets.partitions import campaigns
from thermite_pipelines.assets.targets import PLACED_EVENTS, report_targets
from thermite_pipelines.knowledge.catalog import catalog, folder_numbers
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.whole_tables import write_tables
from thermite_pipelines.resources.home import HomeResource, explained
from thermite_pipelines.resources.rebuilds import wants_rebuild
from thermite_pipelines.tables.schemas import ITEM_TABLES

_CATALOG_COLUMNS = [
    "campaign",
    "behind",
    "lag_seconds",
    "items",
    "runs",
    "findings",
    "attempts",
    "last_run",
    "last_refresh",
    "target",
    "folded",
    "reads",
    "read_by",
]

placed_events = dg.AssetSpec(
    PLACED_EVENTS,
    deps=[dg.AssetKey(["intake", "verified_events"])],
    description=(
        "Which verified events belong in a campaign's folder, by control's record. Reported by intake when a "
        "campaign's target moves; its data version is that target."
    ),
    group_name="knowledge",
    owners=OWNERS,
    kinds={"sql"},
    partitions_def=campaigns,
)


@dg.asset(
    key=["knowledge", "campaign_folder"],
    deps=[PLACED_EVENTS],
    partitions_def=campaigns,
    group_name="knowledge",
    owners=OWNERS,
    kinds={"parquet"},
    code_version="1",
    output_required=False,
    metadata={f"columns_of_{kind}": column_schema(table) for kind, table in ITEM_TABLES.items()},
)
def campaign_folder(context: dg.AssetExecutionContext, home: HomeResource) -> Iterator[dg.MaterializeResult]:
    """All items of a campaign's runs, twelve kinds, folded from verified events into Parquet.

    Only what is new is folded; a backfill rebuilds the folder whole, to the same bytes.
    """
    campaign = context.partition_key
    opened = home.opened
    with explained(opened, context.run.run_id):
        if not home.take(context, f"campaign:{campaign}"):
            return
        writer = FolderWriter(opened.control, opened.lake, campaign)
        folded = writer.rebuild() if wants_rebuild(context) else writer.refresh()
        report_targets(opened.control, context.instance)
        with opened.control.read() as connection:
            numbers = folder_numbers(connection, campaign)
    yield dg.MaterializeResult(
        data_version=dg.DataVersion(f"{numbers.watermark}-{numbers.content}"),
        metadata={
            "dagster/row_count": sum(numbers.items.values()),
            "dagster/uri": opened.lake.address("folders"),
            "items": small_table([{"kind": k, "items": n} for k, n in numbers.items.items()], ["kind", "items"]),
            "picture": bar_chart(numbers.items, f"items of {campaign} by kind"),
            "runs": small_table(numbers.runs, ["rig", "run", "state", "events"]),
            "events_folded_now": folded.events,
            "items_changed_now": folded.items,
            "files_written_now": folded.files,
            "runs_that_left": folded.left,
            "accepted_to_folded_seconds": numbers.lag_seconds,
        },
    )


@dg.asset(
    key=["knowledge", "folder_catalog"],
    deps=[campaign_folder],
    group_name="knowledge",
    owners=OWNERS,
    kinds={"sql"},
    code_version="1",
)
def folder_catalog(context: dg.AssetExecutionContext, home: HomeResource) -> dg.MaterializeResult:
    """The table of operations: each campaign with target, what is folded, lag, runs, findings, counts and readers."""
    opened = home.opened
    with explained(opened, context.run.run_id):
        rows = catalog(opened.control)
    runs = refreshes(context.instance, "refresh_campaign")
    findings = open_findings(context.instance, [key for check in CHECKS for key in check.check_keys])
    for row in rows:
        seen = runs.get(row["campaign"], Refreshes())
        row |= {"last_run": seen.last_run, "attempts": seen.failed, "findings": findings[row["campaign"]]}
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": len(rows),
            "campaigns": small_table(sorted(rows, key=lambda row: -row["lag_seconds"]), _CATALOG_COLUMNS),
            "behind": sum(row["behind"] > 0 for row in rows),
            "picture": bar_chart({row["campaign"]: row["items"] for row in rows[:20]}, "items by campaign"),
        }
    )


@dg.asset(
    key=["knowledge", "tables"],
    deps=[campaign_folder],
    group_name="knowledge",
    owners=OWNERS,
    kinds={"parquet"},
    code_version="1",
)
def tables(context: dg.AssetExecutionContext, home: HomeResource) -> dg.MaterializeResult:
    """One sorted Parquet file a kind over all campaigns, for those who scan all."""
    opened = home.opened
    with explained(opened, context.run.run_id):
        counts = write_tables(opened)
    return dg.MaterializeResult(
        metadata={
            "dagster/row_count": sum(counts.values()),
            "dagster/uri": opened.lake.address("tables"),
            "rows": small_table([{"kind": kind, "rows": n} for kind, n in counts.items()], ["kind", "rows"]),
            "picture": bar_chart(counts, "rows by kind"),
        }
    )
