"""Rebuilding a campaign's folder of a million events, in a process of its own.

The law: at most 60 seconds and 2 GiB of memory. The number of events may be given on the command line.
"""

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
    before = home.files("folders")
    begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = support.cost(writer.rebuild)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = sum(map(len, before.values()))
    assert home.files("folders") == before
    print(f"rebuilt in {taken}, peak {(peak * 1024 - size) / 2**20:,.0f} MiB of memory (at the start {begun // 1024} MiB)")


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
            made = support.cost(lambda: support.fill(home, count, runs=runs))
            print(f"{count:,} events, {layout}: store made in {made}", flush=True)
            home.close()
            command = [sys.executable, "-m", "benchmarks.bench_rebuild", "in", str(home.settings.home)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
