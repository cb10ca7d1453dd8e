"""Every THERMITE_* setting with its default, in one typed class.

Settings come from the environment or a `.env` file in the current directory. A value that makes no sense is a
`ThermiteError` that names the setting, raised when the settings are loaded.
"""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
)

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.names import CAMPAIGN

PositiveInt = Annotated[int, Field(gt=0)]
PositiveFloat = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
NotNegativeInt = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

logger = logging.getLogger(__name__)

_PREFIX = "THERMITE_"

TYPE_WEIGHTS = {
    "correction": 1.15,
    "mental_model": 1.10,
    "finding": 1.00,
    "decision": 1.00,
    "pattern": 1.00,
    "open_question": 0.85,
    "workflow": 1.05,
    "gestalt": 1.10,
}
"""What the score of an atom is multiplied with, by its type."""
SOURCE_WEIGHTS = {"campaign": 1.3, "person": 1.2, "company": 1.0}
"""The same by its source: `campaign` is the reader's own; all that is neither that nor a person's counts as company."""


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
    serve_requests_per_minute: PositiveInt = Field(
        default=6000, description="requests that the service answers for one token in a minute"
    )
    lag_warn_seconds: PositiveInt = Field(default=900, description="a campaign behind for longer fails a check")
    fatal_help_warn_seconds: PositiveInt = Field(
        default=3600, description="a fatal help request open for longer fails a check"
    )
    results_repo: Path | None = Field(default=None, description="a git repository that receives exports")
    llm_model: str = Field(default="rules", min_length=1, description="`rules` (no network), or a litellm model name")
    llm_small_model: str = Field(default="", description="the model for extraction; default the same")
    llm_fallbacks: str = Field(default="", description="models to ask where the first can't be had, by comma")
    llm_api_base: str = Field(default="", description="address of an OpenAI-compatible server")
    llm_price: str = Field(default="", description="`in,out`: USD for a million tokens, where litellm knows no price")
    llm_budget_usd: PositiveFloat | None = Field(default=None, description="most that one Dagster run may spend")
    llm_concurrency: PositiveInt = Field(default=4, description="questions asked at the same time")
    llm_timeout_seconds: PositiveFloat = Field(default=120.0, description="longest wait for one answer")
    llm_deadline_seconds: PositiveFloat = Field(default=600.0, description="longest wait for a question, all attempts")
    embed_model: str = Field(
        default="use-multilingual-v3", min_length=1, description="the embedding model, built in or litellm's"
    )
    embed_api_base: str = Field(default="", description="address of an OpenAI-compatible server of embeddings")
    transcripts: str = Field(default="", description="`DIR` or `CAMPAIGN=DIR`, several with `;`: other tools' sessions")
    atom_weight: PositiveFloat = Field(default=1.0, description="weight of every atom against the threshold")
    atom_type_weights: str = Field(default="", description="`type=weight` by comma, for types other than documented")
    atom_source_weights: str = Field(
        default="", description="`campaign=`, `person=`, `company=` and a weight, by comma"
    )
    atom_threshold: NotNegative = Field(default=0.0, description="atoms that score lower are not shown")
    methodology_min_score: Share = Field(default=0.15, description="methodologies that score lower are not offered")
    reflect_propose_cap: NotNegativeInt = Field(default=1, description="new methodologies that one answer may bring")
    reflect_novelty_threshold: Share | None = Field(
        default=None, description="a methodology nearer to another is refused; default the embedding model's own"
    )
    discovery_effort_default: Literal["normal", "medium", "high"] = Field(
        default="normal", description="effort of a session that names none: normal spends nothing on discovery"
    )
    discovery_bridge: Literal["domain", "entity", "both"] = Field(
        default="both", description="what discovery brings facts together by"
    )
    discovery_confidence_threshold: Share = Field(default=0.5, description="proposals below it are dropped; 0: none")
    discovery_blast_radius_threshold: NotNegativeInt = Field(
        default=1, description="facts that rest on a premise at least; 0: no such limit"
    )

    @field_validator("home", "results_repo", "llm_budget_usd", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: Any, info: ValidationInfo) -> Any:
        """An empty path counts as not set, as an empty URL does: else it would mean the current directory."""
        return cls.model_fields[info.field_name or ""].default if value == "" else value

    @field_validator("discovery_effort_default", "discovery_bridge", mode="before")
    @classmethod
    def _empty_word_is_unset(cls, value: Any, info: ValidationInfo) -> Any:
        return cls.model_fields[info.field_name or ""].default if value == "" else value

    @field_validator("reflect_propose_cap", "reflect_novelty_threshold", mode="wrap")
    @classmethod
    def _falls_back(cls, value: Any, check: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        """What limits new methodologies is no reason to stop: a value that makes no sense is as good as none."""
        try:
            return check(value)
        except ValidationError:
            name = info.field_name or ""
            logger.warning("%s%s makes no sense, so it counts as not set", _PREFIX, name.upper())
            return cls.model_fields[name].default

    @field_validator("llm_model", "llm_small_model", "llm_api_base", "embed_model", "embed_api_base", mode="before")
    @classmethod
    def _is_stripped(cls, value: Any) -> Any:
        return value.strip() if isinstance(value, str) else value

    @field_validator("llm_api_base", "embed_api_base")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (parts.scheme not in ("http", "https") or not parts.hostname):
            raise ValueError("give an address such as http://127.0.0.1:8000/v1")
        return value

    @field_validator("llm_fallbacks")
    @classmethod
    def _are_names(cls, value: str) -> str:
        if value and not all(part.strip() for part in value.split(",")):
            raise ValueError("give names of models with one comma between two")
        return value

    @field_validator("llm_price")
    @classmethod
    def _is_a_price(cls, value: str) -> str:
        """Two numbers, none below zero."""
        if value:
            parse_price(value)
        return value

    @field_validator("transcripts")
    @classmethod
    def _are_folders(cls, value: str) -> str:
        parse_transcripts(value)
        return value

    @field_validator("atom_type_weights", "atom_source_weights")
    @classmethod
    def _are_weights(cls, value: str, info: ValidationInfo) -> str:
        parse_weights(value, TYPE_WEIGHTS if info.field_name == "atom_type_weights" else SOURCE_WEIGHTS)
        return value

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
    def help(self) -> Path:
        """Where help requests and learnings are kept, as JSON lines."""
        return self.home / "help"

    @property
    def exports(self) -> Path:
        """Where exports are written, one folder a rig."""
        return self.home / "exports"

    @property
    def imports(self) -> Path:
        """Where importers remember what they have sent."""
        return self.home / "imports"

    @property
    def kits(self) -> Path:
        """Where the owner writes kits, one file each."""
        return self.home / "kits"

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
        if self.transcripts:
            folders = [(name, path.absolute()) for name, path in parse_transcripts(self.transcripts)]
            values["transcripts"] = ";".join(f"{name}={path}" if name else str(path) for name, path in folders)
        if self.results_repo is not None:
            values["results_repo"] = self.results_repo.expanduser().absolute()
        return {f"THERMITE_{name.upper()}": str(value) for name, value in values.items() if value not in (None, "")}


def parse_price(value: str) -> tuple[float, float]:
    """USD for a million tokens sent and for a million answered, of `in,out`. Raises `ValueError` for anything else."""
    try:
        prices = [float(part) for part in value.split(",")]
    except ValueError:
        prices = []
    if len(prices) != 2 or not all(0 <= price < float("inf") for price in prices):
        raise ValueError("give two numbers, USD for a million tokens: `in,out`")
    return prices[0], prices[1]


def parse_transcripts(value: str) -> list[tuple[str | None, Path]]:
    """Folders of transcripts, each with its campaign (None: a plain folder), of `DIR` or `CAMPAIGN=DIR` with `;`.

    Raises `ValueError` for an empty folder or what is no campaign name.
    """
    found: list[tuple[str | None, Path]] = []
    for part in filter(None, (part.strip() for part in value.split(";"))):
        name, sign, place = part.partition("=")
        # A folder may have an equals sign in its own name: a campaign has neither dot nor separator.
        campaign = name.strip() if sign and "/" not in name and not name.startswith((".", "~")) else None
        if campaign is not None and not CAMPAIGN.fullmatch(campaign):
            raise ValueError(f"{campaign[:40]!r} is no campaign name")
        folder = place.strip() if campaign is not None else part
        if not folder:
            raise ValueError("a folder is missing after `=`")
        found.append((campaign, Path(folder).expanduser()))
    return found


def parse_weights(value: str, defaults: Mapping[str, float]) -> dict[str, float]:
    """The defaults with those changed that `name=weight`, by comma, gives. Raises `ValueError` for anything else."""
    weights = dict(defaults)
    given = set()
    for part in filter(None, (part.strip() for part in value.split(","))):
        name, _, number = part.partition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = 0.0
        if name.strip() not in weights or name.strip() in given or not 0 < weight < float("inf"):
            raise ValueError(f"give `name=weight` once each, above 0, with names of {', '.join(defaults)}")
        weights[name.strip()] = weight
        given.add(name.strip())
    return weights


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
            f"{name} is {str(first['input'])[:60]!r}: {first['msg'].removeprefix('Value error, ')}",
            do="correct the setting",
        ) from None
    return settings.model_copy(update={"home": settings.home.expanduser().absolute()})
