"""Who answers work items, as those who drain a queue see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from thermite_pipelines.synthesis.work import By, Item, NewItem, Session

if TYPE_CHECKING:
    from thermite_pipelines.atoms.estimating import Cost


@dataclass(frozen=True)
class Answered:
    """An answer as JSON, as it goes to the gate, and who gave it."""

    text: str
    by: By


class Answerer(Protocol):
    """Answers items one by one, each of them whole and not page by page."""

    def ahead(self, session: Session, items: Sequence[Item]) -> None:
        """Told which items will be asked next, so that it may ask about several at once. Never raises."""
        ...

    def answer(self, session: Session, item: Item, refused: str | None = None) -> Answered:
        """The answer to an item. `refused` says why the last one was not taken.

        Raises a `ModelError` where a model gives none.
        """
        ...


@runtime_checkable
class Estimates(Protocol):
    """An answerer that can say what its answers would cost."""

    def estimate(self, campaign: str, items: Sequence[Item | NewItem]) -> "Cost":
        """What asking about these items would take at most. Asks nobody and writes nothing."""
        ...
