"""The lake: files written whole or not at all, in a directory or an object store."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.homes import Home, make_home
from tests.support.killing import in_child
from tests.support.rigs import drop
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.tables import lake as lake_module
from thermite_pipelines.tables.lake import Lake, LakeMissing, write_atomic


@pytest.fixture(params=["directory", "object store"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Lake:
    return Lake(str(tmp_path / "lake") if request.param == "directory" else f"memory://bucket-{uuid.uuid4()}/lake")


def test_files_are_put_read_listed_and_deleted(lake: Lake) -> None:
    lake.put("events/rig=a/1.parquet", b"one")
    lake.put("events/rig=a/1.parquet", b"one again")
    lake.put("events/rig=b/2.parquet", b"two", sync=False)
    lake.put("other/3.parquet", b"three")
    lake.sync(["events/rig=b/2.parquet"])
    lake.sync([])
    assert lake.get("events/rig=a/1.parquet") == b"one again"
    assert [entry.path for entry in lake.list("events")] == ["events/rig=a/1.parquet", "events/rig=b/2.parquet"]
    assert [entry.size for entry in lake.list("events/rig=a")] == [9]
    lake.delete("events/rig=a/1.parquet")
    lake.delete("events/rig=a/1.parquet")
    with pytest.raises(LakeMissing):
        lake.get("events/rig=a/1.parquet")
    assert lake.stat("events/rig=a/1.parquet") is None
    assert list(lake.list("nothing/here")) == []


def test_a_version_tells_one_content_from_another(lake: Lake) -> None:
    before = ""
    for number in range(20):
        lake.put("x/1", b"%03d" % number)
        entry = lake.stat("x/1")
        assert entry is not None and entry == lake.stat("x/1")
        assert entry.version != before
        before = entry.version


def test_files_of_any_size_go_piece_by_piece(lake: Lake) -> None:
    parts = [os.urandom(700_000) for _ in range(4)]
    lake.put_pieces("x/large", iter(parts))
    assert b"".join(lake.pieces("x/large")) == b"".join(parts)
    with pytest.raises(LakeMissing):
        list(lake.pieces("x/nothing"))


def test_a_source_that_fails_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.put("x/1", b"old")

    def failing() -> Iterator[bytes]:
        yield b"new"
        raise KeyError

    with pytest.raises(KeyError):
        lake.put_pieces("x/1", failing())
    assert lake.get("x/1") == b"old"
    assert [entry.path for entry in lake.list("")] == ["x/1"]


def test_an_address_is_what_other_tools_open(tmp_path: Path) -> None:
    assert Lake(str(tmp_path)).address("events/1") == str(tmp_path / "events" / "1")
    assert Lake(f"file://{tmp_path}").address("events/1") == str(tmp_path / "events" / "1")
    assert Lake("memory://bucket/lake/").address("events/1") == "memory://bucket/lake/events/1"


def test_a_store_that_cannot_be_opened_is_one_line() -> None:
    with pytest.raises(ThermiteError, match="THERMITE_LAKE_URL"):
        Lake("nosuchstore://bucket")


class TestDirectory:
    def test_many_files_are_synced_at_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        lake = Lake(str(tmp_path))
        paths = [f"x/{number}" for number in range(40)]
        for path in paths:
            lake.put(path, b"x", sync=False)
        single: list[Path] = []
        monkeypatch.setattr(lake_module, "_fsync", single.append)
        lake.sync(paths)
        assert single == []
        monkeypatch.setattr(lake_module, "_sync_whole", lambda _: False)  # no such call on this system
        lake.sync(paths)
        assert set(single) == {tmp_path, tmp_path / "x", *(tmp_path / path for path in paths)}

    def test_a_kill_while_writing_leaves_the_old_file_and_the_rest_is_swept(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lake = Lake(str(tmp_path))
        lake.put("reports/rig=a/00/x", b"old")

        def killed() -> None:
            monkeypatch.setattr(Path, "replace", lambda *_: os._exit(9))
            lake.put("reports/rig=a/00/x", b"new")

        assert in_child(killed) == 9
        assert lake.get("reports/rig=a/00/x") == b"old"
        assert [entry.path for entry in lake.list("")] == ["reports/rig=a/00/x"]
        assert lake.sweep("reports/rig=b") == 0
        assert lake.sweep("reports/rig=a") == 1
        assert lake.sweep("reports/rig=a") == 0

    @pytest.mark.parametrize(
        ("number", "says"), [(28, "free some space"), (30, "writable"), (13, "right to write"), (5, "look at the disk")]
    )
    def test_a_disk_that_refuses_is_one_line_and_leaves_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, says: str
    ) -> None:
        def refuse(*_: object) -> int:
            raise OSError(number, os.strerror(number))

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", refuse)
            with pytest.raises(ThermiteError, match=says):
                write_atomic(tmp_path / "x", b"data")
        assert list(tmp_path.iterdir()) == []

    def test_short_writes_are_continued(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write = os.write
        monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
        write_atomic(tmp_path / "x", b"0123456789", mode=0o600)
        assert (tmp_path / "x").read_bytes() == b"0123456789"
        assert (tmp_path / "x").stat().st_mode & 0o777 == 0o600


def test_intake_works_on_an_object_store(tmp_path: Path, ready_record: Path) -> None:
    url = f"memory://bucket-{uuid.uuid4()}/lake"
    home: Home = make_home(tmp_path / "home", ready_record, lake_url=url, max_report_bytes=3_000)
    rig = home.rig()
    rig.say_run()
    rig.say_note()
    rig.send("1.dsse.json")
    drop(rig.inbox, "large.dsse.json", b"x" * 2_500_000)
    home.intake()
    assert home.outcomes() == {"1.dsse.json": "accepted", "large.dsse.json": "too-large"}
    assert len(home.events()) == 2
    before = home.files("events")
    (path,) = before
    home.lake.put(path, b"damaged")
    EventWriter(home.control, home.lake, "rig-a").rebuild()
    assert home.files("events") == before
    large = home.receipts(name="large.dsse.json")[0]
    assert home.lake.get(large["kept"]) == b"x" * 2_500_000
    assert not list(rig.inbox.iterdir())
