"""`thermite requests`: what agents asked for, as the command line lists it, and what people answer."""

import json
import re
import warnings
from typing import Any, get_args

import pytest

from tests.cli.channels import (
    CAMPAIGN,
    REQUEST,
    arrive,
    ask,
    assigned,
    blocked,
    now,
    open_run,
    opened,
    requests,
)
from tests.cli.commands import Cli
from tests.cli.test_doctor import findings
from tests.cli.test_reading import fold
from thermite_pipelines.cli.requests import Blocker
from thermite_pipelines.knowledge.help_reading import BLOCKERS
from thermite_pipelines.learnings.folding import refresh_channels
from thermite_pipelines.ledger.envelope import COMMAND_TYPE, parse_envelope

SETUP = {"kit": "kit-7", "flags": ["--fast", "--no-cache"], "routes": ["large", "small"]}
ANSWER = ("--text", "the key is there now", "--by", "olga")


def command_of(cli: Cli, path: str) -> dict[str, Any]:
    raw = (cli.home.settings.home / path).read_bytes()
    return json.loads(parse_envelope(raw, COMMAND_TYPE).payload)


def runs_of(cli: Cli) -> list[str]:
    return [run["run"] for folder in cli.json("folders")["folders"] for run in folder["runs"]]


def actions(cli: Cli) -> list[tuple[str, str, str]]:
    found = [(entry["action"], entry["subject"], entry["by"]) for entry in cli.json("audit")["entries"]]
    return [entry for entry in found if entry[0] in ("reply", "resolve")]


def test_lists_are_empty_before_anything_was_folded(cli: Cli) -> None:
    empty = {"open": 0, "asked_again": 0, "by_blocker": dict.fromkeys(BLOCKERS, 0)}
    assert cli.json("requests", "list") == {"requests": [], **empty}
    assert cli.json("requests", "list", "--grouped") == {"groups": [], **empty}
    assert cli.say("requests", "list") == "no help requests\n"
    assert cli.say("requests", "list", "--grouped") == "no open help requests\n"
    assert not cli.home.settings.help.joinpath("learnings.jsonl").exists()


def test_hl_01_requests_are_listed_with_a_count_of_open_ones(cli: Cli) -> None:
    rig = open_run(cli, "run-1", "run-2", "run-3")
    for run in ("run-1", "run-2", "run-3"):
        ask(rig, f"no key on {run}", run=run)
    arrive(cli)
    assert cli.json("requests", "resolve", "run-2", "--by", "olga") == {
        "changed": True,
        "rig": "rig-a",
        "run": "run-2",
        "resolved": 1,
    }
    document = cli.json("requests", "list")
    assert [row["run"] for row in document["requests"]] == ["run-1", "run-2", "run-3"]
    assert all(list(row)[: len(REQUEST)] == REQUEST for row in document["requests"])
    assert [row["resolved_at"] is None for row in document["requests"]] == [True, False, True]
    assert (document["open"], document["by_blocker"]["access"]) == (2, 2)
    assert [row["run"] for row in requests(cli, "--open")] == ["run-1", "run-3"]
    assert cli.say("requests", "list").endswith("2 open of 3 (2 access)\n")


def test_hl_03_a_run_that_finished_may_carry_a_limitation(cli: Cli) -> None:
    rig = open_run(cli)
    ask(rig, "no network", blocker="environment")
    rig.say("run_started", run="run-1", at=now())
    rig.say("run_finished", {"outcome": "completed"}, run="run-1", at=now())
    arrive(cli)
    [run] = cli.json("folders")["folders"][0]["runs"]
    assert (run["state"], run["blocked_on"]) == ("completed", "no network")
    assert [one["fatal"] for one in requests(cli)] == [False]
    [limit] = [one for one in findings(cli, code=0) if "no network" in one["what"]]
    assert limit["level"] == "note", "it stopped nothing, so nobody is called"
    assert re.search(rf"^{CAMPAIGN} +rig-a +run-1 +completed +no network$", cli.say("folders"), re.MULTILINE)


def test_hl_05_without_a_category_it_is_other(cli: Cli) -> None:
    rig = open_run(cli)
    ask(rig, "absent", blocker=None)
    rig.say(
        "help_requested",
        {"request": "null", "agent": "worker", "blocker": None, "summary": "null", "fatal": True},
        at=now(),
    )
    arrive(cli)
    assert {row["summary"]: row["blocker"] for row in requests(cli)} == {"absent": "other", "null": "other"}


