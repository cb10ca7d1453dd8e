"""What people propose by hand: judged one by one, kept in control's record, and in the tables at once."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any, Literal, TypeVar

from sqlalchemy import delete, select

from thermite_pipelines.atoms.fold import SessionFacts, closes_circle, ids_of
from thermite_pipelines.atoms.model import Atom
from thermite_pipelines.atoms.planning import is_meant
from thermite_pipelines.atoms.quality import WHY, Refusal, judge_proposal, proposal_fields, quote_stands
from thermite_pipelines.atoms.session_store import mark_stale, scope_of
from thermite_pipelines.atoms.sessions import day_of, message_path
from thermite_pipelines.atoms.store import AtomTables, facts_of, fold_record
from thermite_pipelines.control import audit
from thermite_pipelines.control.atom_models import Proposal
from thermite_pipelines.control.campaigns import require_campaign
from thermite_pipelines.control.db import chunks, upsert
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.leases import lease
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.ledger import strict_json
from thermite_pipelines.tables.derived import MESSAGES
from thermite_pipelines.times import now_micros

WAIT_SECONDS = 30.0
"""How long a proposal waits for an extraction of the same campaign."""
MOST_AT_ONCE = 1_000
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)

WHY_PROPOSALS: Mapping[str, str] = {
    "unknown-session": "the campaign has no session of that id",
    "established": "the day is none of the form YYYY-MM-DD, lies in the future, or is not that of the session",
    "supersedes": "what it takes the place of is no atom of the campaign, or that would close a circle",
}
"""What is refused beside what `quality.WHY` lists, by rule, in words for people."""

Outcome = Literal["stored", "duplicate", "refused"]
Clock = Callable[[], int]


@dataclass(frozen=True)
class ProposalResult:
    """What became of one proposal: the atom's id where it is in the store, the reason where it was refused."""

    outcome: Outcome
    atom: str | None = None
    reason: str | None = None


class Refused(Exception):
    """A proposal is not kept: the rule, and why in words for people."""

    def __init__(self, rule: str, why: str) -> None:
        super().__init__(rule)
        self.reason = f"{rule}: {why}"


@dataclass(frozen=True)
class Place:
    """The message that a proposal cites."""

    session: str
    message: str
    place: int
    text: str


def propose(
    home: Home, campaign: str, document: Any, *, by: str, clock: Clock = now_micros, wait: float = WAIT_SECONDS
) -> list[ProposalResult]:
    """Judge one atom, or `{"atoms": [...]}`, and keep what passes; the answer says for each what became of it.

    Raises `ThermiteError` for an unknown campaign or a document of another shape, and `LeaseTaken` where the campaign
    is worked on for longer than `wait` seconds.
    """
    documents = _documents(document)
    with home.control.read() as connection:
        require_campaign(connection, campaign)
    with lease(home.control, scope_of(campaign), wait=wait):
        book = Book(home, campaign)
        results = [book.take(one, day_of(clock())) for one in documents]
        book.save(by, "propose", clock())
    return book.settled(results)


def parse_document(raw: bytes) -> Any:
    """The value of a JSON document of proposals; a byte order mark may stand before it.

    Raises `ThermiteError` for what is no strict JSON: a key given twice, NUL in a text, a number beyond a double.
    """
    try:
        return strict_json.loads(raw.removeprefix(b"\xef\xbb\xbf"))
    except strict_json.StrictJsonError as error:
        raise ThermiteError(f"this can't be taken as JSON: {error.detail}") from None


def _documents(document: Any) -> list[Any]:
    if isinstance(document, dict) and isinstance(document.get("atoms"), list):
        if len(document["atoms"]) > MOST_AT_ONCE:
            raise ThermiteError(f"more than {MOST_AT_ONCE} atoms at once", do="propose them in parts")
        return document["atoms"]
    if isinstance(document, dict):
        return [document]
    raise ThermiteError("this is no proposal", do='give one JSON object, or {"atoms": [...]}')


