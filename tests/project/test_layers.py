"""The arrows between the packages hold, and what watches them would see a break."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.tree import PACKAGE, ROOT, bare_environment

ARROWS = "Arrows between packages go one way"
DAGSTER = "Only the parts that Dagster loads, and the command line, import dagster"
RIG = "What runs on a rig knows nothing of control's side"


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    return subprocess.run(
        command, cwd=folder, env=bare_environment(COLUMNS="200"), capture_output=True, text=True, check=False
    )


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package in which a test may plant a break."""
    shutil.copytree(PACKAGE, tmp_path / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_all_arrows_hold(copy: Path) -> None:
    ran = lint_imports(copy)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("ledger/planted.py", "from thermite_pipelines.control import db", ARROWS),
        ("control/planted.py", "from thermite_pipelines import knowledge", ARROWS),
        ("knowledge/planted.py", "def late() -> None:\n    import dagster", DAGSTER),
        ("rig/planted.py", "from thermite_pipelines.tables import lake", RIG),
    ],
)
def test_a_planted_break_is_seen(copy: Path, module: str, line: str, broken: str) -> None:
    (copy / PACKAGE.name / module).write_text(line + "\n")
    ran = lint_imports(copy)
    assert ran.returncode == 1
    assert f"{broken} BROKEN" in " ".join(ran.stdout.split()), ran.stdout + ran.stderr


def test_a_package_that_no_layer_names_is_seen(copy: Path) -> None:
    (copy / PACKAGE.name / "stray.py").touch()
    ran = lint_imports(copy)
    assert ran.returncode == 1
    assert "stray" in ran.stdout
