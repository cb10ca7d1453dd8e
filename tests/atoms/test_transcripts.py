"""Sessions of other tools' files: kept whole, read once, lost for no line and no missing folder."""

import gzip
import os
from pathlib import Path

import pytest

from tests.atoms.talking import (
    CAMPAIGN,
    Listener,
    a_run,
    arrive,
    claude_lines,
    day,
    derived,
    mine,
    opened,
    put_file,
    rebuild_tables,
    rows,
    say_session,
    uuid,
)
from tests.knowledge.filing import assign_run
from tests.support.homes import Home
from thermite_pipelines.atoms.estimating import estimate
from thermite_pipelines.atoms.extraction import ExtractionResult
from thermite_pipelines.atoms.inspection import missing_copies, session_findings, unreadable_files
from thermite_pipelines.atoms.targets import AtomLag, atom_targets


@pytest.fixture
def talk(home: Home, tmp_path: Path) -> Path:
    """The folder of the campaign's transcripts; `plain` beside it names no campaign."""
    folder = tmp_path / "talk"
    folder.mkdir()
    home.settings = home.settings.model_copy(update={"transcripts": f"{CAMPAIGN}={folder};{tmp_path / 'plain'}"})
    home.campaign(CAMPAIGN)
    return folder


def kinds(result: ExtractionResult) -> dict[str, int]:
    assert result.read is not None
    return result.read.problem_counts


def kept(home: Home) -> list[bytes]:
    return list(home.files("transcripts").values())


def statements(home: Home) -> list[str]:
    return sorted(row["statement"] for row in rows(home, "atoms"))


def sessions(home: Home) -> list[str]:
    return [row["session"] for row in rows(home, "sessions")]


def test_a_transcript_is_kept_whole_and_read_once(home: Home, talk: Path) -> None:
    data = claude_lines(uuid(1), "h:FACT tea is hot", "a:yes", "t:out", "h:DO pour it", at=day(6))
    path = put_file(talk / "deep" / "er" / "one.jsonl", data)
    result = mine(home)
    assert (result.atoms, result.intents, kinds(result)) == (1, 1, {})
    [session] = rows(home, "sessions")
    assert (session["session"], session["tool"]) == (uuid(1), "claude-code")
    assert (session["established"], session["dated_by"], session["human_messages"]) == ("2026-01-07", "message", 2)
    assert home.lake.get(session["transcript"]) == data
    [first, second] = rows(home, "messages")
    assert (first["message"], first["after_text"], second["before_text"]) == (f"{uuid(1)}-0", "yes", "yes")
    path.chmod(0)
    path.unlink()
    path.mkdir()  # opening it would fail
    assert mine(home).read.files == 0  # type: ignore[union-attr]
    assert sessions(home) == [uuid(1)], "its tool may delete it"


