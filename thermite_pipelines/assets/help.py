"""Group help: what agents asked people for, and what they told their later runs.

Neither asset has partitions: the files are one home's, and a person who answers looks at all campaigns at once. What is
shown is counts and ids, never a text.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import dagster as dg

from thermite_pipelines.assets import checks
from thermite_pipelines.assets.intake import OWNERS
from thermite_pipelines.assets.metadata import bar_chart, small_table
from thermite_pipelines.assets.operations import newest_check_metadata, newest_metadata
from thermite_pipelines.assets.targets import PLACED_EVENTS
from thermite_pipelines.control.leases import LeaseTaken
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.resources.home import HomeResource, explained
from thermite_pipelines.resources.rebuilds import wants_rebuild
from thermite_pipelines.times import now_micros

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
    from thermite_pipelines.learnings.overview import newest_decisions, open_requests

    opened = home.opened
    rebuilds = wants_rebuild(context)
    campaign = context.partition_key if context.has_partition_key else None
    with explained(opened, context.run.run_id):
        # Asked before: what is decided meanwhile may be shown, but it must never be said to be where it is not.
        decisions = newest_decisions(opened, now_micros())
        try:
            numbers = refresh_channels(opened, whole=rebuilds, campaign=campaign)
        except LeaseTaken as taken:
            if rebuilds:
                raise  # that nothing was made anew must be seen
            context.log.info(f"gives way: {taken}")
            return
        requests = open_requests(opened, now_micros())
    yield from _results(numbers, requests, {"dagster/uri": str(opened.settings.help), **decisions})


def _results(
    numbers: "ChannelNumbers", requests: list[dict[str, Any]], both: dict[str, Any]
) -> Iterator[dg.MaterializeResult]:
    """What is shown of both assets; `both` stands at each."""
    from thermite_pipelines.learnings.overview import OPEN_COLUMNS

    open_ones = [{"blocker": name, "open": count} for name, count in numbers.requests.items()]
    yield dg.MaterializeResult(
        asset_key=HELP_REQUESTS,
        data_version=dg.DataVersion(numbers.requests_version),
        metadata={
            **both,
            "dagster/row_count": numbers.asked,
            "open_requests": small_table(requests, OPEN_COLUMNS),
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
            **both,
            "dagster/row_count": sum(numbers.learnings.values()),
            "by_state": small_table(states, ["state", "learnings"]),
            "picture": bar_chart(numbers.learnings, "learnings by state"),
            "refused": numbers.refused,
            "campaigns_folded_now": len(numbers.folded),
        },
    )


def help_behind(home: Home, instance: dg.DagsterInstance) -> str | None:
    """What the job `refresh_help` has to reach, as part of its run key; None where there is nothing for it to do.

    It is behind where all is folded but the files are not as they should be, and where people decided what the assets,
    or the newest results of their checks, do not show. A command that a person gives writes the files itself, so
    nothing else would bring the assets to say so before the next report.
    """
    from thermite_pipelines.learnings.folding import files_behind
    from thermite_pipelines.learnings.overview import newest_decisions

    target = files_behind(home)
    if target is not None:
        return f"files-{target}"
    due = newest_decisions(home, now_micros())
    if not due:
        return None
    # With a new day requests may leave the files. No check's result changes by that.
    numbers = [name for name in due if name != "day"]
    for key in (HELP_REQUESTS, LEARNINGS):
        if not _shows(newest_metadata(instance, key) or {}, due, list(due)):
            return _decided(due)
    for key in (one.check_key for one in checks.HELP):
        result = newest_check_metadata(instance, key)
        if result is not None and not _shows(result, due, numbers):
            return _decided(due)
    return None


def _shows(shown: Mapping[str, Any], due: dict[str, Any], names: list[str]) -> bool:
    return all(name in shown and shown[name].value == due[name] for name in names)


def _decided(due: dict[str, Any]) -> str:
    return "-".join(["decided", *map(str, due.values())])
