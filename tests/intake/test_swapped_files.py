"""Files that are swapped while they are taken, and a disk that is full."""

import os

import pytest
import zstandard

from tests.intake.odd_files import UNSAFE, first_report
from tests.support.homes import Home
from tests.support.rigs import RigSimulator, drop
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import inbox
from thermite_pipelines.intake.receipts import Intake


@pytest.fixture
def rig(home: Home) -> RigSimulator:
    return home.rig()


class TestSwappedFiles:
    """Whoever can write to an inbox may swap files at any moment."""

    def test_a_file_swapped_after_listing_waits_for_the_next_tick(
        self, home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        good = first_report(rig)
        path = drop(rig.inbox, "x.dsse.json", b"junk")
        listed = inbox.settled

        def swapping(folder: int, seconds: float) -> list[inbox.Arrival]:
            found = listed(folder, seconds)
            path.unlink()
            drop(rig.inbox, "x.dsse.json", good)
            return found

        monkeypatch.setattr(inbox, "settled", swapping)
        taken = home.take()
        assert (taken.outcomes, taken.left) == ({}, 1)
        monkeypatch.setattr(inbox, "settled", listed)
        assert home.take().outcomes == {"accepted": 1}

    @pytest.mark.parametrize("what", ["link", "pipe"])
    def test_a_link_or_pipe_swapped_in_is_neither_followed_nor_waited_for(
        self, home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch, what: str
    ) -> None:
        path = drop(rig.inbox, "x.dsse.json", first_report(rig))
        listed = inbox.settled

        def swapping(folder: int, seconds: float) -> list[inbox.Arrival]:
            found = listed(folder, seconds)
            path.rename(rig.inbox / "kept-aside")
            UNSAFE[what](path)
            return found

        monkeypatch.setattr(inbox, "settled", swapping)
        assert home.take().left == 1
        assert home.receipts() == []

    def test_what_was_read_is_what_is_kept_though_the_name_is_given_to_another_file(
        self, home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        good = first_report(rig)
        path = drop(rig.inbox, "x.dsse.json", good)
        reading = inbox.read

        def swapping(descriptor: int, arrival: inbox.Arrival, limit: int) -> inbox.Content:
            content = reading(descriptor, arrival, limit)
            drop(rig.inbox, "x.dsse.json", b"another file")
            return content

        monkeypatch.setattr(inbox, "read", swapping)
        assert home.take().outcomes == {"accepted": 1}
        (receipt,) = home.receipts()
        assert zstandard.ZstdDecompressor().decompress(home.lake.get(receipt["kept"])) == good
        assert path.read_bytes() == b"another file"  # it is another arrival, for the next tick

    def test_a_file_that_grows_while_it_is_read_is_read_again_later(
        self, home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        good = first_report(rig)
        path = drop(rig.inbox, "x.dsse.json", good[:50])
        unpacking = inbox.unpack

        def growing(*args: object) -> inbox.Content:
            content = unpacking(*args)  # type: ignore[arg-type]
            path.write_bytes(good)
            return content

        monkeypatch.setattr(inbox, "unpack", growing)
        assert home.take().left == 1
        monkeypatch.setattr(inbox, "unpack", unpacking)
        assert home.take().outcomes == {"accepted": 1}


class TestDisk:
    def test_with_little_room_intake_stops_and_says_so(self, home: Home, rig: RigSimulator) -> None:
        path = rig.drop(first_report(rig), "x.dsse.json")
        full = Home(home.settings.model_copy(update={"min_free_bytes": 2**60}))
        with pytest.raises(ThermiteError, match="THERMITE_MIN_FREE_BYTES"):
            full.take()
        with pytest.raises(ThermiteError, match="THERMITE_MIN_FREE_BYTES"):
            Intake(full.control, full.lake, full.settings).take_unknown()
        assert path.exists() and home.receipts() == []

    def test_what_was_taken_before_the_room_ran_out_counts(
        self, home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rig.drop(first_report(rig), "1.dsse.json")
        rig.say_note()
        rig.drop(rig.report(), "2.dsse.json")
        roomy = home.settings.model_copy(update={"min_free_bytes": 1000})
        looks = iter([2000] * 4 + [500] * 100)
        monkeypatch.setattr("thermite_pipelines.intake.receipts._free", lambda _: next(looks))
        with pytest.raises(ThermiteError, match="free"):
            Home(roomy).take()
        assert home.outcomes() == {"1.dsse.json": "accepted"}
        assert [path.name for path in rig.inbox.iterdir()] == ["2.dsse.json"]

    def test_a_full_disk_loses_nothing(self, home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch) -> None:
        path = rig.drop(first_report(rig), "x.dsse.json")

        def refuse(*_: object) -> int:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", refuse)
            with pytest.raises(ThermiteError, match="No space left"):
                home.take()
        assert path.exists() and home.receipts() == []
        assert home.take().outcomes == {"accepted": 1}
