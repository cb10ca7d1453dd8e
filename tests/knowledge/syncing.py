"""What tests of the sync share: a home whose runs are synced, and its folders read back without the code under test."""

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml
from sqlalchemy import update

from tests.knowledge.exporting import ExportHome
from thermite_pipelines.control import campaigns
from thermite_pipelines.control.models import SyncState
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.sync import Synced, Syncer

BESIDES = {"README.md", ".manifest.json"}


@dataclass
class SyncHome(ExportHome):
    """A home in which events are said and folded, and the folders of runs synced, one call each."""

    @cached_property
    def syncer(self) -> Syncer:
        return Syncer(open_home(self.home.settings))

    def run(self, run: str, campaign: str, rig: str = "rig-a", notes: int = 2) -> None:
        """Assign a run, and let it record a few notes that are in the folder then."""
        self.rig(rig).say_run(run)
        self.assign(run, campaign, rig)
        self.note(run, *[f"{run} saw that batch {number} is warm" for number in range(notes)], rig=rig)

    def note(self, run: str, *texts: str, rig: str = "rig-a") -> None:
        """Record notes of a run and fold them."""
        for text in texts:
            self.rig(rig).say_note(text, run=run)
        self.send(rig)
        self.fold()

    def finish(self, run: str, rig: str = "rig-a") -> None:
        self.rig(rig).say("run_finished", {"outcome": "completed"}, run=run)
        self.send(rig)
        self.fold()

    def grant(self, reader: str, source: str) -> None:
        with self.home.control.write() as connection:
            campaigns.grant(connection, reader, source, "owner")

    def revoke(self, reader: str, source: str) -> None:
        with self.home.control.write() as connection:
            campaigns.revoke(connection, reader, source, "owner")

    def sync(self, *, check: bool = False) -> dict[str, tuple[int, int, int]]:
        """Sync all; by run the files written, removed, unchanged."""
        return {one.run: counts(one) for one in self.syncer.sync_all(check=check)}

    def whys(self) -> dict[str, str]:
        """By run why it is due for a sync."""
        return {due.run: due.why for due in self.syncer.due()}

    def change_state(self, run: str, **values: Any) -> None:
        """Change what control's record says of the last sync of a run."""
        with self.home.control.write() as connection:
            connection.execute(update(SyncState).where(SyncState.run == run).values(**values))

    def knowledge(self, run: str, rig: str = "rig-a") -> Path:
        return self.home.settings.sync / rig / run / "knowledge"

    def files(self, run: str, rig: str = "rig-a") -> dict[str, bytes]:
        """All files of a run's folder by path, README and manifest too."""
        return tree(self.knowledge(run, rig))

    def texts(self, run: str, rig: str = "rig-a") -> set[str]:
        """The texts of the notes in a run's folder."""
        return {text for head, text in self.synced_items(run, rig) if head["kind"] == "note"}

    def synced_items(self, run: str, rig: str = "rig-a") -> list[tuple[dict[str, str], str]]:
        """Head and text of each item file."""
        return [parse(data) for path, data in self.files(run, rig).items() if path not in BESIDES]

    def manifest(self, run: str, rig: str = "rig-a") -> dict[str, Any]:
        return json.loads((self.knowledge(run, rig) / ".manifest.json").read_bytes())


def counts(synced: Synced) -> tuple[int, int, int]:
    return synced.written, synced.removed, synced.unchanged


def tree(folder: Path) -> dict[str, bytes]:
    """The bytes of every file below a folder, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }


def parse(data: bytes) -> tuple[dict[str, str], str]:
    """Head and text of an item file, as any reader of Markdown with a YAML head takes them apart."""
    start, head, text = data.decode().split("---\n", 2)
    assert start == "" and text.startswith("\n")
    return yaml.safe_load(head), text[1:]
