"""Planning: what a review begins with."""

import json
import random
from typing import Any

import numpy as np
import pytest

from tests.synthesis.likeness import (
    REVIEW,
    changed,
    large,
    numbers,
    of_step,
    reviewed,
    seen,
    shown,
    topics,
    vectors,
)
from tests.synthesis.making import CAMPAIGN, fact, name
from thermite_pipelines.synthesis.chunking import ITEM_BYTES
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.neighbours import Neighbours
from thermite_pipelines.synthesis.planning import (
    first_distills,
    seeds_of,
)
from thermite_pipelines.synthesis.vectors import Vectors
from thermite_pipelines.synthesis.work import Request

# Dedup


def test_behaviour_21_the_surer_fact_wins_with_the_sources_of_both() -> None:
    facts = [fact(1, "The same", confidence=0.9, sources=3), fact(2, "The same", confidence=0.5, sources=4)]
    plan = reviewed(facts, vectors({1: [1, 0], 2: [1, 0.01]})).plan
    assert [(one.verb, one.about) for one in plan.decisions] == [("merge", name(1))]
    assert plan.decisions[0].fact is not None
    assert plan.decisions[0].fact.sources == 7
    assert plan.counts.merged == 1


def test_two_identical_facts_alone_are_merged_and_leave_no_work() -> None:
    found = reviewed([fact(1, "The same"), fact(2, "The same")], vectors({1: [1, 0], 2: [1, 0]}))
    assert len(found.plan.decisions) == 1
    assert list(found.plan.items) == []
    assert numbers(found.seeds) == [1]


def test_two_related_facts_alone_are_a_cluster() -> None:
    facts = [fact(1), fact(2)]
    plan = reviewed(facts, topics(facts)).plan
    assert of_step(plan.items, "prune") == {"cluster-0": [1, 2]}
    assert of_step(plan.items, "distill") == {"distill-c0-0": [1, 2]}


@pytest.mark.parametrize("number", [0, 1])
def test_behaviour_22_no_fact_and_one_fact_merge_nothing(number: int) -> None:
    facts = [fact(one) for one in range(number)]
    found = reviewed(facts, topics(facts) if facts else Vectors.of([], np.zeros((0, 2), np.float32)))
    assert list(found.plan.decisions) == []
    assert list(found.plan.items) == []


def test_behaviour_23_what_stops_the_search_stops_the_planning(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Neighbours, "nearest", stopped)
    with pytest.raises(KeyboardInterrupt):
        reviewed([fact(1), fact(2)], topics([fact(1), fact(2)]))


def test_what_dedup_removed_is_in_no_item_and_no_cluster() -> None:
    facts = [fact(number, confidence=0.4 if number % 2 else 0.6) for number in range(12)]
    base = topics(facts[::2], 3).matrix
    of = Vectors.of([one.fact for one in facts], np.repeat(base, 2, axis=0))
    facts = [changed(one, title=f"Claim {n // 2}", body="Holds.") for n, one in enumerate(facts)]
    found = reviewed(facts, of)
    assert len(found.plan.decisions) == 6
    served = {number for item in found.plan.items for number in shown(item)}
    assert served == set(range(0, 12, 2))
    assert {number for cluster in found.clusters for number in numbers(cluster)} == served
    for item in found.plan.items:
        assert all(json.loads(item.facts)[place]["sources"] == 2 for place in range(len(item.inputs)))


def test_near_duplicates_are_merged_wherever_they_are_in_the_campaign() -> None:
    """The copy of a new fact is found among facts that the session does not look at."""
    facts = [fact(number, f"Claim {number // 2}", body="Holds.") for number in range(40)]
    matrix = np.repeat(topics(facts[::2], 5).matrix, 2, axis=0)
    found = reviewed(facts, Vectors.of([one.fact for one in facts], matrix), seen(*facts[:39]))
    assert len(found.plan.decisions) == 20
    assert list(found.seeds) == []


def test_facts_whose_numbers_disagree_are_no_near_duplicates() -> None:
    facts = [fact(1, "The loss fell to 1.83"), fact(2, "The loss fell to 1.93")]
    assert list(reviewed(facts, vectors({1: [1, 0], 2: [1, 0]})).plan.decisions) == []


