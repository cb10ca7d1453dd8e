"""Servers that a kit names go into the command of a run, their secrets sealed to the rig's keys and to nobody else."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from nacl.exceptions import CryptoError
from nacl.public import SealedBox
from nacl.signing import SigningKey
from sqlalchemy import select, update

from tests.support.homes import Home
from tests.support.rigs import RigSimulator, seed_of
from thermite_pipelines.control import audit
from thermite_pipelines.control.commands import ensure_control_key
from thermite_pipelines.control.mcp_models import McpServer
from thermite_pipelines.control.mcp_servers import add_server, open_server, remove_server, servers
from thermite_pipelines.control.models import Assignment
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.briefing import AssignResult, assign_run

SECRET = "canary-mcp-7f3c19"
URL = "https://kb.example.org/mcp"


@pytest.fixture
def ready(home: Home) -> Home:
    """A home with a rig, two campaigns, a server, and a kit that names it."""
    ensure_control_key(home.settings)
    home.rig("rig-a")
    home.campaign("speed-up", "sort-fast")
    add(home)
    write_kit(home, '[mcp.papers]\nplanner = "all"\nlane = ["search"]\n')
    return home


def write_kit(home: Home, text: str, name: str = "gpu") -> None:
    home.settings.kits.mkdir(exist_ok=True)
    (home.settings.kits / f"{name}.toml").write_text(text)


def add(home: Home, name: str = "papers", url: str = URL, secret: str = SECRET) -> bool:
    with home.control.write() as connection:
        return add_server(connection, home.settings, name, url, secret, "ada")


def assigned(home: Home, run: str = "run-1", **options: Any) -> AssignResult:
    options = {"kit": "gpu", "campaign": "speed-up"} | options
    return assign_run(home.opened, "rig-a", run, options.pop("campaign"), by="ada", **options)


def command(home: Home, run: str = "run-1") -> dict[str, Any]:
    """The payload of a run's command file."""
    envelope = json.loads((home.settings.commands / "rig-a" / f"{run}.dsse.json").read_bytes())
    return json.loads(base64.b64decode(envelope["payload"]))


def opened(home: Home, server: dict[str, Any], seed: bytes) -> list[str]:
    """The secrets of a server that a key opens, as any program with libsodium opens them."""
    box = SealedBox(SigningKey(seed).to_curve25519_private_key())
    found = []
    for sealed in server["sealed"]:
        try:
            found.append(box.decrypt(base64.b64decode(sealed["box"])).decode())
        except CryptoError:
            continue
    return found


def test_kb_74_the_command_of_a_run_carries_the_servers_of_its_kit(ready: Home) -> None:
    assert assigned(ready).notices == ()
    (server,) = command(ready)["mcp_servers"]
    assert {name: server[name] for name in ("name", "url", "roles")} == {
        "name": "papers",
        "url": URL,
        "roles": {"planner": "all", "lane": ["search"]},
    }
    assert [sealed["keyid"] for sealed in server["sealed"]] == [ready.rig("rig-a").keyid]
    assert opened(ready, server, seed_of("rig-a")) == [SECRET]
    assert opened(ready, server, seed_of("rig-b")) == []


@pytest.mark.parametrize("options", [{"kit": None}, {"kit": "other"}, {"kit": "../kits/gpu"}, {"agents": False}])
def test_kb_75_a_run_without_such_a_kit_is_handed_nothing(ready: Home, options: dict[str, Any]) -> None:
    assigned(ready, **options)
    assert "mcp_servers" not in command(ready)


def test_kb_75_each_key_that_counts_gets_the_secret_and_a_revoked_one_does_not(ready: Home) -> None:
    newer = RigSimulator("rig-a", ready.settings.inbox / "rig-a", seed=seed_of("newer"))
    ready.add_key("rig-a", newer.public_key)
    assigned(ready)
    (server,) = command(ready)["mcp_servers"]
    for seed in (seed_of("rig-a"), seed_of("newer")):
        assert opened(ready, server, seed) == [SECRET]
    ready.revoke_key("rig-a")
    assigned(ready, "run-2")
    (server,) = command(ready, "run-2")["mcp_servers"]
    assert [sealed["keyid"] for sealed in server["sealed"]] == [newer.keyid]
    assert opened(ready, server, seed_of("rig-a")) == []
    ready.revoke_key("rig-a", newer.keyid)
    done = assigned(ready, "run-3")
    assert "mcp_servers" not in command(ready, "run-3")
    assert done.notices == ("rig rig-a has no key that counts, so it is not handed the MCP server papers",)


def test_kb_75_at_rest_the_secret_is_sealed_for_its_name_and_url_alone(ready: Home) -> None:
    with ready.control.read() as connection:
        assert SECRET.encode() not in connection.execute(select(McpServer.sealed)).scalar_one()
        assert open_server(connection, ready.settings, "papers") == (URL, SECRET)
        assert "sealed" not in servers(connection)[0]
    with ready.control.write() as connection:  # whoever can write the record can't send the secret elsewhere
        connection.execute(update(McpServer).values(url="https://evil.example.org/mcp"))
    with pytest.raises(ThermiteError, match="MCP server papers: its secret can't be opened"):
        assigned(ready)
    with ready.control.read() as connection:
        assert connection.execute(select(Assignment)).first() is None
    assert add(ready) is True
    assert opened_of(ready) == [SECRET]


