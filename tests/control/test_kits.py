"""Kits: which servers they name, for which roles, with which tools; and what is wrong with one."""

from pathlib import Path

import pytest

from thermite_pipelines.control.kits import ROLES, Kit, all_kits, find_kit
from thermite_pipelines.errors import ThermiteError


def write(folder: Path, name: str, text: str | bytes) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)


def test_kb_74_a_kit_names_servers_for_roles_and_may_narrow_their_tools(tmp_path: Path) -> None:
    text = '[mcp.papers]\nplanner = "all"\nlane = ["search", "read/page.v2"]\n[mcp.wiki]\nauditor = []\n'
    write(tmp_path, "nano-lm.toml", text)
    papers = {"planner": "all", "lane": ["search", "read/page.v2"]}
    assert find_kit(tmp_path, "nano-lm") == Kit("nano-lm", {"papers": papers, "wiki": {"auditor": []}})


def test_every_role_can_be_given_a_server(tmp_path: Path) -> None:
    write(tmp_path, "k.toml", "[mcp.papers]\n" + "".join(f'{role} = "all"\n' for role in ROLES))
    found = find_kit(tmp_path, "k")
    assert found is not None and list(found.servers["papers"]) == list(ROLES)


@pytest.mark.parametrize("name", ["other", "../k", "K", "", "k.toml", "a/b", "\0", "nested/k"])
def test_a_kit_without_a_file_of_its_very_name_names_nothing(tmp_path: Path, name: str) -> None:
    write(tmp_path / "kits", "k.toml", '[mcp.papers]\nlane = "all"\n')
    write(tmp_path, "k.toml", '[mcp.papers]\nlane = "all"\n')
    assert find_kit(tmp_path / "kits", name) is None


def test_no_folder_no_kits(tmp_path: Path) -> None:
    assert find_kit(tmp_path / "none", "k") is None
    assert all_kits(tmp_path / "none") == ([], [])


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("mcp = [", "no TOML"),
        (b"\xff", "no TOML"),
        ("mcp = " + "[" * 5000, "no TOML"),
        ("mcp = 1", "`mcp` is no table"),
        ('[mpc.papers]\nlane = "all"', "'mpc' means nothing here"),
        ('[mcp]\npapers = "all"', "mcp.papers is no table"),
        ('[mcp."Two Words"]\nlane = "all"', "is no MCP server name"),
        ('[mcp.papers]\nreader = "all"', "'reader' in mcp.papers is no role — use lane, planner"),
        ('[mcp.papers]\nlane = "every"', 'mcp.papers.lane names no tools — write "all" or a list'),
        ("[mcp.papers]\nlane = [1]", "names no tools"),
        ('[mcp.papers]\nlane = ["a b"]', "names no tools"),
        ("[mcp.papers]\nlane = true", "names no tools"),
        ("#" * (2**20 + 1), "larger than 1 MiB"),
    ],
)
def test_what_makes_no_sense_is_one_line(tmp_path: Path, text: str | bytes, tells: str) -> None:
    write(tmp_path, "k.toml", text)
    write(tmp_path, "good.toml", "")
    with pytest.raises(ThermiteError) as caught:
        find_kit(tmp_path, "k")
    assert tells in str(caught.value) and str(caught.value).startswith("kits/k.toml: ")
    kits, wrong = all_kits(tmp_path)
    assert [kit.name for kit in kits] == ["good"] and [str(one) for one in wrong] == [str(caught.value)]


def test_a_kit_that_is_a_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "k.toml").mkdir()
    with pytest.raises(ThermiteError, match="can't be read"):
        find_kit(tmp_path, "k")
