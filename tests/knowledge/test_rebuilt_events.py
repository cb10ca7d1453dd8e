"""Folders while event tables are rebuilt, and after the rules changed that events are judged by."""

import pytest
from sqlalchemy import delete

from tests.knowledge.filing import expected, folder, rebuild, refresh
from tests.support.homes import Home
from thermite_pipelines.control.models import LakeFile, Record
from thermite_pipelines.intake import events
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.run_fold import EventsMissing
from thermite_pipelines.knowledge.state import all_runs, campaign_lags
from thermite_pipelines.ledger.event_types import EVENT_TYPES, EventType

RUN_1 = ("rig-a", "L1", "run-1")


def send(home: Home, notes: int) -> None:
    """A report of some notes about an experiment, whose last event changes the experiment."""
    rig = home.rig()
    if rig.n == 0:
        rig.say_run()
        rig.say("experiment_queued", {"experiment": "e1", "title": "Try"})
    for _ in range(notes):
        rig.say_note()
    rig.say("experiment_finished", {"experiment": "e1", "status": "worse", "value": rig.n})
    rig.send()
    home.intake()


def without(name: str) -> dict[str, EventType]:
    """The event types of a version that does not know one of them."""
    return {known: kind for known, kind in EVENT_TYPES.items() if known != name}


def rejudge(home: Home) -> None:
    EventWriter(home.control, home.lake, "rig-a").rebuild()


def is_behind(home: Home) -> bool:
    with home.control.read() as connection:
        return campaign_lags(connection)["speed-up"].is_behind


@pytest.mark.parametrize("model", [LakeFile, Record])
def test_events_that_are_not_there_are_never_taken_as_folded(home: Home, model: type[LakeFile] | type[Record]) -> None:
    """A rebuild of the event tables may begin while a folder is refreshed: files or records are gone for a while."""
    home.campaign("speed-up")
    send(home, 3)
    refresh(home, "speed-up")
    before = home.files("folders")
    send(home, 2)
    with home.control.write() as connection:
        rows = LakeFile.scope == "rig:rig-a" if model is LakeFile else Record.kind == "experiment"
        connection.execute(delete(model).where(rows))
    with pytest.raises(EventsMissing, match="try again"):
        refresh(home, "speed-up")
    if model is LakeFile:
        with home.control.read() as connection:
            (run,) = all_runs(connection)
        with pytest.raises(EventsMissing, match="try again"):
            FolderReader(home.control, home.lake).at_head(run, 0)
    assert home.files("folders") == before
    assert is_behind(home)
    rejudge(home)
    refresh(home, "speed-up")
    assert folder(home, "speed-up") == expected(home, RUN_1)
    assert not is_behind(home)


def test_events_that_an_upgrade_knows_reach_the_folder(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were unknown before; the run's last event is the same, and yet its folder is not what it should be."""
    home.campaign("speed-up")
    with monkeypatch.context() as older:
        older.setattr(events, "EVENT_TYPES", without("journal_note"))
        send(home, 4)
        refresh(home, "speed-up")
        assert not any(item.startswith("note:") for item in folder(home, "speed-up"))
    rejudge(home)
    assert is_behind(home)
    refresh(home, "speed-up")
    assert sum(item.startswith("note:") for item in folder(home, "speed-up")) == 4
    assert folder(home, "speed-up") == expected(home, RUN_1)
    assert not is_behind(home)


def test_events_that_no_longer_count_leave_the_folder(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.campaign("speed-up")
    send(home, 4)
    home.rig().say_note("the last event")
    home.rig().send()
    home.intake()
    refresh(home, "speed-up")
    with monkeypatch.context() as stricter:
        stricter.setattr(events, "EVENT_TYPES", without("journal_note"))
        rejudge(home)
        assert is_behind(home)
        (folded,) = refresh(home, "speed-up")
        assert folded.rebuilt == 1
        assert not any(item.startswith("note:") for item in folder(home, "speed-up"))
        assert home.files("folders/note") == {}
        stepwise = home.files("folders")
        rebuild(home, "speed-up")
        assert home.files("folders") == stepwise


def test_a_run_that_no_longer_counts_leaves_the_folder(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.campaign("speed-up")
    send(home, 1)
    refresh(home, "speed-up")
    with monkeypatch.context() as stricter:
        stricter.setattr(events, "EVENT_TYPES", without("run_created"))
        rejudge(home)
        (folded,) = refresh(home, "speed-up")
        assert folded.left == 1
        assert home.files("folders") == {}
        assert not is_behind(home)
