"""Brings the sessions of a campaign to what its runs' events and its transcript files say now.

Only what is new is read: a run's events after its mark, and files whose size, time or inode changed. Each commit takes
sessions and marks together, so a kill anywhere is completed by the next refresh, to the same rows.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy import select

from thermite_pipelines.atoms.copies import as_old, is_below, kept_copies, lacks_copy, plain_sessions, winners
from thermite_pipelines.atoms.session_store import FLUSH_BYTES, FLUSH_SESSIONS, Head, SessionStore, session_row
from thermite_pipelines.atoms.sessions import OWNER, SIGNED, Origin, ReadSession, SessionBuilder, content_hash
from thermite_pipelines.atoms.sources import (
    FileChanging,
    FoundFile,
    Kept,
    Problem,
    folders_of,
    keep_copy,
    look_again,
    on_disk,
    resume,
    said_blocks,
    said_marks,
    scan,
    size_of,
    transcript_folder,
    wanted_mark,
)
from thermite_pipelines.atoms.transcript_files import NotATranscript, is_transcript, read_transcript
from thermite_pipelines.control.atom_models import TranscriptFile
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.fold import FoldEvent
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.state import Mark, RunState, keys_on_hold, runs_of
from thermite_pipelines.tables.parquet import to_rows
from thermite_pipelines.times import now_micros, parse_rfc3339
from thermite_pipelines.transcripts.model import Message
from thermite_pipelines.transcripts.typed import typed_spans

Progress = Callable[[int, int], None]


@dataclass
class SessionsRead:
    """What one refresh of the sessions did: sessions written and removed, files opened, and what could not be read."""

    written: int = 0
    removed: int = 0
    unchanged: int = 0
    files: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def problem_counts(self) -> dict[str, int]:
        """How often each kind of problem occurred."""
        return dict(sorted(Counter(problem.kind for problem in self.problems).items()))


def read_sessions(home: Home, campaign: str, *, plain: bool = False, anew: bool = False) -> SessionsRead:
    """Bring the sessions up to date; with `plain` the folders that name no campaign are this campaign's too.

    With `anew` all is read again: events from the first, transcripts from their kept copies. The caller holds the lease
    `atoms:<c>`. What can't be read is named in the outcome and stops nothing else.
    """
    reader = _Reader(home, campaign)
    reader.check(anew)
    reader.runs()
    reader.transcripts(plain)
    reader.store.sweep()
    outcome = reader.outcome
    outcome.written, outcome.removed = len(reader.store.written), len(reader.store.removed)
    outcome.unchanged = len(reader.store.heads.keys() - reader.store.written)
    return outcome


def owner_session(run: RunState) -> str:
    """The session of an owner's messages to a run."""
    return f"owner:{run.rig}/{run.label}"


