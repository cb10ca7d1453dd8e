"""Tools over standard input and output: a program starts the service, and speaks to it as to a child."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError
from mcp.client.stdio import StdioServerParameters

from tests.project.tree import ROOT
from tests.serve.mcp.calling import SECONDS, Calls
from tests.serve.serving import ServedHome
from tests.support.commands import thermite
from tests.support.homes import Home
from tests.support.pipelines import environment
from thermite_pipelines.control.tokens import revoke_token, tokens
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.initialise import initialise
from thermite_pipelines.serve.mcp.stdio import VARIABLE, read_token, serve

COMMAND = "import sys; from thermite_pipelines.cli.main import main; sys.exit(main())"


@asynccontextmanager
async def over_stdio(home: Home, *options: str, **variables: str) -> AsyncIterator[Client]:
    """A client that starts `thermite serve --stdio`."""
    server = StdioServerParameters(
        command=sys.executable,
        args=["-c", COMMAND, "serve", "--stdio", *options],
        env=environment(home, PYTHONPATH=str(ROOT), **variables),
    )
    async with Client(server, read_timeout_seconds=SECONDS) as client:
        yield client


def test_tools_over_stdio_are_those_of_the_token_as_it_stands(served: ServedHome) -> None:
    """One process: an agent's tools, a refusal in the audit log, and a token that is revoked meanwhile."""
    initialise(served.home.settings)
    secret = served.token("agent", name="an agent")
    with Calls(over_stdio(served.home, **{VARIABLE: secret})) as calls:
        assert calls.tools() == ["search_past_research", "help_request", "learning_propose"]
        assert calls.call("help_request", summary="no disk")["changed"] is True
        assert calls.has_no("kb_grant", reader="a", source="b")
        with served.home.control.write() as connection:
            (row,) = [row for row in tokens(connection) if row["name"] == "an agent"]
            revoke_token(connection, row["id"], "tester")
        with pytest.raises(MCPError, match="does not count"):
            calls.call("help_request", summary="no disk at all")
    (entry,) = served.audited("refuse")
    assert (entry["by"], entry["subject"], entry["detail"]["from"]) == ("an agent", "tool kb_grant", "stdio")
    (event,) = served.client("rig").get("/rigs/rig-a/runs/r1/outgoing").json()["events"]
    assert event["data"]["summary"] == "no disk"


def ended(home: Home, *options: str, **variables: str) -> tuple[int, str]:
    process = thermite(home, "serve", "--stdio", *options, **variables)
    printed, said = process.communicate(timeout=SECONDS)
    assert printed == ""
    return process.returncode, said


def test_a_token_comes_from_the_environment_or_a_file_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ada.token"
    file.write_text("thermite_1\n")
    file.chmod(0o644)
    with pytest.raises(UsageError, match="others may read the token"):
        read_token(file)
    file.chmod(0o600)
    assert read_token(file) == "thermite_1"
    with pytest.raises(UsageError, match=VARIABLE):
        read_token(None)
    for odd in (tmp_path, tmp_path / "none"):
        with pytest.raises(UsageError):
            read_token(odd)
    monkeypatch.setenv(VARIABLE, "thermite_2")
    assert read_token(None) == "thermite_2"
    assert VARIABLE not in os.environ, "no child of the process has it"


def test_the_end_of_the_input_is_the_end_and_a_token_that_does_not_count_one_line(served: ServedHome) -> None:
    initialise(served.home.settings)
    assert ended(served.home, **{VARIABLE: served.token("owner")}) == (0, "")
    code, said = ended(served.home, **{VARIABLE: served.token("rig")})
    assert (code, said.count("\n")) == (1, 1) and "has no tools" in said
    with pytest.raises(ThermiteError, match="does not count"):
        serve(served.home.opened, "thermite_" + "0" * 64)


def test_no_option_takes_a_token(served: ServedHome) -> None:
    shown: Any = subprocess.run(
        [sys.executable, "-c", COMMAND, "serve", "--help"], capture_output=True, text=True, check=True, cwd=ROOT
    ).stdout
    assert "--token-file" in shown and "--token " not in shown
