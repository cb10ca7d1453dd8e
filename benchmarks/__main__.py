"""Run the benchmarks named on the command line (all, without names), one after the other."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem.removeprefix("bench_") for path in FOLDER.glob("bench_*.py"))


def main(chosen: list[str]) -> int:
    """Run them and say how many failed; a name that is none of ours is wrong usage (2)."""
    if unknown := sorted(set(chosen) - set(NAMES)):
        print(f"no such benchmark: {', '.join(unknown)}; there are: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    failed = []
    for name in chosen or NAMES:
        print(f"== {name}", flush=True)
        ran = subprocess.run([sys.executable, "-m", f"benchmarks.bench_{name}"], cwd=FOLDER.parent, check=False)
        if ran.returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


sys.exit(main(sys.argv[1:]))
