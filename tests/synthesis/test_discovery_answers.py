"""Answers to discover items, through the gate and applying: which proposals are written, and what becomes of others."""

import json
from typing import Any

import pytest

from tests.synthesis.making import CAMPAIGN, after, fact, name
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis import chunking
from thermite_pipelines.synthesis.applying import Applied, Limits, apply_answer, shown_of
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.gate import ACKNOWLEDGED, Gated, judge
from thermite_pipelines.synthesis.work import Counts, Item

MEMBERS = [fact(31, confidence=0.8, sources=2), fact(32)]
Proposal = dict[str, Any]


def item(direction: str = "forward") -> Item:
    new = chunking.discover_item({"token": "lr", "kind": "domain"}, MEMBERS, 0, backward=direction == "backward")
    return Item(7, "s", new.step, new.key, new.facts, new.inputs, new.priority, new.depth)


def proposal(**more: Any) -> Proposal:
    values: Proposal = {"title": "It follows", "body": "From both.", "type": "synthesis", "confidence": 0.8}
    return values | {"refs": [name(31), name(32)]} | more


def premise(**more: Any) -> Proposal:
    return proposal(**{"type": "hypothesis"} | more)


def gated(*proposals: Proposal, direction: str = "forward") -> Gated:
    return judge(item(direction), json.dumps({"proposals": proposals}))


def taken(*proposals: Proposal, direction: str = "forward", corpus: Corpus | None = None, **more: Any) -> Applied:
    """What an answer comes to once it passed the gate; warnings are those of both."""
    passed = gated(*proposals, direction=direction)
    shown = shown_of(item(direction), CAMPAIGN)
    applied = apply_answer(shown, passed.answer, corpus or Corpus(MEMBERS), **more)
    return Applied(applied.decisions, (*passed.warnings, *applied.warnings))


def test_a_proposal_is_written_from_the_threshold_on() -> None:
    """Behaviour 74."""
    limits = Limits(confidence=0.6)
    applied = taken(proposal(confidence=0.59), proposal(confidence=0.6, title="Just so"), limits=limits)
    assert [one.title for one in applied.written] == ["Just so"] and "0.59" in applied.warnings[0]
    for wrong in (proposal(refs=[name(31)]), proposal(type="hypothesis"), proposal(type="observation")):
        applied = taken(wrong, limits=limits)
        assert applied.written == () and len(applied.warnings) == 1


@pytest.mark.parametrize("confidence", [0.0, 0.01])
def test_a_threshold_of_zero_takes_any_confidence(confidence: float) -> None:
    assert len(taken(proposal(confidence=confidence), limits=Limits(confidence=0)).written) == 1


def test_a_premise_is_written_where_enough_rests_on_a_member() -> None:
    """Behaviour 75."""
    alone = Corpus(MEMBERS)
    rested_on = Corpus([*MEMBERS, fact(40, type="synthesis", refs=(name(32),))])
    for corpus, threshold, written in ((alone, 1, 0), (alone, 0, 1), (rested_on, 1, 1), (rested_on, 2, 0)):
        limits = Limits(blast_radius=threshold)
        applied = taken(premise(), direction="backward", corpus=corpus, limits=limits)
        assert len(applied.written) == written and len(applied.warnings) == 1 - written
    assert len(taken(proposal(), limits=Limits(blast_radius=9)).written) == 1, "what follows need not be rested on"


@pytest.mark.parametrize(
    ("error", "said"), [(ThermiteError("no server there"), "no server there"), (OSError("x"), "OSError")]
)
def test_an_embedder_that_fails_loses_no_proposal(error: Exception, said: str) -> None:
    """Behaviour 76."""

    def broken(_: Fact) -> None:
        raise error

    applied = taken(proposal(), nearest=broken)
    assert len(applied.written) == 1 and said in applied.warnings[0]


@pytest.mark.parametrize("text", ["", " \n", "I see nothing.", '{"proposals": [', "[]", "```json\n```"])
def test_what_is_empty_or_no_json_is_taken_as_no_proposals(text: str) -> None:
    """Behaviour 77."""
    for direction in ("forward", "backward"):
        passed = judge(item(direction), text)
        assert passed.stored == (text.strip() or ACKNOWLEDGED)
        applied = apply_answer(shown_of(item(direction), CAMPAIGN), passed.answer, Corpus(MEMBERS))
        assert (applied.decisions, applied.warnings) == ((), ())


def test_what_is_written_counts_and_rests_on_all_members() -> None:
    """Behaviour 78."""
    applied = taken(proposal(refs=[name(31), name(32), "https://example.org/page"]))
    assert applied.counts == Counts(synthesized=1)
    [decision] = applied.decisions
    assert (decision.verb, dict(decision.inputs)) == ("discover", dict(one.key for one in MEMBERS))
    new = after(Corpus(MEMBERS), applied).read(applied.written[0].fact)
    assert new is not None and (new.origin, new.sources, new.depth) == ("discovered", 1, 0)
    assert new.evidence_weight == pytest.approx(2.1 / 3.1)


def test_gates_are_passed_in_order_and_the_first_that_fails_is_named() -> None:
    everything_wrong = {"confidence": 0.1, "refs": [name(99)], "type": "observation"}
    steps = [
        ({}, "type"),
        ({"type": "hypothesis"}, "refs leave out"),
        ({"refs": [name(31), name(32), name(99)]}, "below 0.5"),
        ({"confidence": 0.9}, "can't be cited"),
        ({"refs": [name(31), name(32)]}, "says this already"),
        ({"title": "New"}, "rest on its members"),
    ]
    said = premise(**everything_wrong)
    for change, why in steps:
        said |= change
        applied = taken(said, direction="backward", nearest=near_to_old)
        assert applied.written == () and [why in one for one in applied.warnings] == [True], why


def near_to_old(one: Fact) -> tuple[str, float] | None:
    return None if one.title == "New" else (name(55), 0.97)


def test_one_that_fails_takes_no_other_with_it() -> None:
    said = [proposal(refs=[name(31)]), proposal(confidence=0.1), proposal(title="New"), proposal()]
    applied = taken(*said, nearest=near_to_old)
    assert [one.title for one in applied.written] == ["New"] and len(applied.warnings) == 3


def test_what_one_answer_says_twice_is_written_once() -> None:
    applied = taken(proposal(), proposal(title="It  FOLLOWS", confidence=0.9), proposal(title="Another"))
    assert [one.title for one in applied.written] == ["It follows", "Another"]
    assert len({one.fact for one in applied.written}) == 2 and "the same answer" in applied.warnings[0]


def test_a_repeated_proposal_that_failed_first_is_still_taken() -> None:
    applied = taken(proposal(confidence=0.1), proposal())
    assert [one.confidence for one in applied.written] == [0.8]


def test_members_that_moved_on_leave_nothing_to_conclude() -> None:
    moved = Corpus([MEMBERS[0], fact(32, "Something else")])
    applied = taken(proposal(), corpus=moved)
    assert applied.written == () and "not all members are what was shown" in applied.warnings[-1]


@pytest.mark.parametrize("payload", ["{}", '{"direction": "sideways", "bridge": {"members": []}}', "[1]", ""])
def test_a_stored_item_that_is_damaged_is_an_error(payload: str) -> None:
    with pytest.raises(ThermiteError, match="the stored item is damaged"):
        judge(Item(7, "s", "discover", "k", payload, (), 0, 0), "")
