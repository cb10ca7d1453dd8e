"""Numbers on campaign folders: for the catalog, the metadata of assets, and `thermite folders`."""

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.control.db import Control
from thermite_pipelines.control.models import CampaignState, Grant, LakeFile, SyncState
from thermite_pipelines.knowledge.derived import shown_counts
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.knowledge.state import campaign_lags
from thermite_pipelines.knowledge.synthesis_reading import SYNTHESIS_KINDS
from thermite_pipelines.times import format_rfc3339, now_micros


@dataclass(frozen=True)
class FolderNumbers:
    """One folder: items by kind, its runs, the watermark it is folded to, and a hash of its contents."""

    items: dict[str, int]
    runs: list[dict[str, Any]]
    watermark: str
    content: str
    lag_seconds: int


def items_by_kind(connection: Connection, campaign: str | None = None) -> dict[str, dict[str, int]]:
    """Items of each folder by kind, from what control knows of the files."""
    query = select(LakeFile.scope, LakeFile.path, LakeFile.rows).where(LakeFile.path.like("folders/%"))
    if campaign is not None:
        query = query.where(LakeFile.scope == f"campaign:{campaign}")
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in connection.execute(query):
        counts[row.scope.removeprefix("campaign:")][row.path.split("/", 2)[1]] += row.rows
    return {name: {kind: found[kind] for kind in KINDS if found[kind]} for name, found in counts.items()}


def counts_by_kind(connection: Connection, campaign: str | None = None) -> dict[str, dict[str, int]]:
    """Items of each folder by kind, and the syntheses, methodologies and predictions made of them that live."""
    items = items_by_kind(connection, campaign)
    made = shown_counts(connection, campaign_names(connection) if campaign is None else [campaign])
    return {name: items.get(name, {}) | made.get(name, {}) for name in [*items, *(made.keys() - items.keys())]}


def folder_numbers(connection: Connection, campaign: str) -> FolderNumbers:
    """The numbers of one folder after a refresh."""
    lag = campaign_lags(connection, campaign)[campaign]
    query = select(LakeFile.path, LakeFile.rows_sha256).where(LakeFile.scope == f"campaign:{campaign}")
    digest = hashlib.sha256()
    for row in connection.execute(query.order_by(LakeFile.path)):
        digest.update(f"{row.path} {row.rows_sha256}\n".encode())
    newest = max((run.last_accepted_at for run in lag.runs), default=now_micros())
    runs = sorted(lag.runs, key=lambda run: -run.last_accepted_at)
    return FolderNumbers(
        items=items_by_kind(connection, campaign).get(campaign, {}),
        runs=[{"rig": run.rig, "run": run.label, "state": run.state, "events": run.events} for run in runs[:20]],
        watermark=lag.folded,
        content=digest.hexdigest()[:16],
        lag_seconds=(now_micros() - newest) // 1_000_000,
    )


def sync_lag_seconds(connection: Connection, campaign: str) -> float:
    """How long after its folder was refreshed a campaign's newest sync was done; 0 where none came after."""
    refreshed = select(CampaignState.refreshed_at).where(CampaignState.campaign == campaign)
    synced = select(func.max(SyncState.synced_at)).where(SyncState.campaign == campaign)
    before, after = connection.execute(refreshed).scalar(), connection.execute(synced).scalar()
    return (after - before) / 1_000_000 if before is not None and after is not None and after > before else 0.0


def catalog(control: Control) -> list[dict[str, Any]]:
    """One row a campaign: target, folded, events behind, lag in seconds, last refresh, counts, readers.

    `items` counts items alone; what synthesis made of them has a count for each kind.
    """
    with control.read() as connection:
        lags = campaign_lags(connection)
        counts = counts_by_kind(connection)
        reads: dict[str, list[str]] = defaultdict(list)
        read_by: dict[str, list[str]] = defaultdict(list)
        for row in connection.execute(select(Grant.reader, Grant.source).order_by(Grant.reader, Grant.source)):
            reads[row.reader].append(row.source)
            read_by[row.source].append(row.reader)
    now = now_micros()
    return [
        {
            "campaign": name,
            "target": lag.target,
            "folded": lag.folded,
            "behind": lag.behind if lag.behind else int(lag.is_behind),
            "lag_seconds": 0 if lag.since is None else max(0, now - lag.since) // 1_000_000,
            "last_refresh": "never" if lag.refreshed_at is None else format_rfc3339(lag.refreshed_at),
            "runs": len(lag.runs),
            "items": sum(number for kind, number in counts.get(name, {}).items() if kind not in SYNTHESIS_KINDS),
            **{kind: counts.get(name, {}).get(kind, 0) for kind in SYNTHESIS_KINDS},
            "reads": ", ".join(reads[name]),
            "read_by": ", ".join(read_by[name]),
        }
        for name, lag in lags.items()
    ]
