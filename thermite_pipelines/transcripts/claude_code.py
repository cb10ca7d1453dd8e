"""Session files of Claude Code: a JSON record a line; a person's words are in some of the type `user`."""

from collections.abc import Iterator
from typing import Any

from thermite_pipelines.transcripts.injected import is_of_a_program
from thermite_pipelines.transcripts.model import Role
from thermite_pipelines.transcripts.session import Raw, SessionRead, id_of, parts_of, time_of

TOOL = "claude-code"
_MARKS = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
_RESULTS = ("toolUseResult", "sourceToolUseID", "sourceToolAssistantUUID")
_PROGRAMS = frozenset(["sdk", "system", "hook", "agent", "auto", "suggestion"])
_PERSONS = ("external", "ant", "human", "user")
"""What `userType` says of a person's prompts: whatever else it says is a program's."""
_SILENT = frozenset(
    [
        "summary", "system", "file-history-snapshot", "queue-operation", "progress", "attachment", "custom-title",
        "ai-title", "last-prompt", "agent-name", "agent-color", "agent-setting", "tag", "mode", "permission-mode",
        "pr-link", "hook", "hook_progress", "worktree-state", "content-replacement", "task-summary", "result",
        "attribution-snapshot", "speculation-accept", "stream_event", "rate_limit_event", "started", "bridge-session",
    ]
)  # fmt: skip
"""Types that hold no message."""


def is_whole(record: dict[str, Any]) -> bool:
    """Whether a record that stood behind a torn one is a line's own: records within records name no session."""
    return isinstance(record.get("sessionId"), str)


def is_record(record: dict[str, Any]) -> bool:
    """Whether a record is one of Claude Code's."""
    kind = record.get("type")
    if kind in ("user", "assistant"):
        return isinstance(record.get("message"), dict) or isinstance(record.get("sessionId"), str)
    if kind == "summary":
        return isinstance(record.get("leafUuid"), str)
    if kind == "file-history-snapshot":
        return isinstance(record.get("snapshot"), dict)
    return isinstance(kind, str) and kind in _SILENT and isinstance(record.get("sessionId"), str)


class ClaudeCodeReader:
    """Reads records in order."""

    def __init__(self, session: SessionRead) -> None:
        self._session = session

    def feed(self, line: int, record: dict[str, Any]) -> Iterator[Raw]:
        """The messages of a record; what is none of them is counted."""
        self._session.name(record.get("sessionId"))
        kind = record.get("type")
        if kind in ("user", "assistant"):
            message = record.get("message")
            content = message.get("content") if isinstance(message, dict) else None
            if not isinstance(content, str | list | dict):
                self._session.skip(line, "no-content")
                return
            role, text = _user(record, content) if kind == "user" else _assistant(record, message, content)
            yield Raw(id_of(record.get("uuid")), role, text, time_of(record.get("timestamp")))
        elif kind == "attachment":
            yield from _queued(record)
        elif not isinstance(kind, str) or kind not in _SILENT:
            self._session.skip(line, "unknown-type", kind)


def _is_of_a_program(record: dict[str, Any]) -> bool:
    if any(record.get(mark) for mark in _MARKS) or any(record.get(mark) is not None for mark in _RESULTS):
        return True
    entry, source, origin = record.get("entrypoint"), record.get("promptSource"), record.get("origin")
    if isinstance(entry, str) and entry.startswith("sdk"):
        return True
    if isinstance(source, str) and source in _PROGRAMS:
        return True
    if record.get("userType") is not None and record["userType"] not in _PERSONS:
        return True
    kind = origin.get("kind") if isinstance(origin, dict) else origin
    return kind not in (None, "human", "user")


def _user(record: dict[str, Any], content: Any) -> tuple[Role, str]:
    texts = parts_of(content, ("text",))
    if _is_of_a_program(record):
        return "tool", "\n\n".join(texts) or _results(content)
    typed = [text for text in texts if not is_of_a_program(text)]
    if typed:
        return "human", "\n\n".join(typed)
    return "tool", "\n\n".join(texts) or _results(content)


def _results(content: Any) -> str:
    """The text of tool results."""
    parts = content if isinstance(content, list) else [content]
    results = [part.get("content") for part in parts if isinstance(part, dict) and part.get("type") == "tool_result"]
    return "\n\n".join(text for result in results for text in parts_of(result, ("text",)))


def _assistant(record: dict[str, Any], message: Any, content: Any) -> tuple[Role, str]:
    texts = parts_of(content, ("text",))
    model = message.get("model") if isinstance(message, dict) else None
    if not texts or model == "<synthetic>" or record.get("isSidechain") or record.get("isApiErrorMessage"):
        return "tool", "\n\n".join(texts)
    return "assistant", "\n\n".join(texts)


def _queued(record: dict[str, Any]) -> Iterator[Raw]:
    """What a person typed while the agent worked."""
    attachment = record.get("attachment")
    if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
        return
    if attachment.get("commandMode") not in (None, "prompt") or _is_of_a_program(
        record | {"origin": attachment.get("origin")}
    ):
        return
    text = "\n\n".join(parts_of(attachment.get("prompt"), ("text",)))
    if text:
        yield Raw(id_of(record.get("uuid")), "human", text, time_of(record.get("timestamp")))
