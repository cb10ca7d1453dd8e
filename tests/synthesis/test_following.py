"""What follows from an answer, what a hypothesize session begins with, and what reflect looks back on."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.synthesis.likeness import (
    HYPOTHESIZE,
    REVIEW,
    changed,
    likeness,
    reviewed,
    seen,
    shown,
    topics,
    vectors,
)
from tests.synthesis.making import CAMPAIGN, after, fact, name, numbered
from thermite_pipelines.synthesis.applying import Applied
from thermite_pipelines.synthesis.corpus import Corpus, Held
from thermite_pipelines.synthesis.decisions import Decision, fact_output
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.planning import (
    follow_ups,
    plan_hypothesize,
    plan_reflect,
    plan_review,
)
from thermite_pipelines.synthesis.vectors import Vectors
from thermite_pipelines.synthesis.work import Request

# What follows from an answer


def written(number: int, **more: Any) -> Fact:
    return fact(number, f"Synthesis {number}", type="synthesis", **more)


def test_what_was_written_is_clustered_one_level_deeper_with_old_neighbours() -> None:
    old = [fact(number) for number in range(4)]
    new = [written(100), written(101)]
    facts = [*old, *new]
    of = topics([old[0], *new, *old[1:]], 3)  # old[0] is near to both, the others are not
    items = follow_ups(Corpus(facts), new, 0, likeness(of))
    assert [(item.key, item.depth, item.priority, shown(item)) for item in items] == [
        ("raptor-d1-c0-0", 1, -1.0, [0, 100, 101])
    ]


def test_hypotheses_and_pragmatic_facts_join_no_deeper_item() -> None:
    facts = [fact(1, type="hypothesis"), fact(2, type="policy"), fact(3), written(100)]
    items = follow_ups(Corpus(facts), [facts[3]], 1, likeness(topics(facts)))
    assert [(item.key, shown(item)) for item in items] == [("raptor-d2-c0-0", [3, 100])]


def test_hypotheses_take_no_neighbour_from_other_facts() -> None:
    many = [fact(number, type="hypothesis") for number in range(20)]
    facts = [*many, fact(50), written(100)]
    rows = {number: [1, 0.0] for number in range(20)} | {50: [1, 0.5], 100: [1, 0]}
    items = follow_ups(Corpus(facts), [facts[-1]], 0, likeness(vectors(rows)))
    assert [shown(item) for item in items] == [[50, 100]]


def test_nothing_near_or_nothing_written_or_retracted_follows_with_nothing() -> None:
    facts = [fact(1), written(100)]
    assert follow_ups(Corpus(facts), [facts[1]], 0, likeness(topics(facts, 1))) == []
    assert follow_ups(Corpus(facts), [], 0, likeness(topics(facts))) == []
    gone = [facts[0], Held(fact=facts[1], retracted_by="decision:sweep/1")]
    assert follow_ups(Corpus(gone), [facts[1]], 0, likeness(topics(facts))) == []


def test_sy_34_what_is_written_at_depth_3_is_followed_by_nothing() -> None:
    facts = [fact(1), written(100)]
    follow = [follow_ups(Corpus(facts), [facts[1]], depth, likeness(topics(facts))) for depth in range(5)]
    assert [[item.depth for item in items] for items in follow] == [[1], [2], [3], [], []]


def test_sy_32_33_34_a_stub_that_always_synthesizes_goes_three_levels_deep_and_ends() -> None:
    """200 facts: the queue is served by priority, each item answered with one synthesis of its first two facts."""
    facts = [fact(number) for number in range(200)]
    of = topics(facts, 10, 0.8)
    corpus = Corpus(facts)
    queue = [item for item in plan_review(corpus, REVIEW, None, likeness(of)).plan.items if item.step == "distill"]
    depths, made, bound = [], 0, 4 * len(queue)
    while queue:
        item = max(queue, key=lambda one: one.priority)
        assert all(item.depth <= other.depth for other in queue)
        queue.remove(item)
        depths.append(item.depth)
        made += 1
        cited = [one for one, _ in item.inputs[:2]]
        new = fact(10_000 + made, f"Synthesis {made}", type="synthesis", refs=tuple(cited), depth=item.depth)
        decision = Decision(verb="synthesize", step="distill", inputs=item.inputs[:2], output=fact_output(new))
        corpus = after(corpus, Applied((decision,)), made)
        of = Vectors.of([*of.names, new.fact], np.vstack([of.matrix, of.matrix[of.names.index(cited[0])]]))
        queue += follow_ups(corpus, [new], item.depth, likeness(of))
        held = corpus.kept(new.fact)
        assert held is not None
        assert held.fact.depth == item.depth
    assert sorted(set(depths)) == [0, 1, 2, 3]
    assert len(depths) <= bound


# Hypothesize


def test_behaviour_57_each_synthesis_is_an_item_in_order() -> None:
    facts = [written(number, refs=(name(1),)) for number in (3, 1, 2)]
    plan = plan_hypothesize(Corpus(facts), HYPOTHESIZE, None)
    assert [(item.key, item.priority, json.loads(item.facts)["path"]) for item in plan.items] == [
        ("synth-0", 3.0, name(1)),
        ("synth-1", 2.0, name(2)),
        ("synth-2", 1.0, name(3)),
    ]
    assert [one.fact for one in plan.seen] == [name(1), name(2), name(3)]


def test_behaviour_58_only_a_synthesis_yields_an_item_in_full_and_later_scans() -> None:
    facts = [written(1), fact(2), fact(3, type="hypothesis"), written(4)]
    assert [item.inputs for item in plan_hypothesize(Corpus(facts), HYPOTHESIZE, seen(facts[3])).items] == [
        (facts[0].key,)
    ]
    assert len(plan_hypothesize(Corpus(facts), HYPOTHESIZE, None).items) == 2


def test_behaviour_59_without_a_synthesis_there_is_nothing_to_do() -> None:
    plan = plan_hypothesize(Corpus([fact(1)]), HYPOTHESIZE, None)
    assert (list(plan.items), list(plan.seen)) == ([], [])


def test_behaviour_60_a_single_synthesis_is_one_item_whatever_the_effort() -> None:
    request = Request(CAMPAIGN, "hypothesize", "mcp", effort="high")
    assert [item.step for item in plan_hypothesize(Corpus([written(1)]), request, None).items] == ["hypothesize"]


# Reflect


def reflected(before: Sequence[Fact], now: Sequence[Any]) -> dict[int, tuple[str, str | None]]:
    items = plan_reflect(Corpus(now), seen(*before))
    records = json.loads(items[0].facts) if items else []
    return {int(one["path"][-12:], 16): (one["action"], one.get("detail")) for one in records}


def test_sy_23_reflect_looks_at_exactly_the_hypotheses_that_moved_on() -> None:
    before = [fact(number, type="hypothesis") for number in range(8)] + [fact(20), fact(21)]
    now = [
        before[0],
        changed(before[1], confidence=0.8),
        changed(before[2], type="synthesis", origin="distilled"),
        Held(fact=before[3], retracted_by=name(30), retracted_as="confirmed"),
        Held(fact=before[4], retracted_by="experiment:rig/run/1", retracted_as="refuted"),
        Held(fact=before[5], retracted_by="decision:sweep/1"),
        Held(fact=before[6], retracted_by="decision:sweep/2", superseded_by=name(20)),
        Held(fact=before[7], retracted_by="decision:sweep/3", superseded_by=name(0)),
        before[8],
        changed(before[9], confidence=0.1),
        fact(30),
        fact(31, type="hypothesis", confidence=0.1),
    ]
    assert reflected(before, now) == {
        1: ("confidence-updated", "0.50 to 0.80"),
        2: ("promoted", "synthesis"),
        3: ("confirmed", name(30)),
        4: ("refuted", "experiment:rig/run/1"),
        5: ("retracted", None),
        6: ("confirmed", name(20)),
        7: ("retracted", None),
    }


def test_a_hypothesis_that_dedup_confirmed_is_a_transition() -> None:
    facts = [fact(1, "The same", type="hypothesis", confidence=0.9), fact(2, "The same")]
    decisions = reviewed(facts, vectors({1: [1, 0], 2: [1, 0]})).plan.decisions
    corpus = after(Corpus(facts), Applied(tuple(numbered(decisions))))
    items = plan_reflect(corpus, seen(*facts))
    assert json.loads(items[0].facts) == [
        {"path": name(1), "original_type": "hypothesis", "action": "confirmed", "detail": name(2)}
    ]
    assert (items[0].step, items[0].key, items[0].priority, items[0].inputs) == (
        "reflect",
        "reflect",
        -100.0,
        (facts[0].key,),
    )


def test_without_a_transition_or_a_watermark_there_is_nothing_to_reflect_on() -> None:
    facts = [fact(1, type="hypothesis"), fact(2)]
    assert plan_reflect(Corpus(facts), seen(*facts)) == []
    assert plan_reflect(Corpus(facts), None) == []
    assert plan_reflect(Corpus([]), seen(*facts)) == []
