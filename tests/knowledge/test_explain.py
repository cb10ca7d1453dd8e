"""From an item or an atom down to the signed reports, each checked again."""

import hashlib
from typing import Any

import pytest
from sqlalchemy import delete, update

from tests.knowledge.syncing import SyncHome
from tests.support.atoms import atom_row, correction_row, message_row, put_atoms, put_rows, put_session, put_sessions
from thermite_pipelines.control.models import Receipt, RigKey
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.intake.event_rows import event_path
from thermite_pipelines.knowledge.explain import explain
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.readable import Reader
from thermite_pipelines.tables.parquet import decode, encode, to_rows
from thermite_pipelines.tables.schemas import EVENTS

FORM = ["id", "kind", "text", "decisions", "from", "reports", "verified"]
SESSION = "0f8fad5b-d9cb-469f-a165-70867728950e"
SAID = "No, actually column c counts ads alone."


def document(place: SyncHome, id: str) -> dict[str, Any]:
    return explain(open_home(place.home.settings), id, Reader.owner()).document()


def say_session(place: SyncHome, *texts: str) -> None:
    messages = [{"role": "assistant", "text": "I take column c for all traffic."}]
    messages += [{"role": "human", "text": text} for text in texts]
    place.rig().say(
        "session_recorded",
        {"session": SESSION, "started_at": "2026-11-20T10:00:00Z", "messages": messages},
        run="r1",
    )


@pytest.fixture
def told(place: SyncHome) -> SyncHome:
    """A session of run r1 in which a person corrected the agent, sent in one report with a note, and its atom."""
    place.rig().say_run("r1")
    place.assign("r1", "a")
    place.rig().say_note("warm first", run="r1")
    say_session(place, SAID)
    place.send()
    place.fold()
    origin = {"rig": "rig-a", "ledger": "L1", "run": "r1"}
    put_sessions(place.home, "a", put_session(place.home, "a", SESSION, [message_row(SESSION, SAID, 1)], **origin))
    put_atoms(place.home, "a", told_atom())
    return place


def told_atom(**changes: Any) -> dict[str, Any]:
    fields = {"verbatim_quote": "column c counts ads alone", "session": SESSION, "message": "1", "place": 1}
    return correction_row("Column c counts ads alone", **(fields | changes))


def sealed(place: SyncHome, seq: int = 1) -> Any:
    with place.home.control.read() as connection:
        return connection.execute(Receipt.__table__.select().where(Receipt.seq == seq)).one()


def test_at_02_an_atom_leads_to_its_message_its_neighbours_and_the_signed_report(told: SyncHome) -> None:
    found = document(told, told_atom()["atom"])
    assert list(found)[: len(FORM)] == FORM
    assert (found["kind"], found["text"], found["verified"]) == ("atom", "Column c counts ads alone", True)
    (message,) = found["from"]
    assert (message["kind"], message["text"], message["verified"]) == ("message", SAID, True)
    assert message["before"] == {"role": "assistant", "text": "I take the column for all traffic."}
    assert message["after"] == {"role": "assistant", "text": "Understood."}
    (session,) = message["from"]
    assert (session["id"], session["kind"], session["from"]) == (SESSION, "session", [])
    receipt = sealed(told)
    report = {
        "rig": "rig-a",
        "ledger": "L1",
        "seq": 1,
        "payload_sha256": receipt.payload_sha256,
        "keyid": told.rig().keyid,
        "verified": True,
    }
    assert found["reports"] == message["reports"] == session["reports"] == [report]
    assert list(report) == list(found["reports"][0])


def test_an_item_leads_to_the_reports_of_its_events(place: SyncHome) -> None:
    place.rig().say_run("r1")
    place.assign("r1", "a")
    place.rig().say_note("another item", run="r1")
    place.send()
    place.rig().say_note("between", run="r1")
    place.send()
    place.rig().say("run_started", {}, run="r1")
    place.send()
    place.fold()
    found = document(place, "run:rig-a/r1/r1")
    assert list(found) == FORM
    assert [report["seq"] for report in found["reports"]] == [1, 3]
    assert found["verified"] and found["text"] == "r1"
    note = document(place, "note:rig-a/r1/note-2")
    assert ([report["seq"] for report in note["reports"]], note["text"]) == ([1], "another item")


@pytest.mark.parametrize("damage", ["payload", "signature", "gone", "key", "other-key", "receipt"])
def test_a_report_that_is_not_as_it_was_accepted_is_not_verified(told: SyncHome, damage: str) -> None:
    kept = sealed(told).kept
    lake, control = told.home.lake, told.home.control
    if damage in ("payload", "signature"):
        from thermite_pipelines.intake.vault import Vault

        envelope = Vault(lake).envelope(kept)
        mark = b'"payload":"' if damage == "payload" else b'"sig":"'
        place = envelope.index(mark) + len(mark) + 20
        changed = envelope[:place] + (b"A" if envelope[place : place + 1] != b"A" else b"B") + envelope[place + 1 :]
        lake.put(kept, Vault(lake).packed(changed))
    elif damage == "gone":
        lake.delete(kept)
    with control.write() as connection:
        if damage == "key":
            connection.execute(delete(RigKey))
        elif damage == "other-key":
            connection.execute(update(RigKey).values(public_key="ab" * 32))
        elif damage == "receipt":
            connection.execute(update(Receipt).values(outcome="duplicate"))
    for id in (told_atom()["atom"], "note:rig-a/r1/note-2"):
        found = document(told, id)
        assert found["verified"] is False
        assert [report["verified"] for report in found["reports"]] == [False]


