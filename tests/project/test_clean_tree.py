"""What may not be in the project's files, and how long they may be."""

import ast
import sys
from pathlib import Path

import pytest

from tests.project.tree import PACKAGE, ROOT, package_files, python_files, text_of, tracked_files

MODULE_LINES = 400
FUNCTION_LINES = 45

# In pieces, so that this file passes its own test.
REGISTRY_HOSTS = [
    ".".join(parts)
    for parts in [
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("registry", "yarnpkg", "com"),
        ("conda", "anaconda", "org"),
        ("deb", "debian", "org"),
        ("proxy", "golang", "org"),
        ("crates", "io"),
    ]
]
# Put together here, so that this file does not find itself.
_OPTIONS = (("index", "url"), ("extra", "index", "url"), ("find", "links"), ("trusted", "host"))
INDEX_OPTIONS = ["--" + "-".join(words) for words in _OPTIONS]


def machine_paths() -> list[str]:
    """Paths of this very machine: the clone, the environment that runs, the Python under it."""
    found = {str(ROOT), sys.prefix, sys.base_prefix, str(Path.home() / ".cache"), str(Path.home() / ".pyenv")}
    return sorted(found - {"/", "/usr", "/usr/local"})


@pytest.mark.parametrize("unwanted", [*REGISTRY_HOSTS, *INDEX_OPTIONS])
def test_no_file_names_a_registry(unwanted: str) -> None:
    assert [str(path) for path in tracked_files() if unwanted in text_of(path)] == []


@pytest.mark.parametrize("unwanted", machine_paths())
def test_no_file_names_a_path_of_the_machine(unwanted: str) -> None:
    assert [str(path) for path in tracked_files() if unwanted + "/" in text_of(path)] == []


def test_modules_are_short() -> None:
    lengths = {str(path.relative_to(ROOT)): len(text_of(path).splitlines()) for path in python_files()}
    assert {name: lines for name, lines in lengths.items() if lines > MODULE_LINES} == {}


def test_functions_are_short() -> None:
    too_long = {}
    for path in package_files():
        if PACKAGE / "control" / "migrations" in path.parents:
            continue  # a migration is a list of tables, read from top to bottom
        for node in ast.walk(ast.parse(text_of(path))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    too_long[f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"] = lines
    assert too_long == {}


def test_nothing_is_left_for_later() -> None:
    marks = ["TO" + "DO", "FIX" + "ME", "XX" + "X ", "NotImplemented" + "Error"]
    found = [f"{path.relative_to(ROOT)}: {mark}" for path in python_files() for mark in marks if mark in text_of(path)]
    assert found == []


def test_no_test_is_skipped() -> None:
    marks = ["pytest.sk" + "ip", "mark.sk" + "ip", "mark.xf" + "ail", "import" + "orskip"]
    found = [f"{path.relative_to(ROOT)}: {mark}" for path in python_files() for mark in marks if mark in text_of(path)]
    assert found == []


def test_what_is_made_is_ignored() -> None:
    """A set-up, a sample home and the tools' caches leave the tree as it was."""
    ignored = set((ROOT / ".gitignore").read_text().split())
    assert ignored >= {"__pycache__/", "*.egg-info/", ".venv/", ".thermite/", "demo-home/", ".tmp_dagster_home_*/"}
    assert ignored >= {".hypothesis/", ".ruff_cache/", ".import_linter_cache/", ".dg/"}
