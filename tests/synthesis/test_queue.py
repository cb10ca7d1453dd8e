"""Sessions from outside: handed out one item at a time, taken up again, with totals at the end."""

import json
from typing import Any

import pytest

from tests.support.homes import Home
from tests.synthesis.working import (
    AGENT,
    Engine,
    answer,
    decided,
    delivery_of,
    drained,
    ended,
    fact,
    facts,
    groups,
    item_of,
    long_ago,
    queue_of,
    request,
    rows,
    seen,
    started,
    synthesizing,
    transition,
    watermark,
)
from thermite_pipelines.control.synthesis_models import SynthesisSession
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.settings import Settings
from thermite_pipelines.synthesis import chunking, sessions
from thermite_pipelines.synthesis.decisions import Decision, fact_output
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.work import Counts, Item, NewItem, Part, Progress, SessionTaken


def decision(verb: Any, *inputs: Fact, output: Fact | None = None) -> Decision:
    keys = tuple(one.key for one in inputs)
    return Decision(verb=verb, step="dedup", inputs=keys, output=fact_output(output) if output else {})


class TestHandingOut:
    def test_sy_02_twelve_items_are_handed_out_one_at_a_time(self, any_home: Home) -> None:
        queue = queue_of(any_home, Engine(groups(12)))
        turn = queue.start(request())
        for number in range(12):
            item = item_of(turn)
            assert item.key == f"distill-c{number}-0"
            assert item_of(queue.next(turn.session.session)) == item
            assert turn.progress == Progress(number, 12 - number)
            turn = answer(queue, turn)
        assert (turn.is_done, turn.item, turn.progress) == (True, None, Progress(12, 0))
        assert queue.find(turn.session.session).status == "completed"

    def test_sy_33_shallow_items_come_before_what_builds_on_them(self, home: Home) -> None:
        def follow(item: Item, written: tuple[Fact, ...]) -> list[NewItem]:
            return chunking.raptor_items([[*written, *facts(90, 91)]], item.depth + 1) if written else []

        served = drained(*started(home, Engine(groups(4), follow=follow)), response=synthesizing)
        depths = [item.depth for item in served]
        assert depths == sorted(depths) == [0] * 4 + [1] * 4 + [2] * 4 + [3] * 4

    def test_sy_35_no_item_is_deeper_than_three_and_nothing_says_otherwise(self, home: Home) -> None:
        assert chunking.raptor_items([facts(1, 2)], 4) == []
        assert [item.depth for item in chunking.raptor_items([facts(1, 2)], 3)] == [3]
        assert not [name for name in Settings.model_fields if "depth" in name]

    def test_work_of_all_kinds_comes_in_its_order(self, home: Home) -> None:
        bridge = {"token": "lr", "kind": "domain"}
        items = [
            chunking.discover_item(bridge, facts(1, 2), 0, backward=False),
            *groups(1),
            *chunking.prune_items([facts(1, 2), facts(3, 4, 5)]),
            *chunking.raptor_items([facts(7, 8)], 1),
        ]
        ended(home, Engine())
        engine = Engine(items, reflecting=[chunking.reflect_item([transition(1)], (fact(1).key,))])
        served = [item.key for item in drained(*started(home, engine))]
        expected = ["cluster-1", "cluster-0", "distill-c0-0", "raptor-d1-c0-0", "discover-fwd-0", "reflect"]
        assert served == expected

    def test_a_lane_is_drained_without_the_rest(self, home: Home) -> None:
        engine = Engine([*groups(1), *chunking.prune_items([facts(1, 2)])])
        queue, turn = started(home, engine, Part("prune"))
        turn = answer(queue, turn, part=Part("prune"))
        assert (turn.item, turn.is_done, turn.progress) == (None, False, Progress(1, 1))
        assert queue.find(turn.session.session).phase == "work"
        assert item_of(queue.next(turn.session.session)).step == "distill"

    def test_an_item_that_failed_holds_up_no_other_and_waits_for_the_next_run(self, home: Home) -> None:
        queue, turn = started(home, Engine(groups(2)))
        failed = item_of(turn).item
        part = Part(skipped=frozenset([failed]))
        turn = answer(queue, queue.next(turn.session.session, part), part=part)
        assert (turn.item, turn.is_done) == (None, False)
        again = queue.take_up(request(opened_by="cli"))
        assert item_of(again).item == failed

    def test_behaviour_87_without_seeds_a_session_is_done_and_the_watermark_set(self, any_home: Home) -> None:
        turn = queue_of(any_home, Engine()).start(request())
        assert turn.is_done
        assert turn.summary == Counts()
        assert watermark(any_home) == {}


