"""The project's own files, as the tests of its shape see them."""

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "thermite_pipelines"


def tracked_files() -> list[Path]:
    """Every file that is committed or would be: what git knows, and what it does not ignore."""
    listed = subprocess.run(
        # A clone that belongs to somebody else (a mounted folder in CI) is read all the same.
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    return [path for name in sorted(set(listed.split(b"\0")) - {b""}) if (path := ROOT / os.fsdecode(name)).is_file()]


def python_files() -> list[Path]:
    return [path for path in tracked_files() if path.suffix == ".py"]


def package_files() -> list[Path]:
    return [path for path in python_files() if PACKAGE in path.parents]


def text_of(path: Path) -> str:
    """The text of a file; bytes that are no text count as nothing."""
    return path.read_bytes().decode("utf-8", errors="ignore")


def read_lock(name: str) -> dict[tuple[str, str], list[str]]:
    """A lock as (package with version, marker) -> hashes. Any line of another form fails the test that asked."""
    lock: dict[tuple[str, str], list[str]] = {}
    hashes: list[str] = []
    for line in (ROOT / name).read_text().splitlines():
        if line.startswith("#"):
            continue
        if pin := re.fullmatch(r"([a-z0-9.-]+(?:\[[a-z0-9,-]+\])?==[0-9a-z.+!-]+)(?: ; (.+?))? \\", line):
            hashes = lock.setdefault((pin[1], pin[2] or ""), [])
        elif sha := re.fullmatch(r"    --hash=sha256:([0-9a-f]{64})(?: \\)?", line):
            hashes.append(sha[1])
        else:
            raise AssertionError(f"{name} holds a line that is neither a pin nor a hash: {line!r}")
    return lock


def bare_environment(**more: str) -> dict[str, str]:
    """An environment with a path and nothing else: no settings, no proxies, no make around it."""
    return {"PATH": os.environ["PATH"], **more}
