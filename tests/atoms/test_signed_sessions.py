"""Sessions of signed events: what people said, who said it, and where it belongs."""

from tests.atoms.talking import (
    CAMPAIGN,
    Listener,
    a_run,
    arrive,
    day,
    derived,
    mine,
    rows,
    say_owner,
    say_session,
    uuid,
)
from tests.knowledge.filing import assign_run
from tests.support.homes import Home


def test_a_recorded_session_keeps_what_people_typed_with_its_neighbours(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), "h:FACT one is prime", "t:12 rows", "a:I see", "h:DO count them", at=day(2, "23:59:59"))
    arrive(home)
    result = mine(home)
    assert (result.sessions, result.atoms, result.intents, result.failed) == (1, 1, 1, [])
    [session] = rows(home, "sessions")
    assert session["session"] == uuid(1)
    assert session["established"] == "2026-01-03"
    assert session["dated_by"] == "started_at"
    assert (session["messages"], session["human_messages"], session["extracted_messages"]) == (4, 2, 2)
    first, second = rows(home, "messages")
    assert (first["text"], first["before_text"], first["after_role"]) == ("FACT one is prime", None, "assistant")
    assert (second["place"], second["before_text"], second["after_text"]) == (3, "I see", None)


def test_at_23_a_session_gives_atoms_and_intents_that_cite_their_message(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), "h:FACT one is prime\nDO prove it", "a:ok", "h:DO stop")
    arrive(home)
    mine(home)
    [atom] = rows(home, "atoms")
    assert (atom["session"], atom["message"], atom["place"]) == (uuid(1), "0", 0)
    assert [(row["session"], row["message"], row["intent"]) for row in rows(home, "intents")] == [
        (uuid(1), "0", "prove it"),
        (uuid(1), "2", "stop"),
    ]


def test_owner_messages_to_a_run_are_one_session(home: Home) -> None:
    rig = a_run(home)
    say_owner(rig, "FACT tea is hot", at=day(3))
    arrive(home)
    mine(home)
    say_owner(rig, "FACT ice is cold", at=day(5))
    arrive(home)
    answerer = Listener()
    mine(home, answerer)
    assert answerer.texts == ["FACT ice is cold"]
    [session] = rows(home, "sessions")
    assert (session["session"], session["tool"], session["dated_by"]) == (
        "owner:rig-a/run-1",
        "owner_message",
        "message",
    )
    assert session["established"] == "2026-01-04"
    assert [(row["place"], row["text"], row["before_text"], row["after_text"]) for row in rows(home, "messages")] == [
        (0, "FACT tea is hot", None, "FACT ice is cold"),
        (1, "FACT ice is cold", "FACT tea is hot", None),
    ]
    assert {row["established"] for row in rows(home, "atoms")} == {"2026-01-04"}


def test_a_session_that_grew_is_asked_about_what_is_new(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), "h:FACT a", "h:FACT b")
    arrive(home)
    mine(home)
    say_session(rig, uuid(1), "h:FACT a", "h:FACT b", "a:yes", "h:FACT c")
    arrive(home)
    answerer = Listener()
    result = mine(home, answerer)
    assert answerer.texts == ["FACT c"]
    assert (result.sessions, result.unchanged, result.atoms) == (1, 0, 1)
    assert [row["statement"] for row in rows(home, "atoms")] != []
    assert len(rows(home, "atoms")) == 3


def test_a_changed_message_is_asked_again_with_those_after_it(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), *[f"h:FACT {letter}" for letter in "abcdefgh"])
    arrive(home)
    mine(home)
    say_session(rig, uuid(1), *[f"h:FACT {letter}" for letter in "abcXefgh"])
    arrive(home)
    answerer = Listener()
    mine(home, answerer)
    assert answerer.texts == [f"FACT {letter}" for letter in "Xefgh"]
    assert sorted(row["statement"] for row in rows(home, "atoms")) == ["X", "a", "b", "c", "e", "f", "g", "h"]


def test_a_moved_run_takes_its_sessions_with_it(home: Home) -> None:
    rig = a_run(home)
    say_session(rig, uuid(1), "h:FACT a")
    say_owner(rig, "FACT b")
    arrive(home)
    mine(home)
    assert len(rows(home, "atoms")) == 2
    assign_run(home, "rig-a", "run-1", "other")
    mine(home)
    mine(home, campaign="other")
    for table in ("atoms", "sessions", "messages", "intents", "checkpoints"):
        assert rows(home, table) == []
    assert len(rows(home, "atoms", "other")) == 2
    assert len(rows(home, "messages", "other")) == 2
    assign_run(home, "rig-a", "run-1", CAMPAIGN)
    answerer = Listener()
    mine(home, answerer)
    assert answerer.asked == [], "what was taken from these messages is still known"
    assert len(rows(home, "atoms")) == 2


def test_two_runs_that_claim_one_session_both_keep_it(home: Home) -> None:
    for name in ("rig-a", "rig-b"):
        rig = a_run(home, name, "r")
        say_session(rig, uuid(1), f"h:FACT {name}", run="r")
    arrive(home, "rig-a")
    mine(home)
    assert [row["session"] for row in rows(home, "sessions")] == [uuid(1)]
    arrive(home, "rig-b")
    answerer = Listener()
    mine(home, answerer)
    assert answerer.texts == ["FACT rig-b"], "the first is renamed, and not asked again"
    names = [f"{uuid(1)}@rig-a/r", f"{uuid(1)}@rig-b/r"]
    assert [row["session"] for row in rows(home, "sessions")] == names
    assert [row["session"] for row in rows(home, "messages")] == names
    assert sorted(row["session"] for row in rows(home, "atoms")) == names
    assign_run(home, "rig-a", "r", "other")
    mine(home)
    assert [row["session"] for row in rows(home, "sessions")] == [uuid(1)]
    assert [(row["session"], row["statement"]) for row in rows(home, "atoms")] == [(uuid(1), "rig-b")]


def test_runs_of_a_rig_that_is_rebuilt_stay_as_they_are(home: Home) -> None:
    from sqlalchemy import update

    from thermite_pipelines.control.models import RigState, Run

    rig = a_run(home)
    say_session(rig, uuid(1), "h:FACT a")
    arrive(home)
    mine(home)
    before = derived(home)
    with home.control.write() as connection:
        connection.execute(update(RigState).values(rebuilding=True))
        connection.execute(update(Run).values(events=0, last_n=0, said_n=0, said_events=0))
    mine(home)
    assert derived(home) == before


def test_a_run_of_before_its_people_were_counted_is_read_whole(home: Home) -> None:
    from sqlalchemy import update

    from thermite_pipelines.control.models import Run

    rig = a_run(home)
    rig.say_note()
    say_session(rig, uuid(1), "h:FACT a")
    rig.say_note()
    arrive(home)
    with home.control.write() as connection:
        connection.execute(update(Run).values(said_n=None, said_events=None))
    mine(home)
    assert len(rows(home, "atoms")) == 1
    say_session(rig, uuid(2), "h:FACT b")
    arrive(home)
    mine(home)
    assert len(rows(home, "atoms")) == 2
    read = mine(home).read
    assert read is not None
    assert read.written == 0