def test_a_revoked_key_still_vouches_for_what_was_accepted_before(told: SyncHome) -> None:
    told.home.revoke_key("rig-a")
    assert document(told, told_atom()["atom"])["verified"] is True


def test_an_event_that_was_changed_in_the_lake_is_not_the_signed_one(told: SyncHome) -> None:
    path = event_path("events", "rig-a", "L1", 0)
    rows = to_rows(decode(told.home.lake.get(path)))
    for row in rows:
        row["data"] = row["data"].replace("warm first", "cold first")
    from thermite_pipelines.control.lake_files import LakeFiles

    files = LakeFiles(told.home.control, told.home.lake, "rig:rig-a")
    files.stage(path, EVENTS, decode(encode(EVENTS, rows)))
    files.publish()
    with told.home.control.write() as connection:
        files.confirm(connection)
    assert document(told, "note:rig-a/r1/note-2")["verified"] is False
    assert document(told, told_atom()["atom"])["verified"] is True


@pytest.mark.parametrize(
    "changes",
    [
        {"verbatim_quote": "column c counts everything"},
        {"verbatim_quote": None},
        {"message": "9"},
        {"session": "unknown", "sessions": ["unknown"]},
        {"session": None, "message": None, "sessions": []},
        {"sessions": [SESSION, "unknown"]},
    ],
)
def test_an_atom_whose_words_are_not_found_is_not_verified(told: SyncHome, changes: dict[str, Any]) -> None:
    put_atoms(told.home, "a", told_atom(**changes))
    assert document(told, told_atom()["atom"])["verified"] is False


def test_words_that_the_rig_never_signed_are_not_verified(told: SyncHome) -> None:
    put_rows(told.home, "a", *_messages("No, column c counts ads alone, I say."))
    found = document(told, told_atom()["atom"])
    assert (found["from"][0]["quote_stands"], found["verified"], found["reports"]) == (True, False, [])


def _messages(text: str) -> tuple[Any, list[dict[str, Any]], str]:
    from thermite_pipelines.tables.derived import MESSAGES

    return MESSAGES, [message_row(SESSION, text, 1)], hashlib.sha256(SESSION.encode()).hexdigest()[:16]


def test_the_newest_version_of_a_session_counts(told: SyncHome) -> None:
    say_session(told, SAID, "And it is warm.")
    told.send()
    told.fold()
    found = document(told, told_atom()["atom"])
    assert [report["seq"] for report in found["reports"]] == [2]
    assert found["verified"]


def test_owner_messages_lead_to_the_report_of_that_very_message(told: SyncHome) -> None:
    for number in range(3):
        told.rig().say("owner_message", {"message": f"m{number}", "text": f"Batch {number} is warm."}, run="r1")
        told.send()
    told.fold()
    session = "owner:rig-a/r1"
    origin = {"rig": "rig-a", "ledger": "L1", "run": "r1", "tool": "owner_message"}
    rows = [message_row(session, f"Batch {number} is warm.", number, message=f"m{number}") for number in range(3)]
    put_sessions(told.home, "a", put_session(told.home, "a", session, rows, **origin))
    row = atom_row("Batch 1 is warm.", session=session, message="m1", place=1)
    put_atoms(told.home, "a", row)
    found = document(told, row["atom"])
    assert [report["seq"] for report in found["reports"]] == [3] and found["verified"]


def test_a_transcripts_kept_file_is_hashed(place: SyncHome) -> None:
    place.home.campaign("a")
    data = b'{"type":"user"}\n' * 9
    path = "transcripts/x.jsonl"
    place.home.lake.put(path, data)
    origin = {"tool": "claude-code", "transcript": path, "content_sha256": hashlib.sha256(data).hexdigest()}
    put_sessions(place.home, "a", put_session(place.home, "a", "s1", [message_row("s1", SAID)], **origin))
    row = atom_row("Column c counts ads alone", verbatim_quote=SAID)
    put_atoms(place.home, "a", row)
    found = document(place, row["atom"])
    (session,) = found["from"][0]["from"]
    assert session["transcript"] == {"path": path, "sha256": origin["content_sha256"], "verified": True}
    assert found["verified"] and found["reports"] == []
    place.home.lake.put(path, data + b"x")
    assert not document(place, row["atom"])["verified"]
    place.home.lake.delete(path)
    assert not document(place, row["atom"])["verified"]


def test_a_gestalt_leads_to_its_members(told: SyncHome) -> None:
    member = told_atom()
    gestalt = atom_row("All about column c", type="gestalt", session=None, message=None, members=[member["atom"]])
    put_atoms(told.home, "a", member, gestalt)
    found = document(told, gestalt["atom"])
    assert [source["id"] for source in found["from"]] == [member["atom"]]
    assert found["verified"] and len(found["reports"]) == 1
    gestalt["members"] = [member["atom"], gestalt["atom"], "atom:a/0000000000000000"]
    put_atoms(told.home, "a", member, gestalt)
    found = document(told, gestalt["atom"])
    assert len(found["from"]) == 1 and not found["verified"]


@pytest.mark.parametrize("id", ["", "x", "atom", "synthesis:a/1", "note:x", "Note:rig-a/r1/n1"])
def test_what_is_no_id_is_wrong_usage(told: SyncHome, id: str) -> None:
    with pytest.raises(UsageError):
        document(told, id)


@pytest.mark.parametrize("id", ["atom:a/00", "atom:zzz/00", "atom:../a/00", "note:rig-a/r1/n9", "note:rig-a/r9/n1"])
def test_what_is_not_there_is_an_error(told: SyncHome, id: str) -> None:
    with pytest.raises(ThermiteError, match="there is no"):
        document(told, id)
