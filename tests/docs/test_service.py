"""docs/service.md: its tables are those of the code, and its commands run."""

from pathlib import Path

from tests.docs.pages import blocks, read_page, run_script, tables, words_in
from tests.support.homes import Home
from thermite_pipelines.cli import service
from thermite_pipelines.control import outgoing
from thermite_pipelines.control.tokens import OF_RUNS, PEOPLE, ROLES
from thermite_pipelines.knowledge.initialise import initialise
from thermite_pipelines.serve import connections, guard, reading_routes, refusals, server, uploads
from thermite_pipelines.serve.app import all_routes
from thermite_pipelines.serve.documents import MOST_RESULTS
from thermite_pipelines.serve.mcp.arguments import PastResearch
from thermite_pipelines.serve.mcp.server import CALLS_AT_ONCE
from thermite_pipelines.serve.pages import paths, sessions
from thermite_pipelines.serve.tools import TOOLS

PAGE = "docs/service.md"


def test_routes_are_the_codes() -> None:
    shown = [(words_in(row[0])[0], words_in(row[1])) for row in tables(PAGE, "Routes")]
    made = [(request, list(route.roles)) for route in all_routes() for request in route.requests]
    assert shown == made


def test_tools_are_the_codes() -> None:
    shown = [(words_in(row[0])[0], words_in(row[1]), words_in(row[2])) for row in tables(PAGE, "Tools over MCP")]
    assert shown == [(tool.name, list(tool.roles), list(tool.arguments)) for tool in TOOLS]


def test_roles_are_the_codes() -> None:
    shown = {words_in(row[0])[0]: words_in(row[2]) for row in tables(PAGE, "Tokens")}
    needs = {role: [] for role in PEOPLE} | {role: ["--rig", "--run"] for role in OF_RUNS} | {"rig": ["--rig"]}
    assert tuple(shown) == ROLES
    assert shown == needs


def test_bounds_are_the_codes() -> None:
    text = " ".join(f"{row[0]}: {row[1]}" for row in tables(PAGE, "Bounds"))
    for bound in (
        f"without a token that counts: {guard.STRANGERS_PER_MINUTE} a minute",
        f"nobody has signed in: {guard.BROWSERS_PER_MINUTE} a minute",
        f"head of a request: {connections.IDLE_SECONDS} seconds",
        f"in the audit log: {refusals.ENTRIES_PER_MINUTE} a minute for each token",
        f"as sent, and {uploads.SECONDS:.0f} seconds",
        f"at the same time: {uploads.AT_ONCE};",
        f"any other body: {guard.BODY_BYTES // 2**20} MiB, and {guard.BODY_SECONDS:.0f} seconds",
        f"connections: {server.MOST_CONNECTIONS}",
        f"over MCP: {CALLS_AT_ONCE};",
    ):
        assert bound in text, bound
    page = read_page(PAGE)
    assert f"At most {outgoing.MOST_WAITING} of a run wait, for {outgoing.MOST_DAYS} days" in " ".join(page.split())
    assert "`limit` is 10 unless given, and at most 200" in " ".join(page.split())
    assert (PastResearch.model_fields["limit"].default, MOST_RESULTS) == (10, 200)
    assert f"127.0.0.1:{service.PORT}" in page
    assert f"127.0.0.1:{service.PORT}{paths.ROOT}>" in page
    assert f"for {sessions.SECONDS // 3600} hours at most" in page
    assert f"get {server.STOP_SECONDS} seconds" in " ".join(page.split())
    assert f"at most {reading_routes.MOST_ITEMS})" in page


def test_the_commands_of_the_page_run(home: Home, tmp_path: Path) -> None:
    initialise(home.settings)
    (script,) = [block.text for block in blocks(PAGE, "sh") if block.runs]
    printed = run_script(script, tmp_path, THERMITE_HOME=str(home.settings.home))
    assert printed.count("reading room") == 2
