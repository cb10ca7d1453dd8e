"""Laws that hold for every file: no bytes raise, no junk costs a message, a file that grows goes on."""

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.growth import assert_in_proportion
from tests.transcripts.builders import SESSION, claude, codex, codex_said, human, lines, opened
from tests.transcripts.test_markdown import AIDER, STORY
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.transcripts.read import open_transcript
from thermite_pipelines.transcripts.session import time_of

GOOD = [claude("user", f"please do step {number}", number) for number in range(6)]
ROLLOUT = lines(codex("session_meta", {"id": "s"}), codex_said("user", "start it"), codex_said("assistant", "It runs."))
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
FIELDS = (
    "type",
    "message",
    "content",
    "role",
    "uuid",
    "sessionId",
    "timestamp",
    "payload",
    "id",
    "text",
    "attachment",
    "origin",
)
RECORD = st.dictionaries(
    st.sampled_from(FIELDS), ODD | st.sampled_from(["user", "assistant", "message", "text", "event_msg"])
)
JUNK = st.one_of(
    st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"")),
    RECORD.filter(lambda record: "type" not in record).map(lambda record: json.dumps(record).encode()),
    st.sampled_from([b"", b"null", b'"x"', b"\0", b"[[[", b'{"type": "new"}', b"\xff\xfe", b"9" * 5_000]),
)


def read(data: bytes) -> list[tuple[str, str, str]] | None:
    """Id, role and text of each message, or `None` for what is no transcript, which is one line."""
    try:
        return [(one.message, one.role, one.text) for one in open_transcript(io.BytesIO(data))]
    except ThermiteError as error:
        assert "\n" not in str(error)
        return None


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    read(data)
    for beginning in (lines(GOOD[0]), ROLLOUT, STORY.encode(), AIDER.encode(), lines({"role": "user", "content": "x"})):
        assert read(beginning + data) is not None
    read(b"\x1f\x8b" + data)


@given(st.lists(RECORD, max_size=4))
def test_odd_records_are_read_or_counted(records: list[dict[str, object]]) -> None:
    for first in (GOOD[0], codex("session_meta", {"id": "s"}), {"role": "user", "content": "x"}):
        transcript, messages = opened(lines(first, *records))
        ids = [message.message for message in messages]
        assert len(ids) == len(set(ids))
        assert [message.place for message in messages] == list(range(len(messages)))
        assert transcript.human == sum(message.role == "human" for message in messages)


@given(st.lists(st.tuples(JUNK, st.booleans()), min_size=6, max_size=6), st.binary(max_size=20))
def test_junk_lines_cost_no_message(junk: list[tuple[bytes, bool]], tail: bytes) -> None:
    data = b""
    for good, (bad, before) in zip(GOOD, junk, strict=True):
        line = json.dumps(good).encode() + b"\n"
        data += bad + b"\n" + line if before else line + bad + b"\n"
    texts = [text for _, _, text in read(data + tail) or ()]
    assert [text for text in texts if text.startswith("please do step")] == [
        good["message"]["content"] for good in GOOD
    ]


