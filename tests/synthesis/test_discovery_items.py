"""Items of discovery: how many an effort gives, in which order, what is in them, and what is never asked for."""

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.synthesis.discovering import Field, clique, members, tokens, two_communities
from tests.synthesis.likeness import topics
from tests.synthesis.making import CAMPAIGN, fact, name
from thermite_pipelines.settings import load_settings
from thermite_pipelines.synthesis.corpus import Corpus, Held
from thermite_pipelines.synthesis.discovery import BUDGETS, Dial, Scope, edges_of, forward_items, keystones
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.lineage import lineage_of
from thermite_pipelines.synthesis.neighbours import Neighbours
from thermite_pipelines.synthesis.work import REFLECT_PRIORITY, NewItem, Request, distill_priority

EFFORTS = ("normal", "medium", "high")


def premises() -> Field:
    """Three pairs of related facts; two facts rest on a fact of the second pair, three on one of the third."""
    pairs = [fact(number, domain=(f"subject {number // 2}",)) for number in range(6)]
    resting = [fact(10 + number, type="synthesis", refs=(name(2),)) for number in range(2)]
    resting += [fact(20, type="synthesis", refs=(name(5),)), fact(21, type="synthesis", refs=(name(20),))]
    resting += [fact(22, type="synthesis", refs=(name(21), name(20)))]
    return Field([*pairs, *resting], [], [(0, 1), (2, 3), (4, 5)], seeds=range(6))


# What an effort gives


@pytest.mark.parametrize("backward", [False, True])
def test_sy_31_normal_effort_asks_for_nothing_and_higher_effort_looks_further(backward: bool) -> None:
    """Behaviour 62: given effort normal, no seed sets are built and nothing that is costly is asked for."""
    field = two_communities(60)
    found = {effort: (field.backward if backward else field.forward)(effort) for effort in EFFORTS[:1]}
    assert found == {"normal": []} and field.asked == []
    numbers = [len((field.backward if backward else field.forward)(effort)) for effort in EFFORTS[1:]]
    assert 0 < numbers[0] <= numbers[1]


@pytest.mark.parametrize(("effort", "number"), [("normal", 0), ("medium", 12), ("high", 48)])
def test_the_budget_bounds_the_sets(effort: Any, number: int) -> None:
    """Behaviour 63."""
    assert len(two_communities(60).forward(effort)) == number == BUDGETS[effort]
    scoped = two_communities(60).forward(effort, scope=Scope(entities=("x",)))
    assert len(scoped) == number, "within a scope too"


def test_higher_effort_begins_with_what_lower_effort_asks() -> None:
    medium, high = (two_communities(60).forward(effort) for effort in ("medium", "high"))
    assert high[:12] == medium


def test_the_graph_is_asked_for_once_and_only_around_what_shares_a_token() -> None:
    asked: list[frozenset[str]] = []
    field = Field([fact(1, domain=("a",)), fact(2, domain=("a",)), fact(3, domain=("b",))], alike=[(1, 2)])
    material = replace(field.material(), edges=lambda names: asked.append(frozenset(names)) or [(name(1), name(2))])
    assert len(forward_items(material, "high", Dial())) == 1
    assert asked == [{name(1), name(2)}]


# Payloads and order


def test_forward_items_are_ranked_by_quality() -> None:
    facts = [fact(number, domain=(f"subject {number // 2}",)) for number in range(4)]
    facts.append(fact(9, domain=("subject 0",)))
    first, second = Field(facts, alike=[(0, 1), (2, 3)], seeds=range(4)).forward()
    assert [(one.step, one.key, one.priority, members(one)) for one in (first, second)] == [
        ("discover", "discover-fwd-0", -10.0, [2, 3]),
        ("discover", "discover-fwd-1", -11.0, [0, 1]),
    ]
    payload = json.loads(first.facts)
    assert list(payload) == ["direction", "bridge"] and payload["direction"] == "forward"
    assert list(payload["bridge"]) == ["token", "kind", "members"]
    assert payload["bridge"]["members"] == [facts[2].record(), facts[3].record()]


def test_a_scoped_item_tells_the_scope_and_may_lack_a_token() -> None:
    scope = Scope(domains=("auth", "store"), entities=("Muon",))
    [item] = Field([fact(1, domain=("auth",)), fact(2, domain=("auth",))], alike=[(1, 2)]).forward(scope=scope)
    assert json.loads(item.facts)["scope_label"] == "auth, store, Muon"
    assert tokens([item]) == [("", "")]


