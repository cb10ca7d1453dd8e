"""Ids of sessions: whatever a file says, they are safe in names of files, tables and lines of text."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.transcripts.builders import SESSION, claude, lines
from tests.transcripts.test_markdown import AIDER
from thermite_pipelines.atoms.transcript_files import read_transcript, session_of

ODD = [
    "../../x",
    "/etc/passwd",
    "a b",
    "",
    ".",
    "..",
    "-",
    "x" * 129,
    "a:b",
    "a@b/c",
    "\u202egnp",
    "\0",
    "会话",
    "a\nb",
]


def session(path: Path, stem: str | None = None) -> str:
    """The id of a file's session."""
    told = read_transcript(path, path.stem if stem is None else stem)
    return told.finish("kept", "0" * 64, 0).session


@given(st.text(max_size=200) | st.sampled_from(ODD), st.text(max_size=200) | st.sampled_from(ODD))
def test_an_id_is_safe_and_the_id_of_itself(told: str, stem: str) -> None:
    name = session_of(told, stem)
    assert re.fullmatch(r"[0-9A-Za-z][0-9A-Za-z_.-]{0,127}", name)
    assert session_of("", name) == name
    assert name == session_of(told, stem)


def test_names_that_lose_the_same_stay_apart() -> None:
    stems = ["会话", "聊天", "a b", "a-b", "a/b", "x" * 120, "x" * 121, "é", "è"]
    assert len({session_of("", stem) for stem in stems}) == len(stems)


@pytest.mark.parametrize("told", [*ODD, "x" * 10_000_000, 7, None, ["a"], {"a": 1}])
def test_an_odd_id_of_a_tool_gives_way_to_the_files_name(told: object, tmp_path: Path) -> None:
    path = tmp_path / "talk-7.jsonl"
    path.write_bytes(lines(claude("user", "start the pump") | {"sessionId": told}))
    assert session(path) == "talk-7"
    path.write_bytes(lines(claude("user", "start the pump")))
    assert session(path) == SESSION


def test_files_of_aider_are_told_apart_by_their_time(tmp_path: Path) -> None:
    path = tmp_path / "copy.md"
    path.write_text(AIDER)
    first = session(path, ".aider.chat.history")
    assert first == "aider.chat.history-20260304T120000" == session(path, first)
    path.write_text(AIDER + AIDER.replace("2026-03-05", "2026-03-09"))
    assert session(path, ".aider.chat.history") == first
    path.write_text(AIDER.replace("2026-03-04", "2026-03-06"))
    assert session(path, ".aider.chat.history") != first
    assert session(path, "pump-talk") == "pump-talk"
