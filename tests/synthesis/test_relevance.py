"""Methodologies that are offered: how they are scored, which are left out, and in what order they come."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.synthesis.likeness import vectors
from tests.synthesis.making import fact
from thermite_pipelines.settings import Settings
from thermite_pipelines.synthesis.facts import EPISTEMIC, Fact
from thermite_pipelines.synthesis.relevance import MIN_SCORE, Methodologies, Offered

SOURCE = fact(0, domain=("security",), entities=("Anthropic",))
MARKED = ("meta", "reasoning", "methodology")


def method(number: int, *domain: str, entities: Sequence[str] = (), **more: Any) -> Fact:
    return fact(number, type="methodology", domain=(*MARKED, *domain), entities=tuple(entities), **more)


def numbers(found: Sequence[Offered]) -> list[int]:
    return [int(one.path[-12:], 16) for one in found]


def scores(found: Sequence[Offered]) -> list[float]:
    return [one.score for one in found]


def test_behaviour_50_domains_and_entities_count_for_half_each_and_markers_for_nothing() -> None:
    """Behaviour 50."""
    three = [method(3), method(2, "security"), method(1, "security", entities=["Anthropic"])]
    found = Methodologies(three).relevant([SOURCE], min_score=0)
    assert numbers(found) == [1, 2, 3]
    assert [one.score / 0.4 for one in found] == pytest.approx([1.0, 0.5, 0.0], abs=1e-9)


def test_behaviour_50_a_marker_of_the_fact_is_found_on_no_methodology() -> None:
    """Behaviour 50."""
    about_methods = fact(0, domain=("security", "meta"))
    [one] = Methodologies([method(1, "security")]).relevant([about_methods], min_score=0)
    assert one.score == pytest.approx(0.4 * (1 / 2) / 2, abs=1e-9)


def test_behaviour_51_without_vectors_tags_alone_are_ranked() -> None:
    """Behaviour 51."""
    both = [method(1, "security", entities=["Anthropic"]), method(2, "security")]
    found = Methodologies(both).relevant([SOURCE], min_score=0.30)
    assert (numbers(found), scores(found)) == ([1], [0.4])


def test_behaviour_52_without_tags_or_without_a_vector_that_part_is_0() -> None:
    """Behaviour 52."""
    one = method(1, "security", entities=["Anthropic"])
    untagged = fact(0)
    assert scores(Methodologies([one], vectors({0: [1, 0], 1: [3, 4]})).relevant([untagged])) == [0.36]
    assert scores(Methodologies([one], vectors({1: [3, 4]})).relevant([SOURCE])) == [0.4]
    assert scores(Methodologies([one], vectors({0: [0, 0], 1: [3, 4]})).relevant([SOURCE])) == [0.4]
    assert scores(Methodologies([one], vectors({0: [1, np.nan], 1: [3, 4]})).relevant([SOURCE])) == [0.4]


def test_behaviour_53_of_five_the_best_three_are_offered() -> None:
    """Behaviour 53."""
    five = {number: [number, 1.0] for number in range(1, 6)}
    found = Methodologies(map(method, five), vectors({0: [1, 0], **five})).relevant([SOURCE])
    assert numbers(found) == [5, 4, 3]
    assert len(Methodologies(map(method, five), vectors({0: [1, 0], **five})).relevant([SOURCE], most=5)) == 5


def test_behaviour_54_other_facts_however_near_take_no_methodology_s_place() -> None:
    """Behaviour 54, in one campaign: there are no branches."""
    rows = {0: [1.0, 0.0], **{number: [1.0, 0.01] for number in range(10, 40)}, 1: [1.0, 1.0], 2: [1, 2], 3: [1, 3]}
    others = [fact(number) for number in range(10, 40)]
    found = Methodologies([*others, *map(method, (1, 2, 3))], vectors(rows)).relevant([SOURCE])
    assert numbers(found) == [1, 2, 3]
    assert min(scores(found)) > 0


@pytest.mark.parametrize("seed", range(20))
def test_sy_40_a_score_is_six_tenths_of_the_cosine_and_four_of_the_tags_to_1e_9(seed: int) -> None:
    """Behaviour 53."""
    rng = np.random.default_rng(seed)
    rows = {number: rng.standard_normal(16).astype(np.float32).tolist() for number in range(12)}
    tags, names = ["a", "b", "c", "d"], ["X", "Y", "Z"]

    def some(of: list[str]) -> tuple[str, ...]:
        return tuple(tag for tag in of if rng.random() < 0.5)

    source = fact(0, domain=some(tags), entities=some(names))
    methods = [method(number, *some(tags), entities=some(names)) for number in range(1, 12)]
    found = Methodologies(methods, vectors(rows)).relevant([source], min_score=-1, most=99)
    expected = {one.fact: _by_hand(source, one, rows) for one in methods}
    assert {one.path: one.score for one in found} == pytest.approx(expected, abs=1e-9)
    assert scores(found) == sorted(scores(found), reverse=True)


def _by_hand(source: Fact, one: Fact, rows: dict[int, list[float]]) -> float:
    """The formula in exact arithmetic, but for the two square roots."""
    a, b = ([Fraction(value) for value in rows[int(of.fact[-12:], 16)]] for of in (source, one))
    dot, aa, bb = (
        float(sum(x * y for x, y in zip(left, right, strict=True))) for left, right in ((a, b), (a, a), (b, b))
    )
    shares = [
        len(set(mine) & (set(own) - set(MARKED))) / max(1, len(set(mine)))
        for own, mine in ((one.domain, source.domain), (one.entities, source.entities))
    ]
    return 0.6 * dot / (aa**0.5 * bb**0.5) + 0.4 * sum(shares) / 2


@pytest.mark.parametrize(("shared", "of"), [(3, 4), (1, 5), (2, 5), (7, 10), (1, 1)])
def test_sy_40_at_the_floor_kept_and_below_it_dropped(shared: int, of: int) -> None:
    source = fact(0, domain=tuple(f"d{n}" for n in range(of)), entities=tuple(f"E{n}" for n in range(of)))
    one = method(1, *source.domain[:shared], entities=source.entities[:shared])
    floor = 0.4 * shared / of
    assert len(Methodologies([one]).relevant([source], min_score=floor)) == 1
    assert not Methodologies([one]).relevant([source], min_score=floor + 1e-9)


def test_sy_40_the_floor_is_a_setting_and_0_15_by_default() -> None:
    assert Settings.model_fields["methodology_min_score"].default == MIN_SCORE == 0.15
    at, below = [1, 1, 1, 2, 3], [1, 2, 2, 4, 0]  # cosines of 1/4 and 1/5
    found = Methodologies(map(method, (1, 2)), vectors({0: [1, 0, 0, 0, 0], 1: at, 2: below})).relevant([fact(0)])
    assert (numbers(found), scores(found)) == ([1], [0.15])


def test_sy_41_methodologies_are_known_by_their_type_alone() -> None:
    odd = Fact(fact="elsewhere/ffffffffffffffff", type="methodology", title="odd", body="b", domain=("security",))
    named = Fact(
        fact="meta/0123456789ab", type="principle", title="methodology", body="b", domain=("security", *MARKED)
    )
    found = Methodologies([named, odd]).relevant([SOURCE], min_score=0)
    assert found == [Offered(0.2, "odd", odd.fact)]


@pytest.mark.parametrize("other", [one for one in EPISTEMIC if one != "methodology"])
def test_sy_41_a_fact_of_another_type_is_never_offered(other: str) -> None:
    as_other = fact(1, type=other, domain=("security", *MARKED), entities=("Anthropic",))
    assert Methodologies([as_other], vectors({0: [1.0], 1: [1.0]})).relevant([SOURCE], min_score=0) == []


def test_tags_are_compared_as_they_are_written() -> None:
    other = method(1, "Security", entities=["anthropic"])
    assert scores(Methodologies([other]).relevant([SOURCE], min_score=0)) == [0.0]


def test_what_marks_the_whole_campaign_is_left_out_on_both_sides() -> None:
    source = fact(0, domain=("sweep", "lr"))
    found = Methodologies([method(1, "sweep"), method(2, "lr")], markers=frozenset(["sweep"])).relevant(
        [source], min_score=0
    )
    assert (numbers(found), scores(found)) == ([2, 1], [0.2, 0.0])


def test_of_several_facts_the_highest_score_counts_and_equal_ones_stand_by_their_ids() -> None:
    sources = [fact(0, domain=("a", "b")), fact(9, domain=("a",))]
    found = Methodologies([method(3, "a"), method(2, "a"), method(1, "b")]).relevant(sources, min_score=0)
    assert (numbers(found), scores(found)) == ([2, 3, 1], [0.2, 0.2, 0.1])


def test_nothing_bears_on_nothing() -> None:
    assert Methodologies([]).relevant([SOURCE], min_score=0) == []
    assert Methodologies([method(1)]).relevant([], min_score=0) == []
    assert Methodologies([method(1)], vectors({})).relevant([SOURCE], min_score=0.1) == []


@settings(max_examples=60)
@given(st.data())
def test_several_facts_at_once_are_as_each_alone_and_merged(data: st.DataObject) -> None:
    tags = st.lists(st.sampled_from("abcd"), unique=True).map(tuple)
    coordinate = st.integers(-3, 3).map(float)
    sources = [fact(number, domain=data.draw(tags)) for number in range(data.draw(st.integers(1, 5)))]
    methods = [method(10 + number, *data.draw(tags)) for number in range(data.draw(st.integers(0, 6)))]
    rows = {int(one.fact[-12:], 16): [data.draw(coordinate) for _ in range(2)] for one in (*sources, *methods)}
    known = Methodologies(data.draw(st.permutations(methods)), vectors(rows) if rows else None)
    best: dict[str, Offered] = {}
    for source in sources:
        for one in known.relevant([source]):
            best[one.path] = max(one, best.get(one.path, one))
    merged = sorted(best.values(), key=lambda one: (-one.score, one.path))[:3]
    assert known.relevant(sources) == merged
    assert known.relevant(sources[::-1]) == merged
