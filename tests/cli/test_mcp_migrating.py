"""`thermite mcp migrate`: old settings with a writer and a reader become MCP servers, once and for all."""

import json
import os
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import Cli
from thermite_pipelines.control.mcp_servers import open_server

TOKENS = {"writer": "canary-writer-81", "reader": "canary-reader-82"}
SETTINGS: dict[str, Any] = {
    "title": "Our rigs",
    "knowledge_base": {
        "name": "wiki",
        "copy": True,
        "copy_every_seconds": 600,
        "writer": {
            "url": "https://kb.example.org/write",
            "token": TOKENS["writer"],
            "pages": ["research/notes", "research/claims"],
            "grants": ["speed-up", "sort-fast"],
        },
        "reader": {
            "url": "https://kb.example.org/read",
            "token": TOKENS["reader"],
            "pages": [],
            "grants": ["speed-up"],
        },
    },
    "other": {"kept": [1, 2]},
}
TOML = """\
# Ours.
title = "Our rigs"

[knowledge_base]  # the old one
name = "wiki"
copy = true
copy_every_seconds = 600
[knowledge_base.writer]
url = "https://kb.example.org/write"
token = "canary-writer-81"
pages = ["research/notes", "research/claims"]
grants = ["speed-up", "sort-fast"]
[ knowledge_base.reader ]
url = "https://kb.example.org/read"
token = "canary-reader-82"
pages = []
grants = ["speed-up"]

[other]
kept = [1, 2]  # stays
"""


