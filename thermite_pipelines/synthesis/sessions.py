"""The sessions of control's record: opened, moved on, counted, completed, swept.

Every function runs inside the caller's transaction. Nothing of a session lives in a process: an object that answers an
item may be another than the one that served it.
"""

import logging
import uuid
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, insert, literal, select, update
from sqlalchemy.exc import SQLAlchemyError

from thermite_pipelines.control.db import chunks, insert_many, upsert
from thermite_pipelines.control.synthesis_models import SeenFact, SessionFact, SynthesisSession, Watermark, WorkItem
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis import decision_log
from thermite_pipelines.synthesis.work import BY_HAND, Counts, Phase, Request, Seen, Session, Tool
from thermite_pipelines.times import now_micros

logger = logging.getLogger(__name__)

IDLE_SECONDS = 3600
"""A session that nobody used for so long is given up; the sweep can't be switched off."""
_COLUMNS = tuple(getattr(SynthesisSession, name) for name in Session.__dataclass_fields__)


def new_id() -> str:
    """The id of a session to be opened."""
    return str(uuid.uuid4())


def open_session(connection: Connection, session: str, request: Request, base_content: str | None = None) -> None:
    """Open a session in phase `work`, abandoning any active one of the same campaign and tool."""
    now = now_micros()
    same = (SynthesisSession.campaign == request.campaign, SynthesisSession.tool == request.tool)
    older = (*same, SynthesisSession.status == "active")
    given_up = list(connection.execute(select(SynthesisSession.session).where(*older)).scalars())
    connection.execute(update(SynthesisSession).where(*older).values(status="abandoned", updated_at=now))
    _forget_seen(connection, given_up)
    connection.execute(
        insert(SynthesisSession).values(
            session=session,
            campaign=request.campaign,
            tool=request.tool,
            status="active",
            phase="work",
            effort=request.effort,
            scoped=request.scoped,
            opened_by=request.opened_by,
            base_content=base_content,
            pruned=0,
            merged=0,
            updated=0,
            synthesized=0,
            created_at=now,
            updated_at=now,
            last_used_at=now,
        )
    )


def find(connection: Connection, session: str) -> Session:
    """A session by its id. Raises `ThermiteError` where there is none, or none any more."""
    row = connection.execute(select(*_COLUMNS).where(SynthesisSession.session == session)).first()
    if row is None:
        raise ThermiteError(f"there is no session {session[:40]!r}", do="start a new one")
    return Session(*row)


def active(connection: Connection, campaign: str, tool: Tool) -> Session | None:
    """The active session of a campaign and tool."""
    same = (SynthesisSession.campaign == campaign, SynthesisSession.tool == tool)
    row = connection.execute(select(*_COLUMNS).where(*same, SynthesisSession.status == "active")).first()
    return None if row is None else Session(*row)


def require_active(session: Session) -> Session:
    """Return the session if it is active. Raises `ThermiteError` that gives its status."""
    if session.status != "active":
        raise ThermiteError(f"the session is {session.status}", where=session.session, do="start a new one")
    return session


def touch(connection: Connection, session: str) -> None:
    """Note that somebody uses the session."""
    mine = SynthesisSession.session == session
    connection.execute(update(SynthesisSession).where(mine).values(last_used_at=now_micros()))


def advance(connection: Connection, session: str, before: Phase, after: Phase) -> bool:
    """Move an active session on from one phase to another; false where it is in another phase by now."""
    mine = (
        SynthesisSession.session == session,
        SynthesisSession.phase == before,
        SynthesisSession.status == "active",
    )
    moved = update(SynthesisSession).where(*mine).values(phase=after, updated_at=now_micros())
    return len(connection.execute(moved.returning(SynthesisSession.session)).all()) == 1


def add_counts(connection: Connection, session: str, counts: Counts) -> None:
    """Add to the totals of a session, in the store: of two that add at once, none is lost."""
    if counts == Counts():
        return
    columns = SynthesisSession
    connection.execute(
        update(columns)
        .where(columns.session == session)
        .values(
            pruned=columns.pruned + counts.pruned,
            merged=columns.merged + counts.merged,
            updated=columns.updated + counts.updated,
            synthesized=columns.synthesized + counts.synthesized,
            updated_at=now_micros(),
        )
    )


def read_counts(connection: Connection, session: str) -> Counts:
    """The totals of a session. Raises `ThermiteError` where there is no such session."""
    table = SynthesisSession
    query = select(table.pruned, table.merged, table.updated, table.synthesized).where(table.session == session)
    row = connection.execute(query).first()
    if row is None:
        raise ThermiteError(f"there is no session {session[:40]!r}")
    return Counts(**row._mapping)


