"""The store of sessions and items: three axes, phases, totals, the order of a queue, watermarks, the sweep."""

from typing import Any

import pytest

from tests.support.homes import Home
from tests.synthesis.working import (
    CAMPAIGN,
    HOUR,
    fact,
    facts,
    long_ago,
    request,
    rows,
    together,
)
from thermite_pipelines.control.synthesis_models import SessionFact, WorkItem
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.synthesis import sessions, work_items
from thermite_pipelines.synthesis.chunking import compact
from thermite_pipelines.synthesis.work import (
    Counts,
    NewItem,
    Part,
    Progress,
    Session,
    checked_request,
    seen_of,
)


def opened(home: Home, **more: Any) -> str:
    session = sessions.new_id()
    with home.control.write() as connection:
        sessions.open_session(connection, session, checked_request(request(**more)))
    return session


def found(home: Home, session: str) -> Session:
    with home.control.read() as connection:
        return sessions.find(connection, session)


def new(priority: float, key: str = "k", depth: int = 0, step: Any = "distill") -> NewItem:
    return NewItem(step, key, compact([fact(1).record()]), (fact(1).key,), priority, depth)


def put(home: Home, session: str, *items: NewItem) -> list[int]:
    with home.control.write() as connection:
        return work_items.enqueue(connection, session, items)


def current(home: Home, session: str, part: Part | None = None) -> int | None:
    with home.control.read() as connection:
        item = work_items.current(connection, session, part)
    return None if item is None else item.item


def claimed(home: Home, item: int, response: str = "{}") -> bool:
    with home.control.write() as connection:
        return work_items.claim(connection, item, response)


class TestAxes:
    def test_sy_03_status_phase_and_effort_are_three_axes(self, any_home: Home) -> None:
        session = opened(any_home, effort="high")
        before = found(any_home, session)
        assert (before.status, before.phase, before.effort, before.scoped) == ("active", "work", "high", False)
        with any_home.control.write() as connection:
            assert sessions.advance(connection, session, "work", "reflect")
        after = found(any_home, session)
        assert (after.status, after.phase, after.effort) == ("active", "reflect", "high")
        opened(any_home)  # gives the older one up
        given_up = found(any_home, session)
        assert (given_up.status, given_up.phase, given_up.effort) == ("abandoned", "reflect", "high")

    @pytest.mark.parametrize(
        ("name", "value"), [("effort", "bogus"), ("effort", "Normal"), ("tool", "dream"), ("opened_by", "me")]
    )
    def test_other_words_are_refused(self, name: str, value: str) -> None:
        words: dict[str, Any] = {name: value}
        with pytest.raises(UsageError, match=value):
            checked_request(request(**words))

    def test_an_empty_effort_is_the_normal_one(self) -> None:
        assert checked_request(request(effort="")).effort == "normal"

    def test_one_tool_leaves_the_other_alone(self, home: Home) -> None:
        review, hypothesize = opened(home), opened(home, tool="hypothesize")
        assert found(home, review).status == found(home, hypothesize).status == "active"
        elsewhere = opened(home, campaign="other")
        assert found(home, review).status == found(home, elsewhere).status == "active"


class TestPhases:
    def test_behaviour_81_a_phase_is_left_once(self, any_home: Home) -> None:
        session = opened(any_home)
        assert found(any_home, session).phase == "work"
        with any_home.control.write() as connection:
            assert sessions.advance(connection, session, "work", "reflect")
            assert not sessions.advance(connection, session, "work", "reflect")
        assert found(any_home, session).phase == "reflect"

    def test_sy_04_of_twenty_threads_one_moves_a_session_on(self, any_home: Home) -> None:
        session = opened(any_home)

        def advance(before: Any, after: Any) -> bool:
            with any_home.control.write() as connection:
                return sessions.advance(connection, session, before, after)

        for before, after in (("work", "reflect"), ("reflect", "done")):
            given = together(20, lambda _, before=before, after=after: advance(before, after))
            assert sorted(given) == [False] * 19 + [True]
            assert found(any_home, session).phase == after

    def test_a_session_that_was_given_up_moves_no_more(self, home: Home) -> None:
        session = opened(home)
        opened(home)
        with home.control.write() as connection:
            assert not sessions.advance(connection, session, "work", "reflect")
            assert not sessions.complete(connection, sessions.find(connection, session))


