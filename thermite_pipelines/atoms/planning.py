"""What to ask about: which sessions, which of their messages, and cut into which batches.

A message with an answer is not asked about again, whoever gave it, unless somebody wants that.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pyarrow as pa
from sqlalchemy import Connection, select

from thermite_pipelines.atoms.model import Answerer, Said
from thermite_pipelines.control.atom_models import Extraction, Session
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home

Again = Literal["no", "own", "all"]
"""Whether to ask again about messages that have an answer: those that the present answerer gave, or all."""
_PART = 500
Range = tuple[int, int]


@dataclass(frozen=True)
class PlannedSession:
    """A session to ask about: ranges of its human messages, by position, each cut as given (`is_batch`) or anew."""

    session: str
    established_at: int
    human_messages: int
    ranges: tuple[tuple[Range, bool], ...]

    @property
    def messages(self) -> int:
        """How many messages are to be asked about."""
        return sum(end - first for (first, end), _ in self.ranges)


@dataclass(frozen=True)
class Plan:
    """What is to be asked, the newest sessions first, and how many sessions need nothing."""

    sessions: list[PlannedSession]
    unchanged: int

    @property
    def messages(self) -> int:
        """How many messages are to be asked about."""
        return sum(session.messages for session in self.sessions)


@dataclass(frozen=True)
class Batch:
    """Messages that are asked about at once, from a position of their session on."""

    session: str
    first: int
    messages: Sequence[Said]


@dataclass(frozen=True)
class Asked:
    """A batch that was answered before: its range, and who answered."""

    first: int
    count: int
    model: str
    prompt_version: str


def plan_extraction(
    home: Home,
    campaign: str,
    answerer: Answerer,
    *,
    recent: int | None = None,
    session: str | None = None,
    again: Again = "no",
) -> Plan:
    """What an extraction would ask: of all sessions, of the `recent` newest by time, or of one by its bare id.

    Sessions of plain folders count only where `recent` or `session` chooses. Messages with an answer are not asked
    about again, whoever gave it, unless forced. Raises `ThermiteError` for an unknown session.
    """
    with home.control.read() as connection:
        query = select(Session.session, Session.established_at, Session.human_messages)
        if recent is None and session is None:
            query = query.where(Session.plain.is_(False))
        rows = list(connection.execute(query.where(Session.campaign == campaign)))
        asked = asked_before(connection, campaign)
    chosen = choose(rows, recent, session)
    planned = []
    for row in chosen:
        before = asked.get(row.session, [])
        ranges = plan_ranges(row.human_messages, before, answerer, again)
        if ranges:
            planned.append(PlannedSession(row.session, row.established_at, row.human_messages, ranges))
    return Plan(planned, len(chosen) - len(planned))


def asked_before(connection: Connection, campaign: str, session: str | None = None) -> dict[str, list[Asked]]:
    """The batches of each session (or of one) that were answered, in order."""
    found: dict[str, list[Asked]] = {}
    query = select(
        Extraction.session,
        Extraction.first,
        Extraction.count,
        Extraction.model,
        Extraction.prompt_version,
    )
    if session is not None:
        query = query.where(Extraction.session == session)
    order = (Extraction.session, Extraction.first)
    rows: Iterable[Any] = connection.execute(query.where(Extraction.campaign == campaign).order_by(*order))
    for name, first, count, model, prompt_version in rows:
        found.setdefault(name, []).append(Asked(first, count, model, prompt_version))
    return found


def is_meant(name: str, session: str) -> bool:
    """Whether a session's name is the one given, or the bare id of several runs' sessions."""
    return session in (name, name.partition("@")[0])


def choose(rows: Sequence[Any], recent: int | None, session: str | None) -> list[Any]:
    """Rows of sessions (with `session` and `established_at`) that are meant, the newest first."""
    if session is not None:
        rows = [row for row in rows if is_meant(row.session, session)]
        if not rows:
            raise ThermiteError(
                "there is no such session", where=session, do="give the id of a session of the campaign"
            )
    newest = sorted(rows, key=lambda row: (row.established_at, row.session), reverse=True)
    return newest if recent is None else newest[:recent]


def plan_ranges(
    human_messages: int, before: Sequence[Asked], answerer: Answerer, again: Again
) -> tuple[tuple[Range, bool], ...]:
    """What to ask about.

    Again: the logged batches where this answerer gave all answers to its present prompt, so that cached ones are found.
    """
    is_own = all(one.model in answerer.models for one in before)
    anew = again == "all" or (again == "own" and is_own)
    if anew and not (is_own and all(one.prompt_version == answerer.prompt_version for one in before)):
        before = []
    found: list[tuple[Range, bool]] = []
    at = 0
    for one in before:
        if one.first > at:
            found.append(((at, one.first), False))
        if anew:
            found.append(((one.first, one.first + one.count), True))
        at = max(at, one.first + one.count)
    if human_messages > at:
        found.append(((at, human_messages), False))
    return tuple(found)


class SaidRows:
    """The messages of a session as an answerer sees them, made from the table of messages as they are asked for."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows.select(["message", "place", "text", "before_role", "before_text"])

    def __len__(self) -> int:
        return self._rows.num_rows

    def part(self, first: int, end: int) -> list[Said]:
        """Those of a range of positions; as context only what an agent wrote."""
        columns = [column.to_pylist() for column in self._rows.slice(first, end - first).columns]
        return [
            Said(message, place, text, before if role == "assistant" else None)
            for message, place, text, role, before in zip(*columns, strict=True)
        ]


def cut(session: str, ranges: Sequence[tuple[Range, bool]], messages: SaidRows, answerer: Answerer) -> Iterator[Batch]:
    """The batches of a session, in order. Answerers cut from the front, so a part at a time gives the same batches."""
    for (first, end), is_batch in ranges:
        if is_batch:
            yield Batch(session, first, messages.part(first, end))
            continue
        waiting: list[Said] = []
        reached = first
        while reached < end:
            step = min(end, reached + _PART)
            waiting += messages.part(reached, step)
            reached = step
            parts = answerer.batches(waiting)
            for part in parts if reached == end else parts[:-1]:
                yield Batch(session, first, part)
                first += len(part)
                waiting = waiting[len(part) :]
        if waiting:
            raise ThermiteError("the answerer left messages out", where=session)
