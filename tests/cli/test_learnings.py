"""`thermite learnings`: lists, what people keep and drop, what a run was shown, and what the next one will be."""

import json
import os
import pty
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import get_args

import pytest

from tests.cli.channels import CAMPAIGN, LEARNING, arrive, brief, learnings, now, open_run, propose
from tests.cli.commands import Cli
from thermite_pipelines.cli.learnings import State
from thermite_pipelines.knowledge.help_reading import STATES

CACHE = "the compile cache is cold on the first trial"
DISK = "checkpoints on the shared disk take four minutes"


def prompt(cli: Cli, agent: str = "worker") -> str:
    return cli.json("learnings", "prompt", agent, "--campaign", CAMPAIGN)["prompt"]


def states(cli: Cli) -> dict[str, str]:
    return {row["text"]: row["state"] for row in learnings(cli)}


def actions(cli: Cli) -> list[tuple[str, str, str]]:
    found = [(entry["action"], entry["subject"], entry["by"]) for entry in cli.json("audit")["entries"]]
    return [entry for entry in found if entry[0] in ("keep", "drop")]


def brief_many(cli: Cli, number: int, *shown: str) -> None:
    """So many more runs of the worker begin."""
    rig = cli.home.rig()
    for index in range(number):
        run = f"later-{rig.n}-{index}"
        rig.say_run(run, at=now())
        brief(rig, *shown, run=run)
    arrive(cli)


def test_lists_are_empty_before_anything_was_folded(cli: Cli) -> None:
    assert cli.json("learnings", "list") == {"learnings": [], "refused": []}
    assert cli.say("learnings", "list") == "no learnings\n"
    assert "no campaign has an agent 'worker'" in cli.fail("learnings", "prompt", "worker")
    cli.home.campaign(CAMPAIGN)
    empty = {"campaign": CAMPAIGN, "agent": "worker", "prompt": "", "learnings": []}
    assert cli.json("learnings", "prompt", "worker", "--campaign", CAMPAIGN) == empty
    assert "has no learnings" in cli.say("learnings", "prompt", "worker", "--campaign", CAMPAIGN)


def test_learnings_are_listed_by_campaign_agent_and_state(cli: Cli) -> None:
    assert get_args(State) == STATES
    rig = open_run(cli)
    first = propose(rig, CACHE, impact="high")
    second = propose(rig, DISK, agent="planner")
    arrive(cli)
    cli.json("learnings", "keep", second, "--by", "olga")
    rows = {row["id"]: row for row in learnings(cli)}
    assert list(rows) == [second, first] and all(list(row) == LEARNING for row in rows.values())
    row = rows[first]
    assert (row["campaign"], row["agent"], row["text"], row["impact"]) == (CAMPAIGN, "worker", CACHE, "high")
    assert (row["state"], row["proposals"], row["runs_left"]) == ("provisional", 1, 20)
    assert (rows[second]["state"], rows[second]["runs_left"]) == ("confirmed", None)
    assert [row["id"] for row in learnings(cli, "--agent", "worker")] == [first]
    assert [row["id"] for row in learnings(cli, "--state", "confirmed")] == [second]
    assert [row["id"] for row in learnings(cli, "--campaign", CAMPAIGN, "--state", "lapsed")] == []
    shown = cli.say("learnings", "list")
    assert CACHE in shown and shown.endswith("\n2 learnings (1 provisional, 1 confirmed)\n")
    assert cli.say("learnings", "list", "--agent", "worker").endswith("\n1 learning (1 provisional)\n")
    assert "no campaign 'ghost'" in cli.fail("learnings", "list", "--campaign", "ghost")


