"""Seed sets of discovery: by what facts are brought together, and which are good enough."""

from collections import Counter
from itertools import combinations

import pytest

from tests.synthesis.discovering import Field, clique, numbers, two_communities
from tests.synthesis.making import fact, name
from thermite_pipelines.synthesis.discovery import Dial, Scope
from thermite_pipelines.synthesis.discovery.dial import Weights
from thermite_pipelines.synthesis.discovery.measures import Ground, Measures, quality_of, specificity
from thermite_pipelines.synthesis.discovery.sets import token_sets
from thermite_pipelines.synthesis.discovery.subsets import Subsets
from thermite_pipelines.synthesis.discovery.tokens import Frequencies, tokens_of

GOOD = Measures(coh=1.0, gap=1.0, spec=1.0, sep=2, size=3)


def test_quality_is_the_weighed_sum_and_is_told_below_the_floor() -> None:
    """Behaviour 64."""
    one = Measures(coh=0.6, gap=0.4, spec=0.8, sep=2, size=3)
    weighed = quality_of(one, Dial(weights=Weights(1, 2, 0.5)))
    assert weighed.value == pytest.approx(1.8) and weighed.is_kept
    low = quality_of(Measures(coh=0.6, gap=0.4, spec=0.4, sep=2, size=3), Dial(quality_floor=5))
    assert low.value == pytest.approx(1.4) and not low.is_kept


def test_the_same_sum_is_the_same_quality() -> None:
    one, other = Measures(0.7, 0.1, 0.2, 2, 3), Measures(0.5, 0.25, 0.25, 2, 3)
    assert quality_of(one, Dial()).value == quality_of(other, Dial()).value == 1


@pytest.mark.parametrize(
    ("measures", "passes"),
    [
        (Measures(0.5, 1, 1, 2, 3), True),
        (Measures(1, 1, 1, 2, 5), True),
        (Measures(0.49, 1, 1, 2, 3), False),
        (Measures(1, 1, 1, 1, 3), False),
        (Measures(1, 1, 1, 2, 6), False),
    ],
)
def test_the_gate_takes_what_is_exactly_on_its_limits(measures: Measures, passes: bool) -> None:
    """Behaviour 65."""
    quality = quality_of(measures, Dial())
    assert quality.is_kept == passes and (quality.value > 0) == passes


def test_the_gap_looks_up_each_members_dependents_once() -> None:
    """Behaviour 66."""
    asked: Counter[str] = Counter()

    def dependents(one: str) -> frozenset[str]:
        asked[one] += 1
        return frozenset(["c"]) if one == "a" else frozenset()

    measured = Ground([], {}, dependents).measured(["a", "b", "c"], 1.0)
    assert measured.gap == pytest.approx(2 / 3)
    assert asked == {"a": 1, "b": 1, "c": 1}


def test_a_derivation_through_any_number_of_steps_closes_the_gap() -> None:
    chain = [
        fact(1, entities=("muon",)),
        fact(2, type="synthesis", refs=(name(1),)),
        fact(3, type="synthesis", refs=(name(2),), entities=("muon",)),
        fact(4, entities=("muon",)),
    ]
    [found] = Field(chain, alike=clique(1, 3, 4)).sets()
    assert numbers(found) == [1, 3, 4] and found.quality == pytest.approx(1 + 2 / 3 + 1 / 3)
    turned = [fact(1, type="synthesis", refs=(name(2),), entities=("muon",)), fact(2, entities=("muon",))]
    assert Field(turned, alike=[(1, 2)]).sets()[0].quality == 1.5, "whichever of the two has the smaller id"


def test_rarity_falls_with_the_number_of_facts() -> None:
    """Behaviour 67."""
    assert [specificity(frequency) for frequency in (0, 1, 4)] == [1, 1, 0.25]


def test_a_token_is_as_rare_as_it_is_in_the_whole_campaign() -> None:
    facts = [fact(number, domain=("optimizer",)) for number in range(4)]
    field = Field([*facts[:2]], alike=[(0, 1)])
    assert [one.quality for one in field.sets()] == [2.5]
    material = Field(facts, alike=[(0, 1)], seeds=[0, 1]).material()
    assert len(material.corpus.live()) == 4
    [item] = Field(facts, alike=[(0, 1)], seeds=[0, 1]).forward(dial=Dial(quality_floor=2.25))
    assert item.key == "discover-fwd-0"
    assert Field(facts, alike=[(0, 1)], seeds=[0, 1]).forward(dial=Dial(quality_floor=2.26)) == []


