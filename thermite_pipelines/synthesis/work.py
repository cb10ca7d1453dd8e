"""The words of sessions: what a session is, what its items hold, what an answer comes to.

Nothing here reads or writes: `sessions`, `work_items` and `decision_log` do, `queue` puts them together.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.synthesis.facts import Fact

Tool = Literal["review", "hypothesize"]
Phase = Literal["work", "reflect", "done"]
Effort = Literal["normal", "medium", "high"]
OpenedBy = Literal["asset", "mcp", "http", "cli"]
StepType = Literal["prune", "distill", "reflect", "hypothesize", "discover"]
Lane = Literal["prune", "distill", "raptor"]

TOOLS: tuple[Tool, ...] = ("review", "hypothesize")
EFFORTS: tuple[Effort, ...] = ("normal", "medium", "high")
OPENERS: tuple[OpenedBy, ...] = ("asset", "mcp", "http", "cli")
BY_HAND: tuple[OpenedBy, ...] = ("mcp", "http")
"""Who opens a session that somebody answers in his own time: materializations leave it alone."""
NEXT_PHASE: dict[Phase, Phase] = {"work": "reflect", "reflect": "done"}
MAX_DEPTH = 3
"""How deep distilling goes: an item of this depth is applied and adds nothing to the queue. Not a setting."""

Inputs = tuple[tuple[str, str], ...]
"""Facts with the versions that were seen."""


class Seen(NamedTuple):
    """A version of a fact that a session saw, with what reflect compares it by."""

    fact: str
    version: str
    type: str
    confidence: float


def seen_of(fact: Fact) -> Seen:
    """What is remembered of a fact that a session saw."""
    return Seen(fact.fact, fact.version, fact.type, fact.confidence)


@dataclass(frozen=True)
class Counts:
    """The totals of a session."""

    pruned: int = 0
    merged: int = 0
    updated: int = 0
    synthesized: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.pruned + other.pruned,
            self.merged + other.merged,
            self.updated + other.updated,
            self.synthesized + other.synthesized,
        )


@dataclass(frozen=True)
class Progress:
    """How many items of a session are answered, and how many are not."""

    completed: int
    remaining: int


@dataclass(frozen=True)
class Request:
    """What a session is opened for. With a scope (tags, entities) it looks at these alone, whatever was seen before."""

    campaign: str
    tool: Tool
    opened_by: OpenedBy
    effort: Effort = "normal"
    domains: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()

    @property
    def scoped(self) -> bool:
        """Whether a scope was given."""
        return bool(self.domains or self.entities)


def checked_request(request: Request) -> Request:
    """Return the request if its words are legal, `normal` for an empty effort. Raises `UsageError`."""
    effort: Effort = request.effort or "normal"
    for name, value, legal in (
        ("tool", request.tool, TOOLS),
        ("effort", effort, EFFORTS),
        ("opener", request.opened_by, OPENERS),
    ):
        if value not in legal:
            raise UsageError(f"{str(value)[:40]!r} is no {name}", do=f"use one of {', '.join(legal)}")
    return Request(
        request.campaign, request.tool, request.opened_by, effort, tuple(request.domains), tuple(request.entities)
    )


@dataclass(frozen=True)
class Session:
    """A session as it stands. Its totals are read on their own: a session can go on without them."""

    session: str
    campaign: str
    tool: Tool
    status: Literal["active", "completed", "abandoned"]
    phase: Phase
    effort: Effort
    scoped: bool
    opened_by: OpenedBy
    created_at: int
    last_used_at: int


@dataclass(frozen=True)
class NewItem:
    """Work to be put into a queue: `facts` is the payload as compact JSON, `inputs` the facts in it."""

    step: StepType
    key: str
    facts: str
    inputs: Inputs
    priority: float
    depth: int = 0


@dataclass(frozen=True)
class Item:
    """An item of a session's queue."""

    item: int
    session: str
    step: StepType
    key: str
    facts: str
    inputs: Inputs
    priority: float
    depth: int

    @property
    def names(self) -> frozenset[str]:
        """The facts in it."""
        return frozenset(fact for fact, _ in self.inputs)


@dataclass(frozen=True)
class Part:
    """The part of a queue that one drainer works on: a lane, without the items that failed it before.

    Prune items are the lane `prune`; `distill` holds distilling of depth 0 and discovery, `raptor` the depths below.
    """

    lane: Lane | None = None
    skipped: frozenset[int] = frozenset()


@dataclass(frozen=True)
class By:
    """Who answered: `rules`, `model` or `agent` (`engine`: nobody was asked), and what a model call is known by."""

    answered_by: str
    model: str | None = None
    prompt_version: str | None = None
    cache_key: str | None = None


ENGINE = By("engine")


class SessionTaken(ThermiteError):
    """Somebody answers a session in his own time: whoever asked gives way."""


class Refused(ThermiteError):
    """An answer was refused before it was claimed: nothing changed, and the item can still be answered."""


class NotCurrent(Refused):
    """A call names an item that is not the current one any more."""


def distill_priority(depth: int) -> float:
    """Deeper items come after those that they build on."""
    return float(-depth)


def prune_priority(size: int) -> float:
    """Larger clusters come first, and all before distilling."""
    return float(size)


def forward_priority(rank: int) -> float:
    """Discovery of consequences: after all distilling and, for the 90 best, before reflect."""
    return float(-10 - rank)


def backward_priority(rank: int) -> float:
    """Discovery of premises: after everything else."""
    return float(-100 - rank)


def hypothesize_priority(place: int, number: int) -> float:
    """The synthesis at a place (from 0) of so many: in order, and before discovery."""
    return float(number - place)


REFLECT_PRIORITY = -100.0
