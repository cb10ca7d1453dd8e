"""Clusters of what a session looks at: seeds and what is near to them."""

import random

import pytest

from tests.synthesis.likeness import THRESHOLDS, topics, vectors
from tests.synthesis.making import fact, name
from thermite_pipelines.synthesis.clusters import scoped_clusters
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.neighbours import Neighbours
from thermite_pipelines.synthesis.vectors import Vectors

LEAST = THRESHOLDS.similar_to


def clustered(facts: list[Fact], seeds: list[int], of: Vectors, **more: object) -> list[list[int]]:
    """Clusters as numbers of facts."""
    by_id = {one.fact: one for one in facts}
    found = scoped_clusters(by_id, [name(number) for number in seeds], Neighbours(of), LEAST, **more)  # type: ignore[arg-type]
    return [[int(one.fact[-12:], 16) for one in cluster] for cluster in found]


def test_behaviour_32_three_seeds_and_one_edge_are_one_cluster_of_two() -> None:
    of = vectors({1: [1, 0, 0], 2: [1, 0.2, 0], 3: [0, 0, 1]})
    assert clustered([fact(1), fact(2), fact(3)], [1, 2, 3], of) == [[1, 2]]


@pytest.mark.parametrize(("smallest", "number"), [(1, 3), (2, 2), (3, 1), (4, 0)])
def test_behaviour_33_groups_below_the_minimum_are_dropped(smallest: int, number: int) -> None:
    rows = {1: [1, 0, 0], 2: [0, 1, 0], 3: [0, 1, 0.1], 4: [0, 0, 1], 5: [0, 0.1, 1], 6: [0.1, 0, 1]}
    found = clustered([fact(n) for n in rows], list(rows), vectors(rows), smallest=smallest)
    assert len(found) == number
    assert found == [[4, 5, 6], [2, 3], [1]][:number]


def test_facts_near_to_a_seed_join_wherever_they_are_in_the_campaign() -> None:
    facts = [fact(number) for number in range(40)]
    assert clustered(facts, [5, 30], topics(facts, 4)) == [[4, 5, 6, 7], [28, 29, 30, 31]]


def test_a_seed_brings_no_more_than_ten_neighbours() -> None:
    facts = [fact(number) for number in range(40)]
    assert clustered(facts, [0], topics(facts)) == [list(range(11))]


def test_a_cluster_without_a_seed_is_none() -> None:
    """A fact between two groups brings some of the other one along: of these alone nothing is new."""
    rows = {1: [1, 0, 0.0], 2: [1, 0.1, 0], 3: [1, 0, 0.1], 4: [1, 0.1, 0.1], 9: [0, 0, 1], 10: [0.1, 0, 1]}
    assert clustered([fact(n) for n in rows], [1], vectors(rows)) == [[1, 2, 3, 4]]


def test_excluded_types_join_only_as_seeds() -> None:
    facts = [fact(1), fact(2, type="hypothesis"), fact(3), fact(4)]
    assert clustered(facts, [1, 4], topics(facts), exclude_types=("hypothesis",)) == [[1, 3, 4]]
    assert clustered(facts, [1, 2], topics(facts), exclude_types=("hypothesis",)) == [[1, 2, 3, 4]]


def test_sy_17_pragmatic_facts_are_in_no_cluster() -> None:
    facts = [fact(1), fact(2, type="policy"), fact(3), fact(4, type="heuristic")]
    assert clustered(facts, [1, 2, 3, 4], topics(facts)) == [[1, 3]]


def test_without_edges_the_first_tag_that_tells_facts_apart_makes_clusters() -> None:
    tags = [("sweep", "optimizer"), ("optimizer",), ("data",), ("sweep",), (), ("Data", "optimizer")]
    facts = [fact(number, domain=domain) for number, domain in enumerate(tags)]
    of = topics(facts, 1)
    assert clustered(facts, list(range(6)), of, markers=frozenset(["sweep"])) == [[0, 1], [2, 5]]


def test_facts_without_a_vector_do_not_matter() -> None:
    facts = [fact(number) for number in range(4)]
    assert clustered(facts, [0, 1, 2, 3], topics(facts[:2])) == [[0, 1]]
    assert clustered(facts, [0, 1, 2, 3], Vectors.of([], topics(facts[:1]).matrix[:0])) == []


def test_no_seeds_and_unknown_seeds_give_no_clusters() -> None:
    facts = [fact(1), fact(2)]
    assert clustered(facts, [], topics(facts)) == []
    assert clustered(facts, [77], topics(facts)) == []


def test_the_order_of_the_input_never_counts() -> None:
    chance = random.Random(2)
    facts = [fact(number) for number in range(60)]
    of = topics(facts, 7)
    seeds = list(range(0, 60, 3))
    expected = clustered(facts, seeds, of)
    assert expected == sorted(expected, key=lambda cluster: (-len(cluster), cluster[0]))
    for _ in range(5):
        some = chance.sample(facts, 60)
        shuffled = Vectors.of([one.fact for one in some], of.matrix[[facts.index(one) for one in some]])
        assert clustered(some, chance.sample(seeds, 20), shuffled) == expected


def test_what_is_known_of_all_facts_need_not_be_looked_for_again() -> None:
    facts = [fact(number) for number in range(30)]
    of = topics(facts, 5)
    known = Neighbours(of).nearest(LEAST)
    assert clustered(facts, [3, 12], of, nearest=known) == clustered(facts, [3, 12], of)
