"""What tests of folders share: assigning runs, refreshing folders, reading them from outside, what they must hold."""

import json
from typing import Any

import pyarrow.parquet as pq

from tests.knowledge.folding import fold
from tests.support.homes import Home
from tests.support.rigs import RigSimulator
from thermite_pipelines.control.assignments import Request, Words, assign
from thermite_pipelines.knowledge.fold import FoldEvent
from thermite_pipelines.knowledge.folders import Folded, FolderWriter
from thermite_pipelines.knowledge.items import Row, RunId
from thermite_pipelines.tables.parquet import to_rows
from thermite_pipelines.times import format_rfc3339

Folder = dict[str, Row]
"""Rows of a folder by item id."""


def assign_run(home: Home, rig: str, run: str, campaign: str) -> None:
    """Assign a run, or move it to another campaign."""
    home.add_key(rig)
    home.campaign(campaign)
    with home.control.write() as connection:
        assign(connection, Request(rig, run, campaign, move=True), lambda picks: Words([], []), home.by)


def refresh(home: Home, *campaigns: str) -> list[Folded]:
    """Refresh folders, one after the other."""
    return [FolderWriter(home.control, home.lake, campaign).refresh() for campaign in campaigns]


def rebuild(home: Home, *campaigns: str) -> list[Folded]:
    """Rebuild folders, one after the other."""
    return [FolderWriter(home.control, home.lake, campaign).rebuild() for campaign in campaigns]


def folder(home: Home, campaign: str) -> Folder:
    """A folder's rows as they lie on disk, read past all code that wrote them."""
    root = home.lake.local("folders")
    rows: Folder = {}
    for path in sorted(root.glob(f"*/campaign={campaign}/*.parquet")):
        for row in to_rows(pq.ParquetFile(path).read()):
            assert row["item"] not in rows, "an item lies in one file only"
            assert row["item"].startswith(f"{path.parent.parent.name}:")
            rows[row["item"]] = row
    return rows


def expected(home: Home, *runs: tuple[str, str, str], **labels: str) -> Folder:
    """The rows of runs (rig, ledger, run) by a fold in memory over all their verified events; `labels` by ledger."""
    rows: Folder = {}
    for rig, ledger, run in runs:
        events = [
            FoldEvent(row["n"], row["occurred_at"], row["written_by"], row["type"], json.loads(row["data"]))
            for row in home.events(rig)
            if row["ledger"] == ledger and row["run"] == run
        ]
        found = fold(events, run=RunId(rig, ledger, run, labels.get(ledger, run)))
        rows |= {row["item"]: row for row in found.values()}
    return rows


def say_golden(rig: RigSimulator, events: list[FoldEvent], run: str = "run-7", **fields: Any) -> None:
    """Say events of the golden ledger on a rig, word for word."""
    for event in events:
        rig.say(event.type, event.data, run=run, by=event.by, at=format_rfc3339(event.at), **fields)
