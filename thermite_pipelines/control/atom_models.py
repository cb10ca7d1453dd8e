"""The tables of control's record that atoms and calls of models need. See `models` for roles and times."""

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from thermite_pipelines.control.models import Base, RowNumber, role


class SaidMark(Base):
    """How far a run's sessions and owner's messages were read into a campaign: see `Run.said_n`."""

    __tablename__ = "said_marks"
    __table_args__ = role("derived")
    campaign: Mapped[str] = mapped_column(primary_key=True)
    run_key: Mapped[int] = mapped_column(primary_key=True)
    said_n: Mapped[int]
    said_events: Mapped[int]


class TranscriptFile(Base):
    """A transcript file of another tool as it was last read for a campaign, and its copy in the lake.

    That a session of a plain folder belongs to a campaign is what a person said by `thermite atoms extract`. Where a
    file holds something else now, what its older copies told stays, under `<path>#<hash>`.
    """

    __tablename__ = "transcript_files"
    __table_args__ = (Index("transcript_files_by_session", "campaign", "session"), role("source"))
    campaign: Mapped[str] = mapped_column(primary_key=True)
    path: Mapped[str] = mapped_column(primary_key=True)  # where the tool wrote it
    session: Mapped[str]
    tool: Mapped[str]
    stat: Mapped[str]  # size, modification time and inode when it was read: the same means unchanged
    content_sha256: Mapped[str]
    kept: Mapped[str]  # path of the copy in the lake
    file_modified_at: Mapped[int]
    read_at: Mapped[int]
    plain: Mapped[bool] = mapped_column(default=False)  # found in a folder that names no campaign, and in no other


class Session(Base):
    """A session of a campaign as its messages were last read, and how far atoms were taken from it."""

    __tablename__ = "sessions"
    __table_args__ = (Index("sessions_by_run", "campaign", "run_key"), role("derived"))
    campaign: Mapped[str] = mapped_column(primary_key=True)
    session: Mapped[str] = mapped_column(primary_key=True)
    tool: Mapped[str]
    run_key: Mapped[int | None]
    rig: Mapped[str | None]
    ledger: Mapped[str | None]
    run: Mapped[str | None]
    transcript: Mapped[str | None]
    content_sha256: Mapped[str]
    established: Mapped[str]  # YYYY-MM-DD
    established_at: Mapped[int]  # the time that gave the day: the newest sessions are told by it
    dated_by: Mapped[str]
    messages: Mapped[int]
    human_messages: Mapped[int]
    skipped: Mapped[dict]  # reason -> lines
    skipped_lines: Mapped[int]
    human_sha256: Mapped[list]  # of each human message in order: what grew and what changed shows in it
    plain: Mapped[bool] = mapped_column(default=False)  # of plain folders alone: asked about where a person says so


class Extraction(Base):
    """What was taken from one batch of a session's human messages: asked once, kept, and folded from then on."""

    __tablename__ = "extractions"
    __table_args__ = role("source")
    campaign: Mapped[str] = mapped_column(primary_key=True)
    session: Mapped[str] = mapped_column(primary_key=True)
    first: Mapped[int] = mapped_column(primary_key=True)  # position of the batch's first human message, from 0
    count: Mapped[int]  # human messages in it
    messages_sha256: Mapped[str]  # of the hashes of those messages: another hash means they changed
    model: Mapped[str]
    prompt_version: Mapped[str]
    atoms: Mapped[list]
    intents: Mapped[list]
    refused: Mapped[dict]  # rule -> candidates


class Proposal(Base):
    """An atom that people proposed, or a gestalt that they had grouped."""

    __tablename__ = "proposals"
    __table_args__ = role("source")
    campaign: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(primary_key=True)  # of the normalized statement
    origin: Mapped[str]  # `proposed` or `grouped`
    atom: Mapped[dict]  # the fields of `atoms.model.Atom`, with `source`, `session` and `established`
    proposed_at: Mapped[int]


class Calibration(Base):
    """Known corrections were asked for with these weights, and whether all ranked high enough."""

    __tablename__ = "calibrations"
    __table_args__ = role("source")
    calibration: Mapped[int] = mapped_column(RowNumber, primary_key=True, autoincrement=True)
    weights_sha256: Mapped[str] = mapped_column(index=True)
    queries: Mapped[int]
    passed: Mapped[bool]
    calibrated_at: Mapped[int]


class DerivedState(Base):
    """What a derived table of a campaign holds, and the hash of what it was made from.

    `content` is a hash of the rows that readers see; `days` the days from which rows age. An empty signature: the table
    is being written, or was never.
    """

    __tablename__ = "derived_states"
    __table_args__ = role("derived")
    campaign: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    signature: Mapped[str]
    content: Mapped[str]
    rows: Mapped[int]
    days: Mapped[list]
    changed_at: Mapped[int]


class ModelCall(Base):
    """One question to a language model: what it cost and what came of it; never a text."""

    __tablename__ = "model_calls"
    __table_args__ = (Index("model_calls_by_campaign", "campaign", "call"), role("source"))
    call: Mapped[int] = mapped_column(RowNumber, primary_key=True, autoincrement=True)
    campaign: Mapped[str]
    asset: Mapped[str]
    run: Mapped[str | None]
    model: Mapped[str]
    prompt_version: Mapped[str]
    cache_key: Mapped[str | None]
    asked_at: Mapped[int]
    tokens_in: Mapped[int | None]
    tokens_out: Mapped[int | None]
    usd: Mapped[float | None]
    ms: Mapped[int]
    attempts: Mapped[int]
    cached: Mapped[bool]
    outcome: Mapped[str]
