"""Writes sessions: files of messages first, then, in one transaction, all that makes them count.

Names are a function of what a campaign holds: the id of a recorded session where one run claims it, else
`<id>@<rig>/<run>` for each that does. Whoever comes or goes, the others are renamed with what was taken from them.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
from sqlalchemy import Connection, delete, select, update

from thermite_pipelines.atoms.sessions import (
    SIGNED,
    Origin,
    ReadSession,
    batch_hash,
    message_folder,
    message_path,
    with_session,
)
from thermite_pipelines.control.atom_models import DerivedState, Extraction, SaidMark, Session, TranscriptFile
from thermite_pipelines.control.db import Control, chunks, upsert
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import LakeFile, Run
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.state import Mark
from thermite_pipelines.tables.derived import MESSAGES
from thermite_pipelines.times import now_micros

FORMAT = "1"
"""Begins every signature of folded tables: raise it when the same record gives other rows, so that all are folded."""
FLUSH_BYTES = 16 << 20
FLUSH_SESSIONS = 200
ATOMS, MESSAGE_FILES = "atoms", "messages"
"""Names of what `DerivedState` tells of: the folded tables, and the files of messages."""


@dataclass(frozen=True)
class Head:
    """What is needed of a stored session to tell whether it changed."""

    session: str
    tool: str
    run_key: int | None
    transcript: str | None
    content_sha256: str
    established_at: int
    dated_by: str
    human_messages: int
    plain: bool

    @property
    def claimed(self) -> str | None:
        """The id that a signed session claims."""
        return self.session.partition("@")[0] if self.tool == SIGNED else None


def scope_of(campaign: str) -> str:
    """The lease, and the scope of files, of what is derived from a campaign's sessions."""
    return f"atoms:{campaign}"


def mark_stale(connection: Connection, campaign: str, name: str = ATOMS) -> None:
    """Say that a derived table is not what it should be, in the transaction that makes it so."""
    same = (DerivedState.campaign == campaign) & (DerivedState.name == name)
    if not connection.execute(update(DerivedState).where(same).values(signature="")).rowcount:
        blank = {"signature": "", "content": "", "rows": 0, "days": [], "changed_at": now_micros()}
        upsert(connection, DerivedState, [{"campaign": campaign, "name": name, **blank}])


def heads_of(connection: Connection, campaign: str) -> dict[str, Head]:
    """The stored sessions of a campaign, by name."""
    columns = [getattr(Session, name) for name in Head.__dataclass_fields__]
    rows = connection.execute(select(*columns).where(Session.campaign == campaign))
    return {row.session: Head(**row._mapping) for row in rows}


@dataclass
class _Batch:
    """What the next commit brings."""

    signed: dict[tuple[int, str], ReadSession] = field(default_factory=dict)
    others: dict[str, ReadSession] = field(default_factory=dict)
    drops: set[str] = field(default_factory=set)
    marks: dict[int, Mark | None] = field(default_factory=dict)
    transcripts: dict[str, dict[str, Any]] = field(default_factory=dict)
    moves: dict[str, str] = field(default_factory=dict)
    copies: list[str] = field(default_factory=list)
    plain: dict[str, bool] = field(default_factory=dict)

    def sessions(self) -> Iterable[ReadSession]:
        yield from self.signed.values()
        yield from self.others.values()


