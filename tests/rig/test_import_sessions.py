"""Sessions of Claude Code are sent once, again when they grew, and all that is sent passes the pipeline's checks."""

import contextlib
import gzip
import json
import os
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.rig.logs import SEED, read_inbox
from tests.transcripts.builders import SESSION, claude, codex, codex_said, lines
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.rig.importers import claude_code
from thermite_pipelines.rig.importers.claude_code import SessionsImport, import_sessions
from thermite_pipelines.rig.importers.sent import SentLedger, import_ledger
from thermite_pipelines.rig.reports import MAX_PAYLOAD_BYTES

NOON = 1_772_625_600
TALK = [
    claude("user", "no, the pump must start first", 1),
    claude("assistant", [{"type": "text", "text": "I see."}], 2),
]


@dataclass
class Importing:
    """An import of a folder that can be done again and again."""

    folder: Path
    run: str = "talks"

    @property
    def sessions(self) -> Path:
        return self.folder / "sessions"

    @property
    def inbox(self) -> Path:
        return self.folder / "inbox" / "rig-a"

    def write(self, name: str, *records: Any) -> Path:
        path = self.sessions / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lines(*records))
        os.utime(path, (NOON, NOON))
        return path

    def __call__(self, path: Path | None = None) -> SessionsImport:
        where = {"inbox_dir": self.inbox, "state_path": self.folder / "imports" / "state.json"}
        return import_sessions(
            path or self.sessions, rig="rig-a", run=self.run, campaign="speed-up", seed=SEED, **where
        )

    def sent(self) -> list[dict[str, Any]]:
        """What was recorded of sessions so far, in order."""
        inbox = read_inbox(self.inbox)
        assert inbox.rejected == []
        return inbox.data("session_recorded")


@pytest.fixture
def importing(tmp_path: Path) -> Importing:
    return Importing(tmp_path)


def test_a_session_becomes_an_event_of_a_run(importing: Importing) -> None:
    done = importing(importing.write("one.jsonl", *TALK))
    assert (done.events, len(done.reports), done.skipped) == (3, 1, [])
    assert done.ledger == import_ledger("claude-code", "rig-a", "talks")
    inbox = read_inbox(importing.inbox)
    assert inbox.rejected == []
    assert [(event.type, event.by, event.run, event.campaign) for event in inbox.events] == [
        (kind, "harness", "talks", "speed-up") for kind in ("run_created", "run_started", "session_recorded")
    ]
    at = "2026-03-04T12:00:00.250000Z"
    assert inbox.data("session_recorded") == [
        {
            "session": SESSION,
            "started_at": at,
            "messages": [
                {"role": "human", "text": "no, the pump must start first", "at": at},
                {"role": "assistant", "text": "I see.", "at": at},
            ],
        }
    ]


def test_again_sends_nothing_and_a_session_that_grew_is_recorded_again(importing: Importing) -> None:
    importing.write("one.jsonl", *TALK)
    importing.write("deep/er/two.jsonl", *(record | {"sessionId": str(uuid.UUID(int=2))} for record in TALK))
    assert importing().events == 4
    assert (importing().events, importing().reports) == (0, [])
    os.utime(importing.sessions / "one.jsonl", (NOON + 9, NOON + 9))
    assert importing().events == 0
    importing.write("one.jsonl", *TALK, claude("user", "yes", 3))
    done = importing()
    assert (done.events, len(done.reports)) == (1, 1)
    first, second, grown = importing.sent()
    assert {first["session"], second["session"]} == {SESSION, str(uuid.UUID(int=2))}
    assert grown["session"] == SESSION and [told["text"] for told in grown["messages"]][-1] == "yes"
    assert importing().events == 0


def test_a_session_without_a_uuid_gets_one_that_stays(importing: Importing) -> None:
    importing.write("one.jsonl", *(record | {"sessionId": "pump talk"} for record in TALK))
    importing()
    importing.write("one.jsonl", *(record | {"sessionId": "pump talk"} for record in [*TALK, claude("user", "yes", 3)]))
    importing()
    ids = {told["session"] for told in importing.sent()}
    assert len(ids) == 1 and uuid.UUID(ids.pop()).version == 5


