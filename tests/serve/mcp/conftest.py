"""A home that is served once for tests that change nothing in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.knowledge.briefed import BriefHome
from tests.serve.mcp.calling import Calls
from tests.serve.serving import ServedHome, answering
from tests.support.homes import make_home
from thermite_pipelines.control.commands import ensure_control_key


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, ready_record: Path) -> Iterator[ServedHome]:
    """Campaigns `a` and `b`; run `r1` of `rig-a` belongs to the first."""
    home = make_home(tmp_path_factory.mktemp("shared") / "home", ready_record)
    ensure_control_key(home.settings)
    story = BriefHome(home)
    home.campaign("a", "b")
    story.start("r1", "a")
    with answering(home) as url:
        served = ServedHome(story, url)
        yield served
        for client in served.clients:
            client.close()
    home.close()


@pytest.fixture(scope="module")
def agent(shared: ServedHome) -> Iterator[Calls]:
    """Calls of an agent of run `r1`."""
    with Calls.to(shared.url, shared.token("agent")) as calls:
        yield calls
