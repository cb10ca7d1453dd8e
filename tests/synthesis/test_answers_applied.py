"""A whole session with the rules as answerer and the real application: the log gives the facts, and the totals fit."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import to_builtins

from tests.support.homes import Home
from tests.synthesis.working import CAMPAIGN, RULES, drained, fact, item_of, request, seen, synthesizing, together
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis import chunking, decision_log, rules, sessions
from thermite_pipelines.synthesis.answers import Answer
from thermite_pipelines.synthesis.applying import apply_answer, shown_of
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.fold import fold
from thermite_pipelines.synthesis.outcomes import Outcome, Plan
from thermite_pipelines.synthesis.queue import Turn, WorkQueue
from thermite_pipelines.synthesis.work import Counts, Item, NewItem, Request, Session

BASE = [
    fact(1, "Raising the learning rate to 0.02 lowered the loss by 0.1."),
    fact(2, "Raising the learning rate to 0.02 lowered the loss by 0.1.", title="fact 1"),
    fact(3, "Halving the batch raised the loss by 0.3."),
    fact(4, "Muon beats AdamW at every size that was tried."),
]


class Applying:
    """An engine over the facts of this module: one prune item of all, one distill item of what the others are."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def plan(self, request: Request) -> Plan:
        live = list(self.corpus().live().values())
        items = [*chunking.prune_items([live]), *chunking.distill_items("distill-c0", live[2:])]
        return Plan(items, seen(live))

    def reflect(self, session: Session) -> Sequence[NewItem]:
        return ()

    def decide(self, session: Session, item: Item, answer: Answer) -> Outcome:
        applied = apply_answer(shown_of(item, session.campaign), answer, self.corpus())
        return Outcome(applied.decisions, applied.counts, (), applied.warnings)

    def renewed(self, session: Session, item: Item) -> None:
        return None

    def corpus(self) -> Corpus:
        with self._home.control.read() as connection:
            folded = fold(BASE, decision_log.read(connection, CAMPAIGN))
        assert folded.stale == ()
        return folded.corpus


def by_rules(item: Item) -> str:
    return json.dumps(to_builtins(rules.answer(item.step, json.loads(item.facts))))


def started(home: Home) -> tuple[Applying, WorkQueue, Turn]:
    engine = Applying(home)
    queue = WorkQueue(home.control, engine, engine)
    return engine, queue, queue.start(request(opened_by="asset"))


def test_sy_28_totals_are_the_difference_between_the_facts_before_and_after(any_home: Home) -> None:
    engine, queue, turn = started(any_home)
    before = engine.corpus().live()
    assert [item.step for item in drained(queue, turn, by_rules)] == ["prune", "distill"]
    after = engine.corpus().live()
    gone, new = before.keys() - after.keys(), after.keys() - before.keys()
    done = queue.take_up(request(opened_by="asset"))  # nothing is left of the first: a second one begins
    assert done.session.session != turn.session.session
    assert len(gone) == 1
    assert all(after[name].origin == "distilled" for name in new)
    assert totals(any_home, turn) == Counts(merged=1, synthesized=len(new))


def totals(home: Home, turn: Turn) -> Counts:
    with home.control.read() as connection:
        return sessions.read_counts(connection, turn.session.session)


@pytest.mark.parametrize("rounds", [3, pytest.param(60, marks=pytest.mark.full)])
def test_sy_09_of_two_answers_at_once_one_set_of_facts_is_left(any_home: Home, rounds: int) -> None:
    engine, queue, turn = started(any_home)
    turn = queue.answer(turn.session.session, '{"decisions": []}', by=RULES, whole=True)
    session, item = turn.session.session, item_of(turn)
    assert item.step == "distill"
    for number in range(rounds):
        before = engine.corpus().live()

        def one(place: int, session: str = session, item: Item = item, number: int = number) -> Any:
            titles = [{"title": f"round {number} by {place}, {n}"} for n in range(2)]
            answer = json.loads(synthesizing(item, 2))
            answer["synthesize"] = [new | title for new, title in zip(answer["synthesize"], titles, strict=True)]
            try:
                return queue.answer(session, json.dumps(answer), item.item, by=RULES, whole=True)
            except ThermiteError:
                return None

        assert any(together(2, one))
        new = [made for name, made in engine.corpus().live().items() if name not in before]
        assert len(new) == 2
        assert len({made.title.partition(",")[0] for made in new}) == 1
        turn = queue.start(request(opened_by="asset"))
        turn = queue.answer(turn.session.session, '{"decisions": []}', by=RULES, whole=True)
        session, item = turn.session.session, item_of(turn)


def test_the_log_tells_who_and_from_what(home: Home) -> None:
    engine, queue, turn = started(home)
    drained(queue, turn, by_rules)
    live: dict[str, Fact] = engine.corpus().live()
    with home.control.read() as connection:
        rows = list(decision_log.rows(connection, CAMPAIGN))
    for row in rows:
        assert row["session"] == turn.session.session
        assert {name for name, _ in row["inputs"]} <= {one.fact for one in BASE} | live.keys()
    assert {row["step"] for row in rows} <= {"prune", "distill"}
