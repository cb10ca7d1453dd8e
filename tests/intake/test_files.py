"""Files of an inbox: which are taken, which are left alone, and what odd or hostile ones come to."""

import gzip
import os
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.intake.odd_files import UNSAFE, first_report
from tests.support.homes import Home, make_home
from tests.support.rigs import RigSimulator, drop
from thermite_pipelines.intake import inbox
from thermite_pipelines.intake.receipts import Intake


@pytest.fixture
def rig(home: Home) -> RigSimulator:
    return home.rig()


@pytest.mark.parametrize("what", UNSAFE)
def test_unsafe_files_stay_and_are_listed_once(home: Home, rig: RigSimulator, what: str) -> None:
    path = rig.inbox / "odd.dsse.json"
    try:
        UNSAFE[what](path)
    except PermissionError:  # a sandbox without devices: the rest of the list still counts
        assert what == "device"
        return
    assert home.take().reasons == {"unsafe-file": 1}
    assert home.take().outcomes == {}
    if what == "directory":
        (path / "inner").write_text("changes the folder's time")
        assert home.take().outcomes == {}
    (receipt,) = home.receipts()
    assert (receipt["outcome"], receipt["reason"]) == ("quarantined", "unsafe-file")
    assert receipt["sha256"] is None and receipt["kept"] is None
    assert path.is_symlink() or path.exists()
    assert home.files("reports") == {}


def test_an_unsafe_file_that_makes_way_for_a_report_is_no_obstacle(home: Home, rig: RigSimulator) -> None:
    (rig.inbox / "one.dsse.json").symlink_to("/etc/passwd")
    home.take()
    (rig.inbox / "one.dsse.json").unlink()
    rig.drop(first_report(rig), "one.dsse.json")
    assert home.take().outcomes == {"accepted": 1}


def test_names_that_are_not_finished_reports_are_left_alone(home: Home, rig: RigSimulator) -> None:
    envelope = first_report(rig)
    names = [
        ".x.dsse.json",
        "x.dsse.json.tmp",
        "x.dsse.json.part",
        "x.json",
        "x.dsse.json.bz2",
        "README",
        "x.DSSE.JSON",
    ]
    for name in names:
        (rig.inbox / name).write_bytes(envelope)
    (rig.inbox / "folder").mkdir()
    (rig.inbox / "folder" / "x.dsse.json").write_bytes(envelope)
    (home.settings.inbox / "x.dsse.json").write_bytes(envelope)
    assert home.take().outcomes == {}
    Intake(home.control, home.lake, home.settings).take_unknown()
    assert home.receipts() == []
    assert sorted(path.name for path in rig.inbox.iterdir()) == sorted([*names, "folder"])


def test_the_shortest_names_are_names(home: Home, rig: RigSimulator) -> None:
    rig.drop(first_report(rig), "x.dsse.json")
    rig.say_note()
    rig.drop(rig.report(), "-- $(x) \n'\".dsse.json")
    assert home.take().outcomes == {"accepted": 2}


def test_names_that_are_no_utf_8_are_taken(any_home: Home) -> None:
    rig = any_home.rig()
    folder = os.fsencode(rig.inbox)
    for name in (b"\xff\xfe.dsse.json", b"caf\xe9.dsse.json"):
        Path(os.fsdecode(folder + b"/" + name)).write_bytes(b"junk of " + name)
    drop(rig.inbox, "käse-🧀.dsse.json", b"junk")
    assert any_home.take().reasons == {"bad-envelope": 3}
    assert {row["name"] for row in any_home.receipts()} == {
        "\\xff\\xfe.dsse.json",
        "caf\\xe9.dsse.json",
        "käse-🧀.dsse.json",
    }
    assert os.listdir(folder) == []


@pytest.mark.parametrize("moment", [0.0, -(2.0**40), 2.0**33, 2.0**40])
def test_any_modification_time_will_do(any_home: Home, moment: float) -> None:
    rig = any_home.rig()
    drop(rig.inbox, "x.dsse.json", first_report(rig), mtime=moment)
    assert any_home.take().outcomes == {"accepted": 1}


