"""The sample home: made once by `thermite demo`, then looked at with every command."""

import contextlib
import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Cli
from tests.support.homes import make_home
from tests.support.network import no_network
from thermite_pipelines.atoms.model import EXTRACTED_TYPES
from thermite_pipelines.cli.demo import MARKER, last_day
from thermite_pipelines.knowledge import help_reading
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.ledger.envelope import COMMAND_TYPE, parse_envelope
from thermite_pipelines.rig.sample import ledgers, nightly, training
from thermite_pipelines.times import parse_rfc3339, to_datetime

pytestmark = pytest.mark.full  # each test lets whole programs work

RUNS = ["job", "partition", "dagster_run", "status", "seconds"]


@pytest.fixture
def copied(sample: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A copy of the sample home, which a test may change."""
    path = tmp_path / "copied"
    shutil.copytree(sample.home.settings.home, path, symlinks=True, copy_function=_copy_unless_gone)
    monkeypatch.setenv("THERMITE_HOME", str(path))
    return Cli(make_home(path), sample.capsys)


def _copy_unless_gone(source: str, target: str) -> None:
    """Another test may be reading: the files that SQLite keeps beside its databases come and go."""
    with contextlib.suppress(FileNotFoundError):
        shutil.copy2(source, target)


def test_every_kind_of_item_is_there(sample: Cli) -> None:
    assert {row["kind"] for row in sample.json("items")["items"]} == set(KINDS)
    notes = sample.json("items", "--kind", "note")["items"]
    assert {row["note_kind"] for row in notes} == {"observation", "decision", "surprise", "question", "lesson", "note"}
    assert len({row["written_by"] for row in notes}) >= 6
    [document] = [row for row in sample.json("items", "--kind", "document")["items"] if row["version"] > 1]
    assert document["title"] == "lane-1/reading-list.md"
    outcomes = Counter(row["outcome"] for row in sample.json("items", "--kind", "hypothesis")["items"])
    assert outcomes == {"confirmed": 1, "refuted": 1, None: 1}


def test_what_the_owner_explained_is_kept_in_every_type_that_a_message_gives(sample: Cli) -> None:
    atoms = sample.json("search", "memory", "peak", "loss", "batch", "card", "--kind", "atom")["atoms"]
    assert {row["type"] for row in atoms} == set(EXTRACTED_TYPES)
    said = [text for role, text in training.MEMORY_SESSION if role == "human"]
    assert all(any(row["verbatim_quote"] in text for text in said) for row in atoms)


def test_folders_show_all_campaigns_the_grant_and_the_run_in_none(sample: Cli) -> None:
    shown = sample.json("folders")
    training, checks, reading = shown["folders"]
    assert (checks["campaign"], len(checks["runs"]), checks["reads"]) == ("nightly-checks", nightly.NIGHTS, [])
    assert {run["state"] for run in checks["runs"]} == {"completed"}
    assert (training["campaign"], training["reads"]) == ("faster-training", ["optimizer-reading"])
    assert (reading["campaign"], reading["read_by"]) == ("optimizer-reading", ["faster-training"])
    states = {run["run"]: run["state"] for folder in (training, reading) for run in folder["runs"]}
    # The run that answers a request has not begun; its id is random.
    assert [states.pop(run)[:8] for run in list(states) if run.startswith("reply-")] == ["assigned"]
    assert states == {
        "climb-1": "completed",
        "climb-2": "failed",
        "climb-3": "running",
        "memory-goal": "completed",
        "survey-1": "completed",
        "survey-2": "stopped",
    }
    assert training["behind"] == reading["behind"] == checks["behind"] == 0
    assert [(row["run"], row["why"]) for row in shown["unplaced"]] == [("quick-look", "campaign-assigned")]


def test_doctor_finds_what_was_planted_and_nothing_else(sample: Cli) -> None:
    found = sample.json("doctor", code=1)["findings"]
    assert [finding["level"] for finding in found] == ["error", "warning", "note", "note", "note", "note"]
    told = " / ".join(finding["what"] for finding in found)
    planted = ("signed two payloads", "quick-look", "event of rig-a rejected", "of types", "1 of 6 quotes")
    for words in (*planted, "limited by access: The appendix of s3"):
        assert words in told, (words, told)


def test_reports_are_those_that_the_sample_tells(sample: Cli) -> None:
    days = ledgers.days_later(last_day(sample.home.settings.home))
    rows = sample.json("reports")["reports"]
    assert {row["outcome"] for row in rows} == {"accepted", "quarantined"}
    [fork] = sample.json("reports", "--outcome", "quarantined")["reports"]
    assert (fork["reason"], fork["payload_sha256"]) == ("fork", ledgers.rival(days).sha256)
    assert fork["conflicts_with"] in {row["payload_sha256"] for row in rows if row["outcome"] == "accepted"}
    accepted = {row["payload_sha256"] for row in rows if row["outcome"] == "accepted"}
    assert accepted > {report.sha256 for report in ledgers.finished_runs(days)}
    assert [row["reason"] for row in sample.json("events", "--rejected")["events"]] == ["wrong-mode"]
    assert [row["type"] for row in sample.json("events", "--unknown")["events"]] == ["thermal_reading"]
    assert not list(sample.home.settings.inbox.glob("*/*"))


def test_the_running_run_has_its_briefing_and_its_sync(sample: Cli) -> None:
    home = sample.home.settings.home
    command = parse_envelope((home / "commands/rig-a/climb-3.dsse.json").read_bytes(), COMMAND_TYPE)
    payload = json.loads(command.payload)
    assert [entry["item"] for entry in payload["briefing"]] == list(ledgers.PICKS[:-1])
    assert [entry["item"] for entry in payload["queue"]] == [ledgers.COPIED]
    [created] = [row for row in sample.json("items", "--kind", "run")["items"] if row["run"] == "climb-3"]
    assert [entry["text"] for entry in created["briefing"]] == [entry["text"] for entry in payload["briefing"]]
    knowledge = home / "sync/rig-a/climb-3/knowledge"
    assert (knowledge / "README.md").is_file()
    assert list((knowledge / "optimizer-reading/finding").glob("*.md"))
    assert list((knowledge / "faster-training/experiment").glob("*.md"))


def test_one_request_is_answered_by_a_run_of_its_own_and_one_waits(sample: Cli) -> None:
    open_one, answered = sample.json("requests", "list")["requests"]
    assert (open_one["run"], open_one["blocker"], open_one["fatal"]) == ("survey-1", "access", False)
    assert open_one["resolved_at"] is None
    assert (answered["rig"], answered["run"]) == ledgers.ANSWERED
    command = sample.home.settings.home / f"commands/rig-a/{answered['reply']}.dsse.json"
    payload = json.loads(parse_envelope(command.read_bytes(), COMMAND_TYPE).payload)
    assert (payload["command"], payload["reply_to"], payload["campaign"]) == ("start_run", "climb-2", "faster-training")
    assert (payload["kit"], payload["flags"]) == ("nano-lm", ["five-minutes", "vocab-32k"])
    assert payload["prompt"].startswith(f"In reply to your help request climb-2 ({answered['summary']})")
    assert ledgers.REPLY in payload["prompt"]
    [folder] = [one for one in sample.json("folders")["folders"] if one["campaign"] == "optimizer-reading"]
    blocked = {run["run"]: run["blocked_on"] for run in folder["runs"]}
    assert blocked == {"survey-1": open_one["summary"], "survey-2": None}


def test_learnings_are_there_in_every_state_and_one_is_refused(sample: Cli) -> None:
    shown = sample.json("learnings", "list")
    states = {row["id"]: row["state"] for row in shown["learnings"]}
    assert states == {
        ledgers.KEPT: "confirmed",
        ledgers.DROPPED: "rejected",
        "rig-b/memory-goal/l1": "provisional",
        "rig-b/check-01/l1": "lapsed",
        "rig-b/check-14/l1": "provisional",
    }
    left = {row["id"]: row["runs_left"] for row in shown["learnings"]}
    assert (left["rig-b/memory-goal/l1"], left["rig-b/check-14/l1"], left["rig-b/check-01/l1"]) == (19, 12, 0)
    [refused] = shown["refused"]
    assert (refused["run"], refused["reason"]) == ("climb-3", "url")
    told = sample.json("learnings", "list", "--shown-to", "climb-3")["learnings"]
    assert [row["id"] for row in told] == [ledgers.KEPT, "rig-b/memory-goal/l1"]


def test_the_running_runs_worker_has_a_brief_with_what_it_may_know(sample: Cli) -> None:
    briefs = sample.home.settings.home / "sync/rig-a/climb-3/briefs"
    brief = (briefs / "lane-1.md").read_text()
    states = {row["id"]: row for row in sample.json("learnings", "list")["learnings"]}
    assert states[ledgers.KEPT]["text"] in brief and "[established]" in brief
    assert states[ledgers.DROPPED]["text"] not in brief
    assert states["rig-b/check-14/l1"]["text"] not in brief


def test_the_demo_says_what_was_asked_and_learned(copied: Cli) -> None:
    told = copied.say("demo", "--home", copied.home.settings.home)
    assert "was ready before" in told and "briefs/lane-1.md" in told
    for state in ("answered", "waits", "provisional", "confirmed", "lapsed", "rejected", "refused"):
        assert f"    {state.ljust(14)} " in told, state
    # Which run answers is different in each sample, so what is printed names none.
    assert "reply-" not in told and "example.org/allocator" not in told


def test_events_lie_in_the_days_before_the_home_was_made(sample: Cli) -> None:
    day = last_day(sample.home.settings.home)
    times = [to_datetime(parse_rfc3339(row["created_at"])) for row in sample.json("items")["items"]]
    assert max(times).date() == day
    assert (max(times) - min(times)).days < help_reading.KEPT_DAYS // 2


def test_both_rigs_are_exported_once(sample: Cli) -> None:
    exports = sample.home.settings.exports
    assert [sorted(path.name for path in (exports / rig).iterdir() if path.is_dir()) for rig in ledgers.RIGS] == [
        ["000001"]
    ] * 2
    assert (exports / "rig-b/000001/research/survey-1/report.md").is_file()
    assert (exports / "rig-a/000001/journal.jsonl").read_text().count("\n") > 10


def test_each_list_can_be_shown_to_people(sample: Cli) -> None:
    for words in (
        ("rig", "list"),
        ("campaign", "list"),
        ("grants",),
        ("audit",),
        ("reports",),
        ("events",),
        ("items",),
    ):
        assert len(sample.say(*words).splitlines()) >= 2


def test_demo_again_changes_nothing(copied: Cli) -> None:
    def state() -> tuple[Any, ...]:
        return copied.json("reports"), copied.json("audit"), copied.home.files("folders"), copied.home.files("events")

    before = state()
    again = copied.json("demo", "--home", copied.home.settings.home)
    assert again["changed"] is False and again["home"] == str(copied.home.settings.home)
    assert all(list(row) == ["command", "shows"] for row in again["look"])
    assert state() == before
    assert not (copied.home.settings.exports / "rig-a/000002").exists()


def test_a_demo_that_was_cut_off_is_completed(copied: Cli) -> None:
    """All but the marker and half of the reports are gone: the rest is made again, to the same items."""
    items = copied.json("items")
    home = copied.home.settings.home
    copied.home.close()
    for path in home.iterdir():
        if path.name not in (MARKER, "rig-keys"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    report = ledgers.finished_runs(ledgers.days_later(last_day(home)))[0]
    inbox = home / "inbox" / report.rig
    inbox.mkdir(parents=True)
    (inbox / f".{report.name}.part").write_bytes(b"half")
    assert copied.json("demo", "--home", home)["changed"] is True
    assert Cli(make_home(home), copied.capsys).json("items") == items


@pytest.mark.parametrize("content", ["", "{}", '{"schema": "thermite.sample/1"}', '{"schema": "thermite.sample/2"}'])
def test_demo_refuses_a_sample_of_another_version(cli: Cli, tmp_path: Path, content: str) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / MARKER).write_text(content)
    assert "another version" in cli.fail("demo", "--home", tmp_path / "old")
    assert [path.name for path in (tmp_path / "old").iterdir()] == [MARKER]


def test_demo_refuses_a_folder_with_other_data(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("years of work")
    assert "other data" in cli.fail("demo", "--home", tmp_path / "mine")
    assert "no folder" in cli.fail("demo", "--home", tmp_path / "mine/thesis.txt")
    assert "other data" in cli.fail("demo", "--home", cli.home.settings.home)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]
    monkeypatch.setenv("THERMITE_LAKE_URL", str(tmp_path / "lake"))
    assert "THERMITE_LAKE_URL" in cli.fail("demo", "--home", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_refresh_export_and_rebuild_through_dagster(copied: Cli) -> None:
    idle = copied.json("refresh", "--no-llm")
    assert idle["ok"] is True and all(list(run) == RUNS for run in idle["runs"])
    done = copied.json("export", "--rig", "rig-a")
    assert list(done) == ["rig", "number", "path", "files"]
    assert (done["rig"], done["number"], done["path"]) == ("rig-a", "000002", "exports/rig-a/000002")
    assert done["files"]["journal.jsonl"] == 0
    before = {**copied.home.files("folders"), **copied.home.files("events")}
    rebuilt = copied.json("rebuild", "--campaign", "optimizer-reading")
    assert rebuilt["ok"] is True and {run["partition"] for run in rebuilt["runs"]} == {"optimizer-reading"}
    rebuilt = copied.json("rebuild", "--all")
    assert {run["partition"] for run in rebuilt["runs"]} >= {"rig-a", "rig-b", "optimizer-reading", "faster-training"}
    assert {**copied.home.files("folders"), **copied.home.files("events")} == before


def test_kb_38_a_refresh_needs_no_network(copied: Cli) -> None:
    copied.json("revoke", "faster-training", "optimizer-reading", "--by", "ann")
    with no_network():
        done = copied.json("refresh")
    assert done["ok"] and done["runs"]


def test_the_rules_make_a_tree_of_the_samples_facts(sample: Cli) -> None:
    """Syntheses of the sample reach depth 1 at least, and the closing lines say so and where to look at them."""
    shown = sample.say("demo", "--home", sample.home.settings.home)
    assert re.search(r"faster-training +\d+ facts; syntheses: \d+ of depth 0, \d+ of depth 1", shown)
    page = sample.home.settings.home / "pages" / "synthesis" / "faster-training.html"
    assert str(page) in shown and page.is_file()
