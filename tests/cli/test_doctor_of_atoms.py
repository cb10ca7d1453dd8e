"""`thermite doctor` about what people said: transcripts, messages without an answer, and the tables of atoms."""

import os
import time
from pathlib import Path

import pytest

from tests.atoms.talking import (
    CAMPAIGN,
    Listener,
    a_run,
    arrive,
    claude_lines,
    mine,
    opened,
    put_file,
    rows,
    say_session,
    uuid,
)
from tests.cli.commands import Cli
from tests.cli.test_doctor import findings, only
from tests.cli.test_reading import fold
from tests.support.atoms import put_rows
from thermite_pipelines.atoms.reading import read_sessions
from thermite_pipelines.atoms.sessions import message_path
from thermite_pipelines.cli.diagnosis import atoms
from thermite_pipelines.control.leases import lease
from thermite_pipelines.knowledge.model_calls import call_path, record_call, write_model_calls
from thermite_pipelines.tables.derived import ATOMS, CHECKPOINTS, MESSAGES

LOG = f"derived/atoms_log/campaign={CAMPAIGN}/atoms.jsonl"


@pytest.fixture
def talk(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The watched folder of campaign `speed-up`."""
    folder = tmp_path / "talk"
    folder.mkdir()
    monkeypatch.setenv("THERMITE_TRANSCRIPTS", f"{CAMPAIGN}={folder}")
    cli.home.settings = cli.home.settings.model_copy(update={"transcripts": f"{CAMPAIGN}={folder}"})
    cli.home.campaign(CAMPAIGN)
    return folder


@pytest.fixture
def spoken(cli: Cli) -> Cli:
    """A home with two signed sessions of a run, taken up and asked about."""
    rig = a_run(cli.home)
    say_session(rig, uuid(1), "h:FACT tea is hot")
    say_session(rig, uuid(2), "h:FACT ice is cold")
    arrive(cli.home)
    fold(cli, CAMPAIGN)
    mine(cli.home)
    return cli


def test_a_home_where_people_spoke_is_well(spoken: Cli, talk: Path) -> None:
    put_file(talk / "one.jsonl", claude_lines(uuid(3), "h:FACT milk is white"))
    mine(spoken.home)
    assert findings(spoken, code=0) == []


def test_folders_of_transcripts_that_lead_nowhere(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.home.campaign(CAMPAIGN)
    file = put_file(tmp_path / "file.jsonl", b"")
    missing = tmp_path / "missing"
    for name in (f"{CAMPAIGN}=", ""):
        monkeypatch.setenv("THERMITE_TRANSCRIPTS", f"{name}{missing}")
        only(cli, "warning", "are missing", str(missing), "THERMITE_TRANSCRIPTS")
        monkeypatch.setenv("THERMITE_TRANSCRIPTS", f"{name}{file}")
        only(cli, "warning", "is no folder", str(file))


def test_folders_of_a_campaign_that_control_does_not_know(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_TRANSCRIPTS", f"sped-up={cli.home.settings.home}")
    only(cli, "warning", "does not know: sped-up", "thermite campaign add")


def test_files_in_them_that_give_no_session(cli: Cli, talk: Path) -> None:
    notes = put_file(talk / "deep" / "notes.md", b"# shopping\n\nmilk\n")
    mine(cli.home)
    only(cli, "note", "no transcript", str(notes))
    notes.unlink()
    put_file(Path(os.fsdecode(bytes(talk) + b"/odd\xff.jsonl")), claude_lines(uuid(4), "h:FACT x"))
    only(cli, "warning", "a name that is no text", "odd", ".jsonl")


def test_files_that_nobody_may_open(cli: Cli, talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    assert findings(cli, code=0) == []
    monkeypatch.setattr(os, "access", lambda place, _: Path(place) != path)  # root may open all
    only(cli, "warning", "transcript files can't be read", str(path), "rights")


def test_files_that_nothing_reads(cli: Cli, talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    later = time.time() + 1000
    monkeypatch.setattr("thermite_pipelines.cli.diagnosis.atoms.time.time", lambda: later)
    only(cli, "warning", "not read yet", str(path), "THERMITE_LAG_WARN_SECONDS")
    mine(cli.home)
    assert findings(cli, code=0) == []


def test_kept_transcripts_that_are_gone(cli: Cli, talk: Path) -> None:
    put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    mine(cli.home)
    [kept] = [entry.path for entry in cli.home.lake.list("transcripts")]
    cli.home.lake.delete(kept)
    only(cli, "error", "1 kept transcript gone or cut", kept, "thermite refresh", "backup")
    mine(cli.home)
    assert findings(cli, code=0) == []


def test_messages_without_an_answer(cli: Cli, talk: Path) -> None:
    put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot", "h:FACT ice is cold"))
    read_sessions(opened(cli.home), CAMPAIGN)
    only(cli, "warning", "2 messages without an answer yet (speed-up 2)", "thermite refresh")
    with lease(cli.home.control, f"atoms:{CAMPAIGN}"):
        only(cli, "note", "2 messages", "right now")
    mine(cli.home, Listener(size=1, fails="ice"))
    only(cli, "warning", "1 message without an answer yet (speed-up 1)")


def test_lines_that_could_not_be_read(cli: Cli, talk: Path) -> None:
    put_file(talk / "torn.jsonl", claude_lines(uuid(1), "h:FACT tea is hot", "h:FACT ice is cold")[:-30])
    mine(cli.home)
    only(cli, "note", "1 line of sessions could not be read (speed-up 1)")


def test_derived_files_that_are_not_what_was_written(spoken: Cli) -> None:
    for entry in [*spoken.home.lake.list("derived/messages"), *spoken.home.lake.list("derived/sessions")]:
        spoken.home.lake.local(entry.path).write_bytes(b"changed")
    finding = only(spoken, "error", "3 files of the lake", "derived/messages")
    assert finding["do"] == "`thermite refresh`"


def test_tables_of_calls_that_are_gone(spoken: Cli) -> None:
    asked = {"asset": "atoms", "model": "m", "prompt_version": "1", "asked_at": 1, "ms": 1, "attempts": 1}
    record_call(spoken.home.control, campaign=CAMPAIGN, cached=False, outcome="ok", **asked)
    write_model_calls(opened(spoken.home), CAMPAIGN)
    assert findings(spoken, code=0) == []
    spoken.home.lake.delete(call_path(CAMPAIGN, 0))
    assert only(spoken, "error", "derived/model_calls")["do"] == "`thermite refresh`"


def test_a_flat_log_that_is_changed_or_gone(spoken: Cli) -> None:
    log = spoken.home.lake.local(LOG)
    log.write_bytes(log.read_bytes() + b"{}\n")
    only(spoken, "error", LOG, "thermite refresh")
    log.unlink()
    only(spoken, "error", LOG, "thermite refresh")
    mine(spoken.home)
    assert findings(spoken, code=0) == []


def test_a_table_and_a_flat_log_that_differ(spoken: Cli) -> None:
    [first, _] = rows(spoken.home, "atoms")
    put_rows(spoken.home, CAMPAIGN, ATOMS, [first])
    only(spoken, "error", "the table and the flat log of speed-up differ in 1 atom: atom:speed-up/", LOG)
    spoken.home.lake.delete(LOG)
    spoken.home.lake.delete(f"derived/atoms/campaign={CAMPAIGN}/atoms.parquet")
    mine(spoken.home)
    assert findings(spoken, code=0) == []


def test_quotes_that_are_not_in_their_message(spoken: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    [message] = [row for row in rows(spoken.home, "messages") if row["text"] == "FACT tea is hot"]
    file = Path(message_path(CAMPAIGN, message["session"])).stem
    put_rows(spoken.home, CAMPAIGN, MESSAGES, [message | {"text": "FACT"}], file)
    finding = only(spoken, "error", "1 atom whose quote is not in the message: atom:speed-up/", "thermite rebuild")
    assert "tea" not in str(finding)
    monkeypatch.setattr(atoms, "QUOTED_SESSIONS", 1)
    assert findings(spoken, code=0) == [], "many sessions are left to the nightly check"


def test_atoms_of_another_day_than_their_session(spoken: Cli) -> None:
    [first, second] = rows(spoken.home, "atoms")
    put_rows(spoken.home, CAMPAIGN, ATOMS, [first | {"established": "1999-01-01"}, second])
    only(spoken, "error", f"1 atom of another day than the session's: {first['atom']}", "thermite rebuild")


def test_tables_that_are_damaged_are_named_once(spoken: Cli) -> None:
    for name in ("atoms", "checkpoints"):
        spoken.home.lake.local(f"derived/{name}/campaign={CAMPAIGN}/{name}.parquet").write_bytes(b"changed")
    only(spoken, "error", "2 files of the lake")


def test_a_table_that_hides_its_change(spoken: Cli) -> None:
    path = spoken.home.lake.local(f"derived/checkpoints/campaign={CAMPAIGN}/checkpoints.parquet")
    before = path.stat()
    path.write_bytes(bytes(before.st_size))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    only(spoken, "error", "checkpoints.parquet", "can't be read", "thermite refresh")


def test_weights_that_nobody_tried(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_ATOM_WEIGHT", "2")
    only(cli, "warning", "was not done since", "thermite atoms calibrate")
    cli.home.campaign(CAMPAIGN)
    file = put_file(tmp_path / "known.jsonl", b'{"query": "tea", "atom": "atom:speed-up/0000000000000000"}\n')
    assert cli.json("atoms", "calibrate", file, code=1)["ok"] is False
    only(cli, "warning", "did not pass with them")


def test_a_newest_checkpoint_that_departs(spoken: Cli) -> None:
    [last] = rows(spoken.home, "checkpoints")
    steady = last | {"is_final": False, "checkpoint": 1, "signal_to_noise": 0.8, "duplicate_rate": 0.0}
    poor = steady | {"checkpoint": 2, "signal_to_noise": 0.2}
    put_rows(spoken.home, CAMPAIGN, CHECKPOINTS, [steady])
    assert findings(spoken, code=0) == []
    put_rows(spoken.home, CAMPAIGN, CHECKPOINTS, [steady, poor])
    only(spoken, "warning", "checkpoint 2 of speed-up: signal to noise 0.20, before it 0.80")


def test_what_is_being_written_is_no_trouble(spoken: Cli) -> None:
    spoken.home.lake.delete(LOG)
    with lease(spoken.home.control, f"atoms:{CAMPAIGN}"):
        assert findings(spoken, code=0) == []
