"""Briefings: items by id, in control's words, inside a signed command."""

import json
from typing import Any

import pytest

from tests.knowledge.exporting import (
    ExportHome,
    say_claim,
    say_document,
    say_experiment,
    say_report,
    say_research_note,
    say_result,
    say_source,
)
from tests.support.homes import Home
from thermite_pipelines.control import campaigns
from thermite_pipelines.control.commands import ensure_control_key
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.briefing import AssignResult, assign_run
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.ledger.envelope import COMMAND_TYPE, parse_envelope

AT = "2026-11-29T10:14:58.120000Z"


@pytest.fixture
def place(home: Home) -> ExportHome:
    """Campaign speed-up has a finished research run on rig-b with an item of each kind."""
    place = ExportHome(home)
    ensure_control_key(home.settings)
    home.rig("rig-a")
    rig = place.rig("rig-b")
    rig.say_run("old")
    say_source(rig, run="old")
    say_claim(rig, run="old")
    say_research_note(rig, run="old")
    say_report(rig, run="old")
    say_document(rig, "plan.md", run="old")
    say_experiment(rig, run="old", description="Warm up longer.")
    say_result(rig, run="old", value=9, metric="ms", unit="ms")
    rig.say("journal_note", {"note": "n1", "kind": "lesson", "text": "Look before you leap."}, run="old")
    rig.say("finding_recorded", {"finding": "f1", "text": "Caches pay.", "claims": ["c1"]}, run="old")
    place.assign("old", "speed-up", "rig-b")
    home.campaign("sort-fast")
    place.send("rig-b")
    return place


def do_assign(place: ExportHome, *picks: str, run: str = "new", campaign: str = "speed-up", **how: Any) -> AssignResult:
    return assign_run(open_home(place.home.settings), "rig-a", run, campaign, picks=picks, by="ada", **how)


def command(place: ExportHome, run: str = "new") -> dict[str, Any]:
    raw = (place.home.settings.home / f"commands/rig-a/{run}.dsse.json").read_bytes()
    return json.loads(parse_envelope(raw, COMMAND_TYPE).payload)


def test_kb_62_findings_claims_notes_and_reports_become_the_briefing_in_the_order_picked(place: ExportHome) -> None:
    picks = [f"{kind}:rig-b/old/{record}" for kind, record in (("report", "p1"), ("note", "n1"), ("claim", "c1"))]
    picks += ["research_note:rig-b/old/r1", "finding:rig-b/old/f1"]
    done = do_assign(place, *picks)
    assert done.changed and done.command == "commands/rig-a/new.dsse.json" and done.notices == ()
    briefing = command(place)["briefing"]
    assert [entry["item"] for entry in briefing] == picks
    assert briefing[1] == {
        "item": "note:rig-b/old/n1",
        "kind": "note",
        "campaign": "speed-up",
        "rig": "rig-b",
        "run": "old",
        "by": "lane-1",
        "at": AT,
        "text": "Look before you leap.",
    }
    assert [entry["text"] for entry in briefing][2:] == ["Caches help.", "Sources agree.", "Caches pay."]
    assert command(place)["queue"] == []


def test_kb_61_a_picked_experiment_is_queued_with_its_origin_and_result(place: ExportHome) -> None:
    do_assign(place, "experiment:rig-b/old/x1")
    assert command(place)["briefing"] == []
    assert command(place)["queue"] == [
        {
            "item": "experiment:rig-b/old/x1",
            "title": "Try x1",
            "description": "Warm up longer.",
            "status": "improved",
            "metric": "ms",
            "value": 9.0,
            "unit": "ms",
            "campaign": "speed-up",
            "rig": "rig-b",
            "run": "old",
        }
    ]


@pytest.mark.parametrize("folded", [False, True])
def test_kb_65_the_words_are_those_of_controls_record(place: ExportHome, folded: bool) -> None:
    if folded:
        place.fold()
    rig = place.rig("rig-b")
    say_experiment(rig, "x2", run="old")
    place.send("rig-b")
    say_result(rig, "x2", run="old", status="worse")
    place.send("rig-b")
    do_assign(place, "experiment:rig-b/old/x2")
    assert command(place)["queue"][0]["status"] == "worse"


@pytest.mark.parametrize("pick", ["note:rig-b/old/n9", "note:rig-b/nothing/n1", "note:rig-x/old/n1"])
def test_an_unknown_id_is_refused_by_name(place: ExportHome, pick: str) -> None:
    with pytest.raises(ThermiteError, match=f"campaign speed-up can read no item {pick}"):
        do_assign(place, "note:rig-b/old/n1", pick)
    assert not (place.home.settings.home / "commands/rig-a").exists()


