"""What tests of briefs share: a home whose runs are briefed, help files put in place, and briefs read back."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sqlalchemy import update

from tests.knowledge.syncing import SyncHome, tree
from tests.support.homes import Home
from thermite_pipelines.control.channel_models import BriefState
from thermite_pipelines.control.commands import ensure_control_key
from thermite_pipelines.knowledge.briefing import assign_run
from thermite_pipelines.knowledge.briefs import Briefer
from thermite_pipelines.knowledge.home import open_home

READERS = ["lane-1", "planner", "teachers", "auditor", "panel"]
ASKED = "## When something is in your way"
LEAVING = "## What later runs should know"


@dataclass
class BriefHome(SyncHome):
    """A home in which runs are started and say things, and their briefs are made, one call each."""

    @cached_property
    def briefer(self) -> Briefer:
        return Briefer(open_home(self.home.settings))

    def start(self, run: str, campaign: str = "a", rig: str = "rig-a", mode: str = "hill_climb", **data: Any) -> None:
        """Assign a run, unless it is, and let it begin; `data` are fields of its `run_created`."""
        self.rig(rig).say_run(run, mode, data=data)
        self.assign(run, campaign, rig)
        self.bring(rig)

    def bring(self, rig: str = "rig-a") -> None:
        """Take what a rig has said and fold it."""
        self.send(rig)
        self.fold()

    def write(
        self, *texts: str, run: str = "r1", by: str = "lane-1", kind: str = "note", rig: str = "rig-a", **data: Any
    ) -> None:
        """Say field notes of a writer; `bring` takes them."""
        sender = self.rig(rig)
        for text in texts:
            note = {"note": f"n{sender.n + 1}", "kind": kind, "text": text} | data
            sender.say("journal_note", note, run=run, by=by)

    def trial(self, lane: str, run: str = "r1", rig: str = "rig-a", **data: Any) -> None:
        """Say that a trial began; `bring` takes it."""
        sender = self.rig(rig)
        trial = {"trial": f"t{sender.n + 1}", "lane": lane, "kind": "code", "runtime": "pi"} | data
        sender.say("trial_started", trial, run=run)

    def pick(self, run: str, *items: str, campaign: str = "a", rig: str = "rig-a") -> None:
        """Assign a run with a briefing."""
        ensure_control_key(self.home.settings)
        self.home.campaign(campaign)
        self.rig(rig)
        assign_run(open_home(self.home.settings), rig, run, campaign, picks=items, by="ada")

    def brief(self, *, check: bool = False) -> dict[str, tuple[int, int, int]]:
        """Make all briefs; by run how many were written, left and removed."""
        return {one.run: (one.written, one.unchanged, one.removed) for one in self.briefer.brief_all(check=check)}

    def dues(self) -> dict[str, str]:
        """By run why its briefs are due."""
        return {due.run: due.why for due in self.briefer.due()}

    def briefs(self, run: str = "r1", rig: str = "rig-a") -> Path:
        return self.home.settings.sync / rig / run / "briefs"

    def brief_files(self, run: str = "r1", rig: str = "rig-a") -> dict[str, bytes]:
        return tree(self.briefs(run, rig))

    def text(self, reader: str, run: str = "r1", rig: str = "rig-a") -> str:
        """A brief, which must be the one that its JSON file tells of."""
        data = (self.briefs(run, rig) / f"{reader}.md").read_bytes()
        assert self.shown(reader, run, rig)["sha256"] == hashlib.sha256(data).hexdigest()
        return data.decode()

    def shown(self, reader: str, run: str = "r1", rig: str = "rig-a") -> dict[str, Any]:
        return json.loads((self.briefs(run, rig) / f"{reader}.json").read_bytes())

    def help_file(self, name: str, rows: list[dict[str, Any]]) -> None:
        """Put a help file in place."""
        folder = self.home.settings.help
        folder.mkdir(exist_ok=True)
        (folder / "new").write_text("".join(json.dumps(row) + "\n" for row in rows))
        (folder / "new").rename(folder / name)

    def learn(self, *rows: dict[str, Any]) -> None:
        """Let these be all learnings there are."""
        self.help_file("learnings.jsonl", list(rows))

    def refuse(self, *rows: dict[str, Any]) -> None:
        """Let these be all refusals there are."""
        self.help_file("refused.jsonl", list(rows))

    def change_brief_state(self, run: str, **values: Any) -> None:
        """Change what control's record says of a run's briefs."""
        with self.home.control.write() as connection:
            connection.execute(update(BriefState).where(BriefState.run == run).values(**values))


def learning(text: str = "caches are cold at the start", **fields: Any) -> dict[str, Any]:
    """A row of `learnings.jsonl`."""
    number = fields.pop("number", 1)
    row = {"id": f"rig-a/r0/l{number}", "campaign": "a", "agent": "worker", "text": text, "state": "provisional"}
    row |= {"impact": "low", "proposals": 1, "runs_left": 20, "first_at": f"2026-11-{number:02}T00:00:00Z"}
    return row | {"last_at": "2026-11-29T00:00:00Z", "since_run": "rig-a/r0"} | fields


def refusal(reason: str = "url", **fields: Any) -> dict[str, Any]:
    """A row of `refused.jsonl`."""
    row = {"campaign": "a", "agent": "worker", "rig": "rig-a", "ledger": "L1", "run": "r0", "learning": "l9"}
    row |= {"reason": reason, "original_sha256": "0" * 64, "at": "2026-11-29T00:00:00Z", "told": False}
    return row | fields


def quoted(text: str) -> list[str]:
    """The lines that stand in quotations, without their marks."""
    return [line[2:] for line in text.split("\n") if line.startswith("> ")]


def headings(text: str) -> list[str]:
    """The headings of a brief."""
    return [line for line in text.split("\n") if line.startswith("#")]


def section(text: str, heading: str) -> str:
    """A section of a brief, without its heading; '' where there is none."""
    return text.partition(f"{heading}\n")[2].partition("\n## ")[0]


def two_campaigns(home: Home) -> BriefHome:
    """Run r1 of campaign a, which may read b, briefed with a note of b; run r2 of a; run r3 of b on another rig."""
    place = BriefHome(home)
    place.rig("rig-b").say_run("r3")
    place.write("a lesson of r3", run="r3", rig="rig-b", kind="lesson", note="n1")
    place.assign("r3", "b", "rig-b")
    place.bring("rig-b")
    home.campaign("a")
    place.grant("a", "b")
    place.pick("r1", "note:rig-b/r3/n1")
    place.assign("r2", "a")
    for run in ("r1", "r2"):
        place.rig().say_run(run, "hill_climb")
    place.bring()
    place.sync()
    place.brief()
    return place
