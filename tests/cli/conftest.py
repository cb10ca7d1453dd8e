"""Commands run in this process, on a home of their own or on the sample home that is made once."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import Cli
from tests.support.homes import Home, make_home
from tests.support.network import no_network
from thermite_pipelines.knowledge.initialise import initialise

_KEPT = ("DAGSTER_HOME", "THERMITE_HOME")


@pytest.fixture
def cli(
    tmp_path: Path, ready_record: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Cli]:
    """Runs commands on an initialised, empty home."""
    home = make_home(tmp_path / "home", ready_record)
    initialise(home.settings)
    yield _cli(home, monkeypatch, capsys)
    home.close()


@pytest.fixture
def sample(sample_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Cli]:
    """Runs commands on the sample home, which tests only read."""
    home = make_home(sample_path)
    yield _cli(home, monkeypatch, capsys)
    home.close()


@pytest.fixture(scope="session")
def sample_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample home, made by `thermite demo` once for all processes of the test run."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # of all processes; without them it is of all runs ever
    path = shared / "sample-home"
    with (shared / "sample-home.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "sample-home.made").exists():
            _make_sample(path)
            (shared / "sample-home.made").touch()
    return path


def _make_sample(path: Path) -> None:
    from thermite_pipelines.cli import main

    before = {name: os.environ.pop(name, None) for name in _KEPT}
    try:
        # The quick start needs nothing outside: it runs without a network (KB-38).
        with no_network():
            assert main.run(["demo", "--home", str(path)]) == 0
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def _cli(home: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    monkeypatch.setenv("THERMITE_HOME", str(home.settings.home))
    monkeypatch.setenv("THERMITE_SETTLE_SECONDS", "0")
    monkeypatch.setenv("THERMITE_MIN_FREE_BYTES", "1")
    # Set, then deleted: whatever a command sets is gone after the test.
    monkeypatch.setenv("DAGSTER_HOME", "")
    monkeypatch.delenv("DAGSTER_HOME")
    monkeypatch.chdir(home.settings.home.parent)
    return Cli(home, capsys)