class TestEnds:
    def test_sy_28_the_summary_is_what_changed(self, any_home: Home) -> None:
        merged = decision("merge", fact(8), fact(9), output=fact(8, sources=2))
        items = [*groups(1), *chunking.prune_items([facts(4, 5)])]
        delivery = delivery_of(any_home, Engine(items, decisions=[merged]))
        result = delivery.start(request())
        session = result["session_id"]
        assert "done" not in result and "summary" not in result
        retract = json.dumps({"decisions": [{"path": fact(4).fact, "action": "retract"}]})
        delivery.go_on("review", session, response=retract, by=AGENT)
        both = json.dumps(
            {"synthesize": [{"title": "t", "body": "b", "refs": [one.fact for one in facts(0, 1)]}]}
            | {"retract": [fact(0).fact]}
        )
        result = delivery.go_on("review", session, response=both, by=AGENT)
        assert result == {
            "session_id": session,
            "done": True,
            "summary": {"Pruned": 2, "Merged": 1, "Updated": 0, "Synthesized": 1},
            "progress": {"completed": 2, "remaining": 0},
        }
        verbs = [verb for _, verb, _ in decided(any_home)]
        assert sorted(verbs) == ["merge", "retract", "retract", "synthesize"]

    def test_behaviour_85_whoever_answers_the_totals_are_the_sessions(self, home: Home) -> None:
        items = [*groups(1), *chunking.prune_items([facts(4, 5)])]
        queue, turn = started(home, Engine(items))
        retract = json.dumps({"decisions": [{"path": fact(4).fact, "action": "retract"}]})
        turn = answer(queue, turn, retract)
        turn = answer(queue_of(home, Engine()), turn, synthesizing(item_of(turn)))
        assert turn.summary == Counts(pruned=1, synthesized=1)
        assert ended(home, Engine(groups(1))).summary == Counts()

    def test_sy_29_totals_that_cannot_be_read_are_zeros(
        self, home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        queue, turn = started(home, Engine(groups(1)))

        def fail(*_: Any) -> Any:
            raise ThermiteError("control's record can't be used")

        monkeypatch.setattr(sessions, "read_counts", fail)
        turn = answer(queue, turn, synthesizing(item_of(turn)))
        assert (turn.is_done, turn.summary) == (True, Counts())
        assert queue.find(turn.session.session).status == "completed"
        assert len(caplog.records) == 1

    def test_a_session_sees_what_was_there_at_its_start_and_what_it_wrote(self, home: Home) -> None:
        queue, turn = started(home, Engine(groups(1), seen=seen(facts(0, 1, 2))))
        retracting = synthesizing(item_of(turn), retract=[fact(1).fact])
        answer(queue, turn, retracting)
        mark = watermark(home)
        assert mark is not None
        assert {fact(0).fact, fact(2).fact} < mark.keys()
        assert fact(1).fact not in mark
        (new,) = mark.keys() - {fact(0).fact, fact(2).fact}
        assert mark[new].type == "synthesis"

    def test_reflect_comes_last_and_only_where_there_is_something_to_look_back_on(self, home: Home) -> None:
        engine = Engine(groups(1), reflecting=[chunking.reflect_item([transition(1)], (fact(1).key,))])
        assert [item.step for item in drained(*started(home, engine))] == ["distill"]
        assert [item.step for item in drained(*started(home, engine))] == ["distill", "reflect"]

    def test_a_reflect_that_fails_fails_no_session(
        self, home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        ended(home, Engine())
        engine = Engine(groups(1))

        def fail(_: Any) -> Any:
            raise ThermiteError("no facts")

        monkeypatch.setattr(engine, "reflect", fail)
        assert ended(home, engine).is_done
        assert len(caplog.records) == 1

    def test_facts_of_an_item_that_was_given_up_are_not_seen(self, any_home: Home) -> None:
        guess = fact(1, type="hypothesis")
        (item,) = chunking.distill_items("distill-c0", [fact(0), guess])
        queue, turn = started(any_home, Engine([item], seen=seen([fact(0), guess, fact(2)])))
        assert [queue.note_failure(item_of(turn), "no answer that counts") for _ in range(3)] == [False, False, True]
        assert queue.next(turn.session.session).is_done
        mark = watermark(any_home)
        assert mark is not None
        assert mark.keys() == {guess.fact, fact(2).fact}, "reflect compares with what the hypothesis was"

    def test_discovery_that_was_given_up_looked_at_facts_all_the_same(self, home: Home) -> None:
        item = chunking.discover_item({"token": "lr", "kind": "domain"}, facts(1, 2), 0, backward=False)
        queue, turn = started(home, Engine([item], seen=seen(facts(1, 2))))
        for _ in range(3):
            queue.note_failure(item_of(turn), "no answer that counts")
        queue.next(turn.session.session)
        mark = watermark(home)
        assert mark is not None and mark.keys() == {one.fact for one in facts(1, 2)}


class TestTakingUp:
    def test_a_run_goes_on_where_the_one_before_stopped(self, home: Home) -> None:
        queue, turn = started(home, Engine(groups(2)))
        answer(queue, turn)
        again = queue.take_up(request(opened_by="asset"))
        assert again.session.session == turn.session.session
        assert again.progress == Progress(1, 1)

    @pytest.mark.parametrize("opener", ["mcp", "http"])
    def test_a_session_that_somebody_answers_is_left_alone_until_it_is_idle(self, any_home: Home, opener: str) -> None:
        queue, turn = started(any_home, Engine(groups(2)), opened_by=opener)
        with pytest.raises(SessionTaken, match=opener):
            queue.take_up(request(opened_by="asset"))
        long_ago(any_home)
        again = queue.take_up(request(opened_by="asset"))
        assert again.session.session != turn.session.session
        assert rows(any_home, SynthesisSession) == 1

    def test_an_agent_that_starts_anew_gives_the_older_one_up(self, home: Home) -> None:
        queue, turn = started(home, Engine(groups(1)))
        queue.start(request(opened_by="mcp"))
        assert queue.find(turn.session.session).status == "abandoned"

    def test_a_plan_that_fails_opens_nothing(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        engine = Engine(groups(1))
        queue, turn = started(home, engine)

        def fail(_: Any) -> Any:
            raise ThermiteError("no embedder")

        monkeypatch.setattr(engine, "plan", fail)
        with pytest.raises(ThermiteError, match="no embedder"):
            queue.start(request())
        assert queue.find(turn.session.session).status == "active"
