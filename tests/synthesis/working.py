"""Sessions without an engine behind them: a planner with given items, and an applier that does what answers say."""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select, update

from tests.support.homes import Home
from thermite_pipelines.control.synthesis_models import SynthesisSession
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis import chunking, decision_log, sessions
from thermite_pipelines.synthesis.answers import (
    Answer,
    DiscoverAnswer,
    DistillAnswer,
    HypothesizeAnswer,
    PruneAnswer,
)
from thermite_pipelines.synthesis.decisions import Decision, counts_of, fact_output
from thermite_pipelines.synthesis.delivery import Delivery
from thermite_pipelines.synthesis.facts import Fact, derived_id
from thermite_pipelines.synthesis.outcomes import Outcome, Plan
from thermite_pipelines.synthesis.queue import Turn, WorkQueue
from thermite_pipelines.synthesis.work import By, Inputs, Item, NewItem, Part, Request, Seen, Session, seen_of

AGENT = By("agent")
RULES = By("rules", "rules", "rules/1")
CAMPAIGN = "reading"
HOUR = 3_600_000_000
"""In microseconds."""
NOTHING = {
    "prune": '{"decisions": []}',
    "distill": '{"synthesize": []}',
    "reflect": '{"reasoning": "-", "reinforce": [], "propose": []}',
    "hypothesize": '{"hypothesis": null}',
    "discover": '{"proposals": []}',
}
"""By step, an answer that changes nothing."""


def fact(number: int, body: str = "it holds", **more: Any) -> Fact:
    """A fact of the campaign; the same number is the same fact."""
    values: dict[str, Any] = {"type": "observation", "title": f"fact {number}"}
    return Fact(fact=f"{CAMPAIGN}/{number:012x}", body=body, **values | more)


def facts(*numbers: int, **more: Any) -> list[Fact]:
    return [fact(number, **more) for number in numbers]


def distilled(item: Item, place: int = 0, **more: Any) -> dict[str, Any]:
    """A synthesis of the first two facts of an item, as an answer gives it."""
    return {"title": f"of item {item.key} {place}", "body": "both", "refs": sorted(item.names)[:2]} | more


def synthesizing(item: Item, number: int = 1, **more: Any) -> str:
    """An answer to a distill item with so many syntheses."""
    return json.dumps({"synthesize": [distilled(item, place) for place in range(number)]} | more)


def said(item: Item, to_say: str) -> str:
    """An answer that can be told from others, to an item of two facts or more."""
    return json.dumps({"synthesize": [distilled(item, title=to_say)]})


def request(tool: Any = "review", **more: Any) -> Request:
    values: dict[str, Any] = {"campaign": CAMPAIGN, "tool": tool, "opened_by": "mcp"}
    return Request(**values | more)


@dataclass
class Engine:
    """Plans the items it was given, and notes every answer that it was asked to apply."""

    items: Sequence[NewItem] = ()
    seen: Sequence[Seen] = ()
    decisions: Sequence[Decision] = ()
    reflecting: Sequence[NewItem] = ()
    follow: Callable[[Item, tuple[Fact, ...]], Sequence[NewItem]] = lambda item, written: ()
    refuses: str = ""
    asked: list[tuple[int, Answer]] = field(default_factory=list)

    def plan(self, request: Request) -> Plan:
        return Plan(self.items, self.seen, self.decisions, counts_of(self.decisions))

    def reflect(self, session: Session) -> Sequence[NewItem]:
        return self.reflecting

    def decide(self, session: Session, item: Item, answer: Answer) -> Outcome:
        if self.refuses:
            raise ThermiteError(self.refuses)
        self.asked.append((item.item, answer))
        decisions = tuple(_decisions(session, item, answer))
        written = tuple(one.fact for one in decisions if one.verb == "synthesize" and one.fact)
        return Outcome(decisions, counts_of(decisions), self.follow(item, written))

    def renewed(self, session: Session, item: Item) -> tuple[str, Inputs] | None:
        return None


def _decisions(session: Session, item: Item, answer: Answer) -> list[Decision]:
    versions = dict(item.inputs)
    made: list[tuple[Any, list[str], dict[str, Any]]] = []
    if isinstance(answer, PruneAnswer):
        made = [("retract", [one.path], {}) for one in answer.decisions if one.action == "retract"]
    if isinstance(answer, DistillAnswer | DiscoverAnswer):
        new = answer.synthesize if isinstance(answer, DistillAnswer) else answer.proposals
        for place, one in enumerate(new):
            cited = [ref for ref in one.refs if ref in versions]
            name = derived_id(session.campaign, item.step, {ref: versions[ref] for ref in cited}, place)
            new_fact = Fact(fact=name, type=one.type, title=one.title, body=one.body, refs=one.refs, origin="distilled")
            made.append(("synthesize", cited, fact_output(new_fact)))
        retracted = answer.retract if isinstance(answer, DistillAnswer) else ()
        made += [("retract", [path], {}) for path in retracted]
    if isinstance(answer, HypothesizeAnswer) and answer.hypothesis:
        new_fact = fact(999, type="hypothesis", title=answer.hypothesis.title)
        made.append(("hypothesize", list(versions), fact_output(new_fact)))
    return [
        Decision(verb=verb, step=item.step, inputs=tuple((path, versions[path]) for path in paths), output=output)
        for verb, paths, output in made
    ]


