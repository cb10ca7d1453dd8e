"""A home with one rig, two campaigns and a running run, and a Dagster instance in memory."""

from collections.abc import Iterator

import pytest

from tests.knowledge.exporting import ExportHome
from tests.support.homes import Home
from tests.support.pipelines import Pipelines, open_pipelines


@pytest.fixture
def pipelines(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipelines]:
    """A run of `speed-up` by its events, and one of `reading` that control assigned and that goes on."""
    rig = home.rig()
    home.campaign("speed-up", "reading", "empty")
    rig.say_run("run-1")
    rig.say_note("keep the batch small", run="run-1")
    rig.say("journal_note", {"note": "bad", "kind": "no such kind", "text": "x"}, run="run-1")
    rig.say("dream_recorded", {"dream": "d1"}, run="run-1")
    rig.say_run("run-2", campaign="reading")
    rig.say_note("read the source first", run="run-2", campaign="reading")
    rig.send()
    ExportHome(home).assign("run-2", "reading")
    ExportHome(home).assign("run-3", "reading")
    with open_pipelines(home, monkeypatch) as opened:
        yield opened