def test_hl_06_an_unknown_category_is_an_error_that_lists_the_six(cli: Cli) -> None:
    rig = open_run(cli)
    ask(rig, "misspelt", blocker="acess")
    arrive(cli)
    assert cli.json("requests", "list")["requests"] == []
    [event] = cli.json("events", "--rejected")["events"]
    assert event["reason"] == "bad-data" and all(name in event["detail"] for name in BLOCKERS)
    assert get_args(Blocker) == BLOCKERS
    line = cli.fail("requests", "list", "--blocker", "acess", code=2)
    assert all(name in line for name in BLOCKERS)


def test_hl_07_list_doctor_and_runs_read_the_same_store(cli: Cli) -> None:
    runs = [f"run-{number:02d}" for number in range(50)]
    rig = open_run(cli, *runs)
    for number, run in enumerate(runs):
        ask(rig, f"blocked {number % 7}", run=run, fatal=number % 3 == 0)
    arrive(cli)
    assert sorted(row["run"] for row in requests(cli)) == runs
    assert sorted(blocked(cli)) == runs
    said = " ".join(one["what"] for one in findings(cli))
    assert [run for run in runs if f"rig-a/{run}" in said] == runs
    cli.json("requests", "resolve", "run-07", "--by", "olga")
    left = [run for run in runs if run != "run-07"]
    said = " ".join(one["what"] for one in findings(cli))
    assert sorted(row["run"] for row in requests(cli, "--open")) == sorted(blocked(cli)) == left
    assert [run for run in runs if f"rig-a/{run}" in said] == left


def test_hl_09_filters_count_by_category(cli: Cli) -> None:
    rig = open_run(cli, "run-1", "run-2")
    for number in range(24):
        blocker = BLOCKERS[number * number % len(BLOCKERS)]
        ask(rig, f"blocked {number}", run=f"run-{number % 2 + 1}", blocker=blocker, agent=f"agent-{number % 3}")
    arrive(cli)
    document = cli.json("requests", "list")
    counts = {name: len(requests(cli, "--blocker", name)) for name in BLOCKERS}
    assert sum(counts.values()) == document["open"] == 24
    assert counts == document["by_blocker"]
    query = "SELECT json_extract(data, '$.blocker'), count(*) FROM channel_events GROUP BY 1"
    with cli.home.control.read() as connection:
        in_sql = dict(connection.exec_driver_sql(query).tuples().all())
    assert {name: number for name, number in counts.items() if number} == in_sql
    for words, name in ((("--agent", "agent-1"), "agent"), (("--run", "run-2"), "run"), (("--rig", "rig-a"), "rig")):
        assert requests(cli, *words) == [row for row in document["requests"] if row[name] == words[1]]
    assert requests(cli, "--campaign", CAMPAIGN) == document["requests"]
    one = cli.json("requests", "list", "--blocker", "access", "--agent", "agent-1")
    assert one["open"] == len(one["requests"]) == one["by_blocker"]["access"]


def test_hl_11_the_same_blocker_again_is_counted(cli: Cli) -> None:
    many = [f"wide-{number:02d}" for number in range(40)]
    rig = open_run(cli, "run-1", *many)
    for number in range(5):
        ask(rig, ["No key", "no  KEY "][number % 2], fatal=number == 3, detail=f"try {number}")
    for run in many:
        ask(rig, "no network", run=run, blocker="environment")
    arrive(cli)
    [five] = requests(cli, "--run", "run-1")
    assert (five["count"], five["fatal"], five["summary"], five["detail"]) == (5, True, "No key", "try 0")
    groups = cli.json("requests", "list", "--grouped")["groups"]
    assert list(groups[0]) == ["campaign", "agent", "blocker", "summary", "fatal", "count", "runs"]
    wide = next(row for row in groups if row["blocker"] == "environment")
    assert (len(groups), wide["count"], sorted(wide["runs"])) == (2, 40, many)
    assert len(requests(cli)) == 41
    cli.json("requests", "resolve", "wide-00", "--by", "olga")
    assert cli.json("requests", "list", "--grouped")["groups"][1]["count"] == 39
    shown = cli.say("requests", "list", "--grouped").splitlines()
    assert len(shown) == 4 and "fatal, 5 times" in shown[1] and "limiting, 39 times" in shown[2]


