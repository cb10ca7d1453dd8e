"""Answers: which items they are for, what a bad one leaves, and what several at once come to."""

import json
import random
from functools import partial
from typing import Any

import pytest

from tests.support.homes import Home
from tests.synthesis.working import (
    AGENT,
    CAMPAIGN,
    NOTHING,
    Engine,
    answer,
    decided,
    distilled,
    ended,
    fact,
    facts,
    groups,
    hypothesis,
    item_of,
    queue_of,
    request,
    said,
    seen,
    started,
    synthesizing,
    together,
    transition,
    watermark,
)
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis import chunking, decision_log, work_items
from thermite_pipelines.synthesis.queue import Turn, WorkQueue
from thermite_pipelines.synthesis.work import By, Counts, Item, NewItem, Progress


class TestAnswering:
    def test_sy_05_an_answer_to_another_item_is_refused(self, any_home: Home) -> None:
        engine = Engine(groups(2))
        queue, turn = started(any_home, engine)
        first = item_of(turn)
        turn = answer(queue, turn)
        with pytest.raises(ThermiteError, match=f"item {first.item} is not the current one, item {first.item + 1} is"):
            queue.answer(turn.session.session, NOTHING["distill"], first.item, by=AGENT)
        assert len(engine.asked) == 1
        assert answer(queue, turn, said(item_of(turn), "later")).is_done
        assert [title for _, _, title in decided(any_home)] == ["later"]

    def test_sy_06_an_answer_without_an_id_is_for_the_current_item(self, home: Home) -> None:
        engine = Engine(groups(2))
        queue, turn = started(home, engine)
        current = item_of(turn).item
        queue.answer(turn.session.session, NOTHING["distill"], by=AGENT)
        assert [item for item, _ in engine.asked] == [current]

    def test_sy_08_a_bad_answer_leaves_its_item_open(self, any_home: Home) -> None:
        engine = Engine(groups(1))
        queue, turn = started(any_home, engine)
        bad = [
            ("{", "no JSON"),
            ("[]", "no JSON object"),
            ('{"syntheses": []}', "'synthesize' is missing"),
            ('{"synthesize": [], "retract": ["reading/ffffffffffff"]}', "not in the item"),
            (json.dumps({"synthesize": [distilled(item_of(turn), refs=["reading/ffffffffffff"])]}), "fewer than 2"),
        ]
        for response, why in bad:
            with pytest.raises(ThermiteError, match=why):
                answer(queue, turn, response)
            assert item_of(queue.next(turn.session.session)) == item_of(turn)
        assert (engine.asked, decided(any_home)) == ([], [])

    def test_behaviour_39_and_the_corrected_one_writes_one_fact(self, home: Home) -> None:
        queue, turn = started(home, Engine(groups(1)))
        with pytest.raises(ThermiteError):
            answer(queue, turn, synthesizing(item_of(turn))[:-1])
        assert answer(queue, turn, synthesizing(item_of(turn))).summary == Counts(synthesized=1)
        assert len(decided(home)) == 1

    def test_what_the_facts_refuse_leaves_the_item_open_too(self, home: Home) -> None:
        engine = Engine(groups(1), refuses="too near to another")
        queue, turn = started(home, engine)
        with pytest.raises(ThermiteError, match="too near to another"):
            answer(queue, turn)
        engine.refuses = ""
        assert answer(queue, turn).is_done

    def test_behaviour_40_an_answer_that_changes_nothing_is_one(self, home: Home) -> None:
        queue, turn = started(home, Engine(groups(1)))
        turn = answer(queue, turn, '{"synthesize": [], "retract": []}')
        assert (turn.is_done, turn.summary, decided(home)) == (True, Counts(), [])

    def test_behaviour_27_an_answer_by_another_key_names_the_one_that_is_missing(self, home: Home) -> None:
        queue, turn = started(home, Engine(chunking.prune_items([facts(1, 2)])))
        wrong = json.dumps({"actions": [{"path": fact(1).fact, "action": "retract"}]})
        with pytest.raises(ThermiteError, match="'decisions' is missing, what came is 'actions'"):
            answer(queue, turn, wrong)
        assert decided(home) == []

    def test_behaviour_77_discovery_that_says_nothing_is_taken(self, home: Home) -> None:
        bridge = {"token": "lr", "kind": "domain"}
        items = [chunking.discover_item(bridge, facts(1, 2), rank, backward=False) for rank in range(3)]
        queue, turn = started(home, Engine(items))
        for response in ("", "I see nothing here."):
            turn = answer(queue, turn, response)
            assert turn.item is not None
        assert answer(queue, turn).is_done

    def test_who_answered_is_in_the_log(self, home: Home) -> None:
        queue, turn = started(home, Engine(groups(1)))
        by = By("model", "some/model", "distill/1", "abc")
        answer(queue, turn, synthesizing(item_of(turn)), by=by)
        with home.control.read() as connection:
            (row,) = decision_log.rows(connection, CAMPAIGN)
            (again,) = decision_log.read(connection, CAMPAIGN)
            assert list(decision_log.read(connection, CAMPAIGN, after=row["decision"])) == []
        assert {"answered_by": "model", "model": "some/model", "prompt_version": "distill/1"}.items() <= row.items()
        assert (row["cache_key"], row["item"], row["session"]) == (
            "abc",
            item_of(turn).item,
            turn.session.session,
        )
        assert (again.verb, again.number, len(again.inputs)) == ("synthesize", row["decision"], 2)

    @pytest.mark.parametrize("call", ["next", "answer", "shown"])
    def test_behaviour_86_an_unknown_session_is_an_error(self, home: Home, call: str) -> None:
        queue = queue_of(home, Engine())
        more: dict[str, Any] = {"response": "{}", "by": AGENT} if call == "answer" else {}
        with pytest.raises(ThermiteError, match="no session 'nobody'"):
            getattr(queue, call)("nobody", **more)
        assert watermark(home) is None

    @pytest.mark.parametrize("status", ["completed", "abandoned"])
    def test_a_session_that_is_over_takes_no_answer(self, home: Home, status: str) -> None:
        queue, turn = started(home, Engine(groups(1)))
        if status == "completed":
            answer(queue, turn)
        else:
            queue.start(request())
        with pytest.raises(ThermiteError, match=f"the session is {status}"):
            answer(queue, turn)


