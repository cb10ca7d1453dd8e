"""What `thermite explain` takes beside 100,000 events: base facts, facts after decisions, decisions and items.

The law: less than 200 ms in the process, from opening the home to the document, imports left out. A figure is that of
different ids, each asked for once. Numbers of events, of runs and of events a report may be given on the command line.
"""

import random
import statistics
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import insert

from benchmarks import support
from tests.support.homes import Home, make_ready
from thermite_pipelines.control.synthesis_models import Decision as Logged
from thermite_pipelines.knowledge.explain import explain
from thermite_pipelines.knowledge.home import Home as OpenHome
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.readable import Reader
from thermite_pipelines.synthesis.decisions import Decision, fact_output
from thermite_pipelines.synthesis.fact_store import FactTable, read_base_facts
from thermite_pipelines.synthesis.facts import Fact, derived_id
from thermite_pipelines.synthesis.synthesis_tables import SynthesisTables

Row = dict[str, Any]
EVENTS, RUNS, REPORT = 100_000, 10, 100
FACTS_EACH = 12
"""Facts that a synthesis is made of."""
SYNTHESES = (1_000, 100, 10)
"""Syntheses of each depth."""
ASKED = 15
LAW_MS = 200


def synthesize(facts: Sequence[Fact], many: int, depth: int, dice: random.Random) -> list[Decision]:
    """Decisions to make so many syntheses, each of facts from anywhere."""
    decisions = []
    for place in range(many):
        inputs = sorted(fact.key for fact in dice.sample(facts, FACTS_EACH if depth == 0 else 4))
        name = derived_id(support.CAMPAIGN, "distill", dict(inputs), place)
        text = f"What {len(inputs)} facts of depth {depth} say together, {place}"
        more = {"origin": "distilled", "depth": depth, "refs": tuple(one for one, _ in inputs)}
        fact = Fact(fact=name, type="synthesis", title=text, body=f"{text}. " * 20, **more)
        output = fact_output(fact)
        decisions.append(Decision(verb="synthesize", step="distill", inputs=tuple(inputs), output=output))
    return decisions


def decide(home: Home, dice: random.Random) -> list[list[str]]:
    """Fill the decision log; the ids of the syntheses of each depth."""
    facts = [one.fact for one in read_base_facts(home.opened, support.CAMPAIGN)]
    asked = {"answered_by": "model", "model": "small-model", "prompt_version": "distill/1", "cache_key": "0" * 64}
    shared = {"campaign": support.CAMPAIGN, "session": "s", "item": 1, "decided_at": 1}
    ids = []
    keep = [Decision(verb="keep", step="prune", inputs=(fact.key,)) for fact in facts]
    for depth, decisions in enumerate([keep, *({} for _ in SYNTHESES)], -1):
        made = decisions if depth < 0 else synthesize(facts, SYNTHESES[depth], depth, dice)
        with home.control.write() as connection:
            connection.execute(insert(Logged), [shared | asked | one.stored() for one in made])
        if depth >= 0:
            facts = [one.fact for one in made if one.fact is not None]
            ids.append([fact.fact for fact in facts])
    return ids


def measure(home: Home, what: str, ids: Iterable[str]) -> None:
    """Print how long explaining each of some ids takes."""
    costs, steps = [], 0
    for id in ids:
        opened = open_home(home.settings)
        documents: list[Row] = []
        costs.append(support.cost(lambda opened=opened, id=id, kept=documents: kept.append(_document(opened, id))))
        assert documents[0]["verified"], id
        steps = max(steps, _size(documents[0]))
    walls, cpus = [1_000 * cost.wall for cost in costs], [1_000 * cost.cpu for cost in costs]
    state = (
        "holds" if max(walls) < LAW_MS else "BROKEN" if min(max(cpus), max(walls)) >= LAW_MS else "holds by CPU time"
    )
    shown = f"median {statistics.median(walls):6.1f}, slowest {max(walls):6.1f} ms"
    print(f"{what:28} {shown} ({statistics.median(cpus):6.1f}, {max(cpus):6.1f} CPU ms), {steps:3} steps: {state}")


def _document(home: OpenHome, id: str) -> Row:
    return explain(home, id, Reader.owner()).document()


def _size(step: Row) -> int:
    return 1 + sum(map(_size, step["from"]))


def main() -> None:
    """Make the home, and print the figures."""
    given = [int(size) for size in sys.argv[1:]]
    events, runs, report = [*given, *(EVENTS, RUNS, REPORT)[len(given) :]]
    print(support.machine())
    dice = random.Random(4)
    with tempfile.TemporaryDirectory(prefix="thermite-bench-") as name:
        home = support.new_home(Path(name, "home"), make_ready(Path(name)))
        print(
            f"{events:,} events of {runs} runs in {support.cost(support.fill, home, events, runs=runs, report=report)}"
        )
        print(f"base facts in {support.cost(FactTable(home.opened, support.CAMPAIGN).refresh)}", flush=True)
        show(home, dice)


def show(home: Home, dice: random.Random) -> None:
    """Print the figures of a home that has base facts and no decisions."""
    base = [one.fact for one in read_base_facts(home.opened, support.CAMPAIGN)]
    some = dice.sample(base, 2 * ASKED)
    measure(home, "base fact, before any review", [fact.fact for fact in some[:ASKED]])
    measure(home, "item", [fact.item or "" for fact in some[:ASKED]])
    ids = decide(home, dice)
    tables = SynthesisTables(home.opened, support.CAMPAIGN)
    print(f"{len(base):,} facts and {len(base) + sum(SYNTHESES):,} decisions: tables in {support.cost(tables.refresh)}")
    print(f"the same again, nothing being new, in {support.cost(tables.refresh)}", flush=True)
    measure(home, "fact, after a review", [fact.fact for fact in some[ASKED:]])
    for depth, names in enumerate(ids):
        measure(home, f"synthesis of depth {depth}", dice.sample(names, min(ASKED, len(names))))
    measure(home, "decision", [f"decision:{support.CAMPAIGN}/{len(base) + 1 + place}" for place in range(ASKED)])


if __name__ == "__main__":
    main()
