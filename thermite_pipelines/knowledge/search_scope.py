"""What the agents of one run see: what the sync of the run lists, and the sources that the run itself archived."""

import json
import os

from sqlalchemy import select

from thermite_pipelines.control.models import Assignment
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.sync_files import SyncFolder
from thermite_pipelines.knowledge.sync_manifest import NAME, Manifest
from thermite_pipelines.knowledge.sync_writer import FOLDER


def run_sees(home: Home, campaign: str, run: str, rig: str | None = None) -> frozenset[str]:
    """The ids of what a run of the campaign sees now; nothing but its own sources where it was never synced.

    Raises `ThermiteError` where control assigned no such run to the campaign, or to several rigs and none is named.
    """
    rig = _rig_of(home, campaign, run, rig)
    own = (
        row["item"]
        for row in FolderReader(home.control, home.lake).rows(campaign, ["source"], run)
        if row["rig"] == rig
    )
    return frozenset([*_listed(home, rig, run), *own])


def _rig_of(home: Home, campaign: str, run: str, rig: str | None) -> str:
    query = select(Assignment.rig).where(Assignment.campaign == campaign, Assignment.run == run)
    with home.control.read() as connection:
        rigs = list(connection.execute(query.order_by(Assignment.rig)).scalars())
    found = [name for name in rigs if rig in (None, name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise ThermiteError(f"run {run} is assigned on several rigs: {', '.join(found)}", do="name one with --rig")
    where = "" if rig is None else f" on rig {rig}"
    raise ThermiteError(f"control assigned no run {run}{where} to campaign {campaign}", do="look at `thermite folders`")


def _listed(home: Home, rig: str, run: str) -> list[str]:
    with SyncFolder(home.settings.sync, rig, run, FOLDER) as folder:
        descriptor = folder.open_file(NAME)
        if descriptor is None:
            return []
        try:
            return [json.loads(entry.line)["item"] for entry in Manifest(descriptor).entries()]
        finally:
            os.close(descriptor)