def test_a_scope_merges_only_pairs_with_a_fact_in_it() -> None:
    facts = [fact(n, "The same" if n < 2 else "Other", domain=("auth",) if n == 0 else ()) for n in range(4)]
    of = vectors({0: [1, 0], 1: [1, 0], 2: [0, 1], 3: [0, 1]})
    request = Request(CAMPAIGN, "review", "mcp", domains=("auth",))
    assert [sorted(one for one, _ in d.inputs) for d in reviewed(facts, of, request=request).plan.decisions] == [
        [name(0), name(1)]
    ]


# Seeds


def test_behaviour_30_only_what_is_epistemic_is_a_seed_in_full_and_later_scans() -> None:
    facts = [fact(1), fact(2, type="policy"), fact(3), fact(4, type="heuristic")]
    of = topics(facts)
    assert numbers(reviewed(facts, of).seeds) == [1, 3]
    assert numbers(reviewed(facts, of, seen(facts[0])).seeds) == [3]
    assert {one.fact for one in reviewed(facts, of).plan.seen} == {name(1), name(3)}


def test_seeds_are_what_is_new_then_what_changed() -> None:
    old = [fact(number) for number in range(6)]
    now = [*old[:2], changed(old[2], confidence=0.9), *old[3:], fact(7), fact(6)]
    by_id = {one.fact: one for one in now}
    assert numbers(seeds_of(by_id, REVIEW, seen(*old))) == [6, 7, 2]
    assert numbers(seeds_of(by_id, REVIEW, {})) == list(range(8))
    assert numbers(seeds_of(by_id, REVIEW, None)) == list(range(8))


def test_behaviour_88_a_scope_is_the_union_of_its_tags_and_entities_and_knows_no_watermark() -> None:
    facts = [fact(1, domain=("auth",)), fact(2, entities=("alice",)), fact(3)]
    request = Request(CAMPAIGN, "review", "mcp", domains=("auth",), entities=("Alice",))
    assert numbers(seeds_of({one.fact: one for one in facts}, request, seen(*facts))) == [1, 2]


def test_behaviour_87_without_seeds_there_is_no_work_and_all_is_seen() -> None:
    facts = [fact(1, "The same"), fact(2, "The same")]
    plan = reviewed(facts, vectors({1: [1, 0], 2: [1, 0]}), seen(*facts)).plan
    assert (list(plan.items), list(plan.decisions)) == ([], [])
    assert list(plan.seen) == list(seen(*facts).values())


def test_what_was_seen_is_what_was_there_before_the_merges() -> None:
    facts = [fact(1, "The same"), fact(2, "The same")]
    assert list(reviewed(facts, vectors({1: [1, 0], 2: [1, 0]})).plan.seen) == list(seen(*facts).values())


# Prune and distill items


@pytest.mark.parametrize("number", [1, 3, 20])
def test_few_seeds_are_clustered_like_many(number: int) -> None:
    """Few are looked around one by one, many by the graph of all."""
    facts = [fact(one) for one in range(60)]
    found = reviewed(facts, topics(facts, 6), seen(*facts[:-number]))
    whole = [list(range(first, first + 6)) for first in range(0, 60, 6)]
    assert [numbers(cluster) for cluster in found.clusters] == [one for one in whole if one[-1] >= 60 - number]


def test_sy_17_no_pragmatic_fact_is_in_any_item() -> None:
    kinds = ["observation", "policy", "principle", "heuristic"]
    facts = [fact(number, type=kinds[number % 4]) for number in range(40)]
    plan = reviewed(facts, topics(facts, 10)).plan
    served = {number for item in plan.items for number in shown(item)}
    assert served == set(range(0, 40, 2))


def test_prune_items_are_clusters_the_larger_ones_first() -> None:
    facts = [fact(number) for number in range(9)]
    of = topics(facts, 4)
    items = [item for item in reviewed(facts, of).plan.items if item.step == "prune"]
    assert [(item.key, item.priority, shown(item)) for item in items] == [
        ("cluster-0", 4.0, [0, 1, 2, 3]),
        ("cluster-1", 4.0, [4, 5, 6, 7]),
    ]


