"""Files that control vouches for: announced, put, confirmed, and noticed when they are changed by others."""

from typing import Any

import pytest
from sqlalchemy import select, update

from tests.support.homes import Home
from thermite_pipelines.control.lake_files import DamagedFile, LakeFiles
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.tables.lake import Lake
from thermite_pipelines.tables.parquet import decode, encode
from thermite_pipelines.tables.schemas import UNKNOWN_EVENTS

PATH = "unknown_events/rig=rig-a/L1-000000.parquet"


def rows(*numbers: int) -> list[dict[str, Any]]:
    base = {
        "ledger": "L1",
        "seq": 1,
        "occurred_at": 1,
        "run": None,
        "campaign": None,
        "type": "t",
        "written_by": "harness",
    }
    rest = {"data": "{}", "report_sha256": "0" * 64, "accepted_at": 1}
    return [base | rest | {"n": n, "id": f"e{n}"} for n in numbers]


def files_of(home: Home) -> LakeFiles:
    return LakeFiles(home.control, home.lake, "rig:rig-a")


def write(home: Home, *numbers: int) -> None:
    files = files_of(home)
    files.stage(PATH, UNKNOWN_EVENTS, rows(*numbers))
    files.publish()
    with home.control.write() as connection:
        assert files.confirm(connection) == 1


def load(home: Home) -> list[int] | None:
    found = files_of(home).load(PATH, UNKNOWN_EVENTS)
    return None if found is None else found["n"].to_pylist()


def row(home: Home) -> Any:
    with home.control.read() as connection:
        return connection.execute(select(LakeFile)).one()


def test_a_file_counts_once_it_is_confirmed(any_home: Home) -> None:
    assert load(any_home) is None
    write(any_home, 2, 1)
    assert load(any_home) == [1, 2]
    assert files_of(any_home).known().keys() == {PATH}
    assert (row(any_home).rows, row(any_home).high_n) == (2, 2)


def test_a_file_that_nobody_announced_does_not_count(home: Home) -> None:
    home.lake.put(PATH, encode(UNKNOWN_EVENTS, rows(1)))
    assert load(home) is None


def test_after_a_kill_the_old_file_and_the_announced_one_are_both_good(home: Home) -> None:
    write(home, 1)
    old = home.lake.get(PATH)
    files = files_of(home)
    files.stage(PATH, UNKNOWN_EVENTS, rows(1, 2))
    files.publish()
    assert load(home) == [1, 2]
    assert files_of(home).damaged() == []
    home.lake.put(PATH, old)
    assert load(home) == [1]
    assert files_of(home).damaged() == []
    home.lake.put(PATH, encode(UNKNOWN_EVENTS, rows(3)))
    assert files_of(home).damaged() == [PATH]
    write(home, 1, 2)
    assert load(home) == [1, 2]


def test_before_its_first_confirmation_a_file_may_be_missing(home: Home) -> None:
    files = files_of(home)
    files.stage(PATH, UNKNOWN_EVENTS, rows(1))
    files.publish()
    home.lake.delete(PATH)
    assert load(home) is None
    assert files_of(home).damaged() == []


@pytest.mark.parametrize("how", ["gone", "torn", "other rows", "other columns"])
def test_damage_is_noticed(home: Home, how: str) -> None:
    write(home, 1, 2)
    good = home.lake.get(PATH)
    if how == "gone":
        home.lake.delete(PATH)
    elif how == "torn":
        home.lake.put(PATH, good[:-20])
    elif how == "other rows":
        home.lake.put(PATH, encode(UNKNOWN_EVENTS, rows(1, 3)))
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(decode(good).drop_columns(["data"]), sink)  # type: ignore[no-untyped-call]
        home.lake.put(PATH, sink.getvalue().to_pybytes())
    with pytest.raises(DamagedFile, match="rebuild it"):
        load(home)
    assert files_of(home).damaged() == [PATH]


def test_a_file_that_was_only_written_again_is_hashed_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    write(home, 1)
    home.lake.put(PATH, home.lake.get(PATH))
    assert load(home) == [1]
    assert files_of(home).damaged() == []

    def refuse(*_: object) -> bytes:
        raise AssertionError("it is known")

    monkeypatch.setattr(Lake, "get", refuse)
    assert files_of(home).damaged() == []


def test_a_thorough_look_finds_what_size_and_time_hide(home: Home) -> None:
    write(home, 1)
    home.lake.put(PATH, encode(UNKNOWN_EVENTS, rows(2)))
    entry = home.lake.stat(PATH)
    assert entry is not None
    with home.control.write() as connection:
        connection.execute(update(LakeFile).values(version=entry.version))
    assert files_of(home).damaged() == []
    assert files_of(home).damaged(thorough=True) == [PATH]


@pytest.mark.parametrize("times", [1, 3])
def test_a_file_that_is_replaced_while_it_is_read_is_no_damage(
    any_home: Home, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    write(any_home, 1)
    get = Lake.get
    left = list(range(2, 2 + times))

    def replacing(self: Lake, path: str) -> bytes:
        if left:
            number = left.pop(0)
            with monkeypatch.context() as patch:
                patch.setattr(Lake, "get", get)
                write(any_home, 1, number)
        return get(self, path)

    # The row says one thing, the file is another by the time it is read.
    stat = Lake.stat
    monkeypatch.setattr(Lake, "get", replacing)
    monkeypatch.setattr(LakeFiles, "_read", _read_late(LakeFiles._read, stat))
    assert load(any_home) == [1, 1 + times]


def _read_late(read: Any, stat: Any) -> Any:
    def late(self: LakeFiles, row: Any, table: Any) -> Any:
        self._lake.get(row.path)  # replaces the file after the row was read
        return read(self, row, table)

    return late
