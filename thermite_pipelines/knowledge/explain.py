"""Where something came from: a document that leads from an item or an atom down to the signed reports.

Every kind has an explainer in `EXPLAINERS`; later kinds of derived things join there and nest the documents of what
they were made from.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from sqlalchemy import Connection

from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.control.models import Run
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.derived import DerivedReader
from thermite_pipelines.knowledge.fold import FoldEvent, target
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.items import KINDS, parse_item_id
from thermite_pipelines.knowledge.provenance import (
    CheckedReport,
    ReportChecker,
    SignedEvent,
    kept_whole,
    signed_events,
)
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.state import RunState, all_runs

Row = dict[str, Any]
SIGNED_SESSION, OWNER_MESSAGE = "session_recorded", "owner_message"


@dataclass(frozen=True)
class Explained:
    """One step of where something came from. `sources` are the steps below it, `reports` all signed ones below it.

    `verified`: everything that it rests on was found as it was signed or kept, and says what is said of it.
    """

    id: str
    kind: str
    text: str | None
    verified: bool
    reports: tuple[CheckedReport, ...] = ()
    sources: tuple["Explained", ...] = ()
    decisions: tuple[Row, ...] = ()
    more: Row = field(default_factory=dict)

    def document(self) -> Row:
        """The form that `thermite explain --json` prints."""
        return {
            "id": self.id,
            "kind": self.kind,
            "text": self.text,
            "decisions": list(self.decisions),
            "from": [source.document() for source in self.sources],
            "reports": [report.document() for report in self.reports],
            "verified": self.verified,
            **self.more,
        }


class Explaining:
    """What explainers share while one thing is explained: each report and each table is read once."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.reports = ReportChecker(home)
        self.derived = DerivedReader(home)
        self.trail: list[str] = []
        """The ids that are being explained, from the top down: what was composed of itself is not followed for ever."""
        self._rows: dict[tuple[str, str], list[Row]] = {}

    def rows(self, campaign: str, table: str) -> list[Row]:
        """All rows of a derived table of a campaign; none where control knows no such campaign."""
        key = (campaign, table)
        if key not in self._rows:
            self._rows[key] = self.derived.rows(campaign, table) if campaign in self.campaigns else []
        return self._rows[key]

    @cached_property
    def campaigns(self) -> list[str]:
        """All campaigns."""
        with self.home.control.read() as connection:
            return campaign_names(connection)

    def run(self, rig: str, *conditions: Any) -> RunState | None:
        """The run of a rig that meets SQL conditions on `Run`."""
        with self.home.control.read() as connection:
            return _first(connection, Run.rig == rig, *conditions)


def _first(connection: Connection, *conditions: Any) -> RunState | None:
    return next(iter(all_runs(connection, *conditions)), None)


def explain(home: Home, id: str) -> Explained:
    """Where the item or derived thing of an id came from.

    Raises `UsageError` for what is no id of a known kind, `ThermiteError` where there is no such thing.
    """
    explainer = EXPLAINERS.get(id.partition(":")[0])
    if explainer is None or ":" not in id:
        raise UsageError(f"{id[:160]!r} is no id", do=f"write <kind>:…, with a kind of: {', '.join(EXPLAINERS)}")
    return explainer(Explaining(home), id)


def _explain_item(using: Explaining, id: str) -> Explained:
    """An item: the reports of the events that opened and changed it."""
    wanted = parse_item_id(id)
    row = FolderReader(using.home.control, using.home.lake).find(id)
    run = using.run(wanted.rig, Run.label == wanted.label)
    if row is None or run is None:
        raise ThermiteError(f"there is no item {id}", do="look at `thermite items`")
    events = [
        event
        for event in signed_events(using.home, run, row["n"], row["updated_n"])
        if target(run.run_id, FoldEvent(event.n, event.at, event.by, event.type, event.data))
        == (wanted.kind, wanted.record)
    ]
    reports = _reports(using, events)
    return Explained(id, wanted.kind, row["text"] or row["title"], bool(reports) and _all_verified(reports), reports)


def _explain_atom(using: Explaining, id: str) -> Explained:
    """An atom: the message that says it with its neighbours, and every other session that says the same."""
    campaign = id.partition(":")[2].partition("/")[0]
    atom = next((row for row in using.rows(campaign, "atoms") if row["atom"] == id), None)
    if atom is None:
        raise ThermiteError(f"there is no atom {id}", do="look for it with `thermite search --kind atom`")
    sources, is_whole = _members(using, campaign, atom) if atom["members"] else _said(using, campaign, atom)
    more = ("type", "verbatim_quote", "conditions", "established", "session", "message", "supersedes", "superseded_by")
    return Explained(
        id=id,
        kind="atom",
        text=atom["statement"],
        verified=is_whole and all(source.verified for source in sources),
        reports=_joined(sources),
        sources=tuple(sources),
        more={name: atom[name] for name in more},
    )