class TestSettling:
    @pytest.fixture
    def slow(self, tmp_path: Path, ready_record: Path) -> Home:
        return make_home(tmp_path / "slow", ready_record, settle_seconds=30.0)

    def test_young_files_are_left(self, slow: Home) -> None:
        rig = slow.rig()
        drop(rig.inbox, "x.dsse.json", first_report(rig))
        (rig.inbox / "link.dsse.json").symlink_to("x")  # only plain files settle
        assert slow.take().reasons == {"unsafe-file": 1}
        assert (rig.inbox / "x.dsse.json").exists()

    def test_old_files_are_taken(self, slow: Home) -> None:
        rig = slow.rig()
        drop(rig.inbox, "x.dsse.json", first_report(rig), mtime=time.time() - 31)
        assert slow.take().outcomes == {"accepted": 1}

    def test_a_time_in_the_future_says_nothing_so_the_change_time_counts(self, slow: Home) -> None:
        rig = slow.rig()
        path = drop(rig.inbox, "x.dsse.json", first_report(rig), mtime=time.time() + 10**6)
        assert slow.take().outcomes == {}
        with inbox.open_folder(rig.inbox) as folder:
            assert folder is not None
            assert inbox.has_young(folder, 30.0)
            assert not inbox.has_young(folder, 0.0)
            (arrival,) = inbox.settled(folder, 0.0)
            assert arrival.age_ns(path.stat().st_ctime_ns + 5) == 5

    def test_where_all_times_lie_in_the_future_standing_still_counts(
        self, slow: Home, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rig = slow.rig()
        path = drop(rig.inbox, "x.dsse.json", first_report(rig))
        long_ago = time.time_ns() - 10**15
        monkeypatch.setattr(inbox.time, "time_ns", lambda: long_ago)
        slept: list[float] = []
        monkeypatch.setattr(inbox.time, "sleep", slept.append)
        with inbox.open_folder(rig.inbox) as folder:
            assert folder is not None
            assert inbox.settled(folder, 30.0, wait=False) == []
            assert [arrival.name for arrival in inbox.settled(folder, 30.0)] == ["x.dsse.json"]
            assert slept == [30.0]
            monkeypatch.setattr(inbox.time, "sleep", lambda _: path.write_bytes(b"still being written"))
            assert inbox.settled(folder, 30.0) == []


class TestPacking:
    @pytest.fixture
    def envelope(self, rig: RigSimulator) -> bytes:
        return first_report(rig)

    @pytest.mark.parametrize("packing", ["", "gz", "zst"])
    def test_the_envelope_is_kept_whatever_it_came_in(self, home: Home, rig: RigSimulator, packing: str) -> None:
        envelope = first_report(rig)
        rig.drop(envelope, "x.dsse.json", packing=packing)
        assert home.take().outcomes == {"accepted": 1}
        (receipt,) = home.receipts()
        assert zstandard.ZstdDecompressor().decompress(home.lake.get(receipt["kept"])) == envelope

    @pytest.mark.parametrize("parts", [2, 5])
    def test_all_members_count(self, home: Home, rig: RigSimulator, envelope: bytes, parts: int) -> None:
        size = len(envelope) // parts + 1
        pieces = [envelope[start : start + size] for start in range(0, len(envelope), size)]
        drop(rig.inbox, "a.dsse.json.gz", b"".join(gzip.compress(piece) for piece in [b"", *pieces, b""]))
        packer = zstandard.ZstdCompressor()
        skippable = b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
        drop(rig.inbox, "b.dsse.json.zst", skippable + b"".join(map(packer.compress, [b"", *pieces])) + skippable)
        home.take()
        assert sorted(home.outcomes().values()) == ["accepted", "duplicate"]

    @pytest.mark.parametrize("name", ["x.dsse.json.gz", "x.dsse.json.zst"])
    @pytest.mark.parametrize(
        "spoil",
        [
            lambda packed: packed[:-1],
            lambda packed: packed[: len(packed) // 2],
            lambda packed: packed[:3],
            lambda packed: b"",
            lambda packed: packed + b"\0",
            lambda packed: packed + b"trailing",
            lambda packed: packed + packed[:10],
            lambda packed: b"\n" + packed,
            lambda packed: packed[:20] + bytes([packed[20] ^ 255]) + packed[21:],
        ],
    )
    def test_what_does_not_decompress_is_kept_as_it_came(
        self, home: Home, rig: RigSimulator, envelope: bytes, name: str, spoil: Callable[[bytes], bytes]
    ) -> None:
        checked = zstandard.ZstdCompressor(write_checksum=True)
        data = spoil(gzip.compress(envelope) if name.endswith("gz") else checked.compress(envelope))
        drop(rig.inbox, name, data)
        home.take()
        (receipt,) = home.receipts()
        assert (receipt["reason"], receipt["payload_sha256"]) == ("bad-envelope", None)
        assert home.lake.get(receipt["kept"]) == data
        assert not list(rig.inbox.iterdir())

    def test_an_ending_that_lies_is_no_envelope(self, home: Home, rig: RigSimulator, envelope: bytes) -> None:
        drop(rig.inbox, "a.dsse.json", gzip.compress(envelope))
        drop(rig.inbox, "b.dsse.json.gz", envelope)
        drop(rig.inbox, "c.dsse.json.zst", gzip.compress(envelope))
        drop(rig.inbox, "d.dsse.json.gz", zlib.compress(envelope))
        home.take()
        assert set(home.outcomes().values()) == {"bad-envelope"}


class TestTooLarge:
    LIMIT = 50_000

    @pytest.fixture
    def small(self, tmp_path: Path, ready_record: Path) -> Home:
        return make_home(tmp_path / "small", ready_record, max_report_bytes=self.LIMIT)

    @pytest.mark.parametrize("extra", [0, 1])
    @pytest.mark.parametrize("packing", ["", "gz", "zst"])
    def test_the_limit_is_that_of_the_envelope(self, small: Home, extra: int, packing: str) -> None:
        rig = small.rig()
        envelope = first_report(rig)
        rig.drop(envelope + b" " * (self.LIMIT - len(envelope) + extra), "x.dsse.json", packing=packing)
        small.take()
        assert list(small.outcomes().values()) == ["too-large" if extra else "accepted"]

    @pytest.mark.parametrize("kind", ["plain", "gz", "gz members", "zst", "zst frames"])
    def test_bombs_are_moved_and_their_bytes_kept(self, small: Home, kind: str) -> None:
        rig = small.rig()
        zeros = bytes(3_000_000)
        frames = zstandard.ZstdCompressor()
        data, name = {
            "plain": (zeros, "x.dsse.json"),
            "gz": (gzip.compress(bytes(200_000_000), 1), "x.dsse.json.gz"),
            "gz members": (gzip.compress(bytes(40_000)) * 3, "x.dsse.json.gz"),
            "zst": (frames.compress(bytes(200_000_000)), "x.dsse.json.zst"),
            "zst frames": (frames.compress(bytes(40_000)) * 3, "x.dsse.json.zst"),
        }[kind]
        path = drop(rig.inbox, name, data)
        inode = path.stat().st_ino
        small.take()
        (receipt,) = small.receipts()
        assert receipt["reason"] == "too-large"
        assert small.lake.get(receipt["kept"]) == data
        assert small.lake.local(receipt["kept"]).stat().st_ino == inode  # moved, not copied
        assert not list(rig.inbox.iterdir())

    def test_where_the_lake_is_elsewhere_the_file_is_copied(self, small: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> None:
            raise OSError(18, "Invalid cross-device link")

        rig = small.rig()
        data = os.urandom(3_000_000)
        drop(rig.inbox, "x.dsse.json", data)
        monkeypatch.setattr(os, "link", refuse)
        small.take()
        (receipt,) = small.receipts()
        assert small.lake.get(receipt["kept"]) == data
        assert not list(rig.inbox.iterdir())

    def test_memory_is_bounded_by_the_limit(self, small: Home) -> None:
        parts = iter([bytes(1 << 20)] * 200)
        content = inbox.unpack(parts, "x.dsse.json", self.LIMIT)
        assert content.reason == "too-large"
        assert content.sha256 and content.envelope is None


def test_an_inbox_that_is_a_link_is_not_followed(home: Home, tmp_path: Path) -> None:
    rig = home.rig()
    drop(tmp_path / "real", "x.dsse.json", first_report(rig))
    rig.inbox.rmdir()
    rig.inbox.symlink_to(tmp_path / "real")
    (home.settings.inbox / "unknown").symlink_to(tmp_path / "real")
    home.take()
    Intake(home.control, home.lake, home.settings).take_unknown()
    assert home.receipts() == []
    assert (tmp_path / "real" / "x.dsse.json").exists()


def test_an_inbox_that_is_missing_or_a_file_is_empty(home: Home) -> None:
    home.rig().inbox.rmdir()
    assert home.take().outcomes == {}
    home.rig().inbox.write_text("no folder")
    assert home.take().outcomes == {}