class _Reader:
    def __init__(self, home: Home, campaign: str) -> None:
        self._home = home
        self._campaign = campaign
        self.store = SessionStore(home, campaign)
        self.outcome = SessionsRead()
        self._fresh_bytes = 0
        self._copies: dict[str, int] = {}  # the kept transcripts that are there, with their sizes
        self._again: set[str] = set()  # sessions of transcripts to be read again, though nothing about them changed
        with home.control.read() as connection:
            self._on_hold = keys_on_hold(connection)
            self._runs = {run.run_key: run for run in runs_of(connection, campaign)}
            self._marks = said_marks(connection, campaign)

    def check(self, anew: bool) -> None:
        """Find what has to be read again since its file is gone or damaged."""
        if anew:
            self._marks = dict.fromkeys(self._marks, Mark())
        broken = set(self.store.heads) if anew else self.store.damaged()
        for name in broken:
            head = self.store.heads[name]
            if head.run_key is None:
                self._again.add(name)
            elif head.run_key in self._marks:
                self._marks[head.run_key] = Mark()

    def runs(self) -> None:
        """Read what is new of each run; let go of runs that belong elsewhere now."""
        stored = {head.run_key for head in self.store.heads.values() if head.run_key is not None}
        for key in sorted((stored | self._marks.keys()) - self._runs.keys() - self._on_hold):
            self.store.drop_run(key)
            self.store.mark(key, None)
        for run in self._runs.values():
            mark = self._marks.get(run.run_key)
            if run.run_key in self._on_hold or (mark or Mark()) == wanted_mark(run):
                continue
            try:
                self._read_run(run, resume(run, mark), mark)
            except ThermiteError as error:
                self.outcome.problems.append(Problem("events-damaged", error.where or f"{run.rig}/{run.label}"))
        self.store.commit()

    def _read_run(self, run: RunState, start: Mark, stored: Mark | None) -> None:
        events: list[FoldEvent] = []
        size, mark, anew = 0, start, start == Mark() and stored is not None
        for said, mark in said_blocks(self._home.control, self._home.lake, run, start):
            events += said
            size += sum(len(event.data.get("messages", ())) + 1 for event in said)
            if size > 5_000:
                self._put_run(run, events, mark, anew)
                self.store.commit()
                events, size, anew = [], 0, False
        self._put_run(run, events, mark, anew)
        if self.store.is_full:
            self.store.commit()

    def _put_run(self, run: RunState, events: list[FoldEvent], mark: Mark, anew: bool) -> None:
        if anew:
            self.store.drop_run(run.run_key)
        for read in signed_sessions(run, events):
            self.store.put_signed(read)
        messages = [event for event in events if event.type == OWNER and event.data["text"]]
        if messages:
            name = owner_session(run)
            builder = SessionBuilder(name)
            if name in self.store.heads and not anew:
                record = session_row(self._home.control, self._campaign, name)
                builder.restore(to_rows(self.store.messages_of(name)), record)
            self.store.put(owner_messages(run, messages, builder))
        self.store.mark(run.run_key, mark)

    def transcripts(self, plain: bool) -> None:
        """Copy and read files that are new or changed, then settle which file each session is read from."""
        with self._home.control.read() as connection:
            query = select(TranscriptFile).where(TranscriptFile.campaign == self._campaign)
            known = {row.path: dict(row._mapping) for row in connection.execute(query)}
        found, problems = scan(folders_of(self._home.settings, self._campaign, plain=plain))
        self.outcome.problems += problems
        self._copies = kept_copies(self._home.lake, self._campaign)
        self._note_plain(known, found)
        fresh: dict[str, ReadSession] = {}
        for path, file in sorted((self._uncopied(known) | found).items()):
            before = known.get(path)
            if before is None or before["stat"] != file.stat or lacks_copy(before, self._copies):
                self._read_file(file, before, known, fresh)
            if path in known and not known[path]["tool"]:
                self.outcome.problems.append(Problem("no-transcript", path))
            if len(fresh) >= FLUSH_SESSIONS or self._fresh_bytes >= FLUSH_BYTES:
                self._settle(known, fresh, {read.session for read in fresh.values()})
                self.store.commit()
                fresh, self._fresh_bytes = {}, 0
        for row in known.values():
            if lacks_copy(row, self._copies):
                self._miss(row["kept"])
        self._settle(known, fresh, None)
        self.store.commit()
        self._drop_old_copies(known)
        if self.outcome.files:
            self._home.lake.sweep(transcript_folder(self._campaign))

    def _note_plain(self, known: dict[str, Any], found: dict[str, FoundFile]) -> None:
        """Settle which known files are of plain folders alone: settings may have changed since they were read."""
        folders = folders_of(self._home.settings, self._campaign, plain=False)
        for path, row in known.items():
            is_plain = not is_below(path, folders) and (row["plain"] or path in found)
            if row["plain"] != is_plain:
                row["plain"] = is_plain
                self.store.remember(dict(row))

    def _uncopied(self, known: dict[str, Any]) -> dict[str, FoundFile]:
        """Files as they were read, though not looked for now (plain folders'), whose copies are gone."""
        gone = [path for path, row in known.items() if lacks_copy(row, self._copies)]
        files = ((path, look_again(path)) for path in gone)
        return {path: file for path, file in files if file is not None and file.stat == known[path]["stat"]}

    def _miss(self, kept: str) -> None:
        problem = Problem("copy-missing", kept)
        if problem not in self.outcome.problems:
            self.outcome.problems.append(problem)

    def _read_file(
        self, file: FoundFile, before: dict[str, Any] | None, known: dict[str, Any], fresh: dict[str, ReadSession]
    ) -> None:
        self.outcome.files += 1
        try:
            kept, read, tool = self._keep(file, before)
        except FileChanging:
            self.outcome.problems.append(Problem("file-changing", file.path))
            return
        except OSError:
            self.outcome.problems.append(Problem("file-unreadable", file.path))
            return
        row = {
            "campaign": self._campaign,
            "path": file.path,
            "session": read.session if read is not None and read.human_sha256 else "",
            "tool": tool,
            "stat": file.stat,
            "content_sha256": kept.content_sha256,
            "kept": kept.path,
            "file_modified_at": file.modified_at,
            "read_at": now_micros(),
            "plain": not is_below(file.path, folders_of(self._home.settings, self._campaign, plain=False)),
        }
        is_same = before is not None and before["session"] == row["session"] and kept.grown_from == before["kept"]
        if before is not None and before["session"] and before["kept"] != kept.path and not is_same:
            # What was there stays, from its copy: another session took the file's place, or it was cut or rewritten.
            old = as_old({name: before[name] for name in row})
            known[old["path"]] = old
            self.store.remember(old)
        self._copies[kept.path] = kept.size
        known[file.path] = row | {"grown_from": kept.grown_from}
        self.store.remember(row, None if kept.is_synced else kept.path)
        if read is not None and row["session"]:
            fresh[kept.path] = read
            self._fresh_bytes += read.rows.nbytes

    def _keep(self, file: FoundFile, before: dict[str, Any] | None) -> tuple[Kept, ReadSession | None, str]:
        """Copy a file and read the copy. A file of another kind is not copied."""
        if not is_transcript(Path(file.path)):
            return Kept("", "", file.size, None), None, ""
        kept = keep_copy(self._home.lake, self._campaign, file, before)
        with on_disk(self._home.lake, kept.path) as copy:
            try:
                read = read_transcript(copy, file.stem).finish(kept.path, kept.content_sha256, file.modified_at)
            except NotATranscript:
                return kept, None, ""
        return kept, read, read.origin.tool

    def _settle(self, known: dict[str, Any], fresh: dict[str, ReadSession], only: set[str] | None) -> None:
        """Read each session from the file that counts: the largest, then the one of the smaller hash."""
        chosen, plain = winners(known.values()), plain_sessions(list(known.values()))
        signed = self.store.claimed
        for session, row in chosen.items():
            if session in signed or (only is not None and session not in only):
                continue
            read = fresh.get(row["kept"])
            head = self.store.heads.get(session)
            if head is not None and head.plain != (session in plain):
                self.store.set_plain(session, session in plain)
            if read is None and not self._is_due(head, row):
                continue
            self._again.discard(session)
            read = read or self._read_kept(session, row)
            if read is not None:
                self.store.put(replace(read, origin=replace(read.origin, plain=session in plain)))
            if self.store.is_full:
                self.store.commit()
        if only is None:
            ours = [head for head in self.store.heads.values() if head.run_key is None]
            self.store.drop(*(head.session for head in ours if head.session in signed or head.session not in chosen))

    def _is_due(self, head: Head | None, row: dict[str, Any]) -> bool:
        if head is None or head.session in self._again:
            return True
        if (head.content_sha256, head.transcript) != (row["content_sha256"], row["kept"]):
            return True
        return head.dated_by == "file" and head.established_at != row["file_modified_at"]

    def _read_kept(self, session: str, row: dict[str, Any]) -> ReadSession | None:
        try:
            with on_disk(self._home.lake, row["kept"]) as copy:
                read = read_transcript(copy, session)
                return read.finish(row["kept"], row["content_sha256"], row["file_modified_at"])
        except (OSError, ThermiteError):
            self._miss(row["kept"])
            return None

    def _drop_old_copies(self, known: dict[str, Any]) -> None:
        """A copy that is the beginning of a newer one is needed no more."""
        used = {row["kept"] for row in known.values()}
        for row in known.values():
            old = row.get("grown_from")
            if old and old not in used:
                self._home.lake.delete(old)


