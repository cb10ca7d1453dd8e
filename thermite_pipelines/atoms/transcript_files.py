"""One transcript file as a session, through the readers of other tools' formats."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from thermite_pipelines.atoms.sessions import CONTEXT_CHARS, Origin, ReadSession, SessionBuilder, with_session
from thermite_pipelines.atoms.sources import SUFFIXES
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.times import to_datetime
from thermite_pipelines.transcripts import aider
from thermite_pipelines.transcripts.read import Transcript, open_transcript

# Neither `:` nor `@` nor `/`: no transcript can take the name of a signed session or of an owner's messages.
_SESSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,127}", re.ASCII)


class NotATranscript(ThermiteError):
    """A file that no reader of transcripts knows."""


def session_of(told: str, stem: str) -> str:
    """The id of a session: the tool's own, else the file's name, each safe to store; the id of an id is itself.

    Where a name loses characters its hash tells it from others that lose the same.
    """
    for name in (told, stem, bare := stem.lstrip("-._")):
        if _SESSION.fullmatch(name):
            return name
    safe = re.sub(r"[^0-9A-Za-z_.-]+", "-", bare).strip("-._")[:100]
    return f"{safe or 'unnamed'}-{hashlib.sha256(stem.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _name_of(transcript: Transcript, stem: str) -> str:
    """The name of a file whose tool gives its session no id. Aider calls all its files the same: time tells them apart.

    The time is that of the first chat in it, so a file that grows keeps its name.
    """
    if transcript.tool != aider.TOOL or stem.strip(".") != aider.FILE or transcript.started_at is None:
        return stem
    return f"{aider.FILE}-{to_datetime(transcript.started_at):%Y%m%dT%H%M%S}"


class TranscriptSession:
    """A transcript that was read to its end, but for what only the file's keeper knows."""

    def __init__(self, transcript: Transcript, session: str, builder: SessionBuilder) -> None:
        self.tool = transcript.tool
        self._session = session
        self._builder = builder
        self._started_at = transcript.started_at
        self._skipped = transcript.skipped_counts

    def finish(self, kept: str, content_sha256: str, modified_at: int) -> ReadSession:
        """The session, with its kept copy, the hash of that and the file's modification time (microseconds)."""
        read = self._builder.finish(
            Origin(self.tool, transcript=kept),
            content_sha256,
            started_at=self._started_at,
            file_modified_at=modified_at,
            skipped=self._skipped,
        )
        return replace(read, session=self._session, rows=with_session(read.rows, self._session))


def is_transcript(path: Path) -> bool:
    """Whether a reader knows the file, by its beginning. Raises `OSError`."""
    try:
        open_transcript(path).close()
    except ThermiteError:
        return False
    return True


def read_transcript(path: Path, stem: str) -> TranscriptSession:
    """Read a file whole, in bounded memory; `stem` is the name of the tool's own file, which `path` may be a copy of.

    Raises `NotATranscript` and `OSError`.
    """
    try:
        transcript = open_transcript(path, assistant_text_limit=CONTEXT_CHARS)
    except ThermiteError as error:
        raise NotATranscript(error.what, where=error.where) from None
    builder = SessionBuilder("")
    with transcript:
        for message in transcript:
            builder.add(message)
    suffix = next((suffix for suffix in reversed(SUFFIXES) if path.name.lower().endswith(suffix)), "")
    own_name = path.name[: len(path.name) - len(suffix)]
    told = "" if transcript.session in (own_name, path.name) else transcript.session
    return TranscriptSession(transcript, session_of(told, _name_of(transcript, stem)), builder)
