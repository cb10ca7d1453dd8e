"""Work on a session: started, handed out item by item, answered, completed. Tools, HTTP and assets all come here.

A queue holds no state: everything is in control's record, so any object, in any process, may take the next step.

What an answer comes to is reckoned before it is claimed, without a transaction. Then one transaction claims the item
and writes its decisions, its totals and the items that follow: killed at any point, an answer counts whole or is asked
for again. Where other decisions of the campaign were made meanwhile, it is reckoned again.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from thermite_pipelines.control.db import Control
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis import decision_log, gate, paging, sessions, work_items
from thermite_pipelines.synthesis.answers import Answer
from thermite_pipelines.synthesis.applying.distilling import FEWEST_CITED
from thermite_pipelines.synthesis.decisions import Decision
from thermite_pipelines.synthesis.merging import HYPOTHESIS
from thermite_pipelines.synthesis.outcomes import Applier, Outcome, Plan, Planner
from thermite_pipelines.synthesis.work import (
    BY_HAND,
    ENGINE,
    NEXT_PHASE,
    By,
    Counts,
    Item,
    NewItem,
    NotCurrent,
    Part,
    Progress,
    Refused,
    Request,
    Session,
    SessionTaken,
    checked_request,
    seen_of,
)

logger = logging.getLogger(__name__)

_MOST_TRIES = 5
MOST_FAILURES = 3
"""Runs that found no answer to an item, after which it is given up."""
GIVEN_UP = "given up"
"""Begins what is stored for an item that was given up."""
_NOTHING_LEFT = '{"synthesize": []}'
"""What is stored for a distill item that others left too few facts of."""
T = TypeVar("T")


@dataclass(frozen=True)
class Turn:
    """What comes next: an item, or none. `summary` is there once a review is done.

    Neither an item nor `is_done`: what is left is in another part of the queue than was asked for.
    """

    session: Session
    item: Item | None
    progress: Progress
    is_done: bool = False
    summary: Counts | None = None
    warnings: tuple[str, ...] = ()


class WorkQueue:
    """Sessions of one record. `part` restricts a call to a lane of the queue, and is the same from call to call."""

    def __init__(self, control: Control, planner: Planner, applier: Applier) -> None:
        self._control = control
        self._planner = planner
        self._applier = applier

    def start(self, request: Request, part: Part | None = None) -> Turn:
        """Open a session and hand out its first item; an active one of the same campaign and tool is abandoned.

        Raises `UsageError` for words that are not legal, and whatever the planner raises: then nothing changed.
        """
        request = checked_request(request)
        session = sessions.new_id()

        def open_with(connection: Connection, plan: Plan) -> None:
            sessions.sweep(connection)
            sessions.open_session(connection, session, request, plan.base_content)
            sessions.see(connection, session, plan.seen)
            found = sessions.find(connection, session)
            self._write(connection, found, None, Outcome(plan.decisions, plan.counts, plan.items), ENGINE)

        self._settled(request.campaign, lambda: self._planner.plan(request), open_with)
        return self.next(session, part)

    def take_up(self, request: Request, part: Part | None = None) -> Turn:
        """Go on with the active session of the campaign and tool, or start one; with a scope always start one.

        One is started, too, for an effort other than normal that the active session doesn't have. Raises
        `SessionTaken` where somebody answers it in his own time, over MCP or HTTP, and used it within the hour.
        """
        request = checked_request(request)
        with self._control.write() as connection:
            sessions.sweep(connection)
            found = sessions.active(connection, request.campaign, request.tool)
        if found is not None and found.opened_by in BY_HAND:
            raise SessionTaken(f"session {found.session} was opened over {found.opened_by}", where=request.campaign)
        is_fitting = found is not None and not found.scoped and request.effort in ("normal", found.effort)
        if found is None or request.scoped or not is_fitting:
            return self.start(request, part)
        return self._next(found.session, part)

    def next(self, session: str, part: Part | None = None) -> Turn:
        """The item to be answered now; looking again gives the same one. Where none is left the phases move on.

        Raises `ThermiteError` for a session that does not exist or is not active.
        """
        with self._control.read() as connection:
            sessions.require_active(sessions.find(connection, session))
        return self._next(session, part)

    def _next(self, session: str, part: Part | None, warnings: tuple[str, ...] = ()) -> Turn:
        """The same for a session that was active a moment ago: another may have completed it since."""
        while True:
            with self._control.write() as connection:
                found = sessions.find(connection, session)
                if found.status == "completed":
                    break
                sessions.require_active(found)
                sessions.touch(connection, session)
                item = work_items.current(connection, session, part)
                if item is not None:
                    work_items.mark_served(connection, item.item)
                progress = work_items.progress(connection, session)
            if item is not None and item.step == "distill":
                item = self._as_now(found, item)
                if item is None:
                    continue
            if item is not None or progress.remaining or (part and part.lane):
                return Turn(found, item, progress, warnings=warnings)
            self._move_on(found)
        return self._done(found, warnings)

    def answer(
        self,
        session: str,
        response: str,
        item_id: int | None = None,
        completion_token: str | None = None,
        *,
        by: By,
        part: Part | None = None,
        whole: bool = False,
    ) -> Turn:
        """Answer the current item, and hand out the next. `whole`: the answerer had the whole item, not pages of it.

        An answer to an item that was answered a moment before changes nothing, and is no error. Raises `Refused` for
        one that names another item, comes without its token or after its facts changed, or does not pass the gate: the
        item stays open.
        """
        found, item = self._current(session, part)
        if item is None:
            return self._next(session, part)
        _check_named(item, item_id)
        if not whole:
            self._refuse_outdated(found, item)
            paging.check_token(item, completion_token)
        gated = gate.judge(item, response)

        def claim(connection: Connection, outcome: Outcome | None) -> None:
            if outcome is None or not work_items.claim(connection, item.item, gated.stored):
                return
            sessions.require_active(sessions.find(connection, session))
            self._write(connection, found, item.item, outcome, by)

        outcome = self._settled(found.campaign, lambda: self._decide(found, item, gated.answer), claim)
        turn = self._next(session, part, (*gated.warnings, *(outcome.warnings if outcome else ())))
        if whole or turn.item is None or paging.page_count(turn.item) == 1:
            return turn
        return replace(turn, item=self._as_now(turn.session, turn.item))

    def waiting(self, session: str, part: Part | None = None, most: int | None = None) -> list[Item]:
        """The items that are not answered yet, in the order in which their turn comes; `most` of them."""
        with self._control.read() as connection:
            found = sessions.find(connection, session)
            items = work_items.waiting(connection, session, part, most)
        now = (self._as_now(found, item) if item.step == "distill" else item for item in items)
        return [item for item in now if item is not None]

    def note_failure(self, item: Item, reason: str) -> bool:
        """Note that a run found no answer that counts to an item; whether it is given up now, as answered by nothing.

        An item that fails in run after run would keep its session from ever being done, and new facts from being seen.
        The facts of a prune or distill item that is given up count as not seen by the session, so the next review that
        there is cause for looks at them again. Hypotheses stay seen: reflect compares with what they were.
        """
        with self._control.write() as connection:
            if work_items.note_failure(connection, item.item, reason) < MOST_FAILURES:
                return False
            if not work_items.claim(connection, item.item, f"{GIVEN_UP}: {reason}"):
                return False
            if item.step in ("prune", "distill"):
                sessions.unsee(connection, item.session, [fact for fact, _ in item.inputs], but=HYPOTHESIS)
            return True

    def find(self, session: str) -> Session:
        """A session by its id. Raises `ThermiteError` where there is none."""
        with self._control.read() as connection:
            return sessions.find(connection, session)

    def shown(
        self, session: str, item_id: int | None = None, part: Part | None = None
    ) -> tuple[Session, Item, Progress]:
        """The current item, to fetch a page of it: nothing is answered or moved on.

        Raises `ThermiteError` where there is none, `NotCurrent` where it is not the one that is named.
        """
        found, item = self._current(session, part)
        if item is None:
            raise ThermiteError("no item waits for an answer", where=session)
        _check_named(item, item_id)
        with self._control.read() as connection:
            return found, item, work_items.progress(connection, session)

    def _current(self, session: str, part: Part | None) -> tuple[Session, Item | None]:
        with self._control.write() as connection:
            found = sessions.require_active(sessions.find(connection, session))
            sessions.touch(connection, session)
            return found, work_items.current(connection, session, part)

    def _as_now(self, session: Session, item: Item) -> Item | None:
        """An item that shows facts as they are now: what the session itself changed is not read and judged twice.

        None for a distill item of which too few facts are left to make anything of: it is answered with that.
        """
        try:
            renewed = self._renewed(session, item)
        except ThermiteError as error:
            # What came before counts: no error of what comes next may look as if it didn't.
            logger.warning("item %d is shown as it was planned: %s", item.item, type(error).__name__)
            return item
        if renewed is None or item.step != "distill" or len(renewed.inputs) >= FEWEST_CITED:
            return renewed or item
        with self._control.write() as connection:
            work_items.claim(connection, item.item, _NOTHING_LEFT)
        return None

    def _renewed(self, session: Session, item: Item) -> Item | None:
        """An item with its facts as they are now, and stored so; None where they are as shown, or where none is left to
        be judged by somebody.
        """
        renewed = self._applier.renewed(session, item)
        if renewed is None:
            return None
        payload, inputs = renewed
        if not inputs and item.step != "distill":
            return None
        with self._control.write() as connection:
            is_open = work_items.revise(connection, item.item, payload, inputs)
        return replace(item, facts=payload, inputs=inputs) if is_open else None

    def _refuse_outdated(self, session: Session, item: Item) -> None:
        """Refuse an answer to pages that say what the facts don't say any more; from then on the pages are new ones."""
        if paging.page_count(item) == 1 or (renewed := self._renewed(session, item)) is None:
            return
        pages = paging.page_count(renewed)
        raise Refused(
            f"the facts of item {item.item} changed since its pages were read",
            do=f"read all {pages} pages again, and answer with the completion_token of the last one"
            if pages > 1
            else "read its one page again, and answer it: it needs no completion_token any more",
        )

    def _decide(self, session: Session, item: Item, answer: Answer) -> Outcome | None:
        """What an answer comes to; None where another one was taken meanwhile, of which this one knows nothing."""
        try:
            return self._applier.decide(session, item, answer)
        except ThermiteError:
            with self._control.read() as connection:
                if work_items.response_of(connection, item.item) is None:
                    raise
            return None

    def _settled(self, campaign: str, reckon: Callable[[], T], write: Callable[[Connection, T], None]) -> T:
        """Reckon without a transaction, write in one; anew where decisions of the campaign came in between."""
        for _ in range(_MOST_TRIES):
            with self._control.read() as connection:
                before = decision_log.newest(connection, campaign)
            reckoned = reckon()
            with self._control.write() as connection:
                if decision_log.newest(connection, campaign) == before:
                    write(connection, reckoned)
                    return reckoned
        raise ThermiteError("other sessions keep changing the facts", where=campaign, do="try again")

    def _write(self, connection: Connection, session: Session, item: int | None, outcome: Outcome, by: By) -> None:
        decision_log.record(connection, session, item, outcome.decisions, by)
        for decision in outcome.decisions:
            _note(connection, session.session, decision)
        sessions.add_counts(connection, session.session, outcome.counts)
        work_items.enqueue(connection, session.session, outcome.items)

    def _move_on(self, session: Session) -> None:
        """Move a session without open items on by one phase, and complete it after the last; or another does."""
        if session.phase == "work":
            items = self._reflection(session)
            with self._control.write() as connection:
                if sessions.advance(connection, session.session, "work", NEXT_PHASE["work"]):
                    work_items.enqueue(connection, session.session, items)
            return
        with self._control.write() as connection:
            if session.phase == "reflect":
                sessions.advance(connection, session.session, "reflect", NEXT_PHASE["reflect"])
            sessions.complete(connection, session)

    def _reflection(self, session: Session) -> Sequence[NewItem]:
        """The item of reflect of a review that has a watermark; an error while looking is logged, and none is made."""
        with self._control.read() as connection:
            seen = session.tool == "review" and sessions.has_watermark(connection, session.campaign, session.tool)
        if not seen:
            return ()
        try:
            return self._planner.reflect(session)
        except ThermiteError as error:
            logger.warning("session %s goes on without reflect: %s", session.session, error)
            return ()

    def _done(self, session: Session, warnings: tuple[str, ...]) -> Turn:
        with self._control.read() as connection:
            progress = work_items.progress(connection, session.session)
        summary = self._summary(session.session) if session.tool == "review" else None
        return Turn(session, None, progress, is_done=True, summary=summary, warnings=warnings)

    def _summary(self, session: str) -> Counts:
        """The totals of a session; zeros, and a line in the log, where they can't be read."""
        try:
            with self._control.read() as connection:
                return sessions.read_counts(connection, session)
        except (SQLAlchemyError, ThermiteError) as error:
            logger.warning("the totals of session %s can't be read: %s", session, type(error).__name__)
            return Counts()


def _check_named(item: Item, item_id: int | None) -> None:
    """Refuse a call that names another item than the current one; one that names none means that one."""
    if item_id is not None and item_id != item.item:
        raise NotCurrent(f"item {item_id} is not the current one, item {item.item} is", do="take that one")


def _note(connection: Connection, session: str, decision: Decision) -> None:
    """Note what a decision did to the facts that the session has seen."""
    gone = {"retract": decision.inputs[:1], "merge": decision.inputs}.get(decision.verb, ())
    sessions.unsee(connection, session, [fact for fact, _ in gone])
    if (fact := decision.left_live) is not None:
        sessions.see(connection, session, [seen_of(fact)])
