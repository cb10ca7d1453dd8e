"""Answers to distill items: new facts that each cite two facts of the item, and facts that they stand for."""

from collections.abc import Iterable

from thermite_pipelines.synthesis.answers import DistillAnswer
from thermite_pipelines.synthesis.gate.reading import decode, named, refusal
from thermite_pipelines.synthesis.gate.refs import malformed
from thermite_pipelines.synthesis.gate.types import bad_type
from thermite_pipelines.synthesis.work import Item

LEAST_SOURCES = 2
"""Facts of its own item that a synthesis cites at least: one of a single fact would only say it again."""


def judge(item: Item, text: str) -> DistillAnswer:
    """Decode and check an answer. Raises `Refused`."""
    answer = decode(item, text, DistillAnswer)
    problems = [*_synthesized(item, answer), *_retracted(item, answer)]
    if problems:
        raise refusal(item, problems)
    return answer


def _synthesized(item: Item, answer: DistillAnswer) -> Iterable[str]:
    for place, fact in enumerate(answer.synthesize):
        where = f"synthesize[{place}]"
        if not fact.body.strip():
            yield f"{where}.body is empty"
        yield from bad_type(fact.type, where)
        yield from malformed(fact.refs, where)
        if len(item.names.intersection(fact.refs)) < LEAST_SOURCES:
            yield f"{where}.refs name fewer than {LEAST_SOURCES} facts of the item"


def _retracted(item: Item, answer: DistillAnswer) -> Iterable[str]:
    for path in dict.fromkeys(answer.retract):
        if path not in item.names:
            yield f"retract names {named(path)}, which is not in the item"
        elif answer.retract.count(path) > 1:
            yield f"retract names {named(path)} twice"
