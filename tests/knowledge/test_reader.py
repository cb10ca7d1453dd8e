"""Reading folders back."""

import pytest

from tests.knowledge import golden
from tests.knowledge.filing import assign_run, expected, folder, refresh, say_golden
from tests.support.homes import Home
from thermite_pipelines.control.db import upsert
from thermite_pipelines.control.lake_files import DamagedFile, LakeFiles
from thermite_pipelines.control.models import Fold
from thermite_pipelines.errors import UsageError
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.items import KINDS, Row
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.state import RunState, all_runs
from thermite_pipelines.tables.lake import Lake
from thermite_pipelines.tables.parquet import to_rows
from thermite_pipelines.tables.schemas import ITEM_TABLES

RUN_7 = ("rig-a", "LEDGER1", "run-7")


def say(home: Home, first: int, last: int) -> None:
    """Bring in golden events `first` to `last`."""
    rig = home.rig()
    rig.ledger = golden.RUN.ledger
    say_golden(rig, golden.EVENTS[first - 1 : last])
    rig.send()
    home.intake()


def reader(home: Home) -> FolderReader:
    return FolderReader(home.control, home.lake)


def run_state(home: Home, label: str = "run-7") -> RunState:
    with home.control.read() as connection:
        return next(run for run in all_runs(connection) if run.label == label)


def plain(rows: list[Row]) -> dict[str, Row]:
    """Rows by item, without the two keys that a reader adds."""
    return {row["item"]: {key: row[key] for key in row if key not in ("campaign", "kind")} for row in rows}


def test_rows_and_tables_are_what_the_files_hold(any_home: Home) -> None:
    any_home.campaign("speed-up")
    say(any_home, 1, 27)
    refresh(any_home, "speed-up")
    rows = list(reader(any_home).rows("speed-up"))
    assert plain(rows) == folder(any_home, "speed-up")
    assert {row["campaign"] for row in rows} == {"speed-up"}
    assert all(row["item"].startswith(f"{row['kind']}:") for row in rows)
    assert [row["kind"] for row in rows] == sorted((row["kind"] for row in rows), key=KINDS.index)
    for kind in KINDS:
        table = reader(any_home).table("speed-up", kind)
        assert table.schema.equals(ITEM_TABLES[kind].schema)
        found = {row["item"]: row for row in to_rows(table)}
        assert found == plain([row for row in rows if row["kind"] == kind])
    assert [row["kind"] for row in reader(any_home).rows("speed-up", ["claim", "note"])] == ["claim", "note", "note"]


def test_rows_of_one_run_come_from_every_ledger(home: Home) -> None:
    home.campaign("speed-up")
    rig = home.rig()
    rig.say_run("run-1")
    rig.say_run("run-2")
    rig.send()
    home.intake()
    rig.reset("L2")
    rig.say_run("run-1")
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    found = [row["item"] for row in reader(home).rows("speed-up", run="run-1")]
    assert sorted(found) == ["run:rig-a/run-1/run-1", "run:rig-a/run-1~L2/run-1"]


def test_an_empty_folder_has_empty_tables(home: Home) -> None:
    home.campaign("speed-up")
    assert list(reader(home).rows("speed-up")) == []
    assert reader(home).table("speed-up", "note").schema.equals(ITEM_TABLES["note"].schema)


