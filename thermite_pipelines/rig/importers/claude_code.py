"""Session files of Claude Code become signed reports: an event for each session, and one again when it grew."""

import hashlib
import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

import msgspec

from thermite_pipelines import names
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.rig.files import locked
from thermite_pipelines.rig.importers.sent import MAX_EVENTS, SentLedger, import_ledger
from thermite_pipelines.rig.reports import make_event
from thermite_pipelines.times import format_rfc3339
from thermite_pipelines.transcripts.claude_code import TOOL
from thermite_pipelines.transcripts.model import Message
from thermite_pipelines.transcripts.read import Transcript, open_transcript

IMPORTER = "claude-code"
TOOL_CHARS = 2_000
ASSISTANT_CHARS = 20_000
"""Longest text of a tool and of an agent, in characters: what is past it is cut."""
SESSION_BYTES = 12 * 2**20
"""Most bytes of a session's human messages, and as many again of all others, as JSON: a report stays below 64 MiB."""
REPORT_BYTES = 8 * 2**20
"""Bytes of events past which a report takes no more sessions."""
MOST_SKIPPED = 10_000
_MESSAGE_BYTES = 80
_LAST_TIME = 253_402_300_799_000_000  # the end of the year 9999
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "claude-code.session")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


class SkippedLine(TypedDict):
    """What was not taken: the file, its line (from 1; 0 means the file or the session as a whole) and why."""

    file: str
    line: int
    reason: str


@dataclass
class SessionsImport:
    """What an import did: files put into the inbox, events in them, and what was not taken."""

    ledger: str
    reports: list[Path] = field(default_factory=list)
    events: int = 0
    skipped: list[SkippedLine] = field(default_factory=list)

    def skip(self, file: str, line: int, reason: str) -> None:
        """Name what was not taken."""
        if len(self.skipped) < MOST_SKIPPED:
            self.skipped.append({"file": file, "line": line, "reason": reason})


@dataclass(frozen=True)
class _SessionFile:
    path: Path
    shown: str
    session: str
    size: int
    modified_at: int


@dataclass
class _Session:
    """A session as an event records it."""

    data: dict[str, Any]
    at: int
    started_at: int
    size: int
    fingerprint: str


def import_sessions(
    path: Path, *, rig: str, run: str, campaign: str | None, seed: bytes, inbox_dir: Path, state_path: Path
) -> SessionsImport:
    """Import the session file at `path`, or all `*.jsonl` and `*.jsonl.gz` under it, as `run` of `rig`, to `inbox_dir`.

    The same sessions again send nothing; one that grew is recorded again with the same id. `state_path` remembers what
    was sent. Raises `UsageError` for a wrong name and `ThermiteError` where there is no session or it can't be written.
    """
    names.check_name("rig", rig)
    names.check_run(run)
    if campaign is not None:
        names.check_name("campaign", campaign)
    ledger = import_ledger(IMPORTER, rig, run)
    with locked(state_path.with_suffix(".lock"), f"the import of {run}"):
        result = SessionsImport(ledger)
        sending = _Sending(SentLedger(state_path, rig, ledger), result, run, campaign, inbox_dir, seed)
        # What an import that was killed had planned goes first, whatever the files say now.
        sending.deliver()
        for file in _chosen(path, result):
            session = _read(file, result)
            if session is not None:
                sending.add(session)
        sending.flush()
    result.skipped.sort(key=lambda entry: (entry["file"], entry["line"]))
    return result


class _Sending:
    """Puts sessions that are new or grew into reports of bounded size."""

    def __init__(
        self, sent: SentLedger, result: SessionsImport, run: str, campaign: str | None, inbox: Path, seed: bytes
    ) -> None:
        self._sent = sent
        self._result = result
        self._about = {"run": run, "campaign": campaign}
        self._inbox = inbox
        self._seed = seed
        self._newest = dict(row.split(" ", 1) for row in sent.state.rows if " " in row)
        self._waiting: list[_Session] = []
        self._size = 0

    def deliver(self) -> None:
        before = self._sent.state.n
        self._result.reports += self._sent.deliver_pending(self._inbox, self._seed)
        self._result.events += self._sent.state.n - before

    def add(self, session: _Session) -> None:
        name = session.data["session"]
        if self._newest.get(name) == session.fingerprint:
            return
        if self._size + session.size > REPORT_BYTES or len(self._waiting) >= MAX_EVENTS - 2:
            self.flush()
        self._newest[name] = session.fingerprint
        self._waiting.append(session)
        self._size += session.size

    def flush(self) -> None:
        if not self._waiting:
            return
        events: list[dict[str, Any]] = []
        n = self._sent.state.n
        first = min(session.started_at for session in self._waiting)
        planned: list[tuple[str, int, str, dict[str, Any]]] = []
        if not n:
            opening = {"mode": "goal", "title": "Sessions of Claude Code", "agents": True, "briefing": []}
            planned += [("run", first, "run_created", opening), ("run", first, "run_started", {})]
        planned += [(one.data["session"], one.at, "session_recorded", one.data) for one in self._waiting]
        for place, (record, at, kind, data) in enumerate(planned, start=n + 1):
            events.append(make_event(place, f"{record}.{kind}", at, kind, "harness", data, **self._about))
        self._sent.plan(events, [f"{one.data['session']} {one.fingerprint}" for one in self._waiting])
        self._waiting, self._size = [], 0
        self.deliver()


