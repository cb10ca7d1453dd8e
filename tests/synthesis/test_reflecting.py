"""Answers to reflect, hypothesize and discover items."""

from typing import Any

import pytest

from tests.synthesis.making import after, answered, fact, name
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.answers import (
    DiscoverAnswer,
    HypothesizeAnswer,
    MethodologyProposed,
    NewHypothesis,
    NewMethodology,
    Proposal,
    ReflectAnswer,
    Reinforcement,
)
from thermite_pipelines.synthesis.applying import Applied, Limits, Shown, apply_answer, shown_of
from thermite_pipelines.synthesis.corpus import Corpus, Held
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.work import Counts, Item, Refused

GUESSES = [fact(number, type="hypothesis") for number in (1, 2, 3)]
METHOD = fact(8, "Ask what would prove it false", type="methodology")
RETRACTED = "decision:sweep/90"


def facts(*retracted: int) -> Corpus:
    gone = [
        Held(fact=one, retracted_by=RETRACTED) if place in retracted else one for place, one in enumerate(GUESSES, 1)
    ]
    return Corpus([*gone, METHOD, fact(9)])


def item(*numbers: int) -> Shown:
    records = [{"path": name(number), "original_type": "hypothesis", "action": "retracted"} for number in numbers]
    return Shown("sweep", "reflect", records)


def reinforce(*numbers: int, method: int = 8) -> Reinforcement:
    return Reinforcement(
        methodology_path=name(method), transition_paths=tuple(map(name, numbers)), rationale="It held."
    )


def propose(title: str = "Vary one thing", *, at: int = 1, **more: Any) -> MethodologyProposed:
    said: dict[str, Any] = {
        "body": "One change, one run.",
        "novelty_argument": "None says so.",
        "confidence": 0.6,
    } | more
    return MethodologyProposed(title=title, transition_paths=(name(at),), **said)


def reflected(corpus: Corpus, *, reinforced: Any = (), proposed: Any = (), **more: Any) -> Applied:
    answer = ReflectAnswer(reasoning="", reinforce=tuple(reinforced), propose=tuple(proposed))
    return apply_answer(item(1, 2, 3), answer, corpus, **more)


def citing(corpus: Corpus, method: str) -> int:
    """How often a methodology was reinforced: the facts that cite it, live or not."""
    return sum(method in corpus.cited_by(held.fact) for held in corpus.all().values())


def test_behaviour_42_transitions_cite_the_methodology_each_once() -> None:
    corpus = facts()
    for turn in range(3):
        applied = reflected(corpus, reinforced=[reinforce(1, 2)])
        corpus = after(corpus, applied, first=turn * 10 + 1)
        assert len(applied.decisions) == (2 if turn == 0 else 0)
        assert applied.counts == Counts(), "reflect adds nothing to the totals"
    assert citing(corpus, METHOD.fact) == 2


def test_sy_24_the_reinforcements_are_the_facts_that_cite_it() -> None:
    corpus = after(facts(), reflected(facts(), reinforced=[reinforce(1), reinforce(3)]))
    corpus = after(corpus, reflected(corpus, reinforced=[reinforce(3, 2)]), first=10)
    assert citing(corpus, METHOD.fact) == 3
    assert not [column for column in corpus.all()[METHOD.fact].row() if "count" in column or "reinforce" in column]


def test_sy_24_a_retracted_transition_takes_the_reference_and_stays_retracted() -> None:
    applied = reflected(facts(2), reinforced=[reinforce(1, 2)])
    live, gone = applied.decisions
    assert live.left_live == live.fact and gone.left_live is None
    kept = after(facts(2), applied).kept(name(2))
    assert kept is not None and kept.fact.refs == (METHOD.fact,)
    assert kept.retracted_by == RETRACTED and not kept.is_live


@pytest.mark.parametrize(("method", "why"), [(77, "no such methodology"), (9, "observation")])
def test_behaviour_45_a_target_that_is_no_methodology_is_named(method: int, why: str) -> None:
    with pytest.raises(Refused, match=rf"{name(method)}.*{why}"):
        reflected(facts(), reinforced=[reinforce(1), reinforce(2, method=method)])


