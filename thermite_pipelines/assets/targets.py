"""Telling Dagster what each campaign's folder should hold: `knowledge/placed_events`.

The asset is not executable. It stands between rigs and campaigns, since which campaigns a rig's events touch depends on
the events: a plain edge would mark all campaigns for one campaign's news.
"""

from typing import Any

import dagster as dg
from dagster import DagsterEventType

from thermite_pipelines.assets.metadata import small_table
from thermite_pipelines.assets.partitions import campaigns, new_keys
from thermite_pipelines.control.db import Control
from thermite_pipelines.knowledge.state import RunState, campaign_lags, note_targets

PLACED_EVENTS = dg.AssetKey(["knowledge", "placed_events"])
_DATA_VERSION_TAG = "dagster/data_version"


def report_targets(control: Control, instance: dg.DagsterInstance, *, most: int | None = None) -> dict[str, str]:
    """Report to Dagster the targets of campaigns that are others than it holds, `most` of them; return all that are.

    Compared with Dagster's own record, so that a kill in between, or a Dagster home made anew, loses nothing.
    """
    stored = instance.event_log_storage.get_latest_tags_by_partition(
        PLACED_EVENTS, DagsterEventType.ASSET_MATERIALIZATION, [_DATA_VERSION_TAG]
    )
    known = {campaign: tags[_DATA_VERSION_TAG] for campaign, tags in stored.items() if campaign is not None}

    def report(targets: dict[str, str]) -> None:
        names = sorted(targets)[:most]
        fresh = new_keys(instance, campaigns, names)
        if fresh:
            instance.add_dynamic_partitions(str(campaigns.name), fresh)
        with control.read() as connection:
            lags = campaign_lags(connection)
        for campaign in names:
            shown = _runs_shown(lags[campaign].runs)
            # Dagster looks at observations to see that an external asset moved, and at the newest materialization to
            # record what a run saw: with the observation first, 'Unsynced' means what the sensors mean by behind.
            for kind in (dg.AssetObservation, dg.AssetMaterialization):
                instance.report_runless_asset_event(
                    kind(
                        asset_key=PLACED_EVENTS,
                        partition=campaign,
                        tags={_DATA_VERSION_TAG: targets[campaign]},
                        metadata=shown if kind is dg.AssetMaterialization else None,
                    )
                )

    return note_targets(control, report, known=known)


def _runs_shown(runs: list[RunState]) -> dict[str, Any]:
    newest = sorted(runs, key=lambda run: -run.last_accepted_at)
    rows = [{"rig": run.rig, "run": run.label, "state": run.state, "events": run.events} for run in newest[:20]]
    return {
        "dagster/row_count": sum(run.events for run in runs),
        "runs": small_table(rows, ["rig", "run", "state", "events"]),
    }