def test_the_scope_is_that_of_the_request() -> None:
    request = Request(CAMPAIGN, "review", "mcp", domains=("auth",), entities=("alice",))
    assert Scope.of(request) == Scope(("auth",), ("alice",)) and Scope.of(request).is_given
    assert not Scope.of(Request(CAMPAIGN, "review", "mcp")).is_given


def test_what_was_discovered_and_what_is_pragmatic_are_never_members() -> None:
    facts = [
        fact(1, domain=("a",)),
        fact(2, domain=("a",), type="synthesis", origin="discovered"),
        fact(3, domain=("a",), type="heuristic"),
        fact(4, domain=("a",), type="synthesis"),
    ]
    for scope in (None, Scope(entities=("x",))):
        [item] = Field(facts, alike=clique(1, 2, 3, 4)).forward(scope=scope)
        assert members(item) == [1, 4]


def test_a_neighbour_from_a_cluster_may_be_a_member_and_one_that_is_gone_is_not() -> None:
    facts = [fact(number, domain=("a",)) for number in range(4)]
    field = Field(facts, [[0, 2], [1, 3]], clique(0, 1, 2, 3), seeds=[0, 1])
    [item] = field.forward()
    assert members(item) == [0, 1, 2, 3]
    held = [Held(fact=one, superseded_by=name(0) if one.fact == name(2) else None) for one in facts]
    [item] = forward_items(replace(field.material(), corpus=Corpus(held)), "medium", Dial())
    assert members(item) == [0, 1, 3]


# Premises


def test_sy_39_the_planted_premise_ranks_first_by_the_facts_that_rest_on_it() -> None:
    field = premises()
    items = field.backward()
    assert [(one.key, one.priority, members(one)) for one in items] == [
        ("discover-bwd-0", -100.0, [4, 5]),
        ("discover-bwd-1", -101.0, [2, 3]),
        ("discover-bwd-2", -102.0, [0, 1]),
    ]
    assert {json.loads(one.facts)["direction"] for one in items} == {"backward"}
    lineage = lineage_of(Corpus(field.facts))
    ranked = keystones(field.sets(), lineage)
    dependents = [{20, 21, 22}, {10, 11}, set()]
    assert [number for number, _ in ranked] == list(map(len, dependents))
    for (number, one), found in zip(ranked, dependents, strict=True):
        assert max((lineage.dependents(member) for member in one.members), key=len) == set(map(name, found))
        assert number == max(map(lineage.blast_radius, one.members))


def test_blast_radius_of_a_diamond_counts_live_dependents_at_any_depth() -> None:
    """Behaviour 80."""
    diamond = [
        fact(1),
        *(fact(number, type="synthesis", refs=(name(1),)) for number in (2, 3)),
        fact(4, type="synthesis", refs=(name(2), name(3))),
    ]
    lineage = lineage_of(Corpus(diamond))
    assert [lineage.blast_radius(name(number)) for number in (1, 4, 77)] == [3, 0, 0]
    gone = [Held(fact=one, retracted_by="decision:sweep/1" if one.fact == name(2) else None) for one in diamond[:3]]
    through_two = Held(fact=fact(4, type="synthesis", refs=(name(2),)))
    assert lineage_of(Corpus([*gone, through_two])).blast_radius(name(1)) == 2


def test_one_seed_has_no_premises() -> None:
    """Behaviour 60."""
    field = replace(premises(), seeds=[0], asked=[])
    assert field.backward("high") == [] and field.asked == []


# What goes wrong


@pytest.mark.parametrize("backward", [False, True])
def test_where_discovery_fails_the_session_goes_on_without_it(backward: bool, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Field):
        def edges(self, names: Any) -> Any:
            raise OSError("the vectors can't be read")

    field = Broken(**vars(two_communities(3)))
    assert (field.backward() if backward else field.forward()) == []
    assert [record.getMessage() for record in caplog.records] == ["no discovery in this session: OSError"]


def test_the_dial_is_as_it_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Dial.of(load_settings(tmp_path)) == Dial()
    monkeypatch.setenv("THERMITE_DISCOVERY_BRIDGE", "entity")
    assert Dial.of(load_settings(tmp_path)) == Dial(bridge="entity")


# Laws


