"""Rebuilding a campaign's folder of a million events, in a process of its own.

The law: at most 60 seconds and 2 GiB of memory. The number of events may be given on the command line.
"""

import hashlib
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks import support
from tests.support.homes import Home, make_ready, make_settings
from thermite_pipelines.knowledge.folders import FolderWriter

EVENTS = 1_000_000
LAYOUTS = {"one run": 1, "20 runs": 20}


def rebuild(path: Path) -> None:
    """Rebuild, and print what it took: the part that runs in a process of its own."""
    home = Home(make_settings(path))
    writer = FolderWriter(home.control, home.lake, support.CAMPAIGN)
    before = digests(home)
    taken = support.cost(writer.rebuild)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert digests(home) == before
    print(f"rebuilt in {taken}, at most {peak / 2**10:,.0f} MiB of memory", flush=True)


def digests(home: Home) -> dict[str, str]:
    """The hash of each file of all folders."""
    files = home.lake.list("folders")
    return {entry.path: hashlib.sha256(home.lake.get(entry.path)).hexdigest() for entry in files}


def main() -> None:
    """Make a store of each layout, and rebuild it."""
    if len(sys.argv) > 2:
        rebuild(Path(sys.argv[2]))
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else EVENTS
    print(support.machine())
    for layout, runs in LAYOUTS.items():
        with tempfile.TemporaryDirectory(prefix="thermite-bench-") as name:
            home = support.new_home(Path(name, "home"), make_ready(Path(name)))
            made = support.cost(support.fill, home, count, runs=runs)
            print(f"{count:,} events, {layout}: store made in {made}", flush=True)
            home.close()
            command = [sys.executable, "-m", "benchmarks.bench_rebuild", "in", str(home.settings.home)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
