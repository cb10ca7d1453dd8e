"""Campaign folders, from signed reports to Parquet."""

from collections import Counter
from pathlib import Path

import pytest

from tests.knowledge import golden
from tests.knowledge.filing import assign_run, expected, folder, rebuild, refresh, say_golden
from tests.support.homes import Home
from thermite_pipelines.knowledge.folders import FolderWriter, remove_strangers
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.inspection import changed_files
from thermite_pipelines.knowledge.state import campaign_lags
from thermite_pipelines.tables.schemas import ITEM_TABLES

ROWS = {row["item"]: row for row in golden.ROWS.values()}


def send_golden(home: Home) -> None:
    rig = home.rig()
    rig.ledger = golden.RUN.ledger
    say_golden(rig, golden.EVENTS)
    rig.send()
    home.intake()


def test_kb_28_a_golden_ledger_fills_every_kind(any_home: Home) -> None:
    any_home.campaign("speed-up")
    send_golden(any_home)
    assert folder(any_home, "speed-up") == {}
    (folded,) = refresh(any_home, "speed-up")
    assert folder(any_home, "speed-up") == ROWS
    assert {item.partition(":")[0] for item in ROWS} == set(ITEM_TABLES)
    assert (folded.runs, folded.events, folded.items, folded.rebuilt) == (1, len(golden.EVENTS), len(ROWS), 0)


