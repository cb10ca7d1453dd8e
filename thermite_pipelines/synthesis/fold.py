"""The fold: base facts and decisions, in the order of the log, to facts.

A decision applies when all facts it rests on are live and say in words what it saw; what a replay writes then stands in
`decisions`. One that doesn't apply is left out and listed with the reason; so are those that rest on what it would have
written. When base facts change, the fold is made anew: it replays what still holds.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from thermite_pipelines.synthesis.base_facts import BaseFact
from thermite_pipelines.synthesis.corpus import Corpus, Held
from thermite_pipelines.synthesis.decisions import Decision
from thermite_pipelines.synthesis.facts import Fact


@dataclass(frozen=True)
class Stale:
    """A decision that doesn't apply any more, and why."""

    decision: Decision
    why: str


@dataclass(frozen=True)
class Folded:
    """The facts after all decisions, those that applied, and those that did not."""

    corpus: Corpus
    applied: tuple[Decision, ...]
    stale: tuple[Stale, ...]


def fold(base: Iterable[Fact | BaseFact | Held], decisions: Iterable[Decision]) -> Folded:
    """Facts after decisions. Neither the order of `base` nor that of `decisions` counts: numbers tell what came first.

    A base fact may come retracted already (a refuted hypothesis). Raises `ThermiteError` where two of them have one id.
    """
    corpus = Corpus(base)
    applied, stale = [], []
    for decision in sorted(decisions, key=lambda decision: decision.number):
        why = corpus.apply(decision)
        if why is None:
            applied.append(decision)
        else:
            stale.append(Stale(decision, why))
    return Folded(corpus, tuple(applied), tuple(stale))