def random_field(seed: int) -> Field:
    dice = random.Random(seed)
    number = dice.randrange(2, 24)

    def made(place: int) -> Fact:
        kind = dice.choice(["observation", "pattern", "synthesis", "heuristic"])
        refs = tuple(name(dice.randrange(place)) for _ in range(dice.randrange(3))) if place else ()
        return fact(
            place,
            type=kind,
            domain=tuple(dice.sample(["auth", "store", "lr", "muon"], dice.randrange(3))),
            entities=tuple(dice.sample(["Muon", "muon", "AdamW", "x_y"], dice.randrange(3))),
            refs=refs,
        )

    facts = [made(place) for place in range(number)]
    left = dice.sample(range(number), number)
    clusters: list[list[int]] = []
    while len(left) > 3:
        size = dice.randrange(1, 5)
        clusters.append(sorted(left[:size]))
        left = left[size:]
    alike = [pair for pair in clique(*range(number)) if dice.random() < 0.4]
    return Field(facts, sorted(clusters), alike)


def both(field: Field, effort: Any, scope: Scope | None) -> list[list[NewItem]]:
    return [field.forward(effort, scope=scope), field.backward(effort, scope=scope)]


SCOPES = st.sampled_from([None, Scope(domains=("lr",)), Scope(entities=("muon",)), Scope(domains=("z",))])


@given(st.integers(0, 2**32), st.randoms(use_true_random=False), SCOPES)
@settings(max_examples=80)
def test_the_order_in_which_anything_is_given_counts_for_nothing(
    seed: int, dice: random.Random, scope: Scope | None
) -> None:
    field = random_field(seed)
    shuffled = replace(
        field,
        facts=dice.sample(list(field.facts), len(field.facts)),
        clusters=[dice.sample(list(one), len(one)) for one in dice.sample(list(field.clusters), len(field.clusters))],
        alike=[dice.choice([(a, b), (b, a)]) for a, b in dice.sample(list(field.alike), len(list(field.alike)))],
    )
    assert both(field, "high", scope) == both(shuffled, "high", scope)


@given(st.integers(0, 2**32), SCOPES)
@settings(max_examples=80)
def test_what_is_asked_keeps_the_gate_the_budget_and_the_order(seed: int, scope: Scope | None) -> None:
    """Behaviour 79: priorities are negative and fall with the rank; what follows is asked before reflect."""
    field = random_field(seed)
    alike = {frozenset(pair) for pair in field.alike}
    place = {number: group for group, cluster in enumerate(field.clusters) for number in cluster}
    for effort in EFFORTS:
        forward, backward = both(field, effort, scope)
        assert {one.key.rpartition("-")[0] for one in forward} <= {"discover-fwd"}
        for items, base in ((forward, -10.0), (backward, -100.0)):
            assert len(items) <= BUDGETS[effort]
            assert [one.priority for one in items] == [base - rank for rank in range(len(items))]
            for item in items:
                found = members(item)
                pairs = clique(*found)
                assert 2 <= len(found) <= 5 and found == sorted(found)
                assert sum(frozenset(pair) in alike for pair in pairs) * 2 >= len(pairs)
                assert len({place.get(number, -number - 1) for number in found}) >= 2
        assert all(distill_priority(3) > one.priority > REFLECT_PRIORITY for one in forward)
        assert sorted(map(members, forward)) == sorted(map(members, backward)), "the same sets, in another order"


@given(st.integers(0, 2**32))
@settings(max_examples=60)
def test_within_a_scope_no_fact_is_asked_about_twice(seed: int) -> None:
    found = [number for item in random_field(seed).forward("high", scope=Scope(("z",))) for number in members(item)]
    assert len(found) == len(set(found))


def test_edges_are_those_of_the_graph_that_clusters_are_made_of() -> None:
    facts = [fact(number) for number in range(9)]
    neighbours = Neighbours(topics(facts, 3))
    whole = neighbours.nearest(0.6).edges(0.6)
    some = {name(number) for number in (0, 1, 3, 8)}
    for among in (None, {one.fact for one in facts}):
        found = edges_of(neighbours, 0.6, among)(some)
        assert [edge for edge in found if some.issuperset(edge)] == [edge for edge in whole if some.issuperset(edge)]
    assert edges_of(neighbours, 0.6, some)(some) == [(name(0), name(1))]


@pytest.mark.parametrize("number", [pytest.param(20_000, marks=pytest.mark.full), 2_000])
def test_a_large_scope_is_cut_in_time_that_grows_with_its_edges(number: int) -> None:
    """A ring where each fact is like the six around it: cut to sets of five, all within seconds."""
    facts = [fact(one) for one in range(number)]
    alike = [(one, (one + step) % number) for one in range(number) for step in (1, 2, 3)]
    found = Field(facts, alike=alike).scoped(Scope(entities=("x",)), budget=number)
    assert len(found) > number // 8
