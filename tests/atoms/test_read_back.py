"""What extraction stored, read the way people and runs read it: searched, explained, synced."""

from pathlib import Path

import pytest

from tests.atoms.talking import (
    CAMPAIGN,
    a_run,
    arrive,
    claude_lines,
    day,
    mine,
    opened,
    put_file,
    say_owner,
    say_session,
)
from tests.atoms.talking import uuid as session_id
from tests.knowledge.syncing import SyncHome
from tests.support.homes import Home
from thermite_pipelines.knowledge.explain import explain
from thermite_pipelines.knowledge.readable import Reader
from thermite_pipelines.knowledge.search import SearchQuery, search


@pytest.fixture
def talked(home: Home) -> SyncHome:
    """Run r1 with a recorded session and an owner's message, run r2 without; both assigned, and atoms taken."""
    place = SyncHome(home)
    for run in ("r1", "r2"):
        a_run(home, run=run)
        place.assign(run, CAMPAIGN)
    rig = home.rig()
    say_session(
        rig, session_id(1), "a:all of it?", "h:WRONG it is all : Ads alone are counted", "a:ok", run="r1", at=day(1)
    )
    say_session(rig, session_id(1), "h:FACT Ads alone are counted", run="r2", at=day(2))
    say_owner(rig, "FACT Batches are warm", run="r1", at=day(3))
    arrive(home)
    mine(home)
    return place


def test_at_02_what_was_taken_leads_down_to_signed_reports(talked: SyncHome) -> None:
    home = opened(talked.home)
    found = search(home, SearchQuery("ads batches")).atoms
    assert {atom["statement"] for atom in found} == {"Ads alone are counted", "Batches are warm"}
    for atom in found:
        explained = explain(home, atom["atom"], Reader.owner())
        assert explained.verified and [report.seq for report in explained.reports] == [1]
        assert explained.sources[0].more["quote_stands"]
    ads = next(atom for atom in found if atom["statement"].startswith("Ads"))
    assert ads["sessions"] == [f"{session_id(1)}@rig-a/r1", f"{session_id(1)}@rig-a/r2"]
    (message, other) = explain(home, ads["atom"], Reader.owner()).document()["from"]
    assert message["before"] == {"role": "assistant", "text": "all of it?"}
    assert (message["after"], other["kind"]) == ({"role": "assistant", "text": "ok"}, "session")


def test_a_run_is_not_shown_what_its_own_people_said_in_it_alone(talked: SyncHome) -> None:
    talked.fold()
    talked.sync()
    shown = {
        run: {head["title"] for head, _ in talked.synced_items(run) if head["kind"] == "atom"} for run in ("r1", "r2")
    }
    assert shown == {"r1": {"Ads alone are counted"}, "r2": {"Ads alone are counted", "Batches are warm"}}
    assert talked.whys() == {}


def test_what_a_transcript_says_leads_to_its_kept_copy(home: Home, tmp_path: Path) -> None:
    home.campaign(CAMPAIGN)
    lines = claude_lines(session_id(7), "h:FACT Plans are cold", "a:ok")
    put_file(tmp_path / "there" / f"{session_id(7)}.jsonl", lines)
    home.settings = home.settings.model_copy(update={"transcripts": f"{CAMPAIGN}={tmp_path / 'there'}"})
    mine(home)
    (atom,) = search(opened(home), SearchQuery("plans")).atoms
    explained = explain(opened(home), atom["atom"], Reader.owner())
    assert explained.verified and explained.reports == ()
    kept = explained.sources[0].sources[0].more["transcript"]
    home.lake.put(kept["path"], b"other bytes")
    assert not explain(opened(home), atom["atom"], Reader.owner()).verified
