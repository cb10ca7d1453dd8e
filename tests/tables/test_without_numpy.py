"""What the program itself installs has no numpy, pandas, Polars or DuckDB. Tests do, which could hide a need."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.project.tree import ROOT

_SCRIPT = """
import sys


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numpy", "pandas", "polars", "duckdb"):
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, Missing())

from pathlib import Path
from tests.knowledge import golden
from tests.knowledge.filing import folder, rebuild, refresh, say_golden
from tests.support.homes import make_home

home = make_home(Path(sys.argv[1]), Path(sys.argv[2]))
home.campaign("speed-up")
rig = home.rig()
rig.ledger = golden.RUN.ledger
for event in golden.EVENTS:
    say_golden(rig, [event])
    rig.send()
    home.intake()
    refresh(home, "speed-up")
rebuild(home, "speed-up")
assert folder(home, "speed-up") == {row["item"]: row for row in golden.ROWS.values()}
"""


@pytest.mark.full
def test_reports_become_folders_without_numpy(tmp_path: Path, ready_record: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", _SCRIPT, str(tmp_path / "home"), str(ready_record)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-3000:]
