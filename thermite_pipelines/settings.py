"""Every THERMITE_* setting with its default, in one typed class.

Settings come from the environment or a `.env` file in the current directory. A value that makes no sense is a
`ThermiteError` that names the setting, raised when the settings are loaded.
"""

import os
from pathlib import Path
from typing import Annotated, Any

from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from thermite_pipelines.errors import ThermiteError

PositiveInt = Annotated[int, Field(gt=0)]
PositiveFloat = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]


_PREFIX = "THERMITE_"


class Settings(BaseModel):
    """Where things are, and how often and how much."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    home: Path = Field(default=Path(".thermite"), description="inbox, lake, control's record, sync, exports, Dagster")
    lake_url: str = Field(default="", description="a directory or an object-store URL; default <home>/lake")
    control_url: str = Field(default="", description="SQLAlchemy URL; default sqlite:///<home>/control.db")
    kb_sync_seconds: PositiveInt = Field(default=180, description="longest wait of a running run for its sync")
    sync_grace_seconds: PositiveInt = Field(default=86_400, description="how long a finished run keeps its sync")
    arrival_seconds: PositiveInt = Field(default=15, description="how often the inboxes are looked at")
    settle_seconds: NotNegative = Field(default=2.0, description="age from which a plain file is taken")
    max_report_bytes: PositiveInt = Field(default=64 * 2**20, description="largest envelope after decompression")
    min_free_bytes: PositiveInt = Field(default=2 * 2**30, description="free disk below which intake stops")
    lag_warn_seconds: PositiveInt = Field(default=900, description="a campaign behind for longer fails a check")
    results_repo: Path | None = Field(default=None, description="a git repository that receives exports")

    @field_validator("home", "results_repo", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: Any, info: ValidationInfo) -> Any:
        """An empty path counts as not set, as an empty URL does: else it would mean the current directory."""
        return cls.model_fields[info.field_name or ""].default if value == "" else value

    @property
    def inbox(self) -> Path:
        """Where reports arrive, one folder a rig."""
        return self.home / "inbox"

    @property
    def commands(self) -> Path:
        """Where control's signed commands lie, one folder a rig."""
        return self.home / "commands"

    @property
    def sync(self) -> Path:
        """Where the folders of running runs are kept."""
        return self.home / "sync"

    @property
    def exports(self) -> Path:
        """Where exports are written, one folder a rig."""
        return self.home / "exports"

    @property
    def imports(self) -> Path:
        """Where importers remember what they have sent."""
        return self.home / "imports"

    @property
    def control_key(self) -> Path:
        """Control's Ed25519 seed: 64 hex digits, mode 0600."""
        return self.home / "control.key"

    @property
    def dagster_home(self) -> Path:
        """Dagster's own home."""
        return self.home / "dagster"

    @property
    def lake(self) -> str:
        """The lake's directory or URL."""
        return self.lake_url or str(self.home / "lake")

    @property
    def control(self) -> str:
        """The SQLAlchemy URL of control's record."""
        return self.control_url or f"sqlite:///{self.home / 'control.db'}"

    def environment(self) -> dict[str, str]:
        """These settings as variables for a process in another directory: paths that were relative are absolute."""
        values = {name: getattr(self, name) for name in type(self).model_fields}
        values |= {"lake_url": _absolute(self.lake_url), "control_url": _absolute(self.control_url, "sqlite:///")}
        if self.results_repo is not None:
            values["results_repo"] = self.results_repo.expanduser().absolute()
        return {f"THERMITE_{name.upper()}": str(value) for name, value in values.items() if value not in (None, "")}


def _absolute(place: str, scheme: str = "") -> str:
    """A path, given after a scheme or without one, made absolute; any other URL as it is."""
    path = place.removeprefix(scheme)
    if not path or "://" in path or (scheme and path == place):
        return place
    return f"{scheme}{Path(path).absolute()}"


def _given() -> dict[str, Any]:
    """The settings that the environment or the `.env` file gives, by field; the environment counts for more.

    Read here and not by a settings library: importing one costs each run and each sensor a tenth of a second.
    """
    values = dotenv_values(".env") | dict(os.environ)
    given = {name.upper(): value for name, value in values.items() if value is not None}
    return {name.removeprefix(_PREFIX).lower(): value for name, value in given.items() if name.startswith(_PREFIX)}


def load_settings(home: Path | str | None = None) -> Settings:
    """Read the settings; `home` overrides THERMITE_HOME. The home becomes an absolute path.

    Raises `ThermiteError` that names the first setting whose value makes no sense.
    """
    try:
        settings = Settings.model_validate(_given() | ({} if home is None else {"home": Path(home)}))
    except ValidationError as error:
        first = error.errors()[0]
        name = f"THERMITE_{'_'.join(str(part) for part in first['loc']).upper()}"
        raise ThermiteError(
            f"{name} is {str(first['input'])[:60]!r}: {first['msg']}", do="correct the setting"
        ) from None
    return settings.model_copy(update={"home": settings.home.expanduser().absolute()})
