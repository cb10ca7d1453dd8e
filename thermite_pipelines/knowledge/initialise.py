"""Making a home, or bringing one to this version: folders, control's record, control's key, Dagster's settings."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from thermite_pipelines.control import audit
from thermite_pipelines.control.commands import ensure_control_key
from thermite_pipelines.control.db import HEAD_REVISION, Control
from thermite_pipelines.settings import Settings
from thermite_pipelines.tables import LAKE_SCHEMA
from thermite_pipelines.tables.lake import Lake, disk_error, write_atomic


@dataclass(frozen=True)
class Initialised:
    """An initialised home: the public half of control's key, and whether anything had to be made.

    `migrated`: the versions that control's record was brought from and to; None where it was new, or of this version.
    """

    home: Path
    public_key: str
    keyid: str
    changed: bool
    migrated: tuple[str, str] | None = None


def initialise(settings: Settings) -> Initialised:
    """Make what a home needs and does not have; safe to repeat, and nothing that exists is overwritten.

    Raises `ThermiteError` where the disk or the record can't be written, or the record is of a newer version.
    """
    control = Control(settings.control)
    before = control.revision()
    # First of all: a record of a newer version is refused before anything is touched.
    changed = control.migrate(LAKE_SCHEMA)
    for folder in _folders(settings):
        changed |= _make_folder(folder)
    changed |= write_dagster_settings(settings.dagster_home)
    public_key, keyid, made = ensure_control_key(settings)
    changed |= made
    if changed:
        with control.write() as connection:
            audit.record(connection, audit.whoami(), "init", str(settings.home), keyid=keyid)
    migrated = None if before is None or before == HEAD_REVISION else (before, HEAD_REVISION)
    return Initialised(settings.home, public_key, keyid, changed, migrated)


def _folders(settings: Settings) -> list[Path]:
    folders = [
        settings.home,
        settings.inbox,
        settings.commands,
        settings.sync,
        settings.exports,
        settings.imports,
        settings.kits,
        settings.dagster_home,
    ]
    lake = Lake(settings.lake)
    return [*folders, lake.local("")] if lake.is_local else folders


def _make_folder(folder: Path) -> bool:
    if folder.is_dir():
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise disk_error(folder, error) from None
    return True


def write_dagster_settings(folder: Path) -> bool:
    """Write settings into a Dagster home that has none (a person may have edited them); return whether it did."""
    path = folder / "dagster.yaml"
    if path.exists():
        return False
    write_atomic(path, files("thermite_pipelines").joinpath("resources/dagster.yaml").read_bytes())
    return True
