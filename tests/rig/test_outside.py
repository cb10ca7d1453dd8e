"""What a rig makes of a signed command: is it control's, which servers does it hand over, who may use what."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.homes import Home
from tests.support.rigs import seed_of
from thermite_pipelines.control.commands import COMMAND_SCHEMA, ensure_control_key, sign_command
from thermite_pipelines.control.mcp_servers import add_server
from thermite_pipelines.control.sealing import seal_to
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.briefing import assign_run
from thermite_pipelines.ledger.envelope import keyid_of, public_key_of, seal
from thermite_pipelines.rig.keys import generate, read_key
from thermite_pipelines.rig.outside import OutsideServer, open_servers, read_command, role_of

SECRET = "canary-mcp-7f3c19"
URL = "https://kb.example.org/mcp"
SEED = seed_of("rig-a")
OFFERED = ["search", "read_page", "write_page"]


def handed(**changes: Any) -> dict[str, Any]:
    """A command that hands one server over; `changes` are fields of the server to have otherwise."""
    public_key = public_key_of(SEED)
    sealed = [{"keyid": keyid_of(public_key), "box": seal_to(public_key.hex(), SECRET)}]
    server = {"name": "papers", "url": URL, "roles": {"lane": ["search"], "planner": "all"}, "sealed": sealed}
    return {"mcp_servers": [server | changes]}


def test_kb_75_from_mcp_add_to_the_rig_that_opens_it(home: Home, tmp_path: Path) -> None:
    """The whole way, with a key file as a rig keeps it."""
    control_key = bytes.fromhex(ensure_control_key(home.settings)[0])
    key = generate(tmp_path / "rig.key")
    home.add_key("rig-a", key.public_key_hex)
    home.campaign("speed-up")
    home.settings.kits.mkdir()
    (home.settings.kits / "gpu.toml").write_text('[mcp.papers]\nplanner = "all"\nlane = ["search", "read_page"]\n')
    with home.control.write() as connection:
        add_server(connection, home.settings, "papers", URL, SECRET, "ada")
    assign_run(home.opened, "rig-a", "run-1", "speed-up", by="ada", kit="gpu")
    raw = (home.settings.commands / "rig-a" / "run-1.dsse.json").read_bytes()
    (server,) = open_servers(read_command(raw, control_key, rig="rig-a"), read_key(tmp_path / "rig.key"))
    assert (server.name, server.url, server.secret) == ("papers", URL, SECRET)
    assert server.tools_of("lane", OFFERED) == ["search", "read_page"]
    assert SECRET not in repr(server)


def test_kb_74_a_role_without_the_name_gets_no_tool_and_a_narrowed_list_gives_exactly_those() -> None:
    (server,) = open_servers(handed(), SEED)
    given = {role: server.tools_of(role, OFFERED) for role in ("planner", "lane", "teachers", "auditor", "lane-1", "")}
    assert given == {"planner": OFFERED, "lane": ["search"], "teachers": [], "auditor": [], "lane-1": [], "": []}
    assert server.tools_of("lane", ["write_page"]) == []


def test_writers_have_the_roles_of_kits() -> None:
    writers = ["lane-3", "planner", "teachers:ann", "combiner:a-b", "auditor:x", "panel:y", "owner", "harness"]
    assert [role_of(writer) for writer in writers] == [
        *["lane", "planner", "teachers", "combiner", "auditor", "panel", "owner", "harness"]
    ]


def test_a_run_without_servers_has_none() -> None:
    assert open_servers({}, SEED) == []
    assert open_servers({"mcp_servers": []}, SEED) == []


def test_a_form_of_tools_that_is_not_known_gives_none() -> None:
    (server,) = open_servers(handed(roles={"lane": "some"}), SEED)
    assert server.tools_of("lane", OFFERED) == []


@pytest.mark.parametrize(
    ("changes", "tells"),
    [
        ({"sealed": []}, "not sealed to this key"),
        ({"sealed": [{"keyid": keyid_of(public_key_of(SEED)), "box": base64.b64encode(b"x" * 64).decode()}]}, "opened"),
        ({"sealed": [{"keyid": keyid_of(public_key_of(SEED)), "box": "?"}]}, "mcp_servers"),
        ({"roles": {"lane": 1}}, "mcp_servers"),
        ({"url": None}, "mcp_servers"),
    ],
)
def test_a_server_that_can_t_be_opened_is_one_line(changes: dict[str, Any], tells: str) -> None:
    with pytest.raises(ThermiteError, match=tells):
        open_servers(handed(**changes), SEED)


def test_kb_75_another_rigs_key_opens_nothing() -> None:
    with pytest.raises(ThermiteError, match="not sealed to this key"):
        open_servers(handed(), seed_of("rig-b"))


def test_a_command_counts_only_as_control_signed_it(home: Home) -> None:
    control_key = bytes.fromhex(ensure_control_key(home.settings)[0])
    payload = {"schema": COMMAND_SCHEMA, "rig": "rig-a"} | handed()
    raw = sign_command(home.settings, payload)
    assert read_command(raw, control_key, rig="rig-a") == payload
    changed = json.loads(raw)
    body = base64.b64decode(changed["payload"]).replace(b"kb.example.org", b"evil.example.org")
    changed["payload"] = base64.b64encode(body).decode()
    forged = seal("application/vnd.thermite.command+json", json.dumps(payload).encode(), SEED)
    for wrong, tells in (
        (json.dumps(changed).encode(), "did not sign"),
        (forged, "did not sign"),
        (b"nonsense", "no command"),
        (sign_command(home.settings, {"schema": "thermite.command/2", "rig": "rig-a"}), "no command of"),
        (sign_command(home.settings, {"schema": COMMAND_SCHEMA, "rig": "rig-b"}), "another rig than rig-a"),
    ):
        with pytest.raises(ThermiteError, match=tells):
            read_command(wrong, control_key, rig="rig-a")


def test_a_server_shows_no_secret() -> None:
    assert SECRET not in f"{OutsideServer('papers', URL, {}, SECRET)}"
