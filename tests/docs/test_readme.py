"""The README: its commands run as they stand, in order, in an empty folder."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import blocks, read_page, run_script, tables, words_in
from tests.project.tree import PACKAGE, ROOT, bare_environment

RESULTS = (
    "commit\tval_bpb\tmemory_gb\tstatus\tdescription\n"
    "aa11bb2\t1.2100\t40.1\tkeep\tbaseline\n"
    "bb22cc3\t1.1900\t40.3\tkeep\twider layers\n"
    "cc33dd4\t1.2300\t40.3\tdiscard\tno weight decay\n"
)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the commands of the README print."""
    folder = tmp_path_factory.mktemp("readme")
    (program,) = blocks("README.md", "python")
    (folder / "report.py").write_text(program.text)
    (folder / "results.tsv").write_text(RESULTS)
    return run_script("".join(block.text for block in blocks("README.md", "sh") if block.runs), folder)


def test_the_note_of_the_example_can_be_read(shown: str) -> None:
    assert "A longer warm-up helps more" in shown
    assert "note:rig-a/run-1/n1" in shown


def test_the_imported_log_is_there(shown: str) -> None:
    assert "3 experiment" in shown
    assert re.search(r"rig-a +run-2 +running", shown)


def test_doctor_finds_nothing(shown: str) -> None:
    assert "all is well" in shown


def test_the_pipelines_own_steps_are_not_left_out() -> None:
    runs = "".join(block.text for block in blocks("README.md", "sh") if block.runs)
    for command in (
        "init",
        "rig keygen",
        "rig add",
        "campaign add",
        "assign",
        "import autoresearch",
        "refresh",
        "doctor",
    ):
        assert f"thermite {command}" in runs


@pytest.mark.parametrize("target", ["run", "demo", "test", "setup", "setup-dev", "lint"])
def test_the_targets_that_are_not_run_here_exist(target: str) -> None:
    assert f"make {target}" in read_page("README.md")
    ran = subprocess.run(
        ["make", "-n", target], cwd=ROOT, env=bare_environment(), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr


def test_no_other_block_is_left_out() -> None:
    left_out = "".join(block.text for block in blocks("README.md", "sh") if not block.runs)
    assert left_out.split("\n")[:-1] == ["make run", "make test", "make setup", ". .venv/bin/activate"]


def test_the_versions_of_python_are_those_of_the_project() -> None:
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert asked == ">=3.11,<3.14"
    assert "Python 3.11, 3.12 or 3.13" in read_page("README.md")


def test_the_layout_names_every_package() -> None:
    named = {word.rstrip("/") for row in tables("README.md", "The code") for word in words_in(row[0])}
    there = {path.name for path in PACKAGE.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert named - there == {"definitions.py"}
    assert there - named == set()


def test_the_demo_home_is_the_makefiles() -> None:
    assert re.search(r"^DEMO_HOME \?= demo-home$", Path(ROOT / "Makefile").read_text(), re.MULTILINE)
    assert "`demo-home`" in read_page("README.md")
