"""The fold of base facts and decisions: what applies, what no longer does and why, what stays of retracted facts."""

import random
from typing import Any

import msgspec
import pytest

from tests.synthesis.making import fact, name, numbered
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.base_facts import BaseFact
from thermite_pipelines.synthesis.corpus import Held
from thermite_pipelines.synthesis.decisions import Decision, counts_of, decision_of, fact_output
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.fold import Folded, fold
from thermite_pipelines.synthesis.merging import dedup


def changed(one: Fact, **more: Any) -> Fact:
    return msgspec.structs.replace(one, **more)


def decided(verb: Any, *inputs: Fact, step: str = "prune", **output: Any) -> Decision:
    return Decision(verb=verb, step=step, inputs=tuple(one.key for one in inputs), output=output)


def story() -> tuple[list[Fact], list[Decision]]:
    """Facts 1 to 5: 1 and 2 are merged, 3 is doubted, the survivor and 3 give synthesis 9, 4 is retracted for it."""
    one, two, three, four, five = (fact(number) for number in range(1, 6))
    [merge] = dedup({name(1): one, name(2): two}, [(name(1), name(2), 0.9)])
    both = merge.fact
    assert both is not None
    doubted = changed(three, confidence=0.2)
    whole = fact(9, "Both together", type="synthesis", refs=(name(1), name(3), name(4)), confidence=0.6)
    decisions = [
        merge,
        decided("update", three, **fact_output(doubted)),
        decided("keep", five),
        decided("synthesize", both, doubted, four, step="distill", **fact_output(whole)),
        decided("retract", four, whole, step="distill", superseded_by=whole.fact),
    ]
    return [one, two, three, four, five], numbered(decisions)


def rows(folded: Folded) -> list[dict[str, Any]]:
    return [held.row() for held in folded.corpus.all().values()]


def test_decisions_in_order_give_the_facts() -> None:
    folded = fold(*story())
    assert list(folded.corpus.live()) == [name(1), name(3), name(5), name(9)]
    assert not folded.stale and len(folded.applied) == 5
    doubted, whole = folded.corpus.read(name(3)), folded.corpus.read(name(9))
    assert doubted is not None and doubted.confidence == 0.2
    # Sources of the synthesis: the merged one (0.5, two sources), the doubted one (0.2), the one retracted later (0.5).
    assert whole is not None and whole.evidence_weight == pytest.approx(1.7 / 2.7)
    assert counts_of(folded.applied) == counts_of(story()[1])


def test_a_retracted_fact_keeps_its_row_with_who_and_what_for() -> None:
    folded = fold(*story())
    by_id = {row["fact"]: row for row in rows(folded)}
    assert [by_id[name(n)]["retracted_by"] for n in (2, 4)] == ["decision:sweep/1", "decision:sweep/5"]
    assert [by_id[name(n)]["superseded_by"] for n in (2, 4)] == [name(1), name(9)]
    assert (by_id[name(4)]["title"], by_id[name(4)]["confidence"]) == (fact(4).title, 0.5)
    assert by_id[name(1)]["retracted_by"] is None and by_id[name(1)]["superseded_by"] is None
    assert by_id[name(1)]["changed_by"] == ["decision:sweep/1"] and by_id[name(5)]["changed_by"] == []


def test_the_order_of_base_facts_and_of_rows_makes_no_difference() -> None:
    base, decisions = story()
    told = rows(fold(base, decisions))
    for seed in range(8):
        dice = random.Random(seed)
        assert rows(fold(dice.sample(base, len(base)), dice.sample(decisions, len(decisions)))) == told


def test_a_changed_base_fact_makes_what_rests_on_it_stale_and_nothing_else() -> None:
    base, decisions = story()
    base[1] = changed(base[1], body="It says something else now.")
    folded = fold(base, decisions)
    assert [one.decision.number for one in folded.stale] == [1]
    assert name(2) in folded.stale[0].why and "says something else" in folded.stale[0].why
    assert set(folded.corpus.live()) == {name(number) for number in (1, 2, 3, 5, 9)}, "nothing that was lost stays lost"
    base[2] = changed(base[2], title="So does this one.")
    folded = fold(base, decisions)
    assert [one.decision.number for one in folded.stale] == [1, 2, 4, 5]
    assert folded.stale[-1].why == f"there is no fact {name(9)}"
    assert set(folded.corpus.live()) == {name(number) for number in range(1, 6)}


def test_a_base_fact_that_is_gone_or_retracted_is_named() -> None:
    base, decisions = story()
    assert fold(base[1:], decisions).stale[0].why == f"there is no fact {name(1)}"
    refuted = BaseFact(
        fact=base[0], made_from="x", retracted_by="hypothesis:rig-a/r/h", retracted_as="refuted", superseded_by=None
    )
    folded = fold([refuted, *base[1:]], decisions)
    assert folded.stale[0].why == f"{name(1)} is retracted"
    kept = folded.corpus.kept(name(1))
    assert kept is not None and kept.retracted_as == "refuted" and not kept.is_live


def test_what_is_mended_in_the_base_facts_replays() -> None:
    base, decisions = story()
    broken = [*base[:2], changed(base[2], title="Something else"), *base[3:]]
    assert fold(broken, decisions).stale
    assert rows(fold(base, decisions)) == rows(fold(*story()))


def test_what_a_base_fact_came_from_is_told_by_the_base_facts() -> None:
    base, decisions = story()
    moved = [changed(one, item=f"note:rig-a/run/{place}", created_at=place) for place, one in enumerate(base)]
    folded = fold(moved, decisions)
    survivor = folded.corpus.read(name(1))
    assert not folded.stale and survivor is not None
    assert (survivor.item, survivor.created_at, survivor.sources) == ("note:rig-a/run/0", 0, 2)


def test_decisions_are_the_same_after_the_log() -> None:
    for decision in story()[1]:
        row = decision.stored() | {"decision": decision.number}
        assert decision_of(msgspec.json.decode(msgspec.json.encode(row))) == decision


def test_a_damaged_row_of_the_log_is_named() -> None:
    row = story()[1][0].stored() | {"decision": 7}
    for damage in ({"verb": "forget"}, {"inputs": []}, {"output": {}}, {"output": {"fact": {"fact": "x"}}}):
        with pytest.raises(ThermiteError, match=r"decision|names no fact"):
            decision_of(row | damage)


def test_two_base_facts_with_one_id_are_refused() -> None:
    with pytest.raises(ThermiteError, match="two base facts"):
        fold([fact(1), Held(fact=fact(1, "Another"))], [])
