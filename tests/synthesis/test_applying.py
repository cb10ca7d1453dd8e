"""Answers to prune and distill items: what they come to, what is refused, what is left out with a warning."""

from typing import Any

import msgspec
import pytest

from tests.synthesis.making import CAMPAIGN, after, answered, fact, name, shown
from thermite_pipelines.synthesis.answers import (
    DistillAnswer,
    FactJudged,
    HypothesizeAnswer,
    Merge,
    NewFact,
    NewHypothesis,
    NewMethodology,
    PruneAnswer,
    Replacement,
)
from thermite_pipelines.synthesis.applying import apply_answer
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.work import Counts, Refused


def judged(number: int, action: Any, confidence: float | None = None) -> FactJudged:
    return FactJudged(path=name(number), action=action, confidence=confidence)


def merge(*numbers: int, kept: int | None = None, **more: Any) -> Merge:
    said: dict[str, Any] = {"title": "In one", "body": "Both say it.", "type": "observation"} | more
    replacement = Replacement(path=None if kept is None else name(kept), **said)
    return Merge(paths=tuple(map(name, numbers)), merged=replacement)


def prune(*decisions: FactJudged, merges: Any = ()) -> PruneAnswer:
    return PruneAnswer(decisions=decisions, merges=tuple(merges))


def cites(*numbers: int, **more: Any) -> NewFact:
    said: dict[str, Any] = {"title": "Together", "body": "They agree.", "confidence": 0.6}
    said |= {"refs": tuple(map(name, numbers))} | more
    return NewFact(**said)


def distill(*facts: NewFact, retract: Any = ()) -> DistillAnswer:
    return DistillAnswer(synthesize=facts, retract=tuple(map(name, retract)))


FACTS = [
    fact(number, confidence=0.5 + number / 20, sources=number, domain=(f"tag {number}",)) for number in range(1, 6)
]


def test_keep_retract_and_update() -> None:
    answer = prune(judged(1, "keep"), judged(2, "retract"), judged(3, "update", 0.9), judged(4, "update", 0.7))
    applied, corpus = answered("prune", FACTS, answer)
    assert [one.verb for one in applied.decisions] == ["keep", "retract", "update", "keep"], "0.7 is what it was"
    assert applied.counts == Counts(pruned=1, updated=1)
    assert set(corpus.live()) == {name(number) for number in (1, 3, 4, 5)}
    doubted = corpus.read(name(3))
    assert doubted is not None and doubted == msgspec.structs.replace(FACTS[2], confidence=0.9)


def test_merging_into_one_of_its_inputs_keeps_the_fact() -> None:
    applied, corpus = answered("prune", FACTS, prune(merges=[merge(1, 2, 3, kept=2, domain=("new",), confidence=0.95)]))
    assert applied.counts == Counts(merged=1)
    assert set(corpus.live()) == {name(number) for number in (2, 4, 5)}
    survivor = corpus.read(name(2))
    assert survivor is not None
    assert (survivor.title, survivor.confidence, survivor.sources, survivor.origin) == ("In one", 0.95, 6, "authored")
    assert survivor.domain == ("new", "tag 3", "tag 2", "tag 1") and survivor.refs == (name(3), name(1))
    assert survivor.evidence_weight == pytest.approx((0.55 + 1.2 + 1.95) / (1 + 0.55 + 1.2 + 1.95))


def test_a_merge_without_one_of_its_inputs_is_a_new_fact() -> None:
    _, corpus = answered("prune", FACTS, prune(merges=[merge(1, 2, type="synthesis")]))
    [new] = [one for one in corpus.live().values() if one.title == "In one"]
    assert new.fact.startswith(f"{CAMPAIGN}/") and new.fact not in {one.fact for one in FACTS}
    assert (new.confidence, new.sources, new.origin) == (0.6, 3, "authored"), (
        "as sure as the better input; it pooled them"
    )
    for number in (1, 2):
        gone = corpus.kept(name(number))
        assert gone is not None and gone.superseded_by == new.fact