@pytest.fixture(params=["json", "toml"])
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The old settings, in either form."""
    path = tmp_path / f"old.{request.param}"
    path.write_text(json.dumps(SETTINGS) if request.param == "json" else TOML)
    path.chmod(0o600)
    return path


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_bytes()) if path.suffix == ".json" else tomllib.loads(path.read_text())


def kept(cli: Cli) -> dict[str, tuple[str, str] | None]:
    """URL and secret of each server."""
    names = [row["name"] for row in cli.json("mcp", "list")["servers"]]
    with cli.home.control.read() as connection:
        return {name: open_server(connection, cli.home.settings, name) for name in names}


def test_kb_77_each_role_becomes_a_server_and_again_gives_the_same(cli: Cli, file: Path) -> None:
    cli.home.campaign("speed-up", "sort-fast")
    done = cli.json("mcp", "migrate", file, "--by", "ann")
    assert done == {
        "changed": True,
        "servers": [
            {"name": "wiki-writer", "role": "writer", "url": "https://kb.example.org/write", "added": True, "pages": 2},
            {"name": "wiki-reader", "role": "reader", "url": "https://kb.example.org/read", "added": True, "pages": 0},
        ],
        "grants_dropped": 3,
    }
    servers, left = kept(cli), file.read_bytes()
    assert servers == {
        "wiki-writer": ("https://kb.example.org/write", TOKENS["writer"]),
        "wiki-reader": ("https://kb.example.org/read", TOKENS["reader"]),
    }
    assert read(file) == {"title": "Our rigs", "other": {"kept": [1, 2]}}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = cli.json("mcp", "migrate", file)
    assert again == {"changed": False, "servers": [], "grants_dropped": 0}
    assert (kept(cli), file.read_bytes()) == (servers, left)
    entries = [entry for entry in cli.json("audit")["entries"] if entry["action"] == "mcp-add"]
    assert [(entry["by"], entry["subject"], entry["detail"]["migrated_from"]) for entry in entries] == [
        ("ann", "wiki-writer", "writer"),
        ("ann", "wiki-reader", "reader"),
    ]


def test_kb_77_no_grant_no_copy_and_no_token_is_left(cli: Cli, file: Path) -> None:
    cli.home.campaign("speed-up", "sort-fast")
    said = cli.say("mcp", "migrate", file)
    assert "3 grants are gone" in said and "copying has stopped" in said and "2 pages that it names stay" in said
    assert cli.json("grants") == {"grants": []}
    assert [row["kits"] for row in cli.json("mcp", "list")["servers"]] == [[], []]
    text = file.read_text()
    assert not [word for word in ("copy", "grants", "writer", "reader", *TOKENS.values()) if word in text]
    assert "(any more)" in cli.say("mcp", "migrate", file)


def test_comments_and_other_lines_of_toml_stay(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "old.toml"
    path.write_text(TOML)
    cli.json("mcp", "migrate", path)
    assert path.read_text() == '# Ours.\ntitle = "Our rigs"\n\n[other]\nkept = [1, 2]  # stays\n'


def test_kb_77_a_migration_that_was_cut_off_goes_on(
    cli: Cli, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = file.read_bytes()

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("thermite_pipelines.control.mcp_migration.take_out", killed)
        assert cli.run("mcp", "migrate", file).code == 130
    servers = kept(cli)
    assert len(servers) == 2 and file.read_bytes() == copy
    done = cli.json("mcp", "migrate", file)
    assert done["changed"] is True and [row["added"] for row in done["servers"]] == [False, False]
    assert kept(cli) == servers and "knowledge_base" not in read(file)
    # A copy of the old file gives nothing new either.
    file.write_bytes(copy)
    cli.json("mcp", "migrate", file)
    assert kept(cli) == servers


def test_a_server_that_was_changed_since_is_not_taken_back(cli: Cli, file: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("newer")
    cli.json("mcp", "add", "wiki-reader", "--url", "https://kb.example.org/read", "--secret-file", secret)
    before = file.read_bytes()
    line = cli.fail("mcp", "migrate", file)
    assert "MCP server wiki-reader: it is there with another URL or secret" in line
    assert list(kept(cli)) == ["wiki-reader"] and file.read_bytes() == before


def test_one_role_without_a_name_will_do(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "old.toml"
    path.write_text('[outside_knowledge_base.reader]\nurl = "https://kb.example.org"\ntoken = "abc"\n')
    assert [row["name"] for row in cli.json("mcp", "migrate", path)["servers"]] == ["knowledge-base-reader"]
    assert path.read_text() == ""


def test_a_link_stays_one(cli: Cli, file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    os.symlink(file, link)
    cli.json("mcp", "migrate", link)
    assert link.is_symlink() and "knowledge_base" not in read(file)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nonsense", "neither TOML nor clear JSON"),
        ("{", "neither TOML nor clear JSON"),
        ("#" * (2**20 + 1), "larger than 1 MiB"),
        ('{"a": "\\ud800", "knowledge_base": {}}', "neither TOML nor clear JSON"),
        ('{"knowledge_base": {"writer": {}}, "knowledge_base": {}}', "neither TOML nor clear JSON"),
        ('{"big": 1e999, "knowledge_base": {}}', "neither TOML nor clear JSON"),
        ("knowledge_base = 1", "are not clear"),
        ("[knowledge_base]\n[outside_knowledge_base]", "are not clear"),
        ("[knowledge_base]\ncopy = true", "neither a writer nor a reader"),
        ("[knowledge_base]\nwriter = 1", "url, token or name is missing"),
        ('[knowledge_base.writer]\nurl = "https://x.example.org"', "url, token or name is missing"),
        ('[knowledge_base.writer]\nurl = "http://x.example.org"\ntoken = "geheim99"', "writer: the URL would carry"),
        ('[knowledge_base.writer]\nurl = "https://x.example.org"\ntoken = "geheim 99"', "writer: the secret is no"),
        ('knowledge_base = {writer = {url = "https://x.example.org", token = "geheim99"}}', "can't be taken out"),
        ('knowledge_base.writer.url = "https://x.example.org"\nknowledge_base.writer.token = "a"', "can't be taken"),
    ],
)
def test_settings_that_make_no_sense_change_nothing(cli: Cli, tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "old.toml"
    path.write_text(text)
    line = cli.fail("mcp", "migrate", path)
    assert says in line and "geheim" not in line and str(path) in line
    assert path.read_text() == text and kept(cli) == {}


def test_what_is_no_number_stays_so(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "old.toml"
    path.write_text('[other]\na = nan\n[knowledge_base.reader]\nurl = "https://kb.example.org"\ntoken = "abc"\n')
    assert cli.json("mcp", "migrate", path)["changed"]
    assert path.read_text() == "[other]\na = nan\n"


def test_a_file_without_such_settings_is_left_alone(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "old.toml"
    path.write_text("[other]\nkept = 1\n")
    assert cli.json("mcp", "migrate", path)["changed"] is False
    assert path.read_text() == "[other]\nkept = 1\n"
