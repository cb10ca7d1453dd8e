"""The forest of a campaign: what stands below what, whatever agents cited."""

import random

from tests.synthesis.planting import CAMPAIGN, fact, forest, grown, name, names, synthesis
from thermite_pipelines.synthesis.tree import Forest, depth_of
from thermite_pipelines.synthesis.tree_layout import behind, laid_out


def test_syntheses_stand_over_what_they_cite() -> None:
    tree = forest(fact(1), fact(2), fact(3), fact(4), synthesis(10, 0, [1, 2]), synthesis(11, 1, [10, 3]))
    assert tree.roots == (name(11),)
    assert tree.children == {name(11): (name(10),), name(10): ()}
    assert tree.leaves == {name(11): (name(3),), name(10): (name(1), name(2))}
    assert [depth_of(tree.syntheses[one]) for one in tree.order] == [1, 0]
    assert tree.depths == {1: 1, 0: 1}
    assert (len(tree.held), tree.outside) == (3, 1)
    assert tree.rests_on(name(11)) == frozenset(names([1, 2, 3]))


def test_what_several_cite_has_one_place_as_low_as_can_be() -> None:
    rows = [fact(1), fact(2), fact(3), synthesis(10, 0, [1, 2]), synthesis(11, 1, [1, 10]), synthesis(12, 1, [10, 3])]
    tree = forest(*rows)
    assert tree.roots == (name(11), name(12))
    assert tree.children == {name(11): (name(10),), name(10): (), name(12): ()}
    assert tree.leaves == {name(11): (), name(10): (name(1), name(2)), name(12): (name(3),)}
    assert tree.rests_on(name(12)) == frozenset(names([1, 2, 3]))


def test_cycles_end_and_nothing_is_lost() -> None:
    rows = [fact(1), synthesis(10, 1, [11, 1]), synthesis(11, 1, [12]), synthesis(12, 1, [10]), synthesis(13, 0, [13])]
    tree = forest(*rows)
    assert sorted(tree.order) == names([10, 11, 12, 13])
    assert tree.roots == (name(13), name(10)), "what only cites itself, and one of the cycle"
    assert tree.rests_on(name(12)) == {name(1)}
    assert tree.weights() == {name(13): 1, name(12): 1, name(11): 1, name(10): 2}


def test_a_long_chain_is_no_matter() -> None:
    chain = [synthesis(number, 0, [number - 1, 0]) for number in range(2, 3_000)]
    tree = forest(fact(0), fact(1), *chain)
    assert len(tree.order) == 2_998
    assert len(tree.roots) == 1
    layout = laid_out(tree, behind(tree), [], lambda _: 1_000)
    assert set(layout.page_of) >= set(tree.order), "what nests too deep stands by itself"


def test_what_was_taken_back_is_a_leaf_and_not_followed() -> None:
    gone = synthesis(10, 0, [1], retracted_by=f"decision:{CAMPAIGN}/4", superseded_by=name(12))
    tree = forest(fact(1), fact(2, retracted_by="note:rig-a/run-1/n9"), gone, synthesis(12, 1, [10, 2]))
    assert tree.roots == (name(12),)
    assert tree.leaves[name(12)] == tuple(names([2, 10]))
    assert (len(tree.held), tree.held_retracted, tree.outside) == (2, 2, 1)
    assert behind(tree) == {name(12): (name(1),)}, "down to the notes all the same"


def test_items_and_atoms_name_their_facts_and_others_name_none() -> None:
    atom = fact(2, item=None, atom=f"atom:{CAMPAIGN}/{'a' * 16}")
    refs = [" note:rig-a/run-1/n1 ", atom["atom"], name(3).upper().replace("LOADERS", "loaders"), "https://a.example/"]
    tree = forest(fact(1), atom, fact(3), synthesis(10, 0, [], refs=[*refs, name(99)]))
    assert tree.leaves[name(10)] == tuple(names([1, 2, 3]))


def test_of_two_facts_of_one_item_the_live_one_is_meant() -> None:
    item = "hypothesis:rig-a/run-1/h1"
    tree = forest(fact(1, item=item, retracted_by="x"), fact(2, item=item), synthesis(10, 0, [], refs=[item]))
    assert tree.leaves[name(10)] == (name(2),)


def test_facts_that_facts_rest_on_are_found_once() -> None:
    merged = fact(5, item=None, refs=names([3]))
    sources = [fact(1, superseded_by=name(5), retracted_by="d"), fact(2, superseded_by=name(5), retracted_by="d")]
    tree = forest(*sources, fact(3, refs=names([5])), merged, fact(4), synthesis(10, 0, [4, 5]), synthesis(11, 0, [5]))
    assert behind(tree) == {name(10): tuple(names([3, 1, 2])), name(11): ()}


def test_the_order_of_rows_makes_no_difference() -> None:
    rows = [*grown(60), synthesis(900, 1, [3, 61, 62]), synthesis(901, 2, [900, 63])]
    first = forest(*rows)
    random.Random(4).shuffle(rows)
    again = forest(*rows)
    assert (again.roots, again.order, again.leaves, again.children) == (
        first.roots,
        first.order,
        first.leaves,
        first.children,
    )


def test_no_syntheses_are_a_forest_too() -> None:
    tree = Forest([], [fact(1)])
    assert (tree.roots, tree.order, tree.depths, tree.outside) == ((), [], {}, 1)