def test_what_was_refused_is_listed_without_its_text(cli: Cli) -> None:
    rig = open_run(cli)
    refused_id = propose(rig, "see https://marker.example/x for more")
    arrive(cli)
    document = cli.json("learnings", "list")
    assert document["learnings"] == []
    [refused] = document["refused"]
    assert list(refused) == ["campaign", "agent", "rig", "run", "learning", "reason", "at"]
    assert f"{refused['rig']}/{refused['run']}/{refused['learning']}" == refused_id
    assert (refused["agent"], refused["run"], refused["reason"]) == ("worker", "run-1", "url")
    shown = cli.say("learnings", "list")
    assert "Refused:" in shown and "marker" not in shown + json.dumps(document)
    assert refused["learning"] in shown.splitlines()[-2].split()
    assert shown.endswith("\n0 learnings, 1 refused\n")
    assert cli.json("learnings", "list", "--agent", "planner")["refused"] == []


def test_hl_26_what_a_run_was_shown_has_an_answer(cli: Cli) -> None:
    rig = open_run(cli, "run-0", "run-1", "run-2", "run-3")
    first, second = propose(rig, CACHE), propose(rig, DISK)
    brief(rig, run="run-1")
    brief(rig, first, run="run-2")
    brief(rig, first, second, run="run-3")
    other = open_run(cli, "run-3", rig="rig-b")
    brief(other, second, "rig-z/run-1/gone", run="run-3")
    arrive(cli, "rig-a", "rig-b")
    cli.json("learnings", "drop", second, "--by", "olga")
    assert [row["id"] for row in learnings(cli, "--shown-to", "run-1")] == []
    assert cli.json("learnings", "list", "--shown-to", "run-1")["briefed"] is True
    assert "run-1 was briefed, and shown no learnings" in cli.say("learnings", "list", "--shown-to", "run-1")
    assert cli.json("learnings", "list", "--shown-to", "run-0") == {"learnings": [], "refused": [], "briefed": False}
    assert cli.say("learnings", "list", "--shown-to", "run-0").startswith("run run-0 was never briefed")
    unseen = cli.say("learnings", "list", "--shown-to", "run-2", "--state", "rejected")
    assert unseen == "none of the learnings that it was shown\n"
    assert [row["id"] for row in learnings(cli, "--shown-to", "run-2")] == [first]
    assert [row["id"] for row in learnings(cli, "--shown-to", "run-3", "--rig", "rig-a")] == [first, second]
    assert "rig-a, rig-b" in cli.fail("learnings", "list", "--shown-to", "run-3")
    ended = cli.run("learnings", "list", "--shown-to", "run-3", "--rig", "rig-b", "--json")
    assert [row["id"] for row in json.loads(ended.out)["learnings"]] == [second]
    assert "rig-z/run-1/gone" in ended.err and ended.err.count("\n") == 1
    assert "no run run-9" in cli.fail("learnings", "list", "--shown-to", "run-9")
    assert "--shown-to" in cli.fail("learnings", "list", "--rig", "rig-a", code=2)


def test_hl_27_what_is_kept_stays_and_what_is_dropped_goes(cli: Cli) -> None:
    rig = open_run(cli)
    kept, dropped, left = propose(rig, CACHE), propose(rig, DISK), propose(rig, "batch size 512 diverges after a while")
    arrive(cli)
    assert cli.json("learnings", "keep", kept, "--by", "olga") == {
        "changed": True,
        "id": kept,
        "campaign": CAMPAIGN,
        "agent": "worker",
        "state": "confirmed",
    }
    assert cli.json("learnings", "keep", kept, "--by", "olga")["changed"] is False
    assert "was established before" in cli.say("learnings", "keep", kept, "--by", "olga")
    assert DISK in prompt(cli)
    done = cli.json("learnings", "drop", dropped, "--by", "olga")
    assert (done["changed"], done["state"]) == (True, "rejected")
    assert DISK not in prompt(cli) and "[established]" in prompt(cli)
    brief_many(cli, 100, kept, left)
    assert list(states(cli).values()) == ["confirmed", "rejected", "lapsed"]
    assert cli.json("learnings", "prompt", "worker")["learnings"] == [kept]
    assert CACHE in prompt(cli)
    for verb in ("keep", "drop"):
        assert "lapsed" in cli.fail("learnings", verb, left, "--by", "olga")
    assert "no learning" in cli.fail("learnings", "drop", "rig-a/run-1/none", "--by", "olga")
    assert actions(cli) == [("keep", kept, "olga"), ("drop", dropped, "olga")]


