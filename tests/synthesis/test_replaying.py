"""Replays on facts that moved on: words end a decision, nothing else does; what wasn't judged is taken as it is now."""

import random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.synthesis.histories import history, rows
from tests.synthesis.making import answered, fact, name, numbered
from thermite_pipelines.synthesis.answers import FactJudged, Merge, PruneAnswer, Replacement
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.decisions import Decision, fact_output
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.fold import Folded, fold
from thermite_pipelines.synthesis.merging import dedup

SAID = ("type", "title", "body", "domain", "entities", "confidence", "sources", "refs", "origin")
SEEDS = st.integers(0, 2**32)


def changed(one: Fact, **more: Any) -> Fact:
    return msgspec.structs.replace(one, **more)


def decided(verb: Any, *inputs: Fact, step: str = "distill", **output: Any) -> Decision:
    return Decision(verb=verb, step=step, inputs=tuple(one.key for one in inputs), output=output)


def moved_on(dice: random.Random, one: Fact) -> Fact:
    """The same words, said by others, trusted otherwise, with more tags and references."""
    return changed(
        one,
        confidence=dice.randint(0, 10) / 10,
        sources=one.sources + dice.randint(0, 3),
        domain=(*one.domain, *dice.sample(["d", "e"], dice.randint(0, 2))),
        entities=(*one.entities, *dice.sample(["AdamW", "RoPE"], dice.randint(0, 2))),
        refs=(*one.refs, *dice.sample(["https://a.org", "https://b.org"], dice.randint(0, 2))),
    )


def check_moved_on(seed: int) -> None:
    dice = random.Random(seed)
    base, steps, corpora = history(dice)
    decisions = [one for step in steps for one in step]
    now = [moved_on(dice, one) for one in base]
    folded = fold(now, decisions)
    assert folded.stale == () and list(folded.applied) == decisions
    before, after = corpora[-1].all(), folded.corpus.all()
    for name_, held in before.items():
        new = after[name_]
        assert (new.is_live, new.retracted_by, new.superseded_by) == (
            held.is_live,
            held.retracted_by,
            held.superseded_by,
        )
        assert (new.fact.type, new.fact.title, new.fact.body) == (held.fact.type, held.fact.title, held.fact.body)
        assert set(held.fact.domain) <= set(new.fact.domain) and set(held.fact.refs) <= set(new.fact.refs)
        assert new.fact.sources >= held.fact.sources
    shuffled = fold(dice.sample(now, len(now)), dice.sample(decisions, len(decisions)))
    assert rows(shuffled.corpus) == rows(folded.corpus)


@given(SEEDS)
@settings(max_examples=60)
def test_other_numbers_tags_and_references_end_no_decision(seed: int) -> None:
    check_moved_on(seed)


@pytest.mark.full
@given(SEEDS)
@settings(max_examples=2_000)
def test_other_numbers_tags_and_references_end_no_decision_many_times(seed: int) -> None:
    check_moved_on(seed)


@given(SEEDS)
@settings(max_examples=60)
def test_other_words_end_every_decision_on_them_and_are_named(seed: int) -> None:
    dice = random.Random(seed)
    base, steps, _ = history(dice)
    decisions = [one for step in steps for one in step]
    place = dice.randrange(len(base))
    other = base[place].fact
    now = [changed(one, body="It is otherwise.") if one.fact == other else one for one in base]
    folded = fold(now, decisions)
    resting = [one.number for one in decisions if other in dict(one.inputs)]
    assert {one.decision.number for one in folded.stale} >= set(resting)
    if resting:
        assert folded.stale[0].decision.number == resting[0]
        assert folded.stale[0].why.startswith(f"{other} says something else now")
    else:
        assert folded.stale == ()


@given(SEEDS)
@settings(max_examples=60)
def test_on_unchanged_facts_what_is_written_is_what_was_decided(seed: int) -> None:
    _, steps, corpora = history(random.Random(seed))
    for step, before in zip(steps, corpora, strict=False):
        corpus = before.copy()
        for decision in step:
            assert corpus.apply(decision) is None
            if decision.fact is not None:
                kept = corpus.kept(decision.fact.fact)
                assert kept is not None
                assert [getattr(kept.fact, part) for part in SAID] == [getattr(decision.fact, part) for part in SAID]


def said_once_more(*facts: Fact) -> list[Fact]:
    return [changed(one, sources=one.sources + 1) for one in facts]


def live(folded: Folded, number: int) -> Fact:
    found = folded.corpus.read(name(number))
    assert found is not None
    return found


def test_a_synthesis_stays_and_weighs_more_when_a_source_is_said_once_more() -> None:
    one, two = fact(1, confidence=0.8), fact(2)
    whole = fact(9, "Both together", type="synthesis", refs=(name(1), name(2)))
    log = numbered([decided("synthesize", one, two, **fact_output(whole))])
    assert live(fold([one, two], log), 9).evidence_weight == pytest.approx(1.3 / 2.3)
    folded = fold(said_once_more(one, two), log)
    assert folded.stale == () and live(folded, 9).evidence_weight == pytest.approx(2.6 / 3.6)
    [stale] = fold([one, changed(two, title="Something else")], log).stale
    assert name(2) in stale.why


