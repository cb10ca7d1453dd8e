"""Answers to prune items: each fact judged at most once, and merges of the item's own facts."""

from collections import Counter
from collections.abc import Iterable

from thermite_pipelines.synthesis.answers import PruneAnswer
from thermite_pipelines.synthesis.gate.reading import decode, named, refusal
from thermite_pipelines.synthesis.gate.refs import malformed
from thermite_pipelines.synthesis.gate.types import bad_type
from thermite_pipelines.synthesis.work import Item


def judge(item: Item, text: str) -> PruneAnswer:
    """Decode and check an answer. Raises `Refused`: the whole answer falls with any part of it."""
    answer = decode(item, text, PruneAnswer)
    problems = [*_decisions(item, answer), *_merges(item, answer)]
    if problems:
        raise refusal(item, problems)
    return answer


def _decisions(item: Item, answer: PruneAnswer) -> Iterable[str]:
    for place, one in enumerate(answer.decisions):
        if one.path not in item.names:
            yield f"decisions[{place}] names {named(one.path)}, which is not in the item"
        if one.action == "update" and one.confidence is None:
            yield f"decisions[{place}] updates {named(one.path)} without a confidence"
    for path in _twice(one.path for one in answer.decisions):
        yield f"decisions name {named(path)} twice"


def _merges(item: Item, answer: PruneAnswer) -> Iterable[str]:
    retracted = {one.path for one in answer.decisions if one.action == "retract"}
    for place, merge in enumerate(answer.merges):
        for path in dict.fromkeys(merge.paths):
            if path not in item.names:
                yield f"merges[{place}] names {named(path)}, which is not in the item"
            if path in retracted:
                yield f"{named(path)} is to be retracted and to be merged"
        yield from bad_type(merge.merged.type, f"merges[{place}] of {named(merge.paths[0])}")
        yield from malformed(merge.merged.refs, f"merges[{place}].merged")
    for path in _twice(path for merge in answer.merges for path in merge.paths):
        yield f"merges name {named(path)} twice"


def _twice(paths: Iterable[str]) -> list[str]:
    return [path for path, times in Counter(paths).items() if times > 1]
