"""Assignments and signed commands: made once, fixed at the first, moved only when told to."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.homes import Home
from thermite_pipelines.control import audit
from thermite_pipelines.control.assignments import Assigned, Request, Words, assign, assigned_campaign, assignments
from thermite_pipelines.control.commands import (
    command_path,
    ensure_control_key,
    publish_command,
    sign_command,
    write_command,
    wrong_commands,
)
from thermite_pipelines.control.models import Assignment
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.ledger.envelope import COMMAND_TYPE, keyid_of, pae, parse_envelope, verify

BRIEFED = {"item": "note:rig-b/run-1/n1", "kind": "note", "text": "warm up first"}
QUEUED = {"item": "experiment:rig-b/run-1/x1", "title": "Warm up"}


def compose(_: Any) -> Words:
    return Words([BRIEFED], [QUEUED])


def never(_: Any) -> Words:
    raise AssertionError("words are asked for once only")


@pytest.fixture
def ready(any_home: Home) -> Home:
    any_home.rig("rig-a")
    any_home.rig("rig-b")
    any_home.campaign("speed-up", "sort-fast")
    return any_home


def do_assign(home: Home, words: Any = never, **fields: Any) -> Assigned:
    names: dict[str, Any] = {"rig": "rig-a", "run": "run-1", "campaign": "speed-up"}
    request = Request(**(names | fields))
    with home.control.write() as connection:
        return assign(connection, request, words, "ada")


def actions(home: Home) -> list[tuple[str, str, str]]:
    with home.control.read() as connection:
        found = audit.entries(connection)
    wanted = [entry for entry in found if entry["action"] in ("assign", "move")]
    return [(entry["by"], entry["action"], entry["subject"]) for entry in wanted]


def stored(home: Home) -> dict[str, Any]:
    with home.control.read() as connection:
        return connection.execute(select(Assignment.command)).scalar_one()


def test_an_assignment_is_made_once(ready: Home) -> None:
    first = do_assign(ready)
    assert first.changed and first.campaign == "speed-up"
    again = do_assign(ready)
    assert not again.changed and again.command == first.command
    assert actions(ready) == [("ada", "assign", "rig-a/run-1")]
    with ready.control.read() as connection:
        (row,) = assignments(connection)
    assert (row["rig"], row["run"], row["campaign"], row["agents"]) == ("rig-a", "run-1", "speed-up", True)


def test_the_payload_has_the_fields_of_the_format_in_order(ready: Home) -> None:
    command = do_assign(ready, compose, picks=("a", "b"), kit="k", flags=("f",), routes=("r",)).command
    assert command == {
        "schema": "thermite.command/1",
        "command": "assign_campaign",
        "id": command["id"],
        "at": command["at"],
        "rig": "rig-a",
        "run": "run-1",
        "campaign": "speed-up",
        "agents": True,
        "kit": "k",
        "flags": ["f"],
        "routes": ["r"],
        "briefing": [BRIEFED],
        "queue": [QUEUED],
    }
    assert list(stored(ready)) == list(command)


def test_another_campaign_needs_a_move_which_is_audited(ready: Home) -> None:
    first = do_assign(ready, compose, picks=("a",))
    with pytest.raises(ThermiteError, match="assigned to campaign speed-up — give --move"):
        do_assign(ready, campaign="sort-fast")
    moved = do_assign(ready, campaign="sort-fast", move=True)
    assert moved.changed and moved.command["campaign"] == "sort-fast"
    assert moved.command["id"] != first.command["id"]
    kept = ("briefing", "queue", "agents", "kit", "flags", "routes")
    assert [moved.command[name] for name in kept] == [first.command[name] for name in kept]
    assert not do_assign(ready, campaign="sort-fast", move=True).changed
    assert actions(ready) == [("ada", "assign", "rig-a/run-1"), ("ada", "move", "rig-a/run-1")]


def test_move_of_a_run_that_is_not_assigned_assigns_it(ready: Home) -> None:
    assert do_assign(ready, move=True).changed
    assert actions(ready) == [("ada", "assign", "rig-a/run-1")]


def test_kb_64_the_first_assignment_fixes_the_briefing(ready: Home) -> None:
    first = do_assign(ready, compose, picks=("a", "b", "a"))
    assert not do_assign(ready, picks=("b", "a")).changed
    assert not do_assign(ready).changed
    for picks in (("a",), ("a", "b", "c")):
        with pytest.raises(ThermiteError, match="has another briefing"):
            do_assign(ready, picks=picks)
        with pytest.raises(ThermiteError, match="has another briefing"):
            do_assign(ready, picks=picks, campaign="sort-fast", move=True)
    assert stored(ready) == first.command


def test_a_briefing_is_not_given_later(ready: Home) -> None:
    do_assign(ready)
    with pytest.raises(ThermiteError, match="without a briefing"):
        do_assign(ready, picks=("a",))


@pytest.mark.parametrize(
    ("first", "later", "why"),
    [
        ({"kit": "k"}, {"kit": "other"}, "another kit"),
        ({}, {"kit": "k"}, "without a kit"),
        ({"flags": ("f",)}, {"flags": ("g",)}, "other flags"),
        ({}, {"routes": ("r",)}, "has no routes"),
        ({}, {"agents": False}, "with agents"),
    ],
)
def test_how_a_run_is_started_is_fixed_too(home: Home, first: Any, later: Any, why: str) -> None:
    home.rig()
    home.campaign("speed-up")
    do_assign(home, **first)
    with pytest.raises(ThermiteError, match=why):
        do_assign(home, **later)
    assert not do_assign(home, **first).changed
    assert not do_assign(home).changed


def test_kb_66_a_run_without_agents_takes_neither_briefing_nor_queue(ready: Home) -> None:
    for changed in (True, False):
        assigned = do_assign(ready, picks=("a", "b"), agents=False)
        assert assigned.changed is changed
        assert (assigned.command["agents"], assigned.command["briefing"], assigned.command["queue"]) == (False, [], [])
        assert assigned.notices == ("rig-a/run-1 runs without agents: it takes neither a briefing nor a queue",)
    assert do_assign(ready).notices == ()


@pytest.mark.parametrize(
    ("fields", "error", "why"),
    [
        ({"rig": "rig-x"}, ThermiteError, "no rig 'rig-x'"),
        ({"campaign": "nope"}, ThermiteError, "no campaign 'nope'"),
        ({"run": "a/b"}, UsageError, "no run id"),
        ({"run": ".."}, UsageError, "no run id"),
        ({"rig": "../x"}, UsageError, "no rig name"),
        ({"campaign": "Speed"}, UsageError, "no campaign name"),
    ],
)
def test_unknown_and_illegal_names_are_refused(home: Home, fields: Any, error: Any, why: str) -> None:
    home.rig()
    home.campaign("speed-up")
    with pytest.raises(error, match=why):
        do_assign(home, **fields)
    assert actions(home) == []


def test_a_refused_briefing_leaves_nothing(ready: Home) -> None:
    def refuse(_: Any) -> Words:
        raise ThermiteError("can read no item a")

    with pytest.raises(ThermiteError, match="no item a"):
        do_assign(ready, refuse, picks=("a",))
    assert actions(ready) == []
    assert do_assign(ready).changed


def test_kb_54_only_the_assigned_rig_and_campaign_are_answered(home: Home, caplog: pytest.LogCaptureFixture) -> None:
    home.rig("rig-a")
    home.rig("rig-b")
    home.campaign("speed-up", "sort-fast")
    do_assign(home)
    with home.control.read() as connection:
        assert assigned_campaign(connection, "rig-a", "run-1") == "speed-up"
        assert assigned_campaign(connection, "rig-a", "run-1", "speed-up") == "speed-up"
        for rig, run, claimed in (("rig-b", "run-1", None), ("rig-a", "run-9", None), ("rig-a", "run-1", "sort-fast")):
            caplog.clear()
            with pytest.raises(ThermiteError):
                assigned_campaign(connection, rig, run, claimed)
            assert caplog.text.count("refused") == 1


def test_controls_key_is_made_once_and_for_its_owner_alone(home: Home) -> None:
    public_key, keyid, changed = ensure_control_key(home.settings)
    path = home.settings.control_key
    assert changed and keyid == keyid_of(bytes.fromhex(public_key))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(path.read_text()) == 65
    assert ensure_control_key(home.settings) == (public_key, keyid, False)
    assert [entry.name for entry in path.parent.iterdir() if entry.name.startswith(".")] == []


def test_of_two_that_make_the_key_at_once_one_wins(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    link = os.link

    def slow_link(source: Path, target: Path) -> None:
        monkeypatch.setattr(os, "link", link)
        ensure_control_key(home.settings)
        link(source, target)

    monkeypatch.setattr(os, "link", slow_link)
    _, _, changed = ensure_control_key(home.settings)
    assert not changed


def test_a_file_system_without_hard_links_will_do(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "link", refuse)
    assert ensure_control_key(home.settings)[2]
    assert not ensure_control_key(home.settings)[2]


def test_a_key_that_is_none_is_an_error_and_stays(home: Home) -> None:
    with pytest.raises(ThermiteError, match="no signing key yet — run `thermite init`"):
        sign_command(home.settings, {})
    home.settings.control_key.write_text("abc\n")
    with pytest.raises(ThermiteError, match="not 64 hex digits"):
        ensure_control_key(home.settings)
    assert home.settings.control_key.read_text() == "abc\n"


def test_kb_64_a_changed_byte_breaks_the_signature(home: Home) -> None:
    public_key, keyid, _ = ensure_control_key(home.settings)
    payload = {"schema": "thermite.command/1", "briefing": [BRIEFED | {"text": "Wärme"}]}
    path = write_command(home.settings, "rig-a", "con.txt", payload)
    assert path == home.settings.home / "commands/rig-a/con.txt.dsse.json"
    envelope = parse_envelope(path.read_bytes(), COMMAND_TYPE)
    (signature,) = envelope.signatures
    assert signature.keyid == keyid
    assert envelope.payload == json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    key = bytes.fromhex(public_key)
    assert verify(key, pae(COMMAND_TYPE, envelope.payload), signature.sig)
    for place in range(len(envelope.payload)):
        changed = bytearray(envelope.payload)
        changed[place] ^= 1
        assert not verify(key, pae(COMMAND_TYPE, bytes(changed)), signature.sig)


def test_a_command_file_is_a_function_of_the_record(home: Home) -> None:
    ensure_control_key(home.settings)
    home.rig()
    home.campaign("speed-up", "sort-fast")
    with pytest.raises(ThermiteError, match="assigned no run"):
        publish_command(home.control, home.settings, "rig-a", "run-1")
    do_assign(home)
    path = publish_command(home.control, home.settings, "rig-a", "run-1")
    data, inode = path.read_bytes(), path.stat().st_ino
    publish_command(home.control, home.settings, "rig-a", "run-1")
    assert path.stat().st_ino == inode
    path.unlink()
    with home.control.read() as connection:
        assert wrong_commands(connection, home.settings).lost == [("rig-a", "run-1")]
    publish_command(home.control, home.settings, "rig-a", "run-1")
    assert path.read_bytes() == data
    with home.control.read() as connection:
        assert wrong_commands(connection, home.settings).lost == []


def test_a_command_file_ends_as_the_record_does(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from thermite_pipelines.control import commands

    ensure_control_key(home.settings)
    home.rig()
    home.campaign("speed-up", "sort-fast")
    do_assign(home)
    write = commands.write_command

    def move_then_write(*arguments: Any) -> Path:
        monkeypatch.setattr(commands, "write_command", write)
        do_assign(home, campaign="sort-fast", move=True)
        return write(*arguments)

    monkeypatch.setattr(commands, "write_command", move_then_write)
    path = publish_command(home.control, home.settings, "rig-a", "run-1")
    assert json.loads(parse_envelope(path.read_bytes(), COMMAND_TYPE).payload)["campaign"] == "sort-fast"
    assert path == command_path(home.settings.home, "rig-a", "run-1")
