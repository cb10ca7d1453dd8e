"""Outside knowledge bases over HTTP: a rig elsewhere is handed what its run's kit names; no answer holds a secret."""

import pytest

from tests.serve.serving import ServedHome
from tests.support.rigs import seed_of
from thermite_pipelines.control.commands import ensure_control_key
from thermite_pipelines.control.mcp_servers import add_server
from thermite_pipelines.rig.outside import open_servers, read_command

SECRET = "canary-mcp-7f3c19"
BODY = {"rig": "rig-a", "run": "r7", "campaign": "a", "kit": "gpu"}


@pytest.fixture
def kitted(served: ServedHome) -> ServedHome:
    """A served home with a server, and a kit that names it and one that is not there."""
    served.home.settings.kits.mkdir()
    kit = '[mcp.papers]\nlane = ["search"]\n[mcp.wiki]\nlane = "all"\n'
    (served.home.settings.kits / "gpu.toml").write_text(kit)
    with served.home.control.write() as connection:
        add_server(connection, served.home.settings, "papers", "https://kb.example.org/mcp", SECRET, "ann")
    return served


def test_kb_75_the_rig_of_the_run_opens_what_nobody_else_sees(kitted: ServedHome) -> None:
    done = kitted.client("operator").post("/assignments", json=BODY).json()
    assert done["notices"] == ["kit gpu names the MCP server wiki, which is not there: the run goes without"]
    fetched = kitted.client("rig").get("/rigs/rig-a/runs/r7/command").content
    control_key = bytes.fromhex(ensure_control_key(kitted.home.settings)[0])
    (server,) = open_servers(read_command(fetched, control_key, rig="rig-a"), seed_of("rig-a"))
    assert (server.name, server.secret) == ("papers", SECRET)
    assert kitted.client("rig", rig="rig-b").get("/rigs/rig-a/runs/r7/command").status_code == 404
    owner = kitted.client("owner")
    answers = [
        owner.get(path).text for path in ("/assignments", "/audit", "/items", "/folders", "/search?words=canary")
    ]
    assert not [answer for answer in answers if SECRET in answer or "sealed" in answer]


def test_a_kit_that_makes_no_sense_is_a_problem_and_assigns_nothing(kitted: ServedHome) -> None:
    (kitted.home.settings.kits / "gpu.toml").write_text("[mcp.papers]\nlane = 1\n")
    refused = kitted.client("operator").post("/assignments", json=BODY)
    assert refused.status_code == 409 and "mcp.papers.lane names no tools" in refused.json()["detail"]
    assert "r7" not in kitted.client("reader").get("/assignments").text
