"""The home as a resource: leases between processes, and errors without texts."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest

from tests.project.tree import ROOT
from tests.support.homes import Home
from tests.support.pipelines import Pipelines, environment, no_waits_for_the_disk, open_pipelines
from thermite_pipelines.control.leases import acquire, release
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.resources import home as home_resource
from thermite_pipelines.resources.home import explained

# Folds one campaign through Dagster, and notes when it went into the fold and came out.
FOLD = """
import json, sys, threading, time
import dagster as dg
from thermite_pipelines.definitions import build_defs
from thermite_pipelines.knowledge.folders import FolderWriter

job, log = sys.argv[1:]
whole = FolderWriter.refresh

def slowly(writer, progress=None):
    begun = time.time()
    result = whole(writer)
    threading.Event().wait(1.0)
    with open(log, "a") as file:
        file.write(json.dumps([begun, time.time()]) + "\\n")
    return result

FolderWriter.refresh = slowly
with dg.DagsterInstance.get() as instance:
    selection = [dg.AssetKey(["knowledge", "campaign_folder"])] if job == "__ASSET_JOB" else None
    done = build_defs().get_repository_def().get_job(job).execute_in_process(
        instance=instance, partition_key="speed-up", asset_selection=selection
    )
assert done.success
"""
# Holds a lease until it is killed.
HOLD = """
import sys, threading
from thermite_pipelines.control.leases import LeaseKeeper
from thermite_pipelines.knowledge.home import open_home

keeper = LeaseKeeper(open_home().control, "another")
keeper.hold(sys.argv[1])
print("holds", flush=True)
threading.Event().wait()
"""


@pytest.fixture
def pipelines(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipelines]:
    home.campaign("speed-up")
    home.rig().say_run()
    home.rig().send()
    home.intake()
    with open_pipelines(home, monkeypatch) as opened:
        yield opened


def python(home: Home, script: str, *arguments: str, **variables: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", script, *arguments],
        env=environment(home, PYTHONPATH=str(ROOT), **variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def materialized(result: dg.ExecuteInProcessResult) -> bool:
    """Whether the folder was made: what works under a lease of its own goes on beside it."""
    made = [event.asset_key for event in result.get_asset_materialization_events()]
    return dg.AssetKey(["knowledge", "campaign_folder"]) in made


def test_a_killed_holder_is_taken_over_from_at_once(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home_resource, "WAIT_SECONDS", 0.0)
    holder = python(pipelines.home, HOLD, "campaign:speed-up")
    assert holder.stdout is not None and holder.stdout.readline() == "holds\n"
    assert not materialized(pipelines.done("refresh_campaign", "speed-up"))
    holder.kill()
    holder.wait()
    assert materialized(pipelines.done("refresh_campaign", "speed-up"))


def test_a_run_waits_some_time_for_the_lease(pipelines: Pipelines) -> None:
    control = pipelines.home.control
    acquire(control, "campaign:speed-up", "another")
    ends = threading.Timer(0.5, release, (control, "campaign:speed-up", "another"))
    ends.start()
    assert materialized(pipelines.done("refresh_campaign", "speed-up"))
    ends.join()


@pytest.mark.full
def test_the_button_and_a_sensor_never_work_on_one_campaign_at_once(home: Home, tmp_path: Path) -> None:
    """Two processes on the same partition, one by the job that the UI's button starts: one folds after the other."""
    home.campaign("speed-up")
    home.rig().say_run()
    home.rig().send()
    home.intake()
    home.settings.dagster_home.mkdir()
    with no_waits_for_the_disk(), dg.DagsterInstance.from_config(str(home.settings.dagster_home)) as instance:
        instance.add_dynamic_partitions("campaigns", ["speed-up"])
        instance.all_instigator_state()
    log = tmp_path / "log"
    variables = {"DAGSTER_HOME": str(home.settings.dagster_home)}
    both = [python(home, FOLD, job, str(log), **variables) for job in ("refresh_campaign", "__ASSET_JOB")]
    for process in both:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err[-2000:]
    (first_in, first_out), (second_in, second_out) = sorted(map(json.loads, log.read_text().splitlines()))
    assert first_in < first_out <= second_in < second_out


def test_an_error_of_ours_is_its_one_line() -> None:
    with pytest.raises(dg.Failure) as caught, explained(None, None):
        raise ThermiteError("the disk is full", where="here", do="make room")
    assert str(caught.value.description) == str(ThermiteError("the disk is full", where="here", do="make room"))
    assert caught.value.allow_retries is False


def test_another_error_shows_nothing_of_its_text(pipelines: Pipelines) -> None:
    opened = open_home()
    with pytest.raises(dg.Failure) as caught, explained(opened, "run-id"):
        raise KeyError("an agent's words")
    assert "an agent's words" not in str(caught.value.description)
    assert "KeyError" in str(caught.value.description)
    assert caught.value.__suppress_context__
    whole = opened.settings.home / "errors" / "run-id.txt"
    assert "an agent's words" in whole.read_text()


def test_a_failure_stays_what_it_is() -> None:
    with pytest.raises(dg.Failure, match="as said"), explained(None, None):
        raise dg.Failure("as said")
