"""The table of what agents said over the service and their rigs have not reported yet."""

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from thermite_pipelines.control.models import Base, RowNumber, role


class OutgoingEvent(Base):
    """An event that a run's rig is to carry in its next report. It is knowledge only once it came back in one.

    `data` is what the event is to hold, screened, redacted and cut. Gone from here once an accepted report holds it.
    """

    __tablename__ = "outgoing_events"
    __table_args__ = (Index("outgoing_events_by_run", "rig", "run"), role("source"))
    number: Mapped[int] = mapped_column(RowNumber, primary_key=True, autoincrement=True)
    event: Mapped[str] = mapped_column(unique=True)  # its id, and that of the record that it opens
    rig: Mapped[str]
    run: Mapped[str]
    type: Mapped[str]  # help_requested or learning_proposed
    writer: Mapped[str]
    data: Mapped[dict]
    said: Mapped[str]  # a hash of what was said: the same again is no second event
    said_at: Mapped[int]
