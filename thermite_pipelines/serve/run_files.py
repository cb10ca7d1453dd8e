"""What a rig fetches for a run of its own: the run's knowledge, its briefs, its signed command.

Only what control made is handed out: a file is compared with the hash that control wrote down when it made it. What
was made for another campaign than the run has now, or holds a folder that is granted no longer, is not handed out until
the next sync has put it right.
"""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import select

from thermite_pipelines.control.assignments import assigned_campaign
from thermite_pipelines.control.channel_models import BriefState
from thermite_pipelines.control.commands import sign_command
from thermite_pipelines.control.models import Assignment
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.brief_runs import hidden_picks
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.readable import folders_of
from thermite_pipelines.knowledge.sync_files import SyncFolder, file_version
from thermite_pipelines.knowledge.sync_manifest import NAME, BadManifest, Manifest
from thermite_pipelines.knowledge.sync_writer import README
from thermite_pipelines.names import RUN, is_document_path
from thermite_pipelines.serve.problems import Refusal

KNOWLEDGE = "knowledge"
BRIEFS = "briefs"
WAIT_SECONDS = 30
_READER = re.compile(r"lane-[1-9][0-9]{0,3}|planner|teachers|auditor|panel", re.ASCII)


@dataclass(frozen=True)
class Served:
    """Bytes to hand out, and the tag that changes when they do; no bytes where whoever asks has them already."""

    data: bytes | None
    etag: str


@dataclass(frozen=True)
class Place:
    """A run that control assigned to a rig, and the campaign that it has now."""

    rig: str
    run: str
    campaign: str


def place_of(home: Home, rig: str, run: str) -> Place:
    """The place of a rig's run. Raises `Refusal` (404, audited) where control assigned the rig no such run."""
    if not RUN.fullmatch(run):
        raise _not_there(audited=True)
    with home.control.read() as connection:
        try:
            return Place(rig, run, assigned_campaign(connection, rig, run))
        except ThermiteError as error:
            if error.__cause__ is not None:
                raise
            raise _not_there(audited=True) from None


def runs_of(home: Home, rig: str, known: str | None = None) -> Served:
    """The runs that control assigned to a rig, oldest first, each with its campaign and its command; as JSON."""
    query = select(Assignment).where(Assignment.rig == rig).order_by(Assignment.assigned_at, Assignment.run)
    with home.control.read() as connection:
        runs = [
            {
                "run": row.run,
                "campaign": row.campaign,
                "command": row.command["command"],
                "id": row.command["id"],
                "at": row.command["at"],
            }
            for row in connection.execute(query)
        ]
    return served(json.dumps({"runs": runs}, ensure_ascii=False).encode(), known)


def command(home: Home, place: Place, known: str | None = None) -> Served:
    """The signed command of a run, as control's record has it; `known` as `knowledge_file`."""
    query = select(Assignment.command).where(Assignment.rig == place.rig, Assignment.run == place.run)
    with home.control.read() as connection:
        payload = connection.execute(query).scalar()
    if payload is None:
        raise _not_there()
    return served(sign_command(home.settings, payload), known)


@contextlib.contextmanager
def manifest(home: Home, place: Place) -> Iterator[tuple[int, str]]:
    """A descriptor of a run's manifest, and its tag. Raises `Refusal` where there is none that may be handed out."""
    with (
        SyncFolder(home.settings.sync, place.rig, place.run, KNOWLEDGE) as folder,
        _listed(home, place, folder) as found,
    ):
        descriptor, _ = found
        yield descriptor, hashlib.sha256(file_version(os.fstat(descriptor)).encode()).hexdigest()[:32]


def knowledge_file(home: Home, place: Place, path: str, known: str | None = None) -> Served:
    """One file of a run's knowledge; without bytes where its tag is among those `known` (an `If-None-Match` header).

    Raises `Refusal` for any file that the manifest does not list.
    """
    if not is_document_path(path):
        raise _not_there()
    with SyncFolder(home.settings.sync, place.rig, place.run, KNOWLEDGE) as folder:
        if path == README:
            with _listed(home, place, folder):
                data = folder.read(path)
            if data is None:
                raise _not_there()
            return served(data, known)
        for _ in range(2):
            with _listed(home, place, folder) as (_, listed):
                entry = listed.find(path)
                if entry is None:
                    raise _not_there()
                sha256 = entry.sha256
            if matches(known, sha256):
                return Served(None, sha256)
            data = folder.read(path)
            if data is not None and hashlib.sha256(data).hexdigest() == sha256:
                return Served(data, sha256)
        # Being written just now, or changed by another hand: the next sync or check puts it right.
        raise _later()


def brief(home: Home, place: Place, name: str, known: str | None = None) -> Served:
    """A reader's brief (`<reader>`, `<reader>.md`), or what it lists (`<reader>.json`); `known` as `knowledge_file`."""
    ending = ".json" if name.endswith(".json") else ".md"
    reader = name.removesuffix(ending)
    if not _READER.fullmatch(reader):
        raise _not_there()
    query = select(BriefState).where(BriefState.rig == place.rig, BriefState.run == place.run)
    with home.control.read() as connection:
        state = connection.execute(query).first()
        hidden = hidden_picks(connection, place.rig, place.run, place.campaign)
    if state is None or f"{reader}{ending}" not in state.files:
        raise _not_there()
    if state.campaign != place.campaign:
        raise _later()
    sha256 = state.files[f"{reader}{ending}"]
    if not hidden and matches(known, sha256):
        return Served(None, sha256)
    with SyncFolder(home.settings.sync, place.rig, place.run, BRIEFS) as folder:
        data, listed = (_as_written(folder, one, state.files) for one in (f"{reader}{ending}", f"{reader}.json"))
    if not hidden.isdisjoint(json.loads(listed)["items"]):
        raise _later()
    return Served(None if matches(known, sha256) else data, sha256)


def _as_written(folder: SyncFolder, name: str, files: dict[str, str]) -> bytes:
    """A file of briefs, as control wrote it. Raises `Refusal` where it is not so now."""
    data = folder.read(name)
    if data is None or hashlib.sha256(data).hexdigest() != files.get(name):
        raise _later()
    return data


def matches(known: str | None, etag: str) -> bool:
    """Whether an `If-None-Match` header names a tag (RFC 9110, 13.1.2: weakly compared)."""
    if known is None:
        return False
    tags = [part.strip().removeprefix("W/") for part in known.split(",")]
    return "*" in tags or f'"{etag}"' in tags


@contextlib.contextmanager
def _listed(home: Home, place: Place, folder: SyncFolder) -> Iterator[tuple[int, Manifest]]:
    """A run's manifest, with its descriptor, where it is of what the run may read now."""
    descriptor = folder.open_file(NAME)
    if descriptor is None:
        raise _not_there()
    try:
        try:
            listed = Manifest(descriptor)
        except BadManifest:
            raise _later() from None
        with home.control.read() as connection:
            readable = folders_of(connection, place.campaign)
        if listed.campaign != place.campaign or not set(listed.counts) <= set(readable):
            raise _later()
        yield descriptor, listed
    finally:
        os.close(descriptor)


def served(data: bytes, known: str | None) -> Served:
    """Bytes with a tag that is their hash; without them where the tag is known."""
    sha256 = hashlib.sha256(data).hexdigest()
    return Served(None if matches(known, sha256) else data, sha256)


def _not_there(*, audited: bool = False) -> Refusal:
    return Refusal(404, "there is nothing here", audited=audited)


def _later() -> Refusal:
    return Refusal(503, "this is being brought up to date; ask again", headers={"Retry-After": str(WAIT_SECONDS)})
