"""`thermite mcp`: servers are added with a secret that nobody sees again, listed, removed; doctor looks after them."""

import base64
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.command import upgrade

from tests.cli.commands import Cli
from tests.support.rigs import RigSimulator
from thermite_pipelines.control import campaigns, db, rigs
from thermite_pipelines.tables import LAKE_SCHEMA

SECRET = "canary-mcp-7f3c19"
URL = "https://kb.example.org/mcp"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file with the secret, as an editor leaves it."""
    path = tmp_path / "secret.txt"
    path.write_text(f"{SECRET}\n")
    return path


def write_kit(cli: Cli, text: str, name: str = "gpu") -> Path:
    path = cli.home.settings.kits / f"{name}.toml"
    path.write_text(text)
    return path


def type_in(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    """Let the next command find this on standard input."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


def findings(cli: Cli) -> list[dict[str, Any]]:
    ended = cli.run("doctor", "--json")
    return json.loads(ended.out)["findings"]


def audited(cli: Cli) -> list[dict[str, Any]]:
    return [entry for entry in cli.json("audit")["entries"] if entry["action"].startswith("mcp-")]


def test_a_server_is_added_once_listed_and_removed(cli: Cli, secret: Path) -> None:
    add = ("mcp", "add", "papers", "--url", URL, "--secret-file", secret, "--by", "ann")
    assert cli.json(*add) == {"changed": True, "name": "papers", "url": URL}
    assert cli.json(*add) == {"changed": False, "name": "papers", "url": URL}
    assert "is there already" in cli.say(*add)
    write_kit(cli, '[mcp.papers]\nplanner = "all"\n')
    (listed,) = cli.json("mcp", "list")["servers"]
    assert listed["changed_at"] == listed["added_at"]
    assert listed | {"added_at": "", "changed_at": ""} == {
        "name": "papers",
        "url": URL,
        "by": "ann",
        "added_at": "",
        "changed_at": "",
        "kits": [{"kit": "gpu", "roles": {"planner": "all"}}],
    }
    assert "papers" in cli.say("mcp", "list") and "gpu" in cli.say("mcp", "list")
    assert cli.json("mcp", "remove", "papers", "--by", "bob") == {"changed": True, "name": "papers"}
    assert cli.json("mcp", "remove", "papers", "--by", "bob") == {"changed": False, "name": "papers"}
    assert "no outside servers yet" in cli.say("mcp", "list")
    entries = [(entry["by"], entry["action"], entry["subject"]) for entry in audited(cli)]
    assert entries == [("ann", "mcp-add", "papers"), ("bob", "mcp-remove", "papers")]


def test_another_secret_or_url_is_a_change(cli: Cli, secret: Path) -> None:
    add = ("mcp", "add", "papers", "--secret-file", secret, "--url")
    cli.json(*add, URL)
    secret.write_text("another")
    assert cli.json(*add, URL)["changed"] is True
    assert cli.json(*add, f"{URL}/v2")["changed"] is True
    assert cli.json(*add, f"{URL}/v2")["changed"] is False
    assert [entry["detail"]["changed"] for entry in audited(cli)] == [["url", "secret"], ["secret"], ["url"]]


@pytest.mark.parametrize("raw", [f"{SECRET}\n".encode(), f"  {SECRET}\r\n".encode(), SECRET.encode()])
def test_the_secret_may_come_from_standard_input(cli: Cli, secret: Path, raw: bytes, monkeypatch: Any) -> None:
    type_in(monkeypatch, raw)
    assert cli.json("mcp", "add", "papers", "--url", URL)["changed"] is True
    assert cli.json("mcp", "add", "papers", "--url", URL, "--secret-file", secret)["changed"] is False


