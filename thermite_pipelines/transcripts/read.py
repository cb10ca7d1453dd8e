"""Opens a transcript of any tool that is known, by its content, and gives its messages one by one.

Memory is bounded whatever the file: lines past a bound are counted and not read, lists are cut, ids are kept as hashes.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.transcripts import aider, claude_code, codex, roles, specstory
from thermite_pipelines.transcripts.model import Message
from thermite_pipelines.transcripts.records import Damage, Salvaged, values_of
from thermite_pipelines.transcripts.session import LineReader, Raw, RecordReader, SessionRead, clean
from thermite_pipelines.transcripts.source import Line, Source
from thermite_pipelines.transcripts.typed import typed_spans

ASSISTANT_TEXT_LIMIT = 4_000
_MOST_LINES_BEFORE = 20_000
_MOST_BYTES_BEFORE = 32 * 2**20
"""How much of a file may come before the first line that tells its tool."""
_MOST_LINES_AFTER = 50
_MOST_BYTES_AFTER = 4 * 2**20
"""How much is looked at from there on, since that line may be a stray one of another tool."""
_LEAD = 4
"""The tool that is so many points ahead is taken at once."""
_MOST_IDS = 2_000_000
"""How many ids of messages are remembered, so that one that is recorded twice counts once."""


class _Form(NamedTuple):
    """How a tool's file is told and read. `points`: how much one of its lines tells; plain roles are in many files."""

    tool: str
    points: int
    reader: Callable[[SessionRead], RecordReader | LineReader]
    is_record: Callable[[dict[str, Any]], bool] | None = None
    is_whole: Callable[[dict[str, Any]], bool] | None = None
    is_line: Callable[[str], bool] | None = None


# In the order in which they are preferred: the most special first.
_CLAUDE = _Form(claude_code.TOOL, 2, claude_code.ClaudeCodeReader, claude_code.is_record, claude_code.is_whole)
_CODEX = _Form(codex.TOOL, 2, codex.CodexReader, codex.is_record, codex.is_whole)
_ROLES = _Form(roles.TOOL, 1, roles.RolesReader, roles.is_record, roles.is_record)
_STORY = _Form(specstory.TOOL, 2, specstory.SpecStoryReader, is_line=specstory.is_line)
_AIDER = _Form(aider.TOOL, 2, aider.AiderReader, is_line=aider.is_line)
_FORMS = (_CLAUDE, _CODEX, _STORY, _AIDER, _ROLES)