def test_an_unchanged_file_is_not_opened(home: Home, talk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    put_file(talk / "notes.md", b"# shopping\n\nmilk\n")
    result = mine(home)
    assert kinds(result) == {"no-transcript": 1}
    monkeypatch.setattr(os, "open", None)
    assert kinds(mine(home)) == {"no-transcript": 1}


def test_a_file_that_grew_is_copied_anew_and_asked_about_what_is_new(home: Home, talk: Path) -> None:
    path = put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    mine(home)
    grown = claude_lines(uuid(1), "h:FACT tea is hot", "a:so", "h:FACT ice is cold")
    put_file(path, grown)
    answerer = Listener()
    mine(home, answerer)
    assert answerer.texts == ["FACT ice is cold"]
    assert kept(home) == [grown], "the older copy is the beginning of this one"
    other = claude_lines(uuid(1), "h:FACT milk is white")
    put_file(path, other)
    mine(home)
    assert sorted(kept(home)) == sorted([grown, other]), "raw is sacred"
    assert statements(home) == ["ice is cold", "tea is hot"], "the longer copy counts"
    rebuild_tables(opened(home), CAMPAIGN)
    assert statements(home) == ["ice is cold", "tea is hot"]
    longer = claude_lines(uuid(1), "h:FACT milk is white", "h:FACT coal is black", "h:FACT grass is green", "a:so")
    put_file(path, longer)
    mine(home)
    assert statements(home) == ["coal is black", "grass is green", "milk is white"]
    assert [row["session"] for row in rows(home, "sessions")] == [uuid(1)]


def test_a_missing_folder_loses_no_session(home: Home, talk: Path) -> None:
    put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    mine(home)
    before = derived(home)
    talk.rename(talk.with_name("away"))
    assert kinds(mine(home)) == {"folder-missing": 1}
    assert derived(home) == before
    for path in before:
        home.lake.delete(path)
    rebuild_tables(opened(home), CAMPAIGN)
    assert derived(home) == before, "from the kept copy"


def test_a_file_whose_place_another_session_takes_stays(home: Home, talk: Path) -> None:
    path = put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    mine(home)
    put_file(path, claude_lines(uuid(2), "h:FACT ice is cold"))
    mine(home)
    put_file(path, b"no session any more\n")
    mine(home)
    assert sessions(home) == [uuid(1), uuid(2)]
    rebuild_tables(opened(home), CAMPAIGN)
    assert sessions(home) == [uuid(1), uuid(2)]


def test_odd_files_are_named_and_stop_no_other(home: Home, talk: Path, tmp_path: Path) -> None:
    put_file(talk / "torn.jsonl", claude_lines(uuid(1), "h:FACT tea is hot", "h:FACT ice is cold")[:-30])
    put_file(talk / "packed.jsonl.gz", gzip.compress(claude_lines(uuid(2), "h:FACT milk is white")))
    put_file(talk / "torn.jsonl.gz", gzip.compress(claude_lines(uuid(3), "h:FACT coal is black"))[:-12])
    put_file(talk / "empty.jsonl", b"")
    put_file(talk / "zeros.jsonl", bytes(5000))
    put_file(Path(os.fsdecode(bytes(talk) + b"/odd\xff.jsonl")), claude_lines(uuid(4), "h:FACT x"))
    outside = put_file(tmp_path / "outside.jsonl", claude_lines(uuid(5), "h:FACT grass is green"))
    (talk / "link.jsonl").symlink_to(outside)
    (talk / "folder-link").symlink_to(tmp_path)
    (talk / "loop").symlink_to(talk)
    os.mkfifo(talk / "pipe.jsonl")
    result = mine(home)
    assert kinds(result) == {"no-transcript": 3, "odd-name": 1}
    assert set(sessions(home)) >= {uuid(1), uuid(2)}
    assert not {uuid(4), uuid(5)} & set(sessions(home))
    assert {row["session"]: row["skipped_lines"] for row in rows(home, "sessions")}[uuid(1)] == 1
    assert "tea is hot" in {row["statement"] for row in rows(home, "atoms")}


def test_a_plain_folder_belongs_to_the_campaign_that_a_command_names(home: Home, talk: Path, tmp_path: Path) -> None:
    path = put_file(tmp_path / "plain" / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    mine(home)
    assert sessions(home) == []
    mine(home, plain=True, recent=9)
    assert sessions(home) == [uuid(1)]
    put_file(path, claude_lines(uuid(1), "h:FACT tea is hot", "h:FACT ice is cold"))
    mine(home)
    assert len(rows(home, "atoms")) == 1, "followed only by such commands"
    mine(home, plain=True, recent=9)
    assert len(rows(home, "atoms")) == 2


def lag(home: Home) -> AtomLag:
    with home.control.read() as connection:
        return atom_targets(connection, home.settings)[CAMPAIGN]


def test_nobody_asks_about_the_other_sessions_of_a_plain_folder(home: Home, talk: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    for number in range(1, 4):
        put_file(plain / f"{number}.jsonl", claude_lines(uuid(number), f"h:FACT n{number}", at=day(number)))
    put_file(talk / "own.jsonl", claude_lines(uuid(4), "h:FACT n4", at=day(0)))
    mine(home, plain=True, recent=1)
    assert statements(home) == ["n3"]
    assert (lag(home).unread, lag(home).unasked) == (0, 1)
    assert [row["session"] for row in session_findings(opened(home), CAMPAIGN)] == [uuid(4)]
    answerer = Listener()
    mine(home, answerer)
    assert answerer.texts == ["FACT n4"]
    assert not lag(home).is_behind
    mine(home, session=uuid(2))
    assert statements(home) == ["n2", "n3", "n4"]


def test_a_folder_that_becomes_a_campaigns_is_asked_about(home: Home, talk: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    put_file(plain / "1.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    put_file(plain / "2.jsonl", claude_lines(uuid(2), "h:FACT ice is cold"))
    mine(home, plain=True, session=uuid(2))
    assert not lag(home).is_behind
    before = home.settings.transcripts
    home.settings = home.settings.model_copy(update={"transcripts": f"{before};{CAMPAIGN}={plain}"})
    put_file(plain / "1.jsonl", claude_lines(uuid(1), "h:FACT tea is hot", "h:hm"))
    assert lag(home).unread == 2
    (plain / "2.jsonl").unlink()
    mine(home)
    assert statements(home) == ["ice is cold", "tea is hot"]
    assert not lag(home).is_behind
    put_file(plain / "3.jsonl", claude_lines(uuid(3), "h:FACT milk is white"))
    mine(home, plain=True)
    assert "milk is white" in statements(home), "a file that lies in both is not plain"


def test_a_copy_that_is_gone_is_made_again_or_named(home: Home, talk: Path, tmp_path: Path) -> None:
    one = put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    put_file(tmp_path / "plain" / "two.jsonl", claude_lines(uuid(2), "h:FACT ice is cold"))
    mine(home, plain=True, recent=9)
    before, made = home.files("transcripts"), derived(home)
    for path in before:
        home.lake.delete(path)
    assert missing_copies(opened(home), CAMPAIGN) == sorted(before)
    assert kinds(mine(home)) == {}
    assert (home.files("transcripts"), missing_copies(opened(home), CAMPAIGN)) == (before, [])
    [copy] = [path for path, data in before.items() if data == one.read_bytes()]
    home.lake.put(copy, b"cut")
    one.unlink()
    assert missing_copies(opened(home), CAMPAIGN) == [copy]
    read = mine(home).read
    assert read is not None
    assert [(problem.kind, problem.where) for problem in read.problems] == [("copy-missing", copy)]
    assert derived(home) == made, "what was taken stays"


def test_what_gives_no_session_is_named_with_its_place(home: Home, talk: Path, tmp_path: Path) -> None:
    notes = put_file(talk / "notes.md", b"# shopping\n\nmilk\n")
    gone = put_file(talk / "gone.md", b"# shopping\n\nmilk\n")
    put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    file, missing = put_file(tmp_path / "file", b"x"), tmp_path / "missing"
    both = ";".join([home.settings.transcripts, *(f"{CAMPAIGN}={path}" for path in (file, missing))])
    home.settings = home.settings.model_copy(update={"transcripts": both})
    result = mine(home)
    assert kinds(result) == {"folder-missing": 1, "no-transcript": 2, "not-a-folder": 1}
    gone.unlink()
    assert unreadable_files(opened(home), CAMPAIGN) == [
        ("folder-missing", str(missing)),
        ("no-transcript", str(notes)),
        ("not-a-folder", str(file)),
    ]


def test_a_cut_file_costs_nothing_and_takes_nothing(home: Home, talk: Path) -> None:
    path = put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot", "h:FACT ice is cold"))
    mine(home)
    made = derived(home)
    put_file(path, claude_lines(uuid(1), "h:FACT tea is hot"))
    assert estimate(opened(home), [CAMPAIGN], Listener()).messages == 0
    answerer = Listener()
    mine(home, answerer)
    assert (answerer.asked, derived(home)) == ([], made)
    put_file(path, b"")
    mine(home)
    assert derived(home) == made


def test_at_36_a_session_without_times_has_the_day_of_its_file(home: Home, talk: Path) -> None:
    path = put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot", at=""))
    os.utime(path, (1_767_225_599, 1_767_225_599))  # 2025-12-31T23:59:59Z
    rig = a_run(home)
    say_session(rig, uuid(2), "h:FACT ice is cold", at="2026-02-01T00:30:00+02:00")
    arrive(home)
    mine(home)
    found = {row["session"]: (row["established"], row["dated_by"]) for row in rows(home, "sessions")}
    assert found == {uuid(1): ("2025-12-31", "file"), uuid(2): ("2026-01-31", "started_at")}
    assert {row["session"]: row["established"] for row in rows(home, "atoms")} == {k: v[0] for k, v in found.items()}


def test_of_two_files_of_one_session_the_larger_counts(home: Home, talk: Path) -> None:
    put_file(talk / "a.jsonl", claude_lines(uuid(1), "h:FACT tea is hot", "h:FACT ice is cold"))
    put_file(talk / "b.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    mine(home)
    assert len(rows(home, "atoms")) == 2
    assert len(kept(home)) == 2
    put_file(talk / "b.jsonl", claude_lines(uuid(1), "h:FACT tea is hot", "h:FACT ice is cold", "h:FACT milk is white"))
    mine(home)
    assert len(rows(home, "atoms")) == 3


def test_a_signed_session_counts_before_a_transcript_of_its_id(home: Home, talk: Path) -> None:
    put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot"))
    mine(home)
    rig = a_run(home)
    say_session(rig, uuid(1), "h:FACT ice is cold")
    arrive(home)
    mine(home)
    assert [(row["session"], row["tool"]) for row in rows(home, "sessions")] == [(uuid(1), "session_recorded")]
    assert [row["statement"] for row in rows(home, "atoms")] == ["ice is cold"]
    assign_run(home, "rig-a", "run-1", "other")
    mine(home)
    assert [row["statement"] for row in rows(home, "atoms")] == ["tea is hot"]


def test_at_20_an_estimate_copies_nothing(home: Home, talk: Path) -> None:
    put_file(talk / "one.jsonl", claude_lines(uuid(1), "h:FACT tea is hot", "h:hm"))
    found = estimate(opened(home), [CAMPAIGN], Listener())
    assert (found.sessions, found.messages) == (1, 2)
    assert home.files("") == {}


@pytest.mark.full
def test_a_transcript_of_200_mb_in_bounded_memory(tmp_path: Path) -> None:
    """Measured in a process of its own, by its own peak: the one that `getrusage` tells begins with its parent's."""
    import subprocess
    import sys

    code = """
import json, sys, time
from pathlib import Path
from tests.atoms.talking import CAMPAIGN, mine, rows
from tests.support.homes import make_home
base = Path(sys.argv[1])
path = base / "talk" / "big.jsonl"
path.parent.mkdir()
word = {"human": "FACT tea is hot " + "and so on " * 180, "tool": "x" * 4000}
with path.open("w") as out:
    number = 0
    while out.tell() < 200_000_000:
        for role in ("human", "tool"):
            content = word[role] if role == "human" else [
                {"type": "tool_result", "tool_use_id": "x", "content": word[role]}]
            line = {"type": "user", "sessionId": "big", "uuid": str(number), "message": {"role": "user"}}
            line["message"]["content"] = content
            out.write(json.dumps(line) + "\\n")
            number += 1
home = make_home(base / "home", Path(sys.argv[2]), transcripts=f"{CAMPAIGN}={path.parent}")
home.campaign(CAMPAIGN)
begun = time.perf_counter()
result = mine(home)
print(result.messages, round(time.perf_counter() - begun, 1))
print(next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM:")) // 1024)
"""
    from tests.support.homes import make_ready

    ready = make_ready(tmp_path)
    command = [sys.executable, "-c", code, str(tmp_path), str(ready)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told, peak = done.stdout.splitlines()
    print(told, peak, "MB")
    assert int(peak) < 500
