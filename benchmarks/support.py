"""What benchmarks share: homes, reports of realistic events, and clocks."""

import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from tests.support.homes import Home, make_home
from tests.support.rigs import RigSimulator
from thermite_pipelines.control.assignments import Request, Words, assign
from thermite_pipelines.knowledge.folders import FolderWriter

CAMPAIGN = "speed-up"
RIG = "rig-a"

Event = tuple[str, dict[str, Any]]


def events(run: str, count: int, first: int = 0) -> Iterator[Event]:
    """Types and data of `count` events of a run, about 330 bytes each as a rig sends them.

    Of ten, three are about an experiment (queued, started, finished), two about its trial, four are notes and one is a
    new version of a document. `first` tells later events of the run from earlier ones.
    """
    for number in range(first, first + count):
        yield _event(run, number)


def _event(run: str, number: int) -> Event:
    tens, place = divmod(number, 10)
    trial, experiment = f"{run}-trial-{tens}", f"{run}-experiment-{tens}"
    if place == 0:
        title = f"Lower the learning rate to {1 + tens % 97}e-4"
        words = "Warm up for longer, then let it decay to a tenth over the last fifth of the budget."
        return "experiment_queued", {"experiment": experiment, "title": title, "description": words}
    if place == 1:
        session = {"trial": trial, "lane": f"lane-{1 + tens % 4}", "kind": "code", "runtime": "pi"}
        return "trial_started", session | {"experiment": experiment}
    if place == 2:
        return "experiment_started", {"experiment": experiment, "trial": trial}
    if place == 8:
        result = {"status": ("no_change", "improved", "worse")[tens % 3], "metric": "validation loss", "unit": "nats"}
        words = f"Within noise of the champion after {tens % 7 + 2} seeds."
        return "experiment_finished", {"experiment": experiment, "value": 1 + number / 1e6, "summary": words} | result
    if place == 9:
        return "trial_ended", {"trial": trial, "outcome": "submitted", "reason": f"Its attempt {tens} was handed in."}
    if place == 7:
        text = f"# Plan of lane {tens % 4}\n\n1. Measure the step time.\n2. Cut what costs most.\n\nRevision {tens}."
        written = {"document": f"lane-{tens % 4}/plan.md", "lane": f"lane-{1 + tens % 4}", "text": text}
        return "document_written", written | {"text_sha256": sha256(text.encode()).hexdigest()}
    return "journal_note", {
        "note": f"{run}-note-{number}",
        "kind": ("observation", "lesson", "decision")[number % 3],
        "text": f"Step {number} took 131 ms with the fused optimizer, down from 135 ms; memory stays at 11.2 GB, so "
        "the batch may grow by a quarter before the next measurement.",
    }


def say(rig: RigSimulator, run: str, count: int, first: int = 0) -> None:
    """Say events of a run."""
    for name, data in events(run, count, first):
        rig.say(name, data, run=run, id=f"01JD0Z3M7Q4K5T6V7W8X{rig.n:06d}")


def fill(home: Home, count: int, *, runs: int, report: int = 5_000) -> None:
    """A folder of so many verified events of some runs, all assigned and folded, brought in by reports of that size."""
    home.campaign(CAMPAIGN)
    rig = home.rig(RIG)
    assign_runs(home, *(f"run-{number}" for number in range(runs)))
    sent = 0
    for number in range(runs):
        run = f"run-{number}"
        rig.say_run(run, "hill_climb")
        share = count // runs - 1
        for first in range(0, share, report):
            say(rig, run, min(report, share - first), first)
            rig.send()
            sent += 1
            if sent % 20 == 0:
                home.intake(RIG)
    home.intake(RIG)
    FolderWriter(home.control, home.lake, CAMPAIGN).refresh()


def assign_runs(home: Home, *runs: str) -> None:
    """Assign runs of the rig to the campaign."""
    with home.control.write() as connection:
        for run in runs:
            assign(connection, Request(RIG, run, CAMPAIGN), lambda _: Words([], []), "bench")


def new_home(folder: Path, ready: Path) -> Home:
    """A migrated, empty home."""
    return make_home(folder, ready)


@dataclass(frozen=True)
class Cost:
    """What something took: seconds by the clock, and seconds of the processor, in this process."""

    wall: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.wall:8.3f} s ({self.cpu:7.3f} CPU s)"


def cost(work: Callable[..., object], *args: Any, **more: Any) -> Cost:
    """What one call costs."""
    wall, cpu = time.perf_counter(), time.process_time()
    work(*args, **more)
    return Cost(time.perf_counter() - wall, time.process_time() - cpu)


def machine() -> str:
    """The machine in one line."""
    names = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    memory = [int(line.split()[1]) // 2**20 for line in _lines("/proc/meminfo") if line.startswith("MemTotal")]
    kind = names[0] if names else platform.machine()
    return f"{os.cpu_count()} x {kind}, {memory[0] if memory else '?'} GiB, Python {platform.python_version()}"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []


def as_json(rows: list[dict[str, Any]]) -> bytes:
    """Rows as JSON lines."""
    return b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)
