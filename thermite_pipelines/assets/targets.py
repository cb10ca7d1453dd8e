"""Telling Dagster what each campaign's folder should hold: `knowledge/placed_events`.

The asset is not executable. It stands between rigs and campaigns, since which campaigns a rig's events touch depends on the
events: a plain edge would mark all campaigns for one campaign's news.
"""

import dagster as dg

from thermite_pipelines.control.db import Control
from thermite_pipelines.knowledge.state import note_targets

PLACED_EVENTS = dg.AssetKey(["knowledge", "placed_events"])
_DATA_VERSION_TAG = "dagster/data_version"


def target_events(targets: dict[str, str]) -> list[dg.AssetObservation | dg.AssetMaterialization]:
    """Events that report targets by campaign.

    Dagster looks at observations to see that an external asset moved, and at the newest materialization to record what a
    run saw: with the observation first, 'Unsynced' means what the sensors mean by behind.
    """
    return [
        kind(asset_key=PLACED_EVENTS, partition=campaign, tags={_DATA_VERSION_TAG: target})
        for campaign, target in sorted(targets.items())
        for kind in (dg.AssetObservation, dg.AssetMaterialization)
    ]


def report_targets(control: Control, instance: dg.DagsterInstance) -> dict[str, str]:
    """Report the targets that moved since they were reported last; return them."""

    def report(targets: dict[str, str]) -> None:
        known = set(instance.get_dynamic_partitions("campaigns"))
        fresh = sorted(targets.keys() - known)
        if fresh:
            instance.add_dynamic_partitions("campaigns", fresh)
        for event in target_events(targets):
            instance.report_runless_asset_event(event)

    return note_targets(control, report)
