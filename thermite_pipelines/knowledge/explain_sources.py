"""Where items and atoms came from: the messages that say an atom, and the signed reports of all events."""

from collections.abc import Iterable, Mapping

from sqlalchemy import select

from thermite_pipelines.control.db import chunks
from thermite_pipelines.control.models import Record, Run
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.blocks import BLOCK, block_path, run_prefix
from thermite_pipelines.knowledge.explained import Explained, Explaining, Row, all_verified, joined
from thermite_pipelines.knowledge.items import ItemId, parse_item_id
from thermite_pipelines.knowledge.provenance import SignedEvent, kept_whole
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.state import RunState
from thermite_pipelines.tables.schemas import ITEM_TABLES

SIGNED_SESSION, OWNER_MESSAGE = "session_recorded", "owner_message"
_ITEM_COLUMNS = ("item", "n", "updated_n", "title", "text")


def explain_item(using: Explaining, id: str) -> Explained:
    """An item: the reports of the events that opened and changed it."""
    wanted = parse_item_id(id)
    row = using.readable.find(FolderReader(using.home.control, using.home.lake), id)
    run = using.run(wanted.rig, Run.label == wanted.label)
    if row is None or run is None:
        raise ThermiteError(f"there is no item {id}", do="look at `thermite items`")
    key = (wanted.kind, wanted.record)
    events = using.events.of_items(run, {key: (row["n"], row["updated_n"])})[key]
    return _item(using, id, wanted.kind, row, events)


def explain_items(using: Explaining, ids: Iterable[str]) -> dict[str, Explained]:
    """Many items at once, as their campaigns' folders have them: each file is read once.

    Ids of none, and of those that may not be read, are left out.
    """
    wanted = {id: parse_item_id(id) for id in ids}
    runs = using.runs((item.rig, item.label) for item in wanted.values())
    of_run: dict[int, dict[str, ItemId]] = {}
    for id, item in wanted.items():
        run = runs.get((item.rig, item.label))
        if run is not None and run.campaign in using.readable:
            of_run.setdefault(run.run_key, {})[id] = item
    rows = _stored(using, {run.run_key: run for run in runs.values()}, of_run)
    events: dict[str, list[SignedEvent]] = {}
    for run in runs.values():
        there = {id: item for id, item in of_run.get(run.run_key, {}).items() if id in rows}
        spans = {(item.kind, item.record): (rows[id]["n"], rows[id]["updated_n"]) for id, item in there.items()}
        found = using.events.of_items(run, spans) if spans else {}
        events |= {id: found[item.kind, item.record] for id, item in there.items()}
    using.reports.expect(event for several in events.values() for event in several)
    return {id: _item(using, id, wanted[id].kind, row, events[id]) for id, row in rows.items()}


def _stored(using: Explaining, runs: Mapping[int, RunState], of_run: Mapping[int, dict[str, ItemId]]) -> dict[str, Row]:
    """The rows of some items as their folders have them, by id; the items come by the keys of their runs."""
    files: dict[tuple[str, str], list[str]] = {}
    query = select(Record.kind, Record.record, Record.n)
    with using.home.control.read() as connection:
        for run_key, items in of_run.items():
            run = runs[run_key]
            prefix = run_prefix(run.rig, run.ledger, run.run)
            for batch in chunks(sorted({item.record for item in items.values()})):
                named = query.where(Record.run_key == run_key, Record.record.in_(batch))
                numbers = {(row.kind, row.record): row.n for row in connection.execute(named)}
                for id, item in items.items():
                    n = numbers.get((item.kind, item.record))
                    if n is not None:
                        path = block_path(item.kind, run.campaign or "", prefix, n // BLOCK)
                        files.setdefault((path, item.kind), []).append(id)
    using.columns.expect(path for path, _ in files)
    return {
        row["item"]: row
        for (path, kind), ids in files.items()
        for row in using.columns.matching(path, ITEM_TABLES[kind], "item", ids, _ITEM_COLUMNS).to_pylist()
    }


def _item(using: Explaining, id: str, kind: str, row: Row, events: Iterable[SignedEvent]) -> Explained:
    reports = using.reports_of(events)
    return Explained(id, kind, row["text"] or row["title"], bool(reports) and all_verified(reports), reports)


def explain_atom(using: Explaining, id: str) -> Explained:
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
        reports=joined(sources),
        sources=tuple(sources),
        more={name: atom[name] for name in more},
    )


def _members(using: Explaining, campaign: str, atom: Row) -> tuple[list[Explained], bool]:
    """The atoms that a gestalt is composed of, and whether each is there."""
    known = {row["atom"] for row in using.rows(campaign, "atoms")}
    using.trail.append(atom["atom"])
    followed = [member for member in atom["members"] if member in known and member not in using.trail]
    sources = [explain_atom(using, member) for member in followed]
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
    reports = using.reports_of(_session_events(using, row, said))
    return Explained(session, "session", None, bool(reports) and all_verified(reports), reports, more=more)


def _session_events(using: Explaining, session: Row, said: Row | None) -> list[SignedEvent]:
    """The events that a signed session is told by: its newest version, or the owner's messages to a run."""
    run = using.run(session["rig"], Run.ledger == session["ledger"], Run.run == session["run"])
    if run is None:
        return []
    # Where two runs claim one id, `@<rig>/<run>` tells them apart; the rig wrote the id alone.
    name = session["session"].partition("@")[0]
    events = list(using.events.of_run(run, run.created_n, run.last_n, [session["tool"]]))
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
