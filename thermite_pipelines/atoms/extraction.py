"""Asks an answerer about messages that nothing was taken from yet, and keeps what passes the gate.

Each answer is a row of control's record: it is committed as it comes, so a kill costs what was in the air and no more.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, delete, select

from thermite_pipelines.atoms.gate import judge_answer
from thermite_pipelines.atoms.model import Answered, Answerer, Atom, Extraction, Intent
from thermite_pipelines.atoms.planning import Again, Batch, Plan, PlannedSession, SaidRows, cut, plan_extraction
from thermite_pipelines.atoms.reading import SessionsRead, read_sessions
from thermite_pipelines.atoms.session_store import mark_stale, scope_of
from thermite_pipelines.atoms.sessions import batch_hash, message_path
from thermite_pipelines.atoms.store import AtomTables, TablesWritten
from thermite_pipelines.control.atom_models import Extraction as ExtractionRow
from thermite_pipelines.control.atom_models import Session
from thermite_pipelines.control.db import chunks, upsert
from thermite_pipelines.control.lake_files import DamagedFile, LakeFiles
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.llm.errors import BudgetReached
from thermite_pipelines.tables.derived import MESSAGES

Progress = Callable[[int, int], None]

RULES = "rules"
_GROUP_CHARS = 4_000_000
_GROUP_BATCHES = 400
_COMMIT_BATCHES = 200


@dataclass
class ExtractionResult:
    """What an extraction did. `left`: messages that it should have asked about and has no answer for."""

    sessions: int = 0
    unchanged: int = 0
    messages: int = 0
    atoms: int = 0
    duplicates: int = 0
    intents: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[str, str]] = field(default_factory=list)
    stopped: str | None = None
    left: int = 0
    read: SessionsRead | None = None
    tables: TablesWritten | None = None


def extract(
    home: Home,
    campaign: str,
    answerer: Answerer,
    *,
    recent: int | None = None,
    session: str | None = None,
    again: Again = "no",
    plain: bool = False,
    read: bool = True,
    progress: Progress | None = None,
) -> ExtractionResult:
    """Read what is new, ask about what nothing was taken from, and bring the tables up to date.

    With `plain` the transcript folders that name no campaign are this campaign's too; without `read` only sessions that
    are stored count. One batch without an answer stops no other. `progress` is told (messages done, of how many). The
    caller holds the lease `atoms:<c>`.
    """
    sessions = read_sessions(home, campaign, plain=plain) if read else None
    if again != "no":  # whoever wants that does not trust what is there: the tables are folded anew too
        with home.control.write() as connection:
            mark_stale(connection, campaign)
    plan = plan_extraction(home, campaign, answerer, recent=recent, session=session, again=again)
    result = _Extractor(home, campaign, answerer, again, progress).run(plan)
    result.read = sessions
    result.tables = AtomTables(home, campaign).refresh()
    return result


class _Extractor:
    def __init__(self, home: Home, campaign: str, answerer: Answerer, again: Again, progress: Progress | None) -> None:
        self._home = home
        self._campaign = campaign
        self._answerer = answerer
        self._again = again
        self._progress = progress or (lambda done, total: None)
        self._files = LakeFiles(home.control, home.lake, scope_of(campaign))
        self._hashes: dict[str, list[str]] = {}
        self._waiting: list[dict[str, Any]] = []
        self._known: set[str] = set()
        self._answered: set[tuple[str, int]] = set()
        self._result = ExtractionResult()

    def run(self, plan: Plan) -> ExtractionResult:
        result = self._result
        result.unchanged = plan.unchanged
        if not plan.sessions:
            return result
        self._known = self._known_statements(plan)
        for group in self._groups(plan.sessions):
            try:
                self._ask(group, plan.messages)
            except BudgetReached as error:
                result.stopped = error.what
            finally:
                self._commit()
            if result.stopped:
                break
        result.sessions = len({session for session, _ in self._answered})
        result.left = plan.messages - result.messages
        return result

    def _known_statements(self, plan: Plan) -> set[str]:
        """Hashes of what was said before; what sessions said that are asked about again is not said twice for that."""
        anew = {planned.session for planned in plan.sessions} if self._again != "no" else set()
        with self._home.control.read() as connection:
            query = select(ExtractionRow.session, ExtractionRow.atoms).where(ExtractionRow.campaign == self._campaign)
            rows = connection.execute(query)
            return {atom["digest"] for session, atoms in rows if session not in anew for atom in atoms}

    def _groups(self, sessions: Sequence[PlannedSession]) -> Iterator[list[Batch]]:
        """Some batches at a time: the messages of a campaign, or of a hostile session, need not fit in memory."""
        group: list[Batch] = []
        chars = 0
        for some in chunks(sessions, 100):
            # Of the hashes only those of batches that wait still are needed on.
            waiting = {batch.session for batch in group}
            self._hashes = {name: found for name, found in self._hashes.items() if name in waiting}
            files = self._look_up([planned.session for planned in some])
            for planned in some:
                for batch in self._batches(planned, files.get(message_path(self._campaign, planned.session))):
                    group.append(batch)
                    chars += sum(len(said.text) for said in batch.messages)
                    if chars >= _GROUP_CHARS or len(group) >= _GROUP_BATCHES:
                        yield group
                        group, chars = [], 0
        if group:
            yield group

    def _look_up(self, sessions: list[str]) -> dict[str, Any]:
        """What control's record says of some sessions' files, by path; the hashes of their messages are noted."""
        paths = [message_path(self._campaign, session) for session in sessions]
        with self._home.control.read() as connection:
            same = (Session.campaign == self._campaign) & Session.session.in_(sessions)
            for row in connection.execute(select(Session.session, Session.human_sha256).where(same)):
                self._hashes[row.session] = row.human_sha256
            return {row.path: row for row in connection.execute(select(LakeFile).where(LakeFile.path.in_(paths)))}

    def _batches(self, planned: PlannedSession, file: Any) -> Iterator[Batch]:
        try:
            rows = self._files.load(message_path(self._campaign, planned.session), MESSAGES, file)
            if rows is None or rows.num_rows != planned.human_messages:
                raise DamagedFile("the file is not what was written", where=planned.session, do="extract again")
            yield from cut(planned.session, planned.ranges, SaidRows(rows), self._answerer)
        except ThermiteError as error:
            self._result.failed.append((planned.session, error.what))

    def _ask(self, batches: list[Batch], total: int) -> None:
        for place, answer in self._answerer.answer_all([batch.messages for batch in batches]):
            batch = batches[place]
            if isinstance(answer, BudgetReached):
                self._result.stopped = answer.what
            elif isinstance(answer, ThermiteError):
                self._result.failed.append((batch.session, answer.what))
            elif isinstance(answer, Answered):
                self._take(batch, answer)
            else:
                self._take(batch, Answered(answer, self._answerer.model))
            self._progress(self._result.messages, total)

    def _take(self, batch: Batch, answer: Answered) -> None:
        judged = judge_answer(answer.extracted, batch.messages)
        for why, count in answer.unanswered.items():
            judged.refused[why] = judged.refused.get(why, 0) + count
        row = self._row(batch, judged, answer.model)
        self._count(batch, judged)
        self._waiting.append(row)
        # Somebody paid for the answer of a model: it must not be lost by a kill.
        if self._answerer.model != RULES or len(self._waiting) >= _COMMIT_BATCHES:
            self._commit()

    def _row(self, batch: Batch, judged: Extraction, model: str) -> dict[str, Any]:
        places = {said.message: said.place for said in batch.messages}
        hashes = self._hashes[batch.session][batch.first : batch.first + len(batch.messages)]
        return {
            "campaign": self._campaign,
            "session": batch.session,
            "first": batch.first,
            "count": len(batch.messages),
            "messages_sha256": batch_hash(hashes),
            "model": model,
            "prompt_version": self._answerer.prompt_version,
            "atoms": [_plain(atom) | {"place": places[atom.message or ""]} for atom in judged.atoms],
            "intents": [_plain(intent) | {"place": places[intent.message]} for intent in judged.intents],
            "refused": dict(sorted(judged.refused.items())),
        }

    def _count(self, batch: Batch, judged: Extraction) -> None:
        result = self._result
        self._answered.add((batch.session, batch.first))
        result.messages += len(batch.messages)
        result.intents += len(judged.intents)
        result.refused.update(judged.refused)
        for atom in judged.atoms:
            if atom.digest in self._known:
                result.duplicates += 1
            else:
                result.atoms += 1
                self._known.add(atom.digest)

    def _commit(self) -> None:
        if not self._waiting:
            return
        with self._home.control.write() as connection:
            if self._again != "no":
                for row in self._waiting:
                    self._make_room(connection, row)
            upsert(connection, ExtractionRow, self._waiting)
            mark_stale(connection, self._campaign)
        self._waiting = []

    def _make_room(self, connection: Connection, row: dict[str, Any]) -> None:
        """Answers to other batches of the same messages count no more."""
        end = row["first"] + row["count"]
        overlaps = (ExtractionRow.first < end) & (ExtractionRow.first + ExtractionRow.count > row["first"])
        same = (ExtractionRow.campaign == self._campaign) & (ExtractionRow.session == row["session"])
        connection.execute(delete(ExtractionRow).where(same, overlaps))


def _plain(value: Atom | Intent) -> dict[str, Any]:
    """The fields of an atom or intent; their values are plain already."""
    return {name: getattr(value, name) for name in value.__slots__}
