"""What tests of sessions share: a campaign whose facts are served, and answers that follow from what was delivered."""

import json
from collections.abc import Callable
from typing import Any

from tests.support.homes import Home
from tests.synthesis.campaigns import CAMPAIGN, SUBJECTS, BySubject, about, notes
from tests.synthesis.working import NOTHING
from thermite_pipelines.control.commands import ensure_control_key
from thermite_pipelines.synthesis import opening

Document = dict[str, Any]
Send = Callable[..., Document]
"""Calls `review` in some way, with these arguments."""


def campaign(home: Home, monkeypatch: Any, *texts: str) -> None:
    """Facts of a campaign; near to each other are those on the same subject."""
    ensure_control_key(home.settings)
    monkeypatch.setattr(opening, "embedder_of", lambda *_: BySubject())
    notes(home, *(texts or [about(subject, place) for subject in SUBJECTS[:3] for place in range(4)]))


def long_notes(number: int) -> list[str]:
    """Notes on subjects of their own, so one item has them all, on several pages."""
    return [
        f"Machine {place} was looked at. {f'Its log says {place} once more. ' * 60}"[:1_900] for place in range(number)
    ]


def answer_to(step: str, facts: list[Document]) -> str:
    """An answer that follows from the facts of an item alone: one synthesis of all of them."""
    paths = [fact["path"] for fact in facts]
    if step != "distill" or len(paths) < 2:
        return NOTHING[step]
    subjects = [subject for subject in SUBJECTS if any(subject in json.dumps(fact) for fact in facts)]
    title = f"About the {' and the '.join(subjects)}: {len(paths)} facts from {min(paths)[-6:]} on"
    return json.dumps({"synthesize": [{"title": title, "body": "What they say together", "refs": paths}]})


def pages(send: Send, result: Document) -> list[Document]:
    """All pages of the item that was handed out."""
    found = [result]
    while found[-1]["item"].get("more_available"):
        number = found[-1]["item"]["page"] + 1
        found.append(send(session_id=result["session_id"], item_id=result["item"]["id"], page=number))
    return found


def answer(send: Send, result: Document, say: Callable[[str, list[Document]], str] = answer_to) -> Document:
    """Read an item whole, and answer it; what comes next."""
    read = pages(send, result)
    facts = [fact for page in read for fact in page["item"].get("facts", [])]
    more = {name: value for name, value in read[-1]["item"].items() if name == "completion_token"}
    item = result["item"]
    response = say(item["type"], facts)
    return send(session_id=result["session_id"], item_id=item["id"], response=response, **more)


def walk(send: Send, say: Callable[[str, list[Document]], str] = answer_to) -> list[Document]:
    """A session from its start to its end; all results, the last one says `done`."""
    results = [send(campaign=CAMPAIGN)]
    while "item" in results[-1]:
        results.append(answer(send, results[-1], say))
    return results