def test_syntheses_that_become_one_stay_derived() -> None:
    both = [fact(1, type="synthesis", refs=(name(7),)), fact(2, type="synthesis", refs=(name(7), name(8)))]
    corpus = Corpus([*both, fact(7, confidence=0.8), fact(8, confidence=0.6)])
    applied, corpus = answered("prune", both, prune(merges=[merge(1, 2, type="synthesis")]), corpus)
    assert applied.decisions[0].fact is not None
    new = corpus.read(applied.decisions[0].fact.fact)
    assert new is not None and new.origin == "distilled" and set(new.refs) == {*map(name, (1, 2, 7, 8))}
    assert new.evidence_weight == corpus.weigh([new.fact]) == pytest.approx(1.4 / 2.4)


def test_behaviour_24_a_merge_that_writes_a_hypothesis_is_refused_with_its_path() -> None:
    guess = fact(6, type="hypothesis", confidence=0.4, sources=3)
    facts = [FACTS[0], guess]
    with pytest.raises(Refused, match=rf"{name(6)}.*hypothesis"):
        answered("prune", facts, prune(merges=[merge(1, 6, kept=6, type="hypothesis")]))
    applied, corpus = answered("prune", facts, prune(merges=[merge(1, 6, kept=6, type="synthesis", confidence=0.4)]))
    promoted = corpus.read(name(6))
    assert applied.counts == Counts(merged=1) and promoted is not None
    assert (promoted.type, promoted.sources, promoted.confidence) == ("synthesis", 1, 0.4), "a conjecture is no source"


@pytest.mark.parametrize("kind", ["", "  ", "Synthesis", "speculation", "policy", "heuristic", "hypothesis"])
def test_behaviour_26_types_that_prune_and_distill_cannot_write(kind: str) -> None:
    for step, answer in (
        ("prune", prune(merges=[merge(1, 2, type=kind)])),
        ("distill", distill(cites(1, 2, type=kind))),
    ):
        with pytest.raises(Refused, match="type"):
            answered(step, FACTS, answer)


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        (prune(judged(1, "keep"), judged(1, "retract")), name(1)),
        (prune(judged(2, "retract"), merges=[merge(1, 2)]), name(2)),
        (prune(merges=[merge(1, 2), merge(2, 3)]), name(2)),
        (prune(merges=[merge(3, 3)]), name(3)),
        (prune(judged(4, "update")), name(4)),
        (prune(judged(9, "keep"), judged(8, "keep")), f"{name(9)}, {name(8)}"),
        (prune(merges=[merge(1, 9)]), name(9)),
        (prune(merges=[merge(1, 2, refs=(name(98), name(99)))]), f"{name(98)}, {name(99)}"),
        (distill(cites(1, 2), retract=[9]), name(9)),
        (distill(cites(1, 99)), "cites"),
        (distill(cites(1)), "cites 1 of"),
        (distill(cites(1, 1)), "cites 1 of"),
        (distill(cites()), "cites 0 of"),
    ],
)
def test_what_can_be_known_to_fail_is_refused_whole(answer: Any, names: str) -> None:
    step = "prune" if isinstance(answer, PruneAnswer) else "distill"
    with pytest.raises(Refused) as refused:
        answered(step, FACTS, answer)
    assert names in str(refused.value)


def test_sy_20_a_synthesis_cites_facts_of_its_item() -> None:
    answer = distill(cites(3, 1, domain=("Web-Metrics",), entities=("AdamW",)))
    applied, corpus = answered("distill", FACTS, answer)
    [new] = [corpus.read(one.fact) for one in applied.written]
    assert new is not None and applied.counts == Counts(synthesized=1)
    assert (new.type, new.origin, new.sources, new.confidence) == ("synthesis", "distilled", 1, 0.6)
    assert new.refs == (name(3), name(1)) and new.domain == ("web metrics",) and new.depth == 0
    assert new.evidence_weight == pytest.approx((0.55 + 3 * 0.65) / (1 + 0.55 + 3 * 0.65))
    assert set(corpus.live()) == {one.fact for one in FACTS} | {new.fact}, "its sources stay alive"


