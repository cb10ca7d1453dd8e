"""What an extraction would ask and cost, without writing anything: not even copies of transcripts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sqlalchemy import select

from thermite_pipelines.atoms.model import Answerer, Said
from thermite_pipelines.atoms.planning import Again, Asked, SaidRows, asked_before, choose, cut, plan_ranges
from thermite_pipelines.atoms.reading import unread_sessions
from thermite_pipelines.atoms.session_store import scope_of, valid_through
from thermite_pipelines.atoms.sessions import message_path
from thermite_pipelines.control.atom_models import Extraction, Session
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.tables.derived import MESSAGES


@dataclass(frozen=True)
class Cost:
    """Calls, tokens and USD of questions; `usd` is None where no price is known."""

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Cost(self.calls + other.calls, self.tokens + other.tokens, usd)


@runtime_checkable
class Estimates(Protocol):
    """An answerer that costs something and can say how much."""

    def cost(self, batches: Sequence[Sequence[Said]]) -> Cost:
        """What asking these batches would cost at most."""
        ...


@dataclass(frozen=True)
class Estimate:
    """What an extraction would ask: sessions, human messages, and the cost."""

    sessions: int
    messages: int
    cost: Cost


@dataclass(frozen=True)
class _Known:
    """A session, stored or not, with what it would cost where it had to be read to know that."""

    campaign: str
    session: str
    established_at: int
    human_messages: int
    messages: int | None = None
    cost: Cost = Cost()


def estimate(
    home: Home,
    campaigns: Sequence[str],
    answerer: Answerer,
    *,
    recent: int | None = None,
    session: str | None = None,
    again: Again = "no",
    plain: bool = False,
) -> Estimate:
    """What `extract` with the same options would ask in these campaigns together, unread sessions included.

    Raises `ThermiteError` for an unknown session.
    """
    known: dict[tuple[str, str], _Known] = {}
    for campaign in campaigns:
        for one in (*_stored(home, campaign), *_unread(home, campaign, answerer, again, plain)):
            known[campaign, one.session] = one
    sessions = messages = 0
    total = Cost()
    for one in choose(list(known.values()), recent, session):
        count, cost = one.messages, one.cost
        if count is None:
            count, cost = _asked_of(home, one, answerer, again)
        sessions += count > 0
        messages += count
        total += cost
    return Estimate(sessions, messages, total)


def _asked_of(home: Home, one: _Known, answerer: Answerer, again: Again) -> tuple[int, Cost]:
    """How many messages of a stored session would be asked about, and for how much."""
    with home.control.read() as connection:
        before = asked_before(connection, one.campaign, one.session).get(one.session, [])
    ranges = plan_ranges(one.human_messages, before, answerer, again)
    count = sum(end - first for (first, end), _ in ranges)
    if not count or not isinstance(answerer, Estimates):
        return count, Cost()
    files = LakeFiles(home.control, home.lake, scope_of(one.campaign))
    rows = files.load(message_path(one.campaign, one.session), MESSAGES)
    said = SaidRows(MESSAGES.schema.empty_table() if rows is None else rows)
    return count, answerer.cost([batch.messages for batch in cut(one.session, ranges, said, answerer)])


def _stored(home: Home, campaign: str) -> Iterator[_Known]:
    with home.control.read() as connection:
        query = select(Session.session, Session.established_at, Session.human_messages)
        for row in connection.execute(query.where(Session.campaign == campaign)):
            yield _Known(campaign, row.session, row.established_at, row.human_messages)


def _unread(home: Home, campaign: str, answerer: Answerer, again: Again, plain: bool) -> Iterator[_Known]:
    """Sessions that are new or changed, one after the other: their messages are let go of at once."""
    for read in unread_sessions(home, campaign, plain=plain):
        human = read.human_sha256
        with home.control.read() as connection:
            mine = (Extraction.campaign == campaign) & (Extraction.session == read.session)
            columns = (Extraction.first, Extraction.count, Extraction.messages_sha256)
            more = (Extraction.model, Extraction.prompt_version)
            rows = connection.execute(select(*columns, *more).where(mine).order_by(Extraction.first)).all()
        valid = valid_through([(row[0], row[1], row[2]) for row in rows], human)
        before = [Asked(row[0], row[1], row[3], row[4]) for row in rows if row[0] < valid]
        ranges = plan_ranges(len(human), before, answerer, again)
        cost = Cost()
        if ranges and isinstance(answerer, Estimates):
            batches = cut(read.session, ranges, SaidRows(read.rows), answerer)
            cost = answerer.cost([batch.messages for batch in batches])
        count = sum(end - first for (first, end), _ in ranges)
        yield _Known(campaign, read.session, read.established_at, len(human), count, cost)