def see(connection: Connection, session: str, seen: Iterable[Seen]) -> None:
    """Note versions of facts that a session saw or wrote: what is noted when it completes is the watermark."""
    latest = {one.fact: one for one in seen}
    unsee(connection, session, list(latest))
    rows = [(session, *one) for one in latest.values()]
    insert_many(connection, SessionFact, ("session", *Seen._fields), rows)


def unsee(connection: Connection, session: str, facts: Sequence[str], *, but: str | None = None) -> None:
    """Take note of facts back, but not of those of one type: they live no longer, or nobody looked at them."""
    others = () if but is None else (SessionFact.type != but,)
    for some in chunks(facts):
        mine = (SessionFact.session == session, SessionFact.fact.in_(some), *others)
        connection.execute(delete(SessionFact).where(*mine))


def complete(connection: Connection, session: Session) -> bool:
    """Complete a session; false where another did. Unless it has a scope, what it saw is the tool's watermark now.

    A watermark that can't be written is logged, and the session completes: the next one sees the same facts again.
    """
    mine = (SynthesisSession.session == session.session, SynthesisSession.status == "active")
    done = update(SynthesisSession).where(*mine).values(status="completed", phase="done", updated_at=now_micros())
    if not connection.execute(done.returning(SynthesisSession.session)).all():
        return False
    if not session.scoped:
        try:
            with connection.begin_nested():
                _set_watermark(connection, session)
        except SQLAlchemyError as error:
            logger.warning("the watermark of session %s was not set: %s", session.session, type(error).__name__)
    _forget_seen(connection, [session.session])
    return True


def _set_watermark(connection: Connection, session: Session) -> None:
    """Exactly what the session saw at its start and wrote itself: what came meanwhile is the next one's to see."""
    same = (SeenFact.campaign == session.campaign, SeenFact.tool == session.tool)
    connection.execute(delete(SeenFact).where(*same))
    names = ("campaign", "tool", *Seen._fields)
    columns = (SessionFact.fact, SessionFact.version, SessionFact.type, SessionFact.confidence)
    key = (literal(session.campaign), literal(session.tool))
    mine = select(*key, *columns).where(SessionFact.session == session.session)
    connection.execute(insert(SeenFact).from_select(names, mine))
    newest = decision_log.newest(connection, session.campaign)
    planned_on = select(SynthesisSession.base_content).where(SynthesisSession.session == session.session)
    row = {
        "campaign": session.campaign,
        "tool": session.tool,
        "session": session.session,
        "decision": newest,
        "base_content": connection.execute(planned_on).scalar(),
        "set_at": now_micros(),
    }
    upsert(connection, Watermark, [row])


def has_watermark(connection: Connection, campaign: str, tool: Tool) -> bool:
    """Whether the tool ever completed a session of the campaign without a scope."""
    mark = (Watermark.campaign == campaign, Watermark.tool == tool)
    return connection.execute(select(Watermark.session).where(*mark)).first() is not None


def watermark(connection: Connection, campaign: str, tool: Tool) -> dict[str, Seen] | None:
    """What the tool has seen of a campaign, by fact; None where it never completed a session without a scope."""
    if not has_watermark(connection, campaign, tool):
        return None
    query = select(SeenFact.fact, SeenFact.version, SeenFact.type, SeenFact.confidence)
    rows = connection.execute(query.where(SeenFact.campaign == campaign, SeenFact.tool == tool))
    return {row.fact: Seen(*row) for row in rows}


def sweep(connection: Connection, idle_seconds: float | None = None) -> int:
    """Delete sessions that nobody used for an hour, with their items; return how many.

    No, zero or a negative number of seconds means the default. An active session that a materialization opened stays:
    a later one goes on with it, however long that takes. Decisions are kept whatever becomes of their session.
    """
    seconds = idle_seconds if idle_seconds and idle_seconds > 0 else IDLE_SECONDS
    idle = SynthesisSession.last_used_at < now_micros() - int(seconds * 1_000_000)
    resumed = (SynthesisSession.status == "active") & SynthesisSession.opened_by.not_in(BY_HAND)
    gone = list(connection.execute(select(SynthesisSession.session).where(idle, ~resumed)).scalars())
    _forget_seen(connection, gone)
    for some in chunks(gone):
        connection.execute(delete(WorkItem).where(WorkItem.session.in_(some)))
        connection.execute(delete(SynthesisSession).where(SynthesisSession.session.in_(some)))
    return len(gone)


def _forget_seen(connection: Connection, gone: Sequence[str]) -> None:
    for some in chunks(gone):
        connection.execute(delete(SessionFact).where(SessionFact.session.in_(some)))
