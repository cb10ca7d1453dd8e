"""`thermite doctor`: quiet on a sound home, and each kind of trouble named with what to do."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, update

from tests.cli.commands import Cli
from tests.cli.test_reading import fill, fold
from thermite_pipelines.control.models import Lease, Receipt
from thermite_pipelines.rig.sample.story import sha256
from thermite_pipelines.times import now_micros

DAY = 86_400


def findings(cli: Cli, code: int = 1) -> list[dict[str, Any]]:
    document = cli.json("doctor", code=code)
    assert list(document) == ["ok", "findings"] and document["ok"] is (code == 0)
    for finding in document["findings"]:
        assert list(finding) == ["level", "what", "why", "do"]
        assert finding["level"] in ("error", "warning", "note") and all(finding.values())
    return document["findings"]


def only(cli: Cli, level: str, *words: str) -> dict[str, Any]:
    """The one finding that there is; it must say all these words."""
    [finding] = findings(cli, code=0 if level == "note" else 1)
    assert finding["level"] == level, finding
    assert all(word in " ".join(finding.values()) for word in words), finding
    return finding


def test_a_sound_home_is_well(cli: Cli) -> None:
    assert findings(cli, code=0) == []
    assert cli.say("doctor") == "all is well\n"
    fill(cli)
    assert findings(cli, code=0) == []


def test_a_home_that_was_not_initialised(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_HOME", str(tmp_path / "nothing"))
    only(cli, "error", "thermite init")


def test_the_control_key(cli: Cli) -> None:
    key = cli.home.settings.control_key
    key.chmod(0o640)
    only(cli, "warning", "0640", "chmod 600")
    key.write_text("nonsense")
    only(cli, "error", "control.key")
    key.unlink()
    only(cli, "error", "thermite init")


def test_too_little_room(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_MIN_FREE_BYTES", str(2**60))
    only(cli, "error", "MiB are free")


def test_folders_that_are_missing(cli: Cli) -> None:
    (cli.home.settings.home / "exports").rmdir()
    (cli.home.settings.dagster_home / "dagster.yaml").unlink()
    assert [one["level"] for one in findings(cli)] == ["warning", "warning"]


def test_a_lake_that_takes_no_files(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only_read = Path("/proc/self")  # where root can write nothing either
    monkeypatch.setenv("THERMITE_LAKE_URL", str(only_read))
    only(cli, "error", "can't be written: /proc/self, ")
    monkeypatch.setenv("THERMITE_LAKE_URL", str(tmp_path / "lake"))
    only(cli, "warning", "missing", str(tmp_path / "lake"))
    (tmp_path / "lake").mkdir()
    (tmp_path / "lake" / "reports").symlink_to(only_read)
    only(cli, "error", f"can't be written: {tmp_path}/lake/reports")
    assert list((tmp_path / "lake").iterdir()) == [tmp_path / "lake" / "reports"]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda inbox: (inbox / "stray.dsse.json").touch(), "directly in inbox/: stray.dsse.json"),
        (lambda inbox: (inbox / "rig-b").symlink_to("/"), "links lie in inbox/: rig-b"),
        (lambda inbox: (inbox / "Rig B").mkdir(), "no rig can have: Rig B"),
        (lambda inbox: (inbox / "rig-z").mkdir(), "does not know: rig-z"),
        (lambda inbox: (inbox / "rig-a/notes.txt").touch(), "no report's name: rig-a/notes.txt"),
        (lambda inbox: (inbox / "rig-a/old").mkdir(), "no report's name: rig-a/old"),
        (lambda inbox: (inbox / "rig-a/x.dsse.json").symlink_to("/etc/hostname"), "report's name: rig-a/x.dsse.json"),
        (lambda inbox: os.mkfifo(inbox / "rig-a/p.dsse.json"), "report's name: rig-a/p.dsse.json"),
    ],
)
def test_what_no_intake_takes_is_named(cli: Cli, make: Any, says: str) -> None:
    cli.home.rig()
    make(cli.home.settings.inbox)
    only(cli, "warning", says)


def test_writes_in_progress_are_none_of_its_business(cli: Cli) -> None:
    inbox = cli.home.rig().inbox
    for name in (".hidden", "a.dsse.json.tmp", "b.part"):
        (inbox / name).touch()
    assert findings(cli, code=0) == []
    old = time.time() - 2 * DAY
    os.utime(inbox / "b.part", (old, old))
    only(cli, "note", "rig-a/b.part")


def test_reports_that_nothing_takes(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = cli.home.rig()
    rig.say_run()
    rig.send()
    assert findings(cli, code=0) == []
    later = time.time() + 1000
    monkeypatch.setattr("thermite_pipelines.cli.diagnosis.arrivals.time.time", lambda: later)
    only(cli, "warning", "1 report of rig-a in the inbox", "THERMITE_LAG_WARN_SECONDS (900)")


def test_accepted_reports_whose_events_are_not_written(cli: Cli) -> None:
    rig = cli.home.rig()
    rig.say_run()
    rig.send()
    cli.home.take()
    assert findings(cli, code=0) == []
    with cli.home.control.write() as connection:
        connection.execute(update(Receipt).values(accepted_at=now_micros() - 1000 * 1_000_000))
    only(cli, "warning", "the events of 1 accepted report of rig-a", "refresh --rig rig-a")
    cli.home.write()
    assert findings(cli, code=1)[0]["what"].startswith("1 run in no folder")


def test_strange_names_are_grouped_and_escaped(cli: Cli) -> None:
    inbox = cli.home.rig().inbox
    for number in range(9):
        (inbox / f"\x1b[31m{number}").touch()
    finding = only(cli, "warning", "and 4 more")
    assert finding["what"].count("rig-a/") == 5
    assert "\x1b" not in cli.run("doctor").out


def test_quarantined_reports_are_grouped_by_reason_and_become_history(cli: Cli) -> None:
    rig = cli.home.rig()
    for number in range(3):
        rig.drop(b"{}%d" % number, f"{number}.dsse.json")
    cli.home.intake()
    only(cli, "warning", "3 reports of rig-a quarantined as bad-envelope")
    with cli.home.control.write() as connection:
        connection.execute(update(Receipt).values(arrived_at=now_micros() - 8 * DAY * 1_000_000))
    only(cli, "note", "3 reports of rig-a quarantined as bad-envelope")


def test_a_fork_is_an_error_until_its_key_is_revoked(cli: Cli) -> None:
    rig = cli.home.rig()
    twin = rig.fork()
    rig.send()
    cli.home.intake()
    twin.say_run("another")
    twin.send()
    cli.home.intake()
    fork = only(cli, "error", "rig-a signed two payloads", "thermite rig revoke rig-a")
    assert "receipts 2" in fork["what"]
    cli.home.revoke_key("rig-a")
    only(cli, "note", "rig-a signed two payloads")


@pytest.mark.parametrize(
    ("wrong", "reason"), [({"prev": "0" * 64}, "broken-chain"), ({"sent_at": "today"}, "bad-payload")]
)
def test_a_chain_that_stands_behind_a_quarantined_report(cli: Cli, wrong: dict[str, str], reason: str) -> None:
    rig = cli.home.rig()
    rig.say_run()
    rig.send("1.dsse.json")
    rig.say_note()
    rig.drop(rig.report(**wrong), "2.dsse.json")
    rig.say_note()
    rig.send("3.dsse.json")
    cli.home.intake()
    assert cli.home.outcomes()["2.dsse.json"] == reason
    errors = [one for one in findings(cli) if one["level"] == "error"]
    [receipt] = [row["receipt"] for row in cli.home.receipts(name="2.dsse.json")]
    assert len(errors) == 1 and "stands before report 2" in errors[0]["what"]
    assert f"retry {receipt}" in errors[0]["do"]


def test_reports_that_wait_for_more_than_a_day(cli: Cli) -> None:
    rig = cli.home.rig()
    rig.say_run()
    rig.report()
    rig.say_note()
    rig.send()
    cli.home.intake()
    assert findings(cli, code=0) == []
    with cli.home.control.write() as connection:
        connection.execute(update(Receipt).values(arrived_at=now_micros() - 2 * DAY * 1_000_000))
    only(cli, "warning", "1 report of ledger L1 of rig-a waiting")


def test_rejected_and_unknown_events(cli: Cli) -> None:
    rig = cli.home.rig()
    rig.say_run()
    for _ in range(30):
        rig.say_note()
    rig.say("weather", {})
    rig.say("journal_note", {"note": "x", "kind": "poem", "text": "t"})
    rig.send()
    cli.home.campaign("speed-up")
    cli.home.intake()
    fold(cli, "speed-up")
    assert [one["level"] for one in findings(cli, code=0)] == ["note", "note"]
    for _ in range(3):
        rig.say("journal_note", [])
    rig.send()
    cli.home.intake()
    assert [one["level"] for one in findings(cli)] == ["warning", "note"]


def test_a_rig_whose_clock_is_ahead(cli: Cli) -> None:
    rig = cli.home.rig()
    rig.sent_at = "2999-01-01T00:00:00Z"
    rig.send()
    cli.home.intake()
    only(cli, "warning", "clock of rig-a")


def test_runs_in_no_folder_are_grouped_by_reason(cli: Cli) -> None:
    rig = cli.home.rig()
    rig.say_run("one", campaign="unheard-of")
    rig.say_run("two", campaign="unheard-of")
    rig.send()
    cli.home.intake()
    only(cli, "warning", "2 runs in no folder", "rig-a/one, rig-a/two", "thermite assign")


def test_quotes_that_do_not_stand_in_their_source(cli: Cli) -> None:
    rig = cli.home.rig()
    cli.home.campaign("speed-up")
    rig.say_run()
    text = "one two three"
    source = {"source": "s", "url": "https://example.org", "text": text, "text_sha256": sha256(text)}
    rig.say("source_archived", source | {"fetched_at": "2026-11-29T10:00:00Z"})
    for number in range(5):
        rig.say("claim_recorded", {"claim": f"c{number}", "text": "t", "quotes": [{"source": "s", "quote": "two"}]})
    rig.say("claim_recorded", {"claim": "wrong", "text": "t", "quotes": [{"source": "s", "quote": "four"}]})
    rig.send()
    cli.home.intake()
    fold(cli, "speed-up")
    only(cli, "note", "1 of 6 quotes in speed-up")


def test_a_campaign_that_is_behind_for_long(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(cli)
    rig = cli.home.rig("rig-b")
    rig.say_run("late")
    rig.send()
    cli.home.intake("rig-b")
    assert findings(cli, code=0) == []
    with cli.home.control.write() as connection:
        connection.exec_driver_sql(f"UPDATE runs SET last_accepted_at = last_accepted_at - {2000 * 1_000_000}")
        connection.exec_driver_sql("UPDATE campaign_states SET behind_since = NULL")
    only(cli, "warning", "campaign speed-up is 1 event behind")


def test_files_of_the_lake_that_are_not_what_was_written(cli: Cli) -> None:
    fill(cli)
    note = next(iter(cli.home.lake.list("folders/note")))
    event = next(iter(cli.home.lake.list("events")))
    cli.home.lake.local(note.path).write_bytes(b"changed")
    only(cli, "error", note.path, "thermite rebuild --campaign speed-up")
    cli.home.lake.local(note.path).unlink()
    cli.home.lake.local(event.path).unlink()
    assert {one["do"] for one in findings(cli)} == {
        "`thermite rebuild --campaign speed-up`",
        "`thermite rebuild --all`",
    }


def test_files_that_the_pipeline_did_not_write(cli: Cli) -> None:
    fill(cli)
    note = next(iter(cli.home.lake.list("folders/note")))
    copy = cli.home.lake.local(note.path).with_name("copy.parquet")
    copy.write_bytes(cli.home.lake.get(note.path))
    only(cli, "warning", "copy.parquet")


def test_kept_reports_that_are_gone(cli: Cli) -> None:
    fill(cli)
    for entry in list(cli.home.lake.list("reports")):
        cli.home.lake.local(entry.path).unlink()
    only(cli, "error", "kept bytes of 1 accepted report", "backup")


def test_leases_of_ended_work(cli: Cli) -> None:
    stale = {"owner": "gone", "host": "elsewhere", "pid": 1, "process_started": 0, "acquired_at": 0, "renewed_at": 0}
    with cli.home.control.write() as connection:
        connection.execute(insert(Lease).values(scope="rig:rig-a", **stale))
    only(cli, "note", "rig:rig-a")


def test_signed_commands_that_are_gone_or_changed(cli: Cli) -> None:
    cli.home.rig()
    cli.home.campaign("one")
    path = cli.home.settings.home / cli.json("assign", "--rig", "rig-a", "--run", "r", "--campaign", "one")["command"]
    assert findings(cli, code=0) == []
    good = path.read_bytes()
    path.write_bytes(good.replace(b"payload", b"Payload"))
    only(cli, "warning", "1 command file", "rig-a/r")
    path.unlink()
    only(cli, "warning", "1 signed command", "thermite assign")
    cli.json("assign", "--rig", "rig-a", "--run", "r", "--campaign", "one")
    assert path.read_bytes() == good
    assert findings(cli, code=0) == []


def test_the_results_repository(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_RESULTS_REPO", str(tmp_path / "repo"))
    only(cli, "warning", "results repository")
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    assert findings(cli, code=0) == []
    (tmp_path / "repo" / "draft.txt").touch()
    only(cli, "warning", "results repository", "commit")


def test_a_check_that_cannot_be_done_is_a_finding(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable(*_: object) -> None:
        raise OSError("the disk does not answer")

    monkeypatch.setattr("thermite_pipelines.cli.diagnosis.arrivals.forks", unreadable)
    only(cli, "error", "the check of forked can't be done", "the disk does not answer")


def test_doctor_changes_nothing(cli: Cli) -> None:
    fill(cli)
    home = cli.home.settings.home
    (home / "inbox/odd.txt").touch()
    before = {
        path: path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file() and "control.db" not in path.name
    }
    findings(cli)
    after = {
        path: path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file() and "control.db" not in path.name
    }
    assert after == before
