"""Draining: the items of a part of a session's queue, handed to an answerer one after the other until none is left.

An item without an answer that counts is told of, left for the next run, and holds up none of the others. Where the
model can't be had, or its budget is spent, the rest is left as it is; what was answered counts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from thermite_pipelines.llm.errors import BudgetReached, ModelError, OutOfTime, Unavailable
from thermite_pipelines.synthesis.answerer import Answerer
from thermite_pipelines.synthesis.queue import Turn, WorkQueue
from thermite_pipelines.synthesis.work import By, Item, Lane, NotCurrent, Part, Refused, Session

Progress = Callable[[int, int], None]
"""Items that are answered, and all there are so far."""

AHEAD = 16
"""Items that an answerer is told of before their turn comes."""
GIVE_UP_AFTER = 3
"""Items in a row that found no model: then it is gone, and the rest is not asked about."""


@dataclass(frozen=True)
class Failure:
    """An item without an answer that counts, and why; `is_given_up`: it won't be asked about again."""

    item: int
    key: str
    reason: str
    is_given_up: bool = False


@dataclass(frozen=True)
class Drained:
    """What draining did. `stopped` says why the rest was left, if it was; `is_done`: the session is completed."""

    session: Session
    answered: int = 0
    failures: tuple[Failure, ...] = ()
    warnings: tuple[str, ...] = ()
    stopped: str | None = None
    is_done: bool = False

    def __add__(self, later: "Drained") -> "Drained":
        return Drained(
            later.session,
            self.answered + later.answered,
            (*self.failures, *later.failures),
            (*self.warnings, *later.warnings),
            later.stopped or self.stopped,
            later.is_done,
        )

    @property
    def skipped(self) -> frozenset[int]:
        """The items that failed: they are not asked about again in the same run."""
        return frozenset(failure.item for failure in self.failures)


def drain(
    queue: WorkQueue,
    turn: Turn,
    lane: Lane | None,
    answerer: Answerer,
    *,
    skipped: frozenset[int] = frozenset(),
    progress: Progress | None = None,
) -> Drained:
    """Answer the items of a lane, or of the whole queue, from a turn of that part on.

    Raises `ThermiteError` where somebody else abandoned the session meanwhile.
    """
    draining = _Draining(queue, turn, lane, answerer, skipped, progress)
    for _ in draining.steps():
        pass
    return draining.done()


class _Draining:
    def __init__(
        self,
        queue: WorkQueue,
        turn: Turn,
        lane: Lane | None,
        answerer: Answerer,
        skipped: frozenset[int],
        progress: Progress | None,
    ) -> None:
        self._queue = queue
        self._turn = turn
        self._lane: Lane | None = lane
        self._answerer = answerer
        self._skipped = skipped
        self._progress = progress
        self._told: set[int] = set()
        self._answered = 0
        self._failures: list[Failure] = []
        self._warnings = list(turn.warnings)
        self._gone = 0
        self._stopped: str | None = None

    def steps(self) -> Iterator[None]:
        """Take one item after the other."""
        while self._turn.item is not None and self._stopped is None:
            self._tell_ahead(self._turn.item)
            self._take(self._turn.item)
            if self._progress is not None:
                progress = self._turn.progress
                self._progress(progress.completed, progress.completed + progress.remaining)
            yield

    def done(self) -> Drained:
        """What came of it."""
        return Drained(
            self._turn.session,
            self._answered,
            tuple(self._failures),
            tuple(self._warnings),
            self._stopped,
            self._turn.is_done,
        )

    @property
    def _part(self) -> Part:
        return Part(self._lane, self._skipped | {failure.item for failure in self._failures})

    def _tell_ahead(self, item: Item) -> None:
        if item.item not in self._told:
            session = self._turn.session
            items = self._queue.waiting(session.session, self._part, AHEAD)
            self._answerer.ahead(session, items)
            self._told |= {one.item for one in items}

    def _take(self, item: Item) -> None:
        session = self._turn.session
        try:
            self._turn = self._answer(session, item)
            self._answered += 1
            self._warnings += self._turn.warnings
            self._gone = 0
            return
        except NotCurrent:
            pass  # another took it
        except BudgetReached as error:
            self._stopped = error.what
            return
        except (Unavailable, OutOfTime) as error:
            self._failures.append(Failure(item.item, item.key, error.what))
            self._gone += 1
            if self._gone >= GIVE_UP_AFTER:
                self._stopped = f"{GIVE_UP_AFTER} items in a row found nobody ({error.what})"
        except (Refused, ModelError) as error:
            is_given_up = self._queue.note_failure(item, error.what)
            self._failures.append(Failure(item.item, item.key, error.what, is_given_up))
            self._gone = 0
        self._turn = self._queue.next(session.session, self._part)

    def _answer(self, session: Session, item: Item) -> Turn:
        """One answer, and where that is refused a second one to the refusal."""
        answered = self._answerer.answer(session, item)
        try:
            return self._give(session, item, answered.text, answered.by)
        except NotCurrent:
            raise
        except Refused as refused:
            answered = self._answerer.answer(session, item, str(refused))
            return self._give(session, item, answered.text, answered.by)

    def _give(self, session: Session, item: Item, text: str, by: By) -> Turn:
        return self._queue.answer(session.session, text, item.item, by=by, part=self._part, whole=True)
