"""Applying: from a validated answer and the facts as they are now to decisions.

Pure, and done before the answer is claimed: what raises leaves the item open, and nothing is lost. What an answer says
of facts that have moved on since they were shown is left out, with a warning; the next session sees them anew.
"""

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.answers import (
    Answer,
    DiscoverAnswer,
    DistillAnswer,
    HypothesizeAnswer,
    PruneAnswer,
    ReflectAnswer,
)
from thermite_pipelines.synthesis.applying.discovering import apply_discover
from thermite_pipelines.synthesis.applying.distilling import apply_distill
from thermite_pipelines.synthesis.applying.hypothesizing import apply_hypothesize
from thermite_pipelines.synthesis.applying.pruning import apply_prune
from thermite_pipelines.synthesis.applying.reflecting import apply_reflect
from thermite_pipelines.synthesis.applying.work import Applied, Limits, Nearest, Shown, nothing_near, shown_of
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.work import Refused

__all__ = [
    "Applied",
    "Limits",
    "Nearest",
    "Shown",
    "apply_answer",
    "apply_discover",
    "apply_distill",
    "apply_hypothesize",
    "apply_prune",
    "apply_reflect",
    "nothing_near",
    "shown_of",
]


def apply_answer(
    shown: Shown, answer: Answer, corpus: Corpus, *, nearest: Nearest = nothing_near, limits: Limits | None = None
) -> Applied:
    """The decisions of an answer to any kind of item; raises `Refused` where the answer can't be taken."""
    try:
        return _apply(shown, answer, corpus, nearest, limits or Limits())
    except ThermiteError as error:
        raise Refused(error.what, where=error.where, do=error.do) from error


def _apply(shown: Shown, answer: Answer, corpus: Corpus, nearest: Nearest, limits: Limits) -> Applied:
    match answer:
        case PruneAnswer():
            return apply_prune(shown, answer, corpus)
        case DistillAnswer():
            return apply_distill(shown, answer, corpus)
        case ReflectAnswer():
            return apply_reflect(shown, answer, corpus, nearest=nearest, cap=limits.methodologies)
        case HypothesizeAnswer():
            return apply_hypothesize(shown, answer, corpus, nearest=nearest)
        case DiscoverAnswer():
            return apply_discover(shown, answer, corpus, nearest=nearest, limits=limits)
