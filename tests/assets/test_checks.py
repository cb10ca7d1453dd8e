"""Each check passes on good data, and fails on planted bad data with a sample that says where."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import update

from tests.knowledge.exporting import PAGE, ExportHome
from tests.ledger.samples import sha256
from tests.support.homes import Home
from tests.support.pipelines import Pipelines, open_pipelines, plain
from thermite_pipelines.control.models import CampaignState, Receipt
from thermite_pipelines.knowledge.help_reading import help_requests, is_open
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.listing import folder_rows
from thermite_pipelines.knowledge.readable import Reader
from thermite_pipelines.learnings import actions
from thermite_pipelines.tables.parquet import decode, encode
from thermite_pipelines.tables.schemas import ITEM_TABLES
from thermite_pipelines.times import format_rfc3339, now_micros

DAY = 86_400 * 1_000_000
SOURCE = {"source": "s1", "url": "https://example.org", "text": PAGE, "text_sha256": sha256(PAGE)}
QUOTE = {"source": "s1", "quote": PAGE[:20]}


@pytest.fixture
def pipelines(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipelines]:
    """A home whose data are all good: an assigned run with a round, a source and a claim, and one that goes on."""
    home.campaign("speed-up")
    rig = home.rig()
    rig.say_run()
    rig.say("round_started", {"round": "r1", "kind": "review"})
    rig.say("round_ended", {"round": "r1"})
    rig.say("journal_note", {"note": "n1", "kind": "note", "text": "t", "about": {"kind": "round", "id": "r1"}})
    rig.say("source_archived", SOURCE | {"fetched_at": "2026-11-29T10:00:00Z"})
    rig.say("claim_recorded", {"claim": "c1", "text": "It is fast.", "quotes": [QUOTE]})
    rig.send()
    for run in ("run-1", "run-2"):
        ExportHome(home).assign(run, "speed-up")
    with open_pipelines(home, monkeypatch) as opened:
        opened.done("take_reports", "rig-a")
        opened.done("refresh_campaign", "speed-up")
        yield opened


def checked(pipelines: Pipelines, job: str = "check_all") -> dict[str, dict[str, Any]]:
    """What each check said: its metadata, with `passed` and `severity`."""
    return {
        one.check_name: {name: plain(value) for name, value in one.metadata.items()}
        | {"passed": one.passed, "severity": one.severity.value}
        for one in pipelines.done(job).get_asset_check_evaluations()
    }


def failed(pipelines: Pipelines, job: str = "check_all") -> dict[str, list[dict[str, Any]]]:
    """The samples of the checks that failed."""
    return {name: one["sample"] for name, one in checked(pipelines, job).items() if not one["passed"]}


def test_good_data_pass_all(pipelines: Pipelines) -> None:
    found = checked(pipelines)
    assert len(found) == 25
    assert {name for name, one in found.items() if not one["passed"]} == set()
    assert all(one["findings"] == 0 for one in found.values())
    assert set(checked(pipelines, "check_often")) < set(found)


def test_what_a_rig_got_wrong(pipelines: Pipelines) -> None:
    """A fork, an old gap, a clock ahead, rejected events, an unplaced run, a false quote, an early note."""
    home = pipelines.home
    rig = home.rig()
    twin = rig.fork()
    twin.say_note("another past")
    other = twin.report()
    rig.say("claim_recorded", {"claim": "c2", "text": "So it is.", "quotes": [{"source": "s1", "quote": "never said"}]})
    rig.say("round_started", {"round": "r2", "kind": "plan"})
    rig.say("journal_note", {"note": "n2", "kind": "note", "text": "t", "about": {"kind": "round", "id": "r2"}})
    rig.say("journal_note", {"note": "n3", "kind": "not a kind", "text": "t"})
    rig.say_run("run-9", campaign="nobody-knows-it")
    rig.sent_at = "2036-11-29T10:15:00.000Z"
    rig.send()
    home.intake()
    rig.drop(other)
    rig.say_note("never sent")
    rig.report()
    rig.say_note("waits for it")
    rig.send()
    pipelines.done("take_reports", "rig-a")
    with home.control.write() as connection:
        connection.execute(
            update(Receipt).where(Receipt.outcome == "waiting").values(arrived_at=now_micros() - 2 * DAY)
        )
    pipelines.done("refresh_campaign", "speed-up")

    found = failed(pipelines)
    assert set(found) == {
        "no_forks",
        "no_old_gaps",
        "clocks_agree",
        "few_rejected",
        "all_runs_placed",
        "quotes_verified",
        "notes_follow_their_round",
    }
    assert [(row["rig"], row["ledger"], row["seq"]) for row in found["no_forks"]] == [("rig-a", "L1", 2)]
    assert [(row["rig"], row["first_waiting"], row["waiting"]) for row in found["no_old_gaps"]] == [("rig-a", 4, 1)]
    assert found["clocks_agree"][0]["seconds_ahead"] > 300_000_000 - 1
    assert found["few_rejected"][0]["rejected"] == 1
    assert found["all_runs_placed"] == [{"rig": "rig-a", "ledger": "L1", "run": "run-9", "why": "unknown-campaign"}]
    assert found["quotes_verified"] == [{"campaign": "speed-up", "quotes": 2, "unverified": 1, "share": 0.5}]
    assert found["notes_follow_their_round"][0]["note"] == "note:rig-a/run-1/n2"
    severities = {name: one["severity"] for name, one in checked(pipelines).items() if not one["passed"]}
    assert severities.pop("no_forks") == "ERROR"
    assert set(severities.values()) == {"WARN"}
    # The catalog counts them for the campaign.
    pipelines.done("refresh_campaign", "speed-up")
    catalog = pipelines.metadata("knowledge/folder_catalog")["campaigns"]
    assert [(row["campaign"], row["findings"]) for row in catalog] == [("speed-up", 2)]


def test_a_clock_that_was_put_right_is_no_finding(pipelines: Pipelines) -> None:
    rig = pipelines.home.rig()
    for sent_at in ("2036-11-29T10:15:00.000Z", "2026-11-29T10:15:00.000Z"):
        rig.sent_at = sent_at
        rig.say_note()
        rig.send()
        pipelines.home.intake()
    assert "clocks_agree" not in failed(pipelines, "check_often")


def test_files_that_are_not_what_was_written(pipelines: Pipelines) -> None:
    """A folder that lacks an item, and one that lost a column's values; a sync that somebody wrote to."""
    home = pipelines.home
    for kind, change in (("claim", lambda rows: rows.slice(0, 0)), ("note", _without_writer)):
        path = next(entry.path for entry in home.lake.list(f"folders/{kind}"))
        home.lake.put(path, encode(_loose(ITEM_TABLES[kind]), change(decode(home.lake.get(path)))))
    knowledge = home.settings.sync / "rig-a" / "run-2" / "knowledge"
    some = next(path for path in knowledge.rglob("*.md") if path.parent.name == "claim")
    some.chmod(0o644)
    some.write_text("other words")

    found = failed(pipelines)
    assert set(found) == {"folder_equals_events", "files_as_written", "sync_as_written"}
    claim = {"campaign": "speed-up", "rig": "rig-a", "run": "run-1", "kind": "claim", "items": 0, "due": 1}
    assert found["folder_equals_events"] == [claim]
    wrong = [row["wrong"] for row in found["files_as_written"]]
    assert wrong.count("changed or gone") == 2 and "1 nulls" in wrong
    hashed = some.stem[-16:]
    assert found["sync_as_written"] == [{"rig": "rig-a", "run": "run-2", "file": f"speed-up/claim/{hashed}"}]


