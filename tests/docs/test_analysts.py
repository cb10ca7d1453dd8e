"""The questions of the analysts' guide, asked of a small store, give the answers that its events say."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.docs.pages import Block, blocks
from tests.knowledge import golden
from tests.knowledge.filing import assign_run, refresh
from tests.support.homes import make_home
from tests.support.rigs import RigSimulator
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.model_calls import record_call, write_model_calls
from thermite_pipelines.knowledge.whole_tables import write_tables
from thermite_pipelines.times import parse_rfc3339

PAGE = "docs/analysts.md"
Row = dict[str, Any]
Said = dict[str, list[Row]]
"""All events by rig, as they were said; each run here has a name of its own."""

CAMPAIGN_OF = {"run-1": "one", "run-2": "one", "run-3": "two", "lost": None}

CALL = {
    "asset": "atoms/atoms",
    "run": "r",
    "model": "openai/small",
    "prompt_version": "extract_atoms/1",
    "cache_key": "0" * 64,
    "ms": 5,
    "attempts": 1,
    "cached": False,
    "outcome": "answered",
}
CALLS: list[Row] = [
    {"campaign": campaign, "asked_at": parse_rfc3339(at), "tokens_in": 100, "tokens_out": 10, "usd": usd} | more
    for campaign, at, usd, more in (
        ("one", "2026-11-22T23:59:59Z", 0.5, {}),
        ("one", "2026-11-23T00:00:00Z", 0.25, {}),
        ("one", "2026-11-29T12:00:00Z", None, {"outcome": "deadline", "tokens_in": None}),
        ("one", "2026-11-29T12:00:01Z", 0.0, {"cached": True, "outcome": "cached", "tokens_in": 0, "tokens_out": 0}),
        ("two", "2026-11-25T00:00:00Z", 0.125, {}),
    )
]


def at(minute: int) -> str:
    return f"2026-11-29T{10 + minute // 60:02d}:{minute % 60:02d}:00Z"


def minute_of(time: str) -> int:
    return (int(time[11:13]) - 10) * 60 + int(time[14:16])


def say_run(rig: RigSimulator, run: str, first: int) -> None:
    """A run with trials, experiments, attempts, notes, claims and hypotheses, some of them not ended."""
    rig.say_run(run, "research", campaign="named")
    for number in range(first, first + 4):
        ids = {"experiment": f"e{number}", "trial": f"t{number}"}
        rig.say("experiment_queued", {"experiment": f"e{number}", "title": f"Try {number}"}, run=run, at=at(number))
        session = {"lane": f"lane-{number % 2 + 1}", "kind": "code", "runtime": ("pi", "codex")[number % 3 // 2]}
        rig.say("trial_started", ids | session, run=run)
        rig.say("attempt_submitted", {"attempt": f"a{number}"} | ids, run=run)
        about = {"kind": "experiment", "id": f"e{number}"} if number % 2 else None
        words = {"note": f"n{number}", "kind": ("lesson", "surprise")[number % 2], "text": f"Of {number}."}
        rig.say("journal_note", words | {"about": about}, run=run, by=("planner", "lane-1")[number % 2])
        if number % 4 == 3:
            continue  # nothing of this one has ended
        verdict = ("accepted", "rejected", "invalid")[number % 3]
        rig.say("attempt_judged", {"attempt": f"a{number}", "verdict": verdict}, run=run)
        rig.say("trial_ended", {"trial": f"t{number}", "outcome": ("submitted", "timed_out")[number % 2]}, run=run)
        result = {"status": ("improved", "worse")[number % 2], "metric": "ms", "value": 40 - number, "baseline": 40}
        rig.say("experiment_finished", ids | result, run=run, at=at(number + 7 * (first + 1)))
    page = golden.EVENTS[12].data
    rig.say("source_archived", page, run=run)
    for number in range(3):
        quotes = [
            {"source": "s1", "quote": ("Warm", "Cold")[(number + first) % 2]},
            {"source": "s1", "quote": "caches"},
        ]
        rig.say("claim_recorded", {"claim": f"c{number}", "text": "So.", "quotes": quotes}, run=run)
        rig.say("hypothesis_recorded", {"hypothesis": f"h{number}", "text": "So."}, run=run)
    rig.say("hypothesis_resolved", {"hypothesis": "h0", "outcome": ("confirmed", "refuted")[first % 2]}, run=run)
    for items in (["note:rig-a/run-1/n0"], [], [f"note:rig-b/run-3/n{first}", "note:rig-a/run-1/n0"]):
        rig.say("brief_given", {"agent": "worker", "learnings": [], "items": items}, run=run)
    for number, blocker in enumerate(("access", "access", None, "tooling")[first:]):
        help = {"request": f"h{number}", "agent": ("worker", "planner")[number % 2], "summary": "It is shut."}
        rig.say("help_requested", help | {"fatal": number % 2 == 0, "blocker": blocker}, run=run)


@pytest.fixture(scope="module")
def said(ready_record: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Said]:
    """A sample store in `.thermite` of the current folder; what its rigs said."""
    folder = tmp_path_factory.mktemp("analyst")
    home = make_home(folder / ".thermite", ready_record)
    for run, rig in (("run-1", "rig-a"), ("run-2", "rig-a"), ("run-3", "rig-b")):
        assign_run(home, rig, run, CAMPAIGN_OF[run] or "")
    say_run(home.rig("rig-a"), "run-1", 0)
    say_run(home.rig("rig-a"), "run-2", 1)
    say_run(home.rig("rig-b"), "run-3", 2)
    home.rig("rig-b").say_run("lost", "goal", campaign="nobody-knows")
    found: Said = {}
    for name, rig in home.simulators.items():
        found[name] = list(rig.said)
        rig.send()
        home.intake(name)
        assert not home.events(name, "rejected_events")
    refresh(home, "one", "two")
    write_tables(open_home(home.settings))
    for call in CALLS:
        record_call(home.control, **CALL | call)
    for campaign in ("one", "two"):
        write_model_calls(open_home(home.settings), campaign)
    home.close()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield found


def ask(number: str) -> list[Row]:
    """Run the blocks of a question and give the rows of its answer."""
    import duckdb
    import pandas as pd
    import polars as pl

    first, *questions = blocks(PAGE, "python")
    names: dict[str, Any] = {}
    before = [first] + [block for block in questions if block.heading.startswith("8.") and not number[0].isdigit()]
    for block in [*before, *(block for block in questions if block.heading.startswith(number))]:
        run_block(block, names)
    answer = names["answer"]
    if isinstance(answer, duckdb.DuckDBPyRelation):
        return answer.arrow().read_all().to_pylist()
    if isinstance(answer, pl.DataFrame):
        return answer.to_dicts()
    if isinstance(answer, pd.Series):
        return [{str(key): value for key, value in answer.items()}]
    assert isinstance(answer, pd.DataFrame)
    return [{str(key): value for key, value in row.items()} for row in answer.reset_index().to_dict("records")]


def run_block(block: Block, names: dict[str, Any]) -> None:
    exec(compile(block.text, f"{block.page}:{block.line}", "exec"), names)


def events(said: Said, *types: str, placed: bool = True) -> list[Row]:
    found = [event | {"rig": rig} for rig in sorted(said) for event in said[rig]]
    return [
        event for event in found if event["type"] in types and (CAMPAIGN_OF[event["run"]] is not None or not placed)
    ]


def by_campaign(rows: list[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[CAMPAIGN_OF[row["run"]] or ""].append(row)
    return dict(sorted(groups.items()))


def test_the_page_uses_all_three_tools_for_seventeen_questions() -> None:
    questions = [block for block in blocks(PAGE, "python") if block.heading[0].isdigit()]
    assert [int(block.heading.partition(".")[0]) for block in questions] == list(range(1, 18))
    assert all(any(tool in block.text for block in questions) for tool in ("duckdb.", "pd.", "pl."))


def test_1_which_campaigns_improved_most(said: Said) -> None:
    expected = []
    for campaign, rows in by_campaign(events(said, "experiment_finished")).items():
        better = [row["data"] for row in rows if row["data"]["status"] == "improved"]
        gain = max((40 - data["value"]) / 40 for data in better)
        row = {"campaign": campaign, "ended": len(rows), "improved": len(better), "best_gain": pytest.approx(gain)}
        expected.append(row)
    expected.sort(key=lambda row: (-row["improved"] / row["ended"], row["campaign"]))
    assert ask("1.") == expected


def test_2_how_often_each_lane_is_accepted(said: Said) -> None:
    lane_of = {(e["run"], e["data"]["trial"]): e["data"]["lane"] for e in events(said, "trial_started")}
    trial_of = {(e["run"], e["data"]["attempt"]): e["data"]["trial"] for e in events(said, "attempt_submitted")}
    verdicts: dict[str, list[bool]] = defaultdict(list)
    for event in events(said, "attempt_judged"):
        lane = lane_of[event["run"], trial_of[event["run"], event["data"]["attempt"]]]
        verdicts[lane].append(event["data"]["verdict"] == "accepted")
    assert ask("2.") == [
        {"lane": lane, "judged": len(found), "accepted": pytest.approx(sum(found) / len(found))}
        for lane, found in sorted(verdicts.items())
    ]


def test_3_unverified_quotes_by_campaign(said: Said) -> None:
    assert ask("3.") == [
        {
            "campaign": campaign,
            "quotes": sum(len(row["data"]["quotes"]) for row in rows),
            "unverified": sum(quote["quote"] == "Cold" for row in rows for quote in row["data"]["quotes"]),
        }
        for campaign, rows in by_campaign(events(said, "claim_recorded")).items()
    ]


def test_4_hypotheses_by_outcome(said: Said) -> None:
    outcomes = Counter(event["data"]["outcome"] for event in events(said, "hypothesis_resolved"))
    outcomes["open"] = len(events(said, "hypothesis_recorded")) - outcomes.total()
    assert ask("4.") == [dict(sorted(outcomes.items()))]


def test_5_the_journal_of_a_run(said: Said) -> None:
    notes = [event for event in events(said, "journal_note") if event["run"] == "run-1"]
    found = [(row["written_by"], row["note_kind"], row["text"]) for row in ask("5.")]
    assert found == [(event["by"], event["data"]["kind"], event["data"]["text"]) for event in notes]
    assert len(found) == 4


def test_6_time_from_queue_to_end(said: Said) -> None:
    minutes = {
        (event["type"], event["run"], event["data"]["experiment"]): int(event["at"][11:13]) * 60
        + int(event["at"][14:16])
        for event in events(said, "experiment_queued", "experiment_finished")
    }
    expected = []
    for campaign, rows in by_campaign(events(said, "experiment_finished")).items():
        names = [(row["run"], row["data"]["experiment"]) for row in rows]
        waits = [minutes["experiment_finished", *name] - minutes["experiment_queued", *name] for name in names]
        row = {"campaign": campaign, "experiments": len(rows), "median_minutes": pytest.approx(median(waits))}
        expected.append(row)
    assert ask("6.") == expected


def test_7_notes_about_experiments(said: Said) -> None:
    titles = {(e["run"], e["data"]["experiment"]): e["data"]["title"] for e in events(said, "experiment_queued")}
    expected = [
        {
            "item": f"experiment:{event['rig']}/{event['run']}/{event['data']['about']['id']}",
            "title": titles[event["run"], event["data"]["about"]["id"]],
            "written_by": event["by"],
            "text": event["data"]["text"],
        }
        for event in events(said, "journal_note")
        if event["data"]["about"]
    ]
    assert ask("7.") == sorted(expected, key=lambda row: row["item"])
    assert len(expected) == 6


def test_8_runs_in_no_folder(said: Said) -> None:
    (lost,) = [event for event in events(said, "run_created", placed=False) if event["run"] == "lost"]
    row = {"rig": "rig-b", "ledger": "L1", "run": "lost", "named": "nobody-knows", "mode": lost["data"]["mode"]}
    assert ask("8.") == [row]


def test_9_how_trials_end_by_runtime(said: Said) -> None:
    outcome = {(e["run"], e["data"]["trial"]): e["data"]["outcome"] for e in events(said, "trial_ended")}
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for event in events(said, "trial_started"):
        counts[event["data"]["runtime"]][outcome.get((event["run"], event["data"]["trial"]), "running")] += 1
    names = sorted({name for found in counts.values() for name in found})
    assert ask("9.") == [{"runtime": key} | {name: counts[key][name] for name in names} for key in sorted(counts)]


def test_10_items_shown_most_often(said: Said) -> None:
    shown = Counter(item for event in events(said, "brief_given") for item in event["data"]["items"])
    expected = sorted(shown.items(), key=lambda entry: (-entry[1], entry[0]))
    assert ask("10.") == [{"items": item, "shown": count} for item, count in expected]


def test_11_what_each_campaign_cost_by_week(said: Said) -> None:
    rows = [
        ("one", date(2026, 11, 16), 1, 0, 110, 0.5, 0),
        ("one", date(2026, 11, 23), 3, 1, 110, 0.25, 1),
        ("two", date(2026, 11, 23), 1, 0, 110, 0.125, 0),
    ]
    names = ("campaign", "week", "questions", "cached", "tokens", "usd", "unknown")
    assert ask("11.") == [dict(zip(names, row, strict=True)) for row in rows]


def test_12_what_stands_in_the_agents_way(said: Said) -> None:
    asked: Counter[tuple[str, str, str]] = Counter()
    stopped: Counter[tuple[str, str, str]] = Counter()
    for event in events(said, "help_requested"):
        data = event["data"]
        key = (CAMPAIGN_OF[event["run"]] or "", data["agent"], data["blocker"] or "other")
        asked[key] += 1
        stopped[key] += data["fatal"]
    expected = [(*key, count, stopped[key]) for key, count in asked.items()]
    expected.sort(key=lambda row: (-row[3], -row[4], row))
    names = ("campaign", "agent", "blocker", "asked", "stopped")
    assert ask("12.") == [dict(zip(names, row, strict=True)) for row in expected]
    assert asked.total() == 9 and max(asked.values()) > 1


def test_from_an_item_back_to_its_report(said: Said) -> None:
    found = ask("From")
    notes = events(said, "journal_note")
    assert [row["item"] for row in found] == sorted(f"note:{e['rig']}/{e['run']}/{e['data']['note']}" for e in notes)
    assert {len(row["report_sha256"]) for row in found} == {64}
    assert {row["seq"] for row in found} == {1}


def test_a_home_is_not_needed_for_questions(said: Said) -> None:
    """Only the lake is read: neither control's record nor our code."""
    text = "".join(block.text for block in blocks(PAGE, "python"))
    assert "thermite_pipelines" not in text and "control" not in text
