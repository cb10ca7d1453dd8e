"""The fold: what was taken from sessions, and what people proposed, to rows of atoms, intents and checkpoints.

Pure. Sessions are taken by day, then id; each message once. What comes out depends on what is stored alone, not on the
order in which it came.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from thermite_pipelines.atoms.statements import digest

CHECKPOINT_SESSIONS = 10
_SHORTEST_ID = 16
_OWNER = "owner:"
Row = dict[str, Any]
Source = tuple[str, str | None, str | None, str | None]
"""Bare id of a session, and of a signed one its rig, ledger and run."""


@dataclass(frozen=True)
class SessionFacts:
    """What the fold needs of a session."""

    session: str
    established: str
    human_messages: int
    rig: str | None = None
    ledger: str | None = None
    run: str | None = None

    @property
    def source(self) -> Source:
        """What stays the same of a session, whatever it is called: other claims of its id rename it."""
        bare = _OWNER if self.session.startswith(_OWNER) else self.session.partition("@")[0]
        return bare, self.rig, self.ledger, self.run


@dataclass(frozen=True)
class Taken:
    """What was taken from one batch of a session's messages, as control's record keeps it."""

    first: int
    count: int
    model: str
    prompt_version: str
    atoms: Sequence[Mapping[str, Any]]
    intents: Sequence[Mapping[str, Any]]
    refused: Mapping[str, int]


@dataclass(frozen=True)
class Proposed:
    """A proposal as control's record keeps it."""

    digest: str
    origin: str
    atom: Mapping[str, Any]


@dataclass
class Folded:
    """The rows of the tables."""

    atoms: list[Row] = field(default_factory=list)
    intents: list[Row] = field(default_factory=list)
    checkpoints: list[Row] = field(default_factory=list)


@dataclass
class _Counts:
    """What one session adds to its checkpoint."""

    facts: SessionFacts
    extracted: int = 0
    atoms: int = 0
    duplicates: int = 0
    types: Counter[str] = field(default_factory=Counter)
    domains: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)


def in_order(sessions: Iterable[SessionFacts]) -> list[SessionFacts]:
    """Sessions by day, then id."""
    return sorted(sessions, key=lambda facts: (facts.established, facts.session))


def fold(
    campaign: str,
    sessions: Iterable[SessionFacts],
    taken: Mapping[str, Sequence[Taken]],
    proposals: Iterable[Proposed],
) -> Folded:
    """The rows of a campaign. `taken` holds the batches of each session in the order of their messages."""
    ordered = in_order(sessions)
    known: dict[str, Row] = {}
    folded = Folded()
    counts = []
    for facts in ordered:
        count = _Counts(facts)
        counts.append(count)
        for batch in taken.get(facts.session, ()):
            count.extracted += batch.count
            count.refused.update(batch.refused)
            for atom in sorted(batch.atoms, key=lambda atom: atom["place"]):
                _take(known, facts, batch, atom, count)
        folded.intents += _intents(facts, taken.get(facts.session, ()))
    explicit = _take_proposals(known, {facts.session: facts for facts in ordered}, proposals)
    _link(known, explicit)
    ids = ids_of(campaign, known)
    folded.atoms = sorted((_row(ids, row) for row in known.values()), key=lambda row: row["atom"])
    folded.checkpoints = _checkpoints(counts)
    return folded


def _take(known: dict[str, Row], facts: SessionFacts, batch: Taken, atom: Mapping[str, Any], count: _Counts) -> None:
    before = known.get(atom["digest"])
    if before is not None:
        count.duplicates += 1
        if before["sessions"][-1] != facts.session:
            before["sessions"].append(facts.session)
        return
    count.atoms += 1
    count.types[atom["type"]] += 1
    count.domains.update(set(atom["domain"]))
    known[atom["digest"]] = {
        "type": atom["type"],
        "statement": atom["statement"],
        "domain": list(atom["domain"]),
        "conditions": atom["conditions"],
        "verbatim_quote": atom["verbatim_quote"],
        "quote_checked": atom["quote_checked"],
        "wrong_assumption": atom["wrong_assumption"],
        "why_confused": atom["why_confused"],
        "established": facts.established,
        "time_bound": atom["time_bound"],
        "source": "campaign",
        "origin": "extracted",
        "session": facts.session,
        "message": atom["message"],
        "place": atom["place"],
        "sessions": [facts.session],
        "rig": facts.rig,
        "ledger": facts.ledger,
        "run": facts.run,
        "members": [],
        "digest": atom["digest"],
        "model": batch.model,
        "prompt_version": batch.prompt_version,
    }


