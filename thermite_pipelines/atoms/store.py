"""The tables of a campaign's atoms, and the flat log beside them: folded from control's record, written together.

Both come from the same rows. Before anything is replaced, control's record says that the tables are stale; the
transaction that makes the new files count says what they hold. So after a kill in between, or where a file was
changed or removed by another hand, the next refresh writes both again.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from thermite_pipelines.atoms.fold import Folded, Proposed, SessionFacts, Taken, fold
from thermite_pipelines.atoms.session_store import ATOMS, FORMAT, mark_stale, scope_of
from thermite_pipelines.control.atom_models import DerivedState, Extraction, Proposal, Session
from thermite_pipelines.control.db import upsert
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.tables.derived import ATOMS as ATOMS_TABLE
from thermite_pipelines.tables.derived import CHECKPOINTS, INTENTS, SESSIONS
from thermite_pipelines.tables.lake import TEMPORARY_PREFIX, LakeMissing
from thermite_pipelines.tables.parquet import arrange, rows_hash
from thermite_pipelines.tables.schemas import Table
from thermite_pipelines.times import now_micros

TABLES: tuple[Table, ...] = (SESSIONS, ATOMS_TABLE, INTENTS, CHECKPOINTS)
LOG = "atoms_log"
_LINE_ENDS = str.maketrans({"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"})


@dataclass(frozen=True)
class TablesWritten:
    """What a refresh of the tables did: files written, and the numbers of what they hold now."""

    files: int
    atoms: int
    intents: int
    checkpoints: int
    sessions: int


def table_path(name: str, campaign: str) -> str:
    """Where the one file of a derived table of a campaign lies in the lake."""
    return f"derived/{name}/campaign={campaign}/{name}.parquet"


def log_path(campaign: str) -> str:
    """Where the flat log of a campaign's atoms lies in the lake."""
    return f"derived/{LOG}/campaign={campaign}/atoms.jsonl"


def stored_sessions(connection: Connection, campaign: str) -> list[dict[str, Any]]:
    """Rows of the table of sessions, as control's record tells them."""
    covered = dict(
        connection.execute(
            select(Extraction.session, func.sum(Extraction.count))
            .where(Extraction.campaign == campaign)
            .group_by(Extraction.session)
        ).all()
    )
    names = [name for name in SESSIONS.column_names if name != "extracted_messages"]
    columns = [getattr(Session, name) for name in names]
    rows = connection.execute(select(*columns).where(Session.campaign == campaign).order_by(Session.session))
    return [dict(row._mapping) | {"extracted_messages": int(covered.get(row.session, 0))} for row in rows]


def stored_taken(connection: Connection, campaign: str) -> dict[str, list[Taken]]:
    """What was taken from each session, in the order of its messages."""
    taken: dict[str, list[Taken]] = defaultdict(list)
    names = ("first", "count", "model", "prompt_version", "atoms", "intents", "refused")
    columns = [getattr(Extraction, name) for name in names]
    query = select(Extraction.session, *columns).where(Extraction.campaign == campaign)
    for session, *values in connection.execute(query.order_by(Extraction.session, Extraction.first)):
        taken[session].append(Taken(*values))
    return taken


def stored_proposals(connection: Connection, campaign: str) -> list[Proposed]:
    """What people proposed, or had grouped."""
    query = select(Proposal).where(Proposal.campaign == campaign).order_by(Proposal.digest)
    return [Proposed(row.digest, row.origin, row.atom) for row in connection.execute(query)]


def facts_of(sessions: Iterable[Mapping[str, Any]]) -> list[SessionFacts]:
    """What the fold needs of rows of sessions."""
    return [SessionFacts(**{name: row[name] for name in SessionFacts.__dataclass_fields__}) for row in sessions]


def fold_record(connection: Connection, campaign: str) -> tuple[list[dict[str, Any]], Folded, str]:
    """Rows of sessions, what the fold makes of control's record, and the signature of both."""
    rows = stored_sessions(connection, campaign)
    taken = stored_taken(connection, campaign)
    proposals = stored_proposals(connection, campaign)
    facts = facts_of(rows)
    digest = hashlib.sha256()
    for part in (rows, {name: [vars(one) for one in found] for name, found in taken.items()}, proposals):
        digest.update(json.dumps(part, default=vars, sort_keys=True).encode())
    return rows, fold(campaign, facts, taken, proposals), f"{FORMAT}:{digest.hexdigest()}"


