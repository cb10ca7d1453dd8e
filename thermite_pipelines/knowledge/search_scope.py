"""What the agents of one run see: what the sync of the run lists, and the sources that the run itself archived.

Which texts of a segment those are is worked out once for each manifest and segment: neither changes once made.
"""

import json
import os
import threading
from collections import OrderedDict
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from thermite_pipelines.control.assignments import assigned_campaign
from thermite_pipelines.control.models import Assignment
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.index.folder_view import Piece
from thermite_pipelines.knowledge.index.segments import Segment, key_of
from thermite_pipelines.knowledge.sync_files import SyncFolder, file_version
from thermite_pipelines.knowledge.sync_manifest import NAME, BadManifest, Manifest
from thermite_pipelines.knowledge.sync_writer import FOLDER

Mask = NDArray[np.bool_]

_KEPT = 32
_lock = threading.Lock()
_seen: "OrderedDict[tuple[str, str, str], Seen]" = OrderedDict()


class Seen:
    """What a run's agents see while one manifest counts; `listed`: what that lists, None before the first sync."""

    def __init__(self, rig: str, run: str, campaign: str, listed: frozenset[str] | None) -> None:
        ids = frozenset() if listed is None else listed
        self.campaign = campaign
        self.ids = ids
        self.is_synced = listed is not None
        self._rig = rig
        self._run = run
        self._keys = np.array(sorted(map(key_of, ids)), np.uint64)
        self._masks: WeakKeyDictionary[Segment, Mask] = WeakKeyDictionary()

    def texts(self, piece: Piece) -> Mask:
        """Which texts of a piece are seen."""
        found = self._masks.get(piece.segment)
        if found is None:
            found = self._texts(piece)
            self._masks[piece.segment] = found
        return found

    def _texts(self, piece: Piece) -> Mask:
        segment = piece.segment
        listed = np.isin(segment.arrays["key"], self._keys)
        if piece.campaign != self.campaign:
            return listed
        own = segment.codes("kind", "source") & segment.codes("rig", self._rig) & segment.codes("run", self._run)
        return listed | own


def seen_by(home: Home, rig: str, run: str) -> Seen:
    """What the agents of a rig's run see now.

    Raises `ThermiteError` where control assigned the rig no such run, and where the run's manifest can't be read.
    """
    with home.control.read() as connection:
        campaign = assigned_campaign(connection, rig, run)
    with SyncFolder(home.settings.sync, rig, run, FOLDER) as folder:
        descriptor = folder.open_file(NAME)
        try:
            version = "" if descriptor is None else file_version(os.fstat(descriptor))
            key = (str(folder.path), campaign, version)
            with _lock:
                known = _seen.get(key)
                if known is not None:
                    _seen.move_to_end(key)
                    return known
            found = Seen(rig, run, campaign, None if descriptor is None else _listed(descriptor))
        finally:
            if descriptor is not None:
                os.close(descriptor)
    with _lock:
        _seen[key] = found
        while len(_seen) > _KEPT:
            _seen.popitem(last=False)
    return found


def _listed(descriptor: int) -> frozenset[str]:
    """The ids of a manifest that is open for reading. Raises `BadManifest`."""
    try:
        return frozenset(json.loads(entry.line)["item"] for entry in Manifest(descriptor).entries())
    except (ValueError, KeyError):
        raise BadManifest("an entry of the manifest is not as it was written") from None


def rig_of(home: Home, campaign: str, run: str, rig: str | None = None) -> str:
    """The rig of a run of a campaign.

    Raises `ThermiteError` where control assigned no such run to the campaign, or to several rigs and none is named.
    """
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
