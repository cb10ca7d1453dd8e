"""Verified ingest beside DuckDB and dlt, which read the same events without verifying anything.

Measured: from 100-event reports in an inbox to event tables and a record that survives a loss of power, on one core.
The laws: 40,000 events a second or more; at most 15 times what DuckDB takes on one thread to turn the same events from
JSON into Parquet; at least 2.5 times as fast as dlt doing that.

dlt is no dependency. Name a Python that has it, and it is measured too:

    python -m venv /tmp/dlt && /tmp/dlt/bin/pip install "dlt[parquet,filesystem]"
    THERMITE_BENCH_DLT=/tmp/dlt/bin/python python -m benchmarks ingest
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks import support
from tests.support.homes import Home, make_ready

EVENTS = 100_000
REPORT = 100
ROUNDS = 3


def prepare(home: Home, lines: Path) -> None:
    """Put the reports in the inbox, and the same events into a file of JSON lines."""
    rig = home.rig(support.RIG)
    rig.say_run("run-0", "hill_climb")
    first, rows = 0, []
    while first < EVENTS - 1:
        count = min(REPORT - len(rig.said), EVENTS - 1 - first)
        support.say(rig, "run-0", count, first)
        first += count
        rows += rig.said
        rig.send(f"{rig.seq + 1:08d}.dsse.json")
    lines.write_bytes(support.as_json(rows))
    print(f"{len(rows):,} events of {lines.stat().st_size / len(rows):.0f} bytes in {rig.seq:,} reports")


def with_duckdb(lines: Path) -> None:
    """The same events from JSON to Parquet, on one thread."""
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        connection.sql(f"copy (select * from read_json('{lines}')) to '{lines}.parquet' (format parquet)")


_DLT = """
import json, sys, time
import dlt

def events():
    with open(sys.argv[1], "rb") as file:
        for line in file:
            yield json.loads(line)

pipeline = dlt.pipeline("bench", pipelines_dir=sys.argv[2] + "/work", dataset_name="events",
                        destination=dlt.destinations.filesystem("file://" + sys.argv[2] + "/out"))
wall, cpu = time.perf_counter(), time.process_time()
pipeline.run(dlt.resource(events, name="events"), loader_file_format="parquet")
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def with_dlt(python: str, lines: Path, folder: Path) -> support.Cost:
    """The same events from JSON to Parquet with dlt, loading included, starting Python not."""
    quiet = os.environ | {"RUNTIME__DLTHUB_TELEMETRY": "false", "RUNTIME__LOG_LEVEL": "ERROR"}
    command = [python, "-c", _DLT, str(lines), str(folder)]
    printed = subprocess.run(command, env=quiet, check=True, capture_output=True, text=True).stdout
    wall, cpu = printed.split()[-2:]
    return support.Cost(float(wall), float(cpu))


def best(name: str, measure: Callable[[], support.Cost]) -> support.Cost:
    """The median of some rounds, by CPU time, printed."""
    costs = sorted((measure() for _ in range(ROUNDS)), key=lambda cost: cost.cpu)
    median = costs[len(costs) // 2]
    print(f"{name:32} {median}   {EVENTS / median.cpu:9,.0f} events a CPU second", flush=True)
    return median


def main() -> None:
    """Print the figures and the ratios."""
    print(support.machine())
    with tempfile.TemporaryDirectory(prefix="thermite-bench-") as name:
        folder = Path(name)
        ready, lines, steps = make_ready(folder), folder / "events.jsonl", []
        homes = iter(support.new_home(folder / f"home-{number}", ready) for number in range(ROUNDS + 1))

        def ingest() -> support.Cost:
            home = next(homes)
            prepare(home, lines)
            taken = support.cost(lambda: steps.append(home.intake(support.RIG)))
            assert steps[-1].accepted_events == EVENTS
            home.close()
            return taken

        ingest()  # the first round imports what the others have
        ours = best("verified ingest", ingest)
        duckdb = best("DuckDB, one thread", lambda: support.cost(with_duckdb, lines))
        print(f"ingest takes {ours.cpu / duckdb.cpu:.1f} x what DuckDB takes")
        python = os.environ.get("THERMITE_BENCH_DLT")
        if not python:
            print("dlt is left out: THERMITE_BENCH_DLT names no Python that has it", file=sys.stderr)
            return
        runs = iter(range(ROUNDS))
        dlt = best("dlt to Parquet", lambda: with_dlt(python, lines, folder / f"dlt-{next(runs)}"))
        print(f"dlt takes {dlt.cpu / ours.cpu:.1f} x what ingest takes ({dlt.wall / ours.wall:.1f} x by the clock)")


if __name__ == "__main__":
    main()
