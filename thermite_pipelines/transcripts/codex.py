"""Rollout files of Codex, in the old form (bare items) and the newer one (items in a `payload`)."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from thermite_pipelines.transcripts.model import Role
from thermite_pipelines.transcripts.session import Raw, SessionRead, parts_of, time_of
from thermite_pipelines.transcripts.typed import typed_text

TOOL = "codex"
_WRAPPERS = frozenset(
    ["session_meta", "response_item", "event_msg", "turn_context", "compacted", "inter_agent_message"]
)
_ITEMS = frozenset(
    [
        "message", "reasoning", "function_call", "function_call_output", "local_shell_call", "custom_tool_call",
        "custom_tool_call_output", "web_search_call", "tool_search_call", "tool_search_output", "ghost_snapshot",
        "image_generation_call", "compaction", "compaction_summary", "context_compaction", "other",
    ]
)  # fmt: skip
_RESULTS = frozenset(["function_call_output", "custom_tool_call_output"])
_PROGRAMS = frozenset(["exec", "mcp", "subagent", "sdk", "review"])
_PART_OF_NAME = re.compile(r"[^a-z]+")
_MOST_OPEN = 256
"""How many messages wait for their double at once."""


def is_whole(record: dict[str, Any]) -> bool:
    """Whether a record that stood behind a torn one is a line's own: items within records have no time."""
    return isinstance(record.get("timestamp"), str)


def is_record(record: dict[str, Any]) -> bool:
    """Whether a record is one of Codex."""
    kind = record.get("type")
    if isinstance(kind, str) and kind in _WRAPPERS:
        return isinstance(record.get("payload"), dict)
    if kind == "message":
        return isinstance(record.get("role"), str) and isinstance(record.get("content"), list)
    if "record_type" in record and kind is None:
        return True
    return kind is None and "instructions" in record and isinstance(record.get("id"), str) and "role" not in record


class CodexReader:
    """Reads records in order. A message that is recorded as an item and as an event counts once."""

    def __init__(self, session: SessionRead) -> None:
        self._session = session
        self._is_of_a_program = False
        self._open: dict[str, Counter[int]] = {"item": Counter(), "event": Counter()}

    def feed(self, line: int, record: dict[str, Any]) -> Iterator[Raw]:
        """The messages of a record; what is none of them is counted."""
        kind, payload = record.get("type"), record.get("payload")
        said_at = time_of(record.get("timestamp"))
        if isinstance(kind, str) and kind in _WRAPPERS:
            if not isinstance(payload, dict):
                self._session.skip(line, "no-content")
            elif kind == "session_meta":
                self._start(payload)
            elif kind == "response_item":
                yield from self._item(line, payload, said_at)
            elif kind == "event_msg":
                yield from self._event(payload, said_at)
        elif kind is None and isinstance(record.get("id"), str) and "timestamp" in record:
            self._start(record)
        elif isinstance(kind, str):
            yield from self._item(line, record, said_at)
        elif "record_type" not in record:
            self._session.skip(line, "unknown-type")

    def _start(self, meta: dict[str, Any]) -> None:
        if self._session.session:
            return  # the history of the session that this one went on from
        self._session.name(meta.get("id") or meta.get("session_id"))
        self._session.started_at = time_of(meta.get("timestamp"))
        source = meta.get("source")
        names = [source, meta.get("thread_source"), *(source if isinstance(source, dict) else ())]
        # What started the program is named by some versions only in parts of its name, as in `codex_exec`.
        names += _PART_OF_NAME.split(str(meta.get("originator")).lower())
        self._is_of_a_program = any(isinstance(name, str) and name in _PROGRAMS for name in names)

    def _item(self, line: int, item: dict[str, Any], said_at: int | None) -> Iterator[Raw]:
        kind = item.get("type")
        if kind == "message":
            role, content = item.get("role"), item.get("content")
            if role == "user":
                yield from self._once("item", "human", parts_of(content, ("input_text", "text")), said_at)
            elif role == "assistant":
                yield from self._once("item", "assistant", parts_of(content, ("output_text", "text")), said_at)
            elif isinstance(role, str):
                yield Raw(None, "tool", "\n\n".join(parts_of(content, ("input_text", "text"))), said_at)
            else:
                self._session.skip(line, "no-content")
        elif isinstance(kind, str) and kind in _RESULTS:
            output = item.get("output")
            output = output.get("content") if isinstance(output, dict) else output
            yield Raw(None, "tool", "\n\n".join(parts_of(output, ("input_text", "text"))), said_at)
        elif not isinstance(kind, str) or kind not in _ITEMS:
            self._session.skip(line, "unknown-type", kind)

    def _event(self, event: dict[str, Any], said_at: int | None) -> Iterator[Raw]:
        kind = event.get("type")
        if kind == "user_message" and event.get("kind") in (None, "plain"):
            yield from self._once("event", "human", parts_of(event.get("message"), ()), said_at)
        elif kind == "agent_message":
            yield from self._once("event", "assistant", parts_of(event.get("message"), ()), said_at)

    def _once(self, way: str, role: Role, texts: list[str], said_at: int | None) -> Iterator[Raw]:
        """The message, unless it came the other way before."""
        text = "\n\n".join(texts)
        words = typed_text(text) if role == "human" else text.strip()
        if not words:
            if text:
                yield Raw(None, "tool", text, said_at)
            return
        key = hash((role, words))
        other = self._open["event" if way == "item" else "item"]
        if other[key] > 0:
            other[key] -= 1
            return
        mine = self._open[way]
        mine[key] += 1
        while len(mine) > _MOST_OPEN:
            del mine[next(iter(mine))]
        is_typed = role != "human" or not self._is_of_a_program
        yield Raw(None, role if is_typed else "tool", text, said_at)
