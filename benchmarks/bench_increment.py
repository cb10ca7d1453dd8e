"""What one new report of 100 events costs beside a small and a large store: intake, folder, export.

The law: at most 1.3 times as much beside 1,000,000 events as beside 10,000. `bench_sync` has the same for syncs. Sizes
may be given on the command line.
"""

import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from benchmarks import support
from tests.support.homes import Home, make_ready
from thermite_pipelines.knowledge.exports import Exporter
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.home import open_home

SIZES = (10_000, 1_000_000)
RUNS = 10
ROUNDS = 15

Figures = dict[str, list[support.Cost]]


def steps(home: Home) -> dict[str, Callable[[], object]]:
    """What is done for one report, step by step."""
    opened = open_home(home.settings)
    return {
        "intake": lambda: home.intake(support.RIG),
        "folder": FolderWriter(home.control, home.lake, support.CAMPAIGN).refresh,
        "export": lambda: Exporter(opened).export(support.RIG),
    }


def one_report(home: Home, size: int, number: int, figures: Figures) -> None:
    """Send one report of 100 events of the last run, and measure each step."""
    run = f"run-{RUNS - 1}"
    support.say(home.rig(support.RIG), run, 100, size // RUNS + 100 * number)
    home.rig(support.RIG).send()
    for name, step in steps(home).items():
        figures[name].append(support.cost(step))


def main() -> None:
    """Print the figures of each size, and the ratios of the last to the first."""
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    print(support.machine())
    with tempfile.TemporaryDirectory(prefix="thermite-bench-") as name:
        ready = make_ready(Path(name))
        homes: dict[int, Home] = {}
        figures: dict[int, Figures] = {size: defaultdict(list) for size in sizes}
        for size in sizes:
            homes[size] = home = support.new_home(Path(name, str(size)), ready)
            made = support.cost(support.fill, home, size, runs=RUNS)
            first = support.cost(Exporter(open_home(home.settings)).export, support.RIG)
            print(f"{size:9,} events: store made in {made}, first export {first}", flush=True)
        for number in range(ROUNDS):  # the sizes take turns: what else the machine does then meets both alike
            for size in sizes:
                one_report(homes[size], size, number, figures[size])
        for step in figures[sizes[0]]:
            show(step, [figures[size][step] for size in sizes])


def show(step: str, figures: list[list[support.Cost]]) -> None:
    """Print the medians of a step beside each store, and their ratio."""
    walls = [statistics.median(cost.wall for cost in costs) for costs in figures]
    cpus = [statistics.median(cost.cpu for cost in costs) for costs in figures]
    pairs = zip(walls, cpus, strict=True)
    shown = ", ".join(f"{1000 * wall:6.1f} ms ({1000 * cpu:5.1f} CPU ms)" for wall, cpu in pairs)
    print(f"{step:8} {shown}: {walls[-1] / walls[0]:.2f} x ({cpus[-1] / cpus[0]:.2f} x by CPU time)")


if __name__ == "__main__":
    main()
