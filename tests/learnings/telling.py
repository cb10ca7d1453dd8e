"""What tests of help requests and learnings share: a clock to set, agents that speak, and the files that come of it."""

import json
from types import SimpleNamespace
from typing import Any

import pytest

from tests.knowledge.filing import assign_run
from tests.support.homes import Home
from tests.support.rigs import RigSimulator
from thermite_pipelines import times
from thermite_pipelines.control.commands import ensure_control_key
from thermite_pipelines.learnings.folding import refresh_channels
from thermite_pipelines.times import format_rfc3339, parse_rfc3339

NOW = parse_rfc3339("2026-12-01T12:00:00Z")
MINUTE = 60_000_000
DAY = 24 * 60 * MINUTE
CACHE = "The cache folder is not cleared between two trials on this rig"
SLOW = "Loading shards takes nine minutes when workers start together"


class Clock:
    """The time that control has: it stands still until somebody sets it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, now: int = NOW) -> None:
        self.now = now
        monkeypatch.setattr(times, "time", SimpleNamespace(time_ns=lambda: self.now * 1000))

    def go(self, micros: int) -> None:
        """Let time pass."""
        self.now += micros


def at(minutes: float) -> str:
    """A time so many minutes before or after `NOW`, as events write it."""
    return format_rfc3339(NOW + round(minutes * MINUTE))


def open_runs(home: Home, *runs: str, rig: str = "rig-a", campaign: str | None = "one", **data: Any) -> RigSimulator:
    """A rig that created runs, which control assigned to a campaign (None: to none)."""
    simulator = home.rig(rig)
    for run in runs:
        simulator.say_run(run, campaign=None, at=at(-600), data=data)
        if campaign is not None:
            assign_run(home, rig, run, campaign)
    return simulator


def ask(rig: RigSimulator, run: str = "run-1", summary: str = "No token", *, when: float = -300, **data: Any) -> None:
    """An agent asks for help; `data` replaces fields."""
    whole = {"request": f"q{rig.n + 1}", "agent": "worker", "summary": summary, "fatal": False} | data
    rig.say("help_requested", whole, run=run, at=at(when), campaign=None)


def propose(rig: RigSimulator, run: str = "run-1", text: str = CACHE, *, when: float = -300, **data: Any) -> str:
    """An agent proposes a learning; the id of the proposal."""
    whole = {"learning": f"l{rig.n + 1}", "agent": "worker", "text": text, "impact": "low"} | data
    rig.say("learning_proposed", whole, run=run, at=at(when), campaign=None)
    return f"{rig.name}/{run}/{whole['learning']}"


def brief(rig: RigSimulator, run: str = "run-1", *shown: str, when: float = -300, agent: str = "worker") -> None:
    """A run is briefed."""
    data = {"agent": agent, "learnings": list(shown), "items": []}
    rig.say("brief_given", data, run=run, at=at(when), campaign=None)


def arrive(home: Home, *rigs: str) -> None:
    """What was said arrives and is folded."""
    for rig in rigs or tuple(home.simulators):
        if home.rig(rig).said:
            home.rig(rig).send()
        home.intake(rig)
    refresh_channels(home.opened)


def with_key(home: Home) -> Home:
    """A home that can sign commands."""
    ensure_control_key(home.settings)
    return home


def files(home: Home) -> dict[str, bytes]:
    """The files of the help folder by name, whatever they are called."""
    return {path.name: path.read_bytes() for path in sorted(home.settings.help.iterdir())}


def lines(home: Home, prefix: str) -> list[dict[str, Any]]:
    """The rows of the help folder's files that begin so, read past all code that wrote them."""
    found = [data for name, data in files(home).items() if name.startswith(prefix)]
    return [json.loads(line) for data in found for line in data.splitlines()]


def requests(home: Home) -> list[dict[str, Any]]:
    """The rows of all days' requests."""
    return lines(home, "help-")


def learnings(home: Home) -> list[dict[str, Any]]:
    """The rows of the learnings."""
    return lines(home, "learnings")


def states(home: Home) -> dict[str, str]:
    """The state of each learning by its id."""
    return {row["id"]: row["state"] for row in learnings(home)}


def command_of(home: Home, path: str | None) -> bytes:
    """The bytes of a command file, named relative to the home."""
    assert path is not None
    return (home.settings.home / path).read_bytes()
