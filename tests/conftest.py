"""What every test relies on: surroundings without a trace of this machine's own settings."""

import os

import pytest
from hypothesis import HealthCheck, settings

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
