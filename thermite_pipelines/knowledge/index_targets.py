"""Which search indexes are behind their folders, told by control's record and each index's manifest alone."""

import hashlib
from pathlib import Path

import msgspec
from sqlalchemy import Connection, func, select

from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.control.models import CampaignState
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.settings import Settings

FORMAT = 2
"""Raised when the index of the same rows is another: older ones are made anew."""
MANIFEST = "manifest.json"


class _File(msgspec.Struct):
    name: str
    bytes: int


class _Part(msgspec.Struct):
    words: _File
    vectors: _File | None = None
    gone: _File | None = None


class Held(msgspec.Struct):
    """What of a manifest tells whether the index is behind."""

    format: int = 0
    model: str = ""
    sources: dict[str, str] = {}
    parts: tuple[_Part, ...] = ()

    @property
    def without_vectors(self) -> int:
        """How many segments wait for their vectors."""
        return sum(part.vectors is None for part in self.parts) if self.model else 0

    def is_there(self, folder: Path) -> bool:
        """Whether all files are there in their sizes."""
        files = [file for part in self.parts for file in (part.words, part.vectors, part.gone) if file is not None]
        try:
            return all((folder / file.name).stat().st_size == file.bytes for file in files)
        except OSError:
            return False


def index_folder(settings: Settings, campaign: str) -> Path:
    """Where the index of a folder is kept."""
    return settings.home / "index" / "knowledge" / f"campaign={campaign}"


def index_scope(campaign: str) -> str:
    """Whose lease guards the index of a folder."""
    return f"index:{campaign}"


def held(settings: Settings, campaign: str) -> Held:
    """What a manifest says; nothing where there is none that can be read, or files of the index are gone."""
    folder = index_folder(settings, campaign)
    try:
        data = (folder / MANIFEST).read_bytes()
        found = msgspec.json.decode(data, type=Held)
    except (OSError, msgspec.MsgspecError, ValueError):
        return Held()
    return found if found.format == FORMAT and found.is_there(folder) else Held()


def indexes_behind(home: Home, *, older_than: int | None = None) -> dict[str, str]:
    """By campaign, a hash of what its index is to hold, where that is not what it holds.

    A campaign without a text needs no index. A file that somebody is writing is not looked at. With `older_than`
    (microseconds) only of those whose folder and index both are as they are since before that time.
    """
    with home.control.read() as connection:
        changed = {} if older_than is None else _changed(connection)
        return {
            name: target
            for name in campaign_names(connection)
            if older_than is None or max(changed.get(name, 0), _written(home.settings, name)) < older_than
            if (target := _target(home, connection, name)) is not None
        }


def _changed(connection: Connection) -> dict[str, int]:
    """When each campaign's folder, or a table of texts that is derived of it, last became another, in microseconds."""
    folders = select(CampaignState.campaign, CampaignState.refreshed_at)
    derived = select(DerivedState.campaign, func.max(DerivedState.changed_at)).group_by(DerivedState.campaign)
    found: dict[str, int] = {}
    # Calls of models are no texts: while they go on, what else is behind is still behind.
    for query in (folders, derived.where(DerivedState.name != "model_calls")):
        for campaign, moment in connection.execute(query):
            found[campaign] = max(found.get(campaign, 0), moment or 0)
    return found


def _written(settings: Settings, campaign: str) -> int:
    """When a manifest was written, in microseconds; 0 where there is none."""
    try:
        return (index_folder(settings, campaign) / MANIFEST).stat().st_mtime_ns // 1_000
    except OSError:
        return 0


def _target(home: Home, connection: Connection, campaign: str) -> str | None:
    # Loaded here: with Parquet comes all that opens sockets.
    from thermite_pipelines.knowledge.index.texts import sources

    wanted = {source.path: source.content for source in sources(connection, campaign)}
    index = held(home.settings, campaign)
    has = index.sources
    is_behind = any(content is not None and has.get(path) != content for path, content in wanted.items())
    if not is_behind and has.keys() <= wanted.keys() and not index.without_vectors:
        return None
    lines = sorted(f"{path} {content}" for path, content in wanted.items())
    # Each run makes some vectors of those that wait: another target is no further attempt at the same.
    lines.append(str(index.without_vectors))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
