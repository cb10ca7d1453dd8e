"""What tests of exports share: a home with rigs and runs of every kind, and reading exports back."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.homes import Home
from tests.support.rigs import RigSimulator
from thermite_pipelines.control import assignments, campaigns
from thermite_pipelines.control.assignments import Request, Words
from thermite_pipelines.knowledge.exports import Exported, Exporter
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.reader import FolderReader

PAGE = "Warm caches cut the first query from 41 ms to 9 ms."


@dataclass
class ExportHome:
    """A home in which reports are taken, runs assigned, folders folded and exports made, one call each."""

    home: Home

    def rig(self, name: str = "rig-a") -> RigSimulator:
        return self.home.rig(name)

    def send(self, name: str = "rig-a") -> None:
        """Send what the rig has to say, if anything, and take it."""
        if self.rig(name).said:
            self.rig(name).send()
        self.home.intake(name)

    def assign(self, run: str, campaign: str, rig: str = "rig-a", *, move: bool = False) -> None:
        with self.home.control.write() as connection:
            campaigns.add_campaign(connection, campaign, None, "tester")
            request = Request(rig, run, campaign, move=move)
            assignments.assign(connection, request, lambda _: Words([], []), "tester")

    def fold(self, *names: str) -> None:
        """Refresh folders (default: all)."""
        with self.home.control.read() as connection:
            names = names or tuple(campaigns.campaign_names(connection))
        for name in names:
            FolderWriter(self.home.control, self.home.lake, name).refresh()

    def export(self, rig: str = "rig-a") -> Exported:
        return Exporter(open_home(self.home.settings)).export(rig)

    def folder(self, exported: Exported) -> Path:
        return self.home.settings.home / exported.path

    def lines(self, exported: Exported, name: str) -> list[dict[str, Any]]:
        return json_lines(self.folder(exported) / name)

    def all_lines(self, name: str, rig: str = "rig-a") -> list[dict[str, Any]]:
        """The lines of a file of all exports of a rig, in order."""
        folders = sorted((self.home.settings.exports / rig).iterdir())
        return [line for folder in folders for line in json_lines(folder / name)]

    def items(self, *names: str) -> dict[str, dict[str, Any]]:
        """All items of all folders (or of those named), as exports write them."""
        from thermite_pipelines.knowledge.export_files import item_document

        with self.home.control.read() as connection:
            names = names or tuple(campaigns.campaign_names(connection))
        reader = FolderReader(self.home.control, self.home.lake)
        return {row["item"]: json.loads(json.dumps(item_document(row))) for name in names for row in reader.rows(name)}


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n")[:-1]]


def last_versions(lines: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The last version of each item that is in a folder."""
    found = {line["item"]: line for line in lines}
    return {item: line for item, line in found.items() if line["campaign"] is not None}


def tree(folder: Path) -> dict[str, bytes]:
    """The bytes of each file below a folder, by path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def say_source(rig: RigSimulator, source: str = "s1", text: str = PAGE, run: str = "run-1", **fields: Any) -> None:
    data = {"source": source, "url": "https://example.org/a: b", "text": text, "text_sha256": sha256(text)}
    rig.say("source_archived", data | {"fetched_at": "2026-11-29T12:00:00Z"}, run=run, **fields)


def say_document(rig: RigSimulator, path: str, text: str = "# Plan\n", run: str = "run-1") -> None:
    data = {"document": path, "lane": "lane-1", "text": text, "text_sha256": sha256(text)}
    rig.say("document_written", data, run=run)


def say_claim(rig: RigSimulator, claim: str = "c1", source: str = "s1", run: str = "run-1") -> None:
    quotes = [{"source": source, "quote": "from 41 ms to 9 ms"}]
    rig.say("claim_recorded", {"claim": claim, "text": "Caches help.", "quotes": quotes}, run=run)


def say_research_note(rig: RigSimulator, note: str = "r1", source: str = "s1", run: str = "run-1") -> None:
    rig.say("research_note", {"note": note, "text": "Sources agree.", "sources": [source]}, run=run)


def say_report(rig: RigSimulator, report: str = "p1", text: str = "# Report\n\nDone.", run: str = "run-1") -> None:
    rig.say("report_written", {"report": report, "title": "Report", "text": text}, run=run)


def say_experiment(rig: RigSimulator, experiment: str = "x1", run: str = "run-1", **data: Any) -> None:
    rig.say("experiment_queued", {"experiment": experiment, "title": f"Try {experiment}"} | data, run=run)


def say_result(rig: RigSimulator, experiment: str = "x1", run: str = "run-1", **data: Any) -> None:
    rig.say("experiment_finished", {"experiment": experiment, "status": "improved"} | data, run=run)


def finish(rig: RigSimulator, run: str = "run-1", outcome: str = "completed") -> None:
    rig.say("run_finished", {"outcome": outcome}, run=run)
