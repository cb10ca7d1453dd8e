"""Evidence weights: the formula, the walk down the lineage, and weights that another engine of this kind stored."""

import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.synthesis.making import answered, fact, name
from thermite_pipelines.synthesis.answers import DistillAnswer, NewFact
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.evidence import DEEPEST, evidence_of, sum_product_norm
from thermite_pipelines.synthesis.facts import Fact

STORED = json.loads((Path(__file__).parent / "data" / "distill_weights.json").read_text())["rows"]
PAIRS = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 50)), max_size=12)


def exact(pairs: Any) -> Fraction:
    total = sum((Fraction(confidence) * sources for confidence, sources in pairs), Fraction(0))
    return total / (total + 1)


def behind(corpus: Corpus, *numbers: int) -> set[str]:
    return set(evidence_of(map(name, numbers), corpus.read, corpus.cited_by))


def synthesis(number: int, *cited: int, **more: Any) -> Fact:
    return fact(number, type="synthesis", refs=tuple(map(name, cited)), **more)


@pytest.mark.parametrize("seed", range(20))
def test_sy_21_the_weight_is_the_sum_over_itself_and_one(seed: int) -> None:
    dice = random.Random(seed)
    pairs = [(round(dice.random(), 2), dice.randint(0, 9)) for _ in range(seed)]
    assert sum_product_norm(pairs) == pytest.approx(float(exact(pairs)), abs=1e-12)


def test_sy_21_worked_cases() -> None:
    assert sum_product_norm([]) == 0
    assert sum_product_norm([(0.9, 0), (0.0, 7)]) == 0
    assert sum_product_norm([(0.8, 2)]) == pytest.approx(1.6 / 2.6, abs=1e-12)
    assert sum_product_norm([(1.0, 1)]) == 0.5


@given(PAIRS, st.data())
def test_sy_21_it_grows_with_each_input_and_stays_below_one(
    pairs: list[tuple[float, int]], data: st.DataObject
) -> None:
    weight = sum_product_norm(pairs)
    assert 0 <= weight < 1
    assert sum_product_norm([*pairs, (0.5, 1)]) > weight
    assert sum_product_norm(data.draw(st.permutations(pairs))) == weight
    if pairs:
        place = data.draw(st.integers(0, len(pairs) - 1))
        confidence, sources = pairs[place]
        for more in ((confidence, sources + 1), (min(1.0, confidence + 0.1), sources)):
            assert sum_product_norm([*pairs[:place], more, *pairs[place + 1 :]]) >= weight