def _chosen(path: Path, result: SessionsImport) -> list[_SessionFile]:
    """The file of each session, by name: of several files of one session the largest."""
    files = [found for found in _files(path, result) if found is not None]
    if not files:
        seen = result.skipped
        reasons = sorted({row["reason"] for row in seen})
        told = f" ({len(seen)} files, {reasons[0]}{' and other reasons' if len(reasons) > 1 else ''})" if seen else ""
        told = f" ({reasons[0]})" if len(seen) == 1 else told
        do = "name a session file (*.jsonl), or a folder that holds some"
        if any(reason.startswith("a session of ") for reason in reasons):
            do = "sessions of other tools are read from the folders that THERMITE_TRANSCRIPTS names"
        raise ThermiteError(f"there is no session of Claude Code{told}", where=str(path), do=do)
    best: dict[str, _SessionFile] = {}
    for file in files:
        other = best.get(file.session)
        if other is None:
            best[file.session] = file
            continue
        loser = min(file, other, key=lambda one: (one.size, one.shown))
        best[file.session] = other if loser is file else file
        result.skip(loser.shown, 0, "another file holds more of this session")
    return sorted(best.values(), key=lambda file: file.shown)


def _files(path: Path, result: SessionsImport) -> Iterator[_SessionFile | None]:
    if not path.exists():
        raise ThermiteError("there is no such file or folder", where=str(path))
    if not path.is_dir() and not path.is_file():
        raise ThermiteError("this is neither a file nor a folder", where=str(path))
    found = [path] if not path.is_dir() else sorted({*path.rglob("*.jsonl"), *path.rglob("*.jsonl.gz")})
    for one in found:
        if one != path and one.is_dir():
            continue
        shown = one.name if one == path else one.relative_to(path).as_posix()
        shown = shown.encode("utf-8", "replace").decode()
        if one != path and (one.is_symlink() or not one.is_file()):
            result.skip(shown, 0, "a link or no plain file")
            continue
        if one.name.startswith("agent-"):
            result.skip(shown, 0, "a side chain: no person speaks in it")
            continue
        try:
            yield _known(one, shown, result)
        except OSError as error:
            result.skip(shown, 0, f"it can't be read ({error.strerror or 'damaged'})")


def _known(path: Path, shown: str, result: SessionsImport) -> _SessionFile | None:
    """The file with its session's id, read as far as needed for that."""
    try:
        transcript = open_transcript(path)
    except ThermiteError as error:
        result.skip(shown, 0, error.what)
        return None
    with transcript:
        if transcript.tool != TOOL:
            result.skip(shown, 0, f"a session of {transcript.tool}, not of Claude Code")
            return None
        next(iter(transcript), None)
        told = transcript.session
    session = told if _UUID.fullmatch(told) else str(uuid.uuid5(_NAMESPACE, told))
    state = path.stat()
    # File systems can tell times that no date can.
    modified_at = min(max(state.st_mtime_ns // 1000, 0), _LAST_TIME)
    return _SessionFile(path, shown, session, state.st_size, modified_at)


def _read(file: _SessionFile, result: SessionsImport) -> _Session | None:
    """The session of a file; what is left out of it is named."""
    try:
        with open_transcript(file.path, tool_text_limit=TOOL_CHARS, assistant_text_limit=ASSISTANT_CHARS) as transcript:
            kept = _Kept()
            for message in transcript:
                kept.add(message)
    except (OSError, ThermiteError) as error:
        result.skip(file.shown, 0, f"it can't be read ({str(error)[:80]})")
        return None
    for line, reason in transcript.skipped:
        result.skip(file.shown, line, reason)
    more = sum(transcript.skipped_counts.values()) - len(transcript.skipped)
    if more:
        result.skip(file.shown, 0, f"{more} more lines were not taken")
    if kept.left_out:
        result.skip(file.shown, 0, f"{kept.left_out} messages were left out: the session is too long")
    if not kept.messages:
        result.skip(file.shown, 0, "there is no message in it")
        return None
    return _session(file, transcript, kept)


def _session(file: _SessionFile, transcript: Transcript, kept: "_Kept") -> _Session:
    told_at = transcript.started_at if transcript.started_at is not None else transcript.first_dated_at
    started_at = file.modified_at if told_at is None else told_at
    # Without any date the file's time is taken, and that changes without a new word.
    data = {"session": file.session, "started_at": format_rfc3339(started_at), "messages": kept.messages}
    told = msgspec.json.encode([None if told_at is None else data["started_at"], kept.messages])
    at = kept.last_at if kept.last_at is not None else started_at
    return _Session(data, at, started_at, len(told), hashlib.sha256(told).hexdigest())


class _Kept:
    """The messages of a session that are sent, within its bounds."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.left_out = 0
        self.last_at: int | None = None
        self._room = {True: SESSION_BYTES, False: SESSION_BYTES}

    def add(self, message: Message) -> None:
        if not message.text:
            return
        size = len(msgspec.json.encode(message.text)) + _MESSAGE_BYTES
        is_human = message.role == "human"
        if size > self._room[is_human]:
            self.left_out += 1
            return
        self._room[is_human] -= size
        told: dict[str, Any] = {"role": message.role, "text": message.text}
        if message.said_at is not None:
            told["at"] = format_rfc3339(message.said_at)
            self.last_at = max(message.said_at, self.last_at or message.said_at)
        self.messages.append(told)