def test_a_name_is_as_rare_as_it_is_in_any_case_of_letters() -> None:
    facts = [fact(number, entities=("Muon" if number < 2 else "MUON",)) for number in range(4)]
    pool = Field(facts[:2], alike=[(0, 1)]).pool()
    [found] = token_sets(pool, Frequencies(facts), 9, Dial())
    assert found.quality == 2.25


def test_a_group_that_is_small_enough_is_taken_whole() -> None:
    facts = [fact(number, domain=("lr",)) for number in range(4)]
    [found] = Field(facts, alike=clique(0, 1, 2)).sets()
    assert numbers(found) == [0, 1, 2, 3]


def test_the_better_token_is_ranked_first() -> None:
    """Behaviour 68."""
    facts = [
        fact(1, domain=("better",)),
        fact(2, domain=("better",)),
        fact(3, domain=("aaa",)),
        fact(4, domain=("aaa",)),
    ]
    derived = fact(4, domain=("aaa",), type="synthesis", refs=(name(3),))
    found = Field([*facts[:3], derived], alike=[(1, 2), (3, 4)]).sets()
    assert [(one.form, one.quality) for one in found] == [("better", 2.5), ("aaa", 1.5)]
    assert [one.form for one in Field(facts, alike=[(1, 2), (3, 4)]).sets()] == ["aaa", "better"], "ties by token"


def test_a_large_group_is_reduced_to_what_hangs_together_across_communities() -> None:
    """Behaviour 69."""
    facts = [fact(number, domain=("training",)) for number in range(7)]
    clusters = [[0, 1, 2], [3, 4, 5, 6]]
    [found] = Field(facts, clusters, [*clique(1, 2, 3, 4, 5), (0, 1), (5, 6)]).sets()
    assert numbers(found) == [1, 2, 3, 4, 5]
    assert Field(facts, clusters).sets() == []
    assert Field(facts, clusters, [*clique(0, 1, 2), *clique(3, 4, 5, 6)]).sets() == [], "all edges inside communities"


def test_a_subset_stops_before_it_falls_below_the_floor() -> None:
    star = [("a", other) for other in "bcde"]
    ground = Ground(star, {}, lambda _: ())
    assert Subsets("abcde", ground, Dial()).take() == ("a", "b", "c", "d")  # 3 of 6 pairs; a fifth: 4 of 10
    assert Subsets("abcde", ground, Dial(coh_floor=0.6)).take() == ("a", "b", "c")
    assert Subsets("abcde", ground, Dial(max_members=2)).take() == ("a", "b")


def test_a_subset_begins_where_most_neighbours_are_shared() -> None:
    edges = [("a", "b"), ("x", "y"), ("x", "z"), ("y", "z")]
    ground = Ground(edges, {}, lambda _: ())
    subsets = Subsets("abxyz", ground, Dial())
    assert [subsets.take() for _ in range(3)] == [("x", "y", "z"), ("a", "b"), None]


def test_pairs_are_taken_by_the_neighbours_that_are_left() -> None:
    edges = [*combinations("abcde", 2), *combinations("pqr", 2), ("x", "y")]
    edges += [(one, other) for one in "de" for other in "xy"]
    subsets = Subsets("abcdepqrxy", Ground(edges, {}, lambda _: ()), Dial())
    assert [subsets.take() for _ in range(4)] == [tuple("abcde"), tuple("pqr"), tuple("xy"), None]


def test_a_token_on_both_axes_is_an_entity_and_counts_once() -> None:
    """Behaviour 70."""
    facts = [fact(1, domain=("store",)), fact(2, entities=("Store",), domain=("store",))]
    [found] = Field(facts, alike=[(1, 2)]).sets()
    assert (found.form, found.kind, found.shown, numbers(found)) == ("store", "entity", "Store", [1, 2])


def test_a_token_is_shown_as_the_first_fact_has_it_and_tokens_stand_in_order() -> None:
    facts = {one.fact: one for one in (fact(2, entities=("STORE",)), fact(1, entities=("Store", "muon")))}
    found = tokens_of(facts, "both")
    assert [(one.form, one.shown, one.members) for one in found] == [
        ("muon", "muon", (name(1),)),
        ("store", "Store", (name(1), name(2))),
    ]


