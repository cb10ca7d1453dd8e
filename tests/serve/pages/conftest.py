"""Homes whose pages are looked at: one that a module shares, where tests change nothing, and one for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.knowledge.briefed import BriefHome
from tests.learnings.telling import ask, propose
from tests.serve.serving import ServedHome, answering
from tests.support.homes import Home, make_home
from thermite_pipelines.control.commands import ensure_control_key
from thermite_pipelines.learnings.folding import refresh_channels


def fill(home: Home) -> BriefHome:
    """Run `r1` of campaign `a` tries two things and writes three notes; `other` of `b` writes one; `a` may read `c`."""
    ensure_control_key(home.settings)
    story = BriefHome(home)
    home.campaign("a", "b", "c")
    story.grant("a", "c")
    story.start("r1", "a")
    story.start("other", "b", rig="rig-b")
    story.start("third", "c", rig="rig-b")
    rig = home.rig("rig-a")
    story.trial("lane-1")
    trial = rig.said[-1]["data"]["trial"]
    for number, status in enumerate(("improved", "worse"), 1):
        experiment = f"x{number}"
        queued = {"experiment": experiment, "title": f"Batch of {32 * number}", "description": "Vary the batch"}
        rig.say("experiment_queued", queued, run="r1", by="planner")
        rig.say("experiment_started", {"experiment": experiment, "trial": trial}, run="r1")
        done = {"experiment": experiment, "status": status, "metric": "loss", "value": 1.5 - number / 10}
        rig.say("experiment_finished", done | {"summary": f"It ended {status}"}, run="r1")
    rig.say("attempt_submitted", {"attempt": "s1", "trial": trial, "summary": "The first try"}, run="r1")
    story.write("The cache was cold", kind="lesson")
    story.write("Why is the loader slow?", kind="question")
    story.write("Batch 64 fits on one card", kind="observation")
    story.write("Batch 512 does not fit", run="other", rig="rig-b")
    story.write("Batch 128 fits in half precision", run="third", rig="rig-b", kind="lesson")
    ask(rig, "r1", detail="There is no token for the registry")
    propose(rig, "r1")
    story.bring("rig-a")
    story.bring("rig-b")
    refresh_channels(home.opened)
    return story


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, ready_record: Path) -> Iterator[ServedHome]:
    """A served home that nobody changes."""
    home = make_home(tmp_path_factory.mktemp("shared") / "home", ready_record)
    yield from _served(home)
    home.close()


@pytest.fixture
def own(home: Home) -> Iterator[ServedHome]:
    """A served home of the test's own."""
    yield from _served(home)


def _served(home: Home) -> Iterator[ServedHome]:
    story = fill(home)
    with answering(home) as url:
        served = ServedHome(story, url)
        yield served
        for client in served.clients:
            client.close()