def _members(using: Explaining, campaign: str, atom: Row) -> tuple[list[Explained], bool]:
    """The atoms that a gestalt is composed of, and whether each is there."""
    known = {row["atom"] for row in using.rows(campaign, "atoms")}
    using.trail.append(atom["atom"])
    followed = [member for member in atom["members"] if member in known and member not in using.trail]
    sources = [_explain_atom(using, member) for member in followed]
    using.trail.pop()
    return sources, len(sources) == len(atom["members"])


def _said(using: Explaining, campaign: str, atom: Row) -> tuple[list[Explained], bool]:
    """Where an atom was said, the cited message first, and whether anywhere at all."""
    if atom["session"] is None:
        return [], False
    others = [session for session in atom["sessions"] or () if session != atom["session"]]
    said = [_message(using, campaign, atom)]
    return said + [_session(using, campaign, session) for session in others], True


def _message(using: Explaining, campaign: str, atom: Row) -> Explained:
    """The message that an atom cites, verified where the quote stands in it as it was signed or kept."""
    session = atom["session"]
    messages = using.derived.messages(campaign, session)
    said = next((row for row in messages if row["message"] == atom["message"]), None)
    source = _session(using, campaign, session, said)
    quote = atom["verbatim_quote"]
    stands = said is not None and bool(quote) and quote in said["text"]
    neighbours = {
        name: None if said is None or said[f"{name}_role"] is None else {"role": said[f"{name}_role"], "text": words}
        for name, words in ((name, None if said is None else said[f"{name}_text"]) for name in ("before", "after"))
    }
    return Explained(
        id=f"{session}#{atom['message']}",
        kind="message",
        text=None if said is None else said["text"],
        verified=stands and source.verified,
        reports=source.reports,
        sources=(source,),
        more={"session": session, "message": atom["message"], "quote_stands": stands, **neighbours},
    )


def _session(using: Explaining, campaign: str, session: str, said: Row | None = None) -> Explained:
    """A session: its signed reports, or the kept transcript. With `said`, only what brought that message counts."""
    row = next((row for row in using.rows(campaign, "sessions") if row["session"] == session), None)
    if row is None:
        return Explained(session, "session", None, verified=False)
    more = {name: row[name] for name in ("tool", "established", "rig", "run", "transcript")}
    if row["transcript"] is not None:
        is_kept = kept_whole(using.home, row["transcript"], row["content_sha256"])
        kept = {"path": row["transcript"], "sha256": row["content_sha256"], "verified": is_kept}
        return Explained(session, "session", None, is_kept, more=more | {"transcript": kept})
    reports = _reports(using, _session_events(using, row, said))
    return Explained(session, "session", None, bool(reports) and _all_verified(reports), reports, more=more)


def _session_events(using: Explaining, session: Row, said: Row | None) -> list[SignedEvent]:
    """The events that a signed session is told by: its newest version, or the owner's messages to a run."""
    run = using.run(session["rig"], Run.ledger == session["ledger"], Run.run == session["run"])
    if run is None:
        return []
    # Where two runs claim one id, `@<rig>/<run>` tells them apart; the rig wrote the id alone.
    name = session["session"].partition("@")[0]
    events = list(signed_events(using.home, run, run.created_n, run.last_n, [session["tool"]]))
    if session["tool"] == SIGNED_SESSION:
        versions = [event for event in events if event.data["session"] == name]
        return [event for event in versions[-1:] if said is None or _says(event, said)]
    if said is None:
        return events
    return [event for event in events if event.data["message"] == said["message"] and _says(event, said)]


def _says(event: SignedEvent, said: Row) -> bool:
    """Whether a signed event holds the words that are stored of a message."""
    if event.type == OWNER_MESSAGE:
        texts = [event.data["text"]]
    else:
        texts = [message["text"] for message in event.data["messages"] if message["role"] == "human"]
    words = said["text"]
    return any(text == words or (said["is_cut"] and text.startswith(words)) for text in texts)


def _reports(using: Explaining, events: list[SignedEvent]) -> tuple[CheckedReport, ...]:
    """The reports of events, each once, in order; one that fails for any of its events is not verified."""
    found: dict[tuple[str, str], CheckedReport] = {}
    for event in events:
        report = using.reports.check(event)
        key = (report.rig, report.payload_sha256)
        if key not in found or not report.verified:
            found[key] = report
    return tuple(found.values())


def _joined(sources: list[Explained]) -> tuple[CheckedReport, ...]:
    return tuple(dict.fromkeys(report for source in sources for report in source.reports))


def _all_verified(reports: tuple[CheckedReport, ...]) -> bool:
    return all(report.verified for report in reports)


EXPLAINERS: dict[str, Callable[[Explaining, str], Explained]] = {"atom": _explain_atom} | dict.fromkeys(
    KINDS, _explain_item
)
"""By kind (what an id begins with), what explains a thing of it."""