@pytest.mark.parametrize("row", STORED, ids=lambda row: f"{row['weight']:.3f}")
def test_sy_21_weights_that_another_engine_stored_are_reproduced(row: dict[str, Any]) -> None:
    sources = [
        fact(number, confidence=confidence, sources=told) for number, (confidence, told) in enumerate(row["members"])
    ]
    assert Corpus(sources).weigh(one.fact for one in sources) == pytest.approx(row["weight"], abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_sy_21_sy_22_a_synthesis_weighs_what_it_cites_however_many_hypotheses_it_cites_too(seed: int) -> None:
    dice = random.Random(seed)
    pairs = [(round(dice.random(), 2), dice.randint(0, 9)) for _ in range(2 + seed % 5)]
    facts = [fact(number, confidence=sure, sources=told) for number, (sure, told) in enumerate(pairs)]
    guesses = [fact(100 + n, type="hypothesis", confidence=dice.random(), sources=n) for n in range(seed % 4)]
    said = NewFact(title="Both", body="Together.", refs=tuple(one.fact for one in (*facts, *guesses)))
    applied, corpus = answered("distill", [*facts, *guesses], DistillAnswer(synthesize=(said,)))
    [written] = [corpus.read(one.fact) for one in applied.written]
    assert written is not None and written.sources == 1, "a derivation is no source of its own"
    assert written.evidence_weight == pytest.approx(float(exact(pairs)), abs=1e-12)


@given(st.integers(0, 6), PAIRS)
def test_sy_22_hypotheses_add_nothing(many: int, pairs: list[tuple[float, int]]) -> None:
    facts = [fact(number, confidence=sure, sources=told) for number, (sure, told) in enumerate(pairs)]
    guesses = [fact(100 + number, type="hypothesis", confidence=1.0, sources=9) for number in range(many)]
    corpus = Corpus([*facts, *guesses])
    assert corpus.weigh(one.fact for one in [*facts, *guesses]) == sum_product_norm(pairs)


def test_sy_22_a_hypothesis_is_not_passed_through_either() -> None:
    guess = fact(2, type="hypothesis", origin="discovered", refs=(name(1),))
    assert behind(Corpus([fact(1), guess, synthesis(3, 2)]), 3) == set()


def test_sy_21_shared_ancestry_counts_once() -> None:
    corpus = Corpus([fact(1), fact(2), fact(3), synthesis(4, 1, 2), synthesis(5, 2, 3), synthesis(6, 4, 5, 1)])
    assert behind(corpus, 6) == {name(1), name(2), name(3)}
    assert corpus.weigh([name(6)]) == pytest.approx(1.5 / 2.5)


def test_sy_21_what_was_authored_ends_the_walk() -> None:
    corpus = Corpus([fact(1), fact(2, refs=(name(1),)), fact(3, type="synthesis", origin="authored", refs=(name(1),))])
    assert behind(corpus, 2, 3) == {name(2), name(3)}


def test_sy_21_a_derived_fact_without_grounded_sources_counts_itself() -> None:
    gone = name(77)
    corpus = Corpus([synthesis(1), synthesis(2, 77), fact(3), synthesis(4, 77, 3)])
    assert behind(corpus, 1) == {name(1)}
    assert behind(corpus, 2) == {name(2)}, "nothing that it cites can be read"
    assert behind(corpus, 4) == {name(3)}, "a dead reference takes nothing from the others"
    assert behind(Corpus([synthesis(2, 77), synthesis(5, 77), synthesis(6, 2, 5)]), 6) == {name(2), name(5)}, (
        "a dead reference that two of them share grounds neither"
    )
    assert evidence_of([gone], corpus.read, corpus.cited_by) == {}


def test_sy_21_a_circle_ends_and_grounds_nothing_by_itself() -> None:
    corpus = Corpus([synthesis(1, 2), synthesis(2, 3), synthesis(3, 1, 3)])
    assert behind(corpus, 1) == {name(3)}
    assert behind(corpus, 1, 2, 3) == {name(3)}
    assert behind(Corpus([synthesis(1, 2), synthesis(2, 1, 9), fact(9)]), 1) == {name(9)}


def test_sy_21_the_walk_goes_ten_steps_deep() -> None:
    chain = [synthesis(number, number + 1) for number in range(1, 20)]
    corpus = Corpus([*chain, fact(20)])
    assert behind(corpus, 1) == {name(1 + DEEPEST)}
    assert behind(corpus, 10) == {name(20)}
    assert behind(corpus, 9) == {name(19)}


def test_behaviour_41_only_facts_of_the_campaign_are_walked_in_whatever_spelling() -> None:
    told = msgspec.structs.replace(fact(1), item="note:rig-a/Run.1/n-1", confidence=0.8, sources=2)
    elsewhere = f"other/{1:012x}"
    spellings = [name(1), name(1).upper(), f" {name(1)} ", "note:rig-a/Run.1/n-1"]
    for number, ref in enumerate(spellings, 10):
        derived = fact(number, type="synthesis", refs=(ref, elsewhere, "https://example.org/a", "src://repo/a.py"))
        corpus = Corpus([told, derived])
        assert corpus.cited_by(derived) == [name(1)]
        assert corpus.weigh([derived.fact]) == pytest.approx(1.6 / 2.6)
    every = fact(99, type="synthesis", refs=tuple(spellings))
    assert Corpus([told, every]).weigh([every.fact]) == pytest.approx(1.6 / 2.6)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30), st.randoms())
def test_any_lineage_ends_and_does_not_hang_on_order(links: list[tuple[int, int]], dice: random.Random) -> None:
    def corpus_of(pairs: list[tuple[int, int]]) -> Corpus:
        cited = {number: tuple(name(other) for one, other in pairs if one == number) for number in range(10)}
        facts = [
            fact(number, type="synthesis" if number > 3 else "concept", refs=cited[number]) for number in range(10)
        ]
        dice.shuffle(facts)
        return Corpus(facts)

    shuffled = links.copy()
    dice.shuffle(shuffled)
    for number in range(10):
        assert behind(corpus_of(links), number) == behind(corpus_of(shuffled), number)
        assert not math.isnan(corpus_of(links).weigh([name(number)]))
