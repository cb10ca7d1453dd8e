"""The table of tokens: who may ask the service for what."""

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from thermite_pipelines.control.models import Base, role


class Token(Base):
    """A token of the service. The token itself is nowhere: only its hash, and how it begins.

    A revoked one stays, with the time from which it no longer counts.
    """

    __tablename__ = "tokens"
    __table_args__ = role("source")
    token: Mapped[str] = mapped_column(primary_key=True)  # its id, which is no secret
    sha256: Mapped[str] = mapped_column(unique=True)
    prefix: Mapped[str]
    role: Mapped[str]
    name: Mapped[str]  # who holds it, as the audit log says
    rig: Mapped[str | None] = mapped_column(ForeignKey("rigs.rig"))
    run: Mapped[str | None]
    writer: Mapped[str | None]  # which agent of the run, as its events name their writer
    added_at: Mapped[int]
    added_by: Mapped[str]
    revoked_at: Mapped[int | None]