def signed_sessions(run: RunState, events: list[FoldEvent]) -> Iterator[ReadSession]:
    """The sessions that events record, each in its newest version."""
    newest = {event.data["session"]: event for event in events if event.type == SIGNED}
    for session, event in newest.items():
        builder = SessionBuilder(session)
        for place, told in enumerate(event.data["messages"]):
            builder.add(_message(place, told))
        kept = {name: event.data[name] for name in ("session", "started_at", "messages")}
        yield builder.finish(
            Origin(SIGNED, run.run_key, run.rig, run.ledger, run.run),
            content_hash(kept),
            started_at=parse_rfc3339(event.data["started_at"]),
        )


def _message(place: int, told: dict[str, Any]) -> Message:
    role, text = told["role"], told["text"]
    if role == "human" and not typed_spans(text):
        role = "tool"  # put there by a tool in a person's name
    at = told.get("at")
    return Message(str(place), place, role, text, None if at is None else parse_rfc3339(at))


def owner_messages(run: RunState, events: list[FoldEvent], builder: SessionBuilder) -> ReadSession:
    """The session of an owner's messages after these events: each is the owner's own, whatever is in it."""
    for event in events:
        builder.add(Message(event.data["message"], builder.messages, "human", event.data["text"], event.at))
    return builder.finish(Origin(OWNER, run.run_key, run.rig, run.ledger, run.run), content_hash(builder.human_sha256))


