"""Group sync: the Markdown that running runs read and the briefs that they start with, a campaign a partition."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import dagster as dg

from thermite_pipelines.assets.help import LEARNINGS
from thermite_pipelines.assets.intake import OWNERS
from thermite_pipelines.assets.knowledge import campaign_folder
from thermite_pipelines.assets.metadata import small_table
from thermite_pipelines.assets.partitions import campaigns
from thermite_pipelines.control.leases import LeaseTaken
from thermite_pipelines.knowledge.catalog import sync_lag_seconds
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.sync import Synced, Syncer
from thermite_pipelines.resources.home import HomeResource, explained
from thermite_pipelines.resources.rebuilds import wants_rebuild

if TYPE_CHECKING:
    from thermite_pipelines.knowledge.briefs import Briefed


@dg.asset(
    key=["sync", "knowledge_sync"],
    deps=[campaign_folder],
    partitions_def=campaigns,
    group_name="sync",
    owners=OWNERS,
    kinds={"markdown"},
    code_version="1",
    output_required=False,
)
def knowledge_sync(context: dg.AssetExecutionContext, home: HomeResource) -> Iterator[dg.MaterializeResult]:
    """The `knowledge/` folder of each running run of the campaign: items of its other runs and of granted folders.

    Only what changed is written; a backfill compares every file with what it should be.
    """
    campaign = context.partition_key
    opened = home.opened
    syncer = Syncer(opened)
    with explained(opened, context.run.run_id):
        try:
            synced = syncer.sync_campaign(campaign, check=wants_rebuild(context))
        except LeaseTaken as taken:
            context.log.info(f"gives way: {taken}")
            return
        with opened.control.read() as connection:
            lag = sync_lag_seconds(connection, campaign)
        signature = syncer.signature(campaign)
    columns = ["rig", "run", "written", "removed", "unchanged"]
    yield _result(opened, signature, synced, columns, folded_to_synced_seconds=lag)


@dg.asset(
    key=["sync", "run_briefs"],
    deps=[campaign_folder, LEARNINGS, knowledge_sync],
    partitions_def=campaigns,
    group_name="sync",
    owners=OWNERS,
    kinds={"markdown"},
    code_version="1",
    output_required=False,
)
def run_briefs(context: dg.AssetExecutionContext, home: HomeResource) -> Iterator[dg.MaterializeResult]:
    """What each agent of the campaign's running runs is told at its start, with a list of what that shows.

    Only what changed is written; a backfill makes every brief anew and compares it.
    """
    from thermite_pipelines.knowledge.briefs import Briefer

    campaign = context.partition_key
    opened = home.opened
    briefer = Briefer(opened)
    with explained(opened, context.run.run_id):
        try:
            briefed = briefer.brief_campaign(campaign, check=wants_rebuild(context))
        except LeaseTaken as taken:
            context.log.info(f"gives way: {taken}")
            return
        signature = briefer.signature(campaign)
    yield _result(opened, signature, briefed, ["rig", "run", "written", "unchanged", "removed"])


def _result(
    home: Home, signature: str, runs: "Sequence[Synced | Briefed]", columns: list[str], **more: float
) -> dg.MaterializeResult:
    """What is shown of the kept folders of a campaign's runs: the numbers of each, and of all together."""
    return dg.MaterializeResult(
        data_version=dg.DataVersion(signature),
        metadata={
            "dagster/row_count": sum(run.written + run.unchanged for run in runs),
            "dagster/uri": str(home.settings.sync),
            "runs": small_table([{name: getattr(run, name) for name in columns} for run in runs], columns),
            "written_now": sum(run.written for run in runs),
            "removed_now": sum(run.removed for run in runs),
            **more,
        },
    )
