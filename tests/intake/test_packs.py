"""Many reports that come together are kept in one file, and each is read back as it came."""

from pathlib import Path

import pytest

from tests.support.homes import Home
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.intake.vault import PACK_FROM, Vault


def send(home: Home, count: int) -> dict[str, bytes]:
    """Reports of one run by file name, with their envelopes."""
    rig = home.rig()
    rig.say_run()
    sent = {}
    for number in range(count):
        rig.say_note(f"note {number}")
        report = rig.report()
        sent[f"{number:03d}.dsse.json"] = report.envelope
        rig.drop(report, f"{number:03d}.dsse.json")
    return sent


def pack_of(home: Home) -> Path:
    [path] = (Path(home.settings.lake) / "reports").rglob("*.pack")
    return path


@pytest.mark.parametrize("count", [PACK_FROM - 1, PACK_FROM, 3 * PACK_FROM])
def test_each_report_is_read_back_byte_for_byte(any_home: Home, count: int) -> None:
    sent = send(any_home, count)
    any_home.intake()
    vault = Vault(any_home.lake)
    receipts = any_home.receipts()
    assert {row["name"]: vault.envelope(row["kept"]) for row in receipts} == sent
    assert {row["outcome"] for row in receipts} == {"accepted"}
    files = list((Path(any_home.settings.lake) / "reports").rglob("*.pack"))
    assert len(files) == (count >= PACK_FROM)


def test_a_rebuild_reads_from_packs(home: Home) -> None:
    send(home, 2 * PACK_FROM)
    home.intake()
    before = home.files("events")
    EventWriter(home.control, home.lake, "rig-a").rebuild()
    assert home.files("events") == before and before


def test_a_later_pack_never_replaces_an_earlier_one(home: Home) -> None:
    sent = send(home, PACK_FROM)
    home.intake()
    for name in sent:
        home.rig().drop(sent[name], f"again-{name}")
    home.intake()
    vault = Vault(home.lake)
    for row in home.receipts():
        assert vault.envelope(row["kept"]) == sent[row["name"].removeprefix("again-")]


@pytest.mark.parametrize("keep", [0, 100])
def test_a_torn_pack_is_named_and_nothing_is_changed(home: Home, keep: int) -> None:
    send(home, PACK_FROM)
    home.intake()
    before = home.files("events")
    path = pack_of(home)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ThermiteError, match="restore it from a backup"):
        EventWriter(home.control, home.lake, "rig-a").rebuild()
    path.unlink()
    with pytest.raises(ThermiteError, match="restore it from a backup"):
        EventWriter(home.control, home.lake, "rig-a").rebuild()
    assert home.files("events") == before
