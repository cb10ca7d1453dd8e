"""The tables of control's record behind help requests, learnings and briefs. See `models` for roles and times."""

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from thermite_pipelines.control.models import Base, RowNumber, role


class ChannelEvent(Base):
    """A verified event in which an agent asks for help, proposes a learning, or was given a brief.

    `at` is where it stands in the one order: its own time, raised to the largest before it in its ledger, but never
    past the time its report was accepted. `data` is what stands in the event table, redacted.
    """

    __tablename__ = "channel_events"
    __table_args__ = (Index("channel_events_by_agent", "run_key", "agent", "n"), role("derived"))
    run_key: Mapped[int] = mapped_column(primary_key=True)
    n: Mapped[int] = mapped_column(primary_key=True)
    type: Mapped[str]
    agent: Mapped[str]
    at: Mapped[int]
    occurred_at: Mapped[int]  # the event's own `at`
    accepted_number: Mapped[int]
    accepted_at: Mapped[int]
    data: Mapped[dict]


class LedgerClock(Base):
    """The largest `at` of a ledger's events so far, of all that its accepted reports hold."""

    __tablename__ = "ledger_clocks"
    __table_args__ = role("derived")
    rig: Mapped[str] = mapped_column(primary_key=True)
    ledger: Mapped[str] = mapped_column(primary_key=True)
    latest_at: Mapped[int]


class AgentFold(Base):
    """Requests, learnings and refusals of one agent in one campaign, folded, and how far: see `learnings.folding`.

    `rendered` is what they add to the help folder's files, so that writing those asks for no other agent's state.
    """

    __tablename__ = "agent_folds"
    __table_args__ = role("derived")
    campaign: Mapped[str] = mapped_column(primary_key=True)
    agent: Mapped[str] = mapped_column(primary_key=True)
    mark: Mapped[dict]  # how far; {}: events were judged anew, so the fold begins anew
    state: Mapped[dict]
    rendered: Mapped[str]


class HelpFiles(Base):
    """What the files of the home's `help` folder were last written from, and their versions then."""

    __tablename__ = "help_files"
    __table_args__ = role("derived")
    name: Mapped[str] = mapped_column(primary_key=True)
    inputs: Mapped[str]
    version: Mapped[str]


class HelpAction(Base):
    """A person answered a help request, or marked it as dealt with. It holds whatever events come later."""

    __tablename__ = "help_actions"
    __table_args__ = (Index("help_actions_by_run", "rig", "run"), role("source"))
    action: Mapped[int] = mapped_column(RowNumber, primary_key=True, autoincrement=True)
    rig: Mapped[str]
    ledger: Mapped[str]
    run: Mapped[str]
    request: Mapped[str]  # the request's key within its run: see `learnings.requests.request_key`
    reply: Mapped[str | None]  # the run that answers; null: marked only
    by: Mapped[str]
    at: Mapped[int]
    receipt_number: Mapped[int]  # the newest accepted report then


class LearningAction(Base):
    """A person kept or dropped a learning: placed after every event of a report accepted before it.

    Where the run of its first proposal is in another campaign by now, it holds for the other runs' proposals as well,
    and what was dropped stays dropped there, whoever says the same.
    """

    __tablename__ = "learning_actions"
    __table_args__ = (Index("learning_actions_by_agent", "campaign", "agent"), role("source"))
    action: Mapped[int] = mapped_column(RowNumber, primary_key=True, autoincrement=True)
    campaign: Mapped[str]
    agent: Mapped[str]
    learning: Mapped[str]  # the insight's id: that of its first proposal
    others: Mapped[list]  # of each other run that proposed it by then the first proposal's id
    text: Mapped[str]  # what it says, for where no run that proposed it is left
    verb: Mapped[str]  # keep or drop
    by: Mapped[str]
    at: Mapped[int]
    receipt_number: Mapped[int]


class BriefState(Base):
    """What a run's briefs were last made from; an empty signature: writing them began and is not done."""

    __tablename__ = "brief_states"
    __table_args__ = role("derived")
    rig: Mapped[str] = mapped_column(primary_key=True)
    run: Mapped[str] = mapped_column(primary_key=True)
    campaign: Mapped[str]
    signature: Mapped[str]
    files: Mapped[dict]  # name -> SHA-256
    written_at: Mapped[int]