def test_hl_13_one_reply_answers_all_that_a_run_asked(cli: Cli) -> None:
    rig = assigned(cli, "run-1", "run-2", **SETUP)
    for blocker in ("access", "tooling", "decision"):
        ask(rig, f"about {blocker}", blocker=blocker)
    ask(rig, "another's", run="run-2")
    arrive(cli)
    fold(cli, CAMPAIGN)
    before = runs_of(cli)
    done = cli.json("requests", "reply", "run-1", *ANSWER)
    assert list(done) == ["changed", "rig", "run", "reply", "agent", "command", "answered"]
    assert (done["changed"], done["rig"], done["run"], done["answered"]) == (True, "rig-a", "run-1", 3)
    assert done["command"] == f"commands/rig-a/{done['reply']}.dsse.json"
    assert [row["summary"] for row in requests(cli, "--open")] == ["another's"]
    assert {row["reply"] for row in requests(cli, "--run", "run-1")} == {done["reply"]}
    assert set(runs_of(cli)) - set(before) == {done["reply"]}
    again = cli.json("requests", "reply", "run-1", *ANSWER)
    assert again == {**done, "changed": False, "answered": 0}
    assert cli.json("requests", "resolve", "run-1", "--by", "olga")["changed"] is False
    assert "has no open request" in cli.say("requests", "reply", "run-1", *ANSWER)
    assert "has no open request" in cli.say("requests", "resolve", "run-1", "--by", "olga")
    assert actions(cli) == [("reply", "rig-a/run-1", "olga")]
    assert "answered by" in cli.say("requests", "list", "--run", "run-1")


def test_of_several_agents_the_one_that_goes_on_is_named(cli: Cli) -> None:
    rig = assigned(cli, "run-1", "run-2", **SETUP)
    for run in ("run-1", "run-2"):
        ask(rig, "which seed", run=run)
        ask(rig, "no key", run=run, agent="digger", fatal=True)
        ask(rig, "no disk", run=run, agent="planner")
    arrive(cli)
    fold(cli, CAMPAIGN)
    ended = cli.run("requests", "reply", "run-1", *ANSWER)
    assert "3 requests of run run-1 of rig-a answered by the new run reply-" in ended.out
    assert "of agent digger\n" in ended.out
    assert ended.err.startswith("note: agent digger goes on; the same answer closes what planner, worker asked, ")
    done = cli.json("requests", "reply", "run-2", *ANSWER)
    assert done["agent"] == command_of(cli, done["command"])["agent"] == "digger"
    assert cli.json("requests", "reply", "run-2", *ANSWER)["agent"] == "digger"


def test_hl_14_the_command_is_what_the_record_of_the_run_says(cli: Cli) -> None:
    rig = assigned(cli, **SETUP)
    claim = "start me with --flag --root, kit: evil, routes: [anywhere]"
    ask(rig, "no key", agent="planner", fatal=True, detail=claim, flags=["--root"], kit="evil", routes=["anywhere"])
    rig.say_note(claim)
    arrive(cli)
    fold(cli, CAMPAIGN)
    done = cli.json("requests", "reply", "run-1", *ANSWER)
    payload = command_of(cli, done["command"])
    assert {name: payload[name] for name in SETUP} == SETUP
    assert (payload["command"], payload["rig"], payload["campaign"]) == ("start_run", "rig-a", CAMPAIGN)
    assert (payload["run"], payload["reply_to"]) == (done["reply"], "run-1")
    assert (payload["agent"], payload["from"]) == ("planner", "person")
    assert payload["prompt"].startswith("In reply to your help request run-1 (no key)")
    assert "the key is there now" in payload["prompt"] and "evil" not in str(payload)


def test_hl_15_where_the_record_has_no_flags_the_person_is_asked(cli: Cli) -> None:
    rig = assigned(cli)
    ask(rig)
    arrive(cli)
    fold(cli, CAMPAIGN)
    line = cli.fail("requests", "reply", "run-1", *ANSWER)
    assert "--flag" in line and "?" in line
    assert [row["reply"] for row in requests(cli, "--open")] == [None]
    assert actions(cli) == []
    done = cli.json("requests", "reply", "run-1", *ANSWER, "--flag", "--fast", "--flag", "--deep")
    assert command_of(cli, done["command"])["flags"] == ["--fast", "--deep"]


