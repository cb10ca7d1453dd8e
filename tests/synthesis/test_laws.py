"""Laws of decisions and folds, on random campaigns: a replay is the first time over, and order never counts."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.synthesis.histories import base_facts, history, rows
from tests.synthesis.making import fact, name
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.decisions import Decision, counts_of, decision_of
from thermite_pipelines.synthesis.fold import fold
from thermite_pipelines.synthesis.work import Counts

SEEDS = st.integers(0, 2**32)


def logged(decision: Decision) -> Decision:
    """A decision as it comes back from the log."""
    return decision_of(msgspec.json.decode(msgspec.json.encode(decision.stored() | {"decision": decision.number})))


def changes(before: Corpus, after: Corpus) -> Counts:
    """What two sets of facts differ in, told by the facts alone."""
    was, now = before.live(), after.live()
    gone = [after.all()[name] for name in was if name not in now]
    stand_ins = {held.superseded_by for held in gone if held.superseded_by is not None}
    absorbing = {name for name in stand_ins if name in was or now[name].title != "Derived"}
    new = {name for name in now if name not in was and name not in absorbing and now[name].type != "methodology"}
    taken_back = [held for held in gone if held.superseded_by not in absorbing]
    doubted = [name for name in now.keys() & was.keys() - absorbing if now[name].confidence != was[name].confidence]
    return Counts(pruned=len(taken_back), merged=len(absorbing), updated=len(doubted), synthesized=len(new))


def check_replay(seed: int) -> None:
    dice = random.Random(seed)
    base, steps, corpora = history(dice)
    decisions = [logged(one) for step in steps for one in step]
    folded = fold(dice.sample(base, len(base)), dice.sample(decisions, len(decisions)))
    assert folded.stale == () and list(folded.applied) == decisions
    assert rows(folded.corpus) == rows(corpora[-1])


@given(SEEDS)
@settings(max_examples=60)
def test_a_replay_is_the_first_time_over_whatever_the_order(seed: int) -> None:
    check_replay(seed)


@pytest.mark.full
@given(SEEDS)
@settings(max_examples=5_000)
def test_a_replay_is_the_first_time_over_many_times(seed: int) -> None:
    check_replay(seed)


@given(SEEDS)
@settings(max_examples=60)
def test_sy_28_counts_are_the_difference_of_the_fact_sets(seed: int) -> None:
    _, steps, corpora = history(random.Random(seed))
    for step, before, after in zip(steps, corpora, corpora[1:], strict=False):
        assert changes(before, after) == counts_of(step)


@given(SEEDS)
@settings(max_examples=60)
def test_changed_base_facts_lose_nothing_that_no_applied_decision_took(seed: int) -> None:
    dice = random.Random(seed)
    base, steps, _ = history(dice)
    decisions = [one for step in steps for one in step]
    kept = [
        msgspec.structs.replace(one, sources=one.sources + 1) if dice.random() < 0.2 else one
        for one in base
        if dice.random() < 0.9
    ]
    folded = fold(kept, decisions)
    assert [one.number for one in sorted((*folded.applied, *(s.decision for s in folded.stale)), key=_number)] == [
        one.number for one in decisions
    ]
    took = {key[0] for one in folded.applied if one.verb in ("retract", "merge") for key in one.inputs}
    assert {one.fact for one in kept} - took <= set(folded.corpus.live())
    again = fold(kept, folded.applied)
    assert again.stale == () and rows(again.corpus) == rows(folded.corpus), "what is stale leaves no trace"


def _number(decision: Decision) -> int:
    return decision.number


@given(SEEDS)
@settings(max_examples=40)
def test_live_facts_and_their_stand_ins_hang_together(seed: int) -> None:
    _, _, corpora = history(random.Random(seed))
    for name_, held in corpora[-1].all().items():
        assert held.is_live == (corpora[-1].read(name_) is not None)
        assert held.retracted_by is not None or held.superseded_by is None
        assert held.superseded_by is None or corpora[-1].kept(held.superseded_by) is not None
        assert 0 <= held.fact.evidence_weight < 1
        if held.fact.origin == "distilled" and held.fact.title == "Derived":
            assert len(corpora[-1].cited_by(held.fact)) >= 2


@given(SEEDS)
@settings(max_examples=20)
def test_sy_17_no_pragmatic_fact_is_touched_or_cited(seed: int) -> None:
    base, _, corpora = history(random.Random(seed))
    rules = {one.fact for one in base if one.kind == "pragmatic"}
    for rule in rules:
        assert corpora[-1].all()[rule] == corpora[0].all()[rule]
    for held in corpora[-1].all().values():
        if held.fact.title == "Derived":
            assert rules.isdisjoint(corpora[-1].cited_by(held.fact))


def test_a_long_log_is_folded_in_time_linear_to_it() -> None:
    base = base_facts(random.Random(3)) + [fact(number) for number in range(100, 3_100)]
    decisions = [
        Decision(verb="retract", step="prune", inputs=(one.key,), output={"superseded_by": None}, number=number)
        for number, one in enumerate(base, 1)
        if one.fact >= name(100)
    ]
    folded = fold(base, decisions)
    assert len(folded.applied) == 3_000 and len(folded.corpus.live()) == len(base) - 3_000
