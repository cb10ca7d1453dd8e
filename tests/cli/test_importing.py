"""`thermite import`: logs and sessions of other tools become signed reports in the inbox."""

from pathlib import Path

import pytest

from tests.cli.commands import Cli
from tests.transcripts.builders import SESSION, claude, lines

LOG = "commit\tval_bpb\tstatus\tdescription\nabc1234\t1.10\tkeep\tbaseline\nabc1235\t1.09\tkeep\thalf the decay\n"


@pytest.fixture
def words(cli: Cli, tmp_path: Path) -> list[str]:
    """The words of an import whose key is registered."""
    made = cli.json("rig", "keygen", "--out", tmp_path / "rig.hex")
    cli.json("rig", "add", "rig-a", "--public-key", made["public_key"])
    cli.json("campaign", "add", "old-logs")
    (tmp_path / "results.tsv").write_text(LOG)
    return import_words(tmp_path / "results.tsv", tmp_path / "rig.hex")


def import_words(log: Path, key: Path) -> list[str]:
    options = ["--rig", "rig-a", "--run", "old-1", "--campaign", "old-logs", "--key", str(key)]
    return ["import", "autoresearch", str(log), *options]


def test_a_log_is_imported_once_and_grows(cli: Cli, words: list[str], tmp_path: Path) -> None:
    first = cli.json(*words)
    assert list(first) == ["reports", "events", "skipped"]
    assert first["events"] > 2 and first["skipped"] == []
    for path in first["reports"]:
        assert path.startswith("inbox/rig-a/") and (cli.home.settings.home / path).is_file()
    assert cli.json(*words) == {"reports": [], "events": 0, "skipped": []}
    assert cli.say(*words) == "nothing new in the log\n"
    (tmp_path / "results.tsv").write_text(LOG + "abc1236\t1.08\tkeep\tbeta2\n\tno value at all\n")
    grown = cli.json(*words)
    assert grown["events"] > 0 and len(grown["reports"]) == 1
    cli.home.intake()
    assert set(cli.home.outcomes().values()) == {"accepted"}
    assert cli.json("events", "--rejected") == {"events": []}
    assert {row["run"] for row in cli.json("events")["events"]} == {"old-1"}


def test_skipped_lines_are_named_with_their_reason(cli: Cli, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "results.tsv").write_text(LOG + "\t\t\t\nonly-one-cell\n")
    done = cli.json(*words)
    assert all(list(row) == ["line", "reason"] for row in done["skipped"])


def test_a_key_that_is_not_the_rigs_is_refused(cli: Cli, words: list[str], tmp_path: Path) -> None:
    stranger = cli.json("rig", "keygen", "--out", tmp_path / "other.hex")
    line = cli.fail(*import_words(tmp_path / "results.tsv", tmp_path / "other.hex"))
    assert f"thermite rig add rig-a --public-key {stranger['public_key']}" in line
    keyid = cli.json("rig", "list")["rigs"][0]["keys"][0]["keyid"]
    cli.json("rig", "revoke", "rig-a", keyid)
    assert "revoked" in cli.fail(*words)
    assert not list((cli.home.settings.inbox).glob("*/*"))


def test_what_is_no_log_or_no_key_is_one_line(cli: Cli, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "empty.tsv").touch()
    (tmp_path / "bad.hex").write_text("zz")
    assert cli.fail(*import_words(tmp_path / "missing.tsv", tmp_path / "rig.hex"))
    assert cli.fail(*import_words(tmp_path / "empty.tsv", tmp_path / "rig.hex"))
    assert "64" in cli.fail(*import_words(tmp_path / "results.tsv", tmp_path / "bad.hex"))
    assert "no such key file" in cli.fail(*import_words(tmp_path / "results.tsv", tmp_path / "none.hex"))
    assert cli.fail(*[word.replace("old-1", "a b") for word in words], code=2)


def test_the_keys_warning_is_one_line(cli: Cli, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "rig.hex").chmod(0o644)
    ended = cli.run(*words)
    assert ended.code == 0
    assert ended.err.startswith("warning: ") and ended.err.count("\n") == 1


@pytest.fixture
def session_words(words: list[str], tmp_path: Path) -> list[str]:
    """The words of an import of sessions whose key is registered."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "one.jsonl").write_bytes(lines(claude("user", "no, the pump must start first", 1), "half {"))
    return ["import", "claude-code", str(folder), *words[3:]]


def test_sessions_are_imported_once_and_grow(cli: Cli, session_words: list[str], tmp_path: Path) -> None:
    first = cli.json(*session_words)
    assert list(first) == ["reports", "events", "skipped"]
    assert first["events"] == 3 and len(first["reports"]) == 1
    assert first["skipped"] == [{"file": "one.jsonl", "line": 2, "reason": "bad-json"}]
    assert (cli.home.settings.home / first["reports"][0]).is_file()
    assert cli.json(*session_words) == {"reports": [], "events": 0, "skipped": first["skipped"]}
    said = cli.say(*session_words)
    assert said.startswith("nothing new in the sessions\n") and "bad-json" in said
    with (tmp_path / "sessions" / "one.jsonl").open("ab") as stream:
        stream.write(lines(claude("user", "yes, like that", 2)))
    assert cli.json(*session_words)["events"] == 1
    cli.home.intake()
    assert set(cli.home.outcomes().values()) == {"accepted"}
    assert cli.json("events", "--rejected") == {"events": []}
    recorded = [row for row in cli.json("events")["events"] if row["type"] == "session_recorded"]
    assert len(recorded) == 2 and SESSION in str(recorded)


def test_a_folder_without_sessions_is_one_line(cli: Cli, session_words: list[str], tmp_path: Path) -> None:
    (tmp_path / "sessions" / "one.jsonl").unlink()
    assert "no session of Claude Code" in cli.fail(*session_words)
    assert cli.fail(*[word.replace("old-1", "a b") for word in session_words], code=2)
