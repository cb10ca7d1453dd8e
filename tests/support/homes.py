"""Homes for tests: an inbox, a lake and control's record, on SQLite or PostgreSQL, without Dagster."""

import shutil
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import select

from tests.support.rigs import RigSimulator, seed_of
from thermite_pipelines.control import campaigns, rigs
from thermite_pipelines.control.db import Control
from thermite_pipelines.control.models import Receipt
from thermite_pipelines.intake.events import EventWriter, Written
from thermite_pipelines.intake.receipts import Intake, Taken
from thermite_pipelines.knowledge.home import Home as OpenHome
from thermite_pipelines.settings import Settings
from thermite_pipelines.tables.lake import Lake
from thermite_pipelines.tables.parquet import decode, to_rows
from thermite_pipelines.tables.schemas import LAKE_SCHEMA

_READY = Path("ready-control.db")


@dataclass
class Home:
    """A migrated home. `rig` makes a registered rig, `take` and `write` are the two steps of intake, `intake` both."""

    settings: Settings
    by: str = "tester"
    simulators: dict[str, RigSimulator] = field(default_factory=dict)

    @cached_property
    def control(self) -> Control:
        """Control's record."""
        return Control(self.settings.control)

    @cached_property
    def lake(self) -> Lake:
        """The lake."""
        return Lake(self.settings.lake)

    @cached_property
    def opened(self) -> OpenHome:
        """The home as commands and assets open it."""
        return OpenHome(self.settings, self.control, self.lake)

    def rig(self, name: str = "rig-a", *, register: bool = True) -> RigSimulator:
        """The simulated rig of a name; the first call registers its key with control, unless `register` is false."""
        if name not in self.simulators:
            self.simulators[name] = RigSimulator(name, self.settings.inbox / name)
            self.simulators[name].inbox.mkdir(parents=True, exist_ok=True)
            if register:
                self.add_key(name, self.simulators[name].public_key)
        return self.simulators[name]

    def add_key(self, rig: str, public_key: str | None = None) -> None:
        """Register a key (default: the one that a simulator of the name uses)."""
        key = public_key or RigSimulator(rig, self.settings.inbox / rig, seed=seed_of(rig)).public_key
        with self.control.write() as connection:
            rigs.add_key(connection, rig, key, self.by)

    def revoke_key(self, rig: str, keyid: str | None = None) -> None:
        """Revoke a key (default: the simulator's) from now on."""
        with self.control.write() as connection:
            rigs.revoke_key(connection, rig, keyid or self.rig(rig).keyid, self.by)

    def campaign(self, *names: str) -> None:
        """Make control know campaigns."""
        with self.control.write() as connection:
            for name in names:
                campaigns.add_campaign(connection, name, None, self.by)

    def take(self, rig: str = "rig-a") -> Taken:
        """Take the rig's inbox: receipts and chains, no events yet."""
        return Intake(self.control, self.lake, self.settings).take(rig)

    def write(self, rig: str = "rig-a") -> Written:
        """Write the events of accepted reports, reading them from the lake."""
        return EventWriter(self.control, self.lake, rig).write()

    def intake(self, rig: str = "rig-a") -> Taken:
        """Take the rig's inbox and write the events, as one run of the pipeline does."""
        intake = Intake(self.control, self.lake, self.settings)
        taken = intake.take(rig)
        EventWriter(self.control, self.lake, rig, intake.cache).write()
        return taken

    def receipts(self, **where: Any) -> list[dict[str, Any]]:
        """Receipts as dicts in order of their numbers; `where` are columns that must have these values."""
        query = select(Receipt).order_by(Receipt.receipt).filter_by(**where)
        with self.control.read() as connection:
            return [dict(row._mapping) for row in connection.execute(query)]

    def outcomes(self, rig: str = "rig-a") -> dict[str, str]:
        """What became of each file of a rig: by file name its outcome, or its reason where it is quarantined."""
        return {row["name"]: row["reason"] or row["outcome"] for row in self.receipts(rig=rig)}

    def events(self, rig: str = "rig-a", table: str = "events") -> list[dict[str, Any]]:
        """Rows of an event table of a rig, in order of files."""
        files = self.lake.list(f"{table}/rig={rig}")
        return [row for entry in files for row in to_rows(decode(self.lake.get(entry.path)))]

    def files(self, prefix: str) -> dict[str, bytes]:
        """The bytes of all files of the lake below a folder, by path."""
        return {entry.path: self.lake.get(entry.path) for entry in self.lake.list(prefix)}

    def close(self) -> None:
        """Close the connections."""
        self.control.engine.dispose()


def make_settings(path: Path, **changes: Any) -> Settings:
    """Settings of a home at `path`, free of the surroundings: nothing settles for long, any disk has room enough."""
    base = Settings(home=path, settle_seconds=0, min_free_bytes=1)
    return base.model_copy(update=changes)


def make_ready(folder: Path) -> Path:
    """Migrate one empty SQLite record that homes are copied from, since a copy costs less than a migration."""
    path = folder / _READY
    control = Control(f"sqlite:///{path}")
    control.migrate(LAKE_SCHEMA)
    control.engine.dispose()
    return path


def make_home(path: Path, ready: Path | None = None, control_url: str = "", **changes: Any) -> Home:
    """A home at `path`, with a copy of the SQLite record `ready`, or with the migrated record at `control_url`."""
    path.mkdir(parents=True, exist_ok=True)
    home = Home(make_settings(path, control_url=control_url, **changes))
    if ready is not None and not control_url:
        shutil.copyfile(ready, path / "control.db")
    return home