class Transcript:
    """A session of a tool: iterate once for its messages, in order; the attributes are right for what was read so far.

    `session` is the tool's id of it, else the file's name without endings. `started_at` is the time the tool gives,
    `first_dated_at` that of the first message with one (microseconds). `skipped` lists lines that were not taken as
    `(line, reason)`, at most 1,000; `skipped_counts` counts all by reason. `content_sha256` is the hash of the
    unpacked bytes, whole after the last message.
    """

    def __init__(self, source: Source, *, tool_text_limit: int, assistant_text_limit: int) -> None:
        self._source = source
        self._limits = {"tool": tool_text_limit, "assistant": assistant_text_limit}
        self._lines = source.lines()
        self._seen: dict[int, int] = {}
        self.lines = self.messages = self.human = 0
        self.first_dated_at: int | None = None
        self._form = self._recognise()
        self._state = SessionRead(self._form.tool)
        self._messages = self._iterate()

    @property
    def tool(self) -> str:
        """The tool that wrote the file."""
        return self._state.tool

    @property
    def session(self) -> str:
        """The tool's own id of the session, else the file's name without endings."""
        return self._state.session or self._source.stem or "unnamed"

    @property
    def started_at(self) -> int | None:
        """When the session began, as the tool says it."""
        return self._state.started_at

    @property
    def skipped(self) -> list[tuple[int, str]]:
        """Lines that were not taken, with the reason."""
        return self._state.skipped

    @property
    def skipped_counts(self) -> Counter[str]:
        """How many lines were not taken, by reason."""
        return self._state.skipped_counts

    @property
    def content_sha256(self) -> str:
        """The hash of the unpacked bytes that were read so far."""
        return self._source.content_sha256

    def __iter__(self) -> Iterator[Message]:
        return self._messages

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; the end of the messages does so too."""
        self._source.close()

    def _recognise(self) -> _Form:
        before: list[Line] = []
        points: Counter[_Form] = Counter()
        size = lines_left = bytes_left = 0
        for line in self._lines:
            before.append(line)
            size += len(line.data) + 100
            form = _form_of(line)
            if form is not None:
                if not points:
                    lines_left, bytes_left = len(before) + _MOST_LINES_AFTER, size + _MOST_BYTES_AFTER
                points[form] += form.points
                others = max((count for one, count in points.items() if one is not form), default=0)
                if form is not _ROLES and points[form] >= others + _LEAD:
                    break
            if points and (len(before) >= lines_left or size >= bytes_left):
                break
            if len(before) >= _MOST_LINES_BEFORE or size > _MOST_BYTES_BEFORE:
                break
        if not points:
            raise ThermiteError("no transcript that is known", where=self._source.name)
        self._lines = chain(before, self._lines)
        return max(_FORMS, key=lambda form: points[form])

    def _iterate(self) -> Iterator[Message]:
        try:
            for raw in self._raws():
                message = self._message(raw)
                if message is not None:
                    yield message
            if self._source.problem:
                self._state.skip(self.lines + 1, self._source.problem)
        finally:
            self.close()

    def _raws(self) -> Iterator[Raw]:
        reader = self._form.reader(self._state)
        by_line = self._form.is_line is not None
        for line in self._lines:
            self.lines = line.number
            if line.is_too_long:
                self._state.skip(line.number, "line-too-long")
            elif by_line:
                text = line.data.decode("utf-8", "replace").replace("\0", "").rstrip("\r")
                yield from reader.feed(line.number, text)  # type: ignore[arg-type]
            else:
                for record in self._records_of(line):
                    yield from reader.feed(line.number, record)  # type: ignore[arg-type]
        if by_line:
            yield from reader.finish()  # type: ignore[union-attr]

    def _records_of(self, line: Line) -> Iterator[dict[str, Any]]:
        data = line.data.strip()
        if not data:
            return
        if b"\0" in data:
            data = data.replace(b"\0", b"").strip()
            if not data:
                self._state.skip(line.number, "nul-bytes")
                return
        for value in values_of(data):
            if isinstance(value, dict):
                yield value
            elif isinstance(value, Salvaged):
                # In a last line that is still being written, what ends it may be a part of its record.
                if line.is_ended and self._form.is_whole is not None and self._form.is_whole(value.record):
                    yield value.record
            elif isinstance(value, Damage):
                is_torn = value is Damage.BROKEN and not line.is_ended
                self._state.skip(line.number, "torn-last-line" if is_torn else value.value)
            else:
                self._state.skip(line.number, "not-an-object", _KINDS.get(type(value)))

    def _message(self, raw: Raw) -> Message | None:
        text = clean(raw.text)
        role = raw.role
        if role == "human" and not typed_spans(text):
            role = "tool"
        name = self._name(raw.message or str(self.messages), text, hash((raw.role, text)))
        if name is None:
            self._state.skip(self.lines, "duplicate")
            return None
        if role != "human":
            text = text[: self._limits[role]]
        message = Message(name, self.messages, role, text, raw.said_at)
        self.messages += 1
        self.human += role == "human"
        if self.first_dated_at is None:
            self.first_dated_at = raw.said_at
        return message

    def _name(self, told: str, text: str, content: int) -> str | None:
        """A name that no other message has, or `None` where the same message came before."""
        name = told
        for again in range(3):
            before = self._seen.get(hash(name))
            if before is None:
                break
            if before == content and told != str(self.messages):
                return None
            # What further messages of one id are called tells their text: so many of them cost no more each.
            name = f"{told}+" if not again else f"{told}+{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        else:
            name = f"{name}+{self.messages}"
        if len(self._seen) >= _MOST_IDS:
            self._seen.clear()
        self._seen[hash(name)] = content
        return name


_KINDS: dict[type, str] = {
    str: "text",
    int: "number",
    float: "number",
    list: "list",
    bool: "boolean",
    type(None): "null",
}


def _form_of(line: Line) -> _Form | None:
    """The form that a line is of, if it is one that tells."""
    data = line.data.replace(b"\0", b"").strip()
    if line.is_too_long:
        return _form_of_beginning(data)
    if data[:1] in (b"_", b"<", b"#", b">"):
        text = data.decode("utf-8", "replace")
        return next((form for form in _FORMS if form.is_line is not None and form.is_line(text)), None)
    if data[:1] != b"{":
        return None
    records = (value for value in values_of(data) if isinstance(value, dict))
    return next((form for record in records for form in _FORMS if form.is_record and form.is_record(record)), None)


def _form_of_beginning(data: bytes) -> _Form | None:
    """The form of a line that is too long, by how it begins: then the file is a transcript without it."""
    if data[:1] != b"{":
        return None
    if b'"sessionId":' in data or b'"parentUuid":' in data:
        return _CLAUDE
    return _CODEX if b'"payload":' in data and b'"type":' in data else None


def open_transcript(
    path: Path | BinaryIO, *, tool_text_limit: int = 0, assistant_text_limit: int = ASSISTANT_TEXT_LIMIT
) -> Transcript:
    """Open a transcript of Claude Code, Codex, SpecStory, aider or plain roles, also gzipped, by its content.

    The limits are in characters of one message. Raises `ThermiteError` where it is no transcript that is known, and
    `OSError`.
    """
    source = Source(path)
    try:
        return Transcript(source, tool_text_limit=tool_text_limit, assistant_text_limit=assistant_text_limit)
    except BaseException:
        source.close()
        raise
