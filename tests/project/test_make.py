"""The Makefile says what it does, and says plainly what a machine lacks."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.project.tree import ROOT, bare_environment


def make(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *words], cwd=ROOT, env=bare_environment(), capture_output=True, text=True, check=False
    )


def fake_program(path: Path, script: str) -> Path:
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_plain_make_lists_the_targets() -> None:
    said = make().stdout
    for target in ("setup", "run", "demo", "test", "test-full", "lint", "bench", "lock", "clean"):
        assert f"\n  {target} " in said


def test_an_old_python_is_named_in_one_line(tmp_path: Path) -> None:
    old = fake_program(tmp_path / "python3.9", '[ "$1" = -V ] && echo "Python 3.9.2" && exit 0\nexit 1')
    ran = make("setup", f"PYTHON={old}", f"VENV={tmp_path / 'venv'}")
    assert ran.returncode == 2
    first = ran.stderr.splitlines()[0]
    assert first.startswith(
        f"Thermite Pipelines needs Python 3.11, 3.12 or 3.13; {old} is Python 3.9.2. Say: make PYTHON="
    )
    assert not (tmp_path / "venv").exists()


def test_a_python_without_venv_is_named_in_one_line(tmp_path: Path) -> None:
    bare = fake_program(tmp_path / "python3", '[ "$1" = -m ] && exit 1\nexit 0')
    ran = make("setup", f"PYTHON={bare}", f"VENV={tmp_path / 'venv'}")
    assert ran.returncode == 2
    assert "apt-get install python3-venv" in ran.stderr.splitlines()[0]


@pytest.mark.parametrize("target", ["test", "test-full"])
def test_browser_tests_run_where_there_is_a_browser(target: str) -> None:
    said = make("-n", target, "CHROMIUM=/usr/bin/chromium").stdout
    assert "browser" not in said


@pytest.mark.parametrize(("target", "chosen"), [("test", "not full"), ("test-full", "full")])
def test_without_a_browser_its_tests_are_left_out_and_it_says_so(target: str, chosen: str) -> None:
    said = make("-n", target, "CHROMIUM=").stdout
    assert f'-m "{chosen} and not browser"' in said
    assert "No Chromium here: the browser tests are left out" in said


def test_make_test_checks_before_it_runs() -> None:
    said = make("-n", "test", "CHROMIUM=").stdout
    steps = ["ruff check", "ruff format --check", "lint-imports", "pyright", "dg check defs", "definitions validate"]
    places = [said.index(step) for step in [*steps, "-m pytest"]]
    assert places == sorted(places)


def test_the_ci_script_runs_anywhere() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    subprocess.run(["bash", "-n", str(script)], check=True)
    assert script.read_text().rstrip().endswith("make test\nmake test-full")
