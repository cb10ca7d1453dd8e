"""What the readers of all tools share: a session being read, times as tools write them, texts made safe."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from thermite_pipelines.times import parse_rfc3339
from thermite_pipelines.transcripts.model import Role

MOST_SKIPPED = 1_000
"""How many skipped lines are listed; all are counted."""
LONGEST_MESSAGE = 16 * 2**20
"""Characters of a message of a Markdown file that are kept."""
_LINES_AT_ONCE = 10_000
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:[.,]\d{1,9})?)?\s?(Z|[+-]\d\d:?\d\d)?", re.ASCII)
_NAME = re.compile(r"[\w.:-]{1,60}", re.ASCII)
_ID = re.compile(r"[\w.:+/=@|~-]{1,200}", re.ASCII)
_DIGITS = re.compile(r"\d{9,17}(?:\.\d{1,9})?", re.ASCII)
_FIRST_TIME, _LAST_TIME = 946_684_800_000_000, 4_102_444_800_000_000
"""From 2000 up to 2100, in microseconds: what another clock says is no time at all."""


class Raw(NamedTuple):
    """A message as a tool recorded it: what it calls human may still hold no word of a person."""

    message: str | None
    role: Role
    text: str
    said_at: int | None


@dataclass
class SessionRead:
    """What is known of a session so far."""

    tool: str
    session: str = ""
    started_at: int | None = None
    skipped: list[tuple[int, str]] = field(default_factory=list)
    skipped_counts: Counter[str] = field(default_factory=Counter)

    def skip(self, line: int, reason: str, detail: Any = None) -> None:
        """Count a line that was not taken, by reason; `detail` is shown in the list where it is a plain name."""
        self.skipped_counts[reason] += 1
        if len(self.skipped) < MOST_SKIPPED:
            told = f"{reason}: {detail}" if isinstance(detail, str) and _NAME.fullmatch(detail) else reason
            self.skipped.append((line, told))

    def name(self, told: Any) -> None:
        """Take the tool's own id of the session, if it is one and the first."""
        if not self.session and isinstance(told, str) and 0 < len(told) <= 200:
            self.session = clean(told)


class RecordReader(Protocol):
    """Reads the records of one tool, in order."""

    def feed(self, line: int, record: dict[str, Any]) -> Iterator[Raw]:
        """The messages of a record."""
        ...


class LineReader(Protocol):
    """Reads the lines of one tool's Markdown, in order."""

    def feed(self, line: int, text: str) -> Iterator[Raw]:
        """The messages that end at a line."""
        ...

    def finish(self) -> Iterator[Raw]:
        """The messages that end with the file."""
        ...


def clean(text: str) -> str:
    """The text without halves of surrogate pairs and NULs, which can't be stored everywhere."""
    return text if text.isascii() and "\0" not in text else _UNSTORABLE.sub("\ufffd", text)


def id_of(told: Any) -> str | None:
    """A tool's own id of a message, if it is one that is safe to store, to show and to name in a prompt."""
    return told if isinstance(told, str) and _ID.fullmatch(told) else None


def time_of(told: Any) -> int | None:
    """Microseconds since the epoch of a time as tools write it, else `None`; a time without offset counts as UTC.

    Numbers, also as text, are seconds, milliseconds or microseconds, by their size. A time before 2000 or after 2099
    comes from a clock that is wrong, and is none.
    """
    if isinstance(told, str):
        told = told.strip()[:60]
        if _DIGITS.fullmatch(told):
            told = float(told)
    micros = _micros_of_text(told) if isinstance(told, str) else _micros_of_number(told)
    return micros if micros is not None and _FIRST_TIME <= micros < _LAST_TIME else None


def _micros_of_text(told: str) -> int | None:
    found = _TIME.fullmatch(told)
    if found is None:
        return None
    offset = found[4] or "Z"
    offset = offset if offset == "Z" or ":" in offset else f"{offset[:3]}:{offset[3:]}"
    seconds = (found[3] or ":00").replace(",", ".")
    try:
        return parse_rfc3339(f"{found[1]}T{found[2]}{seconds}{offset}")
    except ValueError:
        return None


def _micros_of_number(told: Any) -> int | None:
    if isinstance(told, bool) or not isinstance(told, int | float) or not 1e8 <= told < 1e17:
        return None
    factor = 1_000_000 if told < 1e11 else 1_000 if told < 1e14 else 1
    return int(told * factor)


def parts_of(content: Any, kinds: tuple[str, ...]) -> list[str]:
    """The texts of a message's content: a text, or a list of texts and of blocks of the named kinds."""
    if isinstance(content, str):
        return [content] if content else []
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return []
    texts: list[str] = []
    for part in content:
        if isinstance(part, dict):
            part = part.get("text") if part.get("type") in kinds else None
        if isinstance(part, str) and part:
            texts.append(part)
    return texts


class Gathered:
    """The lines of one message of a Markdown file, up to a bound."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._lines: list[str] = []
        self._size = 0

    def add(self, line: str) -> None:
        """Take a line, if there is room."""
        if self._size <= LONGEST_MESSAGE:
            self._lines.append(line)
            self._size += len(line) + 1
            if len(self._lines) >= _LINES_AT_ONCE:  # as one text they take a fraction of the memory
                self._pieces.append("\n".join(self._lines))
                self._lines = []

    def take(self) -> str:
        """The text without blank lines around it; nothing is left."""
        text = "\n".join(self._pieces + self._lines)
        self._pieces, self._lines, self._size = [], [], 0
        return text.strip("\n").rstrip()