def test_behaviour_34_each_seed_is_in_exactly_one_distill_item_and_nothing_else_is() -> None:
    facts = [fact(number) for number in range(24)]
    found = reviewed(facts, topics(facts, 12), seen(*facts[::2]))
    distilled = of_step(found.plan.items, "distill")
    assert sorted(number for group in distilled.values() for number in group) == list(range(1, 24, 2))
    assert distilled == {"distill-c0-0": [1, 3, 5, 7, 9, 11], "distill-c1-0": [13, 15, 17, 19, 21, 23]}
    assert all(item.depth == 0 and item.priority == 0 for item in found.plan.items if item.step == "distill")
    pruned = {number for group in of_step(found.plan.items, "prune").values() for number in group}
    assert pruned & set(range(0, 24, 2))  # neighbours that are no seeds are judged with the others


def test_behaviour_35_without_clusters_all_seeds_are_one_group_in_their_order() -> None:
    seeds = [fact(number) for number in (3, 1, 2)]
    items = first_distills(seeds, [])
    assert [(item.key, shown(item)) for item in items] == [("distill-rest-0", [3, 1, 2])]


def test_a_cluster_with_one_seed_leaves_it_to_the_rest() -> None:
    facts = [fact(number) for number in range(7)]
    items = first_distills(facts[:5], [[facts[0], facts[5]], [facts[1], facts[2], facts[6]], [facts[2], facts[3]]])
    assert {item.key: shown(item) for item in items} == {"distill-c0-0": [1, 2], "distill-rest-0": [0, 3, 4]}


def test_a_single_seed_is_not_distilled() -> None:
    assert first_distills([fact(1)], [[fact(1), fact(2)]]) == []
    assert {item.key: shown(item) for item in first_distills([fact(n) for n in range(3)], [[fact(0), fact(1)]])} == {
        "distill-c0-0": [0, 1],
        "distill-rest-0": [2],
    }


def test_behaviour_36_large_facts_become_several_items_in_order() -> None:
    facts = large(24, 48 * 1024)
    items = [item for item in reviewed(facts, topics(facts, 24, 0.7)).plan.items if item.step == "distill"]
    assert len(items) >= 4
    assert all(len(item.facts.encode()) <= ITEM_BYTES for item in items)
    groups: dict[str, list[int]] = {}
    for item in items:
        group, _, part = item.key.rpartition("-")
        groups.setdefault(group, []).append(int(part))
    assert all(parts == list(range(len(parts))) for parts in groups.values())


def one_group(number: int, size: int) -> tuple[list[Fact], Vectors]:
    facts = large(number, size)
    return facts, topics(facts)


def test_sy_10_a_large_cluster_becomes_items_of_256_kib_with_every_fact_once() -> None:
    facts, of = one_group(11, 100 * 1024)
    items = [item for item in reviewed(facts, of).plan.items if item.step == "distill"]
    assert len(items) >= 5
    assert all(len(item.facts.encode()) <= ITEM_BYTES for item in items)
    assert sorted(number for item in items for number in shown(item)) == list(range(11))


def test_sy_11_a_prune_cluster_is_never_split() -> None:
    facts, of = one_group(6, 100 * 1024)
    plan = reviewed(facts, of).plan
    assert of_step(plan.items, "prune") == {"cluster-0": list(range(6))}


def test_sy_45_keys_and_order_are_the_same_each_time_whatever_the_order_of_facts() -> None:
    facts, of = one_group(11, 100 * 1024)
    chance = random.Random(1)
    expected = [(item.key, item.facts) for item in reviewed(facts, of).plan.items]
    assert [key for key, _ in expected if key.startswith("distill")] == [f"distill-c0-{n}" for n in range(6)]
    for _ in range(10):
        some = chance.sample(facts, 11)
        shuffled = Vectors.of([one.fact for one in some], of.matrix[[facts.index(one) for one in some]])
        assert [(item.key, item.facts) for item in reviewed(some, shuffled).plan.items] == expected


def test_behaviour_37_bodies_are_in_the_payload_unchanged() -> None:
    facts = [fact(1, body='Line one\n\n"Größe" 中文 </think>'), fact(2)]
    for item in reviewed(facts, topics(facts)).plan.items:
        assert json.loads(item.facts)[0]["body"] == facts[0].body
