"""CPU seconds that loading the definitions takes, beside loading Dagster alone.

Every run and every sensor process pays this. Far more than Dagster alone means that a heavy library has crept in.
"""

import os
import statistics
import subprocess
import sys

ROUNDS = 5


def cpu_seconds(module: str) -> float:
    """User and system seconds of a fresh process that imports one module; the median of several."""
    spent = []
    for _ in range(ROUNDS):
        before = os.times()
        subprocess.run([sys.executable, "-W", "ignore", "-c", f"import {module}"], check=True)
        after = os.times()
        spent.append(
            after.children_user + after.children_system - before.children_user - before.children_system,
        )
    return statistics.median(spent)


def main() -> None:
    """Print both figures and their ratio."""
    cpu_seconds("dagster")  # the first round only warms the disk cache
    dagster, ours = cpu_seconds("dagster"), cpu_seconds("thermite_pipelines.definitions")
    print(f"import dagster                         {dagster:5.2f} CPU s")
    print(f"import thermite_pipelines.definitions  {ours:5.2f} CPU s  ({ours / dagster:.2f} x)")


if __name__ == "__main__":
    main()
