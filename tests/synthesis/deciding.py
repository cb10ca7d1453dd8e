"""Decisions put into the log past sessions and queues, for tests of what reads them: a history with every verb."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import insert

from tests.atoms.talking import a_run, opened
from tests.support.homes import Home
from tests.synthesis.saying import CAMPAIGN, facts, say_experiment, say_note, say_research, settle
from thermite_pipelines.control.synthesis_models import Decision as Logged
from thermite_pipelines.synthesis.answers import (
    Answer,
    DiscoverAnswer,
    DistillAnswer,
    FactJudged,
    HypothesizeAnswer,
    Merge,
    MethodologyProposed,
    NewFact,
    NewHypothesis,
    Proposal,
    PruneAnswer,
    ReflectAnswer,
    Reinforcement,
    Replacement,
)
from thermite_pipelines.synthesis.applying import Shown, apply_answer
from thermite_pipelines.synthesis.decisions import Decision
from thermite_pipelines.synthesis.merging import dedup
from thermite_pipelines.synthesis.state import read_folded
from thermite_pipelines.synthesis.synthesis_tables import SynthesisTables
from thermite_pipelines.synthesis.work import By

MODEL = By("model", "small-model", "distill/3", "ab" * 32)
ENGINE = By("engine")
AT = 1_800_000_000_000_000
Row = dict[str, Any]


def record(
    home: Home, decisions: Iterable[Decision], by: By = MODEL, item: int | None = 7, session: str = "s-1"
) -> None:
    """Write decisions into the log of the campaign, all at one time."""
    asked = {"answered_by": by.answered_by, "model": by.model, "prompt_version": by.prompt_version}
    shared = {"campaign": CAMPAIGN, "session": session, "item": item, "cache_key": by.cache_key, "decided_at": AT}
    with home.control.write() as connection:
        for decision in decisions:
            connection.execute(insert(Logged).values(**shared, **asked, **decision.stored()))


def decide(home: Home, step: str, names: Iterable[str], answer: Answer, by: By = MODEL, **shown: Any) -> list[str]:
    """Answer an item of these facts; return the ids of facts that it wrote."""
    corpus = read_folded(opened(home), CAMPAIGN).corpus
    held = [corpus.all()[name].fact for name in names]
    records: list[Row] = [one.record() for one in held]
    if step == "reflect":
        records = [{"path": one.fact, "original_type": "hypothesis", "action": "confirmed"} for one in held]
    applied = apply_answer(Shown(CAMPAIGN, step, records, **shown), answer, corpus)
    assert applied.warnings == ()
    record(home, applied.decisions, by)
    return [one.fact.fact for one in applied.decisions if one.fact is not None]


def judged(*pairs: tuple[str, Any], merges: tuple[Merge, ...] = ()) -> PruneAnswer:
    """An answer to a prune item: facts with `keep`, `retract`, or a new confidence."""
    said = [
        FactJudged(path=name, action="update", confidence=what)
        if isinstance(what, float)
        else FactJudged(path=name, action=what)
        for name, what in pairs
    ]
    return PruneAnswer(decisions=tuple(said), merges=merges)


def distilled(title: str, *refs: str, retract: tuple[str, ...] = ()) -> DistillAnswer:
    """An answer to a distill item with one synthesis."""
    return DistillAnswer(synthesize=(NewFact(title=title, body=f"{title}, all agree.", refs=refs),), retract=retract)


def some_research(home: Home) -> None:
    """Base facts of research, two like experiments and three lessons."""
    rig = a_run(home)
    say_research(rig)
    for number in range(2):
        say_experiment(rig, f"e{number}", title="wider layer", status="improved", metric="loss", value=0.5)
    for text in ("Warm the cache first.", "Warm the cache before reading.", "Disks are slow when cold."):
        say_note(rig, "lesson", text)
    settle(home)


def history(home: Home) -> dict[str, str]:
    """Research, and decisions on it with every verb; the ids of what they are about."""
    some_research(home)
    found = {name: one.fact.fact for name, one in facts(home).items()}
    notes = sorted(name for name in found if name.startswith("note:"))
    corpus = read_folded(opened(home), CAMPAIGN).corpus
    twins = (found["experiment:e0"], found["experiment:e1"], 1.0)
    record(home, dedup(corpus.live(), [twins]), ENGINE, None)
    text = Replacement(title="Warm the cache first", body="Both say so.", type="principle")
    pair = (found[notes[0]], found[notes[1]])
    names = ["finding:f1", "finding:f2", "claim:c3"]
    verdicts = zip((found[name] for name in names), ("keep", 0.25, "retract"), strict=True)
    answer = judged(*verdicts, merges=(Merge(paths=pair, merged=text),))
    ids = [found[name] for name in names] + list(pair)
    _, merged = decide(home, "prune", ids, answer)
    sources = (merged, found["finding:f1"])
    (synthesis,) = decide(home, "distill", sources, distilled("Warming pays", *sources, retract=(sources[1],)))
    (deeper,) = decide(
        home, "distill", [synthesis, found["claim:c1"]], distilled("It all does", synthesis, found["claim:c1"]), depth=1
    )
    moved = (found["hypothesis:h1"], found["hypothesis:h2"])
    said = MethodologyProposed(title="Measure twice", body="One is none.", transition_paths=moved, novelty_argument="-")
    (methodology,) = decide(home, "reflect", moved, ReflectAnswer(reasoning="-", reinforce=(), propose=(said,)))
    again = Reinforcement(methodology_path=methodology, transition_paths=moved, rationale="It did.")
    decide(home, "reflect", moved, ReflectAnswer(reasoning="-", reinforce=(again,), propose=()))
    guess = NewHypothesis(
        title="Twice as warm is twice as fast",
        body="By the same reasoning.",
        prediction="2 ms",
        falsifier="4 ms",
        confidence=0.5,
        refs=(synthesis, merged),
    )
    (prediction,) = decide(home, "hypothesize", [synthesis], HypothesizeAnswer(hypothesis=guess))
    refs = (found["claim:c1"], found["claim:c2"])
    seen = Proposal(title="So it is", body="As both say.", type="synthesis", confidence=0.8, refs=refs)
    (discovered,) = decide(home, "discover", refs, DiscoverAnswer(proposals=(seen,)), direction="forward")
    made = {"merged": merged, "synthesis": synthesis, "deeper": deeper, "methodology": methodology}
    return found | made | {"prediction": prediction, "discovered": discovered}


def tables(home: Home) -> SynthesisTables:
    return SynthesisTables(opened(home), CAMPAIGN)