def unread_sessions(home: Home, campaign: str, *, plain: bool = False) -> Iterator[ReadSession]:
    """The sessions that `read_sessions` would write for what is new or changed, one by one, writing nothing.

    A session that several runs claim comes under its bare id.
    """
    store = SessionStore(home, campaign)
    with home.control.read() as connection:
        on_hold = keys_on_hold(connection)
        runs = [run for run in runs_of(connection, campaign) if run.run_key not in on_hold]
        marks = said_marks(connection, campaign)
        query = select(TranscriptFile).where(TranscriptFile.campaign == campaign)
        known = {row.path: dict(row._mapping) for row in connection.execute(query)}
    largest = {session: size_of(row["stat"]) for session, row in winners(known.values()).items()}
    signed = store.claimed
    for run in runs:
        mark = marks.get(run.run_key)
        if (mark or Mark()) != wanted_mark(run):
            for read in _unread_of_run(home, campaign, store, run, resume(run, mark)):
                signed.add(read.session)
                yield read
    found, _ = scan(folders_of(home.settings, campaign, plain=plain))
    for path, file in sorted(found.items()):
        if path in known and known[path]["stat"] == file.stat:
            continue
        try:
            read = read_transcript(Path(path), file.stem).finish("", "", file.modified_at)
        except (OSError, NotATranscript):
            continue
        if read.human_sha256 and read.session not in signed and file.size >= largest.get(read.session, 0):
            yield read


def _unread_of_run(home: Home, campaign: str, store: SessionStore, run: RunState, start: Mark) -> Iterator[ReadSession]:
    events = [event for said, _ in said_blocks(home.control, home.lake, run, start) for event in said]
    yield from signed_sessions(run, events)
    messages = [event for event in events if event.type == OWNER and event.data["text"]]
    if messages:
        name = owner_session(run)
        builder = SessionBuilder(name)
        if name in store.heads and start != Mark():
            builder.restore(to_rows(store.messages_of(name)), session_row(home.control, campaign, name))
        yield owner_messages(run, messages, builder)