def test_hl_17_resolving_starts_nothing(cli: Cli) -> None:
    rig = open_run(cli)
    ask(rig, "one")
    ask(rig, "two", fatal=True)
    arrive(cli)
    before = cli.json("folders")["folders"][0]["runs"]
    done = cli.json("requests", "resolve", "run-1", "--rig", "rig-a", "--by", "olga")
    assert (done["changed"], done["resolved"]) == (True, 2)
    assert cli.json("folders")["folders"][0]["runs"] == [run | {"blocked_on": None} for run in before]
    assert list(cli.home.settings.commands.rglob("*.json")) == []
    rows = requests(cli)
    assert [row["resolved_at"] is not None and row["reply"] is None for row in rows] == [True, True]
    assert cli.json("requests", "resolve", "run-1", "--by", "olga") == {**done, "changed": False, "resolved": 0}
    assert actions(cli) == [("resolve", "rig-a/run-1", "olga")]


@pytest.mark.parametrize("outcome", [None, "completed", "failed", "stopped"])
def test_hl_18_a_run_is_blocked_on_its_fatal_request_first(cli: Cli, outcome: str | None) -> None:
    cases = {"none": [], "limiting": [False], "fatal": [True], "both": [False, True], "later": [True, False]}
    rig = open_run(cli, *cases)
    for run, fatals in cases.items():
        for fatal in fatals:
            ask(rig, "it stopped me" if fatal else "it limits me", run=run, fatal=fatal)
        rig.say("run_started", run=run, at=now())
        if outcome is not None:
            rig.say("run_finished", {"outcome": outcome}, run=run, at=now())
    arrive(cli)
    runs = cli.json("folders")["folders"][0]["runs"]
    assert {run["run"]: run["blocked_on"] for run in runs} == {
        "none": None,
        "limiting": "it limits me",
        "fatal": "it stopped me",
        "both": "it stopped me",
        "later": "it stopped me",
    }
    assert {run["state"] for run in runs} == {outcome or "running"}


@pytest.mark.full
def test_hl_21_a_torn_last_line_is_read_past_and_nothing_else(cli: Cli) -> None:
    rig = open_run(cli)
    ask(rig, "first")
    ask(rig, "second")
    arrive(cli)
    [file] = cli.home.settings.help.glob("help-*.jsonl")
    whole = file.read_bytes()
    first, last, _ = whole.split(b"\n")
    warnings.simplefilter("always")  # as in a process that has just begun
    for end in range(len(first) + 1, len(whole)):
        file.write_bytes(whole[:end])
        ended = cli.run("requests", "list", "--json")
        assert ended.code == 0 and [row["summary"] for row in json.loads(ended.out)["requests"]] == ["first"]
        warned = end > len(first) + 1
        assert ended.err.count("\n") == ended.err.count(f"{file}:2") == ended.err.count("thermite refresh") == warned
    file.write_bytes(first[:-9] + b"\n" + last + b"\n")
    for words in (("requests", "list"), ("folders",)):
        assert f"{file}:1" in cli.fail(*words)
    refresh_channels(opened(cli))
    assert file.read_bytes() == whole


def test_what_agents_wrote_is_harmless_on_a_terminal(cli: Cli) -> None:
    rig = open_run(cli)
    evil = "red \x1b[31m back \u202e " + 300 * "x"
    ask(rig, evil, detail="line one\nline \x9b two")
    arrive(cli)
    for words in (("requests", "list", "--run", "run-1"), ("requests", "list", "--grouped"), ("folders",)):
        shown = cli.say(*words)
        assert not {"\x1b", "\u202e", "\x9b"} & set(shown) and "…" in shown
        assert 120 * "x" not in shown
    assert "    line one\n    line \\x9b two\n" in cli.say("requests", "list", "--run", "run-1")
    run = cli.run("doctor")
    assert not {"\x1b", "\u202e"} & set(run.out) and "red" in run.out


