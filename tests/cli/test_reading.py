"""Reports, events, folders, items and whole tables, on small homes filled without Dagster."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from tests.cli.commands import Cli
from tests.support.synthesis import methodology_row, prediction_row, put_facts, synthesis_row
from thermite_pipelines.control.leases import lease
from thermite_pipelines.knowledge.catalog import catalog
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.home import Home as OpenHome
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.learnings.folding import refresh_channels
from thermite_pipelines.tables.derived import HYPOTHESES, METHODOLOGIES, SYNTHESES
from thermite_pipelines.tables.parquet import decode
from thermite_pipelines.tables.schemas import ITEM_TABLES, WHOLE_TABLES
from thermite_pipelines.times import format_rfc3339, now_micros

REPORT = [
    "receipt",
    "rig",
    "file",
    "sha256",
    "payload_sha256",
    "outcome",
    "reason",
    "detail",
    "conflicts_with",
    "ledger",
    "seq",
    "events",
    "arrived_at",
]
EVENT = ["rig", "ledger", "seq", "n", "id", "occurred_at", "run", "type", "written_by", "data", "reason", "detail"]


def fill(cli: Cli, runs: int = 2, notes: int = 3) -> None:
    """A rig with some runs in campaign `speed-up`, folded."""
    rig = cli.home.rig()
    cli.home.campaign("speed-up", "other")
    for run in range(1, runs + 1):
        rig.say_run(f"run-{run}")
        for number in range(notes):
            rig.say_note(f"note {number} of run {run}", run=f"run-{run}", at=f"2026-11-29T1{number}:00:00.5+01:00")
    rig.send()
    cli.home.intake()
    fold(cli, "speed-up")


def fold(cli: Cli, campaign: str) -> None:
    with lease(cli.home.control, f"campaign:{campaign}"):
        FolderWriter(cli.home.control, cli.home.lake, campaign).refresh()


def test_reports_list_every_file_with_its_outcome(cli: Cli) -> None:
    rig = cli.home.rig()
    rig.say_run()
    first = rig.send("a.dsse.json")
    rig.drop(b"{}", "b.dsse.json")
    rig.say_note()
    rig.report()
    rig.say_note()
    rig.send("d.dsse.json")
    cli.home.intake()
    found = cli.json("reports")["reports"]
    assert all(list(row) == REPORT for row in found)
    assert [row["receipt"] for row in found] == sorted(row["receipt"] for row in found)
    by_name = {row["file"]: row for row in found}
    assert by_name["a.dsse.json"]["payload_sha256"] == first.sha256
    assert by_name["a.dsse.json"]["sha256"] == hashlib.sha256(first.envelope).hexdigest()
    assert by_name["b.dsse.json"]["reason"] == "bad-envelope"
    assert by_name["d.dsse.json"]["outcome"] == "waiting"
    for outcome in ("accepted", "duplicate", "waiting", "quarantined"):
        listed = cli.json("reports", "--outcome", outcome, "--rig", "rig-a")["reports"]
        assert listed == [row for row in found if row["outcome"] == outcome]
    assert "1 accepted" in cli.say("reports")
    assert cli.say("reports", "--outcome", "duplicate") == "no reports\n"


def test_a_quarantined_report_is_judged_again_on_demand(cli: Cli) -> None:
    rig = cli.home.rig("rig-a", register=False)
    other = cli.home.rig("rig-b")
    rig.say_run()
    rig.send()
    cli.home.add_key("rig-a", other.fork(name="x", seed=b"7" * 32).public_key)
    cli.home.intake()
    [row] = cli.json("reports", "--rig", "rig-a")["reports"]
    assert row["reason"] == "unknown-key"
    again = cli.json("reports", "retry", row["receipt"])
    assert (again["changed"], again["outcome"]) == (False, "quarantined")
    cli.home.add_key("rig-a")
    again = cli.json("reports", "retry", row["receipt"])
    assert (again["changed"], again["outcome"], again["reason"]) == (True, "accepted", None)
    again = cli.json("reports", "retry", row["receipt"])
    assert (again["changed"], again["outcome"]) == (False, "accepted")
    assert "still accepted" in cli.say("reports", "retry", row["receipt"])
    assert [e["subject"] for e in cli.json("audit")["entries"] if e["action"] == "retry"] == [str(row["receipt"])]


def test_retry_waits_for_whoever_works_on_the_rig(cli: Cli, monkeypatch: Any) -> None:
    monkeypatch.setattr("thermite_pipelines.cli.reports.LEASE_SECONDS", 0.3)
    rig = cli.home.rig()
    rig.drop(b"{}", "b.dsse.json")
    cli.home.intake()
    with lease(cli.home.control, "rig:rig-a", owner="someone"):
        assert "someone" in cli.fail("reports", "retry", 1)
    assert cli.json("reports", "retry", 1)["changed"] is False


def test_events_by_table_rig_and_run(cli: Cli) -> None:
    rig = cli.home.rig()
    rig.say_run("run-1", mode="hill_climb")
    rig.say_note("from run 1", run="run-1")
    rig.say("finding_recorded", {"finding": "f", "text": "x", "claims": []}, run="run-1")
    rig.say("weather", {"rain": True}, run=None)
    rig.say("journal_note", ["no object"], run="run-1")
    rig.say_run("run-2")
    rig.send()
    other = cli.home.rig("rig-b")
    other.say_run("run-1")
    other.send()
    cli.home.intake("rig-b")
    cli.home.intake("rig-a")
    verified = cli.json("events")["events"]
    assert all(list(row) == EVENT for row in verified)
    assert [(row["rig"], row["n"]) for row in verified] == [("rig-a", 1), ("rig-a", 2), ("rig-a", 6), ("rig-b", 1)]
    assert verified[1]["data"] == {"note": "note-2", "kind": "note", "text": "from run 1"}
    assert verified[1]["occurred_at"] == "2026-11-29T10:14:58.120000Z"
    assert (verified[1]["reason"], verified[1]["detail"]) == (None, None)
    rejected = cli.json("events", "--rejected")["events"]
    assert [(row["n"], row["reason"]) for row in rejected] == [(3, "wrong-mode"), (5, "bad-data")]
    assert "wrong-mode" in cli.say("events", "--rejected")
    [unknown] = cli.json("events", "--unknown")["events"]
    assert (unknown["type"], unknown["run"], unknown["data"]) == ("weather", None, {"rain": True})
    assert [row["rig"] for row in cli.json("events", "--run", "run-1")["events"]] == ["rig-a", "rig-a", "rig-b"]
    assert len(cli.json("events", "--run", "run-1", "--rig", "rig-b")["events"]) == 1


def test_items_have_every_column_and_an_order(cli: Cli) -> None:
    fill(cli)
    items = cli.json("items")["items"]
    assert [row["kind"] for row in items] == ["run"] * 2 + ["note"] * 6
    for row in items:
        assert list(row) == [*ITEM_TABLES[row["kind"]].column_names, "campaign", "kind"]
    order = [(row["campaign"], KINDS.index(row["kind"]), row["created_at"], row["item"]) for row in items]
    assert order == sorted(order)
    note = next(row for row in items if row["kind"] == "note")
    assert (note["created_at"], note["campaign"]) == ("2026-11-29T09:00:00.500000Z", "speed-up")
    assert cli.json("items", "--limit", 3)["items"] == items[:3]
    assert cli.json("items", "--kind", "note", "--kind", "run", "--campaign", "speed-up")["items"] == items
    assert {row["run"] for row in cli.json("items", "--run", "run-2")["items"]} == {"run-2"}
    assert cli.json("items", "--campaign", "other") == {"items": []}
    assert "note 0 of run 1" in cli.say("items", "--kind", "note")


def test_items_fail_whole_where_a_file_is_damaged(cli: Cli) -> None:
    fill(cli)
    entry = next(iter(cli.home.lake.list("folders/note")))
    cli.home.lake.local(entry.path).write_bytes(b"PAR1 torn")
    assert "rebuild" in cli.fail("items")
    assert len(cli.json("items", "--kind", "run")["items"]) == 2


def test_folders_count_items_runs_and_what_is_behind(cli: Cli) -> None:
    fill(cli)
    rig = cli.home.rig()
    rig.say("run_started", run="run-1")
    rig.say_run("lost", campaign="unheard-of")
    rig.say_run("nameless", campaign=None)
    rig.send()
    cli.home.intake()
    cli.json("grant", "other", "speed-up", "--by", "me")
    shown = cli.json("folders")
    speed_up = next(row for row in shown["folders"] if row["campaign"] == "speed-up")
    assert list(speed_up) == ["campaign", "items", "runs", "read_by", "reads", "behind"]
    assert speed_up["items"] == {"run": 2, "note": 6}
    assert speed_up["runs"] == [
        {"rig": "rig-a", "ledger": "L1", "run": "run-1", "state": "running", "blocked_on": None},
        {"rig": "rig-a", "ledger": "L1", "run": "run-2", "state": "created", "blocked_on": None},
    ]
    assert (speed_up["read_by"], speed_up["reads"], speed_up["behind"]) == (["other"], [], 1)
    assert shown["unplaced"] == [
        {"rig": "rig-a", "ledger": "L1", "run": "lost", "campaign": "unheard-of", "why": "unknown-campaign"},
        {"rig": "rig-a", "ledger": "L1", "run": "nameless", "campaign": None, "why": "no-campaign"},
    ]
    assert [row["campaign"] for row in cli.json("folders", "--campaign", "other")["folders"]] == ["other"]
    fold(cli, "speed-up")
    assert cli.json("folders", "--campaign", "speed-up")["folders"][0]["behind"] == 0
    assert "in no folder" in cli.say("folders")


def test_folders_count_what_synthesis_made_that_lives(cli: Cli) -> None:
    fill(cli)
    gone: dict[str, Any] = {"retracted_by": "decision:speed-up/2"}
    rows = [synthesis_row(name, "speed-up") for name in ("one", "two")]
    put_facts(cli.home, "speed-up", SYNTHESES, *rows, synthesis_row("three", "speed-up", **gone))
    put_facts(cli.home, "speed-up", METHODOLOGIES, methodology_row("way", "speed-up", **gone))
    of_item: dict[str, Any] = {"prediction": None, "falsifier": None, "decision": None}
    rows = [prediction_row("made", "speed-up"), prediction_row("of an item", "speed-up", **of_item)]
    put_facts(cli.home, "speed-up", HYPOTHESES, *rows)
    put_facts(cli.home, "other", SYNTHESES, synthesis_row("elsewhere", "other"))
    expected = {"speed-up": {"run": 2, "note": 6, "synthesis": 2, "prediction": 1}, "other": {"synthesis": 1}}
    assert {row["campaign"]: row["items"] for row in cli.json("folders")["folders"]} == expected
    (folder,) = cli.json("folders", "--campaign", "speed-up")["folders"]
    assert list(folder["items"].items()) == list(expected["speed-up"].items())
    assert "2 run, 6 note, 2 synthesis, 1 prediction" in cli.say("folders")
    (other, speed_up) = catalog(cli.home.control)
    assert (speed_up["items"], speed_up["synthesis"], speed_up["methodology"], speed_up["prediction"]) == (8, 2, 0, 1)
    assert (other["items"], other["synthesis"]) == (0, 1)


def test_people_see_a_table_of_folders_and_one_of_runs(cli: Cli) -> None:
    fill(cli)
    cli.json("grant", "other", "speed-up", "--by", "me")
    cli.json("assign", "--rig", "rig-a", "--run", "run-7", "--campaign", "other")
    asked = {"request": "q1", "agent": "worker", "summary": "No key. " * 20, "fatal": True}
    rig = cli.home.rig()
    rig.say("help_requested", asked, run="run-2", at=format_rfc3339(now_micros()))
    rig.send()
    cli.home.intake()
    refresh_channels(OpenHome(cli.home.settings, cli.home.control, cli.home.lake))
    lines = [re.split(r" {2,}", line) for line in cli.say("folders").splitlines()]
    blank = lines.index([""])
    folders, runs = lines[:blank], lines[blank + 1 :]
    assert folders[0] == ["campaign", "items", "reads", "read by", "behind", "runs"]
    assert [(row[0], row[-1]) for row in folders[1:]] == [("other", "1"), ("speed-up", "2")]
    assert "2 run, 6 note" in folders[2] and "other" in folders[2]
    assert runs[0] == ["campaign", "rig", "run", "state", "blocked on"]
    assert runs[1:3] == [["other", "rig-a", "run-7", "assigned"], ["speed-up", "rig-a", "run-1", "created"]]
    assert runs[3][:4] == ["speed-up", "rig-a", "run-2", "created"]
    assert runs[3][4].startswith("No key. No key.") and runs[3][4].endswith("…") and len(runs[3][4]) == 60


def test_whole_tables_hold_all_campaigns_sorted(cli: Cli) -> None:
    fill(cli)
    rig = cli.home.rig("rig-b")
    rig.say_run("run-9", campaign="other")
    rig.say_note("elsewhere", run="run-9")
    rig.send()
    cli.home.intake("rig-b")
    fold(cli, "other")
    done = cli.json("tables")
    assert done["changed"] is True
    assert [(row["kind"], row["rows"]) for row in done["tables"] if row["rows"]] == [("run", 3), ("note", 7)]
    assert {row["path"] for row in done["tables"]} == {f"lake/tables/{kind}.parquet" for kind in KINDS}
    files = cli.home.files("tables")
    assert len(files) == len(KINDS)
    path = cli.home.settings.home / "lake/tables/note.parquet"
    notes = decode(path.read_bytes())
    rows = list(zip(*(notes[name].to_pylist() for name in ("campaign", "rig", "run", "n")), strict=True))
    assert rows == sorted(rows) and {row[0] for row in rows} == {"other", "speed-up"}
    assert notes.schema.equals(WHOLE_TABLES["note"].schema)
    assert cli.json("tables")["changed"] is False
    path.write_bytes(b"mine")
    assert cli.json("tables")["changed"] is True
    assert cli.home.files("tables") == files


def test_large_lists_are_one_document(cli: Cli) -> None:
    fill(cli, runs=1, notes=0)
    rig = cli.home.rig()
    for number in range(3000):
        rig.say_note(f"note {number} ünïcödé", run="run-1")
    rig.send()
    cli.home.intake()
    ended = cli.run("events", "--json")
    assert ended.out.isascii()
    assert [row["n"] for row in json.loads(ended.out)["events"]] == list(range(1, 3002))


def test_sync_of_a_running_run(cli: Cli) -> None:
    fill(cli)
    cli.json("assign", "--rig", "rig-a", "--run", "run-1", "--campaign", "speed-up")
    cli.json("assign", "--rig", "rig-a", "--run", "run-2", "--campaign", "speed-up")
    fold(cli, "speed-up")
    first = cli.json("sync")["synced"]
    assert [list(row) for row in first] == [["rig", "run", "path", "written", "removed", "unchanged"]] * 2
    assert [(row["run"], row["written"], row["unchanged"]) for row in first] == [("run-1", 4, 0), ("run-2", 4, 0)]
    assert (cli.home.settings.home / first[0]["path"]).is_dir() and not Path(first[0]["path"]).is_absolute()
    again = cli.json("sync", "--run", "run-1", "--check")["synced"]
    assert [(row["rig"], row["written"], row["unchanged"]) for row in again] == [("rig-a", 0, 4)]
    assert cli.json("sync", "--rig", "rig-a", "--run", "run-1")["synced"][0]["written"] == 0
    briefs = {path: path.read_bytes() for path in cli.home.settings.sync.glob("rig-a/*/briefs/*.md")}
    assert {path.parts[-3] for path in briefs} == {"run-1", "run-2"}
    for words in (("sync", "--run", "run-1"), ("sync", "--check")):
        next(path for path in briefs if path.parts[-3] == "run-1").unlink()
        assert "briefs: 1 written" in cli.say(*words)
        assert {path: path.read_bytes() for path in briefs} == briefs
    assert "no run ghost" in cli.fail("sync", "--run", "ghost")
