"""The run that a reply starts is handed the servers of its kit if a person gave that kit; no rig gives itself one."""

import base64
import json
from typing import Any

import pytest
from nacl.public import SealedBox
from nacl.signing import SigningKey

from tests.learnings.telling import Clock, arrive, ask, command_of, open_runs, with_key
from tests.support.homes import Home
from tests.support.rigs import RigSimulator, seed_of
from thermite_pipelines.control import audit
from thermite_pipelines.control.mcp_servers import add_server
from thermite_pipelines.knowledge.briefing import assign_run
from thermite_pipelines.learnings import actions

SECRET = "canary-mcp-7f3c19"


@pytest.fixture
def rig(home: Home, clock: Clock) -> RigSimulator:
    """A rig whose runs all say that they have kit `gpu`, which names a server; a person gave it to run-1 alone."""
    with_key(home)
    home.settings.kits.mkdir()
    (home.settings.kits / "gpu.toml").write_text('[mcp.papers]\nplanner = "all"\n')
    with home.control.write() as connection:
        add_server(connection, home.settings, "papers", "https://kb.example.org", SECRET, "ann")
    home.rig("rig-a")
    home.campaign("one")
    for run, kit in (("run-1", "gpu"), ("run-2", None), ("run-3", "cpu")):
        assign_run(home.opened, "rig-a", run, "one", by="ann", kit=kit)
    return open_runs(home, "run-1", "run-2", "run-3", "run-4", campaign=None, kit="gpu", flags=[])


def reply(home: Home, rig: RigSimulator, run: str) -> tuple[dict[str, Any], actions.Replied]:
    """Answer what a run asks; the payload of the command."""
    ask(rig, run)
    arrive(home)
    done = actions.reply(home.opened, run, text="Yes.", by="ann")
    return payload(home, done.command), done


def payload(home: Home, command: str | None) -> dict[str, Any]:
    return json.loads(base64.b64decode(json.loads(command_of(home, command))["payload"]))


def test_kb_75_a_reply_hands_out_what_a_person_gave_and_goes_on_doing_so(home: Home, rig: RigSimulator) -> None:
    first, done = reply(home, rig, "run-1")
    open_runs(home, first["run"], campaign=None, kit="gpu", flags=[])
    second, _ = reply(home, rig, first["run"])
    for command in (first, second):
        ((sealed,),) = (server["sealed"] for server in command["mcp_servers"])
        box = SealedBox(SigningKey(seed_of("rig-a")).to_curve25519_private_key())
        assert box.decrypt(base64.b64decode(sealed["box"])).decode() == SECRET
    assert done.notices == ()
    with home.control.read() as connection:
        detail = [entry["detail"] for entry in audit.entries(connection) if entry["action"] == "reply"]
    assert [entry["mcp_servers"] for entry in detail] == [["papers"], ["papers"]]


@pytest.mark.parametrize("run", ["run-2", "run-3"])
def test_kb_75_a_kit_that_a_rig_gave_itself_hands_out_nothing(home: Home, rig: RigSimulator, run: str) -> None:
    first, _ = reply(home, rig, run)
    assert first["kit"] == "gpu" and "mcp_servers" not in first
    # Nor does a reply to that reply, whose command control itself signed with the kit in it.
    open_runs(home, first["run"], campaign=None, kit="gpu", flags=[])
    second, _ = reply(home, rig, first["run"])
    assert second["kit"] == "gpu" and "mcp_servers" not in second
    # Nor does moving one of them.
    home.campaign("two")
    moved = assign_run(home.opened, "rig-a", first["run"], "two", by="ann", move=True)
    assert moved.changed and "mcp_servers" not in payload(home, moved.command)


def test_a_reply_that_is_moved_is_handed_the_servers_of_now(home: Home, rig: RigSimulator) -> None:
    first, _ = reply(home, rig, "run-1")
    home.campaign("two")
    moved = payload(home, assign_run(home.opened, "rig-a", first["run"], "two", by="ann", move=True).command)
    assert moved["mcp_servers"][0]["name"] == "papers"
    assert moved["mcp_servers"][0]["sealed"] != first["mcp_servers"][0]["sealed"]


def test_a_reply_says_which_server_the_new_run_goes_without(home: Home, rig: RigSimulator) -> None:
    (home.settings.kits / "gpu.toml").write_text('[mcp.wiki]\nplanner = "all"\n')
    command, done = reply(home, rig, "run-1")
    assert "mcp_servers" not in command
    assert done.notices == ("kit gpu names the MCP server wiki, which is not there: the run goes without",)
