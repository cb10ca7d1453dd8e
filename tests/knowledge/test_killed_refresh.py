"""A refresh, a rebuild or a repair that is killed anywhere is completed by the next refresh, to the same bytes."""

import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from tests.knowledge.filing import assign_run, refresh
from tests.support.homes import Home, make_settings
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.state import campaign_lags
from thermite_pipelines.tables import lake as lake_module
from thermite_pipelines.tables.lake import Lake

_CLEAN = multiprocessing.get_context("forkserver")
_CLEAN.set_forkserver_preload([__name__])


class Points:
    """Counts the points at which a kill may come; at number `last` it comes."""

    def __init__(self, last: int) -> None:
        self.count = 0
        self._last = last

    def pass_one(self) -> None:
        self.count += 1
        if self.count == self._last:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """The same function with a point before and one after it."""

        def watched(*args: Any, **more: Any) -> Any:
            self.pass_one()
            result = real(*args, **more)
            self.pass_one()
            return result

        return watched


def work(home: Home, task: str) -> None:
    writer = FolderWriter(home.control, home.lake, "speed-up")
    if task == "rebuild":
        writer.rebuild()
    elif task == "repair":
        writer.repair()
        writer.refresh()
    else:
        writer.refresh()


def run_and_die(path: Path, task: str, last: int, count: Any) -> None:
    """The body of the process that is killed: every file operation and every commit is a point."""
    points = Points(last)
    lake_module._rename = points.around(lake_module._rename)
    Lake.delete = points.around(Lake.delete)  # type: ignore[method-assign]
    LakeFiles.stage = points.around(LakeFiles.stage)  # type: ignore[method-assign]
    home = Home(make_settings(path))
    event.listen(home.control.engine, "commit", lambda connection: points.pass_one())
    work(home, task)
    points.pass_one()
    count.value = points.count


def killed(path: Path, task: str, last: int) -> int:
    """Do a task in a process of its own that is killed at a point; return how many points there were (0: killed)."""
    count = _CLEAN.Value("i", 0)
    process = _CLEAN.Process(target=run_and_die, args=(path, task, last, count))
    process.start()
    process.join()
    assert process.exitcode in (0, -signal.SIGKILL)
    return count.value


def news(home: Home) -> None:
    """A folder with three runs, then events for two of them, a run that leaves and a run that comes."""
    rig = home.rig()
    home.campaign("speed-up", "other")
    for run in ("run-1", "run-2", "run-3"):
        rig.say_run(run)
        rig.say("experiment_queued", {"experiment": "e1", "title": run}, run=run)
    rig.send()
    home.intake()
    refresh(home, "speed-up")
    for run in ("run-1", "run-2"):
        rig.say("experiment_finished", {"experiment": "e1", "status": "improved", "value": 1}, run=run)
        rig.say_note(run=run)
    rig.say_run("run-4")
    rig.send()
    home.intake()
    for number in (1, 2, 4):
        assign_run(home, "rig-a", f"run-{number}", "speed-up")  # run-3 leaves: the campaign has a rig now


def spoil(home: Home) -> None:
    """Change one file by hand, and put another beside it."""
    path = home.lake.local(next(iter(home.files("folders/experiment"))))
    path.write_bytes(b"PAR1 no more")
    path.with_name("stray.parquet").write_bytes(b"PAR1")


def copy(home: Home, path: Path) -> Home:
    home.close()
    shutil.copytree(home.settings.home, path)
    return Home(make_settings(path))


def assert_complete(home: Home, files: dict[str, bytes]) -> None:
    assert home.files("folders") == files
    assert not [path for path in home.lake.local("").rglob(".tmp-*") if "folders" in path.parts]
    with home.control.read() as connection:
        assert not campaign_lags(connection)["speed-up"].is_behind


TASKS = pytest.mark.parametrize("task", ["refresh", "rebuild", "repair"])


@TASKS
def test_a_kill_is_completed_by_the_next_refresh(home: Home, tmp_path: Path, task: str) -> None:
    kill_at_points(home, tmp_path, task, every=11)


@TASKS
@pytest.mark.full
def test_a_kill_anywhere_is_completed_by_the_next_refresh(home: Home, tmp_path: Path, task: str) -> None:
    kill_at_points(home, tmp_path, task, every=2)


def kill_at_points(home: Home, tmp_path: Path, task: str, every: int) -> None:
    news(home)
    if task != "refresh":
        refresh(home, "speed-up")
    if task == "repair":
        spoil(home)
    undisturbed = copy(home, tmp_path / "undisturbed")
    points = killed(undisturbed.settings.home, task, -1)
    files = undisturbed.files("folders")
    assert points > 20
    for last in range(2, points, every):
        again = copy(home, tmp_path / f"killed-{last}")
        assert killed(again.settings.home, task, last) == 0
        if task == "repair":
            FolderWriter(again.control, again.lake, "speed-up").repair()
        refresh(again, "speed-up")
        assert_complete(again, files)
        again.close()
        shutil.rmtree(again.settings.home)


@pytest.mark.full
def test_kills_with_news_in_between_cost_nothing(home: Home, tmp_path: Path) -> None:
    kill_twice(home, tmp_path, every=17)


@pytest.mark.full
def test_kills_anywhere_with_news_in_between_cost_nothing(home: Home, tmp_path: Path) -> None:
    kill_twice(home, tmp_path, every=5)


def kill_twice(home: Home, tmp_path: Path, every: int) -> None:
    """What was announced and never confirmed lies on disk when the next refresh is killed as well."""
    news(home)

    def more(home: Home) -> None:
        rig = home.rig().fork()
        rig.say_note("in between", run="run-1")
        rig.drop(rig.report())
        home.intake()

    home.close()
    rig = home.simulators["rig-a"]
    undisturbed = copy(home, tmp_path / "undisturbed")
    points = killed(copy(home, tmp_path / "count").settings.home, "refresh", -1)
    undisturbed.simulators["rig-a"] = rig.fork(inbox=undisturbed.settings.inbox / "rig-a")
    more(undisturbed)
    refresh(undisturbed, "speed-up")
    files = undisturbed.files("folders")
    for first, second in [(first, first + step) for first in range(5, points, every) for step in (0, 3)]:
        again = copy(home, tmp_path / f"killed-{first}-{second}")
        again.simulators["rig-a"] = rig.fork(inbox=again.settings.inbox / "rig-a")
        killed(again.settings.home, "refresh", first)
        more(again)
        again.close()
        killed(again.settings.home, "refresh", second)
        refresh(again, "speed-up")
        assert_complete(again, files)
        again.close()
        shutil.rmtree(again.settings.home)
