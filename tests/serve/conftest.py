"""A home that is served, for each test its own."""

from collections.abc import Iterator

import pytest

from tests.knowledge.briefed import BriefHome
from tests.serve.serving import ServedHome, answering
from tests.support.homes import Home
from thermite_pipelines.control.commands import ensure_control_key


@pytest.fixture
def served(home: Home) -> Iterator[ServedHome]:
    """Campaigns `a` and `b`: run `r1` of `rig-a` belongs to the first, run `other` of `rig-b` to the second."""
    ensure_control_key(home.settings)
    story = BriefHome(home)
    home.campaign("a", "b")
    story.start("r1", "a")
    story.start("other", "b", rig="rig-b")
    with answering(home) as url:
        served = ServedHome(story, url)
        yield served
        for client in served.clients:
            client.close()
