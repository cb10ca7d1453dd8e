"""Facts, items and answers for tests, in few words; and what an answer through applying and fold comes to."""

from typing import Any

import msgspec

from thermite_pipelines.synthesis.applying import Applied, Shown, apply_answer
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.decisions import Decision
from thermite_pipelines.synthesis.facts import Fact

CAMPAIGN = "sweep"
DISCOVERY = ("forward", "backward")


def name(number: int) -> str:
    return f"{CAMPAIGN}/{number:012x}"


def fact(number: int, said: str = "", **more: Any) -> Fact:
    """A fact with this number in its id; an observation at 0.5 of one source unless told otherwise."""
    said = said or f"Claim number {number}"
    values: dict[str, Any] = {"type": "observation", "confidence": 0.5, "title": said, "body": f"{said} holds."}
    values |= more
    if values["type"] == "synthesis":
        values.setdefault("origin", "distilled")
    return Fact(fact=name(number), **values)


def numbered(decisions: Any, first: int = 1) -> list[Decision]:
    """Decisions as they come back from the log."""
    return [msgspec.structs.replace(one, number=number) for number, one in enumerate(decisions, first)]


def shown(step: str, facts: Any, **more: Any) -> Shown:
    """The item of these facts."""
    return Shown(CAMPAIGN, step, [one.record() for one in facts], **more)


def answered(step: str, facts: Any, answer: Any, corpus: Corpus | None = None, **more: Any) -> tuple[Applied, Corpus]:
    """What an answer to an item of all these facts comes to, and the facts after it."""
    facts = list(facts)
    corpus = corpus or Corpus(facts)
    applied = apply_answer(shown(step, facts), answer, corpus, **more)
    return applied, after(corpus, applied)


def after(corpus: Corpus, applied: Applied, first: int = 1) -> Corpus:
    """The facts after an answer was applied."""
    corpus = corpus.copy()
    for decision in numbered(applied.decisions, first):
        assert corpus.apply(decision) is None
    return corpus