@contextmanager
def terminal(answer: str) -> Iterator[None]:
    """Standard input is a terminal, at which a person types this."""
    mine, theirs = pty.openpty()
    try:
        with open(theirs, encoding="utf-8") as stream, pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "stdin", stream)
            os.write(mine, answer.encode())
            yield
    finally:
        os.close(mine)


def test_hl_28_dropping_asks_on_a_terminal_and_keeping_does_not(cli: Cli) -> None:
    rig = open_run(cli)
    texts = (CACHE, DISK, "the loader stalls at epoch 3 \x1b[31m", "batch size 512 diverges after a while")
    kept, spared, dropped, unseen = (propose(rig, text) for text in texts)
    arrive(cli)
    words = ("learnings", "drop", dropped, "--by", "olga")
    for answer in ("n\n", "\n", "\x04"):
        with terminal(answer):
            ended = cli.run(*words)
        assert (ended.code, ended.out) == (1, "")
        assert "the loader stalls" in ended.err and "\x1b[31m" not in ended.err
        assert ended.err.splitlines()[-1].endswith("nothing was changed")
    assert set(states(cli).values()) == {"provisional"} and actions(cli) == []
    with terminal("y\n"):
        ended = cli.run(*words, "--json")
    assert (ended.code, json.loads(ended.out)["state"], ended.out[0]) == (0, "rejected", "{")
    with terminal(""):
        for quiet in (("drop", spared, "--by", "olga", "--yes"), ("keep", kept, "--by", "olga")):
            ended = cli.run("learnings", *quiet)
            assert (ended.code, ended.err) == (0, "")
        assert "a person dropped it" in cli.fail("learnings", "drop", dropped, "--by", "olga")
    assert cli.json("learnings", "drop", unseen, "--by", "olga")["changed"] is True, "no terminal, no question"
    assert [row["state"] for row in learnings(cli) if row["id"] != kept] == ["rejected"] * 3
    assert [row["state"] for row in learnings(cli) if row["id"] == kept] == ["confirmed"]


def test_a_prompt_is_one_agents_in_one_campaign(cli: Cli) -> None:
    rig = open_run(cli)
    first = propose(rig, CACHE, agent="builder")
    propose(rig, DISK)
    other = open_run(cli, "run-9", rig="rig-b", campaign="other")
    propose(other, "the tokenizer drops the last word of a file", run="run-9")
    arrive(cli, "rig-a", "rig-b")
    document = cli.json("learnings", "prompt", "builder")
    assert list(document) == ["campaign", "agent", "prompt", "learnings"]
    assert (document["campaign"], document["learnings"]) == (CAMPAIGN, [first])
    assert CACHE in document["prompt"] and DISK not in document["prompt"]
    assert cli.say("learnings", "prompt", "builder") == document["prompt"]
    assert "other, speed-up" in cli.fail("learnings", "prompt", "worker")
    assert "tokenizer" in cli.json("learnings", "prompt", "worker", "--campaign", "other")["prompt"]
    assert "'builder'" in cli.fail("learnings", "prompt", "builder", "--campaign", "other")
    assert "no campaign has" in cli.fail("learnings", "prompt", "stranger")
    cli.home.campaign("third")
    assert cli.json("learnings", "prompt", "planner", "--campaign", "third")["learnings"] == []


@pytest.mark.parametrize(
    "words",
    [
        ("keep", "rig-a/run-1/l1"),
        ("drop", "rig-a/run-1/l1"),
        ("drop", "rig-a/run-1/l1", "--by", ""),
        ("list", "--state", "asleep"),
        ("list", "--shown-to", "a b"),
        ("list", "--campaign", "No"),
        ("prompt", "no agent's name"),
        ("prompt",),
    ],
)
def test_wrong_usage_of_learnings(cli: Cli, words: tuple[str, ...]) -> None:
    assert cli.fail("learnings", *words, code=2)