@pytest.mark.parametrize(
    ("bridge", "kinds"),
    [("both", ["domain", "entity"]), ("domain", ["domain"]), ("entity", ["entity"])],
)
def test_the_bridge_picks_by_what_facts_are_brought_together(bridge: str, kinds: list[str]) -> None:
    facts = [fact(number, domain=("auth",), entities=("muon",)) for number in (1, 2)]
    assert [one.kind for one in Field(facts, alike=[(1, 2)]).sets(Dial(bridge=bridge))] == kinds  # type: ignore[arg-type]


def test_the_scopes_own_tags_make_no_set_on_their_own_axis() -> None:
    """Behaviour 71."""
    facts = [fact(1, domain=("auth", "billing")), fact(2, domain=("auth", "billing"))]
    field = Field(facts, alike=[(1, 2)])
    assert [one.form for one in field.sets(scope=Scope(domains=("Auth",)))] == ["billing"]
    assert [one.form for one in field.sets(scope=Scope(entities=("auth",)))] == ["auth", "billing"]
    named = Field([fact(1, entities=("Muon",)), fact(2, entities=("Muon",))], alike=[(1, 2)])
    assert named.sets(scope=Scope(entities=("muon",))) == []
    assert len(named.sets(scope=Scope(domains=("muon",)))) == 1


def test_what_marks_the_whole_campaign_brings_nothing_together() -> None:
    facts = [fact(number, domain=("sweep",), entities=("Sweep",)) for number in (1, 2)]
    assert Field(facts, alike=[(1, 2)], markers=frozenset(["sweep"])).sets() == []


def test_facts_of_one_cluster_bridge_nothing_and_those_of_none_stand_alone() -> None:
    facts = [fact(1, domain=("auth",)), fact(2, domain=("auth",))]
    assert Field(facts, [[1, 2]], [(1, 2)]).sets() == []
    assert len(Field(facts, [[1]], [(1, 2)]).sets()) == 1
    assert len(Field(facts, [], [(1, 2)]).sets()) == 1


def test_a_scoped_pool_of_two_linked_pairs_makes_two_sets() -> None:
    """Behaviour 72."""
    facts = [fact(number) for number in range(4)]
    found = Field(facts, alike=[(0, 1), (2, 3)]).scoped(Scope(domains=("auth",)))
    assert [numbers(one) for one in found] == [[0, 1], [2, 3]]
    found = Field([fact(n) for n in range(5)], alike=[(0, 1), *clique(2, 3, 4)]).scoped(Scope(domains=("auth",)))
    assert [(numbers(one), one.quality) for one in found] == [([0, 1], 2.0), ([2, 3, 4], 2.0)], "ties by members"
    shared = [fact(number, domain=("auth",)) for number in range(2)]
    [one] = Field(shared, alike=[(0, 1)]).scoped(Scope(domains=("Auth",)))
    assert (one.shown, one.kind, one.quality) == ("", None, 2.0)


def test_the_label_is_the_rarest_token_of_the_pool() -> None:
    """Behaviour 73."""
    facts = [fact(number, domain=("common", "rare") if number < 2 else ("common",)) for number in range(10)]
    found = Field(facts, alike=[(0, 1)]).scoped(Scope(entities=("x",)))
    assert [(one.form, one.quality) for one in found] == [("rare", 2.5)]
    equal = [fact(number, domain=("beta", "alpha")) for number in range(2)]
    assert [one.form for one in Field(equal, alike=[(0, 1)]).scoped(Scope(entities=("x",)))] == ["alpha"]


def test_scoped_sets_share_no_fact_and_stand_by_quality() -> None:
    facts = [fact(number, domain=("muon",) if number > 5 else ()) for number in range(8)]
    found = Field(facts, alike=[*clique(0, 1, 2, 3, 4, 5), (6, 7)]).scoped(Scope(entities=("x",)))
    assert [numbers(one) for one in found] == [[6, 7], [0, 1, 2, 3, 4]]
    assert len(Field(facts, alike=[(0, 1), (2, 3)]).scoped(Scope(entities=("x",)), budget=1)) == 1


@pytest.mark.parametrize("number", [0, 1])
def test_a_pool_of_fewer_than_two_facts_makes_no_set_and_asks_nothing(number: int) -> None:
    field = Field([fact(one) for one in range(number)])
    assert field.scoped(Scope(domains=("auth",))) == [] and field.sets() == []
    assert field.asked == []


def test_the_budget_takes_the_best() -> None:
    field = two_communities(20)
    assert [one.form for one in field.sets(budget=3)] == ["subject 00", "subject 01", "subject 02"]
