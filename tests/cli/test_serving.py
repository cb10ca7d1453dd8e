"""`thermite up`: it comes up, works by itself, survives kills, and ends with all its processes."""

import json
import signal
import socket
import time
import urllib.request
from pathlib import Path

import dagster as dg
import pytest

from tests.knowledge.exporting import ExportHome
from tests.support.commands import Served, answers, served, thermite, wait_until
from tests.support.homes import Home
from thermite_pipelines.cli.serving import free_port
from thermite_pipelines.control.leases import holders
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.state import campaign_lags


def test_a_port_that_is_taken_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ThermiteError, match=f"can't listen on 127.0.0.1:{port}") as caught:
            free_port("127.0.0.1", port)
    assert "\n" not in str(caught.value)
    assert free_port("127.0.0.1", port) == port
    assert free_port("127.0.0.1", 0) > 0
    with pytest.raises(ThermiteError):
        free_port("192.0.2.1", 0)


def test_the_settings_go_along_to_a_tree_that_runs_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from thermite_pipelines.settings import load_settings

    monkeypatch.chdir(tmp_path)
    lines = ["THERMITE_HOME=here", "THERMITE_LAKE_URL=lake", "THERMITE_CONTROL_URL=sqlite:///x/control.db"]
    (tmp_path / ".env").write_text("\n".join([*lines, "THERMITE_RESULTS_REPO=results", "THERMITE_ARRIVAL_SECONDS=7"]))
    variables = load_settings().environment()
    assert variables["THERMITE_HOME"] == str(tmp_path / "here")
    assert variables["THERMITE_LAKE_URL"] == str(tmp_path / "lake")
    assert variables["THERMITE_CONTROL_URL"] == f"sqlite:///{tmp_path}/x/control.db"
    assert variables["THERMITE_RESULTS_REPO"] == str(tmp_path / "results")
    assert variables["THERMITE_ARRIVAL_SECONDS"] == "7"
    monkeypatch.setenv("THERMITE_LAKE_URL", "s3://bucket/lake")
    monkeypatch.setenv("THERMITE_CONTROL_URL", "postgresql+psycopg://host/db")
    variables = load_settings().environment()
    assert variables["THERMITE_LAKE_URL"] == "s3://bucket/lake"
    assert variables["THERMITE_CONTROL_URL"] == "postgresql+psycopg://host/db"


@pytest.mark.full
def test_it_comes_up_and_goes_down(home: Home, tmp_path: Path) -> None:
    """As a background job of a shell, which ignores Ctrl-C; a second one on the same home is refused in one line."""
    with served(home, tmp_path / "log") as up:
        second = thermite(home, "up", "--port", "0")
        _, err = second.communicate(timeout=120)
        assert second.returncode == 1
        assert "served already" in err and err.strip().count("\n") == 0
        assert up.end(signal.SIGINT) == 0
        assert not answers(up.url)
    assert "Traceback" not in (tmp_path / "log").read_text()


@pytest.mark.full
def test_a_day_with_the_daemon(home: Home, tmp_path: Path) -> None:
    """Reports dropped beside commands, a kill of the whole tree in the middle of a fold, a start after it."""
    home.rig().say_run()
    ExportHome(home).assign("run-1", "speed-up")
    ExportHome(home).assign("run-2", "speed-up")
    with served(home, tmp_path / "log") as up:
        _idle_home_launches_nothing(up, home)
        _drop_and_wait(home, "the first", seconds=75)
        _drop_and_wait(home, "the second", seconds=120)
        wait_until(lambda: "the first" in _knowledge(home), 30)
        _backfill_rebuilds(up, home)
        _refreshes_beside_the_daemon(home)
        for number in range(30):
            home.rig().say_note("x" * 1000 + str(number))
            home.rig().send()
        for _ in range(3):
            for _ in range(3000):
                home.rig().say_note("the cache was warm already")
            home.rig().send()
        wait_until(lambda: _holds(home, "campaign:speed-up"), 120)
        up.kill()
    begun = time.monotonic()
    with served(home, tmp_path / "again") as up:
        print(f"up again after {time.monotonic() - begun:.1f} s")
        _drop_and_wait(home, "after the kill", seconds=60)
        wait_until(lambda: not _behind(home), 60)
        assert up.end() == 0
    _is_whole(home)