def test_what_a_tool_and_an_agent_said_is_cut(importing: Importing) -> None:
    result = [{"type": "tool_result", "content": "x" * 9_000}]
    answer = claude("assistant", [{"type": "text", "text": "y" * 90_000}], 4)
    importing(importing.write("one.jsonl", *TALK, claude("user", result, 3), answer))
    (told,) = importing.sent()
    assert [(one["role"], len(one["text"])) for one in told["messages"][2:]] == [("tool", 2_000), ("assistant", 20_000)]


def test_a_session_that_is_too_long_keeps_what_people_said(
    importing: Importing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claude_code, "SESSION_BYTES", 10_000)
    answers = [claude("assistant", [{"type": "text", "text": "\x01" * 1_000}], number) for number in range(10, 20)]
    done = importing(importing.write("one.jsonl", *answers, *TALK))
    (told,) = importing.sent()
    assert told["messages"][-2]["text"] == "no, the pump must start first"
    left_out = 12 - len(told["messages"])
    assert left_out > 0
    reason = f"{left_out} messages were left out: the session is too long"
    assert done.skipped == [{"file": "one.jsonl", "line": 0, "reason": reason}]
    assert 2 * claude_code.SESSION_BYTES < MAX_PAYLOAD_BYTES


def test_many_sessions_go_into_reports_of_bounded_size(importing: Importing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claude_code, "REPORT_BYTES", 2_000)
    for number in range(1, 31):
        importing.write(f"{number:02d}.jsonl", *(one | {"sessionId": str(uuid.UUID(int=number))} for one in TALK))
    done = importing()
    assert done.events == 32 and len(done.reports) > 2
    assert len(importing.sent()) == 30


def test_what_is_not_taken_is_named(importing: Importing) -> None:
    importing.write("a.jsonl", *TALK, "half {", {"type": "new-one"})
    importing.write("agent-1.jsonl", *(record | {"isSidechain": True} for record in TALK))
    importing.write("b.jsonl", "no transcript")
    importing.write("c.jsonl", codex("session_meta", {"id": "x"}), codex_said("user", "start"))
    importing.write("d.jsonl", {"type": "summary", "summary": "Pumps", "leafUuid": "x"})
    importing.write("e.jsonl", TALK[0])
    done = importing()
    assert [(one["file"], one["line"], one["reason"]) for one in done.skipped] == [
        ("a.jsonl", 3, "bad-json"),
        ("a.jsonl", 4, "unknown-type: new-one"),
        ("agent-1.jsonl", 0, "a side chain: no person speaks in it"),
        ("b.jsonl", 0, "no transcript that is known"),
        ("c.jsonl", 0, "a session of codex, not of Claude Code"),
        ("d.jsonl", 0, "there is no message in it"),
        ("e.jsonl", 0, "another file holds more of this session"),
    ]
    assert done.events == 3


def test_a_session_without_any_date_takes_the_files_and_is_not_sent_for_it_again(importing: Importing) -> None:
    path = importing.write(
        "one.jsonl", *({key: record[key] for key in record if key != "timestamp"} for record in TALK)
    )
    importing()
    os.utime(path, (NOON + 60, NOON + 60))
    assert importing().events == 0
    (told,) = importing.sent()
    assert told["started_at"] == "2026-03-04T12:00:00Z" and "at" not in told["messages"][0]