def opened_of(home: Home, run: str = "run-1", **options: Any) -> list[str]:
    """Assign a run; what the rig's key opens of its command."""
    assigned(home, run, **options)
    return [secret for server in command(home, run)["mcp_servers"] for secret in opened(home, server, seed_of("rig-a"))]


def test_another_secret_goes_into_new_commands_and_again_changes_nothing(ready: Home) -> None:
    assert opened_of(ready) == [SECRET]
    before = command(ready)
    assert add(ready) is False
    assert add(ready, secret="another") is True
    assert add(ready, url=f"{URL}/v2", secret="another") is True
    assert not assigned(ready).changed and command(ready) == before
    assert opened_of(ready, "run-2") == ["another"]
    assert command(ready, "run-2")["mcp_servers"][0]["url"] == f"{URL}/v2"
    with ready.control.read() as connection:
        changes = [entry["detail"]["changed"] for entry in audit.entries(connection) if entry["action"] == "mcp-add"]
    assert changes == [["url", "secret"], ["secret"], ["url"]]


def test_a_server_that_was_removed_is_in_no_command_made_afterwards(ready: Home) -> None:
    assert opened_of(ready) == [SECRET]
    for changed in (True, False):
        with ready.control.write() as connection:
            assert remove_server(connection, "papers", "ada") is changed
    done = assigned(ready, "run-2")
    assert "mcp_servers" not in command(ready, "run-2")
    assert done.notices == ("kit gpu names the MCP server papers, which is not there: the run goes without",)
    # A move makes a command too: with the servers of now.
    assigned(ready, campaign="sort-fast", move=True)
    assert "mcp_servers" not in command(ready)


def test_a_moved_run_is_handed_what_its_kit_names_now(ready: Home) -> None:
    assigned(ready)
    add(ready, secret="another")
    write_kit(ready, '[mcp.papers]\nplanner = ["read"]\n')
    assert opened_of(ready, campaign="sort-fast", move=True, kit=None) == ["another"]
    assert command(ready)["mcp_servers"][0]["roles"] == {"planner": ["read"]}


def test_servers_are_kept_in_either_database(any_home: Home) -> None:
    ensure_control_key(any_home.settings)
    assert [add(any_home), add(any_home), add(any_home, secret="another")] == [True, False, True]
    with any_home.control.read() as connection:
        assert open_server(connection, any_home.settings, "papers") == (URL, "another")
    with any_home.control.write() as connection:
        assert [remove_server(connection, "papers", "ada") for _ in range(2)] == [True, False]
        assert servers(connection) == []


def test_what_was_handed_out_is_audited_by_name(ready: Home) -> None:
    assigned(ready)
    assigned(ready, "run-2", kit=None)
    with ready.control.read() as connection:
        details = [entry["detail"] for entry in audit.entries(connection) if entry["action"] == "assign"]
    assert [detail.get("mcp_servers") for detail in details] == [["papers"], None]


def test_a_kit_that_makes_no_sense_assigns_nothing(ready: Home) -> None:
    write_kit(ready, "[mcp.papers]\nlane = 1\n")
    with pytest.raises(ThermiteError, match=r"kits/gpu\.toml: mcp\.papers\.lane names no tools"):
        assigned(ready)
    with ready.control.read() as connection:
        assert connection.execute(select(Assignment)).first() is None


@pytest.mark.parametrize(
    ("url", "tells"),
    [
        ("http://kb.example.org/mcp", "unencrypted"),
        ("http://127.0.0.1.example.org/", "unencrypted"),
        ("ftp://kb.example.org/", "no address"),
        ("https:///mcp", "no address"),
        ("kb.example.org", "no address"),
        ("https://ada:geheim123@kb.example.org/", "credential"),
        ("https://ada@kb.example.org/", "credential"),
        ("https://kb.example.org/?token=geheim123", "credential"),
        ("https://kb.example.org/#geheim123", "fragment"),
        ("https://kb.example.org:99999/", "malformed"),
        ("https://[::1/", "malformed"),
        ("https://kb.example.org/a b", "visible ASCII"),
        ("https://kb.example.org/\n", "visible ASCII"),
        ("https://kb.example.org/" + "a" * 2000, "too long"),
        ("", "empty"),
    ],
)
def test_a_url_that_a_secret_must_not_go_to_is_refused(home: Home, url: str, tells: str) -> None:
    ensure_control_key(home.settings)
    with pytest.raises(UsageError, match=tells) as caught:
        add(home, url=url)
    assert "geheim123" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        URL,
        "http://127.0.0.1:8000/mcp",
        "http://localhost/mcp",
        "http://[::1]:9/mcp",
        "https://kb.example.org/?project=x",
    ],
)
def test_other_urls_are_taken(home: Home, url: str) -> None:
    ensure_control_key(home.settings)
    assert add(home, url=url) is True


@pytest.mark.parametrize("secret", ["", "two words", "line\nend", "wärme", "x" * 4097])
def test_a_secret_that_no_header_can_hold_is_refused_and_not_repeated(home: Home, secret: str) -> None:
    ensure_control_key(home.settings)
    with pytest.raises(UsageError, match="the secret is") as caught:
        add(home, secret=secret)
    assert not secret or secret not in str(caught.value)


def test_without_controls_key_nothing_is_kept(home: Home) -> None:
    with pytest.raises(ThermiteError, match="no signing key yet"):
        add(home)
    with home.control.read() as connection:
        assert servers(connection) == []


def test_a_file_of_another_kit_is_not_looked_at(ready: Home, tmp_path: Path) -> None:
    write_kit(ready, "nonsense", name="broken")
    assert opened_of(ready) == [SECRET]
