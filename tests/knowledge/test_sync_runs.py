"""How the sync of a run goes on: its end, its moves, rebuilds below it, and others at work."""

import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, update

from tests.knowledge.syncing import SyncHome, counts
from thermite_pipelines.control.leases import lease
from thermite_pipelines.control.models import Assignment, Receipt, Run
from thermite_pipelines.knowledge.folders import FolderWriter

A_WEEK_AGO = -7 * 86_400 * 1_000_000


def change_run(place: SyncHome, run: str, **values: Any) -> None:
    with place.home.control.write() as connection:
        connection.execute(update(Run).where(Run.run == run).values(**values))


def test_a_finished_run_takes_removals_only_and_goes_after_the_grace(two: SyncHome) -> None:
    two.grant("a", "b")
    two.sync()
    two.finish("r1")
    two.note("r2", "after the end")
    assert "r1" not in two.sync()
    assert len(two.synced_items("r1")) == 6
    assert two.whys() == {}
    two.revoke("a", "b")
    assert two.whys()["r1"] == "left"
    two.sync()
    assert {head["campaign"] for head, _ in two.synced_items("r1")} == {"a"}
    assert len(two.manifest("r1")["files"]) == 3 and "b/" not in (two.knowledge("r1") / "README.md").read_text()
    change_run(two, "r1", finished_accepted_at=Run.finished_accepted_at + A_WEEK_AGO)
    assert two.whys() == {"r1": "gone"}
    two.sync()
    assert not (two.home.settings.sync / "rig-a" / "r1").exists()
    assert two.whys() == {} and counts(two.syncer.sync_run("rig-a", "r1")) == (0, 0, 0)
    two.sync(check=True)
    assert not (two.home.settings.sync / "rig-a" / "r1").exists()


def test_the_check_of_a_finished_run_restores_what_it_may_keep(two: SyncHome) -> None:
    two.note("r2", "third")
    two.sync()
    two.finish("r1")
    two.rig().say("run_started", {}, run="r2")
    two.note("r2", "after the end")
    two.sync()
    before = two.files("r1")
    (edited, gone, *_) = sorted((two.knowledge("r1") / "a" / "note").iterdir())
    edited.chmod(0o644)
    edited.write_text("x")
    gone.unlink()
    (two.knowledge("r1") / "a" / "note" / "extra.md").write_text("x")
    two.sync(check=True)
    assert two.files("r1") == before


def test_a_run_of_before_a_reset_ends_when_the_new_ledger_is_accepted(two: SyncHome) -> None:
    two.rig().reset("L2", "2026-11-30T00:00:00Z")
    two.run("r8", "a")
    assert set(two.sync()) == {"r3", "r8"}
    assert two.knowledge("r1").exists()
    with two.home.control.write() as connection:
        moved = Receipt.accepted_at + A_WEEK_AGO
        connection.execute(update(Receipt).where(Receipt.ledger == "L2").values(accepted_at=moved))
    two.sync()
    assert not two.knowledge("r1").exists()


def test_a_run_that_is_opened_again_goes_on_where_it_was(two: SyncHome) -> None:
    two.finish("r1")
    two.note("r2", "while it was over")
    two.sync()
    two.rig().reset("L2", "2026-11-30T00:00:00Z")
    two.rig().say_run("r1")
    two.note("r1", "back")
    assert two.sync()["r1"] == (1, 0, 3)
    assert "while it was over" in two.texts("r1")


def test_a_moved_run_reads_and_is_read_in_its_new_campaign_at_once(two: SyncHome) -> None:
    two.assign("r2", "b", move=True)
    assert two.sync()["r2"] == (3, 3, 0)  # r3's items came, r1's went, before any folder was refreshed
    assert two.synced_items("r1") == []
    two.fold()
    two.sync()
    assert two.texts("r3", "rig-b") == {"r2 saw that batch 0 is warm", "r2 saw that batch 1 is warm"}


def test_a_run_that_is_not_assigned_any_more_loses_its_folder(two: SyncHome) -> None:
    with two.home.control.write() as connection:
        connection.execute(delete(Assignment).where(Assignment.run == "r1"))
    assert two.whys()["r1"] == "gone"
    two.sync()
    assert not two.knowledge("r1").exists()


def test_a_check_removes_folders_that_control_knows_nothing_of(two: SyncHome) -> None:
    stray = two.home.settings.sync / "rig-x" / "r1" / "knowledge"
    stray.mkdir(parents=True)
    (stray / "x.md").write_text("x")
    two.sync(check=True)
    assert not stray.parent.parent.exists()


def test_nothing_leaves_while_a_folder_is_made_anew(two: SyncHome) -> None:
    before = two.files("r1")

    def cut_off(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FolderWriter(two.home.control, two.home.lake, "a").rebuild(cut_off)
    assert two.sync()["r1"] == (0, 0, 3)
    assert two.sync(check=True)["r1"] == (0, 0, 3)
    two.fold()
    assert two.whys()["r1"] == "behind"
    two.sync()
    assert two.files("r1") == before


def test_what_a_source_does_not_bring_back_leaves(two: SyncHome) -> None:
    before = two.files("r1")
    seen = {"a": {"rig-a/r2": [10**6, 10**6], "rig-a/r0": [4, 1]}}  # r2 held more, r0 was there
    two.change_state("r1", sources=seen, signature="other")
    assert two.sync()["r1"] == (0, 0, 3)
    assert two.files("r1") == before


def test_two_at_once_do_the_work_once(two: SyncHome) -> None:
    two.note("r2", "new")
    done: list[tuple[int, int, int]] = []

    def work() -> None:
        done.append(counts(two.syncer.sync_run("rig-a", "r1")))

    threads = [threading.Thread(target=work) for _ in range(4)]
    with lease(two.home.control, "sync:rig-a/r1"):
        for thread in threads:
            thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [(0, 0, 4)] * 3 + [(1, 0, 3)]


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    yield


def test_kb_59_a_sync_opens_no_socket(two: SyncHome, no_sockets: None) -> None:
    two.note("r2", "new")
    assert two.sync(check=True)["r1"] == (1, 0, 3)


def test_kb_59_what_writes_the_files_loads_no_network_client_and_no_database() -> None:
    program = (
        "import sys, thermite_pipelines.knowledge.sync_writer\n"
        "names = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*sorted(names & {'sqlalchemy', 'psycopg', 'http', 'requests', 'httpx', 'aiohttp', 'ssl', 'dagster'}))"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == ""


def kill_at_steps(home: Path, ready: Path, stride: int) -> int:
    command = [sys.executable, "-m", "tests.knowledge.killed_sync", str(home), str(ready), str(stride)]
    ran = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return int(ran.stdout)


def test_a_sync_that_is_killed_is_completed_by_the_next(tmp_path: Path, ready_record: Path) -> None:
    assert kill_at_steps(tmp_path / "home", ready_record, 5) >= 4


@pytest.mark.full
def test_a_sync_that_is_killed_at_any_step_is_completed_by_the_next(tmp_path: Path, ready_record: Path) -> None:
    assert kill_at_steps(tmp_path / "home", ready_record, 1) >= 20
