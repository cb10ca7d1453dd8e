"""A home with two rigs and a Dagster instance in memory."""

from collections.abc import Iterator

import pytest

from tests.support.homes import Home
from tests.support.pipelines import Pipelines, open_pipelines


@pytest.fixture
def pipelines(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipelines]:
    """Nothing waits yet: `say` something and `send` it."""
    home.rig("rig-a")
    home.rig("rig-b")
    home.campaign("speed-up")
    with open_pipelines(home, monkeypatch) as opened:
        yield opened