def test_kb_31_after_each_report_the_folder_is_what_its_events_say(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    rig.ledger = golden.RUN.ledger
    for event in golden.EVENTS:
        say_golden(rig, [event])
        rig.send()
        home.intake()
        (folded,) = refresh(home, "speed-up")
        assert folded.events == 1
        assert folder(home, "speed-up") == expected(home, ("rig-a", golden.RUN.ledger, "run-7"))
    assert folder(home, "speed-up") == ROWS


def test_a_refresh_without_news_writes_nothing(home: Home) -> None:
    home.campaign("speed-up")
    send_golden(home)
    refresh(home, "speed-up")
    before = {path: path.stat().st_mtime_ns for path in home.lake.local("folders").rglob("*.parquet")}
    (folded,) = refresh(home, "speed-up")
    assert (folded.runs, folded.events, folded.files) == (0, 0, 0)
    assert {path: path.stat().st_mtime_ns for path in home.lake.local("folders").rglob("*.parquet")} == before


def test_a_new_event_rewrites_only_its_own_block(home: Home) -> None:
    home.campaign("speed-up")
    send_golden(home)
    refresh(home, "speed-up")
    before = home.files("folders")
    home.rig().say_note("one more", run="run-7")
    home.rig().send()
    home.intake()
    refresh(home, "speed-up")
    after = home.files("folders")
    assert [path for path in after if after[path] != before.get(path)] == [
        path for path in after if path.startswith("folders/note/")
    ]


def test_kb_27_29_37_each_item_lies_in_one_folder(home: Home) -> None:
    home.campaign("one", "two", "three")
    for rig in ("rig-a", "rig-b"):
        for run in range(7):
            name = ("one", "two", "three")[run % 3]
            home.rig(rig).say_run(f"run-{run}", campaign=name)
            home.rig(rig).say_note(run=f"run-{run}", campaign=name)
        home.rig(rig).send()
        home.intake(rig)
    refresh(home, "one", "two", "three")
    found = {name: folder(home, name) for name in ("one", "two", "three")}
    items = Counter(item for rows in found.values() for item in rows)
    assert set(items.values()) == {1}
    assert len(items) == 2 * 7 * 2
    assert {row["rig"] for row in found["one"].values()} == {"rig-a", "rig-b"}
    for rows in found.values():
        for item, row in rows.items():
            assert row["rig"] == item.partition(":")[2].partition("/")[0]
            assert None not in (row["rig"], row["run"], row["written_by"], row["created_at"])


def test_kb_33_a_file_changed_by_hand_is_made_anew(any_home: Home) -> None:
    any_home.campaign("speed-up")
    send_golden(any_home)
    refresh(any_home, "speed-up")
    before = any_home.files("folders")
    writer = FolderWriter(any_home.control, any_home.lake, "speed-up")
    assert writer.repair() == []
    notes, claims = (next(path for path in before if path.startswith(f"folders/{kind}/")) for kind in ("note", "claim"))
    any_home.lake.local(notes).write_bytes(before[claims])
    any_home.lake.local(claims).unlink()
    stray = any_home.lake.local(notes).with_name("rig-a-0000000000000000-000000.parquet")
    stray.write_bytes(before[notes])
    assert writer.repair() == [*sorted([claims, notes]), str(stray.relative_to(any_home.lake.local("")))]
    with any_home.control.read() as connection:
        assert campaign_lags(connection)["speed-up"].is_behind
    assert writer.refresh().rebuilt == 1
    assert any_home.files("folders") == before
    assert writer.repair(thorough=True) == []


def test_kb_33_a_changed_file_is_noticed_when_news_reach_it(home: Home) -> None:
    home.campaign("speed-up")
    send_golden(home)
    refresh(home, "speed-up")
    note = next(path for path in home.files("folders/note"))
    changed = home.lake.local(note)
    changed.write_bytes(home.lake.get(note)[:-5])
    home.rig().say_note("one more", run="run-7")
    home.rig().send()
    home.intake()
    (folded,) = refresh(home, "speed-up")
    assert (folded.rebuilt, folded.events) == (1, len(golden.EVENTS) + 1)
    assert folder(home, "speed-up") == expected(home, ("rig-a", golden.RUN.ledger, "run-7"))


def test_kb_33_what_keeps_its_size_and_time_is_found_by_a_thorough_look(home: Home) -> None:
    import os

    home.campaign("speed-up")
    send_golden(home)
    refresh(home, "speed-up")
    before = home.files("folders")
    path = home.lake.local(next(iter(home.files("folders/note"))))
    info = path.stat()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    writer = FolderWriter(home.control, home.lake, "speed-up")
    assert writer.repair() == []
    # The nightly check looks so, and its advice is a refresh, which looks at size and time alone.
    assert [row["file"] for row in changed_files(open_home(home.settings))] == [
        str(path.relative_to(home.lake.local("")))
    ]
    assert len(writer.repair()) == 1
    writer.refresh()
    assert home.files("folders") == before


def test_kb_33_an_empty_folder_in_a_files_place_gives_way(home: Home) -> None:
    home.campaign("speed-up")
    send_golden(home)
    refresh(home, "speed-up")
    before = home.files("folders")
    path = home.lake.local(next(iter(home.files("folders/note"))))
    path.unlink()
    path.mkdir()
    (path / "x").write_text("a stray")
    writer = FolderWriter(home.control, home.lake, "speed-up")
    assert len(writer.repair()) == 2
    writer.refresh()
    assert home.files("folders") == before


def test_files_in_folders_of_no_campaign_are_removed(home: Home) -> None:
    home.campaign("speed-up")
    send_golden(home)
    refresh(home, "speed-up")
    before = home.files("folders")
    note = next(iter(before.values()))
    strays = ["folders/note/campaign=ghost/x.parquet", "folders/stray", "folders/other/campaign=speed-up/x.parquet"]
    for stray in strays:
        home.lake.put(stray, note)
    assert sorted(remove_strangers(home.control, home.lake)) == sorted(strays)
    assert home.files("folders") == before


def test_kb_36_items_stay_after_a_full_reset(any_home: Home) -> None:
    any_home.campaign("speed-up")
    rig = any_home.rig()
    rig.say_run()
    rig.say_note("before the reset")
    rig.send()
    any_home.intake()
    refresh(any_home, "speed-up")
    before = folder(any_home, "speed-up")
    rig.reset("L2", "2026-11-30T00:00:00Z")
    rig.say_run()
    rig.say_note("after the reset")
    rig.send()
    any_home.intake()
    refresh(any_home, "speed-up")
    after = folder(any_home, "speed-up")
    assert {item: row for item, row in after.items() if item in before} == before
    assert after == expected(any_home, ("rig-a", "L1", "run-1"), ("rig-a", "L2", "run-1"), L2="run-1~L2")
    assert after["note:rig-a/run-1~L2/note-2"]["run"] == "run-1"


def test_a_change_reaches_an_item_of_an_older_block(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    rig.say_run()
    rig.say("experiment_queued", {"experiment": "e1", "title": "Try", "description": "It may help."})
    rig.say("document_written", golden.EVENTS[18].data)
    rig.say("source_archived", golden.EVENTS[12].data)
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    rig.say_run("run-2")
    for number in range(10_050):  # another run's events lie between, over the end of the block
        rig.say_note(f"note {number}", run="run-2")
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    before = home.files("folders/experiment")
    rig.say("experiment_finished", {"experiment": "e1", "status": "improved", "summary": "It did."})
    rig.say("document_written", golden.EVENTS[19].data)
    quotes = [{"source": "s1", "quote": "Warm caches"}]
    rig.say("claim_recorded", {"claim": "c1", "text": "So.", "quotes": quotes})
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    rows = folder(home, "speed-up")
    assert rows == expected(home, ("rig-a", "L1", "run-1"), ("rig-a", "L1", "run-2"))
    assert rows["experiment:rig-a/run-1/e1"]["text"] == "It may help.\n\nIt did."
    assert rows["document:rig-a/run-1/lane-1/plan.md"]["version"] == 2
    assert rows["claim:rig-a/run-1/c1"]["quotes"][0]["verified"]
    assert home.files("folders/experiment").keys() == before.keys()


def test_runs_whose_events_interleave_are_folded_each_by_itself(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    runs = [f"run-{number}" for number in range(5)]
    for run in runs:
        rig.say_run(run)
        rig.say("experiment_queued", {"experiment": "e", "title": run}, run=run)
    for run in reversed(runs):
        rig.say("experiment_finished", {"experiment": "e", "status": "worse", "summary": run}, run=run)
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    rows = folder(home, "speed-up")
    assert rows == expected(home, *(("rig-a", "L1", run) for run in runs))
    assert {rows[f"experiment:rig-a/{run}/e"]["summary"] for run in runs} == set(runs)


def test_a_long_run_is_folded_in_parts(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from thermite_pipelines.knowledge import run_events, run_fold

    home.campaign("speed-up")
    rig = home.rig()
    rig.say_run()
    rig.say("experiment_queued", {"experiment": "e1", "title": "Try"})
    for number in range(25_000):
        rig.say_note(f"note {number}")
    rig.say("experiment_finished", {"experiment": "e1", "status": "improved"})
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    at_once = home.files("folders")
    monkeypatch.setattr(run_fold, "MAX_CHANGED", 3_000)
    rebuild(home, "speed-up")
    assert home.files("folders") == at_once
    rebuild_all_from_nothing(home)
    assert home.files("folders") == at_once
    assert run_events.BLOCK == 10_000


def rebuild_all_from_nothing(home: Home) -> None:
    """As if the run came to the folder now: moved away and back."""
    assign_run(home, "rig-a", "run-1", "elsewhere")
    refresh(home, "speed-up")
    assert home.files("folders") == {}
    assign_run(home, "rig-a", "run-1", "speed-up")
    refresh(home, "speed-up")


def test_a_damaged_event_file_costs_the_folder_nothing(home: Home) -> None:
    from thermite_pipelines.errors import ThermiteError

    home.campaign("speed-up")
    send_golden(home)
    refresh(home, "speed-up")
    before = home.files("folders")
    home.rig().say_note("one more", run="run-7")
    home.rig().send()
    home.intake()
    (path,) = home.files("events")
    home.lake.local(path).write_bytes(b"PAR1")
    with pytest.raises(ThermiteError, match="events/rig=rig-a"):
        refresh(home, "speed-up")
    assert home.files("folders") == before
    with home.control.read() as connection:
        assert campaign_lags(connection)["speed-up"].behind == 1


def test_names_of_files_tell_runs_apart_where_case_does_not(home: Home) -> None:
    home.campaign("speed-up")
    home.rig().say_run("Run-1")
    home.rig().say_run("run-1")
    home.rig().send()
    home.intake()
    refresh(home, "speed-up")
    names = [Path(path).name for path in home.files("folders/run")]
    assert len({name.lower() for name in names}) == 2
    assert all(name.startswith("rig-a-") and name.endswith("-000000.parquet") for name in names)
