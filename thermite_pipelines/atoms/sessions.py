"""A session as it is stored: what people typed, each message with its neighbours, and the hashes that tell changes.

Pure: the same messages give the same rows, whatever they were read from and in how many steps.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pyarrow as pa

from thermite_pipelines.tables.derived import MESSAGES
from thermite_pipelines.tables.parquet import arrange
from thermite_pipelines.times import to_datetime
from thermite_pipelines.transcripts.model import Message

TEXT_CHARS = 65_536
"""How much is kept of one message."""
CONTEXT_CHARS = 2_000
"""How much is kept of the messages beside it."""
ID_CHARS = 200
"""How long an id of a message may be."""
SESSION_BYTES = 64 * 2**20
"""How much is kept of one session, neighbours included, so that no file fills the memory; nobody types so much."""
TOO_LONG = "session-too-long"
SIGNED, OWNER = "session_recorded", "owner_message"
_ROWS_AT_ONCE = 1_000

DatedBy = Literal["started_at", "message", "file"]


@dataclass(frozen=True)
class Origin:
    """Where a session came from: a run of a rig's ledger, or the kept copy of a transcript, of plain folders or not."""

    tool: str
    run_key: int | None = None
    rig: str | None = None
    ledger: str | None = None
    run: str | None = None
    transcript: str | None = None
    plain: bool = False


@dataclass
class ReadSession:
    """A session that was read: its row in control's record, and the rows of its messages."""

    session: str
    origin: Origin
    content_sha256: str
    established_at: int
    dated_by: DatedBy
    messages: int
    human_sha256: list[str]
    skipped: dict[str, int]
    rows: pa.Table

    def record(self, campaign: str) -> dict[str, Any]:
        """The row of `control.atom_models.Session`."""
        return {
            "campaign": campaign,
            "session": self.session,
            **vars(self.origin),
            "content_sha256": self.content_sha256,
            "established": day_of(self.established_at),
            "established_at": self.established_at,
            "dated_by": self.dated_by,
            "messages": self.messages,
            "human_messages": len(self.human_sha256),
            "skipped": self.skipped,
            "skipped_lines": sum(self.skipped.values()),
            "human_sha256": self.human_sha256,
        }


def day_of(micros: int) -> str:
    """The UTC day of a time, `YYYY-MM-DD`."""
    return to_datetime(micros).date().isoformat()


def message_path(campaign: str, session: str) -> str:
    """Where a session's messages lie in the lake."""
    name = hashlib.sha256(session.encode()).hexdigest()[:16]
    return f"{message_folder(campaign)}/{name}.parquet"


def message_folder(campaign: str) -> str:
    """Where the messages of all sessions of a campaign lie."""
    return f"derived/messages/campaign={campaign}"


def with_session(rows: pa.Table, session: str) -> pa.Table:
    """The same messages under another name of their session."""
    place = rows.column_names.index("session")
    return rows.set_column(place, rows.schema.field("session"), pa.array([session] * rows.num_rows, pa.string()))


def batch_hash(human_sha256: Iterable[str]) -> str:
    """The hash that a batch of messages is known by."""
    return hashlib.sha256("\n".join(human_sha256).encode()).hexdigest()


