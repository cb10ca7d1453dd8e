"""Which campaigns the newest sessions are in, for commands that name no campaign."""

from collections.abc import Sequence

from sqlalchemy import Connection, select

from thermite_pipelines.atoms.planning import is_meant
from thermite_pipelines.atoms.sources import wanted_mark
from thermite_pipelines.control.atom_models import ModelCall, Proposal, SaidMark, Session, TranscriptFile
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.state import Mark, all_runs


def share_newest(home: Home, campaigns: Sequence[str], recent: int) -> dict[str, int]:
    """How many of the `recent` newest sessions of these campaigns each of them has; those without any are left out."""
    query = select(Session.campaign).where(Session.campaign.in_(campaigns))
    newest = query.order_by(Session.established_at.desc(), Session.session.desc()).limit(recent)
    shares: dict[str, int] = {}
    with home.control.read() as connection:
        for campaign in connection.execute(newest).scalars():
            shares[campaign] = shares.get(campaign, 0) + 1
    return shares


def campaigns_with(home: Home, campaigns: Sequence[str], session: str) -> list[str]:
    """The campaigns that have a session of that id. Raises `ThermiteError` where none has."""
    query = select(Session.campaign, Session.session).where(Session.campaign.in_(campaigns))
    with home.control.read() as connection:
        rows = connection.execute(query.where(Session.session.startswith(session, autoescape=True)))
        found = {row.campaign for row in rows if is_meant(row.session, session)}
    if not found:
        raise ThermiteError("there is no such session", where=session, do="look at lake/derived/sessions")
    return sorted(found)


def campaigns_with_words(connection: Connection) -> set[str]:
    """The campaigns in which anybody said or proposed anything, also where their folders are not named any more."""
    models = (Session, TranscriptFile, Proposal, SaidMark, ModelCall)
    found = {name for model in models for name in connection.execute(select(model.campaign).distinct()).scalars()}
    placed = {run.campaign for run in all_runs(connection) if wanted_mark(run) != Mark()}
    return found | {name for name in placed if name is not None}
