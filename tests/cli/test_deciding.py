"""Rigs and keys, campaigns, grants, assignments and the audit log: what people decide."""

import json
import os
import stat
from pathlib import Path

import pytest

from tests.cli.commands import Cli
from tests.support.rigs import RigSimulator, seed_of
from thermite_pipelines.ledger.envelope import COMMAND_TYPE, parse_envelope


def rig_key(name: str = "rig-a") -> RigSimulator:
    return RigSimulator(name, Path("unused"), seed=seed_of(name))


def test_init_makes_all_that_is_missing_and_can_be_repeated(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "deep" / "new"
    monkeypatch.setenv("THERMITE_HOME", str(path))
    first = cli.json("init")
    assert first["changed"] is True and first["home"] == str(path)
    folders = {entry.name for entry in path.iterdir() if entry.is_dir()}
    assert folders == {"inbox", "commands", "kits", "lake", "sync", "exports", "imports", "dagster"}
    assert stat.S_IMODE((path / "control.key").stat().st_mode) == 0o600
    (path / "dagster" / "dagster.yaml").write_text("# mine\n")
    (path / "sync").rmdir()
    assert cli.json("init") == {**first, "changed": True}
    assert cli.json("init") == {**first, "changed": False}
    assert (path / "dagster" / "dagster.yaml").read_text() == "# mine\n"
    assert [entry["action"] for entry in cli.json("audit")["entries"]] == ["init", "init"]


def test_init_where_nothing_can_be_made_is_one_line(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("THERMITE_HOME", str(tmp_path / "file" / "home"))
    cli.fail("init")


def test_a_rig_with_its_keys(cli: Cli) -> None:
    key = rig_key()
    assert cli.json("rig", "list") == {"rigs": []}
    assert cli.json("rig", "add", "rig-a", "--public-key", key.public_key) == {
        "changed": True,
        "rig": "rig-a",
        "keyid": key.keyid,
    }
    assert cli.json("rig", "add", "rig-a", "--public-key", key.public_key.upper())["changed"] is False
    assert "key of another" not in cli.fail("rig", "add", "rig-b", "--public-key", key.public_key)
    [one] = cli.json("rig", "list")["rigs"]
    assert list(one) == ["rig", "keys", "heads", "waiting", "quarantined"]
    assert list(one["keys"][0]) == ["keyid", "public_key", "added_at", "revoked_at"]
    assert (one["keys"][0]["public_key"], one["keys"][0]["revoked_at"]) == (key.public_key, None)
    assert cli.json("rig", "revoke", "rig-a", key.keyid)["changed"] is True
    assert cli.json("rig", "revoke", "rig-a", key.keyid)["changed"] is False
    assert "(revoked)" in cli.say("rig", "list")
    assert "revoked" in cli.fail("rig", "add", "rig-a", "--public-key", key.public_key)
    assert [entry["action"] for entry in cli.json("audit")["entries"]][1:] == ["rig-add", "key-revoke"]


def test_keygen_makes_a_key_file_for_its_owner_alone(cli: Cli, tmp_path: Path) -> None:
    made = cli.json("rig", "keygen", "--out", tmp_path / "rig.hex")
    assert list(made) == ["public_key", "keyid", "file"]
    assert made["file"] == str(tmp_path / "rig.hex")
    assert stat.S_IMODE((tmp_path / "rig.hex").stat().st_mode) == 0o600
    text = (tmp_path / "rig.hex").read_text()
    assert len(text) == 65 and text.endswith("\n")
    assert "never overwritten" in cli.fail("rig", "keygen", "--out", tmp_path / "rig.hex")
    assert (tmp_path / "rig.hex").read_text() == text
    cli.say("rig", "keygen")
    assert (Path.cwd() / "rig-key.hex").exists()
    assert cli.json("rig", "add", "rig-a", "--public-key", made["public_key"])["keyid"] == made["keyid"]


def test_keygen_needs_no_home(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_HOME", str(tmp_path / "nothing"))
    assert cli.json("rig", "keygen", "--out", tmp_path / "rig.hex")["public_key"]
    assert not (tmp_path / "nothing").exists()


def test_campaigns_and_grants(cli: Cli) -> None:
    assert cli.json("campaign", "add", "one", "--title", "First") == {
        "changed": True,
        "campaign": "one",
        "title": "First",
    }
    assert cli.json("campaign", "add", "one")["changed"] is False
    assert cli.json("campaign", "add", "two") == {"changed": True, "campaign": "two", "title": None}
    assert cli.json("campaign", "list") == {
        "campaigns": [{"campaign": "one", "title": "First"}, {"campaign": "two", "title": None}]
    }
    assert cli.json("grant", "one", "two", "--by", "olga")["changed"] is True
    assert cli.json("grant", "one", "two", "--by", "olga")["changed"] is False
    [granted] = cli.json("grants")["grants"]
    assert list(granted) == ["reader", "source", "by", "at"]
    assert (granted["reader"], granted["source"], granted["by"]) == ("one", "two", "olga")
    assert "olga" in cli.say("grants")
    assert "always reads its own" in cli.fail("grant", "one", "one", "--by", "olga")
    assert cli.json("revoke", "one", "two", "--by", "olga")["changed"] is True
    assert cli.json("revoke", "one", "two", "--by", "olga")["changed"] is False
    assert cli.json("grants") == {"grants": []}
    entries = cli.json("audit")["entries"]
    assert [entry["action"] for entry in entries] == ["init", "campaign-add", "campaign-add", "grant", "revoke"]
    assert all(list(entry) == ["at", "by", "action", "subject", "detail"] for entry in entries)


@pytest.mark.parametrize("name", ["", "  ", "olga\nbob", "olga\x1b[31m"])
def test_who_decides_is_one_plain_line(cli: Cli, name: str) -> None:
    cli.json("campaign", "add", "one")
    cli.json("campaign", "add", "two")
    assert "--by" in cli.fail("grant", "one", "two", "--by", name, code=2)
    assert cli.json("grants") == {"grants": []}


def test_audit_since(cli: Cli) -> None:
    assert cli.json("audit", "--since", "2999-01-01") == {"entries": []}
    [entry] = cli.json("audit", "--since", "2020-01-01T00:00:00+02:00")["entries"]
    assert entry["action"] == "init"
    assert "init" in cli.say("audit")


def test_assign_writes_a_signed_command_once(cli: Cli) -> None:
    cli.json("rig", "add", "rig-a", "--public-key", rig_key().public_key)
    cli.json("campaign", "add", "one")
    cli.json("campaign", "add", "two")
    words = ("assign", "--rig", "rig-a", "--run", "run-1", "--campaign")
    made = cli.json(*words, "one", "--kit", "k", "--flag", "f1", "--flag", "f2", "--route", "r", "--by", "olga")
    assert made == {
        "rig": "rig-a",
        "run": "run-1",
        "campaign": "one",
        "command": "commands/rig-a/run-1.dsse.json",
        "changed": True,
    }
    raw = (cli.home.settings.home / made["command"]).read_bytes()
    payload = json.loads(parse_envelope(raw, COMMAND_TYPE).payload)
    assert (payload["kit"], payload["flags"], payload["routes"]) == ("k", ["f1", "f2"], ["r"])
    assert cli.json(*words, "one")["changed"] is False
    assert (cli.home.settings.home / made["command"]).read_bytes() == raw
    assert "--move" in cli.fail(*words, "two")
    assert cli.json(*words, "two", "--move")["campaign"] == "two"
    assert cli.json("folders", "--campaign", "two")["folders"][0]["runs"] == [
        {"rig": "rig-a", "ledger": None, "run": "run-1", "state": "assigned", "blocked_on": None}
    ]
    actions = [(entry["action"], entry["by"]) for entry in cli.json("audit")["entries"]][-2:]
    assert actions == [("assign", "olga"), ("move", actions[1][1])]
    assert "now belongs" in cli.say("assign", "--rig", "rig-a", "--run", "run-2", "--campaign", "one", "--no-agents")


def test_a_home_that_cannot_be_written_is_one_line(cli: Cli) -> None:
    database = cli.home.settings.home / "control.db"
    os.chmod(database, 0o400)
    if os.access(database, os.W_OK):  # root writes everything: a folder in the place of the record fails for root too
        database.unlink()
        database.mkdir()
    cli.fail("campaign", "add", "one")
