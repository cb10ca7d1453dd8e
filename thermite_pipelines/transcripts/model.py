"""What every reader of transcripts gives: messages in order, each with the one who spoke."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["human", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a session.

    `message` is the tool's own id where it has one, else the message's place as text; it is unique within its session.
    `place` counts the messages that are kept, from 0. `role` is `human` only where a person typed at least one span of
    the text (`typed.typed_spans`). `text` is the whole text as recorded of a human message, the text parts of an
    assistant's and, unless asked for, nothing of a tool's. `said_at` is in microseconds since the epoch, UTC.
    """

    message: str
    place: int
    role: Role
    text: str
    said_at: int | None