@pytest.mark.parametrize("at", ["plan", "deliver_pending"])
def test_an_import_that_is_killed_is_completed_by_the_next(
    importing: Importing, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    importing.write("one.jsonl", *TALK)
    real = getattr(SentLedger, at)

    def killed(self: SentLedger, *given: Any) -> Any:
        if at == "plan":
            real(self, *given)
            raise KeyboardInterrupt
        if self.state.pending:
            saved = self._save
            monkeypatch.setattr(self, "_save", lambda: (_ for _ in ()).throw(KeyboardInterrupt()))
            try:
                return real(self, *given)
            finally:
                monkeypatch.setattr(self, "_save", saved)
        return real(self, *given)

    with monkeypatch.context() as patched, contextlib.suppress(KeyboardInterrupt):
        patched.setattr(SentLedger, at, killed)
        importing()
    importing.write("one.jsonl", *TALK, claude("user", "yes", 3))
    importing()
    assert [len(told["messages"]) for told in importing.sent()] == [2, 3]


def test_a_record_behind_a_torn_one_is_sent(importing: Importing) -> None:
    torn = json.dumps(TALK[1])[:60] + json.dumps(claude("user", "yes", 3))
    done = importing(importing.write("one.jsonl", TALK[0], torn))
    (told,) = importing.sent()
    assert [one["text"] for one in told["messages"]] == ["no, the pump must start first", "yes"]
    assert [one["reason"] for one in done.skipped] == ["bad-json"]


def test_links_and_pipes_in_a_folder_are_named_and_folders_are_not(importing: Importing) -> None:
    importing.write("one.jsonl", *TALK)
    other = importing.folder / "other.jsonl"
    other.write_bytes(lines(*(record | {"sessionId": str(uuid.UUID(int=2))} for record in TALK)))
    (importing.sessions / "link.jsonl").symlink_to(other)
    os.mkfifo(importing.sessions / "pipe.jsonl")
    importing.write("folder.jsonl/two.jsonl", *(record | {"sessionId": str(uuid.UUID(int=3))} for record in TALK))
    done = importing()
    assert [(one["file"], one["reason"]) for one in done.skipped] == [
        ("link.jsonl", "a link or no plain file"),
        ("pipe.jsonl", "a link or no plain file"),
    ]
    assert {told["session"] for told in importing.sent()} == {SESSION, str(uuid.UUID(int=3))}
    with pytest.raises(ThermiteError, match="neither a file nor a folder"):
        importing(importing.sessions / "pipe.jsonl")


def test_gzipped_sessions_are_found(importing: Importing) -> None:
    path = importing.write("one.jsonl.gz", *TALK)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert importing().events == 3


@pytest.mark.parametrize("at", [-1_000, 400_000_000_000])
def test_a_file_whose_own_time_is_no_date_is_sent(importing: Importing, at: int) -> None:
    records = ({key: record[key] for key in record if key != "timestamp"} for record in TALK)
    path = importing.write("one.jsonl", *records)
    try:
        os.utime(path, (at, at))
    except OSError:
        os.utime(path, (0, 0))  # a file system that can't tell such a time
    importing()
    (told,) = importing.sent()
    assert told["started_at"][4] == "-"


@pytest.mark.parametrize("told", ["../../x", "x" * 1_000_000, "\u202e", 7, None, ["a"]])
def test_an_odd_id_of_a_session_becomes_a_uuid(importing: Importing, told: object) -> None:
    importing(importing.write("one.jsonl", *(record | {"sessionId": told} for record in TALK)))
    (sent,) = importing.sent()
    assert uuid.UUID(sent["session"]).version == 5


def test_where_there_is_no_session_the_reason_is_told(importing: Importing) -> None:
    rollout = [codex("session_meta", {"id": "x"}), codex_said("user", "start")]
    path = importing.write("a.jsonl", *rollout)
    with pytest.raises(ThermiteError, match=r"no session of Claude Code \(a session of codex, not of Claude Code\)"):
        importing(path)
    with pytest.raises(ThermiteError, match="THERMITE_TRANSCRIPTS"):
        importing(path)
    importing.write("b.jsonl", *rollout)
    with pytest.raises(ThermiteError, match=r"\(2 files, a session of codex, not of Claude Code\)"):
        importing()
    importing.write("agent-1.jsonl", *TALK)
    with pytest.raises(ThermiteError, match=r"\(3 files, .* and other reasons\)") as caught:
        importing()
    assert "\n" not in str(caught.value)


def test_where_there_is_no_session_that_is_one_line(importing: Importing) -> None:
    importing.sessions.mkdir()
    with pytest.raises(ThermiteError, match="no session of Claude Code"):
        importing()
    with pytest.raises(ThermiteError, match="no such file or folder"):
        importing(importing.folder / "missing")
    with pytest.raises(UsageError):
        Importing(importing.folder, run="a b")()
