"""How far each campaign's atoms are: what should be, beside what is, from control's record and a look at folders.

Cheap enough for a sensor: no message is read and no file is opened.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from thermite_pipelines.atoms.session_store import ATOMS, FORMAT, MESSAGE_FILES
from thermite_pipelines.atoms.sources import FoundFile, Problem, folders_of, scan, wanted_mark
from thermite_pipelines.control.atom_models import (
    DerivedState,
    Extraction,
    Proposal,
    SaidMark,
    Session,
    TranscriptFile,
)
from thermite_pipelines.control.models import Campaign
from thermite_pipelines.knowledge.state import Mark, RunState, all_runs, keys_on_hold
from thermite_pipelines.settings import Settings


@dataclass(frozen=True)
class AtomLag:
    """What a campaign's atoms should be made from, as a short hash, and what is to be done for it.

    The hash tells of sources alone: an extraction that stops half-way leaves it as it is, though the campaign is still
    behind, so nobody who asks once a hash asks for more money than was set aside.
    """

    target: str
    unread: int  # runs and files with something new
    unasked: int  # human messages of known sessions, plain folders' apart, that nothing was taken from
    is_stale: bool  # the tables are not what control's record says
    problems: tuple[Problem, ...] = ()

    @property
    def is_behind(self) -> bool:
        """Whether there is something to read, to extract or to fold."""
        return bool(self.unread or self.unasked or self.is_stale)


def atom_targets(connection: Connection, settings: Settings) -> dict[str, AtomLag]:
    """The state of every campaign that control knows."""
    campaigns = list(connection.execute(select(Campaign.campaign).order_by(Campaign.campaign)).scalars())
    on_hold = keys_on_hold(connection)
    placed: dict[str, list[RunState]] = defaultdict(list)
    for run in all_runs(connection):
        if run.campaign is not None and run.run_key not in on_hold and wanted_mark(run) != Mark():
            placed[run.campaign].append(run)
    marks: dict[str, dict[int, Mark]] = defaultdict(dict)
    for row in connection.execute(select(SaidMark)):
        if row.run_key not in on_hold:
            marks[row.campaign][row.run_key] = Mark(row.said_n, row.said_events)
    stats: dict[str, dict[str, str]] = defaultdict(dict)
    query = select(TranscriptFile.campaign, TranscriptFile.path, TranscriptFile.stat)
    # A file that was read as one of a plain folder is to be looked at again where it lies in a campaign's now.
    for row in connection.execute(query.where(TranscriptFile.plain.is_(False))):
        stats[row.campaign][row.path] = row.stat
    proposals = _proposals(connection)
    unasked, stale = _unasked(connection), _stale(connection)
    found = {}
    for name in campaigns:
        files, problems = scan(folders_of(settings, name, plain=False))
        found[name] = AtomLag(
            target=_target(placed[name], files, proposals[name]),
            unread=_runs_behind(placed[name], marks[name])
            + sum(stats[name].get(path) != file.stat for path, file in files.items()),
            unasked=unasked.get(name, 0),
            is_stale=name in stale,
            problems=tuple(problems),
        )
    return found


NOTHING_SAID = hashlib.sha256(b"").hexdigest()[:16]
"""The target of a campaign in which nobody said anything yet."""


def _runs_behind(placed: Iterable[RunState], marks: dict[int, Mark]) -> int:
    wanted = {run.run_key: wanted_mark(run) for run in placed}
    late = sum(marks.get(key) != mark for key, mark in wanted.items())
    return late + sum(mark != Mark() for key, mark in marks.items() if key not in wanted)


def _target(placed: Iterable[RunState], files: dict[str, FoundFile], proposals: list[str]) -> str:
    lines = []
    for run in placed:
        mark = wanted_mark(run)
        lines.append(f"run {run.rig}/{run.ledger}/{run.run} {mark.n} {mark.events}")
    lines += [f"file {path} {file.stat}" for path, file in files.items()]
    lines += [f"proposal {digest}" for digest in proposals]
    return hashlib.sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]


def _proposals(connection: Connection) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for row in connection.execute(select(Proposal.campaign, Proposal.digest, Proposal.origin)):
        found[row.campaign].append(f"{row.digest} {row.origin}")
    return found


def _unasked(connection: Connection) -> dict[str, int]:
    """Human messages without an answer, by campaign; only a person asks about those of plain folders."""
    covered: Any = (
        select(Extraction.campaign, Extraction.session, func.sum(Extraction.count).label("count"))
        .group_by(Extraction.campaign, Extraction.session)
        .subquery()
    )
    left = Session.human_messages - func.coalesce(covered.c.count, 0)
    query = (
        select(Session.campaign, func.sum(left))
        .outerjoin(covered, (covered.c.campaign == Session.campaign) & (covered.c.session == Session.session))
        .where(left > 0, Session.plain.is_(False))
        .group_by(Session.campaign)
    )
    return {campaign: int(count) for campaign, count in connection.execute(query)}


def _stale(connection: Connection) -> set[str]:
    """Campaigns whose tables, or whose files of messages, are not what control's record says."""
    query = select(DerivedState.campaign, DerivedState.name, DerivedState.signature)
    rows = connection.execute(query.where(DerivedState.name.in_([ATOMS, MESSAGE_FILES])))
    wanted = {ATOMS: f"{FORMAT}:", MESSAGE_FILES: "swept"}
    return {row.campaign for row in rows if not row.signature.startswith(wanted[row.name])}
