"""Nearest vectors: floors, windows, ties, vectors of nothing; the order in which they come changes nothing."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from thermite_pipelines.embeddings.search import Nearest
from thermite_pipelines.embeddings.thresholds import Thresholds

PLAIN = Thresholds(dedup=0.9, reflect_novelty=0.8, similar_to=0.3, search_floor=0.05, rerank_high=0.7, rerank_low=0.5)


def at(cosine: float) -> NDArray[np.float32]:
    """A vector whose cosine with (1, 0) is this."""
    return np.array([cosine, np.sqrt(1 - cosine**2)], np.float32)


QUERY = at(1.0)
NUMBERS = st.lists(st.floats(-1, 1, width=16), min_size=3, max_size=3).map(
    lambda numbers: np.array(numbers, np.float32)
)


def keys(hits: Sequence[object]) -> list[str]:
    return [hit.key for hit in hits]  # pyright: ignore[reportAttributeAccessIssue]


def test_behaviour_29_the_models_floor_decides_whether_a_document_is_found() -> None:
    found = {
        floor: keys(Nearest({"a": at(0.5)}, replace(PLAIN, search_floor=floor)).search(QUERY)) for floor in (0.4, 0.6)
    }
    assert found == {0.4: ["a"], 0.6: []}


def test_only_what_is_nearer_than_the_bound_is_found_and_scored_by_hundred() -> None:
    index = Nearest({"a": at(0.5), "b": at(0.75), "c": at(0.25)}, PLAIN)
    hits = index.search(QUERY, min_cosine=0.5)
    assert [(hit.key, round(hit.score, 3)) for hit in hits] == [("b", 75.0)]
    assert keys(index.search(QUERY)) == ["b", "a", "c"]
    assert keys(index.search(QUERY, limit=2)) == ["b", "a"]
    assert index.search(QUERY, limit=0) == []


@pytest.mark.parametrize(("least", "window"), [(0.71, 4), (0.7, 6), (0.51, 6), (0.5, 10), (0.0, 10)])
def test_filters_apply_to_the_nearest_few(least: float, window: int) -> None:
    vectors = {f"{number:02}": at(0.95 - number / 100) for number in range(20)}
    accepted: list[str] = []
    Nearest(vectors, PLAIN).search(QUERY, limit=2, min_cosine=least, accept=lambda key: bool(accepted.append(key)))
    assert accepted == [f"{number:02}" for number in range(window)]


def test_a_vector_of_nothing_is_skipped_and_ends_no_list() -> None:
    nothing = np.zeros(2, np.float32)
    index = Nearest({"a": at(0.8), "b": nothing, "c": at(0.7), "d": np.array([np.nan, 1], np.float32)}, PLAIN)
    assert keys(index.search(QUERY)) == ["a", "c"]
    assert index.search(nothing) == index.like("b") == index.like("unknown") == []
    assert index.edges() == [("a", "c")]
    assert Nearest({}, PLAIN).search(QUERY) == Nearest({}, PLAIN).edges() == Nearest({}, PLAIN).near_copies() == []


def test_a_key_is_searched_for_by_the_vector_that_it_has() -> None:
    index = Nearest({"a": at(1.0), "b": at(0.8)}, PLAIN)
    assert keys(index.like("a")) == ["a", "b"]
    assert keys(index.like("a", accept=lambda key: key != "a")) == ["b"]


def test_edges_go_to_the_nearest_ten_that_are_similar() -> None:
    vectors = {f"{number:02}": at(0.99 - number / 1000) for number in range(30)} | {"far": at(-0.9)}
    index = Nearest(vectors, PLAIN)
    edges = index.edges()
    assert all(one < other and "far" not in (one, other) for one, other in edges)
    assert sum("00" in edge for edge in edges) >= 10
    assert index.edges(1) == sorted(set(index.edges(1))) and len(index.edges(1)) < len(edges)


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), NUMBERS, max_size=12), st.randoms())
def test_hits_edges_and_copies_are_those_of_a_naive_scan_in_any_order(
    vectors: dict[str, NDArray[np.float32]], chance: object
) -> None:
    shuffled = sorted(vectors)
    chance.shuffle(shuffled)  # pyright: ignore[reportAttributeAccessIssue]
    index, other = Nearest(vectors, PLAIN), Nearest({key: vectors[key] for key in shuffled}, PLAIN)
    assert index.edges() == other.edges() and index.near_copies() == other.near_copies()

    lengths = {key: np.linalg.norm(vector) for key, vector in vectors.items()}
    live = sorted(key for key, length in lengths.items() if length > 0)
    exact = {
        (a, b): float(vectors[a].astype(float) @ vectors[b].astype(float) / float(lengths[a]) / float(lengths[b]))
        for a in live
        for b in live
    }
    clear = all(abs(cosine - least) > 1e-5 for cosine in exact.values() for least in (0.9, 0.3, 0.05))
    if clear and len(live) <= 10:
        pairs = [(a, b) for a in live for b in live if a < b]
        assert [(a, b) for a, b, _ in sorted(index.near_copies())] == [pair for pair in pairs if exact[pair] > 0.9]
        assert index.edges() == [pair for pair in pairs if exact[pair] > 0.3]
        for key in live:
            assert sorted(keys(index.like(key))) == [one for one in live if exact[key, one] > 0.05]


def test_near_copies_are_over_all_vectors_the_nearest_first() -> None:
    many = {f"{number:04}": at(-0.99 + number / 1000) for number in range(1_200)}
    copies = Nearest(many, PLAIN).near_copies()
    assert copies == sorted(copies, key=lambda one: (-one[2], one[:2]))
    assert {int(one) // 512 for one, _, _ in copies} == {0, 1, 2}  # from every block of the scan
