"""Nearest facts, near pairs and the graph: exact against brute force, whatever the order and the blocks."""

import itertools
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.synthesis.likeness import THRESHOLDS, vectors
from tests.synthesis.making import name
from thermite_pipelines.synthesis import cosines
from thermite_pipelines.synthesis.neighbours import Nearest, Neighbours
from thermite_pipelines.synthesis.vectors import Vectors

# Few values, so that equal and parallel vectors, zeros, and equal cosines are common.
_ROWS = st.lists(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]), min_size=3, max_size=3), max_size=40)
_LEAST = st.sampled_from([-1.0, 0.0, 0.3, 0.5, 0.9, 1.0])


def brute(given: Vectors, least: float, limit: int = 10) -> dict[str, tuple[tuple[str, float], ...]]:
    """The same in double precision, one pair after the other, of vectors of length 1 in single precision."""
    unit = {}
    for one, row in zip(given.names, given.matrix, strict=True):
        length = np.linalg.norm(row.astype(np.float64))
        if length > 0 and np.isfinite(length):
            unit[one] = (row / length).astype(np.float32).astype(np.float64)
    found = {}
    for one in unit:
        near = [(other, round(float(np.clip(unit[one] @ unit[other], -1, 1)), 6)) for other in unit if other != one]
        near = sorted((pair for pair in near if pair[1] >= least), key=lambda pair: (-pair[1], pair[0]))[:limit]
        if near:
            found[one] = tuple(near)
    return found


