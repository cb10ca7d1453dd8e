"""What a sync costs: of a run with nothing new, and after one new report, beside a small and a large store.

The law: nothing new over 100,000 readable items is done in 100 ms, and a report of 100 events costs at most 1.3 times
as much beside a million events as beside ten thousand. Both are shown for a million events of many campaigns, of which
the run reads one, and of one campaign, all of which it reads. Sizes may be given on the command line.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sqlalchemy import Connection

from tests.support.homes import Home, make_home, make_ready
from tests.support.rigs import RigSimulator
from thermite_pipelines.control import assignments
from thermite_pipelines.control.assignments import Request, Words
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.sync import Synced, Syncer

SIZES = (10_000, 1_000_000)
RUNS = 10
REPORT = 2_000
ROUNDS = 7


def say(rig: RigSimulator, run: str, number: int) -> None:
    """One event: notes, and experiments with their results, a third each."""
    name = f"x{number - number % 3}"
    if number % 3 == 0:
        words = {"experiment": name, "title": f"lower the learning rate to {number}", "description": "warm up longer"}
        rig.say("experiment_queued", words, run=run)
    elif number % 3 == 1:
        result = {"experiment": name, "status": "no_change", "metric": "loss", "value": 1 + number / 1e6}
        rig.say("experiment_finished", result | {"summary": "within noise over three seeds"}, run=run)
    else:
        rig.say_note(f"step {number} took 131 ms with the fused optimizer, memory stays at 11.2 GB", run=run)


def fill(home: Home, events: int, campaigns: int) -> None:
    """Runs that share so many events over campaigns, folded; one more run reads the first campaign."""
    rig = home.rig("rig-a")
    home.rig("rig-b")
    names = [name_of(number) for number in range(campaigns)]
    home.campaign(*names)
    with home.control.write() as connection:
        assign(connection, "rig-b", "reader", names[0])
        for name in names:
            for number in range(RUNS):
                assign(connection, "rig-a", f"{name}-{number}", name)
    for name in names:
        for number in range(RUNS):
            run = f"{name}-{number}"
            rig.say_run(run)
            for event in range(events // RUNS // campaigns):
                say(rig, run, event)
                if len(rig.said) >= REPORT:
                    rig.send()
            rig.send()
        take(home, name)


def name_of(number: int) -> str:
    """The name of a campaign."""
    return f"speed-up-{number}"


def assign(connection: Connection, rig: str, run: str, campaign: str) -> None:
    """Assign a run, without a briefing."""
    assignments.assign(connection, Request(rig, run, campaign), lambda _: Words([], []), "bench")


def take(home: Home, campaign: str) -> None:
    """Take what arrived, and fold it."""
    home.intake("rig-a")
    FolderWriter(home.control, home.lake, campaign).refresh()


def timed(syncer: Syncer) -> tuple[float, Synced]:
    """Seconds of one sync of the reading run, and what it did."""
    begun = time.perf_counter()
    synced = syncer.sync_run("rig-b", "reader")
    return time.perf_counter() - begun, synced


def news(home: Home, events: int) -> Iterator[int]:
    """Send reports of 100 events, one a step, each folded before the step."""
    for round_number in range(ROUNDS):
        for number in range(100):
            say(home.rig("rig-a"), f"{name_of(0)}-3", events + 300 * round_number + number)
        home.rig("rig-a").send()
        take(home, name_of(0))
        yield round_number


def measure(folder: Path, ready: Path, events: int, campaigns: int = 1) -> float:
    """Print the figures beside a store of so many events; return the seconds that one report costs."""
    home = make_home(folder / f"{events}-{campaigns}", ready)
    begun = time.perf_counter()
    fill(home, events, campaigns)
    filled = time.perf_counter() - begun
    syncer = Syncer(open_home(home.settings))
    first, synced = timed(syncer)
    idle = statistics.median(timed(syncer)[0] for _ in range(ROUNDS))
    report = statistics.median(timed(syncer)[0] for _ in news(home, events))
    print(
        f"{events:9,} events in {campaigns} campaigns: store made in {filled:6.1f} s, "
        f"first sync of {synced.written:7,} items {first:6.1f} s, "
        f"nothing new {1000 * idle:5.1f} ms, one report {1000 * report:6.1f} ms",
        flush=True,
    )
    home.close()
    return report


def main() -> None:
    """Print the figures of each size and the ratio of the last to the first."""
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    with tempfile.TemporaryDirectory(prefix="thermite-bench-") as name:
        ready = make_ready(Path(name))
        costs = [measure(Path(name), ready, size) for size in sizes]
        spread = measure(Path(name), ready, sizes[-1], max(1, sizes[-1] // sizes[0]))
    print(f"one report: {spread / costs[0]:.2f} x from {sizes[0]:,} to {sizes[-1]:,} events, as many a campaign")
    print(f"one report: {costs[-1] / costs[0]:.2f} x where the run reads all {sizes[-1]:,} of them")


if __name__ == "__main__":
    main()