@pytest.mark.parametrize("verb", ["keep", "retract", "propose", "hypothesize", "discover"])
def test_a_fact_said_once_more_ends_none_of_the_others(verb: Any) -> None:
    one = fact(1)
    type_ = {"propose": "methodology", "hypothesize": "hypothesis", "discover": "synthesis"}.get(verb)
    output: dict[str, Any] = {"superseded_by": None} if verb == "retract" else {}
    if type_:
        output = fact_output(fact(9, type=type_, refs=(name(1),)))
    log = numbered([decided(verb, one, **output)])
    assert fold(said_once_more(one), log).stale == ()
    folded = fold([changed(one, body="No.")], log)
    assert len(folded.stale) == 1 and list(folded.corpus.live()) == [name(1)], "what was taken back is there again"


def test_a_fact_retracted_for_a_synthesis_stays_retracted_while_both_say_what_they_said() -> None:
    one, two = fact(1), fact(2)
    whole = fact(9, "Both together", type="synthesis", refs=(name(1), name(2)))
    log = numbered(
        [
            decided("synthesize", one, two, **fact_output(whole)),
            decided("retract", one, whole, superseded_by=whole.fact),
        ]
    )
    folded = fold(said_once_more(one, two), log)
    assert folded.stale == () and list(folded.corpus.live()) == [name(2), name(9)]
    assert [one.decision.number for one in fold([one, changed(two, body="No.")], log).stale] == [1, 2]


def test_an_update_writes_the_confidence_alone() -> None:
    one = fact(1, confidence=0.5)
    answer = PruneAnswer(decisions=(FactJudged(path=name(1), action="update", confidence=0.2),))
    applied, _ = answered("prune", [one], answer)
    now = changed(one, confidence=0.9, sources=4, domain=("late",), refs=("https://a.org",))
    assert live(fold([now], numbered(applied.decisions)), 1) == changed(now, confidence=0.2)


def test_a_reinforcement_adds_the_reference_alone() -> None:
    guess, way = fact(1, type="hypothesis", refs=("https://a.org",)), fact(2, type="methodology")
    citing = changed(guess, refs=("https://a.org", name(2)))
    log = numbered([decided("reinforce", guess, way, step="reflect", **fact_output(citing, rationale="So."))])
    now = changed(guess, confidence=0.1, refs=("https://b.org",), entities=("RoPE",))
    assert live(fold([now, way], log), 1) == changed(now, refs=("https://b.org", name(2)))


def test_a_survivor_keeps_its_words_and_takes_over_what_the_other_has_now() -> None:
    one, two = fact(1, confidence=0.6, sources=1, domain=("a",)), fact(2, sources=2, domain=("b",))
    log = numbered(dedup({name(1): one, name(2): two}, [(name(1), name(2), 0.9)]))
    now = [changed(one, confidence=0.7, sources=3), changed(two, confidence=1.0, sources=5, domain=("c",))]
    survivor = live(fold(now, log), 1)
    assert (survivor.title, survivor.confidence, survivor.sources) == (one.title, 0.7, 8), (
        "chosen once, though surer now"
    )
    assert survivor.domain == ("a", "c") and survivor.refs == (name(2),)


@pytest.mark.parametrize("kept", [None, name(1)])
def test_a_merge_keeps_its_words_and_pools_what_the_facts_hold_now(kept: str | None) -> None:
    one, two = fact(1, sources=1, domain=("a",)), fact(2, sources=2, entities=("AdamW",))
    said = Replacement(path=kept, title="As one", body="Both.", type="principle", confidence=0.4, domain=("own",))
    answer = PruneAnswer(decisions=(), merges=(Merge(paths=(name(1), name(2)), merged=said),))
    applied, _ = answered("prune", [one, two], answer)
    now = [
        changed(one, confidence=0.9, sources=3, domain=("a", "late"), refs=("https://a.org",)),
        changed(two, sources=4, entities=("AdamW", "RoPE")),
    ]
    folded = fold(now, numbered(applied.decisions))
    [merged] = folded.corpus.live().values()
    assert (merged.title, merged.body, merged.type, merged.confidence) == ("As one", "Both.", "principle", 0.4)
    assert (merged.domain, merged.entities, merged.sources) == (("own", "a", "late"), ("AdamW", "RoPE"), 7)
    assert "https://a.org" in merged.refs and merged.fact not in merged.refs
    assert (merged.fact == name(1)) == (kept is not None)


def test_a_merge_of_other_words_is_stale_and_both_facts_are_there() -> None:
    one, two = fact(1), fact(2)
    log = numbered(dedup({name(1): one, name(2): two}, [(name(1), name(2), 0.9)]))
    folded = fold([one, changed(two, body="No.")], log)
    assert [stale.decision.number for stale in folded.stale] == [1] and set(folded.corpus.live()) == {name(1), name(2)}


def test_a_synthesis_that_a_merge_made_has_the_depth_of_its_item() -> None:
    one, two = fact(1), fact(2)
    said = Replacement(path=name(1), title="As one", body="Both.", type="synthesis")
    answer = PruneAnswer(decisions=(), merges=(Merge(paths=(name(1), name(2)), merged=said),))
    _, corpus = answered("prune", [one, two], answer, Corpus([one, two]))
    merged = corpus.read(name(1))
    assert merged is not None and (merged.type, merged.depth) == ("synthesis", 0)
