"""What an answerer gives for each kind of work item, decoded: the gate makes these, applying makes decisions of them.

Facts are named by their ids, under the key `path`. Keys that a struct does not name are ignored, so a `path` or
`topic_path` for a new fact is. Where one name is wanted in a list (`domain`, `entities`, `refs`), the gate turns a bare
string into a list of it before it converts. What hangs on an item (whether a fact is in it, how many are cited) is the
gate's to check; what hangs on the facts as they are now is checked in `applying`, before an answer is claimed.
"""

from typing import Annotated, Literal

import msgspec

Confidence = Annotated[float, msgspec.Meta(ge=0, le=1)]
Text = Annotated[str, msgspec.Meta(pattern=r"\S")]
"""A text with at least one character that is no blank."""
Names = tuple[str, ...]
Facts = Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
"""Ids of facts, at least one."""


class FactJudged(msgspec.Struct, frozen=True, kw_only=True):
    """What becomes of one fact of a prune item; `update` needs the new confidence, which others ignore."""

    path: Text
    action: Literal["keep", "retract", "update"]
    confidence: Confidence | None = None


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """The full text that takes the place of merged facts.

    A `path` that names one of the merged facts keeps that fact, under its id; any other one is ignored. Without a
    confidence it is that of the input that survives by the rule of near-duplicates.
    """

    path: str | None = None
    title: Text
    body: str
    type: Text
    domain: Names = ()
    confidence: Confidence | None = None
    entities: Names = ()
    refs: Names = ()


class Merge(msgspec.Struct, frozen=True, kw_only=True):
    """Facts that say the same, and what replaces them."""

    paths: Facts
    merged: Replacement


class PruneAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to a prune item. `decisions` may be empty, but not missing."""

    decisions: tuple[FactJudged, ...]
    merges: tuple[Merge, ...] = ()


class NewFact(msgspec.Struct, frozen=True, kw_only=True):
    """A fact of a higher order. Without a confidence it is the lowest of the facts it cites."""

    title: Text
    body: str
    type: Text = "synthesis"
    domain: Names = ()
    confidence: Confidence | None = None
    entities: Names = ()
    refs: Names = ()


class DistillAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to a distill item, at any depth. `synthesize` may be empty, but not missing."""

    synthesize: tuple[NewFact, ...]
    retract: Names = ()


class Reinforcement(msgspec.Struct, frozen=True, kw_only=True):
    """A methodology that a transition speaks for."""

    methodology_path: Text
    transition_paths: Facts
    rationale: str


class MethodologyProposed(msgspec.Struct, frozen=True, kw_only=True):
    """A new methodology, and why no methodology that was offered does."""

    title: Text
    body: Text
    transition_paths: Facts
    novelty_argument: Text
    confidence: Confidence = 0.7
    domain: Names = ()
    entities: Names = ()
    refs: Names = ()


class ReflectAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to a reflect item. Both lists may be empty, but not missing; how many proposals are taken is limited."""

    reasoning: str
    reinforce: tuple[Reinforcement, ...]
    propose: tuple[MethodologyProposed, ...]


class NewHypothesis(msgspec.Struct, frozen=True, kw_only=True):
    """A hypothesis that can be proved false. `refs` hold the synthesis and at least one of its sources."""

    title: Text
    body: Text
    prediction: Text
    falsifier: Text
    confidence: Confidence
    refs: Facts
    domain: Names = ()
    entities: Names = ()


class NewMethodology(msgspec.Struct, frozen=True, kw_only=True):
    """The way of reasoning behind a hypothesis, where it is new."""

    title: Text
    body: Text
    domain: Names = ()
    entities: Names = ()
    refs: Names = ()


class HypothesizeAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to a hypothesize item; no hypothesis is the expected outcome."""

    hypothesis: NewHypothesis | None
    methodology: NewMethodology | None = None


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """An unstated consequence (forward, a synthesis) or premise (backward, a hypothesis) of all members of an item."""

    title: Text
    body: Text
    type: str
    confidence: Confidence
    refs: Names
    domain: Names = ()
    entities: Names = ()


class DiscoverAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Answer to a discover item; the gate makes an empty one of what it can't read."""

    proposals: tuple[Proposal, ...] = ()


Answer = PruneAnswer | DistillAnswer | ReflectAnswer | HypothesizeAnswer | DiscoverAnswer
ANSWERS: dict[str, type[Answer]] = {
    "prune": PruneAnswer,
    "distill": DistillAnswer,
    "reflect": ReflectAnswer,
    "hypothesize": HypothesizeAnswer,
    "discover": DiscoverAnswer,
}
"""By the `step_type` of a work item."""
