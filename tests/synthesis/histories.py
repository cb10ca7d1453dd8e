"""Random campaigns: base facts, and answers of every kind to items of what lives, as a session would give them."""

import random
from typing import Any

import msgspec

from tests.synthesis.making import fact, name, numbered, shown
from thermite_pipelines.synthesis.answers import (
    DistillAnswer,
    FactJudged,
    Merge,
    MethodologyProposed,
    NewFact,
    PruneAnswer,
    ReflectAnswer,
    Reinforcement,
    Replacement,
)
from thermite_pipelines.synthesis.applying import Shown, apply_answer
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.decisions import Decision
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.merging import dedup

TYPES = ["observation", "observation", "concept", "reference", "hypothesis", "methodology", "heuristic"]


def base_facts(dice: random.Random, most: int = 9) -> list[Fact]:
    many = dice.randint(2, most)
    return [
        fact(
            number,
            f"Claim {dice.randint(1, most)}",
            type=dice.choice(TYPES),
            confidence=dice.randint(0, 10) / 10,
            sources=dice.randint(0, 4),
            domain=tuple(dice.sample(["a", "b", "c"], dice.randint(0, 2))),
            refs=tuple(name(dice.randint(1, most)) for _ in range(dice.randint(0, 2))),
        )
        for number in range(1, many + 1)
    ]


def prune_answer(dice: random.Random, facts: list[Fact]) -> PruneAnswer:
    """Some facts merged by twos and threes, of the others some judged."""
    left = dice.sample(facts, len(facts))
    merges = []
    while len(left) > 3 and dice.random() < 0.5:
        taken = [left.pop() for _ in range(dice.randint(2, 3))]
        kept = dice.choice([None, taken[0].fact])
        said = Replacement(
            path=kept, title="Merged", body="As one.", type=dice.choice(["observation", "synthesis"]), confidence=0.5
        )
        merges.append(Merge(paths=tuple(one.fact for one in taken), merged=said))
    judged = [
        FactJudged(
            path=one.fact, action=dice.choice(["keep", "retract", "update"]), confidence=dice.randint(0, 10) / 10
        )
        for one in left
        if dice.random() < 0.5
    ]
    return PruneAnswer(decisions=tuple(judged), merges=tuple(merges))


def distill_answer(dice: random.Random, facts: list[Fact]) -> DistillAnswer:
    """Up to two syntheses, and some of the facts retracted."""
    if len(facts) < 2:
        return DistillAnswer(synthesize=())
    new = [
        NewFact(
            title="Derived",
            body="It follows.",
            refs=tuple(one.fact for one in dice.sample(facts, dice.randint(2, min(4, len(facts))))),
        )
        for _ in range(dice.randint(0, 2))
    ]
    retract = tuple(one.fact for one in facts if dice.random() < 0.2)
    return DistillAnswer(synthesize=tuple(new), retract=retract)


def reflect_answer(dice: random.Random, corpus: Corpus, transitions: list[str]) -> ReflectAnswer:
    methods = [one.fact for one in corpus.live().values() if one.type == "methodology"]
    reinforce = [
        Reinforcement(methodology_path=method, transition_paths=(dice.choice(transitions),), rationale="So.")
        for method in methods[:2]
    ]
    said = MethodologyProposed(
        title="Way", body="Do.", transition_paths=(dice.choice(transitions),), novelty_argument="N"
    )
    return ReflectAnswer(reasoning="", reinforce=tuple(reinforce), propose=(said,) if dice.random() < 0.3 else ())


def step_of(dice: random.Random, corpus: Corpus) -> tuple[str, list[Decision]]:
    """A step on what lives, and the decisions that it comes to."""
    facts = [one for one in corpus.live().values() if one.kind == "epistemic"]
    step = dice.choice(["prune", "distill", "reflect", "dedup"])
    if step == "dedup":
        pairs = [
            (a.fact, b.fact, dice.random()) for a in facts for b in facts if a.fact < b.fact and a.title == b.title
        ]
        return step, dedup(corpus.live(), pairs)
    if step == "reflect":
        transitions = [one.fact.fact for one in corpus.all().values() if one.fact.type == "hypothesis"]
        if not transitions:
            return step, []
        records: list[dict[str, Any]] = [{"path": path} for path in transitions]
        answer: Any = reflect_answer(dice, corpus, transitions)
        return step, list(apply_answer(Shown("sweep", "reflect", records), answer, corpus).decisions)
    item = dice.sample(facts, dice.randint(0, len(facts)))
    answer = (prune_answer if step == "prune" else distill_answer)(dice, item)
    return step, list(apply_answer(shown(step, item), answer, corpus).decisions)


def history(dice: random.Random, most: int = 8) -> tuple[list[Fact], list[list[Decision]], list[Corpus]]:
    """Base facts, the decisions of each step as the log has them, and the facts before the first and after each."""
    base = base_facts(dice)
    corpora, steps, number = [Corpus(base)], [], 1
    for _ in range(dice.randint(1, most)):
        _, decisions = step_of(dice, corpora[-1])
        steps.append(numbered(decisions, number))
        number += len(decisions)
        corpus = corpora[-1].copy()
        for decision in steps[-1]:
            assert corpus.apply(decision) is None
        corpora.append(corpus)
    return base, steps, corpora


def rows(corpus: Corpus) -> bytes:
    return msgspec.json.encode([held.row() for held in corpus.all().values()])