def test_sy_32_a_synthesis_has_the_depth_of_its_item() -> None:
    for depth in range(4):
        applied = apply_answer(shown("distill", FACTS, depth=depth), distill(cites(1, 2)), Corpus(FACTS))
        assert [one.depth for one in applied.written] == [depth]


def test_a_synthesis_without_a_confidence_is_as_sure_as_its_least_sure_source() -> None:
    applied, _ = answered("distill", FACTS, distill(cites(2, 4, confidence=None)))
    assert applied.written[0].confidence == 0.6


def test_only_a_synthesis_is_distilled() -> None:
    applied, corpus = answered("distill", FACTS, distill(cites(1, 2, type="principle")))
    [new] = [corpus.read(one.fact) for one in applied.written]
    assert new is not None and (new.origin, new.depth) == ("authored", None) and new.evidence_weight > 0


def test_sy_17_pragmatic_facts_are_never_cited() -> None:
    rule = fact(7, type="heuristic")
    with pytest.raises(Refused, match=name(7)):
        answered("distill", FACTS, distill(cites(1, 2, 7)), Corpus([*FACTS, rule]))


def test_references_are_kept_in_one_spelling() -> None:
    refs = (name(1).upper(), name(1), f" {name(2)}", "https://a.org/X", "note:rig-a/run/N1", f"other/{5:012x}", "")
    applied, _ = answered("distill", FACTS, distill(cites(refs=refs)))
    assert applied.written[0].refs == (name(1), name(2), "https://a.org/X", "note:rig-a/run/N1", f"other/{5:012x}")


def test_behaviour_40_an_answer_that_says_nothing_changes_nothing() -> None:
    for step, answer in (("distill", distill()), ("prune", prune())):
        applied, corpus = answered(step, FACTS, answer)
        assert applied.decisions == () and applied.warnings == () and applied.counts == Counts()
        assert corpus.all() == Corpus(FACTS).all()


def test_a_fact_retracted_for_a_synthesis_rests_on_it() -> None:
    applied, corpus = answered("distill", FACTS, distill(cites(1, 2), cites(2, 3), retract=[2, 5]))
    first, second, for_them, alone = applied.decisions
    assert first.fact and second.fact and first.fact.fact != second.fact.fact
    assert for_them.inputs == (FACTS[1].key, first.fact.key, second.fact.key)
    assert for_them.output == {"superseded_by": first.fact.fact} and alone.inputs == (FACTS[4].key,)
    assert applied.counts == Counts(synthesized=2, pruned=2)
    gone = corpus.kept(name(2))
    assert gone is not None and gone.superseded_by == first.fact.fact


def moved(*numbers: int, **more: Any) -> Corpus:
    """The facts where some of them say something else, or have other numbers, since they were shown."""
    return Corpus(msgspec.structs.replace(one, **more) if one.fact in set(map(name, numbers)) else one for one in FACTS)


def test_what_says_something_else_by_now_is_left_out_with_a_warning() -> None:
    answer = prune(judged(1, "retract"), judged(3, "retract"), merges=[merge(2, 4)])
    applied, _ = answered("prune", FACTS, answer, moved(1, 2, title="Something else"))
    assert [one.about for one in applied.decisions] == [name(3)]
    assert any(name(1) in line for line in applied.warnings) and any("not merged" in line for line in applied.warnings)


def test_other_numbers_are_no_reason_to_leave_a_fact_out() -> None:
    corpus = moved(1, 2, confidence=0.9, sources=8)
    applied, after_it = answered("distill", FACTS, distill(cites(1, 2), retract=[1]), corpus)
    assert [one.verb for one in applied.decisions] == ["synthesize", "retract"] and not applied.warnings
    assert applied.decisions[0].inputs == (corpus.live()[name(1)].key, corpus.live()[name(2)].key)
    assert after_it.read(name(1)) is None


