"""Sync from outside: who reads what, and what is moved."""

import logging

import pytest

from tests.knowledge.syncing import BESIDES, SyncHome, counts
from tests.support.homes import Home
from thermite_pipelines.errors import ThermiteError, UsageError


def test_kb_43_a_run_reads_its_campaigns_other_runs_on_any_rig_and_no_other_campaign(any_home: Home) -> None:
    place = SyncHome(any_home)
    place.run("r1", "a")
    place.run("r2", "a", "rig-b", notes=1)
    place.run("r3", "b", "rig-b")
    assert place.sync() == {"r1": (2, 0, 0), "r2": (3, 0, 0), "r3": (0, 0, 0)}
    assert place.texts("r1") == {"r2 saw that batch 0 is warm"}
    assert {head["rig"] for head, _ in place.synced_items("r1")} == {"rig-b"}
    assert set(place.files("r3", "rig-b")) == BESIDES


def test_kb_48_a_grant_brings_all_readable_items_at_the_next_sync(two: SyncHome) -> None:
    assert two.sync()["r1"] == (0, 0, 3)
    two.grant("a", "b")
    assert two.whys() == {"r1": "behind", "r2": "behind"}
    assert two.sync() == {"r1": (3, 0, 3), "r2": (3, 0, 3), "r3": (0, 0, 0)}
    assert {head["campaign"] for head, _ in two.synced_items("r1")} == {"a", "b"}
    two.run("r4", "a", notes=0)
    assert two.sync()["r4"] == (9, 0, 0)


@pytest.mark.parametrize("check", [False, True])
def test_kb_49_a_revoked_grant_empties_that_campaigns_part(two: SyncHome, check: bool) -> None:
    before = two.files("r1")
    two.grant("a", "b")
    two.sync()
    two.revoke("a", "b")
    assert two.sync(check=check)["r1"] == (0, 3, 3)
    assert two.files("r1") == before
    assert not (two.knowledge("r1") / "b").exists()


def test_kb_50_a_grant_gives_reading_in_one_direction_for_one_folder(two: SyncHome) -> None:
    two.run("r5", "c", "rig-b")
    two.grant("a", "b")
    two.grant("b", "c")
    two.sync()
    assert {head["campaign"] for head, _ in two.synced_items("r1")} == {"a", "b"}
    assert {head["campaign"] for head, _ in two.synced_items("r3", "rig-b")} == {"c"}
    assert two.synced_items("r5", "rig-b") == []


def test_kb_53_own_records_are_left_out_in_every_ledger_of_the_rig(place: SyncHome) -> None:
    place.run("r1", "a")
    rig = place.rig()
    rig.reset("L2", "2026-11-30T00:00:00Z")
    rig.say_run("r1")
    place.note("r1", "written after the reset")
    place.run("r2", "a", notes=0)
    place.sync()
    assert "r1" not in {head["run"] for head, _ in place.synced_items("r1")}
    ids = {head["item"] for head, _ in place.synced_items("r2")}
    assert {"run:rig-a/r1/r1", "run:rig-a/r1~L2/r1"} <= ids


def test_kb_54_a_run_that_control_did_not_assign_to_the_rig_is_refused_and_logged(
    two: SyncHome, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    for rig, run, claimed in [("rig-b", "r1", None), ("rig-a", "r9", None), ("rig-a", "r1", "b")]:
        with pytest.raises(ThermiteError):
            two.syncer.sync_run(rig, run, campaign=claimed)
    assert [record.levelname for record in caplog.records] == ["WARNING"] * 3
    with pytest.raises(UsageError):
        two.syncer.sync_run("rig-a", "../r1")
    two.note("r2", "new")
    assert counts(two.syncer.sync_run("rig-a", "r1", campaign="a")) == (1, 0, 3)


# What is moved


def test_kb_52_only_what_is_new_or_changed_is_written(two: SyncHome) -> None:
    before = {path: path.stat().st_mtime_ns for path in two.knowledge("r1").rglob("*")}
    assert two.sync()["r1"] == (0, 0, 3)
    assert {path: path.stat().st_mtime_ns for path in two.knowledge("r1").rglob("*")} == before
    two.note("r2", "one more")
    assert two.sync()["r1"] == (1, 0, 3)
    two.rig().say("run_started", {}, run="r2")
    two.note("r2")
    assert two.sync()["r1"] == (1, 0, 3)  # the run itself is an item, and changed
    assert all(
        (path.stat().st_mtime_ns == before[path]) for path in before if path.parent.name == "note" and path.suffix
    )


def test_news_of_the_run_itself_makes_no_work_for_it(two: SyncHome) -> None:
    two.note("r1", "my own")
    assert two.whys() == {"r2": "behind"}


def test_an_item_that_is_found_under_another_name_moves_there(two: SyncHome, monkeypatch: pytest.MonkeyPatch) -> None:
    from thermite_pipelines.knowledge import sync_writer

    old = two.manifest("r1")["files"]
    named = sync_writer.file_path
    monkeypatch.setattr(sync_writer, "file_path", lambda row: named(row).replace("/run/", "/run/other-"))
    two.rig().say("run_started", {}, run="r2")
    two.note("r2")
    assert two.sync()["r1"] == (1, 1, 2)
    new = two.manifest("r1")["files"]
    assert [entry["item"] for entry in new] == [entry["item"] for entry in old]
    assert len(two.synced_items("r1")) == 3


def test_the_document_names_each_running_run_and_its_folder(two: SyncHome) -> None:
    (first, *_) = two.syncer.sync_all()
    assert (first.rig, first.run, first.path) == ("rig-a", "r1", "sync/rig-a/r1/knowledge")
    assert [one.run for one in two.syncer.sync_campaign("b")] == ["r3"]
    assert two.syncer.sync_campaign("nothing-like-it") == []


def test_a_run_that_has_sent_nothing_yet_is_synced(two: SyncHome) -> None:
    two.assign("r7", "a")
    assert two.sync()["r7"] == (6, 0, 0)
