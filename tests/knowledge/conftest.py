"""Fixtures that tests of the sync share."""

import pytest

from tests.knowledge.syncing import SyncHome
from tests.support.homes import Home


@pytest.fixture
def place(home: Home) -> SyncHome:
    """A home whose runs can be synced."""
    return SyncHome(home)


@pytest.fixture
def two(place: SyncHome) -> SyncHome:
    """Runs r1 and r2 in campaign a, run r3 on another rig in campaign b, all synced."""
    place.run("r1", "a")
    place.run("r2", "a")
    place.run("r3", "b", "rig-b")
    place.sync()
    return place
