"""An opened home: its settings, control's record and the lake, together."""

from dataclasses import dataclass
from pathlib import Path

from thermite_pipelines.control.db import Control
from thermite_pipelines.settings import Settings, load_settings
from thermite_pipelines.tables import LAKE_SCHEMA
from thermite_pipelines.tables.lake import Lake


@dataclass(frozen=True)
class Home:
    """What every command and every asset works on."""

    settings: Settings
    control: Control
    lake: Lake


def open_home(settings: Settings | None = None, *, home: Path | str | None = None) -> Home:
    """Open an initialised home.

    Raises `ThermiteError` where a setting makes no sense, the home is not initialised, or it is of another version.
    """
    settings = settings or load_settings(home)
    control = Control(settings.control)
    control.check_ready()
    control.check_lake_schema(LAKE_SCHEMA)
    return Home(settings, control, Lake(settings.lake))
