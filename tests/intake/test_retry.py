"""Judging a quarantined file again, and the bounds of what quarantine keeps."""

import gzip

import pytest
from sqlalchemy import select

from tests.support.homes import Home
from tests.support.rigs import RigSimulator, drop, seed_of
from thermite_pipelines.control.models import AuditEntry
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import receipt_rows
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.intake.receipts import Intake
from thermite_pipelines.ledger.envelope import public_key_of


@pytest.fixture
def rig(any_home: Home) -> RigSimulator:
    return any_home.rig()


def intake_of(home: Home, **changes: object) -> Intake:
    return Intake(home.control, home.lake, home.settings.model_copy(update=changes))


def retry(home: Home, name: str, by: str | None = None) -> bool:
    (row,) = home.receipts(name=name)
    return intake_of(home).retry(row["receipt"], by)


def audit(home: Home) -> list[AuditEntry]:
    with home.control.read() as connection:
        query = select(AuditEntry).where(AuditEntry.action == "retry").order_by(AuditEntry.entry)
        return list(connection.execute(query))  # type: ignore[arg-type]


class TestRetry:
    def test_after_a_key_was_added_the_report_and_all_behind_it_are_accepted(
        self, any_home: Home, rig: RigSimulator
    ) -> None:
        new_key = rig.fork(seed=seed_of("new key"))
        new_key.say_run()
        for name in ("1.dsse.json", "2.dsse.json"):
            new_key.say_note()
            new_key.send(name)
        rig = rig.fork(seq=2, n=new_key.n, prev=new_key.prev)
        rig.send("3.dsse.json")
        any_home.take()
        assert any_home.outcomes() == {
            "1.dsse.json": "unknown-key",
            "2.dsse.json": "unknown-key",
            "3.dsse.json": "waiting",
        }
        assert not retry(any_home, "1.dsse.json", "ann")
        any_home.add_key("rig-a", public_key_of(seed_of("new key")).hex())
        assert retry(any_home, "2.dsse.json", "ann")
        assert any_home.outcomes()["2.dsse.json"] == "waiting"
        assert retry(any_home, "1.dsse.json", "ann")
        assert set(any_home.outcomes().values()) == {"accepted"}
        any_home.write()
        assert len(any_home.events()) == 3
        assert [(entry.by, entry.detail["rig"], entry.detail["outcome"]) for entry in audit(any_home)] == [
            ("ann", "rig-a", "waiting"),
            ("ann", "rig-a", "accepted"),
        ]

    def test_a_rig_that_control_knows_by_now(self, any_home: Home) -> None:
        late = any_home.rig("rig-late", register=False)
        late.say_run()
        late.send("1.dsse.json")
        intake_of(any_home).take_unknown()
        any_home.add_key("rig-late")
        assert retry(any_home, "1.dsse.json")
        (row,) = any_home.receipts()
        assert row["outcome"] == "accepted"
        assert row["kept"].startswith("reports/rig=rig-late/")
        any_home.write("rig-late")
        assert len(any_home.events("rig-late")) == 1

    def test_what_was_too_large_is_kept_as_an_envelope_once_it_passes(self, any_home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        envelope = rig.report().envelope
        rig.drop(gzip.compress(envelope), "x.dsse.json.gz")
        intake_of(any_home, max_report_bytes=100).take("rig-a")
        assert any_home.outcomes() == {"x.dsse.json.gz": "too-large"}
        assert retry(any_home, "x.dsse.json.gz")
        assert any_home.outcomes() == {"x.dsse.json.gz": "accepted"}
        any_home.write()
        assert len(any_home.events()) == 1

    def test_forks_broken_chains_and_junk_stay_what_they_are(self, any_home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        twin = rig.fork()
        rig.send("good.dsse.json")
        any_home.take()
        twin.say_note()
        twin.send("fork.dsse.json")
        odd = rig.fork(prev="0" * 64)
        odd.send("broken.dsse.json")
        drop(rig.inbox, "junk.dsse.json", b"junk")
        any_home.take()
        before = any_home.receipts()
        for name in ("fork.dsse.json", "broken.dsse.json", "junk.dsse.json"):
            assert not retry(any_home, name, "ann")
        assert any_home.receipts() == before
        assert audit(any_home) == []

    def test_a_broken_chain_is_mended_by_what_it_stood_behind(self, any_home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        twin = rig.fork()
        rig.send("1.dsse.json")
        twin.say_note("the other story")
        twin.report()
        twin.send("2-of-the-other.dsse.json")
        any_home.take()
        assert any_home.outcomes()["2-of-the-other.dsse.json"] == "broken-chain"
        rig.send("2.dsse.json")
        any_home.take()
        assert retry(any_home, "2-of-the-other.dsse.json")
        assert any_home.outcomes()["2-of-the-other.dsse.json"] == "fork"

    def test_only_what_is_quarantined_with_its_bytes_can_be_retried(self, any_home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        rig.send("good.dsse.json")
        (rig.inbox / "link.dsse.json").symlink_to("nowhere")
        any_home.take()
        with pytest.raises(ThermiteError, match="no receipt 99"):
            intake_of(any_home).retry(99)
        with pytest.raises(ThermiteError, match="is accepted"):
            retry(any_home, "good.dsse.json")
        with pytest.raises(ThermiteError, match="not kept"):
            retry(any_home, "link.dsse.json")


class TestBounds:
    @pytest.fixture(autouse=True)
    def bounds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(receipt_rows, "MAX_QUARANTINED", 5)

    def test_the_oldest_junk_loses_its_bytes_never_its_row(self, any_home: Home, rig: RigSimulator) -> None:
        for number in range(9):
            drop(rig.inbox, f"{number}.dsse.json", b"junk %d" % number)
            any_home.take()
        rows = any_home.receipts()
        assert [row["kept"] is not None for row in rows] == [False] * 4 + [True] * 5
        assert {row["reason"] for row in rows} == {"bad-envelope"}
        assert set(any_home.files("reports")) == {row["kept"] for row in rows[4:]}

    def test_bytes_are_bounded_too(self, any_home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(receipt_rows, "MAX_QUARANTINED_BYTES", 10_000)
        for number in range(4):
            drop(rig.inbox, f"{number}.dsse.json.gz", bytes([number + 1]) * 4_000)
            any_home.take()
        assert [row["kept_bytes"] for row in any_home.receipts()] == [0, 0, 4_000, 4_000]

    def test_what_may_be_needed_keeps_its_bytes(self, any_home: Home, rig: RigSimulator) -> None:
        stranger = rig.fork(seed=seed_of("stranger"))
        for number in range(8):
            stranger.say_note(f"{number}")
            stranger.send(f"{number}.dsse.json")
        drop(rig.inbox, "junk.dsse.json", b"junk")
        any_home.take()
        kept = {row["name"] for row in any_home.receipts() if row["kept"]}
        assert kept == {f"{number}.dsse.json" for number in range(8)}

    def test_many_copies_of_the_same_junk_are_one_file(self, any_home: Home, rig: RigSimulator) -> None:
        for number in range(9):
            drop(rig.inbox, f"{number}.dsse.json", b"the same junk")
        any_home.take()
        assert all(row["kept"] for row in any_home.receipts())
        assert len(any_home.files("reports")) == 1

    def test_bytes_that_another_receipt_needs_stay(self, any_home: Home) -> None:
        late = any_home.rig("rig-late", register=False)
        late.say_run()
        report = late.report()
        for name in ("1.dsse.json", "copy.dsse.json"):
            late.drop(report, name)
        intake_of(any_home).take_unknown()
        any_home.add_key("rig-late")
        retry(any_home, "1.dsse.json")
        strangers = any_home.settings.inbox / "strangers"
        for number in range(9):
            drop(strangers, f"{number}.dsse.json", b"junk %d" % number)
        intake_of(any_home).take_unknown()
        assert any_home.receipts(name="copy.dsse.json")[0]["kept"] is None
        EventWriter(any_home.control, any_home.lake, "rig-late").rebuild()
        assert len(any_home.events("rig-late")) == 1

    def test_all_unknown_rigs_share_one_bound(self, any_home: Home) -> None:
        any_home.rig("rig-a")
        drop(any_home.settings.inbox / "rig-a", "x.dsse.json", b"junk of a known rig")
        any_home.take()
        for number in range(9):
            drop(any_home.settings.inbox / f"stranger-{number}", "x.dsse.json", b"junk %d" % number)
        intake_of(any_home).take_unknown()
        kept = [row["rig"] for row in any_home.receipts() if row["kept"]]
        assert kept == ["rig-a"] + [f"stranger-{number}" for number in range(4, 9)]


def test_a_file_whose_receipt_exists_is_only_removed(any_home: Home, rig: RigSimulator) -> None:
    """As after a kill between the receipts and the removal: same name, hash, inode and modification time."""
    import os
    import shutil

    rig.say_run()
    report = rig.send("1.dsse.json")
    drop(rig.inbox, "junk.dsse.json", b"junk")
    aside = rig.inbox.parent / "aside"
    aside.mkdir()
    for name in ("1.dsse.json", "junk.dsse.json"):
        os.link(rig.inbox / name, aside / name)
    any_home.take()
    for name in ("1.dsse.json", "junk.dsse.json"):
        os.link(aside / name, rig.inbox / name)
    taken = any_home.take()
    assert (taken.outcomes, taken.removed_again) == ({}, 2)
    assert not list(rig.inbox.iterdir())
    assert len(any_home.receipts()) == 2
    # Another file with the same bytes and name is a new arrival.
    shutil.copyfile(aside / "1.dsse.json", rig.inbox / "1.dsse.json")
    assert any_home.take().outcomes == {"duplicate": 1}
    assert report.sha256 == any_home.receipts()[2]["payload_sha256"]
