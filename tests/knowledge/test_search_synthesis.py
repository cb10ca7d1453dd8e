"""Search among syntheses, methodologies and predictions: who sees which, in which form."""

from typing import Any

import pytest

from tests.knowledge.syncing import SyncHome
from tests.knowledge.test_search import RESULT, ask, ids, three  # noqa: F401  (a fixture)
from tests.support.synthesis import (
    DECIDED_AT,
    methodology_row,
    prediction_row,
    put_facts,
    said_in,
    synthesis_row,
)
from thermite_pipelines.knowledge.atom_reading import day_start
from thermite_pipelines.tables.derived import FACTS, HYPOTHESES, METHODOLOGIES, SYNTHESES

MADE = ("synthesis", "methodology", "prediction")


@pytest.fixture
def made(three: SyncHome) -> SyncHome:  # noqa: F811
    """Three runs whose notes say that a batch is warm; each of the three kinds says so too, in campaign a."""
    put_facts(three.home, "a", SYNTHESES, synthesis_row("Every warm batch", model=None, answered_by="agent"))
    put_facts(three.home, "a", METHODOLOGIES, methodology_row("Warm a batch before measuring"))
    put_facts(three.home, "a", HYPOTHESES, prediction_row("A warm batch stays warm", model="openai/big"))
    return three


def kinds(place: SyncHome, words: str = "warm batch", **more: Any) -> set[str]:
    """The kinds of what synthesis made that are found."""
    return {row["kind"] for row in ask(place.home, words, **more).results} & set(MADE)


def test_what_synthesis_made_is_found_in_the_documented_form(made: SyncHome) -> None:
    found = ask(made.home, "stays warm")
    (row,) = [row for row in found.results if row["kind"] == "prediction"]
    assert list(row) == RESULT and found.results[0] == row
    assert row | {"score": 0} == {
        "item": prediction_row("A warm batch stays warm")["fact"],
        "campaign": "a",
        "rig": None,
        "run": None,
        "kind": "prediction",
        "written_by": "openai/big",
        "created_at": "2026-11-24T12:00:00Z",
        "score": 0,
        "title": "A warm batch stays warm",
        "text": "It may be so.\n\nPrediction: The next run is faster.\n\nProved false by: The next run is slower.",
        "why": "words: stays, warm",
    }
    assert kinds(made) == set(MADE) and found.atoms == []
    assert kinds(made, "slower") == {"prediction"}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"kinds": ("synthesis",)}, {"synthesis"}),
        ({"kinds": ("methodology", "prediction", "note")}, {"methodology", "prediction"}),
        ({"kinds": ("note", "atom", "hypothesis")}, set()),
        ({"folders": ("a",)}, set(MADE)),
        ({"folders": ("b",)}, set()),
        ({"as_campaign": "a"}, set(MADE)),
        ({"as_campaign": "b"}, set()),
        ({"rig": "rig-a"}, set()),
        ({"run": "r1"}, set()),
        ({"by": "agent"}, {"synthesis"}),
        ({"by": "rules"}, {"methodology"}),
        ({"by": "openai/big"}, {"prediction"}),
        ({"since": DECIDED_AT}, set(MADE)),
        ({"since": DECIDED_AT + 1}, set()),
        ({"until": DECIDED_AT}, set(MADE)),
        ({"until": day_start("2026-11-24")}, set()),
    ],
)
def test_filters_take_away_and_change_no_score(made: SyncHome, more: dict[str, Any], expected: set[str]) -> None:
    assert kinds(made, **more) == expected
    if "as_campaign" not in more:
        everything = {row["item"]: row["score"] for row in ask(made.home, "warm batch").results}
        assert all(everything[row["item"]] == row["score"] for row in ask(made.home, "warm batch", **more).results)


def test_unreadable_ones_change_neither_order_nor_scores_of_readable_ones(made: SyncHome) -> None:
    before = ask(made.home, "warm batch r1", as_campaign="a")
    put_facts(made.home, "b", SYNTHESES, *(synthesis_row(f"warm batch {number}", "b") for number in range(9)))
    assert ask(made.home, "warm batch r1", as_campaign="a") == before
    made.grant("a", "b")
    assert len(ask(made.home, "warm batch r1", as_campaign="a").results) == len(before.results) + 10


def test_what_was_taken_back_is_neither_found_nor_counted(made: SyncHome) -> None:
    before = ask(made.home, "warm batch")
    gone: dict[str, Any] = {"retracted_by": "decision:a/2"}
    put_facts(
        made.home,
        "a",
        SYNTHESES,
        synthesis_row("Every warm batch", model=None, answered_by="agent"),
        synthesis_row("A warm batch that was", **gone),
        synthesis_row("A warm batch that is merged", superseded_by="a/0123456789ab", **gone),
    )
    open_one = prediction_row("a warm batch of an item", prediction=None, falsifier=None, decision=None)
    put_facts(made.home, "a", HYPOTHESES, prediction_row("A warm batch stays warm", model="openai/big"), open_one)
    assert ask(made.home, "warm batch") == before


def test_a_runs_agents_find_what_its_sync_lists(made: SyncHome) -> None:
    agents: dict[str, Any] = {"as_campaign": "a", "run": "r1", "rig": "rig-a"}
    assert kinds(made, **agents) == set()
    made.sync()
    assert kinds(made, **agents) == set(MADE)
    mine = said_in("rig-a", "r1", "mine")
    put_facts(made.home, "a", FACTS, mine)
    put_facts(made.home, "a", SYNTHESES, synthesis_row("Every warm batch", cites=(mine,)))
    made.sync()
    assert kinds(made, **agents) == {"methodology", "prediction"}
    assert kinds(made, as_campaign="a", run="r2") == set(MADE)
    assert kinds(made, as_campaign="a") == set(MADE)


def test_items_are_found_whatever_became_of_what_was_made_of_them(made: SyncHome) -> None:
    (entry,) = made.home.lake.list("derived/syntheses")
    made.home.lake.delete(entry.path)
    found = ask(made.home, "warm batch")
    assert len(ids(found)) == 5 and kinds(made) == {"methodology", "prediction"}
    (notice,) = found.notices
    assert "gone" in notice


def test_ties_go_by_id_and_the_limit_counts_all_of_the_list(made: SyncHome) -> None:
    put_facts(made.home, "a", SYNTHESES, *(synthesis_row("same", fact=f"a/{number:012x}") for number in range(5)))
    assert ids(ask(made.home, "same")) == [f"a/{number:012x}" for number in range(5)]
    assert ids(ask(made.home, "same", limit=2)) == ["a/000000000000", "a/000000000001"]
