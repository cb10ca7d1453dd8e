"""A whole answer through the gate: what is kept of it, and how many candidates each rule refused."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from thermite_pipelines.atoms.model import Extracted, ExtractedIntent, Extraction, Intent, Said
from thermite_pipelines.atoms.quality import Refusal, judge, one_line
from thermite_pipelines.atoms.signals.orders import injects
from thermite_pipelines.safety.redaction import redact_text

MOST_OF_A_MESSAGE = 12
"""Atoms, and intents, that one message gives: an answerer that gives more is not reading, it is copying."""
TOO_MANY = "too-many"
LONGEST_INTENT = 300
"""Characters of an intent: one line says what is wanted."""


def judge_answer(answer: Extracted, batch: Sequence[Said]) -> Extraction:
    """The atoms and intents of an answer that pass, in the order of their messages."""
    said = {message.message: message for message in batch}
    places = {message.message: message.place for message in batch}
    extraction = Extraction()
    for candidate in answer.atoms:
        _keep(judge(candidate, said), extraction.atoms, extraction)
    for wish in answer.intents:
        _keep(judge_intent(wish, said), extraction.intents, extraction)
    extraction.atoms = _not_too_many(extraction.atoms, extraction)
    extraction.intents = _not_too_many(extraction.intents, extraction)
    extraction.atoms.sort(key=lambda atom: places[atom.message or ""])
    extraction.intents.sort(key=lambda intent: places[intent.message])
    return extraction


def _keep(judged: Any, kept: list[Any], extraction: Extraction) -> None:
    if isinstance(judged, Refusal):
        extraction.refused[judged.rule] = extraction.refused.get(judged.rule, 0) + 1
    else:
        kept.append(judged)


def _not_too_many(kept: list[Any], extraction: Extraction) -> list[Any]:
    """The first atoms or intents of each message."""
    counts: Counter[str] = Counter()
    found = []
    for one in kept:
        counts[one.message] += 1
        if counts[one.message] <= MOST_OF_A_MESSAGE:
            found.append(one)
        else:
            extraction.refused[TOO_MANY] = extraction.refused.get(TOO_MANY, 0) + 1
    return found


def judge_intent(wish: ExtractedIntent, said: dict[str, Said]) -> Intent | Refusal:
    """The intent that an answerer's candidate makes, or the rule that refuses it."""
    text = one_line(wish.text)
    if wish.message not in said:
        return Refusal("unknown-message")
    if not any(char.isalnum() for char in text):
        return Refusal("no-statement")
    if len(text) > LONGEST_INTENT:
        return Refusal("too-long")
    if injects(text):
        return Refusal("orders-reader")
    return Refusal("secret") if redact_text(text) != text else Intent(wish.message, text)