class SessionStore:
    """The sessions of one campaign. The caller holds the lease `atoms:<c>`."""

    def __init__(self, home: Home, campaign: str) -> None:
        self._home = home
        self.campaign = campaign
        self.files = LakeFiles(home.control, home.lake, scope_of(campaign))
        with home.control.read() as connection:
            self.heads = heads_of(connection, campaign)
        self.written: set[str] = set()
        self.removed: set[str] = set()
        self._batch = _Batch()
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        """Whether enough waits for a commit."""
        batch = self._batch
        return self._bytes >= FLUSH_BYTES or len(batch.signed) + len(batch.others) >= FLUSH_SESSIONS

    @property
    def claimed(self) -> set[str]:
        """The ids that signed sessions claim: a transcript of the same id is left out."""
        return {head.claimed for head in self.heads.values() if head.claimed is not None}

    def put_signed(self, read: ReadSession) -> None:
        """Take a recorded session; its name is settled when it is committed."""
        assert read.origin.run_key is not None
        self._batch.signed[read.origin.run_key, read.session] = read
        self._bytes += read.rows.nbytes

    def put(self, read: ReadSession) -> None:
        """Take a session whose name is settled."""
        self._batch.others[read.session] = read
        self._bytes += read.rows.nbytes

    def drop(self, *sessions: str) -> None:
        """Let sessions go, unless they are put again before the commit."""
        self._batch.drops.update(sessions)

    def drop_run(self, run_key: int) -> None:
        """Let all sessions of a run go."""
        self.drop(*(head.session for head in self.heads.values() if head.run_key == run_key))

    def mark(self, run_key: int, mark: Mark | None) -> None:
        """Note how far a run is read; None: it belongs elsewhere now."""
        self._batch.marks[run_key] = mark

    def remember(self, row: dict[str, Any], unsynced: str | None = None) -> None:
        """Note how a transcript file was read; its copy `unsynced` must lie on the disk before that counts."""
        self._batch.transcripts[row["path"]] = row
        if unsynced:
            self._batch.copies.append(unsynced)

    def set_plain(self, session: str, is_plain: bool) -> None:
        """Note whether a session that is not read again is of plain folders alone."""
        self._batch.plain[session] = is_plain

    def commit(self) -> None:
        """Make everything since the last commit count, together."""
        batch = self._batch
        if batch == _Batch():
            return
        puts = {read.session: read for read in self._named()} | batch.others
        drops = (batch.drops - puts.keys()) & self.heads.keys()
        for session, read in puts.items():
            if read.human_sha256:
                self.files.stage(message_path(self.campaign, session), MESSAGES, read.rows, read.origin.run_key)
        gone = {message_path(self.campaign, name) for name in drops}
        gone |= {message_path(self.campaign, name) for name, read in puts.items() if not read.human_sha256}
        self._home.lake.sync(batch.copies)
        self.files.publish()
        with self._home.control.write() as connection:
            self.files.confirm(connection)
            self._move(connection)
            self._delete(connection, drops, gone)
            upsert(connection, Session, [read.record(self.campaign) for read in puts.values()])
            for read in puts.values():
                trim(connection, self.campaign, read.session, read.human_sha256)
            self._note(connection)
            if puts or drops:
                mark_stale(connection, self.campaign)
            if gone:
                mark_stale(connection, self.campaign, MESSAGE_FILES)
        for path in sorted(gone):
            self._home.lake.delete(path)
        for name in drops:
            del self.heads[name]
        for name in batch.plain.keys() & self.heads.keys():
            self.heads[name] = replace(self.heads[name], plain=batch.plain[name])
        self.heads |= {name: _head(read) for name, read in puts.items()}
        self.written = (self.written | puts.keys()) - drops
        self.removed = (self.removed | drops) - puts.keys()
        self._batch, self._bytes = _Batch(), 0

    def _named(self) -> list[ReadSession]:
        """Recorded sessions under the names that they should have, those that are only renamed included."""
        batch = self._batch
        current: dict[str, dict[int, str | None]] = defaultdict(dict)
        touched = {uuid for _, uuid in batch.signed}
        for head in self.heads.values():
            if head.claimed is None or head.run_key is None:
                continue
            if head.session not in batch.drops or (head.run_key, head.claimed) in batch.signed:
                current[head.claimed][head.run_key] = head.session
            if head.session in batch.drops:
                touched.add(head.claimed)
        for run_key, uuid in batch.signed:
            current[uuid].setdefault(run_key, None)
        found = []
        for uuid in sorted(touched):
            names = self._names(uuid, current[uuid].keys())
            for run_key, now in current[uuid].items():
                read = batch.signed.get((run_key, uuid))
                if now is not None and now != names[run_key]:
                    batch.moves[now] = names[run_key]
                    batch.drops.add(now)
                    read = read or self._stored(now)
                if read is not None:
                    name = names[run_key]
                    found.append(replace(read, session=name, rows=with_session(read.rows, name)))
            head = self.heads.get(uuid)
            if names and head is not None and head.tool != SIGNED:
                batch.drops.add(uuid)  # a transcript: the signed session counts
        return found

    def _names(self, uuid: str, run_keys: Iterable[int]) -> dict[int, str]:
        keys = sorted(run_keys)
        if len(keys) < 2:
            return dict.fromkeys(keys, uuid)
        with self._home.control.read() as connection:
            query = select(Run.run_key, Run.rig, Run.label).where(Run.run_key.in_(keys))
            return {row.run_key: f"{uuid}@{row.rig}/{row.label}" for row in connection.execute(query)}

    def _stored(self, session: str) -> ReadSession:
        """A session as it lies there, to give it another name."""
        row = session_row(self._home.control, self.campaign, session)
        names = ("tool", "run_key", "rig", "ledger", "run", "transcript")
        return ReadSession(
            session=session,
            origin=Origin(*(getattr(row, name) for name in names)),
            content_sha256=row.content_sha256,
            established_at=row.established_at,
            dated_by=row.dated_by,
            messages=row.messages,
            human_sha256=row.human_sha256,
            skipped=row.skipped,
            rows=self.messages_of(session),
        )

    def messages_of(self, session: str) -> pa.Table:
        """The stored messages of a session. Raises `DamagedFile`."""
        rows = self.files.load(message_path(self.campaign, session), MESSAGES)
        return MESSAGES.schema.empty_table() if rows is None else rows

    def _move(self, connection: Connection) -> None:
        """What was taken from a session goes with its name."""
        for old, new in self._batch.moves.items():
            mine = Extraction.campaign == self.campaign
            if connection.execute(select(Extraction.first).where(mine, Extraction.session == old)).first():
                connection.execute(delete(Extraction).where(mine, Extraction.session == new))
                connection.execute(update(Extraction).where(mine, Extraction.session == old).values(session=new))

    def _delete(self, connection: Connection, drops: set[str], gone: set[str]) -> None:
        for some in chunks(sorted(drops)):
            connection.execute(delete(Session).where(Session.campaign == self.campaign, Session.session.in_(some)))
        for some in chunks(sorted(gone)):
            connection.execute(delete(LakeFile).where(LakeFile.path.in_(some)))

    def _note(self, connection: Connection) -> None:
        marks = self._batch.marks
        mine = SaidMark.campaign == self.campaign
        for some in chunks(key for key, mark in marks.items() if mark is None):
            connection.execute(delete(SaidMark).where(mine, SaidMark.run_key.in_(some)))
        rows = [
            {"campaign": self.campaign, "run_key": key, "said_n": mark.n, "said_events": mark.events}
            for key, mark in marks.items()
            if mark is not None
        ]
        upsert(connection, SaidMark, rows)
        upsert(connection, TranscriptFile, list(self._batch.transcripts.values()))
        for is_plain in (True, False):
            for some in chunks(name for name, now in self._batch.plain.items() if now == is_plain):
                same = (Session.campaign == self.campaign) & Session.session.in_(some)
                connection.execute(update(Session).where(same).values(plain=is_plain))

    def damaged(self, *, thorough: bool = False) -> set[str]:
        """The sessions whose files of messages are not what was written, or were being written when a kill came."""
        paths = set(self.files.damaged(thorough=thorough))
        with self._home.control.read() as connection:
            announced = select(LakeFile.path).where(
                LakeFile.scope == scope_of(self.campaign), LakeFile.next_sha256.is_not(None)
            )
            paths.update(connection.execute(announced).scalars())
        return {name for name in self.heads if message_path(self.campaign, name) in paths}

    def sweep(self) -> int:
        """Remove files of messages that belong to no session; return how many."""
        folder = message_folder(self.campaign)
        ours = {message_path(self.campaign, name) for name, head in self.heads.items() if head.human_messages}
        strays = [entry.path for entry in self._home.lake.list(folder) if entry.path not in ours]
        for path in strays:
            self._home.lake.delete(path)
        lost = [path for path in self.files.known() if path.startswith(f"{folder}/") and path not in ours]
        same = (DerivedState.campaign == self.campaign) & (DerivedState.name == MESSAGE_FILES)
        with self._home.control.read() as connection:
            unswept = connection.execute(select(DerivedState).where(same, DerivedState.signature == "")).first()
        if unswept is not None or lost or self.written:
            self._home.lake.sweep(folder)
        if unswept is not None or lost:
            with self._home.control.write() as connection:
                for some in chunks(lost):
                    connection.execute(delete(LakeFile).where(LakeFile.path.in_(some)))
                connection.execute(update(DerivedState).where(same).values(signature="swept"))
        return len(strays)