def _intents(facts: SessionFacts, batches: Sequence[Taken]) -> list[Row]:
    found: dict[tuple[int, str], Row] = {}
    for batch in batches:
        for intent in batch.intents:
            found.setdefault(
                (intent["place"], intent["text"]),
                {
                    "session": facts.session,
                    "place": intent["place"],
                    "message": intent["message"],
                    "intent": intent["text"],
                    "established": facts.established,
                    "rig": facts.rig,
                    "ledger": facts.ledger,
                    "run": facts.run,
                    "model": batch.model,
                    "prompt_version": batch.prompt_version,
                },
            )
    return [found[key] for key in sorted(found)]


def _take_proposals(
    known: dict[str, Row], sessions: Mapping[str, SessionFacts], proposals: Iterable[Proposed]
) -> dict[str, str]:
    """Add what was proposed and never extracted; return what each proposal says it takes the place of.

    What was extracted counts for more whichever came first: it has a message behind it. It takes on the proposal's
    session and what the proposal corrects.
    """
    explicit = {}
    cites = _Cited(sessions)
    for proposal in sorted(proposals, key=lambda one: (one.atom["established"], one.digest)):
        atom = proposal.atom
        if atom["supersedes"]:
            explicit[proposal.digest] = atom["supersedes"]
        facts, is_same = cites.find(atom)
        name = cites.name(atom) if facts is None else facts.session
        before = known.get(proposal.digest)
        if before is not None:
            if facts is not None and facts.session not in before["sessions"]:
                before["sessions"].append(facts.session)
                before["sessions"].sort(key=lambda one: (sessions[one].established, one))
            continue
        known[proposal.digest] = {
            **{key: atom[key] for key in ("type", "statement", "conditions", "verbatim_quote", "wrong_assumption")},
            "domain": list(atom["domain"]),
            # Where the session belongs elsewhere now, nobody can look the quote up any more.
            "quote_checked": bool(atom["quote_checked"]) and is_same,
            "why_confused": atom["why_confused"],
            "established": atom["established"] if facts is None else facts.established,
            "time_bound": atom["time_bound"],
            "source": atom["source"],
            "origin": proposal.origin,
            "session": name,
            "message": None if name is None else atom["message"],
            "place": None if name is None else atom["place"],
            "sessions": [] if facts is None else [facts.session],
            "rig": None if facts is None else facts.rig,
            "ledger": None if facts is None else facts.ledger,
            "run": None if facts is None else facts.run,
            "members": list(atom["members"]),
            "digest": proposal.digest,
            "model": None,
            "prompt_version": None,
        }
    return explicit


class _Cited:
    """Finds the sessions that proposals cite, whatever they are called now."""

    def __init__(self, sessions: Mapping[str, SessionFacts]) -> None:
        self._sessions = sessions
        self._by_source = {facts.source: facts for facts in sessions.values()}
        self._by_id: dict[str, list[SessionFacts]] = defaultdict(list)
        for source, facts in self._by_source.items():
            self._by_id[source[0]].append(facts)

    def find(self, atom: Mapping[str, Any]) -> tuple[SessionFacts | None, bool]:
        """The session, and whether it is the very one, so that the cited message is in it.

        A transcript and a signed session of one id are one conversation, told by two: the one that counts stands for
        the other, but calls its messages otherwise.
        """
        told = atom.get("cites")
        if told is None:
            return None, False
        source = (told["session"], told["rig"], told["ledger"], told["run"])
        if facts := self._by_source.get(source):
            return facts, True
        others = self._by_id.get(source[0], [])
        if len(others) == 1 and None in (source[1], others[0].rig):
            return others[0], False
        return None, False

    def name(self, atom: Mapping[str, Any]) -> str | None:
        """What a session that is not here is called: as it was, unless another has that name now."""
        return None if atom["session"] in self._sessions else atom["session"]


def order_of(row: Row) -> tuple[Any, ...]:
    """Where an atom stands among all: by day, session, place."""
    return (row["established"], row["session"] or "", -1 if row["place"] is None else row["place"], row["digest"])


