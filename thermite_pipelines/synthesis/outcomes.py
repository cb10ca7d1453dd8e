"""What planning and answering come to: decisions, totals and work, written together or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from thermite_pipelines.synthesis.answers import Answer
from thermite_pipelines.synthesis.decisions import Decision
from thermite_pipelines.synthesis.work import Counts, Inputs, Item, NewItem, Request, Seen, Session


@dataclass(frozen=True)
class Outcome:
    """What an answer comes to: decisions, what they add to the totals, and the items that follow from it.

    `warnings` say what of the answer was left out, and why.
    """

    decisions: Sequence[Decision] = ()
    counts: Counts = field(default_factory=Counts)
    items: Sequence[NewItem] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """What a session begins with: its items, and the near-duplicates that were merged without asking.

    `seen` are all live facts that the tool looks at, as they were before these decisions: its watermark, once the
    session is completed. `base_content` is a hash of the base facts that it was made on.
    """

    items: Sequence[NewItem] = ()
    seen: Sequence[Seen] = ()
    decisions: Sequence[Decision] = ()
    counts: Counts = field(default_factory=Counts)
    base_content: str | None = None


class Planner(Protocol):
    """What a session begins with, and what it looks back on."""

    def plan(self, request: Request) -> Plan:
        """The items of a new session. Writes nothing; may be asked again where facts changed meanwhile."""
        ...

    def reflect(self, session: Session) -> Sequence[NewItem]:
        """The item of reflect, or none; asked once the work is done, where the tool has a watermark."""
        ...


class Applier(Protocol):
    """What an answer that passed the gate comes to."""

    def decide(self, session: Session, item: Item, answer: Answer) -> Outcome:
        """Decisions, totals and the items that follow. Writes nothing; may be called again for the same answer.

        Raises `ThermiteError` for whatever can be known to fail: the item stays open.
        """
        ...

    def renewed(self, session: Session, item: Item) -> tuple[str, Inputs] | None:
        """The payload and inputs of a prune or distill item with its facts as they are now, in their order.

        A fact that says something else has a new record, one that another took the place of is that other one, and one
        that lives no longer is left out. None where nothing that was shown changed. Writes nothing.
        """
        ...