def _head(read: ReadSession) -> Head:
    record = read.record("")
    return Head(**{name: record[name] for name in Head.__dataclass_fields__})


def session_row(control: Control, campaign: str, session: str) -> Any:
    """The row of a session in control's record. Raises `ThermiteError` where there is none."""
    with control.read() as connection:
        same = (Session.campaign == campaign) & (Session.session == session)
        row = connection.execute(select(Session).where(same)).first()
    if row is None:
        raise ThermiteError("there is no such session", where=session, do="give the id of a session of the campaign")
    return row


def trim(connection: Connection, campaign: str, session: str, human_sha256: list[str]) -> None:
    """Give up what was taken from messages that changed, and from all after the first of them."""
    mine = (Extraction.campaign == campaign) & (Extraction.session == session)
    columns = select(Extraction.first, Extraction.count, Extraction.messages_sha256)
    batches = [(row[0], row[1], row[2]) for row in connection.execute(columns.where(mine).order_by(Extraction.first))]
    valid = valid_through(batches, human_sha256)
    if any(first >= valid for first, _, _ in batches):
        connection.execute(delete(Extraction).where(mine, Extraction.first >= valid))


def valid_through(batches: Iterable[tuple[int, int, str]], human_sha256: list[str]) -> int:
    """The position of the first message of a batch (first, count, hash) that changed; past the last where none did."""
    for first, count, digest in batches:
        if digest != batch_hash(human_sha256[first : first + count]):
            return first
    return len(human_sha256)