@pytest.mark.parametrize(
    "whole", [lines(*GOOD), ROLLOUT, STORY.encode(), AIDER.encode()], ids=["claude", "codex", "story", "aider"]
)
@given(cut=st.integers(0, 2_000))
def test_the_beginning_of_a_file_gives_the_first_messages(whole: bytes, cut: int) -> None:
    begun = whole[:cut]
    if not whole.startswith(b"{"):
        begun = begun[: begun.rfind(b"\n") + 1]  # half a line of Markdown is another line
    messages, part = read(whole) or [], read(begun)
    if part is None:
        return
    whole_ones = part if whole.startswith(b"{") else part[:-1]  # the last turn of Markdown may go on
    assert messages[: len(whole_ones)] == whole_ones
    assert len(part) <= len(messages)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"hello there\n",
        b'{"a": 1}\n',
        b"# Title\n\ntext\n",
        b"\x89PNG\r\n\x1a\n",
        b"[1]\n",
        b"{" * 99_999,
    ],
)
def test_what_is_no_transcript_is_refused_in_one_line(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(data)
    with pytest.raises(ThermiteError, match=r"^notes\.txt: no transcript that is known$"):
        open_transcript(path)


def test_it_can_be_read_once_and_closed_early(tmp_path: Path) -> None:
    path = tmp_path / "a-name.jsonl"
    path.write_bytes(lines({"role": "user", "content": "first"}, {"role": "user", "content": "second"}))
    with open_transcript(path) as transcript:
        assert next(iter(transcript)).text == "first"
        assert [message.text for message in transcript] == ["second"]
        assert list(transcript) == []
        assert transcript.session == "a-name"
    with open_transcript(path) as transcript:
        next(iter(transcript))


STRAY = {
    "roles": lines({"role": "user", "content": "a stray line"}),
    "many-roles": lines(*[{"role": "user", "content": f"stray line {number}"} for number in range(5)]),
    "codex": lines(codex_said("user", "a stray line")),
    "story": b"_**User**_\n",
    "generated": b"<!-- Generated by SpecStory -->\n",
    "aider": b"# aider chat started at 2026-03-04 12:00:00\n",
    "blank": b"\n \n",
    "junk": b"\x00\xff junk {\n",
}


@pytest.mark.parametrize("stray", STRAY)
@pytest.mark.parametrize(("tool", "whole"), [("claude-code", lines(*GOOD)), ("codex", ROLLOUT + ROLLOUT)])
def test_a_stray_first_line_of_another_tool_costs_no_message(tool: str, whole: bytes, stray: str) -> None:
    transcript, messages = opened(STRAY[stray] + whole)
    assert transcript.tool == tool
    assert [one.text for one in messages if not one.text.startswith("a stray")] == [
        one.text for one in opened(whole)[1]
    ]


@pytest.mark.parametrize(("tool", "whole"), [("specstory", STORY), ("aider", AIDER.lstrip())])
def test_a_stray_record_before_markdown_costs_no_message(tool: str, whole: str) -> None:
    transcript, messages = opened(STRAY["roles"] + whole.encode())
    assert transcript.tool == tool
    assert [one.text for one in messages if one.role == "human"] == human(whole.encode()) != []


def test_plain_roles_stay_plain_beside_a_stray_record_of_another_tool() -> None:
    told = [{"role": "user", "content": f"say {number} of them"} for number in range(20)]
    transcript, messages = opened(lines(GOOD[0], *told))
    assert transcript.tool == "roles" and len(messages) == 20


def test_a_whole_record_behind_a_torn_one_is_read() -> None:
    first, second, third = (json.dumps(record) for record in GOOD[:3])
    for cut in range(1, len(first)):
        _, messages = opened(lines(GOOD[4], first[:cut] + second + third, GOOD[5]))
        assert [one.text[-1] for one in messages] == ["4", "1", "2", "5"], cut
    torn_again = opened(lines(GOOD[4], first[:100] + second + third[:80], GOOD[5]))[1]
    assert [one.text[-1] for one in torn_again] == ["4", "1", "5"]
    assert [one.text[-1] for one in opened(lines(GOOD[4], "junk " + first))[1]] == ["4", "0"]


def test_a_record_within_a_torn_one_is_nobodys_word() -> None:
    inner = {"type": "user", "uuid": "in", "message": {"role": "user", "content": "the agent told its helper so"}}
    outer = json.dumps({"type": "progress", "sessionId": SESSION, "data": {"message": inner}})
    for cut in range(len(outer) - 3, len(outer)):
        assert [one.text for one in opened(lines(GOOD[0], outer[:cut], outer[:cut] + json.dumps(GOOD[1])))[1]] == [
            "please do step 0",
            "please do step 1",
        ]
    rollout = json.dumps(codex_said("user", "not whole"))[:-1]
    assert [one.text for one in opened(ROLLOUT + lines(rollout, codex_said("user", "go on")))[1]] == [
        "start it",
        "It runs.",
        "go on",
    ]


@pytest.mark.parametrize(
    ("unit", "whole"),
    [("[],", True), ("{},", False), ('{"a":', True), ("-9,", True), ('"a",', False), ('{"a":1},', True)],
)
def test_a_line_of_many_parts_costs_little_memory(unit: str, whole: bool, tmp_path: Path) -> None:
    path = tmp_path / "parts.jsonl"
    begun = '{"type": "user", "sessionId": "s", "message": {"content": ['
    most = 1_999_000 // sum(map(unit.count, "[{,:"))
    path.write_bytes(lines(GOOD[0], begun + unit * most + ("0]}}" if whole else ""), GOOD[1]))
    human, read_lines, mebibytes = measure(path)
    assert (human, read_lines) == (2, 3) and mebibytes < 350
    transcript, messages = opened(lines(GOOD[0], begun + unit * 2 * most + "0]}}", GOOD[1]))
    assert len(messages) == 2 and transcript.skipped == [(2, "too-many-parts")]


@pytest.mark.parametrize("unit", ["<a>\n", "</a>", "```\n", "[Image #1]\n", "\U0001f600"])
def test_a_huge_message_takes_little_memory(unit: str, tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    path.write_bytes(lines(GOOD[0], claude("user", unit * (4_000_000 // len(unit)) + "\n\nwhy is that so?", 9)))
    assert measure(path)[2] < 250


def test_many_messages_of_one_id_take_linear_time() -> None:
    def many(count: int) -> bytes:
        return lines(*[claude("user", f"say {number} of them") for number in range(count)])

    assert_in_proportion(opened, many, 20_000)
    _, messages = opened(many(20_000))
    assert len({one.message for one in messages}) == len(messages) == 20_000
    _, again = opened(lines(*[claude("user", f"say {number % 3} of them") for number in range(9)]))
    assert len(again) == 3


def test_what_is_no_plain_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path in (tmp_path / "pipe.jsonl", tmp_path, Path("/dev/zero")):
        with pytest.raises(OSError, match="plain file"):
            open_transcript(path)


def test_a_bomb_of_lines_or_of_tiny_parts_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thermite_pipelines.transcripts.source.MOST_LINES", 1_000_000)
    transcript, messages = opened(gzip.compress(lines(GOOD[0]) + b"\n" * 30_000_000))
    assert len(messages) == 1 and transcript.skipped_counts["too-many-lines"] == 1

    def tiny(count: int) -> bytes:
        return gzip.compress(lines(GOOD[0])) + gzip.compress(b"") * count + gzip.compress(lines(GOOD[1]))

    assert len(opened(tiny(50_000))[1]) == 2
    assert_in_proportion(opened, tiny, 50_000)


@pytest.mark.parametrize(
    ("told", "micros"),
    [
        (1_772_625_600, 1_772_625_600_000_000),
        (1_772_625_600.25, 1_772_625_600_250_000),
        (1_772_625_600_250, 1_772_625_600_250_000),
        ("1772625600250", 1_772_625_600_250_000),
        ("2026-03-04 12:00", 1_772_625_600_000_000),
        ("2026-03-04T13:00:00,25+0100", 1_772_625_600_250_000),
        ("0001-01-01T00:00:00+14:00", None),
        ("1970-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-12:00", None),
        ("2026-02-30T00:00:00Z", None),
        ("now", None),
        (0, None),
        (-5.5, None),
        (10**30, None),
        (True, None),
        (float("nan"), None),
        (["2026-03-04"], None),
        (None, None),
    ],
)
def test_a_time_is_one_that_a_clock_can_tell_or_none(told: object, micros: int | None) -> None:
    assert time_of(told) == micros


@pytest.mark.parametrize(
    "told",
    ["", "a b", "line\nbreak", "\u202egnp", "zero\u200bwidth", "x" * 201, "\ud800", "\0", 7, None, ["u"], {"a": 1}],
)
def test_an_id_that_is_not_safe_is_replaced_by_the_place(told: object) -> None:
    for record in (GOOD[0] | {"uuid": told}, {"role": "user", "content": "go on", "id": told}):
        assert [one.message for one in opened(json.dumps(record).encode())[1]] == ["0"]


def test_what_can_not_be_stored_is_replaced() -> None:
    (said,) = human(json.dumps(claude("user", "odd \0 and \ud83d here")).encode())
    assert said == "odd \ufffd and \ufffd here"


_MEASURE = """
import re, sys
from pathlib import Path
from thermite_pipelines.transcripts.read import open_transcript
transcript = open_transcript(Path(sys.argv[1]))
human = sum(message.role == "human" for message in transcript)
# The kernel's own figure of this process: that of `getrusage` includes what the parent took before.
most = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
print(human, transcript.lines, int(most) // 1024)
"""


def measure(path: Path) -> tuple[int, int, int]:
    """Human messages, lines and the most memory in MiB, in a process of its own."""
    ran = subprocess.run([sys.executable, "-c", _MEASURE, str(path)], capture_output=True, text=True, check=True)
    human, count, mebibytes = map(int, ran.stdout.split())
    return human, count, mebibytes


def test_one_huge_line_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "one.jsonl"
    with path.open("wb") as stream:
        stream.write(lines(GOOD[0]) + b'{"type": "user", "sessionId": "s", "message": "')
        for _ in range(60):
            stream.write(b"x" * 2**20)
        stream.write(b'"}\n' + lines(GOOD[1]))
    human, count, mebibytes = measure(path)
    assert (human, count) == (2, 3) and mebibytes < 200


@pytest.mark.full
@pytest.mark.parametrize("form", ["short-lines", "messages", "one-line"])
def test_200_megabytes_take_less_than_500(form: str, tmp_path: Path) -> None:
    path = tmp_path / "big.jsonl"
    with path.open("wb") as stream:
        number = 0
        while stream.tell() < 200_000_000:
            if form == "short-lines" and number:
                stream.write((b"null" + b" " * 90 + b"\n") * 10_000)
            elif form == "one-line" and number:
                stream.write(b"x" * 2**20)
            else:
                one = {
                    "type": "user",
                    "uuid": f"{number}",
                    "sessionId": SESSION,
                    "message": {"content": f"step {number}"},
                }
                stream.write(lines(one))
            number += 1
    human, _, mebibytes = measure(path)
    assert human >= 1 and mebibytes < 500
