"""Opens a transcript of any tool that is known, by its content, and gives its messages one by one.

Memory is bounded whatever the file: lines past a bound are counted and not read, lists are cut, ids are kept as hashes.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import msgspec

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.transcripts import aider, claude_code, codex, roles, specstory
from thermite_pipelines.transcripts.model import Message
from thermite_pipelines.transcripts.session import LineReader, Raw, RecordReader, SessionRead, clean
from thermite_pipelines.transcripts.source import Line, Source
from thermite_pipelines.transcripts.typed import typed_spans

ASSISTANT_TEXT_LIMIT = 4_000
_MOST_LINES_BEFORE = 20_000
_MOST_BYTES_BEFORE = 32 * 2**20
"""How much of a file may come before the first line that tells its tool."""
_MOST_IDS = 2_000_000
"""How many ids of messages are remembered, so that one that is recorded twice counts once."""
_DECODE = msgspec.json.Decoder().decode
_DECODER = json.JSONDecoder(strict=False)

_RECORDS: tuple[tuple[str, Callable[[dict[str, Any]], bool], Callable[[SessionRead], RecordReader]], ...] = (
    (claude_code.TOOL, claude_code.is_record, claude_code.ClaudeCodeReader),
    (codex.TOOL, codex.is_record, codex.CodexReader),
    (roles.TOOL, roles.is_record, roles.RolesReader),
)
_LINES: tuple[tuple[str, Callable[[str], bool], Callable[[SessionRead], LineReader]], ...] = (
    (specstory.TOOL, specstory.is_line, specstory.SpecStoryReader),
    (aider.TOOL, aider.is_line, aider.AiderReader),
)


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
        self._state = SessionRead("")
        self._reader: RecordReader | LineReader | None = None
        self._seen: dict[int, int] = {}
        self.lines = self.messages = self.human = 0
        self.first_dated_at: int | None = None
        self._recognise()
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

    def _recognise(self) -> None:
        before: list[Line] = []
        size = 0
        for line in self._lines:
            before.append(line)
            size += len(line.data) + 100
            if self._known(line):
                self._lines = chain(before, self._lines)
                return
            if len(before) >= _MOST_LINES_BEFORE or size > _MOST_BYTES_BEFORE:
                break
        raise ThermiteError("no transcript that is known", where=self._source.name)

    def _known(self, line: Line) -> bool:
        if line.is_too_long:
            return self._known_by_beginning(line.data)
        data = line.data.replace(b"\0", b"").strip()
        if data[:1] == b"{":
            for record in _records(data)[0]:
                for tool, is_one, reader in _RECORDS:
                    if isinstance(record, dict) and is_one(record):
                        self._state.tool = tool
                        self._reader = reader(self._state)
                        return True
        elif data[:1] in (b"_", b"<", b"#"):
            text = data.decode("utf-8", "replace")
            for tool, is_one_line, line_reader in _LINES:
                if is_one_line(text):
                    self._state.tool = tool
                    self._reader = line_reader(self._state)
                    return True
        return False

    def _known_by_beginning(self, data: bytes) -> bool:
        """Whether a line that is too long begins as a record of a tool: then the file is a transcript without it."""
        if data[:1] != b"{":
            return False
        if b'"sessionId":' in data or b'"parentUuid":' in data:
            self._state.tool, self._reader = claude_code.TOOL, claude_code.ClaudeCodeReader(self._state)
        elif b'"payload":' in data and b'"type":' in data:
            self._state.tool, self._reader = codex.TOOL, codex.CodexReader(self._state)
        else:
            return False
        return True

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
        reader = self._reader
        assert reader is not None
        by_line = hasattr(reader, "finish")
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
        records, is_whole = _records(data)
        for record in records:
            if isinstance(record, dict):
                yield record
            else:
                self._state.skip(line.number, "not-an-object", _KINDS.get(type(record)))
        if not is_whole:
            self._state.skip(line.number, "bad-json" if line.is_ended else "torn-last-line")

    def _message(self, raw: Raw) -> Message | None:
        text = clean(raw.text)
        role = raw.role
        if role == "human" and not typed_spans(text):
            role = "tool"
        name = self._name(clean(raw.message) if raw.message else str(self.messages), hash((raw.role, text)))
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

    def _name(self, name: str, content: int) -> str | None:
        """A name that no other message has, or `None` where the same message came before."""
        while (before := self._seen.get(hash(name))) is not None:
            if before == content and name != str(self.messages):
                return None
            name += "+"
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


def _records(data: bytes) -> tuple[list[Any], bool]:
    """The JSON values of a line, and whether it holds nothing else."""
    try:
        return [_DECODE(data)], True
    except (msgspec.MsgspecError, ValueError, RecursionError):
        pass
    text = data.decode("utf-8", "replace")
    records: list[Any] = []
    place = 0
    try:
        while place < len(text):
            record, place = _DECODER.raw_decode(text, place)
            records.append(record)
            while place < len(text) and text[place] in " \t\r,":
                place += 1
    except (ValueError, RecursionError):
        return records, False
    return records, True


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
