"""Atoms through Dagster: what a run leaves in metadata and tables, over a real wire, with a budget, with failures."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.atoms.talking import CAMPAIGN, a_run, arrive, day, rows, say_session, uuid
from tests.sensors.ticks import asked as asked_for
from tests.sensors.ticks import why_nothing
from tests.support.homes import Home
from tests.support.openai_server import Asked, OpenAIServer, Reply, fails, openai_server, says
from tests.support.pipelines import Pipelines, bytes_below, open_pipelines, why_failed
from thermite_pipelines.resources.progress import listening

pytestmark = pytest.mark.full  # each test lets whole programs work

SECRET_WORDS = "zzcacheholds"


def atom(message: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {
        "message": message["id"],
        "type": "finding",
        "statement": message["text"],
        "domain": ["caching"],
        "conditions": "none stated",
        "verbatim_quote": message["text"],
        "wrong_assumption": "",
        "why_confused": "",
    } | changes


def answer(asked: Asked) -> Reply:
    """An atom and an intent for each message that was shown."""
    shown = json.loads(asked.last)["messages"]
    intents = [{"message": message["id"], "text": message["text"]} for message in shown]
    return says({"atoms": [atom(message) for message in shown], "intents": intents}, usage=(1000, 1000))


def talk(home: Home, count: int) -> None:
    rig = a_run(home)
    for number in range(count):
        say_session(rig, uuid(number), f"h:The {SECRET_WORDS} {number} visits of a day.", at=day(number))
    arrive(home)


@contextmanager
def asking(
    home: Home, monkeypatch: pytest.MonkeyPatch, script: Callable[[Asked], Reply], **settings: object
) -> Iterator[tuple[Pipelines, OpenAIServer]]:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with openai_server(script) as server:
        wanted = {"llm_model": "openai/small-one", "llm_api_base": server.url, "llm_concurrency": 1} | settings
        with open_pipelines(home, monkeypatch, home.settings.dagster_home, **wanted) as pipelines:
            yield pipelines, server


def test_a_model_is_asked_through_dagster(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(home, 3)
    with asking(home, monkeypatch, answer, llm_price="1,2") as (pipelines, server):
        assert asked_for(pipelines, "atoms") == [("extract_atoms", CAMPAIGN)]
        pipelines.done("extract_atoms", CAMPAIGN)
        assert asked_for(pipelines, "atoms") == []
        assert len(server.asked) == 3
        shown = pipelines.metadata("atoms/atoms", CAMPAIGN)
        assert (shown["dagster/row_count"], shown["atoms_now"], shown["intents_now"]) == (3, 3, 3)
        assert (shown["questions"], shown["cache_hits"], shown["calls"]) == (3, 0, 3)
        assert (shown["tokens_in"], shown["tokens_out"], shown["usd"]) == (3000, 3000, 0.009)
        assert [row["day"] for row in shown["newest"]] == ["2026-01-03", "2026-01-02", "2026-01-01"]
        assert set(shown["newest"][0]) == {"atom", "type", "session", "day"}
        assert pipelines.metadata("atoms/session_transcripts", CAMPAIGN)["human_messages"] == 3
        assert pipelines.metadata("atoms/intents", CAMPAIGN)["dagster/row_count"] == 3
        assert pipelines.metadata("atoms/checkpoints", CAMPAIGN)["dagster/row_count"] == 1
        version = pipelines.data_version("atoms/atoms", CAMPAIGN)
        before = home.files("derived/atoms")

        # A backfill asks again, and finds every answer.
        pipelines.done("extract_atoms", CAMPAIGN, **{"dagster/backfill": "b"})
        assert len(server.asked) == 3
        assert pipelines.metadata("atoms/atoms", CAMPAIGN)["cache_hits"] == 3
        assert pipelines.data_version("atoms/atoms", CAMPAIGN) == version
        assert home.files("derived/atoms") == before
    calls = rows(home, "model_calls")
    assert [row["outcome"] for row in calls] == ["answered"] * 3 + ["cached"] * 3
    assert [row["usd"] for row in calls] == pytest.approx([0.003] * 3 + [0.0] * 3)
    assert {row["prompt_version"] for row in calls} == {"extract_atoms/1"}
    assert len({row["run"] for row in calls}) == 2
    below = bytes_below(home.settings.dagster_home)
    assert b"session_transcripts" in below and SECRET_WORDS.encode() not in below


def test_a_spent_budget_stops_cleanly_and_is_not_spent_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(home, 6)
    with asking(home, monkeypatch, answer, llm_price="1,2", llm_budget_usd="0.025") as (pipelines, server):
        pipelines.done("extract_atoms", CAMPAIGN)
        shown = pipelines.metadata("atoms/atoms", CAMPAIGN)
        done = len(server.asked)
        assert 0 < done == shown["atoms_now"] < 6
        assert shown["stopped"] != "no" and shown["messages_left"] == 6 - done
        assert shown["usd"] <= 0.025
        assert asked_for(pipelines, "atoms") == []  # though the campaign is behind
        rig = home.rig("rig-a")
        say_session(rig, uuid(9), "h:The queue holds jobs.", at=day(9))
        rig.send()
        home.intake("rig-a")
        assert asked_for(pipelines, "atoms") == [("extract_atoms", CAMPAIGN)]
        pipelines.done("extract_atoms", CAMPAIGN)
        assert len(server.asked) > done


def test_a_budget_without_a_price_asks_nothing_and_names_the_setting(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk(home, 1)
    with asking(home, monkeypatch, answer, llm_budget_usd="1") as (pipelines, server):
        assert "THERMITE_LLM_PRICE" in why_nothing(pipelines, "atoms")
        result = pipelines.run("extract_atoms", CAMPAIGN)
        assert not result.success
        assert "THERMITE_LLM_PRICE" in why_failed(result)[0]
        assert server.asked == []


def test_what_has_no_answer_fails_the_run_and_keeps_the_rest(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(home, 3)

    def lose_one(asked: Asked) -> Reply:
        return fails(401) if f"{SECRET_WORDS} 1 " in asked.last else answer(asked)

    with asking(home, monkeypatch, lose_one) as (pipelines, server):
        result = pipelines.run("extract_atoms", CAMPAIGN)
        assert not result.success
        assert why_failed(result)[0].startswith("1 session has no answer yet (")
        assert "401" in why_failed(result)[0]
        shown = pipelines.metadata("atoms/atoms", CAMPAIGN)
        assert (shown["atoms_now"], shown["messages_left"], shown["usd"]) == (2, 1, "unknown")
        server.script = answer
        pipelines.done("extract_atoms", CAMPAIGN)
        assert len(server.asked) == 4  # three, and the one that had no answer
    assert len(rows(home, "atoms")) == 3
    assert [row["outcome"] for row in rows(home, "model_calls")].count("unavailable") == 1


def test_what_a_model_refuses_is_settled_and_not_paid_for_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = a_run(home)
    told = [f"h:The {SECRET_WORDS} {number} visits of a day." for number in range(4)]
    say_session(rig, uuid(1), *told)
    arrive(home)

    def refuse(asked: Asked) -> Reply:
        if f"{SECRET_WORDS} 1 " in asked.last:
            return Reply(refusal="no")
        return Reply("{", finish="length") if f"{SECRET_WORDS} 2 " in asked.last else answer(asked)

    with asking(home, monkeypatch, refuse) as (pipelines, server):
        pipelines.done("extract_atoms", CAMPAIGN)
        shown = pipelines.metadata("atoms/atoms", CAMPAIGN)
        assert (shown["atoms_now"], shown["messages_left"]) == (2, 0)
        refused = {row["rule"]: row["candidates"] for row in shown["refused"]}
        assert refused == {"model-refused": 1, "model-truncated": 1}
        asked = len(server.asked)
        assert asked == 7  # four, two halves, each message
        assert asked_for(pipelines, "atoms") == []
        pipelines.done("extract_atoms", CAMPAIGN)
        assert len(server.asked) == asked


def test_whoever_started_it_is_told_how_far_it_is(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(home, 3)
    seen: list[tuple[int, int]] = []
    with asking(home, monkeypatch, answer) as (pipelines, _), listening(lambda *numbers: seen.append(numbers)):
        pipelines.done("extract_atoms", CAMPAIGN)
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_the_rules_ask_nobody(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    talk(home, 2)
    with open_pipelines(home, monkeypatch) as pipelines:
        pipelines.done("extract_atoms", CAMPAIGN)
        assert pipelines.metadata("atoms/atoms", CAMPAIGN)["asked"] == "the built-in rules"
    assert not (home.settings.home / "lake" / "derived" / "model_calls").exists()
