"""What discovery adds to sessions that are planned for real: by vectors, clusters and lineage."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from tests.synthesis.discovering import members, tokens
from tests.synthesis.likeness import HYPOTHESIZE, REVIEW, THRESHOLDS, changed, seen
from tests.synthesis.making import fact, name
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.discovery import Dial
from thermite_pipelines.synthesis.discovery.sessions import added_to_hypothesize, added_to_review
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.neighbours import Neighbours
from thermite_pipelines.synthesis.planning import Likeness, plan_review
from thermite_pipelines.synthesis.vectors import Vectors
from thermite_pipelines.synthesis.work import NewItem, Request

NEAR = dataclasses.replace(THRESHOLDS, similar_to=0.5)
SIZE = 6
"""Facts of a group; the first of a group is like that of the next one, too."""


def alike(facts: list[Fact], size: int = SIZE) -> Likeness:
    """Groups of facts that are alike; of groups 2n and 2n + 1 the first facts are alike as well."""
    groups = -(-len(facts) // size)
    matrix = np.zeros((len(facts), 2 * groups + len(facts)), np.float32)
    for row in range(len(facts)):
        group = row // size
        is_first = row % size == 0
        matrix[row, group] = 0.65 if is_first else 0.75**0.5
        matrix[row, groups + group // 2 if is_first else 2 * groups + row] = 0.76 if is_first else 0.5
    return Likeness(Neighbours(Vectors.of([one.fact for one in facts], matrix)), NEAR)


def reviewed(facts: list[Fact], request: Request, watermark: Any = None, likeness: Likeness | None = None) -> Any:
    likeness = likeness or alike(facts)
    review = plan_review(Corpus(facts), request, watermark, likeness)
    return review, added_to_review(Corpus(facts), review, request, likeness, Dial())


def asked(effort: Any, of: Request = REVIEW, **more: Any) -> Request:
    return dataclasses.replace(of, effort=effort, **more)


def campaign(groups: int, **more: Any) -> list[Fact]:
    """Groups of facts, all of two groups about one thing; nothing else is shared."""
    return [
        fact(number, domain=(f"subject {number // SIZE // 2}",) if number % SIZE == 0 else (), **more)
        for number in range(groups * SIZE)
    ]


def test_sy_31_a_review_asks_what_follows_across_its_clusters_from_medium_effort_on() -> None:
    facts = campaign(8)
    plans = {effort: reviewed(facts, asked(effort)) for effort in ("normal", "medium", "high")}
    assert plans["normal"][1] == []
    assert len(plans["normal"][0].clusters) == 8
    expected = [[group * SIZE, (group + 1) * SIZE] for group in range(0, 8, 2)]
    assert [members(item) for item in plans["medium"][1]] == expected
    assert plans["high"][1] == plans["medium"][1]
    assert tokens(plans["high"][1])[0] == ("subject 0", "domain")
    assert len({json.dumps([repr(item) for item in review.plan.items]) for review, _ in plans.values()}) == 1, (
        "all else is the same at every effort"
    )


def test_sy_31_normal_effort_looks_at_nothing_for_discovery(monkeypatch: pytest.MonkeyPatch) -> None:
    """Behaviour 62."""
    facts = campaign(2)
    review, _ = reviewed(facts, REVIEW)

    def called(*_: Any, **__: Any) -> Any:
        raise AssertionError("the index was asked")

    monkeypatch.setattr(Neighbours, "nearest", called)
    assert added_to_review(Corpus(facts), review, REVIEW, alike(facts), Dial()) == []
    syntheses = [fact(number, type="synthesis") for number in range(4)]
    assert added_to_hypothesize(Corpus(syntheses), HYPOTHESIZE, None, called, Dial()) == []


def test_a_later_review_looks_around_what_is_new() -> None:
    facts = campaign(4)
    _, items = reviewed(facts, asked("medium"), seen(*facts[1:SIZE], *facts[SIZE + 1 :]))
    assert [members(item) for item in items] == [[0, SIZE]]
    _, items = reviewed(facts, asked("medium"), seen(*facts))
    assert items == []


def test_what_was_merged_away_is_no_member() -> None:
    facts = campaign(2)
    twin = fact(99, facts[0].title, domain=facts[0].domain, confidence=0.9)
    base = alike(facts).neighbours
    rows = {one.fact: row for row, one in enumerate(facts)}
    matrix = np.concatenate([base.matrix, base.matrix[rows[name(0)]][None]])
    likeness = Likeness(Neighbours(Vectors.of([*rows, twin.fact], matrix)), NEAR)
    review, items = reviewed([*facts, twin], asked("medium"), likeness=likeness)
    assert [decision.verb for decision in review.plan.decisions] == ["merge"]
    assert [members(item) for item in items] == [[SIZE, 99]]
    assert json.loads(items[0].facts)["bridge"]["members"][1]["sources"] == 2, "the survivor as it is after the merge"


def test_a_scope_needs_no_token_and_is_told() -> None:
    facts = [changed(one, domain=("metrics",)) for one in campaign(4)]
    _, items = reviewed(facts, asked("medium", domains=("metrics",)))
    first = [0, 1, 2, 3, SIZE]
    assert [members(item) for item in items] == [first, [2 * SIZE + number for number in first]]
    assert {json.loads(item.facts)["scope_label"] for item in items} == {"metrics"}
    assert tokens(items) == [("", ""), ("", "")]


def premises() -> list[Fact]:
    """Syntheses in four groups. On those that bridge the last two, more rests than on those of the first two."""
    resting = [fact(900 + number, type="observation", refs=(name(3 * SIZE),)) for number in range(3)]
    return [*campaign(4, type="synthesis"), *resting, fact(990, refs=(name(0),))]


def hypothesized(facts: list[Fact], request: Request, watermark: Any = None) -> list[NewItem]:
    own = [one for one in facts if one.type == "synthesis"]
    return added_to_hypothesize(Corpus(facts), request, watermark, lambda: alike(own), Dial())


def test_sy_39_the_premise_on_which_the_most_facts_rest_is_asked_about_first() -> None:
    facts = premises()
    items = hypothesized(facts, asked("high", HYPOTHESIZE))
    assert [(item.key, members(item)) for item in items] == [
        ("discover-bwd-0", [2 * SIZE, 3 * SIZE]),
        ("discover-bwd-1", [0, SIZE]),
    ]
    assert all(item.priority <= -100 for item in items)


def test_premises_are_looked_for_around_new_syntheses_alone() -> None:
    facts = premises()
    known = seen(*(one for one in facts if one.fact not in (name(0), name(SIZE))))
    assert [members(one) for one in hypothesized(facts, asked("medium", HYPOTHESIZE), known)] == [[0, SIZE]]
    only_one = seen(*(one for one in facts if one.fact != name(0)))
    request = asked("high", HYPOTHESIZE)
    assert added_to_hypothesize(Corpus(facts), request, only_one, lambda: pytest.fail("was asked"), Dial()) == []


def test_without_vectors_there_are_no_premises_but_the_session_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Likeness:
        raise ThermiteError("the embedding server does not answer")

    facts = premises()
    assert added_to_hypothesize(Corpus(facts), asked("high", HYPOTHESIZE), None, broken, Dial()) == []
    assert [record.getMessage() for record in caplog.records] == ["no discovery in this session: ThermiteError"]