def test_behaviour_46_two_empty_lists_are_an_answer() -> None:
    assert reflected(facts()) == Applied()


def test_behaviour_43_a_proposal_becomes_a_methodology() -> None:
    applied = reflected(facts(1), proposed=[propose(domain=("Method",), refs=(name(1), "https://a.org"))])
    corpus = after(facts(1), applied)
    [new] = [one for one in corpus.live().values() if one.type == "methodology" and one.fact != METHOD.fact]
    assert (new.title, new.sources, new.confidence, new.origin) == ("Vary one thing", 1, 0.6, "authored")
    assert new.refs == (name(1), "https://a.org") and new.domain == ("method",)
    assert applied.decisions[0].output["novelty_argument"] == "None says so."


def test_sy_42_no_citation_is_added_that_the_answer_does_not_make() -> None:
    applied = reflected(facts(), proposed=[propose()])
    assert applied.decisions[0].fact is not None and applied.decisions[0].fact.refs == ()


def test_behaviour_44_a_methodology_that_is_there_already_is_named() -> None:
    with pytest.raises(Refused, match=rf"{METHOD.fact}.*0\.91"):
        reflected(facts(), reinforced=[reinforce(1)], proposed=[propose()], nearest=lambda _: (METHOD.fact, 0.91))


@pytest.mark.parametrize(("cap", "stored"), [(1, 1), (0, 0), (2, 2), (5, 3)])
def test_sy_25_new_methodologies_are_capped(cap: int, stored: int) -> None:
    said = [propose(f"Way {number}") for number in (1, 2, 3)]
    applied = reflected(facts(), proposed=said, limits=Limits(methodologies=cap))
    assert [one.output["fact"]["title"] for one in applied.decisions] == [one.title for one in said[:stored]]
    assert len(applied.warnings) == 3 - stored
    assert all(
        "at most" in line and one.title in line for line, one in zip(applied.warnings, said[stored:], strict=True)
    )


SOURCES = [fact(11), fact(12)]
SYNTHESIS = fact(20, type="synthesis", refs=(name(11), name(12)))


def hypothesis(*cited: int, **more: Any) -> NewHypothesis:
    values: dict[str, Any] = {"title": "It scales", "body": "So far it did.", "confidence": 0.4}
    values |= {"prediction": "At 2B the loss falls too.", "falsifier": "It doesn't at 2B."}
    values |= {"refs": tuple(map(name, cited))} | more
    return NewHypothesis(**values)


def supposed(answer: HypothesizeAnswer, **more: Any) -> tuple[Applied, Corpus]:
    return answered("hypothesize", [SYNTHESIS], answer, Corpus([*SOURCES, SYNTHESIS]), **more)


def test_sy_36_skipping_changes_nothing() -> None:
    applied, corpus = supposed(HypothesizeAnswer(hypothesis=None))
    assert applied == Applied() and len(corpus) == 3


def test_sy_36_a_hypothesis_holds_what_would_prove_it_false() -> None:
    method = NewMethodology(title="Look one scale up", body="Trends break at the next scale.")
    applied, corpus = supposed(HypothesizeAnswer(hypothesis=hypothesis(20, 11), methodology=method))
    first, second = applied.decisions
    assert first.fact is not None and second.fact is not None
    new, way = corpus.read(first.fact.fact), corpus.read(second.fact.fact)
    assert new is not None and way is not None
    assert (new.type, new.origin, new.sources, new.evidence_weight) == ("hypothesis", "authored", 1, 0)
    assert "At 2B the loss falls too." in new.body and "It doesn't at 2B." in new.body
    assert (first.output["prediction"], first.output["falsifier"]) == ("At 2B the loss falls too.", "It doesn't at 2B.")
    assert first.inputs == (SYNTHESIS.key, SOURCES[0].key)
    assert (way.type, way.sources, way.evidence_weight) == ("methodology", 1, 0)


@pytest.mark.parametrize("cited", [(11,), (20,), (20, 99)])
def test_a_hypothesis_cites_the_synthesis_and_one_of_its_sources(cited: tuple[int, ...]) -> None:
    with pytest.raises(Refused):
        supposed(HypothesizeAnswer(hypothesis=hypothesis(*cited)))


