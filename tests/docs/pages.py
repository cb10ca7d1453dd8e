"""The pages as tests see them: their fenced blocks, their tables, the commands in them."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.project.tree import ROOT, bare_environment

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
"""README.md and everything in docs/."""

RUN_BY_THIS = {"sh", "python", "json", "mermaid", "text"}
"""Languages that a block may name; `no-run` behind `sh` or `python` keeps a block from being run."""

_FENCE = re.compile(r"^```(\S*)(.*)$")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, the words behind that, its text, and the heading above it."""

    page: str
    line: int
    language: str
    words: tuple[str, ...]
    text: str
    heading: str

    @property
    def runs(self) -> bool:
        """Whether a test runs it."""
        return "no-run" not in self.words


def read_page(name: str) -> str:
    """The text of a page, by its path in the project."""
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name: str, language: str | None = None) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found: list[Block] = []
    heading = ""
    fence: tuple[int, str, tuple[str, ...]] | None = None
    lines: list[str] = []
    for number, line in enumerate(read_page(name).splitlines(), 1):
        match = _FENCE.match(line)
        if fence is not None and line.strip() == "```":
            found.append(Block(name, fence[0], fence[1], fence[2], "\n".join(lines) + "\n", heading))
            fence = None
        elif fence is not None:
            lines.append(line)
        elif match:
            fence, lines = (number, match[1], tuple(match[2].split())), []
        elif line.startswith("#"):
            heading = line.lstrip("# ")
    assert fence is None, f"{name}: the block of line {fence and fence[0]} has no end"
    return [block for block in found if language in (None, block.language)]


def tables(name: str, heading: str) -> list[list[str]]:
    """The rows of all tables below a heading (up to the next one), cells stripped, without heads and rules."""
    rows: list[list[str]] = []
    inside = fenced = False
    previous_was_row = False
    for line in read_page(name).splitlines():
        if line.startswith("```"):
            fenced = not fenced
        if line.startswith("#") and not fenced:
            inside = line.lstrip("# ") == heading
        is_row = inside and not fenced and line.startswith("|")
        if is_row:
            cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if previous_was_row and not set("".join(cells)) <= set("-: "):
                rows.append(cells)
        previous_was_row = is_row
    assert rows, f"{name} has no table below {heading!r}"
    return rows


def words_in(cell: str) -> list[str]:
    """The words in code style of a cell."""
    return re.findall(r"`([^`]+)`", cell)


def run_script(script: str, folder: Path, **environment: str) -> str:
    """Run shell lines as a reader would who activated the environment; return what they print."""
    bin_folder = Path(sys.executable).parent
    surroundings = bare_environment(HOME=str(folder), LC_ALL="C.UTF-8", PYTHONPATH=str(ROOT), **environment)
    surroundings["PATH"] = f"{bin_folder}{os.pathsep}{surroundings['PATH']}"
    surroundings["PYTHONWARNINGS"] = "ignore"
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert ran.returncode == 0, f"{ran.stdout[-3000:]}\n{ran.stderr[-3000:]}"
    return ran.stdout