def test_a_run_with_another_briefing_than_control_gave(pipelines: Pipelines) -> None:
    rig = pipelines.home.rig()
    told = {"item": "claim:a/b/c", "kind": "claim", "campaign": "x", "rig": "a", "run": "b", "by": "planner"}
    rig.say_run("run-2", data={"briefing": [told | {"at": "2026-11-29T10:00:00Z", "text": "I say so."}]})
    rig.send()
    pipelines.done("take_reports", "rig-a")
    assert failed(pipelines)["briefing_as_assigned"] == [
        {"rig": "rig-a", "run": "run-2", "assigned": 0, "created_with": 1}
    ]


def test_a_campaign_that_is_behind_for_long(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    home = pipelines.home
    home.rig().say_note()
    home.rig().send()
    home.intake()
    assert failed(pipelines, "check_often") == {}
    with home.control.write() as connection:
        connection.execute(update(CampaignState).values(behind_since=now_micros() - 901 * 1_000_000))
    sample = failed(pipelines, "check_often")["no_campaign_behind"]
    assert [(row["campaign"], row["events_behind"]) for row in sample] == [("speed-up", 1)]
    assert 901 <= sample[0]["lag_seconds"] < 2000
    monkeypatch.setenv("THERMITE_LAG_WARN_SECONDS", "3000")
    assert failed(pipelines, "check_often") == {}


def test_a_fatal_request_that_nobody_answers(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only those that stopped the work and are open for longer than an hour; where they are, and never a text."""
    rig = pipelines.home.rig()
    for run, minutes in {"run-4": 100, "run-5": 59, "run-6": 90}.items():
        ExportHome(pipelines.home).assign(run, "speed-up")
        at = format_rfc3339(now_micros() - minutes * 60_000_000)
        asked = {"request": "q", "agent": "worker", "blocker": "access", "summary": "no key"}
        rig.say_run(run, at=at)
        rig.say("help_requested", asked | {"fatal": run != "run-6"}, run=run, at=at)
    rig.send()
    pipelines.done("take_reports", "rig-a")
    pipelines.done("refresh_campaign", "speed-up")
    one = checked(pipelines, "check_often")["fatal_requests_answered"]
    assert (one["passed"], one["severity"]) == (False, "ERROR")
    shown = {"campaign": "speed-up", "rig": "rig-a", "run": "run-4", "agent": "worker", "blocker": "access"}
    assert one["sample"] == [shown | {"hours_open": 1.7}]
    with monkeypatch.context() as patch:
        patch.setenv("THERMITE_FATAL_HELP_WARN_SECONDS", "7200")
        assert failed(pipelines, "check_often") == {}
    actions.resolve(open_home(), "run-4", by="olga")
    assert failed(pipelines, "check_often") == {}


def test_hl_07_the_check_names_what_lists_and_runs_name(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_FATAL_HELP_WARN_SECONDS", "60")
    rig = pipelines.home.rig()
    runs = [f"asks-{number:02d}" for number in range(50)]
    at = format_rfc3339(now_micros() - 600_000_000)
    pipelines.home.campaign("asking")
    for number, run in enumerate(runs):
        asked = {"request": "q", "agent": "worker", "blocker": "tooling", "summary": f"no tool {number % 9}"}
        rig.say_run(run, campaign="asking", at=at)
        rig.say("help_requested", asked | {"fatal": True}, run=run, campaign="asking", at=at)
    rig.send()
    pipelines.done("take_reports", "rig-a")
    pipelines.done("refresh_campaign", "asking")
    home = open_home()
    actions.resolve(home, "asks-07", by="olga")
    sample = failed(pipelines, "check_often")["fatal_requests_answered"]
    left = [run for run in runs if run != "asks-07"]
    listed = [row["run"] for row in help_requests(home) if is_open(row)]
    shown = [run for folder in folder_rows(home, Reader.owner()) for run in folder["runs"]]
    blocked = [run["run"] for run in shown if run["blocked_on"] is not None]
    assert sorted(row["run"] for row in sample) == sorted(listed) == sorted(blocked) == left


def test_an_agent_whose_learnings_people_drop(pipelines: Pipelines) -> None:
    """Three dropped, and half of those that people decided about; what nobody judged does not count."""
    home = open_home()
    rig = pipelines.home.rig()
    words = ["loader", "warmup", "batch", "cache", "dropout", "schedule", "gradient"]
    for agent, many in (("worker", 7), ("planner", 7)):
        for word in words[:many]:
            data = {"learning": f"{agent}-{word}", "agent": agent, "text": f"{word} {word}s", "impact": "low"}
            rig.say("learning_proposed", data)
    rig.send()
    pipelines.done("take_reports", "rig-a")
    pipelines.done("refresh_campaign", "speed-up")
    for agent, dropped, kept in (("worker", 3, 3), ("planner", 3, 4)):
        for number, word in enumerate(words[: dropped + kept]):
            act = actions.drop if number < dropped else actions.keep
            act(home, f"rig-a/run-1/{agent}-{word}", by="olga")
    one = checked(pipelines)["learnings_are_kept"]
    assert (one["passed"], one["severity"]) == (False, "WARN")
    assert one["sample"] == [{"campaign": "speed-up", "agent": "worker", "dropped": 3, "judged": 6}]
    actions.drop(home, "rig-a/run-1/planner-gradient", by="olga")
    rows = failed(pipelines)["learnings_are_kept"]
    assert [(row["agent"], row["dropped"], row["judged"]) for row in rows] == [("planner", 4, 7), ("worker", 3, 6)]


def test_briefs_that_are_not_as_they_were_written(pipelines: Pipelines) -> None:
    briefs = pipelines.home.settings.sync / "rig-a" / "run-2" / "briefs"
    written = briefs / "planner.md"
    written.chmod(0o644)
    written.write_text("other words")
    (briefs / "words of a stranger.md").write_text("x")
    (briefs / "lane-1.json").unlink()
    found = failed(pipelines)
    assert set(found) == {"briefs_as_written"}
    place = {"rig": "rig-a", "run": "run-2"}
    assert found["briefs_as_written"] == [place | {"file": name} for name in ("lane-1.json", "planner.md", "another")]
    pipelines.done("sync_campaign", "speed-up")
    assert failed(pipelines) == {}


def test_a_failed_check_fails_no_run(pipelines: Pipelines) -> None:
    pipelines.home.rig().say_run("run-9", campaign=None)
    pipelines.home.rig().send()
    pipelines.home.intake()
    assert pipelines.run("check_often").success
    assert "all_runs_placed" in failed(pipelines, "check_often")


def _without_writer(rows: Any) -> Any:
    import pyarrow as pa

    place = rows.schema.get_field_index("written_by")
    return rows.set_column(place, pa.field("written_by", pa.string()), pa.nulls(rows.num_rows, pa.string()))


def _loose(table: Any) -> Any:
    """A table whose columns may all be null, to write what the pipeline never would."""
    from dataclasses import replace

    return replace(table, columns=tuple(replace(column, nullable=True) for column in table.columns))