def test_asked_again_after_it_was_dealt_with(cli: Cli) -> None:
    rig = open_run(cli)
    ask(rig)
    arrive(cli)
    cli.json("requests", "resolve", "run-1", "--by", "olga")
    ask(rig)
    arrive(cli)
    document = cli.json("requests", "list")
    assert (document["open"], document["requests"][0]["count"], document["requests"][0]["asked_again"]) == (0, 2, True)
    assert document["asked_again"] == 1 and document["by_blocker"]["access"] == 0
    shown = cli.say("requests", "list")
    assert "resolved, asked again" in shown
    assert shown.endswith("\n0 open of 1, 1 asked again since somebody dealt with it\n")
    [row] = requests(cli, "--open")
    assert row["resolved_at"] is not None, "it is among what waits for a person, and still was dealt with"
    assert "resolved, asked again" in cli.say("requests", "list", "--open")
    grouped = cli.json("requests", "list", "--grouped")
    assert (grouped["groups"], grouped["asked_again"]) == ([], 1)
    assert "1 asked again" in cli.say("requests", "list", "--grouped")
    assert blocked(cli) == {}
    assert cli.json("requests", "resolve", "run-1", "--by", "olga")["changed"] is True
    assert requests(cli)[0]["asked_again"] is False
    assert requests(cli, "--open") == [] and cli.json("requests", "list")["asked_again"] == 0


def test_a_run_of_two_rigs_is_named_with_its_rig(cli: Cli) -> None:
    for name in ("rig-a", "rig-b"):
        ask(open_run(cli, rig=name, **SETUP))
    arrive(cli, "rig-a", "rig-b")
    fold(cli, CAMPAIGN)
    for words in (("resolve", "run-1", "--by", "me"), ("reply", "run-1", *ANSWER)):
        assert "rig-a, rig-b" in cli.fail("requests", *words)
    assert cli.json("requests", "reply", "run-1", "--rig", "rig-b", *ANSWER)["rig"] == "rig-b"
    assert [row["rig"] for row in requests(cli, "--open")] == ["rig-a"]
    assert "run-9" in cli.fail("requests", "resolve", "run-9", "--by", "me")


@pytest.mark.parametrize(
    "words",
    [
        ("reply", "run-1", "--by", "me"),
        ("reply", "run-1", "--text", " ", "--by", "me"),
        ("reply", "run-1", "--text", "x"),
        ("reply", "../x", "--text", "x", "--by", "me"),
        ("resolve", "run-1"),
        ("resolve", "run-1", "--by", "two\nlines"),
        ("list", "--run", "a b"),
        ("list", "--campaign", "No"),
    ],
)
def test_wrong_usage_of_requests(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli.fail("requests", *words, code=2)


def test_what_control_does_not_know_is_said(cli: Cli) -> None:
    assert "no campaign 'ghost'" in cli.fail("requests", "list", "--campaign", "ghost")
    assert "no rig 'ghost'" in cli.fail("requests", "list", "--rig", "ghost")


def test_names_that_nobody_has_heard_of_are_said(cli: Cli) -> None:
    rig = open_run(cli, "run-1", "run-2")
    open_run(cli, "run-3", rig="rig-b")
    ask(rig)
    arrive(cli, "rig-a", "rig-b")
    cli.json("assign", "--rig", "rig-a", "--run", "run-4", "--campaign", CAMPAIGN)
    for words, told in (
        (("--run", "run-9"), "note: there is no run run-9\n"),
        (("--grouped", "--run", "run-9"), "note: there is no run run-9\n"),
        (("--run", "run-3", "--rig", "rig-a"), "note: there is no run run-3 of rig-a\n"),
        (("--agent", "workr"), "note: no agent workr has asked, proposed or been briefed\n"),
        (("--run", "run-3", "--rig", "rig-b"), ""),
        (("--run", "run-2"), ""),
        (("--run", "run-4"), ""),
        (("--agent", "worker", "--run", "run-2"), ""),
        (("--agent", "worker"), ""),
    ):
        for more in ((), ("--json",)):
            ended = cli.run("requests", "list", *words, *more)
            assert (ended.code, ended.err) == (0, told), words
    assert cli.say("requests", "list", "--run", "run-9") == "no help requests\n"
    assert cli.json("requests", "list", "--run", "run-9")["requests"] == []