def titled(given: Any) -> str:
    return given.synthesize[0].title


class TestGrowing:
    @pytest.mark.parametrize("schedules", [15, pytest.param(1000, marks=pytest.mark.full)])
    def test_sy_07_no_answer_lands_on_an_item_that_came_later(self, home: Home, schedules: int) -> None:
        for seed in range(schedules):
            self.run(home, random.Random(seed))

    def run(self, home: Home, chance: random.Random) -> None:
        engine = Engine(groups(chance.randint(1, 3)))
        queue, turn = started(home, engine)
        expected: list[tuple[int, str]] = []
        while turn.item is not None:
            if len(expected) < 8 and chance.random() < 0.7:
                self.grow(home, turn, chance)
            item = turn.item
            expected.append((item.item, f"for {item.item}"))
            named = item.item if chance.random() < 0.5 else None
            turn = queue.answer(turn.session.session, said(item, f"for {item.item}"), named, by=AGENT)
        assert turn.progress == Progress(len(expected), 0)
        assert [(item, titled(given)) for item, given in engine.asked] == expected

    def grow(self, home: Home, turn: Turn, chance: random.Random) -> None:
        items = [
            NewItem("distill", f"late-{place}", item.facts, item.inputs, chance.choice([-3.0, 0.0, 2.0, 50.0]))
            for place, item in enumerate(groups(chance.randint(1, 3)))
        ]
        with home.control.write() as connection:
            work_items.enqueue(connection, turn.session.session, items)


class TestTogether:
    @pytest.mark.parametrize("rounds", [12, pytest.param(500, marks=pytest.mark.full)])
    def test_sy_09_of_two_answers_to_one_item_one_counts(self, any_home: Home, rounds: int) -> None:
        queue, turn = started(any_home, Engine(groups(rounds + 1)))
        session = turn.session.session
        for _ in range(rounds):
            item = item_of(turn)
            before = len(decided(any_home))
            errors = [error for error in together(2, partial(self.one, queue, session, item)) if error]
            assert all("is not the current one" in error for error in errors)
            assert len(errors) < 2
            assert len(decided(any_home)) == before + 1
            with any_home.control.read() as connection:
                stored = work_items.response_of(connection, item.item)
            assert stored == said(item, decided(any_home)[-1][2])
            turn = queue.next(session)
        assert turn.progress == Progress(rounds, 1)

    def one(self, queue: WorkQueue, session: str, item: Item, place: int) -> str:
        """Answer an item; why that was refused, if it was: because the other answer had been taken by then."""
        try:
            queue.answer(session, said(item, f"by {place}"), item.item, by=AGENT)
        except ThermiteError as error:
            return str(error)
        return ""

    def test_an_answer_that_lost_is_no_error(self, any_home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        """Both saw the item open; while one is thought over, the other is taken."""
        engine = Engine(groups(2))
        queue, turn = started(any_home, engine)
        other = queue_of(any_home, Engine())
        first = True

        def decide(*given: Any) -> Any:
            nonlocal first
            if first:
                first = False
                answer(other, turn, said(item_of(turn), "faster"))
                raise ThermiteError("the facts moved on")
            return Engine().decide(*given)

        monkeypatch.setattr(engine, "decide", decide)
        after = answer(queue, turn, said(item_of(turn), "slower"))
        assert item_of(after).item == item_of(turn).item + 1
        assert [title for _, _, title in decided(any_home)] == ["faster"]

    def test_an_answer_is_reckoned_anew_where_facts_changed_meanwhile(
        self, home: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        engine = Engine(groups(1))
        queue, turn = started(home, engine)
        hypothesizing = Engine(chunking.hypothesize_items(facts(7, type="synthesis", origin="distilled")))
        plain, calls = engine.decide, []

        def decide(*given: Any) -> Any:
            calls.append(given)
            if len(calls) == 1:  # another session of the campaign decides
                other, there = started(home, hypothesizing, tool="hypothesize")
                answer(other, there, hypothesis())
            return plain(*given)

        monkeypatch.setattr(engine, "decide", decide)
        assert answer(queue, turn, synthesizing(item_of(turn))).is_done
        assert [verb for _, verb, _ in decided(home)] == ["hypothesize", "synthesize"]
        assert len(calls) == 2

    def test_many_that_look_on_at_the_end_complete_it_once(self, any_home: Home) -> None:
        ended(any_home, Engine(seen=seen(facts(1))))
        engine = Engine(groups(1), reflecting=[chunking.reflect_item([transition(1)], (fact(1).key,))])
        queue, turn = started(any_home, engine)
        session, item = turn.session.session, item_of(turn).item
        with any_home.control.write() as connection:
            assert work_items.claim(connection, item, "{}")  # as it is when its answerer was killed
        turns = together(6, lambda _: queue.next(session))
        assert {item_of(turn).key for turn in turns} == {"reflect"}
        assert {turn.progress for turn in turns} == {Progress(1, 1)}
        assert answer(queue, turns[0]).is_done