def test_kb_65_an_item_of_a_folder_that_is_not_granted_is_refused(place: ExportHome) -> None:
    pick = "note:rig-b/old/n1"
    with pytest.raises(ThermiteError, match=f"campaign sort-fast can read no item {pick}"):
        do_assign(place, pick, campaign="sort-fast")
    with place.home.control.write() as connection:
        campaigns.grant(connection, "sort-fast", "speed-up", "ada")
    assert do_assign(place, pick, campaign="sort-fast").changed
    assert command(place)["briefing"][0]["campaign"] == "speed-up"


def test_an_item_of_an_unplaced_run_is_refused(place: ExportHome) -> None:
    rig = place.rig("rig-b")
    rig.say_run("lost", campaign="nowhere")
    rig.say_note(run="lost")
    place.send("rig-b")
    with pytest.raises(ThermiteError, match="can read no item"):
        do_assign(place, f"note:rig-b/lost/note-{rig.n}")


@pytest.mark.parametrize("pick", ["source:rig-b/old/s1", "document:rig-b/old/plan.md", "run:rig-b/old/old"])
def test_other_kinds_are_refused(place: ExportHome, pick: str) -> None:
    with pytest.raises(ThermiteError, match="can't be given to a run"):
        do_assign(place, pick)


@pytest.mark.parametrize("pick", ["", "note", "idea:rig-b/old/n1", "note:../x/y", "x" * 400])
def test_what_is_no_item_id_is_wrong_usage(place: ExportHome, pick: str) -> None:
    with pytest.raises(UsageError, match="is no item id"):
        do_assign(place, pick)


def test_doing_it_again_changes_nothing_but_brings_back_a_lost_file(place: ExportHome) -> None:
    do_assign(place, "note:rig-b/old/n1")
    path = place.home.settings.home / "commands/rig-a/new.dsse.json"
    data = path.read_bytes()
    assert do_assign(place, "note:rig-b/old/n1") == do_assign(place)
    path.unlink()
    again = do_assign(place)
    assert not again.changed and path.read_bytes() == data
    assert again.notices == ("the command of rig-a/new was gone and was written again",)


def test_a_move_signs_the_same_words_for_the_new_campaign(place: ExportHome) -> None:
    do_assign(place, "note:rig-b/old/n1")
    before = command(place)
    assert do_assign(place, campaign="sort-fast", move=True).changed
    after = command(place)
    assert after == before | {"campaign": "sort-fast", "id": after["id"], "at": after["at"]}


def test_the_words_stay_when_the_item_changes(place: ExportHome) -> None:
    do_assign(place, "experiment:rig-b/old/x1")
    before = command(place)
    say_result(place.rig("rig-b"), run="old", status="worse")
    place.send("rig-b")
    do_assign(place, "experiment:rig-b/old/x1")
    assert command(place) == before


def test_kb_66_without_agents_picks_are_left_out_with_a_notice(place: ExportHome) -> None:
    done = do_assign(place, "note:rig-b/old/n1", "note:rig-b/old/n9", agents=False)
    assert done.changed and len(done.notices) == 1
    assert (command(place)["agents"], command(place)["briefing"], command(place)["queue"]) == (False, [], [])


def test_without_a_key_nothing_changes(place: ExportHome) -> None:
    place.home.settings.control_key.unlink()
    with pytest.raises(ThermiteError, match="run `thermite init`"):
        do_assign(place)
    ensure_control_key(place.home.settings)
    assert do_assign(place).changed


def test_kb_34_items_go_where_control_assigned_the_run_whatever_the_event_says(place: ExportHome) -> None:
    do_assign(place, run="run-1", campaign="sort-fast")
    rig = place.rig("rig-a")
    rig.say_run("run-1", campaign="speed-up")
    place.send("rig-a")
    place.fold()
    assert list(place.items("sort-fast")) == ["run:rig-a/run-1/run-1"]


def test_kb_35_a_named_campaign_counts_only_while_it_is_assigned_to_no_rig(place: ExportHome) -> None:
    place.home.campaign("smoke-test")
    rig = place.rig("rig-a")
    rig.say_run("smoke-1", campaign="smoke-test", mode="smoke")
    place.send("rig-a")
    place.fold()
    assert list(place.items("smoke-test")) == ["run:rig-a/smoke-1/smoke-1"]
    do_assign(place, run="other", campaign="smoke-test")
    place.fold()
    assert list(place.items("smoke-test")) == []
    do_assign(place, run="smoke-1", campaign="smoke-test")
    place.fold()
    assert list(place.items("smoke-test")) == ["run:rig-a/smoke-1/smoke-1"]
