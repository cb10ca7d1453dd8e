"""What one new report with help requests and learnings costs beside a few and beside many: folds, files, and a look.

The store holds so many channel events (a third each of requests, proposals and briefs) of ten agents in as many
campaigns; the report holds ten of one agent. Measured are the fold with the files after it, the same from scratch, a
person's decision, and a look at whether there is anything to do, as each tick of a sensor takes it.

The law: the fold of one report costs at most 10 times as much beside 20,000 events as beside 200. Sizes may be given on
the command line.
"""

import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from benchmarks import support
from tests.support.homes import Home, make_ready
from thermite_pipelines.control.assignments import Request, Words, assign
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.learnings import actions
from thermite_pipelines.learnings.folding import channels_behind, refresh_channels
from thermite_pipelines.learnings.publishing import is_published
from thermite_pipelines.times import format_rfc3339, now_micros

SIZES = (200, 20_000)
CAMPAIGNS = 10
RUNS = 50
ROUNDS = 7
MOST = 10.0
_DAY = 86_400_000_000

Figures = dict[str, list[support.Cost]]


def assign_runs(home: Home) -> None:
    """Assign the runs, in turn to each of the campaigns."""
    names = [f"campaign-{number}" for number in range(CAMPAIGNS)]
    home.rig(support.RIG)
    home.campaign(*names)
    with home.control.write() as connection:
        for number in range(RUNS):
            request = Request(support.RIG, f"run-{number}", names[number % CAMPAIGNS])
            assign(connection, request, lambda _: Words([], []), "bench")


def say(home: Home, count: int, first: int, run: int | None = None) -> None:
    """Say channel events, of all runs in turn or of one."""
    rig, now = home.rig(support.RIG), now_micros()
    for number in range(first, first + count):
        where = f"run-{number % RUNS if run is None else run}"
        at = format_rfc3339(now - _DAY + number * 1_000_000)
        words = f"shard{number} of host{number % 97} is restored in {number % 13} minutes once its index is warm"
        if number % 3 == 0:
            data = {"request": f"q{number}", "summary": f"Blocked: {words}", "fatal": number % 7 == 0, "detail": words}
            rig.say("help_requested", {"agent": "worker", "blocker": "access"} | data, run=where, at=at)
        elif number % 3 == 1:
            data = {"learning": f"l{number}", "text": words.capitalize(), "impact": "low"}
            rig.say("learning_proposed", {"agent": "worker"} | data, run=where, at=at)
        else:
            rig.say("brief_given", {"agent": "worker", "learnings": [], "items": []}, run=where, at=at)


def fill(home: Home, size: int) -> None:
    """A store of so many channel events, folded."""
    assign_runs(home)
    for number in range(RUNS):
        home.rig(support.RIG).say_run(f"run-{number}")
    for first in range(0, size, 1_000):
        say(home, min(1_000, size - first), first)
        home.rig(support.RIG).send()
    home.intake(support.RIG)


def one_report(home: Home, size: int, number: int, figures: Figures) -> None:
    """Send one report of ten channel events of one agent, fold it, and decide about what it proposed."""
    opened = open_home(home.settings)
    first = size + 10 * number
    say(home, 10, first, run=0)
    home.rig(support.RIG).send()
    figures["intake"].append(support.cost(home.intake, support.RIG))
    figures["behind"].append(support.cost(channels_behind, opened))
    figures["fold"].append(support.cost(refresh_channels, opened))
    assert is_published(opened)
    figures["nothing new"].append(support.cost(refresh_channels, opened))
    figures["a look"].append(support.cost(is_published, opened))
    proposed = next(n for n in range(first, first + 10) if n % 3 == 1)
    figures["keep"].append(support.cost(actions.keep, opened, f"{support.RIG}/run-0/l{proposed}", by="bench"))


def main() -> None:
    """Print the figures of each size, and the ratios of the last to the first."""
    sizes = [int(size) for size in sys.argv[1:]] or list(SIZES)
    print(support.machine())
    figures: dict[int, Figures] = {size: defaultdict(list) for size in sizes}
    with tempfile.TemporaryDirectory(prefix="thermite-bench-") as name:
        ready = make_ready(Path(name))
        homes = {size: support.new_home(Path(name, str(size)), ready) for size in sizes}
        for size, home in homes.items():
            fill(home, size)
            whole = support.cost(refresh_channels, open_home(home.settings), whole=True)
            print(f"{size:9,} channel events: folded from scratch in {whole}", flush=True)
        for number in range(ROUNDS):  # the sizes take turns: what else the machine does then meets both alike
            for size, home in homes.items():
                one_report(home, size, number, figures[size])
    ratios = {}
    for step in figures[sizes[0]]:
        middle = [statistics.median(cost.cpu for cost in figures[size][step]) for size in sizes]
        ratios[step] = middle[-1] / max(middle[0], 1e-6)
        shown = ", ".join(f"{size:,}: {1000 * cpu:.1f} ms" for size, cpu in zip(sizes, middle, strict=True))
        print(f"{step:12} {shown}  ({ratios[step]:.1f} times)", flush=True)
    if ratios["fold"] > MOST:
        sys.exit(f"the fold of one report costs {ratios['fold']:.1f} times as much: at most {MOST:g} are allowed")


if __name__ == "__main__":
    main()
