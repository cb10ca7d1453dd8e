"""The rules answerer: every kind of item answered without a model and without a network.

It merges only what says the same by the sameness rule of learnings, agrees in all numbers and names, and neither denies
nor turns what the other says; it distills by extraction, in the words of the sources; it retracts, reinforces, proposes
and supposes nothing. The same facts always get the same answer, in whatever order they come.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from thermite_pipelines.learnings.sameness_index import SamenessIndex
from thermite_pipelines.synthesis.answers import (
    Answer,
    DiscoverAnswer,
    DistillAnswer,
    FactJudged,
    HypothesizeAnswer,
    Merge,
    PruneAnswer,
    ReflectAnswer,
    Replacement,
)
from thermite_pipelines.synthesis.evidence import DERIVED
from thermite_pipelines.synthesis.extraction import Record, syntheses, text_of
from thermite_pipelines.synthesis.merging import HYPOTHESIS, domains, names
from thermite_pipelines.synthesis.numbers import names_of, numbers_of
from thermite_pipelines.synthesis.wording import says_otherwise

MODEL = "rules"
PROMPT_VERSION = "rules/1"
"""A change of what the rules find is a new version."""
_METHODOLOGY = "methodology"
_Class = tuple[bool, tuple[str, ...], frozenset[str]]


def answer(step: str, records: Sequence[Record], told: Collection[str] = ()) -> Answer:
    """The answer to an item of a step that shows these records; `told` are facts that a live synthesis cites."""
    if step == "prune":
        return prune(records)
    if step == "distill":
        return distill(records, told)
    if step == "reflect":
        return ReflectAnswer(reasoning="Rules reinforce and propose nothing.", reinforce=(), propose=())
    return HypothesizeAnswer(hypothesis=None) if step == "hypothesize" else DiscoverAnswer()


def answer_text(step: str, records: Sequence[Record], told: Collection[str] = ()) -> str:
    """The same as JSON, as a model or an agent would send it."""
    return msgspec.json.encode(answer(step, records, told)).decode()


def prune(records: Sequence[Record]) -> PruneAnswer:
    """Merges of what says the same; all other facts are kept.

    Facts are compared with the best of each kind alone, never along a chain of ever less similar ones. What was derived
    is kept: it says in part what its sources say, and stands for more.
    """
    groups: list[list[Record]] = []
    alike: dict[_Class, _Heads] = {}
    for record in sorted(records, key=_rank):
        if _is_derived(record):
            groups.append([record])
            continue
        text = text_of(record)
        heads = alike.setdefault(_class_of(record, text), _Heads())
        group = heads.of(text)
        if group is None:
            group = [record]
            groups.append(group)
            # A hypothesis is confirmed by what was observed, never by another one: nothing is merged into it.
            if record["type"] != HYPOTHESIS:
                heads.add(text, group)
        else:
            group.append(record)
    kept = sorted(group[0]["path"] for group in groups if len(group) == 1)
    merged = [_merge(group) for group in groups if len(group) > 1]
    return PruneAnswer(
        decisions=tuple(FactJudged(path=path, action="keep") for path in kept),
        merges=tuple(sorted(merged, key=lambda merge: merge.paths)),
    )


def distill(records: Sequence[Record], told: Collection[str] = ()) -> DistillAnswer:
    """Syntheses of related facts. Hypotheses and methodologies are no sources, nor is what was `told` before.

    So each fact is told once, and there are ever fewer syntheses the deeper distilling goes. What was derived is told
    apart from what was not: a synthesis would else quote a fact twice, once through another.
    """
    known = {HYPOTHESIS, _METHODOLOGY}
    usable = [record for record in records if record["type"] not in known and record["path"] not in told]
    authored = [record for record in usable if not _is_derived(record)]
    derived = [record for record in usable if _is_derived(record)]
    return DistillAnswer(synthesize=(*syntheses(authored), *syntheses(derived)))


class _Heads:
    """The best facts of a class, each with those that say the same."""

    def __init__(self) -> None:
        self._index = SamenessIndex()
        self._texts: list[str] = []
        self._groups: list[list[Record]] = []

    def add(self, text: str, group: list[Record]) -> None:
        """Add one after all others, with its text."""
        self._index.add(text)
        self._texts.append(text)
        self._groups.append(group)

    def of(self, text: str) -> list[Record] | None:
        """The group of the first that says the same as a text; None where none does."""
        for number in self._index.matches(text):
            if not says_otherwise(self._texts[number], text):
                return self._groups[number]
        return None


def _rank(record: Record) -> tuple[Any, ...]:
    """The order in which facts survive; see `merging.by_rank`."""
    return record["type"] == HYPOTHESIS, -record["confidence"], -record["sources"], record["path"]


def _class_of(record: Record, text: str) -> _Class:
    """What two facts must share besides their words: all numbers and names, and whether they are ways of reasoning."""
    return record["type"] == _METHODOLOGY, numbers_of(text), names_of(text)


def _is_derived(record: Record) -> bool:
    return record.get("origin") in DERIVED


def _merge(group: Sequence[Mapping[str, Any]]) -> Merge:
    """Facts that say the same become the best of them, which stands first."""
    best = group[0]
    return Merge(
        paths=tuple(record["path"] for record in group),
        merged=Replacement(
            path=best["path"],
            title=best["title"],
            body=best["body"],
            type=best["type"],
            domain=domains(*(record["domain"] for record in group)),
            confidence=float(best["confidence"]),
            entities=names(*(record["entities"] for record in group)),
        ),
    )
