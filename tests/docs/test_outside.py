"""docs/outside.md: its commands and its program run as they stand, in order, and its tables are the code's."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.docs.pages import blocks, read_page, run_script, tables, words_in
from tests.support.homes import Home, make_home
from tests.support.rigs import seed_of
from thermite_pipelines.control.kits import ROLES
from thermite_pipelines.control.mcp_migration import DEFAULT_NAME, TABLES
from thermite_pipelines.control.mcp_servers import open_server, servers
from thermite_pipelines.knowledge.initialise import initialise
from thermite_pipelines.rig.outside import read_command

PAGE = "docs/outside.md"


@dataclass
class Story:
    """The folder in which the page's commands ran, what they printed, and the home."""

    folder: Path
    printed: str
    home: Home


@pytest.fixture(scope="module", params=[pytest.param(None, marks=pytest.mark.full)], ids=[PAGE])
def story(tmp_path_factory: pytest.TempPathFactory, ready_record: Path) -> Iterator[Story]:
    folder = tmp_path_factory.mktemp("outside")
    home = make_home(folder / ".thermite", ready_record)
    initialise(home.settings)
    home.rig("rig-a")
    home.campaign("speed-up")
    (folder / "rig-a.key").write_text(seed_of("rig-a").hex() + "\n")
    (folder / "rig-a.key").chmod(0o600)
    for block in blocks(PAGE, "python"):
        (folder / block.words[0]).write_text(block.text)
    assert all(block.runs for block in blocks(PAGE))
    printed = run_script("".join(block.text for block in blocks(PAGE, "sh")), folder)
    yield Story(folder, printed, home)
    home.close()


def test_the_commands_of_the_page_run(story: Story) -> None:
    assert "all is well" in story.printed
    assert "lane-1 may use ['search', 'read_page'] of papers" in story.printed
    assert "old.toml holds them no more" in story.printed and "(any more)" in story.printed
    assert "the-secret" not in story.printed and "token" not in story.printed
    assert (story.folder / "old.toml").read_text() == ""


def test_the_agents_configuration_holds_an_address_alone(story: Story) -> None:
    config = json.loads((story.folder / "lane-1.mcp.json").read_text())
    assert list(config["mcpServers"]) == ["papers"]
    assert config["mcpServers"]["papers"]["url"].startswith("http://127.0.0.1:")
    assert "the-secret" not in json.dumps(config)


def test_the_command_holds_what_the_page_says(story: Story) -> None:
    raw = (story.folder / ".thermite/commands/rig-a/run-1.dsse.json").read_bytes()
    command = read_command(raw, bytes.fromhex((story.folder / "control.public").read_text()), rig="rig-a")
    assert [words_in(row[0])[0] for row in tables(PAGE, "What the command holds")] == list(command["mcp_servers"][0])
    assert list(command["mcp_servers"][0]["sealed"][0]) == ["keyid", "box"]


def test_the_old_settings_became_servers(story: Story) -> None:
    with story.home.control.read() as connection:
        names = [row["name"] for row in servers(connection)]
        writer = open_server(connection, story.home.settings, "wiki-writer")
    assert names == ["papers", "wiki-reader", "wiki-writer"]
    assert writer == ("https://kb.example.org/write", "the-writers-token")


def test_names_are_the_codes() -> None:
    page = " ".join(read_page(PAGE).split())
    assert "Roles are `lane` (every lane), " + ", ".join(f"`{role}`" for role in ROLES[1:-1]) in page
    assert f"the table `{TABLES[0]}` or `{TABLES[1]}`" in page
    assert f"(`{DEFAULT_NAME}-…` without a name)" in page
