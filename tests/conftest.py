"""What every test relies on: surroundings without a trace of this machine's own settings."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.homes import Home, make_home, make_ready
from tests.support.postgres import Postgres, running_postgres
from thermite_pipelines.control import db

# No deadline: a busy machine is no reason to fail. In CI the examples are the same each time.
settings.register_profile(
    "thermite",
    deadline=None,
    database=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("thermite")

_KEPT = {"THERMITE_TEST_FULL", "THERMITE_TEST_CHROMIUM"}


@pytest.fixture(autouse=True)
def clean_surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away settings that the person who runs the tests has set for real work."""
    for name in [n for n in os.environ if n.startswith("THERMITE_") and n not in _KEPT]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("DAGSTER_HOME", raising=False)
    monkeypatch.setenv("DAGSTER_DISABLE_TELEMETRY", "1")


@pytest.fixture(autouse=True)
def no_waits_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing wait until bytes lie on the disk: no test pulls the plug, and on a busy disk each wait is long."""
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(db, "SYNCHRONOUS", "OFF")


@pytest.fixture(scope="session")
def ready_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated, empty SQLite record to copy."""
    return make_ready(tmp_path_factory.mktemp("ready"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server, started when the first test of the session asks for it."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def home(tmp_path: Path, ready_record: Path) -> Iterator[Home]:
    """A migrated home on SQLite; see `tests/support/homes.py` for what it can do."""
    home = make_home(tmp_path / "home", ready_record)
    yield home
    home.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def any_home(request: pytest.FixtureRequest, tmp_path: Path, ready_record: Path) -> Iterator[Home]:
    """A migrated home, on SQLite and again on PostgreSQL."""
    if request.param == "sqlite":
        home = make_home(tmp_path / "home", ready_record)
        yield home
        home.close()
    else:
        with request.getfixturevalue("postgres").record() as url:
            home = make_home(tmp_path / "home", control_url=url)
            yield home
            home.close()