class Book:
    """The proposals of a campaign, and what they are judged against. The caller holds the lease `atoms:<c>`."""

    def __init__(self, home: Home, campaign: str) -> None:
        self._home = home
        self.campaign = campaign
        self._files = LakeFiles(home.control, home.lake, scope_of(campaign))
        with home.control.read() as connection:
            sessions, folded, _ = fold_record(connection, campaign)
            query = select(Proposal.digest).where(Proposal.campaign == campaign)
            self._proposed = set(connection.execute(query).scalars())
        self._facts = {facts.session: facts for facts in facts_of(sessions)}
        self.atoms = folded.atoms
        self.digests = {row["atom"]: row["statement_sha256"] for row in folded.atoms}
        self._known = set(self.digests.values())
        self._supersedes = {
            row["statement_sha256"]: self.digests[row["supersedes"]] for row in folded.atoms if row["supersedes"]
        }
        self._new: list[dict[str, Any]] = []

    def take(self, document: Any, today: str) -> ProposalResult:
        """Judge one proposal; the `atom` of the answer is its digest until `settled`."""
        try:
            given = _passed(proposal_fields(document) if isinstance(document, dict) else Refusal("bad-field"))
            _check_quote(given)
            place = self._place(given)
            atom = _passed(judge_proposal(given, place.text if place is not None else None))
            fields = self._fields(given, atom, place, today)
        except Refused as refused:
            return ProposalResult("refused", reason=refused.reason)
        return self.add(atom.digest, fields, "proposed")

    def add(self, digest: str, fields: dict[str, Any], origin: str) -> ProposalResult:
        """Keep an atom. What was extracted already is kept beside it, for the day on which its session leaves."""
        outcome: Outcome = "duplicate" if digest in self._known else "stored"
        if digest not in self._proposed:
            self._new.append({"campaign": self.campaign, "digest": digest, "origin": origin, "atom": fields})
            self._proposed.add(digest)
            if fields["supersedes"]:
                self._supersedes[digest] = fields["supersedes"]
        self._known.add(digest)
        return ProposalResult(outcome, digest)

    def _fields(self, given: dict[str, Any], atom: Atom, place: "Place | None", today: str) -> dict[str, Any]:
        day = _day(given.get("established"))
        facts = None if place is None else self._facts[place.session]
        if facts is not None:
            if day not in (None, facts.established):
                raise Refused("established", "it is not the day of the session")
            day = facts.established
        elif day is not None and day > today:
            raise Refused("established", f"it lies in the future: today is {today}")
        members = [self._digest(member) for member in atom.members]
        if None in members:
            raise Refused("bad-members", "a member is no atom of the campaign")
        fields = {name: value for name, value in asdict(atom).items() if name != "digest"}
        return fields | {
            "established": day or today,
            "source": given.get("source", "campaign"),
            "session": None if place is None else place.session,
            "message": None if place is None else place.message,
            "place": None if place is None else place.place,
            "cites": None if facts is None else _cites(facts),
            "supersedes": self._target(atom.digest, atom.supersedes),
            "members": sorted(member or "" for member in members),
        }

    def _place(self, given: dict[str, Any]) -> "Place | None":
        """The message that a proposal cites, by its session and its quote; None where it names no session."""
        session, quote = given.get("session"), given.get("verbatim_quote", "").strip()
        if session is None:
            if "message" in given:
                raise Refused("bad-field", "message needs the session that it is of")
            return None
        names = [name for name in sorted(self._facts) if is_meant(name, session)]
        if not names:
            raise Refused("unknown-session", WHY_PROPOSALS["unknown-session"])
        if not quote:
            raise Refused("no-quote", WHY["no-quote"])
        for name in names:
            rows = self._files.load(message_path(self.campaign, name), MESSAGES)
            if rows is None:
                continue
            columns = (rows[column].to_pylist() for column in ("message", "place", "text"))
            for message, place, text in zip(*columns, strict=True):
                if given.get("message") in (None, message) and quote_stands(quote, text):
                    return Place(name, message, place, text)
        raise Refused("quote-not-said", WHY["quote-not-said"])

    def _digest(self, atom: Any) -> str | None:
        """The digest of an atom that is there, by its id; of one that was just proposed too."""
        if not isinstance(atom, str):
            return None
        found = self.digests.get(atom)
        if found is None:
            found = next((one for one, name in self._ids().items() if name == atom), None)
        return found

    def _ids(self) -> dict[str, str]:
        return ids_of(self.campaign, self._known)

    def _target(self, digest: str, supersedes: Any) -> str | None:
        if supersedes is None:
            return None
        target = self._digest(supersedes)
        if target is None:
            raise Refused("supersedes", "it is no atom of the campaign")
        if closes_circle(digest, target, self._supersedes.get):
            raise Refused("supersedes", "that would close a circle")
        return target

    def save(self, by: str, action: str, now: int) -> None:
        """Keep what was taken, with an entry of the audit log, and bring the tables up to date.

        Raises `ThermiteError` where the tables can't be written; then nothing is kept.
        """
        if not self._new:
            return
        ids = self._ids()
        tables = AtomTables(self._home, self.campaign)
        tables.try_to_write()
        with self._home.control.write() as connection:
            upsert(connection, Proposal, [row | {"proposed_at": now} for row in self._new])
            atoms = sorted(ids[row["digest"]] for row in self._new)
            audit.record(connection, by, action, self.campaign, atoms=atoms[:20], count=len(atoms))
            mark_stale(connection, self.campaign)
        try:
            tables.refresh()
        except BaseException:
            self._take_back(by, f"{action}-undone")
            raise
        self._new = []

    def _take_back(self, by: str, action: str) -> None:
        """Nobody was told that it is stored, so it must not be there: not even after the next refresh."""
        mine = Proposal.campaign == self.campaign
        with self._home.control.write() as connection:
            for some in chunks(row["digest"] for row in self._new):
                connection.execute(delete(Proposal).where(mine, Proposal.digest.in_(some)))
            audit.record(connection, by, action, self.campaign, count=len(self._new))
            mark_stale(connection, self.campaign)

    def settled(self, results: Sequence[ProposalResult]) -> list[ProposalResult]:
        """The same answers with ids."""
        ids = self._ids()
        return [replace(one, atom=ids[one.atom]) if one.atom is not None else one for one in results]


Passed = TypeVar("Passed")


def _passed(judged: Passed | Refusal) -> Passed:
    if isinstance(judged, Refusal):
        raise Refused(judged.rule, judged.why)
    return judged


def _cites(facts: SessionFacts) -> dict[str, str | None]:
    """What a cited session is found by, whatever it is called by then."""
    return dict(zip(("session", "rig", "ledger", "run"), facts.source, strict=True))


def _check_quote(given: Mapping[str, Any]) -> None:
    """A quote is kept as it is, so it must be what can be shown; other texts are cleaned."""
    quote = given.get("verbatim_quote", "")
    if any(unicodedata.category(char) == "Cc" and char not in "\t\n\r" for char in quote):
        raise Refused("bad-field", "verbatim_quote holds control characters")


def _day(given: Any) -> str | None:
    """A day as it is written in atoms. None stays None; anything else is refused."""
    if given is None:
        return None
    try:
        if isinstance(given, str) and _DAY.fullmatch(given):
            return date.fromisoformat(given).isoformat()
    except ValueError:
        pass
    raise Refused("established", "it is no day of the form YYYY-MM-DD")
