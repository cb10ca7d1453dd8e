"""Real kills while a session is worked on: an answer counts whole or is asked for again, and nothing is done twice."""

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.homes import Home, make_home
from tests.support.killing import Points, in_child
from tests.synthesis.working import (
    CAMPAIGN,
    RULES,
    Engine,
    answer,
    decided,
    drained,
    facts,
    groups,
    item_of,
    queue_of,
    request,
    seen,
    synthesizing,
    transition,
)
from thermite_pipelines.control.synthesis_models import SynthesisSession
from thermite_pipelines.synthesis import chunking, sessions, work_items
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.queue import WorkQueue
from thermite_pipelines.synthesis.work import Item, NewItem, Progress

MOST_KILLS = 120


def engine() -> Engine:
    """Two groups, whose syntheses are distilled again twice, and a look back at the end."""

    def follow(item: Item, written: tuple[Fact, ...]) -> list[NewItem]:
        return chunking.raptor_items([[*written, *facts(90)]], item.depth + 1) if written and item.depth < 2 else []

    reflect = chunking.reflect_item([transition(1)], ())
    return Engine(groups(2), seen=seen(facts(0, 1, 2, 3)), reflecting=[reflect], follow=follow)


def respond(item: Item) -> str | None:
    return synthesizing(item) if item.step == "distill" else None


def work(home: Home) -> None:
    """What a run does: go on with the session that is there, or with a new one, until it is done."""
    queue = queue_of(home, engine())
    drained(queue, queue.take_up(request(opened_by="asset")), respond)


def outcome(home: Home) -> tuple[Any, ...]:
    """All that lasts: the decisions in their order, without the numbers of items, and the watermark."""
    with home.control.read() as connection:
        mark = sessions.watermark(connection, CAMPAIGN, "review")
    return [(verb, title) for _, verb, title in decided(home)], mark


@pytest.fixture
def undisturbed(tmp_path: Path, ready_record: Path) -> tuple[Any, ...]:
    home = make_home(tmp_path / "undisturbed", ready_record)
    work(home)
    found = outcome(home)
    home.close()
    assert len(found[0]) == 6
    return found


def is_completed(home: Home) -> bool:
    with home.control.read() as connection:
        return "completed" in connection.execute(select(SynthesisSession.status)).scalars().all()


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.full)])
def test_killed_before_any_commit_the_next_run_completes_the_work(
    tmp_path: Path, ready_record: Path, undisturbed: tuple[Any, ...], step: int
) -> None:
    for kill_at in range(0, MOST_KILLS, step):
        home = make_home(tmp_path / f"{kill_at}", ready_record)

        def killed(home: Home = home, kill_at: int = kill_at) -> None:
            with Points(kill_at).watched(home.control.engine):
                work(home)

        ended = in_child(killed)
        assert ended in (0, -signal.SIGKILL)
        done = is_completed(home)
        if not done:
            work(home)
        assert outcome(home) == undisturbed
        home.close()
        if done:
            assert kill_at > 20
            return
    raise AssertionError("there are more commits than were tried")


@pytest.mark.parametrize("place", ["claim", "write"])
def test_killed_between_claim_and_decisions_nothing_of_the_answer_is_left(
    any_home: Home, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    queue = queue_of(any_home, engine())
    turn = queue.start(request(opened_by="asset"))
    any_home.close()

    def killed() -> None:
        queue = queue_of(any_home, engine())
        if place == "claim":
            claim = work_items.claim

            def claim_and_die(*given: Any) -> bool:
                claim(*given)
                os.kill(os.getpid(), signal.SIGKILL)
                return True

            monkeypatch.setattr(work_items, "claim", claim_and_die)
        else:
            write = WorkQueue._write

            def write_and_die(*given: Any) -> None:
                write(*given)
                os.kill(os.getpid(), signal.SIGKILL)

            monkeypatch.setattr(WorkQueue, "_write", write_and_die)
        answer(queue, turn, synthesizing(item_of(turn)))

    assert in_child(killed) == -signal.SIGKILL
    again = queue_of(any_home, engine()).take_up(request(opened_by="asset"))
    assert (item_of(again), again.progress) == (item_of(turn), Progress(0, 2))
    assert decided(any_home) == []
    after = answer(queue, again, synthesizing(item_of(again)), by=RULES)
    assert len(decided(any_home)) == 1
    assert after.progress == Progress(1, 2)