class TestTotals:
    def test_behaviour_84_totals_add_up_and_of_eight_at_once_none_is_lost(self, any_home: Home) -> None:
        session = opened(any_home)

        def add(counts: Counts) -> None:
            with any_home.control.write() as connection:
                sessions.add_counts(connection, session, counts)

        add(Counts(pruned=1, merged=2))
        add(Counts(pruned=3, updated=1, synthesized=4))
        together(8, lambda _: add(Counts(1, 1, 1, 1)))
        with any_home.control.read() as connection:
            assert sessions.read_counts(connection, session) == Counts(12, 10, 9, 12)


class TestQueue:
    def test_behaviour_83_the_highest_priority_first_then_the_order_of_arrival(self, any_home: Home) -> None:
        session = opened(any_home)
        numbers = put(any_home, session, new(0), new(0), new(5), new(0))
        assert numbers == sorted(numbers)
        served = []
        while (item := current(any_home, session)) is not None:
            assert current(any_home, session) == item
            served.append(item)
            assert claimed(any_home, item)
        assert served == [numbers[2], numbers[0], numbers[1], numbers[3]]

    def test_behaviour_82_an_item_is_claimed_once(self, any_home: Home) -> None:
        (item,) = put(any_home, opened(any_home), new(0))
        assert claimed(any_home, item, "first")
        assert not claimed(any_home, item, "second")
        with any_home.control.read() as connection:
            assert work_items.response_of(connection, item) == "first"
        assert not claimed(any_home, item + 1)

    def test_progress(self, any_home: Home) -> None:
        session = opened(any_home)
        numbers = put(any_home, session, new(0), new(0), new(0))
        claimed(any_home, numbers[1])
        with any_home.control.read() as connection:
            assert work_items.progress(connection, session) == Progress(1, 2)
            assert [item.item for item in work_items.waiting(connection, session)] == [numbers[0], numbers[2]]

    def test_a_lane_holds_its_own_items_and_none_that_are_left_out(self, home: Home) -> None:
        session = opened(home)
        prune, flat, deep, found = put(
            home, session, new(4, step="prune"), new(0), new(-2, depth=2), new(-10, step="discover")
        )
        lanes = {lane: current(home, session, Part(lane)) for lane in ("prune", "distill", "raptor")}
        assert lanes == {"prune": prune, "distill": flat, "raptor": deep}
        assert current(home, session, Part("distill", frozenset([flat]))) == found
        assert current(home, session, Part(skipped=frozenset([prune]))) == flat

    @pytest.mark.parametrize("depth", [-1, 4])
    def test_nothing_is_deeper_than_distilling_goes(self, home: Home, depth: int) -> None:
        with pytest.raises(ThermiteError, match=f"depth {depth}"):
            put(home, opened(home), new(-depth, depth=depth))

    def test_numbers_are_never_used_again(self, any_home: Home) -> None:
        (item,) = put(any_home, opened(any_home), new(0))
        long_ago(any_home)
        swept(any_home)
        assert rows(any_home, WorkItem) == 0
        assert put(any_home, opened(any_home), new(0))[0] > item


def swept(home: Home, seconds: float | None = None) -> int:
    with home.control.write() as connection:
        return sessions.sweep(connection, seconds)


