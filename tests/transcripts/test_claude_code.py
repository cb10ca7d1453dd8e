"""Session files of Claude Code."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.transcripts.builders import NOON_MICROS, SESSION, claude, human, lines, opened
from thermite_pipelines.transcripts.read import open_transcript

ASKED = "no, the pump must start first"


def test_a_session_is_read_in_order() -> None:
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": "two files"}]
    data = lines(
        {"type": "summary", "summary": "Pumps", "leafUuid": "x"},
        claude("user", ASKED, 1),
        claude("assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I see."}], 2),
        claude("assistant", [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}], 3),
        claude("user", result, 4, toolUseResult={"stdout": "two files"}),
        claude("user", [{"type": "text", "text": "and then?"}, {"type": "image", "source": {}}], 5),
    )
    transcript, messages = opened(data)
    told = [(message.message, message.place, message.role, message.text) for message in messages]
    assert told == [
        ("u-1", 0, "human", ASKED),
        ("u-2", 1, "assistant", "I see."),
        ("u-3", 2, "tool", ""),
        ("u-4", 3, "tool", ""),
        ("u-5", 4, "human", "and then?"),
    ]
    assert {message.said_at for message in messages} == {NOON_MICROS}
    assert (transcript.tool, transcript.session, transcript.first_dated_at) == ("claude-code", SESSION, NOON_MICROS)
    assert (transcript.lines, transcript.messages, transcript.human) == (6, 5, 2)
    assert transcript.skipped == [] and not transcript.skipped_counts


def test_texts_are_cut_as_asked() -> None:
    result = [{"type": "tool_result", "content": [{"type": "text", "text": "x" * 50}]}]
    data = lines(claude("user", "y " * 2_500, 1), claude("assistant", "z" * 9_000, 2), claude("user", result, 3))
    _, messages = opened(data, tool_text_limit=10, assistant_text_limit=20)
    assert [message.text for message in messages[1:]] == ["z" * 20, "x" * 10]
    assert messages[0].text == "y " * 2_500


@pytest.mark.parametrize(
    "more",
    [
        {"isMeta": True},
        {"isSidechain": True},
        {"isCompactSummary": True},
        {"isVisibleInTranscriptOnly": True},
        {"toolUseResult": "done"},
        {"sourceToolUseID": "t1"},
        {"entrypoint": "sdk-py"},
        {"promptSource": "sdk"},
        {"userType": "internal"},
        {"userType": "agent"},
        {"userType": ["external"]},
        {"origin": "hook"},
        {"origin": {"kind": "task-notification"}},
    ],
)
def test_what_a_program_sent_is_no_persons(more: dict[str, Any]) -> None:
    transcript, messages = opened(lines(claude("user", ASKED, 1, **more)))
    assert [(message.role, message.text) for message in messages] == [("tool", "")]
    assert transcript.human == 0


@pytest.mark.parametrize(
    "more",
    [
        {"isMeta": False, "isSidechain": False},
        {"entrypoint": "cli"},
        {"origin": {"kind": "human"}},
        {"userType": "external"},
        {"userType": None},
    ],
)
def test_what_a_person_sent_is_theirs(more: dict[str, Any]) -> None:
    assert human(lines(claude("user", ASKED, 1, **more))) == [ASKED]


def test_a_notice_beside_what_was_typed_is_left_out() -> None:
    content = [{"type": "text", "text": "[Request interrupted by user]"}, {"type": "text", "text": ASKED}]
    assert human(lines(claude("user", content, 1))) == [ASKED]


def test_a_prompt_that_waited_while_the_agent_worked_is_typed() -> None:
    queued = {"type": "queued_command", "prompt": ASKED, "commandMode": "prompt"}
    notice = {
        "type": "queued_command",
        "prompt": "<task-notification>x</task-notification>",
        "commandMode": "task-notification",
    }
    base = {"type": "attachment", "sessionId": SESSION, "timestamp": "2026-03-04T12:00:00Z"}
    data = lines(claude("user", "go", 1), base | {"uuid": "q1", "attachment": queued}, base | {"attachment": notice})
    assert human(data) == ["go", ASKED]


def test_at_every_quirk_of_a_line_the_others_stay() -> None:
    first, second, third = claude("user", "first", 1), claude("user", "second", 2), claude("user", "third", 3)
    data = b"\xef\xbb\xbf" + lines(
        first,
        "",
        json.dumps(second) + json.dumps(third),
        '"a text"',
        "null",
        "[1, 2]",
        '{"half": ',
        "\0\0\0",
        {"type": "from-next-year", "sessionId": SESSION},
        {"type": ["odd"], "sessionId": SESSION},
        first,
        claude("user", None, 4),
        {"type": "user", "message": "bare", "sessionId": SESSION},
        "[" * 100_000,
        '{"type": "user", "n": ' + "9" * 10_000 + "}",
        "\0" + json.dumps(claude("user", "fourth", 5)),
    ).replace(b"\n", b"\r\n")
    data += b'{"type": "user", "mess'
    transcript, messages = opened(data)
    assert [message.text for message in messages] == ["first", "second", "third", "fourth"]
    assert dict(transcript.skipped_counts) == {
        "not-an-object": 3,
        "bad-json": 3,
        "nul-bytes": 1,
        "unknown-type": 2,
        "duplicate": 1,
        "no-content": 2,
        "torn-last-line": 1,
    }
    assert (4, "not-an-object: text") in transcript.skipped and (
        9,
        "unknown-type: from-next-year",
    ) in transcript.skipped
    assert transcript.lines == 17


def test_two_messages_that_claim_one_id_both_count() -> None:
    _, messages = opened(lines(claude("user", "first", 1), claude("user", "second", 1), claude("user", "first", 1)))
    assert [(message.message, message.text) for message in messages] == [("u-1", "first"), ("u-1+", "second")]


def test_a_line_that_is_too_long_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thermite_pipelines.transcripts.source.LONGEST_LINE", 1_000)
    huge = claude("user", "x" * 5_000_000, 1)
    transcript, messages = opened(lines(huge, claude("user", "second", 2), huge | {"uuid": "u-3"}))
    assert [message.text for message in messages] == ["second"]
    assert transcript.skipped == [(1, "line-too-long"), (3, "line-too-long")]
    transcript, messages = opened(lines(huge).rstrip())
    assert messages == [] and transcript.skipped == [(1, "line-too-long")]


def test_the_list_of_skipped_lines_has_a_bound() -> None:
    transcript, _ = opened(lines(claude("user", "first", 1), *["null"] * 3_000))
    assert len(transcript.skipped) == 1_000
    assert transcript.skipped_counts["not-an-object"] == 3_000


def test_a_gzipped_file_and_a_torn_one(tmp_path: Path) -> None:
    told = [claude("user", f"say {number} of them", number) for number in range(3_000)]
    data = lines(*told)
    path = tmp_path / "one.jsonl.gz"
    path.write_bytes(gzip.compress(data))
    transcript = open_transcript(path)
    assert len(list(transcript)) == 3_000
    assert transcript.content_sha256 == opened(data)[0].content_sha256
    path.write_bytes(gzip.compress(data)[:-2_000])
    transcript = open_transcript(path)
    assert 0 < len(list(transcript)) < 3_000
    assert transcript.skipped_counts["torn-gzip"] == 1


def test_halves_of_surrogate_pairs_become_storable() -> None:
    record = json.dumps(claude("user", "odd \ud83d here", 1))
    (message,) = opened(record.encode())[1]
    assert message.text == "odd \ufffd here"