def _link(known: dict[str, Row], explicit: Mapping[str, str]) -> None:
    """Fill what each atom takes the place of: as proposed, else an earlier statement that a correction calls wrong.

    What would close a circle is left out.
    """
    ordered = sorted(known.values(), key=order_of)
    for row in known.values():
        row["supersedes"] = row["superseded_by"] = None
    for row in ordered:
        target = explicit.get(row["digest"])
        if target in known and not closes_circle(row["digest"], target, _next(known)):
            row["supersedes"] = target
    seen: set[str] = set()
    for row in ordered:
        if row["supersedes"] is None and row["type"] == "correction" and row["wrong_assumption"]:
            wrong = digest(row["wrong_assumption"])
            if wrong in seen and not (explicit and closes_circle(row["digest"], wrong, _next(known))):
                row["supersedes"] = wrong
        seen.add(row["digest"])
    for row in ordered:
        if row["supersedes"] is not None:
            known[row["supersedes"]]["superseded_by"] = row["digest"]  # the latest of several counts


def _next(known: Mapping[str, Row]) -> Any:
    return lambda one: known[one]["supersedes"] if one in known else None


def closes_circle(one: str, target: str, supersedes: Any) -> bool:
    """Whether `one` taking the place of `target` would close a circle; `supersedes` gives what an atom replaced."""
    at: str | None = target
    while at is not None:
        if at == one:
            return True
        at = supersedes(at)
    return False


def ids_of(campaign: str, known: Iterable[str]) -> dict[str, str]:
    """The id of each digest: 16 digits of it, 8 more for those that share these, and so on."""
    ids: dict[str, str] = {}
    waiting, length = sorted(known), _SHORTEST_ID
    while waiting:
        shared = Counter(one[:length] for one in waiting)
        ids |= {one: f"atom:{campaign}/{one[:length]}" for one in waiting if shared[one[:length]] == 1 or length >= 64}
        waiting = [one for one in waiting if one not in ids]
        length += 8
    return ids


def _row(ids: Mapping[str, str], atom: Row) -> Row:
    row = {name: value for name, value in atom.items() if name != "digest"}
    return row | {
        "atom": ids[atom["digest"]],
        "confidence": "stated",
        "members": sorted(ids[member] for member in atom["members"] if member in ids),
        "supersedes": ids.get(atom["supersedes"] or ""),
        "superseded_by": ids.get(atom["superseded_by"] or ""),
        "statement_sha256": atom["digest"],
    }


def _checkpoints(counts: Sequence[_Counts]) -> list[Row]:
    """The figures of every 10 sessions that something was taken from, or that nobody spoke in, and of the remainder."""
    done = [count for count in counts if count.extracted or not count.facts.human_messages]
    return [
        _checkpoint(start // CHECKPOINT_SESSIONS + 1, done[start : start + CHECKPOINT_SESSIONS])
        for start in range(0, len(done), CHECKPOINT_SESSIONS)
    ]


def _checkpoint(number: int, counts: Sequence[_Counts]) -> Row:
    days = [date.fromisoformat(count.facts.established) for count in counts]
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for count in counts:
        for name in ("types", "domains", "refused"):
            totals[name].update(getattr(count, name))
    human = sum(count.facts.human_messages for count in counts)
    atoms = sum(count.atoms for count in counts)
    duplicates = sum(count.duplicates for count in counts)
    return {
        "checkpoint": number,
        "sessions": len(counts),
        "first_session": counts[0].facts.session,
        "last_session": counts[-1].facts.session,
        "oldest_day": min(days).isoformat(),
        "newest_day": max(days).isoformat(),
        "age_range_days": (max(days) - min(days)).days,
        "human_messages": human,
        "atoms": atoms,
        "duplicates": duplicates,
        "signal_to_noise": atoms / human if human else None,
        "duplicate_rate": duplicates / (atoms + duplicates) if atoms + duplicates else None,
        "types": [{"type": name, "atoms": n} for name, n in sorted(totals["types"].items())],
        "domains": [{"domain": name, "atoms": n} for name, n in sorted(totals["domains"].items())],
        "refused": [{"rule": name, "candidates": n} for name, n in sorted(totals["refused"].items())],
        "is_final": len(counts) < CHECKPOINT_SESSIONS,
    }
