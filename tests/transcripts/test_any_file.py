"""Laws that hold for every file: no bytes raise, no junk costs a message, a file that grows goes on."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.transcripts.builders import SESSION, claude, codex, codex_said, lines, opened
from tests.transcripts.test_markdown import AIDER, STORY
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.transcripts.read import open_transcript

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


_MEASURE = """
import resource, sys
from pathlib import Path
from thermite_pipelines.transcripts.read import open_transcript
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
transcript = open_transcript(Path(sys.argv[1]))
human = sum(message.role == "human" for message in transcript)
print(human, transcript.lines, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
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
