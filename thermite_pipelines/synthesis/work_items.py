"""The queue of a session: items are put in, handed out one at a time, claimed once.

Every function runs inside the caller's transaction.
"""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, case, func, insert, or_, select, update

from thermite_pipelines.control.synthesis_models import WorkItem
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.work import MAX_DEPTH, Inputs, Item, Lane, NewItem, Part, Progress
from thermite_pipelines.times import now_micros

_COLUMNS = (
    WorkItem.item,
    WorkItem.session,
    WorkItem.step_type,
    WorkItem.cluster_key,
    WorkItem.facts,
    WorkItem.inputs,
    WorkItem.priority,
    WorkItem.depth,
)


def enqueue(connection: Connection, session: str, items: Sequence[NewItem]) -> list[int]:
    """Put items into a session's queue, in their order; return their numbers.

    Raises `ThermiteError` for one that is deeper than distilling goes, so that every session ends.
    """
    now = now_micros()
    numbers = []
    for item in items:
        if not 0 <= item.depth <= MAX_DEPTH:
            raise ThermiteError(f"depth {item.depth} is not between 0 and {MAX_DEPTH}", where=item.key)
        row = {
            "session": session,
            "step_type": item.step,
            "cluster_key": item.key,
            "facts": item.facts,
            "inputs": [list(pair) for pair in item.inputs],
            "priority": item.priority,
            "depth": item.depth,
            "created_at": now,
        }
        numbers.append(connection.execute(insert(WorkItem).values(**row).returning(WorkItem.item)).scalar_one())
    return numbers


def current(connection: Connection, session: str, part: Part | None = None) -> Item | None:
    """The item to be answered now, in the whole queue or a part of it; None where all are answered.

    It is the one that was handed out and waits for its answer, else the one of the highest priority, of equal ones the
    first. So an answer is never taken for an item that joined the queue while it was thought about.
    """
    waiting = select(WorkItem.item).where(WorkItem.session == session, WorkItem.answered_at.is_(None), *_within(part))
    handed_out = case((WorkItem.served_at.is_not(None), 0), else_=1)
    # Payloads are large: of those that wait only numbers are sorted.
    first = waiting.order_by(handed_out, WorkItem.priority.desc(), WorkItem.item).limit(1).scalar_subquery()
    row = connection.execute(select(*_COLUMNS).where(WorkItem.item == first)).first()
    return None if row is None else _item(row)


def mark_served(connection: Connection, item: int) -> None:
    """Note that an item was handed out."""
    unmarked = (WorkItem.item == item, WorkItem.served_at.is_(None))
    connection.execute(update(WorkItem).where(*unmarked).values(served_at=now_micros()))


def claim(connection: Connection, item: int, response: str) -> bool:
    """Store the answer to an item; false where there is one already, or no such item. Of two at once one is true."""
    open_ = (WorkItem.item == item, WorkItem.response.is_(None))
    claimed = update(WorkItem).where(*open_).values(response=response, answered_at=now_micros())
    return len(connection.execute(claimed.returning(WorkItem.item)).all()) == 1


def response_of(connection: Connection, item: int) -> str | None:
    """The answer that counted, or None."""
    return connection.execute(select(WorkItem.response).where(WorkItem.item == item)).scalar()


def revise(connection: Connection, item: int, facts: str, inputs: Inputs) -> bool:
    """Give an item that is not answered another payload; false where it is answered. Tokens of the old one are void."""
    open_ = (WorkItem.item == item, WorkItem.response.is_(None))
    changed = update(WorkItem).where(*open_).values(facts=facts, inputs=[list(pair) for pair in inputs])
    return len(connection.execute(changed.returning(WorkItem.item)).all()) == 1


def progress(connection: Connection, session: str) -> Progress:
    """How many items of a session are answered and how many are not."""
    query = select(func.count(), func.count(WorkItem.answered_at)).where(WorkItem.session == session)
    number, answered = connection.execute(query).one()
    return Progress(answered, number - answered)


def waiting(connection: Connection, session: str, part: Part | None = None, most: int | None = None) -> list[Item]:
    """The items of a session that are not answered, in the order in which they are handed out; `most` of them."""
    query = select(*_COLUMNS).where(WorkItem.session == session, WorkItem.answered_at.is_(None), *_within(part))
    query = query.order_by(WorkItem.priority.desc(), WorkItem.item).limit(most)
    return [_item(row) for row in connection.execute(query)]


def note_failure(connection: Connection, item: int, reason: str) -> int:
    """Note that nobody found an answer that counts to an item that is open; return how often that was so."""
    open_ = (WorkItem.item == item, WorkItem.response.is_(None))
    noted = update(WorkItem).where(*open_).values(failures=WorkItem.failures + 1, failed_because=reason)
    return connection.execute(noted.returning(WorkItem.failures)).scalar() or 0


def _within(part: Part | None) -> list[ColumnElement[bool]]:
    if part is None:
        return []
    conditions = [_lane(part.lane)] if part.lane is not None else []
    if part.skipped:
        conditions.append(WorkItem.item.not_in(sorted(part.skipped)))
    return conditions


def _lane(lane: Lane) -> ColumnElement[bool]:
    if lane == "prune":
        return WorkItem.step_type == "prune"
    if lane == "raptor":
        return (WorkItem.step_type == "distill") & (WorkItem.depth > 0)
    return or_((WorkItem.step_type == "distill") & (WorkItem.depth == 0), WorkItem.step_type == "discover")


def _item(row: Sequence) -> Item:
    number, session, step, key, facts, inputs, priority, depth = row
    return Item(number, session, step, key, facts, tuple((fact, version) for fact, version in inputs), priority, depth)
