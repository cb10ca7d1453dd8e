"""Telling Dagster what each campaign should hold: `knowledge/placed_events`, and `atoms/said_events` of those.

The assets are not executable. The first stands between rigs and campaigns, since which campaigns a rig's events touch
depends on the events: a plain edge would mark all campaigns for one campaign's news. The second moves only when people
said something: else each report would mark atoms that nothing changed for.
"""

from typing import TYPE_CHECKING, Any

import dagster as dg
from dagster import DagsterEventType

from thermite_pipelines.assets.metadata import small_table
from thermite_pipelines.assets.partitions import campaigns, new_keys
from thermite_pipelines.control.db import Control
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.state import RunState, campaign_lags, note_targets

if TYPE_CHECKING:
    from thermite_pipelines.atoms.targets import AtomLag

PLACED_EVENTS = dg.AssetKey(["knowledge", "placed_events"])
SAID_EVENTS = dg.AssetKey(["atoms", "said_events"])
_DATA_VERSION_TAG = "dagster/data_version"


def report_targets(control: Control, instance: dg.DagsterInstance, *, most: int | None = None) -> dict[str, str]:
    """Report to Dagster the targets of campaigns that are others than it holds, `most` of them; return all that are.

    Compared with Dagster's own record, so that a kill in between, or a Dagster home made anew, loses nothing.
    """
    known = _reported(instance, PLACED_EVENTS)

    def report(targets: dict[str, str]) -> None:
        names = sorted(targets)[:most]
        fresh = new_keys(instance, campaigns, names)
        if fresh:
            instance.add_dynamic_partitions(str(campaigns.name), fresh)
        with control.read() as connection:
            lags = campaign_lags(connection)
        for campaign in names:
            _report(instance, PLACED_EVENTS, campaign, targets[campaign], _runs_shown(lags[campaign].runs))

    return note_targets(control, report, known=known)


def report_said(home: Home, instance: dg.DagsterInstance, *, most: int | None = None) -> "dict[str, AtomLag]":
    """Report where people said something new, `most` campaigns of them; return how far each campaign's atoms are."""
    # Here and not above: every run and every sensor loads this module.
    from thermite_pipelines.atoms.targets import NOTHING_SAID, atom_targets

    with home.control.read() as connection:
        lags = atom_targets(connection, home.settings)
    known = _reported(instance, SAID_EVENTS)
    moved = [name for name, lag in lags.items() if known.get(name, NOTHING_SAID) != lag.target]
    fresh = new_keys(instance, campaigns, moved[:most])
    if fresh:
        instance.add_dynamic_partitions(str(campaigns.name), fresh)
    for campaign in moved[:most]:
        lag = lags[campaign]
        shown = {"messages_not_asked_about": lag.unasked, "runs_and_files_not_read": lag.unread}
        _report(instance, SAID_EVENTS, campaign, lag.target, shown)
    return lags


def _reported(instance: dg.DagsterInstance, key: dg.AssetKey) -> dict[str, str]:
    """The targets that Dagster holds, by campaign."""
    stored = instance.event_log_storage.get_latest_tags_by_partition(
        key, DagsterEventType.ASSET_MATERIALIZATION, [_DATA_VERSION_TAG]
    )
    return {campaign: tags[_DATA_VERSION_TAG] for campaign, tags in stored.items() if campaign is not None}


def _report(
    instance: dg.DagsterInstance, key: dg.AssetKey, campaign: str, target: str, metadata: dict[str, Any]
) -> None:
    # Dagster looks at observations to see that an external asset moved, and at the newest materialization to
    # record what a run saw: with the observation first, 'Unsynced' means what the sensors mean by behind.
    for kind in (dg.AssetObservation, dg.AssetMaterialization):
        instance.report_runless_asset_event(
            kind(
                asset_key=key,
                partition=campaign,
                tags={_DATA_VERSION_TAG: target},
                metadata=metadata if kind is dg.AssetMaterialization else None,
            )
        )


def _runs_shown(runs: list[RunState]) -> dict[str, Any]:
    newest = sorted(runs, key=lambda run: -run.last_accepted_at)
    rows = [{"rig": run.rig, "run": run.label, "state": run.state, "events": run.events} for run in newest[:20]]
    return {
        "dagster/row_count": sum(run.events for run in runs),
        "runs": small_table(rows, ["rig", "run", "state", "events"]),
    }