class AtomTables:
    """The folded tables of one campaign. The caller holds the lease `atoms:<c>`."""

    def __init__(self, home: Home, campaign: str) -> None:
        self._home = home
        self.campaign = campaign
        self.files = LakeFiles(home.control, home.lake, scope_of(campaign))

    def refresh(self) -> TablesWritten:
        """Bring the tables and the log to what control's record says; an unchanged file is not written.

        A campaign in which nobody spoke has tables without rows.
        """
        with self._home.control.read() as connection:
            state = state_of(connection, self.campaign)
        if state is not None and state.signature.startswith(f"{FORMAT}:") and not self.problems():
            return self._written(0)
        with self._home.control.read() as connection:
            rows, folded, signature = fold_record(connection, self.campaign)
        return self._written(self._write(rows, folded, signature))

    def try_to_write(self) -> None:
        """Raises `ThermiteError` where files of the tables or the log can't be written; leaves nothing behind."""
        for path in (*(table_path(table.name, self.campaign) for table in TABLES), log_path(self.campaign)):
            probe = f"{path.rpartition('/')[0]}/{TEMPORARY_PREFIX}probe"
            try:
                self._home.lake.put(probe, b"", sync=False)
                self._home.lake.delete(probe)
            except OSError as error:
                raise ThermiteError(f"can't write: {error}", where=path, do="look at the lake") from None

    def problems(self, *, thorough: bool = False) -> list[str]:
        """Paths of tables or of the log that are not what was written."""
        ours = {table_path(table.name, self.campaign) for table in TABLES}
        found = set(self.files.damaged(thorough=thorough)) & ours
        with self._home.control.read() as connection:
            query = select(LakeFile.path, LakeFile.next_sha256).where(LakeFile.path.in_(sorted(ours)))
            settled = {row.path for row in connection.execute(query) if row.next_sha256 is None}
            log = state_of(connection, self.campaign, LOG)
        found |= ours - settled
        path = log_path(self.campaign)
        entry = self._home.lake.stat(path)
        if log is None or entry is None or thorough or entry.version != log.content:
            data = self._log_bytes()
            if log is None or data is None or hashlib.sha256(data).hexdigest() != log.signature:
                found.add(path)
        return sorted(found)

    def _log_bytes(self) -> bytes | None:
        try:
            return self._home.lake.get(log_path(self.campaign))
        except (LakeMissing, OSError):
            return None

    def _write(self, sessions: Sequence[Mapping[str, Any]], folded: Folded, signature: str) -> int:
        arranged = {
            table.name: arrange(table, rows)
            for table, rows in zip(TABLES, (sessions, folded.atoms, folded.intents, folded.checkpoints), strict=True)
        }
        hashes = {name: rows_hash(rows) for name, rows in arranged.items()}
        broken = set(self.problems())
        with self._home.control.read() as connection:
            paths = {table.name: table_path(table.name, self.campaign) for table in TABLES}
            query = select(LakeFile.path, LakeFile.rows_sha256).where(LakeFile.path.in_(sorted(paths.values())))
            known = {row.path: row.rows_sha256 for row in connection.execute(query)}
            log = state_of(connection, self.campaign, LOG)
        for table in TABLES:
            path = paths[table.name]
            if path in broken or known.get(path) != hashes[table.name]:
                self.files.stage(path, table, arranged[table.name])
        lines = log_lines(folded.atoms)
        log_hash = hashlib.sha256(lines).hexdigest()
        writes_log = log_path(self.campaign) in broken or log is None or log.signature != log_hash
        with self._home.control.write() as connection:
            mark_stale(connection, self.campaign)
        self.files.publish()
        if writes_log:
            self._home.lake.put(log_path(self.campaign), lines)
        with self._home.control.write() as connection:
            files = self.files.confirm(connection)
            self._note(connection, ATOMS, signature, hashes["atoms"], folded.atoms)
            if writes_log:
                entry = self._home.lake.stat(log_path(self.campaign))
                self._note(connection, LOG, log_hash, entry.version if entry else "", folded.atoms)
        for path in [*paths.values(), log_path(self.campaign)]:
            self._home.lake.sweep(path.rpartition("/")[0])
        return files + writes_log

    def _note(self, connection: Connection, name: str, signature: str, content: str, atoms: Sequence[Any]) -> None:
        row = {
            "campaign": self.campaign,
            "name": name,
            "signature": signature,
            "content": content,
            "rows": len(atoms),
            "days": sorted({atom["established"] for atom in atoms}),
            "changed_at": now_micros(),
        }
        upsert(connection, DerivedState, [row])

    def _written(self, files: int) -> TablesWritten:
        with self._home.control.read() as connection:
            query = select(LakeFile.path, LakeFile.rows)
            paths = [table_path(table.name, self.campaign) for table in TABLES]
            rows = {row.path: row.rows for row in connection.execute(query.where(LakeFile.path.in_(paths)))}
        counts = {path.split("/")[1]: count for path, count in rows.items()}
        return TablesWritten(files=files, **{name: counts.get(name, 0) for name in (t.name for t in TABLES)})


def log_lines(atoms: Sequence[Mapping[str, Any]]) -> bytes:
    """The flat log: one JSON object a line with the columns of the table, in the table's order of rows."""
    lines = []
    for atom in sorted(atoms, key=lambda atom: atom["atom"]):
        row = {name: atom[name] for name in ATOMS_TABLE.column_names}
        lines.append(json.dumps(row, ensure_ascii=False, separators=(",", ":")).translate(_LINE_ENDS) + "\n")
    return "".join(lines).encode()


def state_of(connection: Connection, campaign: str, name: str = ATOMS) -> Any:
    """What control's record says of a derived table; None where it was never written."""
    same = (DerivedState.campaign == campaign) & (DerivedState.name == name)
    return connection.execute(select(DerivedState).where(same)).first()
