"""Communities: which facts belong together, in small campaigns and large ones, whatever their order."""

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thermite_pipelines.synthesis.communities import RESOLUTION, communities, resolution_for
from thermite_pipelines.synthesis.neighbours import Edge

_EDGES = st.sets(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=90)


def clique(*names: str) -> list[Edge]:
    return list(itertools.combinations(sorted(names), 2))


def facts(first: int, number: int) -> list[str]:
    return [f"c/{place:04d}" for place in range(first, first + number)]


@pytest.mark.parametrize("exactly", [True, False])
def test_behaviour_31_two_triangles_are_two_communities_and_a_fact_without_edges_is_one(exactly: bool) -> None:
    edges = clique("a", "b", "c") + clique("d", "e", "f")
    found = communities("abcdefg", edges, 1.0, exactly=exactly)
    assert found == [["a", "b", "c"], ["d", "e", "f"], ["g"]]


@pytest.mark.parametrize("resolution", [0.5, 1.0, RESOLUTION, 50.0])
def test_two_related_facts_alone_are_a_community_whatever_the_resolution(resolution: float) -> None:
    assert communities(["a", "b"], [("a", "b")], resolution) == [["a", "b"]]
    many = [pair for first in range(0, 200, 2) for pair in clique(*facts(first, 2))]
    assert len(communities(facts(0, 200), many, resolution)) == 100


def test_a_pair_beside_a_large_community_stays_together() -> None:
    edges = [*clique(*facts(0, 11)), ("x", "y")]
    assert ["x", "y"] in communities([*facts(0, 11), "x", "y"], edges)


def test_a_bridge_does_not_join_two_groups() -> None:
    one, other = facts(0, 6), facts(6, 6)
    assert communities(one + other, [*clique(*one), *clique(*other), (one[0], other[0])]) == [one, other]


def test_a_large_campaign_falls_into_its_subjects() -> None:
    groups = [facts(first, 8) for first in range(0, 400, 8)]
    edges = [edge for group in groups for edge in clique(*group)]
    edges += [(one[0], other[0]) for one, other in itertools.pairwise(groups)]
    assert communities([name for group in groups for name in group], edges) == groups


def test_the_resolution_grows_with_the_facts_up_to_what_is_asked_for() -> None:
    assert [resolution_for(number) for number in (0, 2, 25, 50, 75, 100, 10_000)] == [1, 1, 1, 2, 3, 4, 4]
    assert resolution_for(10_000, 2.0) == 2.0
    assert resolution_for(10, 0.5) == 0.5


def test_more_resolution_gives_no_fewer_communities() -> None:
    chance = random.Random(5)
    names = facts(0, 200)
    edges = [(one, other) for one, other in itertools.combinations(names, 2) if chance.random() < 0.05]
    numbers = [len(communities(names, edges, resolution)) for resolution in (0.5, 1.0, 2.0, 4.0)]
    assert numbers == sorted(numbers)
    assert numbers[0] < numbers[-1]


@given(_EDGES, st.integers(0, 2**32), st.sampled_from([0.5, 1.0, 4.0]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_order_never_counts_and_each_fact_is_in_one_community(
    edges: set[tuple[int, int]], seed: int, resolution: float, exactly: bool
) -> None:
    chance = random.Random(seed)
    names = facts(0, 25)
    named = [(f"c/{one:04d}", f"c/{other:04d}") for one, other in sorted(edges)]
    found = communities(names, named, resolution, exactly=exactly)
    assert sorted(name for group in found for name in group) == names
    assert all(group == sorted(group) for group in found)
    assert [group[0] for group in found] == sorted(group[0] for group in found)
    turned = [((edge[1], edge[0]) if chance.random() < 0.5 else edge) for edge in chance.sample(named, len(named))]
    assert communities(chance.sample(names, 25), turned + turned[:3], resolution, exactly=exactly) == found
    alone = set(names) - {name for edge in named if edge[0] != edge[1] and set(edge) <= set(names) for name in edge}
    assert all([name] in found for name in alone)


def test_no_facts_are_no_communities() -> None:
    assert communities([], []) == []
    assert communities(["b", "a"], []) == [["a"], ["b"]]
