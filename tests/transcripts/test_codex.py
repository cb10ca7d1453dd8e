"""Rollout files of Codex, old and new."""

from typing import Any

import pytest

from tests.transcripts.builders import NOON_MICROS, codex, codex_said, human, lines, opened

META = {"id": "0199-pump", "timestamp": "2026-03-04T11:59:00Z", "cwd": "/srv", "originator": "codex_cli_rs"}
ENVIRONMENT = "<environment_context>\n  <cwd>/srv</cwd>\n</environment_context>"
RULES = "# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>"


def event(text: str, kind: str = "user_message") -> dict[str, Any]:
    return codex("event_msg", {"type": kind, "message": text})


def test_a_message_that_is_recorded_both_ways_counts_once() -> None:
    data = lines(
        codex("session_meta", META),
        codex_said("developer", "You are an agent."),
        codex_said("user", RULES),
        codex_said("user", ENVIRONMENT),
        codex_said("user", "start the pump"),
        event("start the pump"),
        codex("turn_context", {"cwd": "/srv"}),
        codex("event_msg", {"type": "agent_reasoning", "text": "hm"}),
        event("It runs.", "agent_message"),
        codex_said("assistant", "It runs."),
        codex_said("user", "yes"),
        event("yes"),
        codex_said("user", "yes"),
        event("yes"),
        codex("response_item", {"type": "function_call_output", "call_id": "c", "output": "done"}),
    )
    transcript, messages = opened(data, tool_text_limit=100)
    spoken = [(message.role, message.text) for message in messages if message.role != "tool"]
    assert spoken == [("human", "start the pump"), ("assistant", "It runs."), ("human", "yes"), ("human", "yes")]
    assert [message.text for message in messages if message.role == "tool"][-1] == "done"
    assert (transcript.tool, transcript.session) == ("codex", "0199-pump")
    assert transcript.started_at == NOON_MICROS - 60_250_000 and not transcript.skipped


def test_the_old_form() -> None:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "start the pump"}]}
    answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It runs."}]}
    first = {"id": "old-1", "timestamp": "2026-03-04T11:59:00Z", "instructions": None}
    transcript, messages = opened(lines(first, {"record_type": "state"}, said, answer, {"type": "reasoning"}))
    assert [message.role for message in messages] == ["human", "assistant"]
    assert [message.message for message in messages] == ["0", "1"]
    assert transcript.session == "old-1" and not transcript.skipped_counts


@pytest.mark.parametrize(
    "more",
    [
        {"source": "exec"},
        {"source": {"subagent": "review"}},
        {"thread_source": "subagent"},
        {"originator": "codex_exec"},
        {"originator": "codex_sdk_ts"},
        {"originator": "Codex-MCP client"},
        {"originator": "codex_exec", "source": None},
    ],
)
def test_prompts_of_programs_are_no_persons(more: dict[str, Any]) -> None:
    assert human(lines(codex("session_meta", META | more), codex_said("user", "start the pump"))) == []


@pytest.mark.parametrize(
    "more", [{"originator": "codex_vscode", "source": "vscode"}, {"originator": 3}, {"source": "cli"}]
)
def test_prompts_of_persons_are_theirs(more: dict[str, Any]) -> None:
    assert human(lines(codex("session_meta", META | more), codex_said("user", "start the pump"))) == ["start the pump"]


def test_the_session_that_this_one_went_on_from_gives_no_id() -> None:
    data = lines(
        codex("session_meta", META), codex("session_meta", META | {"id": "older"}), codex_said("user", "go on")
    )
    assert opened(data)[0].session == "0199-pump"


def test_unknown_and_empty_records_are_named() -> None:
    data = lines(
        codex("session_meta", META), codex("response_item", {"type": "dream"}), {"type": "event_msg", "payload": 3}
    )
    transcript, messages = opened(data)
    assert messages == [] and transcript.skipped == [(2, "unknown-type: dream"), (3, "no-content")]