def _idle_home_launches_nothing(up: Served, home: Home) -> None:
    """Some ticks over a home in which only the first sync of two open runs is due: one run, then none."""
    begun = time.time()
    wait_until(lambda: _ticks_after(home, "campaigns_behind", begun) >= 4, 120)
    assert len(_runs(home)) <= 1
    assert up.process.poll() is None


def _ticks_after(home: Home, sensor: str, begun: float) -> int:
    with dg.DagsterInstance.from_config(str(home.settings.dagster_home)) as instance:
        states = [state for state in instance.all_instigator_state() if state.instigator_name == sensor]
        return sum(len(instance.get_ticks(one.instigator_origin_id, one.selector_id, after=begun)) for one in states)


def _drop_and_wait(home: Home, text: str, seconds: float) -> None:
    home.rig().say_note(text)
    home.rig().send()
    reader = FolderReader(home.control, home.lake)
    took = wait_until(lambda: text in str(reader.table("speed-up", "note").column("text").to_pylist()), seconds)
    print(f"{text}: in its folder after {took:.1f} s")


def _backfill_rebuilds(up: Served, home: Home) -> None:
    """As the UI asks for it: every event is folded again, though none is new."""
    folder = ["knowledge", "campaign_folder"]
    mutation = """mutation Rebuild($wanted: LaunchBackfillParams!) {
        launchPartitionBackfill(backfillParams: $wanted) { __typename }
    }"""
    wanted = {"assetSelection": [{"path": folder}], "partitionNames": ["speed-up"]}
    body = json.dumps({"query": mutation, "variables": {"wanted": wanted}}).encode()
    request = urllib.request.Request(f"{up.url}/graphql", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert json.load(answer)["data"]["launchPartitionBackfill"]["__typename"] == "LaunchBackfillSuccess"

    def rebuilt() -> bool:
        with dg.DagsterInstance.from_config(str(home.settings.dagster_home)) as instance:
            newest = instance.get_latest_materialization_event(dg.AssetKey(folder))
        done = newest.asset_materialization if newest is not None else None
        return done is not None and done.metadata["events_folded_now"].value == 3

    assert not rebuilt()  # the newest fold was of one note alone
    print(f"a backfill rebuilt after {wait_until(rebuilt, 120):.1f} s")


def _refreshes_beside_the_daemon(home: Home) -> None:
    for number in range(3):
        home.rig().say_note(f"beside {number}")
        home.rig().send()
        commands = [thermite(home, "refresh", "--json") for _ in range(2)]
        for command in commands:
            out, err = command.communicate(timeout=240)
            assert command.returncode == 0, err
            assert json.loads(out)["ok"]
    assert {row["outcome"] for row in home.receipts()} == {"accepted"}
    assert not _behind(home)


def _is_whole(home: Home) -> None:
    before = home.files("folders")
    rebuilt = thermite(home, "rebuild", "--all", "--json")
    out, err = rebuilt.communicate(timeout=300)
    assert rebuilt.returncode == 0, err
    assert json.loads(out)["ok"]
    assert home.files("folders") == before
    assert {row["outcome"] for row in home.receipts()} == {"accepted"}


def _knowledge(home: Home) -> str:
    folder = home.settings.sync / "rig-a" / "run-2" / "knowledge"
    return "".join(path.read_text() for path in folder.rglob("*.md"))


def _holds(home: Home, scope: str) -> bool:
    with home.control.read() as connection:
        return scope in holders(connection)


def _behind(home: Home) -> list[str]:
    with home.control.read() as connection:
        return [name for name, lag in campaign_lags(connection).items() if lag.is_behind]


def _runs(home: Home) -> list[object]:
    with dg.DagsterInstance.from_config(str(home.settings.dagster_home)) as instance:
        return list(instance.get_runs())