def test_on_a_terminal_the_secret_is_asked_for_unseen(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(monkeypatch, b"")
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    asked: list[str] = []
    monkeypatch.setattr("getpass.getpass", lambda prompt: asked.append(prompt) or SECRET)
    assert cli.json("mcp", "add", "papers", "--url", URL)["changed"] is True
    assert asked == ["secret (not shown): "]
    assert "unencrypted" in cli.run("mcp", "add", "papers", "--url", "http://kb.example.org").err
    assert len(asked) == 1  # a URL that won't do is refused before

    def nothing(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("getpass.getpass", nothing)
    assert "the secret is empty" in cli.run("mcp", "add", "papers", "--url", URL).err


@pytest.mark.parametrize("raw", [b"", b"\n", b"two words", "wärme".encode(), b"x" * 9000])
def test_a_secret_that_is_none_is_refused(cli: Cli, raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    type_in(monkeypatch, raw)
    ended = cli.run("mcp", "add", "papers", "--url", URL)
    assert (ended.code, ended.out) == (2, "") and ended.err.startswith("error: the secret is ")
    assert cli.json("mcp", "list") == {"servers": []}


def test_standard_input_that_is_closed_is_no_secret(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert "the secret is empty" in cli.fail("mcp", "add", "papers", "--url", URL, code=2)


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("add", "papers"), 2, "--url"),
        (("add", "Papers", "--url", URL), 2, "is no MCP server name"),
        (("add", "papers", "--url", "http://kb.example.org"), 2, "unencrypted"),
        (("add", "papers", "--url", "https://a:geheim99@kb.example.org"), 2, "credential"),
        (("add", "papers", "--url", URL, "--secret-file", "nowhere"), 1, "the secret can't be read"),
        (("add", "papers", "--url", URL, "--secret", "x"), 2, "--secret"),
        (("add", "papers", "--url", URL, "--by", " "), 2, "--by"),
        (("remove", "../x"), 2, "is no MCP server name"),
        (("migrate", "nowhere.toml"), 1, "it can't be read"),
    ],
)
def test_what_makes_no_sense_is_refused(cli: Cli, words: tuple[str, ...], code: int, says: str) -> None:
    line = cli.fail("mcp", *words, code=code)
    assert says in line and "geheim99" not in line
    assert audited(cli) == []


def test_an_assignment_says_which_server_its_run_goes_without(cli: Cli, secret: Path) -> None:
    cli.home.rig("rig-a")
    cli.home.campaign("a")
    write_kit(cli, '[mcp.papers]\nlane = "all"\n')
    ended = cli.run("assign", "--rig", "rig-a", "--run", "r1", "--campaign", "a", "--kit", "gpu")
    assert "note: kit gpu names the MCP server papers, which is not there: the run goes without" in ended.err
    cli.json("mcp", "add", "papers", "--url", URL, "--secret-file", secret)
    done = cli.json("assign", "--rig", "rig-a", "--run", "r2", "--campaign", "a", "--kit", "gpu")
    payload = json.loads((cli.home.settings.home / done["command"]).read_bytes())["payload"]
    assert [server["name"] for server in json.loads(base64.b64decode(payload))["mcp_servers"]] == ["papers"]
    write_kit(cli, "nonsense")
    assert "kits/gpu.toml: this is no TOML" in cli.fail(
        *("assign", "--rig", "rig-a", "--run", "r3", "--campaign", "a", "--kit", "gpu")
    )


def test_a_home_of_the_version_before_takes_servers_once_it_is_migrated(
    cli: Cli, secret: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THERMITE_HOME", str(tmp_path / "older"))
    with monkeypatch.context() as older:
        older.setattr(db, "HEAD_REVISION", "0006")
        older.setattr(command, "upgrade", lambda config, _: upgrade(config, "0006"))
        record = db.Control(f"sqlite:///{tmp_path}/older/control.db")
        assert record.migrate(LAKE_SCHEMA)
        with record.write() as connection:
            rigs.add_key(connection, "rig-a", RigSimulator("rig-a", tmp_path).public_key, "ann")
            campaigns.add_campaign(connection, "a", None, "ann")
    add = ("mcp", "add", "papers", "--url", URL, "--secret-file", secret)
    assert f"the record has version 0006, this software needs {db.HEAD_REVISION}" in cli.fail(*add)
    cli.say("init")
    assert (tmp_path / "older" / "kits").is_dir()
    assert cli.json(*add)["changed"] is True
    assert cli.json("rig", "list")["rigs"][0]["rig"] == "rig-a"
    cli.say("assign", "--rig", "rig-a", "--run", "r1", "--campaign", "a", "--kit", "gpu")


def test_doctor_tells_of_kits_that_can_t_be_used(cli: Cli, secret: Path) -> None:
    assert findings(cli) == []
    cli.json("mcp", "add", "papers", "--url", URL, "--secret-file", secret)
    kit = write_kit(cli, '[mcp.papers]\nlane = "all"\n')
    assert findings(cli) == []
    kit.write_text('[mcp.papers]\nlane = "all"\n[mcp.wiki]\nlane = "all"\n')
    (finding,) = findings(cli)
    assert finding["level"] == "warning"
    assert finding["what"] == "kit gpu names MCP servers that are not there: wiki"
    assert finding["do"] == "`thermite mcp add` them, or take them out of kits/gpu.toml"
    kit.write_text("[mcp.papers]\nreader = 1\n")
    (finding,) = findings(cli)
    assert finding["level"] == "error" and finding["what"].startswith("kits/gpu.toml: 'reader' in mcp.papers")
    assert "warning: kits/gpu.toml" in cli.run("mcp", "list").err


def test_doctor_tells_of_secrets_that_another_key_sealed(cli: Cli, secret: Path) -> None:
    cli.json("mcp", "add", "papers", "--url", URL, "--secret-file", secret)
    cli.home.settings.control_key.write_text("ab" * 32 + "\n")
    (finding,) = findings(cli)
    assert finding["what"].startswith("MCP server papers: its secret can't be opened")
    assert "thermite mcp add papers" in finding["do"]
    assert cli.json("mcp", "add", "papers", "--url", URL, "--secret-file", secret)["changed"] is True
    assert findings(cli) == []
