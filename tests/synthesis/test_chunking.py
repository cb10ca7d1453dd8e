"""Items made of facts: how large they grow, what they are called, when their turn comes."""

import json
import logging
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.synthesis.working import CAMPAIGN, fact, facts
from thermite_pipelines.synthesis import chunking
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.work import (
    REFLECT_PRIORITY,
    NewItem,
    backward_priority,
    distill_priority,
    forward_priority,
    hypothesize_priority,
)

KIB = 1024


def named(item: NewItem) -> list[str]:
    return [record["path"] for record in json.loads(item.facts)]


def large(number: int, size: int) -> list[Fact]:
    """So many facts whose records take about `size` bytes each."""
    return [fact(place, "x" * (size - 170)) for place in range(number)]


class TestSizes:
    def test_sy_10_a_large_cluster_becomes_several_distill_items(self) -> None:
        cluster = large(110, 10 * KIB)  # 1.1 MiB
        items = chunking.distill_items("distill-c0", cluster)
        assert len(items) >= 5
        assert all(len(item.facts.encode()) <= 256 * KIB for item in items)
        assert [path for item in items for path in named(item)] == [one.fact for one in cluster]
        assert [pair for item in items for pair in item.inputs] == [one.key for one in cluster]

    def test_behaviour_36_items_of_large_facts_are_numbered_in_their_order(self) -> None:
        items = chunking.distill_items("distill-c0", large(24, 48 * KIB))
        assert len(items) >= 4
        assert [item.key for item in items] == [f"distill-c0-{place}" for place in range(len(items))]
        assert max(len(item.facts.encode()) for item in items) <= 262_144

    def test_sy_45_keys_and_order_are_the_same_each_time(self) -> None:
        runs = [chunking.distill_items("distill-c0", large(110, 10 * KIB)) for _ in range(10)]
        assert all(run == runs[0] for run in runs)

    def test_sy_11_a_prune_cluster_is_never_cut(self, caplog: pytest.LogCaptureFixture) -> None:
        cluster = large(60, 10 * KIB)
        (item,) = chunking.prune_items([cluster])
        assert named(item) == [one.fact for one in cluster]
        assert len(item.facts) > 580 * KIB
        assert [record.levelno for record in caplog.records] == [logging.WARNING]

    def test_one_fact_that_is_larger_than_an_item_stands_alone(self) -> None:
        cluster = [fact(1), fact(2, "x" * 300 * KIB), fact(3)]
        items = chunking.distill_items("distill-c0", cluster)
        assert [named(item) for item in items] == [[one.fact] for one in cluster]

    @given(st.lists(st.integers(1, 200 * KIB), min_size=1, max_size=12))
    def test_every_fact_is_in_one_item_and_no_item_is_too_large(self, sizes: list[int]) -> None:
        cluster = [fact(place, "ä" * (size // 2)) for place, size in enumerate(sizes)]
        items = chunking.distill_items("distill-c0", cluster)
        assert [path for item in items for path in named(item)] == [one.fact for one in cluster]
        for item in items:
            assert len(item.facts.encode()) <= 256 * KIB or len(named(item)) == 1
        for one, other in pairwise(items):
            first = json.dumps(json.loads(other.facts)[0], ensure_ascii=False, separators=(",", ":"))
            assert len(one.facts.encode()) + len(first.encode()) + 1 > 256 * KIB


class TestContents:
    def test_sy_17_pragmatic_facts_are_in_no_item(self) -> None:
        mixed = [*facts(1, 2, 3), fact(4, type="policy"), fact(5, type="heuristic")]
        items = [
            *chunking.prune_items([mixed]),
            *chunking.distill_items("distill-c0", mixed),
            *chunking.raptor_items([mixed], 1),
        ]
        assert len(items) == 3
        assert {path for item in items for path in named(item)} == {one.fact for one in facts(1, 2, 3)}
        assert {path for item in items for path, _ in item.inputs} == {one.fact for one in facts(1, 2, 3)}

    def test_a_cluster_with_one_fact_is_nothing_to_prune(self) -> None:
        assert chunking.prune_items([facts(1), [fact(2), fact(3, type="policy")], []]) == []

    def test_behaviour_37_a_body_is_in_the_payload_unchanged(self) -> None:
        body = 'line one\nline "two" \\ <b>ü</b> 🜂'
        (item,) = chunking.prune_items([[fact(1, body), fact(2)]])
        record = json.loads(item.facts)[0]
        assert record["body"] == body
        assert list(record) == [
            *("path", "title", "body", "type", "domain", "entities", "confidence", "sources", "origin")
        ]

    def test_behaviour_58_only_syntheses_are_hypothesized_about(self) -> None:
        mixed = [fact(1), fact(2, type="synthesis", refs=("https://x.org",)), fact(3, type="hypothesis")]
        (item,) = chunking.hypothesize_items(mixed)
        assert (item.key, item.inputs) == ("synth-1", (mixed[1].key,))
        assert json.loads(item.facts)["refs"] == ["https://x.org"]

    def test_the_payload_of_discovery(self) -> None:
        bridge = {"token": "", "kind": "", "scope_label": "optimizer, muon"}
        item = chunking.discover_item(bridge, facts(1, 2), 3, backward=True)
        payload = json.loads(item.facts)
        assert list(payload) == ["direction", "bridge", "scope_label"]
        assert (payload["direction"], item.key) == ("backward", "discover-bwd-3")
        assert [one["path"] for one in payload["bridge"]["members"]] == [f"{CAMPAIGN}/{n:012x}" for n in (1, 2)]
        assert (
            "scope_label" not in chunking.discover_item(bridge | {"scope_label": ""}, facts(1), 0, backward=True).facts
        )


class TestPriorities:
    def test_behaviour_79_of_discovery(self) -> None:
        for priority in (forward_priority, backward_priority):
            values = [priority(rank) for rank in range(1000)]
            assert all(value < 0 for value in values)
            assert all(later < earlier for earlier, later in pairwise(values))
        assert forward_priority(89) > REFLECT_PRIORITY
        assert forward_priority(47) > REFLECT_PRIORITY > backward_priority(1)

    def test_of_the_others(self) -> None:
        assert [distill_priority(depth) for depth in range(4)] == [0, -1, -2, -3]
        assert [hypothesize_priority(place, 3) for place in range(3)] == [3, 2, 1]
        sizes = [item.priority for item in chunking.prune_items([facts(1, 2), facts(3, 4, 5)])]
        assert sizes == [2, 3]
        assert forward_priority(0) < distill_priority(3)