class Prompts:
    """Writes prompts, and counts how often it was asked."""

    def __init__(self) -> None:
        self.written = 0

    def prompt(self, session: Session, item: Item) -> str:
        self.written += 1
        return f"Judge {item.step} {item.key}."


def queue_of(home: Home, engine: Engine) -> WorkQueue:
    return WorkQueue(home.control, engine, engine)


def delivery_of(home: Home, engine: Engine, prompts: Prompts | None = None) -> Delivery:
    return Delivery(queue_of(home, engine), prompts or Prompts())


def item_of(turn: Turn) -> Item:
    """The item that was handed out."""
    assert turn.item is not None
    return turn.item


def answer(queue: WorkQueue, turn: Turn, response: str | None = None, **more: Any) -> Turn:
    """Answer the item that was handed out, as a whole; without a response, so that nothing changes."""
    item = item_of(turn)
    response = NOTHING[item.step] if response is None else response
    return queue.answer(turn.session.session, response, item.item, **{"by": AGENT, "whole": True} | more)


def drained(queue: WorkQueue, turn: Turn, response: Callable[[Item], str | None] = lambda _: None) -> list[Item]:
    """Answer all that is handed out; the items in their order."""
    served = []
    while turn.item is not None:
        served.append(turn.item)
        turn = answer(queue, turn, response(turn.item))
    assert turn.is_done
    return served


def decided(home: Home) -> list[tuple[int | None, str, str]]:
    """The decision log: item, verb, and the title of the fact that was written or the fact it is about."""
    with home.control.read() as connection:
        rows = list(decision_log.rows(connection, CAMPAIGN))
    return [(row["item"], row["verb"], row["output"].get("fact", {}).get("title", row["inputs"][0][0])) for row in rows]


def groups(number: int, size: int = 2) -> list[NewItem]:
    """So many distill items of so many facts each."""
    return [
        item
        for place in range(number)
        for item in chunking.distill_items(f"distill-c{place}", facts(*range(place * size, (place + 1) * size)))
    ]


def seen(of: Sequence[Fact]) -> list[Seen]:
    return [seen_of(one) for one in of]


def transition(number: int, action: str = "retracted") -> dict[str, str]:
    return {"path": fact(number).fact, "original_type": "hypothesis", "action": action}


def started(home: Home, engine: Engine, part: Part | None = None, **more: Any) -> tuple[WorkQueue, Turn]:
    queue = queue_of(home, engine)
    return queue, queue.start(request(**{"opened_by": "cli"} | more), part)


def hypothesis(**more: Any) -> str:
    values = {
        "title": "it holds at twice the size",
        "body": "since the two effects are independent",
        "prediction": "loss below 3.1 at 200 steps",
        "falsifier": "a run at twice the size with loss above 3.2",
        "confidence": 0.5,
        "refs": [fact(7).fact],
    }
    return json.dumps({"hypothesis": values | more})


def watermark(home: Home, tool: Any = "review") -> dict[str, Any] | None:
    with home.control.read() as connection:
        return sessions.watermark(connection, CAMPAIGN, tool)


def ended(home: Home, engine: Engine, **more: Any) -> Turn:
    """A session in which nothing is changed, at its end."""
    queue = queue_of(home, engine)
    turn = queue.start(request(**more))
    while turn.item is not None:
        turn = answer(queue, turn)
    return turn


def together(number: int, work: Callable[[int], object]) -> list[Any]:
    """What each of so many threads gives that begin at the same moment."""
    start, given = threading.Barrier(number), []

    def one(place: int) -> None:
        start.wait()
        given.append(work(place))

    threads = [threading.Thread(target=one, args=(place,)) for place in range(number)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(given) == number
    return given


def rows(home: Home, model: Any) -> int:
    with home.control.read() as connection:
        return connection.execute(select(func.count()).select_from(model)).scalar_one()


def long_ago(home: Home, micros: int = HOUR + 60_000_000) -> None:
    """Let every session have been used last so long ago."""
    with home.control.write() as connection:
        earlier = SynthesisSession.last_used_at - micros
        connection.execute(update(SynthesisSession).values(last_used_at=earlier))
