"""Group help: what agents asked people for, and what they told their later runs.

Neither asset has partitions: the files are one home's, and a person who answers looks at all campaigns at once. What is
shown is counts and ids, never a text.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import dagster as dg

from thermite_pipelines.assets.intake import OWNERS
from thermite_pipelines.assets.metadata import bar_chart, small_table
from thermite_pipelines.assets.targets import PLACED_EVENTS
from thermite_pipelines.control.leases import LeaseTaken
from thermite_pipelines.resources.home import HomeResource, explained
from thermite_pipelines.resources.rebuilds import wants_rebuild

if TYPE_CHECKING:
    from thermite_pipelines.learnings.folding import ChannelNumbers

HELP_REQUESTS = dg.AssetKey(["help", "help_requests"])
LEARNINGS = dg.AssetKey(["help", "learnings"])


def _spec(key: dg.AssetKey, description: str) -> dg.AssetSpec:
    return dg.AssetSpec(
        key,
        description=description,
        deps=[PLACED_EVENTS],
        group_name="help",
        owners=OWNERS,
        kinds={"json"},
        code_version="1",
        skippable=True,  # where a run gives way to another it makes nothing
    )


@dg.multi_asset(
    name="help_channels",
    specs=[
        _spec(HELP_REQUESTS, "What agents asked people for in the last 90 days, and what came of it, a file a day."),
        _spec(LEARNINGS, "What agents found out for their later runs, in every state, and what screening refused."),
    ],
    can_subset=False,
    # Folders come first: they need not wait until another process is done here.
    op_tags={"dagster/priority": "-1"},
)
def help_channels(context: dg.AssetExecutionContext, home: HomeResource) -> Iterator[dg.MaterializeResult]:
    """Fold what agents said to people and to later runs, of all campaigns, and write the files of the help folder.

    Only what is new is folded; a backfill folds its campaign's events from the first one on.
    """
    from thermite_pipelines.learnings.folding import refresh_channels

    opened = home.opened
    rebuilds = wants_rebuild(context)
    campaign = context.partition_key if context.has_partition_key else None
    with explained(opened, context.run.run_id):
        try:
            numbers = refresh_channels(opened, whole=rebuilds, campaign=campaign)
        except LeaseTaken as taken:
            if rebuilds:
                raise  # that nothing was made anew must be seen
            context.log.info(f"gives way: {taken}")
            return
    yield from _results(numbers, str(opened.settings.help))


def _results(numbers: "ChannelNumbers", folder: str) -> Iterator[dg.MaterializeResult]:
    open_ones = [{"blocker": name, "open": count} for name, count in numbers.requests.items()]
    yield dg.MaterializeResult(
        asset_key=HELP_REQUESTS,
        data_version=dg.DataVersion(numbers.requests_version),
        metadata={
            "dagster/row_count": numbers.asked,
            "dagster/uri": folder,
            "open_by_blocker": small_table(open_ones, ["blocker", "open"]),
            "picture": bar_chart(numbers.requests, "open help requests by blocker"),
            "open": numbers.open,
            "fatal_open": numbers.fatal_open,
            "campaigns_folded_now": len(numbers.folded),
        },
    )
    states = [{"state": name, "learnings": count} for name, count in numbers.learnings.items()]
    yield dg.MaterializeResult(
        asset_key=LEARNINGS,
        data_version=dg.DataVersion(numbers.learnings_version),
        metadata={
            "dagster/row_count": sum(numbers.learnings.values()),
            "dagster/uri": folder,
            "by_state": small_table(states, ["state", "learnings"]),
            "picture": bar_chart(numbers.learnings, "learnings by state"),
            "refused": numbers.refused,
            "campaigns_folded_now": len(numbers.folded),
        },
    )
