"""KB-73: nothing of the product copies folders to an outside knowledge base.

What is synced lies in the home, what is exported in the home and the results repository. Whoever can speak to another
machine is named here, with what for; none of it makes syncs or exports.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.knowledge.syncing import SyncHome, tree
from tests.project.tree import PACKAGE, package_files, text_of
from tests.support.homes import Home
from tests.support.network import no_network

CLIENTS = {
    *(
        "http.client",
        "urllib.request",
        "urllib3",
        "httpx",
        "httpx2",
        "requests",
        "aiohttp",
        "websockets",
        "socket",
        "ssl",
    ),
    *(
        "ftplib",
        "smtplib",
        "imaplib",
        "poplib",
        "xmlrpc",
        "paramiko",
        "grpc",
        "boto3",
        "s3fs",
        "mcp",
        "litellm",
        "fsspec",
    ),
    *("subprocess",),
}
"""What can speak to another machine, or start what can."""

SPEAK = {
    "cli/serving.py": "asks Dagster's own web server whether it is up",
    "control/audit.py": "the name of this machine",
    "control/leases.py": "the name of this machine",
    "knowledge/results_repository.py": "git, in the results repository",
    "llm/transport.py": "language models",
    "llm/wire.py": "language models",
    "rig/outside_sending.py": "on a rig: tools of an outside server, for an agent that calls them",
    "tables/lake.py": "the lake, where it is an object store",
}
SERVICE = "serve/"  # answers; it asks nobody


def imports(path: Path) -> Iterator[str]:
    """Every module that a file names in an import, at its top or further in."""
    for node in ast.walk(ast.parse(text_of(path))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def speaks(path: Path) -> bool:
    return any(name in CLIENTS or name.partition(".")[0] in CLIENTS for name in imports(path))


def test_kb_73_whoever_can_speak_to_another_machine_is_known() -> None:
    found = {path.relative_to(PACKAGE).as_posix() for path in package_files() if speaks(path)}
    assert {name for name in found if not name.startswith(SERVICE)} == set(SPEAK)


@pytest.mark.parametrize("line", ["import httpx", "from urllib import request", "def f():\n    from mcp import Client"])
def test_a_client_that_is_added_would_be_seen(line: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(line)
    assert speaks(tmp_path / "planted.py")


def test_kb_73_syncs_and_exports_go_below_the_home_and_need_no_network(home: Home, tmp_path: Path) -> None:
    synced = SyncHome(home)
    for run in ("run-1", "run-2"):
        synced.run(run, "speed-up")
    before = set(tree(tmp_path))
    with no_network():
        synced.sync()
        exported = synced.export()
    new = set(tree(tmp_path)) - before
    targets = ("home/sync/rig-a/", f"home/{exported.path}/")
    assert new and all(path.startswith(targets) for path in new if "/control.db-" not in path)
