"""Notes, claims and what only research runs record: what reaches a folder, and what does not."""

from collections import Counter

import pytest

from tests.knowledge import golden
from tests.knowledge.filing import folder, refresh
from tests.support.homes import Home

NOTE_KINDS = ("observation", "decision", "surprise", "question", "lesson", "note")


def test_kb_01_02_six_kinds_of_notes_and_no_seventh(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    rig.say_run()
    rig.say("source_archived", golden.EVENTS[12].data)
    for number, kind in enumerate([*NOTE_KINDS, "idea"]):
        rig.say("journal_note", {"note": f"n{number}", "kind": kind, "text": "So it is."})
    rig.say("experiment_queued", {"experiment": "n0", "title": "The id of a note is free for an experiment"})
    rig.say("research_note", {"note": "n0", "text": "And for a research note.", "sources": ["s1"]})
    rig.send()
    assert home.intake().outcomes == {"accepted": 1}
    refresh(home, "speed-up")
    rows = folder(home, "speed-up")
    notes = [row for item, row in rows.items() if item.startswith("note:")]
    assert sorted(row["note_kind"] for row in notes) == sorted(NOTE_KINDS)
    assert [row["reason"] for row in home.events(table="rejected_events")] == ["bad-data"]
    assert {"note:rig-a/run-1/n0", "experiment:rig-a/run-1/n0", "research_note:rig-a/run-1/n0"} < rows.keys()


def test_kb_03_10_a_journal_is_all_notes_in_ledger_order(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    for run in ("run-1", "run-2"):
        rig.say_run(run)
    for number in range(40):
        rig.say_note(f"note {number}", run=f"run-{number % 2 + 1}", by=f"lane-{number % 3 + 1}")
        if number % 7 == 0:
            rig.send()
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    notes = [row for row in folder(home, "speed-up").values() if row["item"].startswith("note:")]
    events = {(row["ledger"], row["n"]): row for row in home.events() if row["type"] == "journal_note"}
    for run in ("run-1", "run-2"):
        journal = sorted((row for row in notes if row["run"] == run), key=lambda row: row["n"])
        assert [row["n"] for row in journal] == [n for (_, n), event in events.items() if event["run"] == run]
        assert [row["text"] for row in journal] == [f"note {n}" for n in range(run == "run-2", 40, 2)]
    for row in notes:
        event = events[row["ledger"], row["n"]]
        assert (row["written_by"], row["created_at"]) == (event["written_by"], event["occurred_at"])


@pytest.mark.parametrize(
    "writer", ["lane-1", "lane-12", "planner", "teachers:ada", "combiner:max", "auditor:eve", "panel:three"]
)
def test_kb_04_every_role_writes_notes_under_its_own_name(home: Home, writer: str) -> None:
    home.campaign("speed-up")
    home.rig().say_run()
    home.rig().say_note(by=writer)
    home.rig().send()
    home.intake()
    refresh(home, "speed-up")
    assert folder(home, "speed-up")["note:rig-a/run-1/note-2"]["written_by"] == writer


def test_kb_05_notes_of_a_refused_plan_stay(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    rig.say_run()
    rig.say("round_started", {"round": "r1", "kind": "plan"}, by="planner")
    rig.say_note("first", by="planner")
    rig.say_note("second", by="planner")
    rig.say("round_ended", {"round": "r1", "outcome": "refused"}, by="planner")
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    assert Counter(item.partition(":")[0] for item in folder(home, "speed-up")) == {"run": 1, "note": 2}


def test_kb_06_advisors_notes_come_after_their_verdict(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    rig.say_run()
    ends = {}
    for number, writer in enumerate(["teachers:ada", "combiner:max", "auditor:eve", "panel:three"]):
        rig.say("round_started", {"round": f"r{number}", "kind": "review", "advisor": writer}, by=writer)
        ends[writer] = rig.say("round_ended", {"round": f"r{number}"}, by=writer)["n"]
        rig.say_note(by=writer)
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    notes = [row for item, row in folder(home, "speed-up").items() if item.startswith("note:")]
    assert len(notes) == len(ends)
    assert all(row["n"] > ends[row["written_by"]] for row in notes)


@pytest.mark.parametrize("character", ["a", "é", "\U0001f525", "e\u0301"])
def test_kb_07_a_note_holds_two_thousand_characters(home: Home, character: str) -> None:
    home.campaign("speed-up")
    full = (character * 2000)[:2000]
    home.rig().say_run()
    home.rig().say_note(full)
    home.rig().say_note(full + "x")
    home.rig().send()
    home.intake()
    refresh(home, "speed-up")
    notes = [row["text"] for item, row in folder(home, "speed-up").items() if item.startswith("note:")]
    assert notes == [full]
    assert [row["reason"] for row in home.events(table="rejected_events")] == ["bad-data"]


def test_kb_08_09_a_note_is_about_a_record_or_about_its_run(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    rig.say_run()
    rig.say_run("run-2")
    rig.say("trial_started", {"trial": "t1", "lane": "lane-1", "kind": "code", "runtime": "pi"})
    rig.say("experiment_queued", {"experiment": "e1", "title": "Try"})
    rig.say("attempt_submitted", {"attempt": "a1", "trial": "t1"})
    rig.say("source_archived", golden.EVENTS[12].data)
    rig.say("claim_recorded", {"claim": "c1", "text": "So.", "quotes": [{"source": "s1", "quote": "Warm"}]})
    rig.say("finding_recorded", {"finding": "f1", "text": "So.", "claims": ["c1"]})
    rig.say("round_started", {"round": "r1", "kind": "plan"})
    rig.say("owner_message", {"message": "m1", "text": "Hello."})
    subjects = ["experiment e1", "attempt a1", "source s1", "claim c1", "finding f1", "round r1", "trial t1"]
    subjects.append("owner_message m1")
    for number, subject in enumerate(subjects):
        kind, name = subject.split()
        about = {"kind": kind, "id": name}
        rig.say("journal_note", {"note": f"n{number}", "kind": "note", "text": "So.", "about": about})
    rig.say("journal_note", {"note": "none", "kind": "note", "text": "So."})
    later = {"kind": "trial", "id": "t2"}
    rig.say("journal_note", {"note": "too-early", "kind": "note", "text": "So.", "about": later})
    rig.say("trial_started", {"trial": "t2", "lane": "lane-1", "kind": "code", "runtime": "pi"})
    other = {"kind": "trial", "id": "t1"}
    rig.say("journal_note", {"note": "other-run", "kind": "note", "text": "So.", "about": other}, run="run-2")
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    notes = {row["item"]: row for row in folder(home, "speed-up").values() if row["item"].startswith("note:")}
    about = [f"{notes[f'note:rig-a/run-1/n{n}'][c]}" for n in range(len(subjects)) for c in ("about_kind", "about")]
    assert about == [word for subject in subjects for word in subject.split()]
    lone = notes["note:rig-a/run-1/none"]
    assert (lone["about_kind"], lone["about"]) == ("run", "run-1")
    assert len(notes) == len(subjects) + 1
    assert not [row for row in notes.values() if row["about"] is None or row["about_kind"] is None]
    assert [row["reason"] for row in home.events(table="rejected_events")] == ["unknown-reference"] * 2


def test_kb_11_the_writer_is_who_the_harness_says(home: Home) -> None:
    home.campaign("speed-up")
    home.rig().say_run()
    claims = {"note": "n1", "kind": "note", "text": "by: planner", "author": "planner", "by": "planner"}
    home.rig().say("journal_note", claims, author="planner")
    home.rig().send()
    home.intake()
    refresh(home, "speed-up")
    assert folder(home, "speed-up")["note:rig-a/run-1/n1"]["written_by"] == "lane-1"


def test_kb_12_a_note_can_not_be_written_again(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    rig.say_run()
    rig.say("journal_note", {"note": "n1", "kind": "note", "text": "first"})
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    rig.say("journal_note", {"note": "n1", "kind": "lesson", "text": "second"})
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    row = folder(home, "speed-up")["note:rig-a/run-1/n1"]
    assert (row["text"], row["note_kind"], row["updated_n"]) == ("first", "note", 2)
    assert [row["reason"] for row in home.events(table="rejected_events")] == ["duplicate-record"]


def test_kb_13_bad_note_left_out_alone(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    rig.say_run()
    rig.say("trial_started", {"trial": "t1", "lane": "lane-1", "kind": "code", "runtime": "pi"})
    rig.say("attempt_submitted", {"attempt": "a1", "trial": "t1"})
    rig.say("attempt_judged", {"attempt": "a1", "verdict": "accepted"})
    rig.say_note("good", by="auditor:eve")
    rig.say_note("", by="auditor:eve")
    rig.say_note("good too", by="auditor:eve")
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    rows = folder(home, "speed-up")
    assert rows["attempt:rig-a/run-1/a1"]["verdict"] == "accepted"
    assert [row["text"] for item, row in rows.items() if item.startswith("note:")] == ["good", "good too"]
    (rejected,) = home.events(table="rejected_events")
    assert (rejected["reason"], rejected["n"]) == ("bad-data", 6)


def test_kb_22_26_quotes_are_compared_with_the_archived_text(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    quote = "cut the first query from 41 ms to 9 ms."
    for mode in ("research", "hill_climb", "goal"):
        rig.say_run(f"run-{mode}", mode)
        page = golden.EVENTS[12].data
        other = page | {"source": "s2", "text": "Else.", "text_sha256": golden.sha256("Else.")}
        rig.say("source_archived", page, run=f"run-{mode}")
        rig.say("source_archived", other, run=f"run-{mode}")
        rig.send()  # the sources lie in a block on disk when the claim comes
        home.intake()
        refresh(home, "speed-up")
        wordings = [
            ("s1", quote),
            ("s1", quote.replace("first", "second")),
            ("s1", quote.replace("41", "42")),
            ("s2", quote),
        ]
        quotes = [{"source": source, "quote": text} for source, text in wordings]
        rig.say("claim_recorded", {"claim": "c1", "text": "Warm is fast.", "quotes": quotes}, run=f"run-{mode}")
        unarchived = [{"source": "s9", "quote": quote}]
        rig.say("claim_recorded", {"claim": "c2", "text": "From nowhere.", "quotes": unarchived}, run=f"run-{mode}")
        rig.send()
        home.intake()
        refresh(home, "speed-up")
        row = folder(home, "speed-up")[f"claim:rig-a/run-{mode}/c1"]
        assert [quote["verified"] for quote in row["quotes"]] == [True, False, False, False]
        assert [quote["quote"] for quote in row["quotes"]] == [text for _, text in wordings]
    assert [row["reason"] for row in home.events(table="rejected_events")] == ["unknown-reference"] * 3


@pytest.mark.parametrize("mode", ["research", "hill_climb", "goal"])
def test_kb_23_24_only_research_runs_find_and_report(home: Home, mode: str) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    rig.say_run(mode=mode)
    rig.say("source_archived", golden.EVENTS[12].data)
    rig.say("research_note", {"note": "r1", "text": "Caches help.", "sources": ["s1"]})
    rig.say("research_note", {"note": "r2", "text": "Without a source.", "sources": []})
    rig.say("research_note", {"note": "r3", "text": "Of an unknown source.", "sources": ["s9"]})
    rig.say("claim_recorded", {"claim": "c1", "text": "So.", "quotes": [{"source": "s1", "quote": "Warm"}]})
    rig.say("finding_recorded", {"finding": "f1", "text": "So.", "claims": ["c1"]})
    rig.say("hypothesis_recorded", {"hypothesis": "h1", "text": "So."})
    rig.say("report_written", {"report": "p1", "title": "So", "text": "So."})
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    open_to_all = {"run", "source", "claim", "research_note"}
    research = {"finding", "hypothesis", "report"} if mode == "research" else set()
    assert Counter(item.partition(":")[0] for item in folder(home, "speed-up")) == dict.fromkeys(
        open_to_all | research, 1
    )
    reasons = [row["reason"] for row in home.events(table="rejected_events")]
    assert reasons == ["bad-data", "unknown-reference"] + ["wrong-mode"] * (0 if research else 3)


def test_kb_18_notes_have_no_limit(home: Home) -> None:
    home.campaign("speed-up")
    home.rig().say_run()
    for number in range(10_000):
        home.rig().say_note(f"note {number}")
    home.rig().send()
    home.intake()
    refresh(home, "speed-up")
    assert sum(item.startswith("note:") for item in folder(home, "speed-up")) == 10_000
    blocks = {path.rpartition("-")[2] for path in home.files("folders/note")}
    assert blocks == {"000000.parquet", "000001.parquet"}