def matrix_of(number: int, dimension: int, seed: int = 0) -> Vectors:
    """Facts on some subjects, as models place them."""
    chance = np.random.default_rng(seed)
    subjects = chance.standard_normal((max(1, number // 12), dimension))
    rows = subjects[chance.integers(0, len(subjects), number)] + 0.7 * chance.standard_normal((number, dimension))
    rows *= np.arange(1, dimension + 1) ** -0.5
    return vectors(dict(enumerate(rows)))


def almost(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Equal but for what rounding to six decimals may do at its borders."""
    assert one.keys() == other.keys()
    return all(
        [a for a, _ in one[key]] == [b for b, _ in other[key]]
        and np.allclose([a for _, a in one[key]], [b for _, b in other[key]], atol=1.1e-6)
        for key in one
    )


def test_behaviour_29_the_models_floor_decides_whether_a_fact_is_found() -> None:
    half = Neighbours(vectors({1: (1.0, 0.0), 2: (0.5, 0.75**0.5)}))
    floors = [replace(THRESHOLDS, search_floor=floor).search_floor for floor in (0.4, 0.6)]
    assert [half.nearest(floor, of=[name(1)]).of(name(1)) for floor in floors] == [((name(2), 0.5),), ()]


@given(_ROWS, _LEAST)
@settings(max_examples=60, deadline=None)
def test_the_nearest_are_those_of_brute_force(rows: list[list[float]], least: float) -> None:
    given = vectors(dict(enumerate(rows))) if rows else Vectors((), np.zeros((0, 3), np.float32))
    assert dict(Neighbours(given).nearest(least).by_fact) == brute(given, least)


@given(_ROWS, st.integers(0, 2**32), st.sets(st.integers(0, 39)))
@settings(max_examples=40, deadline=None)
def test_neither_order_nor_what_is_asked_for_changes_anything(
    rows: list[list[float]], seed: int, asked: set[int]
) -> None:
    numbered = list(enumerate(rows))
    whole = Neighbours(vectors(dict(numbered)) if rows else Vectors((), np.zeros((0, 3), np.float32))).nearest(0.3)
    random.Random(seed).shuffle(numbered)
    if rows:
        shuffled = Neighbours(vectors(dict(numbered)))
        assert shuffled.nearest(0.3) == whole
        some = shuffled.nearest(0.3, [name(number) for number in asked])
        assert some.by_fact == {one: near for one, near in whole.by_fact.items() if int(one[-12:], 16) in asked}


@pytest.mark.parametrize(("block", "wide"), [(7, 11), pytest.param(64, 256, marks=pytest.mark.full)])
def test_blocks_and_bounds_change_nothing(block: int, wide: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given = matrix_of(600, 48)
    expected = brute(given, 0.3)
    monkeypatch.setattr(cosines, "_BLOCK", block)
    monkeypatch.setattr(cosines, "_WIDE", wide)
    monkeypatch.setattr(cosines, "_PAIRS", 50)
    monkeypatch.setattr(cosines, "_ENOUGH", 200)
    assert almost(dict(Neighbours(given).nearest(0.3).by_fact), expected)
    some = list(given.names[::9])
    assert almost(
        dict(Neighbours(given).nearest(0.3, some).by_fact), {one: expected[one] for one in some if one in expected}
    )


@pytest.mark.full
def test_many_facts_have_the_nearest_of_brute_force() -> None:
    given = matrix_of(12_000, 256, seed=3)
    rows = given.matrix / np.linalg.norm(given.matrix.astype(np.float64), axis=1, keepdims=True)
    products = np.round(rows @ rows.T, 6)
    np.fill_diagonal(products, -2)
    found = Neighbours(given).nearest(0.3)
    for place, one in enumerate(given.names):
        nearest = np.argsort(-products[place], kind="stable")[:10]
        expected = [products[place, other] for other in nearest if products[place, other] >= 0.3]
        assert np.allclose([cosine for _, cosine in found.of(one)], expected, atol=1.1e-6)


def test_hundreds_of_facts_that_say_the_same() -> None:
    given = vectors({number: [1, 1, 0] if number % 3 else [1, 0, 0] for number in range(300)})
    found = Neighbours(given).nearest(0.5)
    assert dict(found.by_fact) == brute(given, 0.5)
    assert [other for other, _ in found.of(name(1))] == [name(n) for n in (2, 4, 5, 7, 8, 10, 11, 13, 14, 16)]


def test_each_pair_is_there_once_the_nearest_first() -> None:
    found = Neighbours(vectors({3: [1, 0], 1: [1, 0.1], 2: [1, 0.3], 4: [0, 1]})).nearest(0.5)
    pairs = found.pairs(0.9)
    assert [pair[:2] for pair in pairs] == [(name(1), name(3)), (name(1), name(2)), (name(2), name(3))]
    assert all(cosine > 0.9 for _, _, cosine in pairs)


def test_a_pair_at_the_limit_is_no_near_pair_and_is_an_edge() -> None:
    found = Nearest({name(1): ((name(2), 0.9),), name(2): ((name(1), 0.9),)})
    assert found.pairs(0.9) == []
    assert found.edges(0.9) == [(name(1), name(2))]


def test_an_edge_needs_only_one_of_its_ends_to_look_at_the_other() -> None:
    rows = {0: [1.0, 0.6]} | {number: [1.0, number * 1e-3] for number in range(1, 13)}
    found = Neighbours(vectors(rows)).nearest(0.5)
    assert all(name(0) not in dict(found.of(name(number))) for number in range(1, 13))
    assert len([edge for edge in found.edges(0.5) if name(0) in edge]) == 10


def test_vectors_without_direction_are_near_to_none() -> None:
    rows = {1: [0, 0], 2: [float("nan"), 1], 3: [float("inf"), 1], 4: [1, 0], 5: [2, 0]}
    found = Neighbours(vectors(rows)).nearest(-1)
    assert dict(found.by_fact) == {name(4): ((name(5), 1.0),), name(5): ((name(4), 1.0),)}
    assert found.of(name(1)) == ()


def test_no_facts_and_one_fact_have_no_neighbours() -> None:
    assert Neighbours(Vectors((), np.zeros((0, 4), np.float32))).nearest(0).by_fact == {}
    assert Neighbours(vectors({1: [1, 2]})).nearest(0).by_fact == {}


def test_near_pairs_are_found_over_the_whole_campaign() -> None:
    """Not inside a block or a community only: each of 500 facts has its copy far away."""
    rows = dict(enumerate(np.random.default_rng(1).standard_normal((500, 32))))
    rows |= {1_000 + number: row + 0.01 for number, row in rows.items()}
    pairs = Neighbours(vectors(rows)).nearest(0.9).pairs(0.95)
    assert {pair[:2] for pair in pairs} >= {(name(number), name(1_000 + number)) for number in range(500)}


def test_ties_stand_in_the_order_of_ids() -> None:
    rows = {number: [1.0, *(float(place == number % 4) for place in range(4))] for number in range(20)}
    found = Neighbours(vectors(rows)).nearest(0.1)
    for near in found.by_fact.values():
        for (one, first), (other, second) in itertools.pairwise(near):
            assert (-first, one) < (-second, other)


def test_what_comes_later_takes_its_place_by_its_id_among_what_is_equally_near() -> None:
    """Eleven that are equally near where ten have room: the last id is left out, not the one that came last."""
    axes = np.eye(13)
    rows = {number: axes[0] + axes[number] for number in range(1, 13)}
    grown = Neighbours(vectors({number: row for number, row in rows.items() if number != 1}))
    grown.put(vectors({1: rows[1]}))
    assert [one for one, _ in grown.nearest(0, [name(5)]).of(name(5))] == [name(n) for n in range(1, 12) if n != 5]
    assert dict(grown.nearest(0).by_fact) == brute(vectors(rows), 0)


def test_of_equal_vectors_the_facts_that_may_be_near_decide_the_order() -> None:
    axes = np.eye(14)
    rows = {number: axes[0] + axes[number] for number in range(2, 14)}
    known = Neighbours(vectors(rows | {1: rows[13]}))
    among = {name(number) for number in rows}
    assert [one for one, _ in known.nearest(0, [name(5)], among=among).of(name(5))] == [
        name(number) for number in range(2, 13) if number != 5
    ]


@settings(max_examples=25, deadline=None)
@given(_ROWS, _ROWS, st.data())
def test_facts_put_in_later_and_parts_are_as_if_all_had_been_there(
    first: list[list[float]], second: list[list[float]], data: st.DataObject
) -> None:
    """The second batch replaces some of the first; then some facts alone count."""
    place = data.draw(st.integers(0, len(first)))
    now = dict(enumerate(first)) | {place + number: row for number, row in enumerate(second)}
    grown = Neighbours(_of(dict(enumerate(first))))
    grown.put(_of({place + number: row for number, row in enumerate(second)}))
    numbers = data.draw(st.sets(st.sampled_from(sorted(now)))) if now else set()
    of = data.draw(st.sets(st.sampled_from(sorted(now)))) if now else set()
    among = {name(number) for number in numbers}
    least = data.draw(_LEAST)
    assert dict(grown.nearest(least).by_fact) == dict(Neighbours(_of(now)).nearest(least).by_fact)
    expected = brute(_of({number: now[number] for number in numbers}), least)
    found = dict(grown.nearest(least, [name(number) for number in of], among=among).by_fact)
    assert found == {one: near for one, near in expected.items() if one in {name(number) for number in of}}


def _of(rows: dict[int, list[float]]) -> Vectors:
    return vectors(rows) if rows else Vectors((), np.zeros((0, 3), np.float32))


def test_the_closest_of_some_facts_to_a_text_of_its_own() -> None:
    known = Neighbours(vectors({1: (1.0, 0.0), 2: (0.0, 1.0), 3: (1.0, 0.0), 4: (0.0, 0.0)}))
    asked = np.array([2.0, 0.0], np.float32)
    assert known.closest(asked, {name(1), name(2), name(3)}) == (name(1), 1.0)
    assert known.closest(asked, {name(2)}) == (name(2), 0.0)
    assert known.closest(asked, {name(4)}) is None, "a fact without direction is near to none"
    assert known.closest(np.zeros(2, np.float32), {name(1)}) is None
    assert known.closest(asked, ()) is None
