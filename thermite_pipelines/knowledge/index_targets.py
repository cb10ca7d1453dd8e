"""Which search indexes are behind their folders, told by control's record and each index's manifest alone."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select

from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.control.models import CampaignState
from thermite_pipelines.embeddings.embedder import model_name
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.settings import Settings

FORMAT = 2
"""Raised when the index of the same rows is another: older ones are made anew."""
MANIFEST = "manifest.json"
MARK = "damaged"
"""Stands beside the manifest of an index that was found to be damaged, and names it."""


class Sealed(msgspec.Struct):
    """A manifest as it is written, with a hash by which a changed byte is noticed, and the index is known."""

    format: int = 0
    sha256: str = ""
    manifest: msgspec.Raw = msgspec.Raw(b"null")

    @classmethod
    def of(cls, manifest: Any) -> "Sealed":
        """A manifest, to be written."""
        data = msgspec.json.encode(manifest)
        return cls(FORMAT, _seal(FORMAT, data), msgspec.Raw(data))


def _seal(number: int, data: bytes) -> str:
    return hashlib.sha256(b"%d\n%b" % (number, data)).hexdigest()


def sealed(folder: Path) -> Sealed | None:
    """The manifest of an index; None where there is none, or one of another format.

    Raises `ValueError`, `MsgspecError` and `OSError` for one that is not what was written.
    """
    try:
        found = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Sealed)
    except FileNotFoundError:
        return None
    if found.format != FORMAT and not found.sha256:
        return None
    if found.sha256 != _seal(found.format, bytes(found.manifest)):
        raise ValueError(f"{MANIFEST} is not what was written")
    return found if found.format == FORMAT else None


def is_marked(folder: Path, sha256: str) -> bool:
    """Whether the index of such a manifest was found to be damaged."""
    try:
        return (folder / MARK).read_bytes() == sha256.encode()
    except OSError:
        return False


class _File(msgspec.Struct):
    name: str
    bytes: int


class _Part(msgspec.Struct):
    words: _File
    vectors: _File | None = None
    gone: _File | None = None


class Held(msgspec.Struct):
    """What of a manifest tells whether the index is behind."""

    model: str = ""
    sources: dict[str, str] = {}
    parts: tuple[_Part, ...] = ()
    sha256: str = ""
    """Of the manifest as it was written."""

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
    """What a manifest says; nothing where there is none that can be read, or the index is known to be damaged."""
    folder = index_folder(settings, campaign)
    try:
        written = sealed(folder)
        if written is None or is_marked(folder, written.sha256):
            return Held()
        found = msgspec.json.decode(written.manifest, type=Held)
    except (OSError, msgspec.MsgspecError, ValueError):
        return Held()
    return msgspec.structs.replace(found, sha256=written.sha256) if found.is_there(folder) else Held()


def indexes_behind(home: Home, *, older_than: int | None = None) -> dict[str, str]:
    """By campaign, a hash of what its index is to hold, where that is not what it holds, or its model is another.

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
    index, model = held(home.settings, campaign), model_name(home.settings)
    has = index.sources
    is_behind = any(content is not None and has.get(path) != content for path, content in wanted.items())
    is_behind |= bool(has) and index.model != model
    if not is_behind and has.keys() <= wanted.keys() and not index.without_vectors:
        return None
    lines = sorted(f"{path} {content}" for path, content in wanted.items())
    # Each run makes some vectors of those that wait: another target is no further attempt at the same.
    lines += [model, str(index.without_vectors)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