def test_a_hypothesis_that_lives_already_refuses_another() -> None:
    with pytest.raises(Refused, match=r"sweep/abc.*0\.88"):
        supposed(HypothesizeAnswer(hypothesis=hypothesis(20, 12)), nearest=lambda _: ("sweep/abc", 0.88))


MEMBERS = [fact(31, confidence=0.8, sources=2), fact(32)]


def proposal(*cited: int, confidence: float = 0.8, kind: str = "synthesis") -> Proposal:
    return Proposal(
        title=f"Of {cited}",
        body="It follows.",
        type=kind,
        confidence=confidence,
        refs=tuple(map(name, cited or (31, 32))),
    )


def discovered(*proposals: Proposal, corpus: Corpus | None = None, direction: Any = "forward", **more: Any) -> Applied:
    shown = Shown("sweep", "discover", [one.record() for one in MEMBERS], direction=direction)
    return apply_answer(shown, DiscoverAnswer(proposals=proposals), corpus or Corpus(MEMBERS), **more)


def test_behaviour_74_each_proposal_passes_its_gates_alone() -> None:
    applied = discovered(
        proposal(confidence=0.59),
        proposal(confidence=0.6),
        proposal(31),
        proposal(kind="hypothesis"),
        proposal(31, 32, 99),
        limits=Limits(confidence=0.6),
    )
    assert [one.confidence for one in applied.written] == [0.6] and len(applied.warnings) == 4
    assert applied.counts == Counts(synthesized=1)


def test_behaviour_78_what_is_discovered_is_weighed_and_counted() -> None:
    applied = discovered(proposal())
    corpus = after(Corpus(MEMBERS), applied)
    [new] = [corpus.read(one.fact) for one in applied.written]
    assert new is not None and (new.origin, new.sources, new.depth) == ("discovered", 1, 0)
    assert new.evidence_weight == pytest.approx(2.1 / 3.1) and applied.counts == Counts(synthesized=1)


def test_behaviour_75_a_premise_that_nothing_rests_on_is_dropped() -> None:
    premise = proposal(kind="hypothesis")
    for threshold, written in ((1, 0), (0, 1)):
        applied = discovered(premise, direction="backward", limits=Limits(blast_radius=threshold))
        assert len(applied.written) == written and len(applied.warnings) == 1 - written
    resting = Corpus([*MEMBERS, fact(40, type="synthesis", refs=(name(31),))])
    [new] = discovered(premise, direction="backward", corpus=resting).written
    assert (new.type, new.origin) == ("hypothesis", "discovered")


def test_a_proposal_that_is_there_already_is_dropped() -> None:
    applied = discovered(proposal(), proposal(31, 32, confidence=0.9), nearest=lambda one: _near(one))
    assert [one.confidence for one in applied.written] == [0.9] and "sweep/abc" in applied.warnings[0]


def _near(one: Fact) -> tuple[str, float] | None:
    return ("sweep/abc", 0.9) if one.confidence < 0.9 else None


def test_behaviour_76_an_embedder_that_fails_loses_no_proposal() -> None:
    def broken(_: Fact) -> None:
        raise ThermiteError("the embedder is not there")

    applied = discovered(proposal(), nearest=broken)
    assert len(applied.written) == 1 and "embedder" in applied.warnings[0]


def test_stored_items_are_read_as_they_were_shown() -> None:
    def stored(step: Any, payload: str) -> Shown:
        return shown_of(Item(4, "s", step, "k", payload, (), 0.0, 2), "sweep")

    assert stored("prune", '[{"path": "sweep/1"}]').records == [{"path": "sweep/1"}]
    assert stored("hypothesize", '{"path": "sweep/1"}').records == [{"path": "sweep/1"}]
    found = stored("discover", '{"direction": "backward", "bridge": {"members": [{"path": "sweep/1"}]}}')
    assert (found.records, found.direction, found.depth) == ([{"path": "sweep/1"}], "backward", 2)
    for payload in ("", "[1]", "{}", '{"bridge": 1}', '[{"title": "x"}]'):
        with pytest.raises(ThermiteError, match="item 4"):
            stored("prune", payload)
