"""Real campaigns for tests of the engine: rigs say notes, facts are made of them, sessions are opened on these."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.atoms.talking import a_run, opened
from tests.support.homes import Home
from tests.synthesis.likeness import THRESHOLDS, CountingEmbedder
from tests.synthesis.saying import CAMPAIGN, say_note, settle
from tests.synthesis.working import NOTHING
from thermite_pipelines.synthesis import decision_log
from thermite_pipelines.synthesis.answerer import Answered
from thermite_pipelines.synthesis.decisions import Decision
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.opening import Synthesis, open_synthesis
from thermite_pipelines.synthesis.state import read_folded
from thermite_pipelines.synthesis.work import By, Item, Request, Session

SUBJECTS = ("cache", "loader", "kernel", "tokenizer", "scheduler")
__all__ = ["CAMPAIGN", "THRESHOLDS", "Saying", "decisions", "live", "notes", "review", "synthesis"]


class BySubject(CountingEmbedder):
    """Texts that name the same subject are near to each other (about 0.8), others are not; equal texts are equal."""

    def __init__(self) -> None:
        super().__init__("by-subject", 32)

    def _vector(self, text: str) -> Any:
        vector = super()._vector(text) * 0.45
        for place, subject in enumerate(SUBJECTS):
            if subject in text:
                vector[place] += 0.9
        return vector


def notes(home: Home, *texts: str, kind: str = "observation") -> None:
    """Say notes in the campaign's one run, and make facts of them."""
    rig = home.simulators.get("rig-a") or a_run(home)
    for text in texts:
        say_note(rig, kind, text)
    settle(home)


def about(subject: str, number: int) -> str:
    """A note on a subject, not near enough to another one to be its copy."""
    return f"The {subject} shows effect number {number} under load, measured in setting {number} alone"


def synthesis(home: Home, embedder: CountingEmbedder | None = None) -> Synthesis:
    """Synthesis as a process opens it."""
    return open_synthesis(opened(home), embedder or BySubject())


def review(**more: Any) -> Request:
    values: dict[str, Any] = {"campaign": CAMPAIGN, "tool": "review", "opened_by": "asset"}
    return Request(**values | more)


def live(home: Home) -> dict[str, Fact]:
    """The campaign's facts after all decisions."""
    return read_folded(opened(home), CAMPAIGN).corpus.live()


def decisions(home: Home) -> list[Decision]:
    with home.control.read() as connection:
        return list(decision_log.read(connection, CAMPAIGN))


class Saying:
    """Answers as it is told to, by step; what it is not told about is answered by nothing."""

    def __init__(self, **says: Callable[[Item], Any]) -> None:
        self._says = says
        self.items: list[Item] = []

    def ahead(self, session: Session, items: Sequence[Item]) -> None:
        pass

    def answer(self, session: Session, item: Item, refused: str | None = None) -> Answered:
        self.items.append(item)
        say = self._says.get(item.step, None)
        text = NOTHING[item.step] if say is None else json.dumps(say(item))
        return Answered(text, By("model", "stub", f"{item.step}/1"))


def always_synthesizing(item: Item) -> dict[str, Any]:
    """One synthesis of all facts of an item."""
    names = [record["path"] for record in json.loads(item.facts)]
    if len(names) < 2:
        return {"synthesize": []}
    subjects = [subject for subject in SUBJECTS if subject in item.facts]
    title = f"About the {' and the '.join(subjects)}: item {item.key} of depth {item.depth}"
    return {"synthesize": [{"title": title, "body": f"What {len(names)} facts say together", "refs": names}]}