def content_hash(data: Any) -> str:
    """The hash of an event's record, by its values."""
    text = json.dumps(data, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _short(name: bytes) -> str:
    """The id of a message; a very long one is cut and told apart by its hash."""
    text = name.decode()
    return text if len(text) <= ID_CHARS else f"{text[:100]}-{hashlib.sha256(name).hexdigest()}"


@dataclass
class SessionBuilder:
    """Takes messages one by one and keeps those of people, in bounded memory.

    The neighbours of a message are the nearest before and after it that a person or an agent wrote: tools don't speak.
    """

    session: str
    keep_rows: bool = True
    messages: int = 0
    human_sha256: list[str] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)
    first_said_at: int | None = None
    _rows: list[dict[str, Any]] = field(default_factory=list)
    _tables: list[pa.Table] = field(default_factory=list)
    _open: dict[str, Any] | None = None
    _before: tuple[str, str] | None = None
    _room: int = SESSION_BYTES

    def add(self, message: Message) -> None:
        """Take the next message."""
        self.messages += 1
        if message.said_at is not None and self.first_said_at is None:
            self.first_said_at = message.said_at
        if message.role == "tool" or not message.text:
            return
        cut = message.text[:TEXT_CHARS]
        text = cut.encode("utf-8", "replace").decode()  # half a surrogate pair can't be stored
        context = text[:CONTEXT_CHARS]
        if self._open is not None:
            self._open |= {"after_role": message.role, "after_text": context}
            self._use(context)
            self._close()
        if message.role == "human":
            self._take(message, text, len(message.text) > TEXT_CHARS)
        self._before = (message.role, context)

    def _take(self, message: Message, text: str, is_cut: bool) -> None:
        role, before = self._before or (None, None)
        self._use(text, before)
        if self._room < 0:
            self.skipped[TOO_LONG] = self.skipped.get(TOO_LONG, 0) + 1
            return
        name = _short(message.message.encode("utf-8", "replace"))
        told = f"{name}\n{message.place}\n{text}\n\0{before or ''}"
        self.human_sha256.append(hashlib.sha256(told.encode()).hexdigest()[:32])
        self._open = {
            "session": self.session,
            "place": message.place,
            "message": name,
            "said_at": message.said_at,
            "text": text,
            "is_cut": is_cut,
            "before_role": role,
            "before_text": before,
            "after_role": None,
            "after_text": None,
        }

    def _use(self, *texts: str | None) -> None:
        # Once there is no room nothing more is kept, however short: a session ends at one place.
        if self._room >= 0:
            self._room -= sum(len(text.encode()) for text in texts if text)

    def restore(self, rows: Iterable[Mapping[str, Any]], record: Any) -> None:
        """Go on after the messages of a stored session in which only people speak; `record` is its row in control."""
        self.human_sha256 = list(record.human_sha256)
        self.skipped = dict(record.skipped)
        self.messages = record.messages
        for row in rows:
            if self._open is not None:
                self._close()
            if self.first_said_at is None:
                self.first_said_at = row["said_at"]
            self._use(row["text"], row["before_text"], row["after_text"])
            self._open = dict(row)
            self._before = ("human", row["text"][:CONTEXT_CHARS])
        if TOO_LONG in self.skipped:
            self._room = -1  # even where the last message was too long for a rest of room

    def _close(self) -> None:
        assert self._open is not None
        if self.keep_rows:
            self._rows.append(self._open)
            if len(self._rows) >= _ROWS_AT_ONCE:
                self._pack()
        self._open = None

    def _pack(self) -> None:
        # As Arrow the same texts take a fraction of the memory.
        self._tables.append(arrange(MESSAGES, self._rows))
        self._rows = []

    def finish(
        self,
        origin: Origin,
        content_sha256: str,
        *,
        started_at: int | None = None,
        file_modified_at: int = 0,
        skipped: Mapping[str, int] | None = None,
    ) -> ReadSession:
        """The session after its last message.

        Its day is that of `started_at`, else of its first dated message, else of the file.
        """
        if self._open is not None:
            self._close()
        self._pack()
        for reason, lines in (skipped or {}).items():
            self.skipped[reason] = self.skipped.get(reason, 0) + lines
        dated_by: DatedBy = "file"
        established_at = file_modified_at
        if started_at is not None:
            dated_by, established_at = "started_at", started_at
        elif self.first_said_at is not None:
            dated_by, established_at = "message", self.first_said_at
        return ReadSession(
            session=self.session,
            origin=origin,
            content_sha256=content_sha256,
            established_at=established_at,
            dated_by=dated_by,
            messages=self.messages,
            human_sha256=self.human_sha256,
            skipped=dict(sorted(self.skipped.items())),
            rows=pa.concat_tables(self._tables),
        )
