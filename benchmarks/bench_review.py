"""What a whole review by rules costs in campaigns of 1,000 and 10,000 facts, and a review after one more note there.

The facts are base facts of notes that a rig sent; the embedding model is the built-in one, and what it takes is told
apart. Each size runs in a process of its own. After the whole review a note comes in and a process as good as new
reviews again; so several times.

Laws: ten times the facts take at most 15 times the processor, embedding left out; one new note leads to at most 5
items, and of facts only what is new is embedded: the note, and each synthesis once. Sizes may be given on the command
line.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import support
from benchmarks.made_notes import note
from tests.support.homes import Home, make_ready
from thermite_pipelines.embeddings.embedder import Embedder, embedder_of
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.synthesis.fact_store import FactTable
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.lane_runs import LaneRun
from thermite_pipelines.synthesis.opening import open_synthesis
from thermite_pipelines.synthesis.state import read_folded
from thermite_pipelines.synthesis.synthesis_tables import SynthesisTables
from thermite_pipelines.synthesis.work import Lane

SIZES = (1_000, 10_000)
GROWTH = 15.0
MOST_ITEMS = 5
NEW_NOTES = 5
RUNS = 5
_REPORT = 2_000
_LANES: tuple[Lane | None, ...] = ("prune", "distill", "raptor", None)


class Timed:
    """An embedding model that notes how many texts it was given, and what they took."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name, self.dimension, self.thresholds = embedder.name, embedder.dimension, embedder.thresholds
        self.texts, self.wall, self.cpu = 0, 0.0, 0.0

    def documents(self, texts: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        made: list[NDArray[np.float32]] = []
        taken = support.cost(lambda: made.append(self._embedder.documents(texts)))
        self.texts, self.wall, self.cpu = self.texts + len(texts), self.wall + taken.wall, self.cpu + taken.cpu
        return made[0]

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embedder.queries(texts)


@dataclass(frozen=True)
class Reviewed:
    """One review: its items, what it took, of that what embedding took, and the texts that were embedded.

    `again`: texts of facts that an earlier review had embedded.
    """

    items: int
    wall: float
    cpu: float
    texts: int
    embed_wall: float
    embed_cpu: float
    again: int = 0

    @property
    def own_cpu(self) -> float:
        """Seconds of the processor without embedding."""
        return self.cpu - self.embed_cpu

    def __str__(self) -> str:
        return (
            f"{self.wall:8.3f} s ({self.cpu:8.3f} CPU s), of it embedding {self.embed_wall:.3f} s "
            f"({self.embed_cpu:.3f} CPU s) for {self.texts:,} texts; {self.items:,} items"
        )


def say_notes(home: Home, numbers: Iterable[int], run: str) -> None:
    """Say notes in a run, and send them by reports."""
    rig = home.rig(support.RIG)
    for place, number in enumerate(numbers, 1):
        kind = ("observation", "lesson")[number % 2]
        rig.say("journal_note", {"note": f"note-{number}", "kind": kind, "text": note(number).text}, run=run)
        if place % _REPORT == 0:
            rig.send()
    if rig.said:
        rig.send()


def settle(home: Home) -> None:
    """Make facts of what arrived."""
    home.intake(support.RIG)
    FolderWriter(home.control, home.lake, support.CAMPAIGN).refresh()
    FactTable(home.opened, support.CAMPAIGN).refresh()


def fill(home: Home, count: int) -> None:
    """A campaign of so many notes, all of them facts."""
    home.campaign(support.CAMPAIGN)
    rig = home.rig(support.RIG)
    runs = [f"run-{number}" for number in range(RUNS)]
    support.assign_runs(home, *runs)
    for place, run in enumerate(runs):
        rig.say_run(run, "hill_climb")
        say_notes(home, range(place * count // RUNS, (place + 1) * count // RUNS), run)
    settle(home)


def review(home: Home) -> tuple[Reviewed, dict[str, support.Cost]]:
    """A review from where the last one ended, by rules, as one process does it; what each lane took."""
    embedder = Timed(embedder_of(home.settings, home.lake))
    lanes: dict[str, support.Cost] = {}
    wall, cpu = time.perf_counter(), time.process_time()
    synthesis = open_synthesis(home.opened, embedder)
    run = LaneRun(home.opened, support.CAMPAIGN, "review", effort="normal", synthesis=synthesis)
    lanes["planning"] = support.Cost(time.perf_counter() - wall, time.process_time() - cpu)
    answered = 0
    for lane in _LANES:
        before = time.perf_counter(), time.process_time()
        done = run.drain(lane, synthesis.answerer(None)).drained
        assert not done.failures and done.stopped is None, done
        answered += done.answered
        lanes[lane or "the rest"] = support.Cost(time.perf_counter() - before[0], time.process_time() - before[1])
    assert run.is_done
    taken = time.perf_counter() - wall, time.process_time() - cpu
    return Reviewed(answered, *taken, embedder.texts, embedder.wall, embedder.cpu), lanes


def live(home: Home) -> dict[str, Fact]:
    """All facts that live."""
    return read_folded(home.opened, support.CAMPAIGN).corpus.live()


def one_size(path: Path, count: int) -> None:
    """All figures of a size; its last line is for who started this process."""
    home = support.new_home(path / "home", make_ready(path))
    print(f"{count:,} facts in {support.cost(fill, home, count)}", flush=True)
    first, lanes = review(home)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(f"  whole review  {first}; {memory:,.0f} MiB")
    for name, taken in lanes.items():
        print(f"    {name:9} {taken}")
    facts = live(home)
    depths = Counter(fact.depth for fact in facts.values() if fact.type == "synthesis")
    authored = sum(fact.type != "synthesis" for fact in facts.values())
    shown = ", ".join(f"{number:,} of depth {depth}" for depth, number in sorted(depths.items(), key=str))
    print(f"  {authored:,} facts and syntheses: {shown}", flush=True)
    tables = SynthesisTables(home.opened, support.CAMPAIGN)
    print(f"  tables anew   {support.cost(tables.refresh)}", flush=True)
    later = [one_more(home, count + place) for place in range(NEW_NOTES)]
    home.close()
    print(json.dumps([asdict(one) for one in (first, *later)]))


def one_more(home: Home, number: int) -> Reviewed:
    """One more note, and a review of it. What is embedded of facts is the note and the new syntheses, each once."""
    before = live(home)
    say_notes(home, [number], f"run-{RUNS - 1}")
    settle(home)
    done, _ = review(home)
    new = live(home).keys() - before.keys()
    print(f"  one new note  {done}, {len(new) - 1} new syntheses", flush=True)
    return replace(done, again=max(0, done.texts - len(new)))


def measure(count: int) -> list[Reviewed]:
    """All figures of a size, from a process of its own; the reviews in their order, the whole one first."""
    with tempfile.TemporaryDirectory(prefix="thermite-bench-") as name:
        command = [sys.executable, "-m", "benchmarks.bench_review", "in", name, str(count)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            last = ""
            for line in child.stdout:
                if last:
                    print(last, end="", flush=True)
                last = line
        if child.returncode:
            raise SystemExit(child.returncode)
    return [Reviewed(**one) for one in json.loads(last)]


def main(given: list[str]) -> int:
    """Print the figures of each size, and whether they keep the laws."""
    if given[:1] == ["in"]:
        one_size(Path(given[1]), int(given[2]))
        return 0
    sizes = [int(size) for size in given] or list(SIZES)
    print(support.machine())
    figures = {size: measure(size) for size in sizes}
    first, last = figures[sizes[0]][0], figures[sizes[-1]][0]
    own, whole, most = last.own_cpu / first.own_cpu, last.cpu / first.cpu, GROWTH * sizes[-1] / sizes[0] / 10
    print(
        f"{sizes[-1] / sizes[0]:.0f} times the facts: {own:.1f} x the CPU time without embedding (at most {most:.1f}),"
    )
    print(f"  {whole:.1f} x with it, {last.wall / first.wall:.1f} x by the clock")
    items = max(one.items for of_size in figures.values() for one in of_size[1:])
    again = max(one.again for of_size in figures.values() for one in of_size[1:])
    print(f"one new note: at most {items} items (law: {MOST_ITEMS}), {again} texts embedded again (law: 0)")
    return int(own > most or items > MOST_ITEMS or again > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