def test_nothing_is_retracted_for_a_synthesis_that_was_left_out() -> None:
    applied, corpus = answered("distill", FACTS, distill(cites(1, 2), retract=[2]), moved(1, body="Not so."))
    assert applied.decisions == () and len(applied.warnings) == 3
    assert corpus.read(name(2)) == FACTS[1]


def test_a_fact_that_was_merged_meanwhile_is_no_source_any_more() -> None:
    _, corpus = answered("prune", FACTS, prune(merges=[merge(1, 2, kept=2, title=FACTS[1].title, body=FACTS[1].body)]))
    applied, _ = answered("distill", FACTS, distill(cites(1, 2, 3)), corpus)
    [decision] = applied.decisions
    assert [fact_id for fact_id, _ in decision.inputs] == [name(2), name(3)]
    assert decision.fact is not None and decision.fact.refs == (name(1), name(2), name(3)), (
        "what it says it cites stays"
    )


def test_an_answer_given_twice_makes_other_facts() -> None:
    corpus = Corpus(FACTS)
    ids: set[str] = set()
    for turn in range(3):
        applied = apply_answer(shown("distill", FACTS), distill(cites(1, 2)), corpus)
        assert applied == apply_answer(shown("distill", FACTS), distill(cites(1, 2)), corpus), "the same each time"
        corpus = after(corpus, applied, first=turn * 10 + 1)
        ids |= {one.fact for one in applied.written}
    assert len(ids) == 3


def test_applying_leaves_the_facts_it_was_given_alone() -> None:
    corpus = Corpus(FACTS)
    before = corpus.all()
    apply_answer(shown("prune", FACTS), prune(judged(1, "retract"), merges=[merge(2, 3)]), corpus)
    assert corpus.all() == before


def test_the_order_of_an_items_facts_makes_no_difference() -> None:
    answer = distill(cites(1, 2), cites(4, 3), retract=[3])
    told: list[bytes] = []
    for facts in (FACTS, FACTS[::-1]):
        _, corpus = answered("distill", facts, answer)
        told.append(msgspec.json.encode([held.row() for held in corpus.all().values()]))
    assert told[0] == told[1]


KEY = "gh" + "p_" + "aZ9bY8cX7dW6eV5fU4gT3hS2iR1jQ0kP9lO8"


def test_no_credential_of_an_answer_is_stored() -> None:
    said = cites(1, 2, title=f"Use {KEY}", body=f"It works with {KEY} alone.", entities=(KEY,))
    linking = cites(3, 4, refs=(name(3), name(4), f"https://me:{KEY}@example.org/a"))
    applied, corpus = answered("distill", FACTS, distill(said, linking))
    assert KEY not in repr(applied) and KEY not in repr(corpus.all())
    assert [one.title for one in applied.written] == ["Use [redacted]", "Together"]
    merged, _ = answered("prune", FACTS, prune(merges=[merge(1, 2, body=f"Both need {KEY}.")]))
    assert KEY not in repr(merged)


def test_no_credential_of_a_hypothesis_is_stored() -> None:
    synthesis = fact(9, type="synthesis")
    said: dict[str, Any] = {
        "title": f"With {KEY}",
        "body": f"So {KEY}.",
        "prediction": f"{KEY} works",
        "falsifier": f"{KEY} fails",
    }
    guess = NewHypothesis(**said, confidence=0.5, refs=(synthesis.fact,))
    way = NewMethodology(title=f"Try {KEY}", body=f"By {KEY}.")
    applied, _ = answered("hypothesize", [synthesis], HypothesizeAnswer(hypothesis=guess, methodology=way))
    assert [one.verb for one in applied.decisions] == ["hypothesize", "propose"]
    assert KEY not in repr(applied)
    assert applied.decisions[0].output["prediction"] == "[redacted] works"