class TestSweep:
    @pytest.mark.parametrize("seconds", [None, 0, -5])
    def test_behaviour_90_an_idle_session_goes_with_its_items_and_a_live_one_stays(
        self, any_home: Home, seconds: float | None
    ) -> None:
        idle = opened(any_home)
        put(any_home, idle, new(0), new(0))
        with any_home.control.write() as connection:
            sessions.see(connection, idle, [seen_of(fact(1))])
        long_ago(any_home)
        live = opened(any_home, campaign="other")
        put(any_home, live, new(0))
        assert swept(any_home, seconds) == 1
        assert found(any_home, live).status == "active"
        with pytest.raises(ThermiteError, match="no session"):
            found(any_home, idle)
        assert (rows(any_home, WorkItem), rows(any_home, SessionFact)) == (1, 0)

    def test_use_keeps_a_session(self, home: Home) -> None:
        session = opened(home)
        long_ago(home)
        with home.control.write() as connection:
            sessions.touch(connection, session)
        assert swept(home) == 0

    @pytest.mark.parametrize("opener", ["asset", "cli"])
    def test_what_a_run_left_off_waits_for_the_next_one(self, home: Home, opener: str) -> None:
        session = opened(home, opened_by=opener)
        long_ago(home, 30 * 24 * HOUR)
        assert swept(home) == 0
        with home.control.write() as connection:
            sessions.complete(connection, sessions.find(connection, session))
        assert swept(home) == 1


class TestWatermark:
    def complete(self, home: Home, session: str) -> None:
        with home.control.write() as connection:
            assert sessions.complete(connection, sessions.find(connection, session))

    def see(self, home: Home, session: str, *numbers: int, **more: Any) -> None:
        with home.control.write() as connection:
            sessions.see(connection, session, [seen_of(one) for one in facts(*numbers, **more)])

    def mark(self, home: Home, tool: Any = "review") -> dict[str, Any] | None:
        with home.control.read() as connection:
            return sessions.watermark(connection, CAMPAIGN, tool)

    def test_it_is_what_completed_sessions_saw(self, any_home: Home) -> None:
        assert self.mark(any_home) is None
        session = opened(any_home)
        self.see(any_home, session, 1, 2, 3)
        self.see(any_home, session, 3, 4, confidence=0.2)  # newer versions take the place of older ones
        with any_home.control.write() as connection:
            sessions.unsee(connection, session, [fact(1).fact])
        assert self.mark(any_home) is None
        self.complete(any_home, session)
        expected = [fact(2), fact(3, confidence=0.2), fact(4, confidence=0.2)]
        assert self.mark(any_home) == {one.fact: seen_of(one) for one in expected}
        assert self.mark(any_home, tool="hypothesize") is None
        assert rows(any_home, SessionFact) == 0

    def test_the_next_one_takes_its_place_whole(self, home: Home) -> None:
        first = opened(home)
        self.see(home, first, 1, 2)
        self.complete(home, first)
        second = opened(home)
        self.see(home, second, 2)
        self.complete(home, second)
        assert self.mark(home) == {fact(2).fact: seen_of(fact(2))}

    def test_a_session_without_facts_leaves_an_empty_one(self, home: Home) -> None:
        self.complete(home, opened(home))
        assert self.mark(home) == {}

    def test_a_session_with_a_scope_leaves_it_alone(self, home: Home) -> None:
        session = opened(home, domains=("x",))
        self.see(home, session, 1)
        self.complete(home, session)
        assert self.mark(home) is None

    def test_so_does_one_that_was_given_up(self, home: Home) -> None:
        session = opened(home)
        self.see(home, session, 1)
        opened(home)
        assert rows(home, SessionFact) == 0
        assert self.mark(home) is None

    def test_one_that_cannot_be_written_fails_no_session(
        self, any_home: Home, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        session = opened(any_home)
        self.see(any_home, session, 1)

        def broken(connection: Any, _: Session) -> None:
            connection.exec_driver_sql("INSERT INTO no_such_table VALUES (1)")

        monkeypatch.setattr(sessions, "_set_watermark", broken)
        self.complete(any_home, session)
        assert found(any_home, session).status == "completed"
        assert self.mark(any_home) is None
        assert len(caplog.records) == 1