def test_what_changed_is_read_from_the_files_that_hold_it(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.campaign("speed-up")
    say(home, 1, 9)
    refresh(home, "speed-up")
    say(home, 10, 12)  # the attempt judged, the trial ended, the experiment finished
    refresh(home, "speed-up")
    read: list[str] = []
    get = Lake.get
    monkeypatch.setattr(Lake, "get", lambda lake, path: read.append(path) or get(lake, path))
    key = run_state(home).run_key
    found = list(reader(home).changed("speed-up", key, 9))
    assert {row["kind"] for row in found} == {"attempt", "trial", "experiment"}
    assert {path.split("/")[1] for path in read} == {"attempt", "trial", "experiment"}
    assert [row["kind"] for row in reader(home).changed("speed-up", key, 9, ["trial"])] == ["trial"]
    assert list(reader(home).changed("speed-up", key, 12)) == []
    assert list(reader(home).changed("speed-up", key + 1, 0)) == []


@pytest.mark.parametrize("folded", [0, 4, 13, 21, 27])
def test_at_head_is_the_end_of_the_ledger_however_far_the_folder_is(home: Home, folded: int) -> None:
    home.campaign("speed-up")
    if folded:
        say(home, 1, folded)
        refresh(home, "speed-up")
    say(home, folded + 1, 27)
    everything = expected(home, RUN_7)
    for after_n in (0, 3, 13, 20, 27):
        rows = reader(home).at_head(run_state(home), after_n)
        assert plain(rows) == {item: row for item, row in everything.items() if row["updated_n"] > after_n}
        assert [row["n"] for row in rows] == sorted(row["n"] for row in rows)
        assert {row["campaign"] for row in rows} <= {"speed-up"}
        notes = reader(home).at_head(run_state(home), after_n, ["note"])
        assert notes == [row for row in rows if row["kind"] == "note"]
    assert (folder(home, "speed-up") == everything) == (folded == 27)


def test_at_head_of_an_unplaced_run_has_no_campaign(home: Home) -> None:
    say(home, 1, 27)
    rows = reader(home).at_head(run_state(home), 0)
    assert plain(rows) == expected(home, RUN_7)
    assert {row["campaign"] for row in rows} == {None}


def test_at_head_stays_at_the_run_that_was_asked_for(home: Home) -> None:
    """The folder may go on while an export is at work: its end stays where it was."""
    home.campaign("speed-up")
    say(home, 1, 11)
    refresh(home, "speed-up")
    early, then = run_state(home), expected(home, RUN_7)
    say(home, 12, 27)
    assert plain(reader(home).at_head(early, 0)) == then
    refresh(home, "speed-up")
    assert plain(reader(home).at_head(early, 0)) == then
    assert plain(reader(home).at_head(run_state(home), 0)) == expected(home, RUN_7)


def test_a_folder_that_is_being_made_anew_can_be_read(home: Home) -> None:
    """As a kill in the middle of a rebuild leaves it, also before its first file."""
    home.campaign("speed-up")
    say(home, 1, 27)
    refresh(home, "speed-up")
    state, before = run_state(home), folder(home, "speed-up")
    with home.control.write() as connection:
        row = {"campaign": "speed-up", "run_key": state.run_key, "folded_n": 0, "folded_events": 0}
        upsert(connection, Fold, [row])
    assert plain(list(reader(home).rows("speed-up"))) == before
    assert plain(reader(home).at_head(state, 0)) == before
    assert reader(home).find("note:rig-a/run-7/n1") is not None
    refresh(home, "speed-up")
    assert folder(home, "speed-up") == before


def test_a_rebuild_never_hides_what_is_there(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.campaign("speed-up")
    say(home, 1, 27)
    refresh(home, "speed-up")
    before = plain(list(reader(home).rows("speed-up")))
    seen: list[bool] = []
    for name in ("stage", "publish", "confirm"):
        real = getattr(LakeFiles, name)

        def looked_at(self: LakeFiles, *args: object, real: object = real, **more: object) -> object:
            result = real(self, *args, **more)  # type: ignore[operator]
            seen.append(plain(list(reader(home).rows("speed-up"))) == before)
            return result

        monkeypatch.setattr(LakeFiles, name, looked_at)
    FolderWriter(home.control, home.lake, "speed-up").rebuild()
    assert len(seen) > 10 and all(seen)


def test_find_gives_an_item_as_it_is_now(any_home: Home) -> None:
    any_home.campaign("speed-up")
    say(any_home, 1, 9)
    refresh(any_home, "speed-up")
    say(any_home, 10, 21)  # not folded
    found = {item: reader(any_home).find(item) for item in expected(any_home, RUN_7)}
    assert None not in found.values()
    assert plain([row for row in found.values() if row]) == expected(any_home, RUN_7)
    assert {(row["campaign"], row["kind"]) for row in found.values() if row} == {
        ("speed-up", kind) for kind in ITEM_TABLES
    }


def test_find_knows_what_is_not_there(home: Home) -> None:
    home.campaign("speed-up")
    say(home, 1, 27)
    assert reader(home).find("note:rig-a/run-7/n9") is None
    assert reader(home).find("note:rig-a/run-8/n1") is None
    assert reader(home).find("note:rig-b/run-7/n1") is None
    assert reader(home).find("note:rig-a/run-7~L2/n1") is None
    for wrong in ("", "note", "thing:rig-a/run-7/n1", "note:rig-a/run-7", "note:../run-7/n1"):
        with pytest.raises(UsageError):
            reader(home).find(wrong)


def test_find_follows_a_run_to_its_new_folder_at_once(home: Home) -> None:
    assign_run(home, "rig-a", "run-7", "one")
    say(home, 1, 27)
    refresh(home, "one")
    assign_run(home, "rig-a", "run-7", "two")
    found = reader(home).find("claim:rig-a/run-7/c1")
    assert found is not None and found["campaign"] == "two"


def test_find_of_an_unplaced_item_is_none(home: Home) -> None:
    say(home, 1, 27)
    assert reader(home).find("note:rig-a/run-7/n1") is None


def test_a_damaged_file_is_never_read_as_if_it_were_whole(home: Home) -> None:
    home.campaign("speed-up")
    say(home, 1, 27)
    refresh(home, "speed-up")
    path = next(iter(home.files("folders/note")))
    home.lake.local(path).write_bytes(next(iter(home.files("folders/claim").values())))
    with pytest.raises(DamagedFile, match="folders/note"):
        list(reader(home).rows("speed-up"))
    home.lake.local(path).unlink()
    with pytest.raises(DamagedFile, match="folders/note"):
        reader(home).table("speed-up", "note")
    assert plain(list(reader(home).rows("speed-up", ["claim"])))
