"""`thermite token` and `thermite serve`."""

import hashlib
import re
import socket

import pytest
from sqlalchemy import select

from tests.cli.commands import Cli
from thermite_pipelines.control.token_models import Token
from thermite_pipelines.safety.redaction import MARK, redact
from thermite_pipelines.serve.server import listen


@pytest.fixture
def known(cli: Cli) -> Cli:
    """Control knows rig-a, campaign a, and that run r1 belongs to it."""
    cli.home.rig("rig-a")
    cli.home.campaign("a")
    cli.say("assign", "--rig", "rig-a", "--run", "r1", "--campaign", "a")
    return cli


def test_a_token_is_shown_once_and_kept_as_a_hash_alone(known: Cli) -> None:
    made = known.json("token", "add", "--role", "operator", "--name", "Ada")
    assert re.fullmatch(r"thermite_[0-9a-f]{64}", made["token"])
    assert made["changed"] is True
    assert made["token"].startswith(made["prefix"])
    with known.home.control.read() as connection:
        (row,) = connection.execute(select(Token)).all()
    assert row.sha256 == hashlib.sha256(made["token"].encode()).hexdigest()
    listed = known.run("token", "list", "--json").out + known.say("token", "list") + known.say("audit")
    assert made["token"] not in listed
    assert row.sha256 not in listed
    for path in known.home.settings.home.rglob("*"):
        assert not path.is_file() or made["token"].encode() not in path.read_bytes(), path


def test_tokens_are_listed_and_revoked(known: Cli) -> None:
    made = known.json("token", "add", "--role", "rig", "--rig", "rig-a")
    (listed,) = known.json("token", "list")["tokens"]
    assert listed | {"by": "", "added_at": ""} == {
        "id": made["id"],
        "role": "rig",
        "name": f"rig-{made['id']}",
        "rig": "rig-a",
        "run": None,
        "agent": None,
        "prefix": made["prefix"],
        "by": "",
        "added_at": "",
        "revoked_at": None,
    }
    assert known.json("token", "revoke", made["id"]) == {"changed": True, "id": made["id"]}
    assert known.json("token", "revoke", made["id"]) == {"changed": False, "id": made["id"]}
    assert known.json("token", "list")["tokens"][0]["revoked_at"] is not None
    actions = [entry["action"] for entry in known.json("audit")["entries"]]
    assert actions[-2:] == ["token-add", "token-revoke"]


def test_no_two_tokens_are_the_same(known: Cli) -> None:
    made = [known.json("token", "add", "--role", "reader")["token"] for _ in range(5)]
    assert len(set(made)) == 5


@pytest.mark.parametrize("role", ["agent", "advisor"])
def test_a_token_of_a_run_needs_a_run_that_is_assigned(known: Cli, role: str) -> None:
    made = known.json("token", "add", "--role", role, "--rig", "rig-a", "--run", "r1")
    assert (made["rig"], made["run"], made["agent"]) == ("rig-a", "r1", None)
    named = known.json("token", "add", "--role", role, "--rig", "rig-a", "--run", "r1", "--agent", "teachers:t1")
    assert named["agent"] == known.json("token", "list")["tokens"][1]["agent"] == "teachers:t1"
    assert "assigned no run" in known.fail("token", "add", "--role", role, "--rig", "rig-a", "--run", "r2")
    assert "needs a run" in known.fail("token", "add", "--role", role, "--rig", "rig-a", code=2)
    assert "needs a rig" in known.fail("token", "add", "--role", role, "--run", "r1", code=2)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["add"], 2, "missing option '--role'"),
        (["add", "--role", "god"], 2, "'god' is not one of"),
        (["add", "--role", "owner", "--rig", "rig-a"], 2, "is for no rig"),
        (["add", "--role", "rig"], 2, "needs a rig"),
        (["add", "--role", "rig", "--rig", "rig-a", "--run", "r1"], 2, "for all its runs"),
        (["add", "--role", "rig", "--rig", "rig-x"], 1, "knows no rig"),
        (["add", "--role", "rig", "--rig", "../x"], 2, "is no rig name"),
        (["add", "--role", "owner", "--name", "two\nlines"], 2, "one line"),
        (["add", "--role", "owner", "--agent", "planner"], 2, "for no agent"),
        (["add", "--role", "agent", "--rig", "rig-a", "--run", "r1", "--agent", "harness"], 2, "is no agent"),
        (["revoke", "none"], 1, "there is no token"),
    ],
)
def test_what_makes_no_sense_is_refused(known: Cli, words: list[str], code: int, says: str) -> None:
    assert says in known.fail("token", *words, code=code)
    assert known.json("token", "list") == {"tokens": []}


def test_a_token_in_a_text_is_redacted(known: Cli) -> None:
    secret = known.json("token", "add", "--role", "owner")["token"]
    for text in (f"use {secret} for it", f"curl -H 'Authorization: Bearer {secret}'", f"token={secret}"):
        redacted = redact(text)
        assert secret.removeprefix("thermite_") not in redacted
        assert MARK in redacted


def test_a_port_that_is_taken_is_one_line(known: Cli) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        assert f"can't listen on 127.0.0.1:{port}" in known.fail("serve", "--port", port)
    assert "can't listen on no-such-host.invalid" in known.fail("serve", "--host", "no-such-host.invalid")
    with listen("::1", 0) if socket.has_ipv6 else listen("127.0.0.1", 0) as free:
        assert free.getsockname()[1] > 0
