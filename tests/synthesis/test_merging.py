"""Which fact survives a merge, what it takes over, and how near-duplicates are merged without asking anybody."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.synthesis.making import answered, fact, name, numbered
from thermite_pipelines.synthesis import merging
from thermite_pipelines.synthesis.answers import Merge, PruneAnswer, Replacement
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.decisions import counts_of
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.fold import fold
from thermite_pipelines.synthesis.merging import absorbed, agreeing, dedup, survivor_of
from thermite_pipelines.synthesis.pooling import pooled_sources
from thermite_pipelines.synthesis.tags import canonical

# Of two facts 1 and 2: type, confidence and sources of each, and which one survives.
TABLE = [
    (("observation", 0.9, 1), ("observation", 0.5, 1), 1),
    (("observation", 0.5, 1), ("observation", 0.9, 1), 2),
    (("observation", 0.9, 1), ("observation", 0.5, 9), 1),
    (("observation", 0.6, 2), ("observation", 0.6, 3), 2),
    (("observation", 0.6, 3), ("observation", 0.6, 2), 1),
    (("observation", 0.6, 2), ("observation", 0.6, 2), 1),
    (("hypothesis", 0.9, 5), ("observation", 0.1, 0), 2),
    (("observation", 0.0, 0), ("hypothesis", 1.0, 9), 1),
    (("hypothesis", 0.4, 1), ("hypothesis", 0.5, 1), 2),
    (("hypothesis", 0.5, 1), ("hypothesis", 0.5, 1), 1),
    (("synthesis", 0.7, 1), ("hypothesis", 0.7, 1), 1),
    (("reference", 0.3, 1), ("principle", 0.3, 0), 1),
]


def made(number: int, said: tuple[str, float, int], **more: Any) -> Fact:
    return fact(number, type=said[0], confidence=said[1], sources=said[2], **more)


def merged(*facts: Fact, similarity: float = 0.9, turned: bool = False) -> tuple[Corpus, Fact]:
    """The facts after the two were found to be near-duplicates, and the survivor."""
    one, other = facts
    pair = (other.fact, one.fact, similarity) if turned else (one.fact, other.fact, similarity)
    corpus = Corpus(facts)
    for decision in numbered(dedup(corpus.live(), [pair])):
        assert corpus.apply(decision) is None
    [survivor] = corpus.live().values()
    return corpus, survivor


@pytest.mark.parametrize(("first", "second", "survives"), TABLE)
def test_sy_18_the_survivor(first: tuple[str, float, int], second: tuple[str, float, int], survives: int) -> None:
    one, other = made(1, first), made(2, second)
    assert survivor_of(one, other)[0].fact == survivor_of(other, one)[0].fact == name(survives)
    for turned in (False, True):
        corpus, survivor = merged(*((other, one) if turned else (one, other)), turned=turned)
        assert survivor.fact == name(survives)
        gone = corpus.kept(name(3 - survives))
        assert gone is not None and gone.superseded_by == name(survives) and gone.retracted_by == f"decision:sweep/{1}"


@given(
    st.tuples(st.sampled_from(["observation", "hypothesis", "synthesis"]), st.floats(0, 1), st.integers(0, 3)),
    st.tuples(st.sampled_from(["observation", "hypothesis", "synthesis"]), st.floats(0, 1), st.integers(0, 3)),
)
def test_sy_18_swapping_the_inputs_gives_the_same_survivor(
    first: tuple[str, float, int], second: tuple[str, float, int]
) -> None:
    one, other = made(1, first), made(2, second)
    assert absorbed(*survivor_of(one, other)) == absorbed(*survivor_of(other, one))


def test_sy_19_the_survivor_has_the_tags_and_names_of_both() -> None:
    one = fact(1, confidence=0.9, domain=("web metrics", "cache"), entities=("AdamW", "lr"), refs=("https://a.org",))
    other = fact(2, domain=("cache", "storage"), entities=("adamw", "RoPE"), refs=("https://b.org", name(1)))
    _, survivor = merged(one, other)
    assert survivor.domain == ("web metrics", "cache", "storage")
    assert survivor.entities == ("AdamW", "lr", "RoPE")
    assert survivor.refs == ("https://a.org", "https://b.org", name(2)), "it does not cite itself"
    assert (survivor.title, survivor.body, survivor.confidence) == (one.title, one.body, 0.9)


@given(st.lists(st.lists(st.sampled_from(["a", "B b", "b-b", "c", "Ç"]), max_size=4), min_size=4, max_size=4))
def test_sy_19_nothing_of_either_is_lost_whichever_survives(lists: list[list[str]]) -> None:
    one, other = (fact(n, domain=tuple(lists[n]), entities=tuple(lists[n + 2])) for n in (0, 1))
    for facts in ((one, other), (other, one)):
        _, survivor = merged(*facts)
        assert set(survivor.domain) == {canonical(tag) for tag in (*one.domain, *other.domain)}
        cased = {entity.casefold() for entity in (*one.entities, *other.entities)}
        assert {entity.casefold() for entity in survivor.entities} == cased
        assert len(survivor.domain) == len(set(survivor.domain)) and len(survivor.entities) == len(cased)


def test_behaviour_21_sources_are_summed() -> None:
    _, survivor = merged(fact(1, confidence=0.9, sources=3), fact(2, confidence=0.5, sources=4))
    assert (survivor.fact, survivor.sources) == (name(1), 7)


def test_sy_18_a_hypothesis_that_loses_adds_no_source() -> None:
    _, survivor = merged(fact(1, sources=3), fact(2, type="hypothesis", confidence=0.9, sources=4))
    assert survivor.sources == 3
    _, survivor = merged(fact(1, type="hypothesis", sources=3), fact(2, type="hypothesis", sources=4))
    assert (survivor.fact, survivor.sources) == (name(2), 4)
    assert pooled_sources([fact(1, sources=2), fact(2, type="hypothesis", sources=5), fact(3, sources=0)]) == 2
    assert pooled_sources([fact(2, type="hypothesis", sources=5)]) == 1, "never below one"


@pytest.mark.parametrize("turned", [False, True])
def test_sy_38_a_hypothesis_that_was_observed_is_retracted_and_cited(turned: bool) -> None:
    guess = fact(1, "Longer warmup helps", type="hypothesis", confidence=0.95, sources=4, domain=("warmup",))
    seen = fact(2, "Longer warmup helps", confidence=0.8, sources=2)
    corpus, survivor = merged(*((guess, seen) if turned else (seen, guess)), turned=turned)
    assert (survivor.fact, survivor.type, survivor.confidence, survivor.sources) == (name(2), "observation", 0.8, 2)
    assert name(1) in survivor.refs and survivor.domain == ("warmup",)
    kept = corpus.kept(name(1))
    assert kept is not None and not kept.is_live and kept.fact == guess, "what was believed stays readable"


def test_behaviour_22_one_fact_or_none_is_left_as_it_is() -> None:
    assert dedup({}, []) == [] and dedup({name(1): fact(1)}, []) == []
    assert dedup({name(1): fact(1)}, [(name(1), name(1), 1.0), (name(1), name(2), 0.99)]) == []


def test_behaviour_19_the_weight_of_a_survivor_stays_its_own() -> None:
    source = fact(1, confidence=0.8, sources=2)
    found = [fact(n, type="synthesis", origin="discovered", refs=(name(1),), evidence_weight=1.6 / 2.6) for n in (2, 3)]
    corpus = Corpus([source, *found])
    for decision in numbered(dedup(corpus.live(), [(name(2), name(3), 1.0)])):
        corpus.apply(decision)
    survivor = corpus.read(name(2))
    assert survivor is not None and survivor.evidence_weight == pytest.approx(1.6 / 2.6) and survivor.sources == 2


def test_behaviour_19_a_synthesis_merged_into_itself_weighs_the_same() -> None:
    source = fact(1, confidence=0.8, sources=2)
    found = fact(2, type="synthesis", origin="discovered", refs=(name(1),), evidence_weight=1.6 / 2.6)
    said = Replacement(path=name(2), title="Said anew", body="The same.", type="synthesis")
    answer = PruneAnswer(decisions=(), merges=(Merge(paths=(name(2),), merged=said),))
    _, corpus = answered("prune", [found], answer, Corpus([source, found]))
    again = corpus.read(name(2))
    assert again is not None and (again.title, again.origin) == ("Said anew", "discovered")
    assert again.evidence_weight == pytest.approx(1.6 / 2.6)


def test_behaviour_20_what_was_authored_has_no_weight_whatever_it_cites() -> None:
    folded = fold(
        [fact(1), fact(2, refs=(name(1),)), fact(3, type="synthesis", origin="authored", refs=(name(1),))], []
    )
    assert [one.evidence_weight for one in folded.corpus.live().values()] == [0, 0, 0]


def test_each_fact_is_in_one_merge_the_most_similar_pairs_first() -> None:
    facts = {name(number): fact(number) for number in range(1, 6)}
    pairs = [(name(1), name(2), 0.9), (name(2), name(3), 0.95), (name(3), name(4), 0.94), (name(4), name(5), 0.9)]
    for seed in range(6):
        random.Random(seed).shuffle(pairs)
        decisions = dedup(facts, [(b, a, s) if seed % 2 else (a, b, s) for a, b, s in pairs])
        assert [[key[0] for key in one.inputs] for one in decisions] == [[name(2), name(3)], [name(4), name(5)]]
        assert counts_of(decisions).merged == 2


def test_pairs_as_similar_as_each_other_are_taken_by_id() -> None:
    facts = {name(number): fact(number) for number in (1, 2, 3)}
    pairs = [(name(3), name(2), 0.9), (name(2), name(1), 0.9)]
    [decision] = dedup(facts, pairs)
    assert dedup(facts, reversed(pairs)) == [decision] and decision.about == name(1)


def test_results_that_differ_in_what_was_measured_do_not_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "says_otherwise", lambda one, other: False)
    texts = ["lr 3e-4: loss 0.42", "lr 0.0003: loss 0.39", "loss 0.42 with lr 0.0003", "loss 0.42", "loss falls"]
    facts = {name(number): fact(number, text) for number, text in enumerate(texts)}
    pairs = [(name(one), name(other), 0.9) for one in range(5) for other in range(one)]
    apart = {(one, other) for one, other, _ in pairs} - {(one, other) for one, other, _ in agreeing(facts, pairs)}
    assert apart == {(name(1), name(0)), (name(2), name(1)), (name(3), name(1))}


@pytest.mark.parametrize(
    ("one", "other", "is_kept"),
    [
        ("Warmup helps RoPE", "Warmup helps ALiBi", False),
        ("Trial AIDA names no source for ATRA", "Trial AIDA names no source for IDA", False),
        ("Trial `aida` is named", "Trial `atra` is named", False),
        ("Warmup helps", "Warmup helps RoPE", True),
        ("Warmup helps rope_base most", "What is helped most by a longer warmup is rope_base", True),
        ("Warmup helps RoPE in run", "Warmup of 500 steps helps in run", False),
        ("Warmup helps", "Warmup never helps", False),
        ("Warmup does not help on small runs", "On small runs it was seen that warmup does not help", True),
        ("預熱有效", "預熱無效", False),
        ("ウォームアップは効く", "ウォームアップは効かない", False),
    ],
)
def test_near_duplicates_agree_in_names_and_in_negation(one: str, other: str, is_kept: bool) -> None:
    facts = {name(1): fact(1, title=one, body=one), name(2): fact(2, title=other, body=other)}
    for pair in ((name(1), name(2), 0.9), (name(2), name(1), 0.9)):
        assert agreeing(facts, [pair]) == ([pair] if is_kept else [])


def test_pairs_of_unknown_facts_do_not_agree() -> None:
    assert agreeing({name(1): fact(1)}, [(name(1), name(2), 0.9), (name(3), name(4), 0.9)]) == []


def test_many_pairs_read_each_fact_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(merging, "details_of", lambda text: asked.append(text) or frozenset())
    monkeypatch.setattr(merging, "says_otherwise", lambda one, other: False)
    facts = {name(number): fact(number) for number in range(20)}
    pairs = [(name(one), name(other), 0.9) for one in range(20) for other in range(one)]
    assert agreeing(facts, iter(pairs)) == pairs and len(asked) == 20


def test_a_synthesis_is_no_duplicate_of_its_source_and_policies_are_left_alone() -> None:
    source, derived = fact(1), fact(2, type="synthesis", refs=(name(1),), confidence=0.9)
    rule = fact(3, type="policy")
    facts = {one.fact: one for one in (source, derived, rule)}
    assert dedup(facts, [(name(1), name(2), 0.99), (name(1), name(3), 0.99)]) == []
