"""What tests of base facts share: a research run that says all sorts of things, and the facts that come of it."""

from typing import Any

import pyarrow.parquet as pq

from tests.atoms.talking import arrive, opened
from tests.knowledge.filing import refresh
from tests.knowledge.golden import sha256
from tests.support.homes import Home
from tests.support.rigs import RigSimulator
from thermite_pipelines.synthesis.base_facts import BaseFact
from thermite_pipelines.synthesis.fact_store import FactsWritten, FactTable, read_base_facts
from thermite_pipelines.tables.parquet import to_rows

CAMPAIGN = "speed-up"
Row = dict[str, Any]
TEXTS = {"s1": "The cache is cold. It takes 4 ms.", "s2": "Warm reads take 1 ms."}


def say_note(rig: RigSimulator, kind: str, text: str, run: str = "run-1", **data: Any) -> None:
    rig.say("journal_note", {"note": f"n{rig.n}", "kind": kind, "text": text} | data, run=run)


def say_experiment(
    rig: RigSimulator, name: str, run: str = "run-1", *, title: str = "wider layer", **result: Any
) -> None:
    rig.say("experiment_queued", {"experiment": name, "title": title, "description": "more of it"}, run=run)
    if result:
        rig.say("experiment_finished", {"experiment": name} | result, run=run)


def say_research(rig: RigSimulator, run: str = "run-1") -> None:
    """Two sources, three claims (one with a quote that stands nowhere), two findings, a research note, hypotheses."""
    for name, text in TEXTS.items():
        data = {"source": name, "url": f"https://example.org/{name}", "text": text, "text_sha256": sha256(text)}
        rig.say("source_archived", data | {"fetched_at": "2026-11-29T10:00:00Z"}, run=run)
    quotes = [{"source": "s1", "quote": "The cache is cold."}, {"source": "s1", "quote": "It takes 4 ms."}]
    say_claim(rig, "c1", "Cold reads take 4 ms.", quotes, run)
    say_claim(
        rig, "c2", "Warm reads take 1 ms.", [*quotes[:1], {"source": "s2", "quote": "Warm reads take 1 ms."}], run
    )
    say_claim(rig, "c3", "Reads are free.", [{"source": "s2", "quote": "Reads are free."}], run)
    rig.say("finding_recorded", {"finding": "f1", "text": "Warming pays.", "claims": ["c1", "c2"]}, run=run)
    rig.say("finding_recorded", {"finding": "f2", "text": "Disks age.", "claims": [], "confidence": 0.4}, run=run)
    rig.say("research_note", {"note": "r1", "text": "# Both pages agree\n\nSo far.", "sources": ["s2", "s1"]}, run=run)
    for name, outcome in (("h1", "confirmed"), ("h2", "refuted"), ("h3", "inconclusive"), ("h4", None)):
        say_hypothesis(rig, name, f"Statement {name} about the cache", outcome, run)


def say_claim(rig: RigSimulator, name: str, text: str, quotes: list[dict[str, str]], run: str = "run-1") -> None:
    rig.say("claim_recorded", {"claim": name, "text": text, "quotes": quotes}, run=run)


def say_hypothesis(rig: RigSimulator, name: str, text: str, outcome: str | None, run: str = "run-1") -> None:
    data = {"hypothesis": name, "text": text, "prediction": "It shows.", "falsifier": "It does not."}
    rig.say("hypothesis_recorded", data, run=run)
    if outcome is not None:
        rig.say("hypothesis_resolved", {"hypothesis": name, "outcome": outcome, "evidence": "We looked."}, run=run)


def settle(home: Home, *rigs: str, campaign: str = CAMPAIGN) -> FactsWritten:
    """Take what the rigs said, fold it, and make facts of it."""
    arrive(home, *rigs)
    refresh(home, campaign)
    return make(home, campaign)


def make(home: Home, campaign: str = CAMPAIGN, *, anew: bool = False) -> FactsWritten:
    return FactTable(opened(home), campaign).refresh(anew=anew)


def facts(home: Home, campaign: str = CAMPAIGN) -> dict[str, BaseFact]:
    """The facts by what they were made from: `note:n1`, `hypothesis:h1+` for the observation that it became."""
    found: dict[str, BaseFact] = {}
    for fact in read_base_facts(opened(home), campaign):
        source = fact.fact.item or fact.fact.atom or ""
        name = f"{source.partition(':')[0]}:{source.rpartition('/')[2]}"
        is_second = fact.fact.item is not None and name.startswith("hypothesis") and fact.fact.type == "observation"
        found[f"{name}+" if is_second else name] = fact
    return found


def on_disk(home: Home, campaign: str = CAMPAIGN) -> list[Row]:
    """The rows of the table as they lie on disk, read past all code that wrote them."""
    folder = home.lake.local(f"derived/base_facts/campaign={campaign}")
    found = [row for path in sorted(folder.glob("*.parquet")) for row in to_rows(pq.ParquetFile(path).read())]
    return sorted(found, key=lambda row: row["fact"])


def fact_files(home: Home) -> dict[str, bytes]:
    return home.files("derived/base_facts")
