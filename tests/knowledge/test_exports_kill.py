"""KB-84: an export that is killed anywhere, and made again, ends like one that nobody disturbed."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.knowledge.exporting import (
    ExportHome,
    finish,
    say_claim,
    say_document,
    say_experiment,
    say_report,
    say_result,
    say_source,
)
from tests.support.homes import Home

ROOT = Path(__file__).parents[2]

# A fresh process, which forks one child for each try: imports are paid for once, and no thread of the test is copied.
PROGRAM = '''
import hashlib, json, os, shutil, signal, sqlite3, sys
from pathlib import Path

from sqlalchemy import event

from thermite_pipelines.knowledge.exports import Exporter
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.settings import Settings

home, scratch, fractions = Path(sys.argv[1]), Path(sys.argv[2]), json.loads(sys.argv[3])
def watch(engine, limit):
    """Count what the process asks of the system and the record from now on; kill it at the step numbered `limit`."""
    steps = [0]

    def step(*_):
        steps[0] += 1
        if steps[0] == limit:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(lambda event, _: step() if event.startswith(("open", "os.", "shutil.")) else None)
    sync = os.fsync
    os.fsync = lambda descriptor: (step(), sync(descriptor), step())
    event.listen(engine, "before_cursor_execute", step)
    event.listen(engine, "commit", step)
    return steps


def child(path, limit):
    """Export once in a child process; the number of steps, or None where it was killed."""
    told = scratch / "steps"
    told.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        opened = open_home(Settings(home=path))
        steps = watch(opened.control.engine, limit)
        Exporter(opened).export("rig-a")
        told.write_text(str(steps[0]))
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return None
    return int(told.read_text())


def result(path):
    """Hash of all that lies in the exports of a home."""
    found = sorted(p for p in (path / "exports").rglob("*") if p.is_file())
    lines = [f"{p.relative_to(path)} {hashlib.sha256(p.read_bytes()).hexdigest()}" for p in found]
    return hashlib.sha256("\\n".join(lines).encode()).hexdigest()


def counted(path):
    """How many exports count."""
    with sqlite3.connect(path / "control.db") as record:
        return record.execute("SELECT count(*) FROM exports").fetchone()[0]


def copy(name):
    shutil.copytree(home, scratch / name)
    return scratch / name


# Once here, so that no step of a child is an import.
warm = open_home(Settings(home=copy("warm")))
Exporter(warm).export("rig-a")
warm.control.engine.dispose()
undisturbed = copy("undisturbed")
steps = child(undisturbed, 0)
killed, results = 0, []
for place, fraction in enumerate(fractions):
    path = copy(f"try-{place}")
    killed += child(path, 1 + int(fraction * steps)) is None
    if counted(path) < 2:
        child(path, 0)
    results.append(result(path))
print(json.dumps({"steps": steps, "killed": killed, "undisturbed": result(undisturbed), "results": results}))
'''


@pytest.mark.full
def test_kb_84_an_export_killed_at_20_random_points_and_made_again_is_the_same(home: Home, tmp_path: Path) -> None:
    place = ExportHome(home)
    rig = place.rig()
    rig.say_run()
    say_experiment(rig)
    place.assign("run-1", "speed-up")
    place.send()
    place.export()
    say_result(rig, value=2)
    say_source(rig)
    say_claim(rig)
    say_document(rig, "notes/plan.md")
    say_report(rig)
    finish(rig)
    rig.say_run("run-2")
    rig.say_note(run="run-2")
    place.send()
    home.close()
    fractions = sorted(random.Random(84).random() for _ in range(20))
    (tmp_path / "scratch").mkdir()
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(home.settings.home), str(tmp_path / "scratch"), json.dumps(fractions)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["killed"] == 20
    assert told["steps"] > 50
    assert set(told["results"]) == {told["undisturbed"]}
