"""Extraction: what is asked, what is kept, and what it says of that."""

from pathlib import Path

import pytest

from tests.atoms.talking import CAMPAIGN, Listener, a_run, arrive, day, derived, mine, opened, rows, say_session, uuid
from tests.support.homes import Home
from thermite_pipelines.atoms.estimating import estimate
from thermite_pipelines.atoms.planning import plan_extraction
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.errors import BudgetReached


def seven_sessions(home: Home) -> None:
    rig = a_run(home)
    for number in range(7):
        say_session(rig, uuid(number), f"h:FACT n{number}", at=day(3, f"0{number}:00:00"))
    arrive(home)


def test_at_19_recent_mines_the_newest_sessions_by_time(home: Home) -> None:
    seven_sessions(home)
    answerer = Listener()
    result = mine(home, answerer, recent=5)
    assert answerer.texts == [f"FACT n{number}" for number in (6, 5, 4, 3, 2)]
    assert (result.sessions, result.left) == (5, 0)


def test_at_20_an_estimate_writes_nothing_and_counts_what_is_not_read_yet(home: Home) -> None:
    seven_sessions(home)
    mine(home, recent=2)
    rig = home.rig()
    say_session(rig, uuid(7), "h:FACT n7", "h:FACT n8", at=day(9))
    say_session(rig, uuid(0), "h:FACT n0", "h:FACT n0b", at=day(3))
    arrive(home)
    before = snapshot(home)
    answerer = Listener()
    found = estimate(opened(home), [CAMPAIGN], answerer)
    assert (found.sessions, found.messages, answerer.asked) == (6, 8, [])
    assert estimate(opened(home), [CAMPAIGN], answerer, recent=1).messages == 2
    assert estimate(opened(home), [CAMPAIGN], answerer, session=uuid(3)).messages == 1
    with pytest.raises(ThermiteError, match="no such session"):
        estimate(opened(home), [CAMPAIGN], answerer, session=uuid(99))
    assert snapshot(home) == before
    assert mine(home, answerer).messages == 8


def snapshot(home: Home) -> dict[str, bytes]:
    with home.control.engine.connect() as connection:
        raw = connection.connection.driver_connection
        assert raw is not None
        control = {"control": "\n".join(raw.iterdump()).encode()}
    files = {str(path): path.read_bytes() for path in Path(home.settings.lake).rglob("*") if path.is_file()}
    return files | control


def test_at_21_one_session_by_its_id(home: Home) -> None:
    seven_sessions(home)
    answerer = Listener()
    mine(home, answerer, session=uuid(4))
    assert answerer.texts == ["FACT n4"]
    assert [row["session"] for row in rows(home, "atoms")] == [uuid(4)]
    with pytest.raises(ThermiteError, match="no such session"):
        mine(home, session=uuid(99))


def test_at_22_only_force_asks_again_and_nothing_comes_twice(home: Home) -> None:
    seven_sessions(home)
    mine(home)
    before = derived(home)
    answerer = Listener()
    result = mine(home, answerer)
    assert (answerer.asked, result.unchanged, result.sessions) == ([], 7, 0)
    result = mine(home, answerer, again="all")
    assert len(answerer.asked) == 7
    assert (result.sessions, result.atoms, result.duplicates) == (7, 7, 0)
    assert derived(home) == before


def test_a_backfill_asks_again_only_what_the_present_answerer_said(home: Home) -> None:
    seven_sessions(home)
    mine(home, recent=3)
    other = Listener(model="openai/other")
    assert mine(home, other).sessions == 4
    before = derived(home)
    asked = len(other.asked)
    assert mine(home, other, again="own").sessions == 4
    assert len(other.asked) == 2 * asked
    assert derived(home) == before


def test_another_model_is_asked_only_by_force(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), *[f"h:FACT n{number}" for number in range(6)])
    arrive(home)
    mine(home, Listener(size=2))
    model = Listener(model="small", size=6)
    mine(home, model)
    assert model.asked == []
    mine(home, model, again="all")
    assert [len(batch) for batch in model.asked] == [6], "cut anew"
    assert {row["model"] for row in rows(home, "atoms")} == {"small"}
    say_session(rig, uuid(1), *[f"h:FACT n{number}" for number in range(8)])
    arrive(home)
    mine(home, model)
    model.asked.clear()
    mine(home, model, again="all")
    assert [len(batch) for batch in model.asked] == [6, 2], "as they were asked before, so that a cache finds them"


def test_a_batch_without_an_answer_is_named_and_stops_no_other(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), *[f"h:FACT n{number}" for number in range(6)])
    say_session(rig, uuid(2), "h:FACT other")
    arrive(home)
    result = mine(home, Listener(size=2, fails="FACT n3"))
    assert result.failed == [(uuid(1), "the model refused")]
    assert (result.atoms, result.left) == (5, 2)
    answerer = Listener(size=2)
    assert mine(home, answerer).left == 0
    assert answerer.texts == ["FACT n2", "FACT n3"]
    assert len(rows(home, "atoms")) == 7


@pytest.mark.parametrize("backwards", [False, True])
def test_a_reached_budget_keeps_what_was_answered(home: Home, backwards: bool) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), *[f"h:FACT n{number}" for number in range(9)])
    arrive(home)
    stop = BudgetReached("the budget of 1.00 USD is reached")
    result = mine(home, Listener(model="small", stops_after=2, stop=stop, backwards=backwards))
    assert result.stopped == "the budget of 1.00 USD is reached"
    assert (result.failed, result.atoms, result.left) == ([], 6, 3)
    assert len(rows(home, "atoms")) == 6
    answerer = Listener(model="small")
    result = mine(home, answerer)
    assert (result.stopped, len(answerer.asked), len(rows(home, "atoms"))) == (None, 1, 9)


def test_a_quote_that_nobody_said_is_refused_and_counted(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), "h:LIE one is two\nFACT one is one")
    arrive(home)
    result = mine(home)
    assert (result.atoms, sum(result.refused.values())) == (1, 1)
    [checkpoint] = rows(home, "checkpoints")
    assert sum(row["candidates"] for row in checkpoint["refused"]) == 1


def test_at_35_the_same_statement_of_two_sessions_is_one_atom(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(2), "h:FACT One  is prime.", at=day(2))
    arrive(home)
    assert mine(home).atoms == 1
    say_session(rig, uuid(1), "h:FACT one is PRIME", at=day(1))
    arrive(home)
    result = mine(home)
    assert (result.atoms, result.duplicates) == (0, 1)
    [atom] = rows(home, "atoms")
    assert (atom["session"], atom["sessions"], atom["statement"]) == (uuid(1), [uuid(1), uuid(2)], "one is PRIME")
    assert atom["established"] == "2026-01-02"


def test_at_35_after_a_lost_state_the_same_atoms_come_again_none_twice(home: Home) -> None:
    from sqlalchemy import delete

    from thermite_pipelines.control.atom_models import DerivedState, Extraction, SaidMark, Session

    seven_sessions(home)
    mine(home)
    before = derived(home)
    with home.control.write() as connection:
        for model in (Session, Extraction, SaidMark, DerivedState):
            connection.execute(delete(model))
    mine(home)
    assert derived(home) == before


def test_a_plan_counts_what_it_would_ask(home: Home) -> None:
    seven_sessions(home)
    mine(home, recent=3)
    plan = plan_extraction(opened(home), CAMPAIGN, Listener())
    assert (len(plan.sessions), plan.unchanged, plan.messages) == (4, 3, 4)
    assert len(plan_extraction(opened(home), CAMPAIGN, Listener(), again="all").sessions) == 7
