"""Plain JSON lines of `{role, content}`, as many programs write them."""

from collections.abc import Iterator
from typing import Any

from thermite_pipelines.transcripts.model import Role
from thermite_pipelines.transcripts.session import Raw, SessionRead, id_of, parts_of, time_of

TOOL = "roles"
_ROLES: dict[str, Role] = {
    "user": "human",
    "human": "human",
    "assistant": "assistant",
    "model": "assistant",
    "ai": "assistant",
    "system": "tool",
    "developer": "tool",
    "tool": "tool",
    "function": "tool",
}
_TIMES = ("timestamp", "created_at", "ts", "time", "date")


def is_record(record: dict[str, Any]) -> bool:
    """Whether a record is a message of a role."""
    role = record.get("role")
    return isinstance(role, str) and role.lower() in _ROLES and isinstance(record.get("content"), str | list)


class RolesReader:
    """Reads records in order."""

    def __init__(self, session: SessionRead) -> None:
        self._session = session

    def feed(self, line: int, record: dict[str, Any]) -> Iterator[Raw]:
        """The message of a record; what is none is counted."""
        told = record.get("role")
        role = _ROLES.get(told.lower()) if isinstance(told, str) else None
        if role is None:
            self._session.skip(line, "unknown-type", told)
            return
        content = record.get("content")
        if not isinstance(content, str | list | dict):
            self._session.skip(line, "no-content")
            return
        self._session.name(record.get("session_id") or record.get("sessionId"))
        said_at = next((at for at in (time_of(record.get(name)) for name in _TIMES) if at is not None), None)
        texts = parts_of(content, ("text", "input_text", "output_text"))
        yield Raw(id_of(record.get("id")), role, "\n\n".join(texts), said_at)
