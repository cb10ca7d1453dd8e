"""What an intake would find, as the sensor asks: work that is there shows, and work that is done shows no more."""

from tests.intake.odd_files import first_report
from tests.support.homes import Home, make_home
from tests.support.rigs import drop
from thermite_pipelines.intake.pending import pending_rigs, pending_unknown
from thermite_pipelines.intake.receipts import Intake


def rigs(home: Home, settle: float = 0.0) -> dict[str, str]:
    with home.control.read() as connection:
        return pending_rigs(connection, home.settings.inbox, settle)


def unknown(home: Home) -> str | None:
    with home.control.read() as connection:
        return pending_unknown(connection, home.settings.inbox, 0.0)


def test_settled_files_and_unwritten_events_are_work(any_home: Home) -> None:
    rig = any_home.rig()
    any_home.rig("rig-b")
    assert rigs(any_home) == {}
    rig.drop(first_report(rig), "1.dsse.json")
    assert rigs(any_home).keys() == {"rig-a"}
    assert rigs(any_home, settle=1_000.0) == {}
    first = rigs(any_home)
    rig.say_note()
    rig.send("2.dsse.json")
    assert rigs(any_home) != first
    any_home.take()
    assert rigs(any_home).keys() == {"rig-a"}
    any_home.write()
    assert rigs(any_home) == {}


def test_unsafe_files_ask_once_though_their_times_change(any_home: Home) -> None:
    rig = any_home.rig()
    (rig.inbox / "folder.dsse.json").mkdir()
    (rig.inbox / "link.dsse.json").symlink_to("nowhere")
    assert rigs(any_home).keys() == {"rig-a"}
    any_home.take()
    (rig.inbox / "folder.dsse.json" / "inner").write_text("x")
    assert rigs(any_home) == {}


def test_inboxes_of_unknown_rigs(any_home: Home) -> None:
    assert unknown(any_home) is None
    drop(any_home.settings.inbox / "stranger", "x.dsse.json", b"junk")
    assert unknown(any_home) is not None
    Intake(any_home.control, any_home.lake, any_home.settings).take_unknown()
    assert unknown(any_home) is None
    assert rigs(any_home) == {}


def test_however_much_junk_lies_there_a_look_is_short(home: Home) -> None:
    rig = home.rig()
    for number in range(500):
        (rig.inbox / f"{number}.dsse.json").touch()
    assert rigs(home).keys() == {"rig-a"}
    assert make_home(home.settings.home).take().reasons == {"bad-envelope": 500}
    assert rigs(home) == {}


def test_a_report_that_waits_is_work_once_its_key_is_revoked(any_home: Home) -> None:
    rig = any_home.rig()
    first_report(rig)
    rig.send("2.dsse.json")
    any_home.intake()
    assert any_home.outcomes() == {"2.dsse.json": "waiting"} and rigs(any_home) == {}
    any_home.revoke_key("rig-a")
    assert rigs(any_home).keys() == {"rig-a"}
    any_home.intake()
    assert any_home.outcomes() == {"2.dsse.json": "revoked-key"} and rigs(any_home) == {}
