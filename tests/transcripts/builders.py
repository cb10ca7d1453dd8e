"""Small files as other tools write them, in words of our own."""

import io
import json
from typing import Any

from thermite_pipelines.transcripts.model import Message
from thermite_pipelines.transcripts.read import Transcript, open_transcript

SESSION = "5f0f2c86-2b6b-4f3e-9a51-0d6c0b7f0a01"
NOON = "2026-03-04T12:00:00.250Z"
NOON_MICROS = 1_772_625_600_250_000


def claude(kind: str, content: Any, number: int = 0, **more: Any) -> dict[str, Any]:
    """A record of Claude Code; `more` are further fields of the record."""
    message = {"role": kind, "content": content}
    base = {"type": kind, "uuid": f"u-{number}", "sessionId": SESSION, "timestamp": NOON, "message": message}
    return base | more


def codex(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    """A record of Codex in the newer form."""
    return {"timestamp": NOON, "type": kind, "payload": payload}


def codex_said(role: str, *texts: str) -> dict[str, Any]:
    """An item in which somebody speaks."""
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text} for text in texts]
    return codex("response_item", {"type": "message", "role": role, "content": content})


def lines(*records: Any) -> bytes:
    """JSON lines; a text stands as it is."""
    told = [record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records]
    return "".join(f"{line}\n" for line in told).encode()


def opened(data: bytes, **limits: int) -> tuple[Transcript, list[Message]]:
    """The transcript of a file's bytes, read to its end, and its messages."""
    transcript = open_transcript(io.BytesIO(data), **limits)
    return transcript, list(transcript)


def human(data: bytes) -> list[str]:
    """What people said in a file."""
    return [message.text for message in opened(data)[1] if message.role == "human"]
