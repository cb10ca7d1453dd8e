"""Answers to hypothesize items: nothing, as expected, or one hypothesis that can be proved false."""

import json
from collections.abc import Iterable

from thermite_pipelines.synthesis.answers import HypothesizeAnswer, NewHypothesis
from thermite_pipelines.synthesis.gate.reading import decode, named, refusal
from thermite_pipelines.synthesis.gate.refs import is_fact, malformed
from thermite_pipelines.synthesis.work import Item

# What models write where they know no answer but a key must be there.
_NO_FALSIFIER = frozenset(
    ["", "n/a", "na", "none", "nothing", "null", "unknown", "unclear", "tbd", "todo", "not applicable"]
)


def judge(item: Item, text: str) -> HypothesizeAnswer:
    """Decode and check an answer; an empty one skips, as null does. Raises `Refused`."""
    if not text.strip():
        return HypothesizeAnswer(hypothesis=None)
    answer = decode(item, text, HypothesizeAnswer)
    problems = list(_hypothesis(item, answer.hypothesis)) if answer.hypothesis else []
    if answer.methodology:
        if answer.hypothesis is None:
            problems.append("a methodology comes with a hypothesis or not at all")
        problems += malformed(answer.methodology.refs, "methodology")
    if problems:
        raise refusal(item, problems)
    return answer


def _hypothesis(item: Item, hypothesis: NewHypothesis) -> Iterable[str]:
    for name in ("prediction", "falsifier"):
        text = getattr(hypothesis, name)
        if text.strip().strip(".!?-–—").casefold() in _NO_FALSIFIER:
            yield f"hypothesis.{name} says nothing: {named(text)}"
    synthesis = json.loads(item.facts)
    sources = {ref for ref in synthesis.get("refs", ()) if is_fact(ref)}
    if synthesis["path"] not in hypothesis.refs:
        yield f"hypothesis.refs leave out the synthesis {named(synthesis['path'])}"
    if sources and sources.isdisjoint(hypothesis.refs):
        yield "hypothesis.refs name none of the synthesis's own sources"
    yield from malformed(hypothesis.refs, "hypothesis")
