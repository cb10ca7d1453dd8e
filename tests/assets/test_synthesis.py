"""Group synthesis: what the base facts show, when they are asked for, and that a backfill gives the same bytes."""

from collections.abc import Iterator

import pytest

from tests.atoms.talking import a_run, say_session, uuid
from tests.sensors.ticks import asked, why_nothing
from tests.support.homes import Home
from tests.support.pipelines import Pipelines, open_pipelines
from tests.synthesis.saying import fact_files, say_note, say_research
from thermite_pipelines.control.leases import acquire, release

KEY = "synthesis/base_facts"
BACKFILL = {"dagster/backfill": "abc"}


@pytest.fixture
def pipelines(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipelines]:
    """A campaign with research, and a person who says what was wrong."""
    rig = a_run(home)
    say_research(rig)
    say_note(rig, "lesson", "The zzlesson of the loader")
    say_session(rig, uuid(1), "h:No, that is wrong: the zzloader reads from the replica, not from the primary.")
    rig.send()
    with open_pipelines(home, monkeypatch) as opened:
        opened.done("take_reports", "rig-a")
        opened.done("refresh_campaign", "speed-up")
        yield opened


def test_facts_are_shown_as_counts(pipelines: Pipelines) -> None:
    shown = pipelines.metadata(KEY, "speed-up")
    assert {row["type"]: row["facts"] for row in shown["facts"]} == {
        "hypothesis": 4,
        "reference": 4,
        "observation": 3,
        "principle": 1,
    }
    assert (shown["dagster/row_count"], shown["facts_made_now"], shown["parts_made_now"]) == (12, 12, 1)
    assert (shown["hypotheses_confirmed"], shown["hypotheses_refuted"]) == (1, 1)
    assert (shown["pragmatic"], shown["superseded"], shown["parts_that_left"]) == (0, 0, 0)
    assert shown["picture"].startswith("![facts of speed-up by type](data:image/svg+xml;base64,")
    assert "zz" not in str(shown)
    assert shown["dagster/uri"].endswith("derived/base_facts/campaign=speed-up")


def test_a_backfill_makes_all_facts_to_the_same_bytes(pipelines: Pipelines) -> None:
    before, version = fact_files(pipelines.home), pipelines.data_version(KEY, "speed-up")
    pipelines.done("refresh_campaign", "speed-up")
    assert pipelines.metadata(KEY, "speed-up")["facts_made_now"] == 0
    pipelines.done("refresh_campaign", "speed-up", **BACKFILL)
    assert pipelines.metadata(KEY, "speed-up")["facts_made_now"] == 12
    assert (fact_files(pipelines.home), pipelines.data_version(KEY, "speed-up")) == (before, version)


def test_facts_behind_their_atoms_are_asked_for(pipelines: Pipelines) -> None:
    assert why_nothing(pipelines, "campaigns") == "nothing is behind"
    pipelines.done("extract_atoms", "speed-up")
    acquire(pipelines.home.control, "synthesis:speed-up", "another")
    assert asked(pipelines, "campaigns") == [], "a synthesis is at work on them"
    release(pipelines.home.control, "synthesis:speed-up", "another")
    assert asked(pipelines, "campaigns") == [("refresh_campaign", "speed-up")]
    version = pipelines.data_version(KEY, "speed-up")
    pipelines.done("refresh_campaign", "speed-up")
    assert asked(pipelines, "campaigns") == []
    assert pipelines.data_version(KEY, "speed-up") != version
    assert pipelines.metadata(KEY, "speed-up")["facts_made_now"] == 1
