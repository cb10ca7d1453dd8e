"""KB-75: a server's secret is planted, the pipeline does all that it does, and no file under the home holds it."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import Cli
from thermite_pipelines.tables.parquet import decode, to_rows

pytestmark = pytest.mark.full  # each test lets whole programs work

SECRET = "canary-mcp-7f3c19-secret"
SEEN = "a canary that is to be found"


def texts(home: Path) -> Iterator[tuple[str, bytes]]:
    """All that lies under a home: each file as it is, and what Parquet and base64 hide."""
    for path in sorted(path for path in home.rglob("*") if path.is_file()):
        name, data = path.relative_to(home).as_posix(), path.read_bytes()
        yield name, data
        if path.suffix == ".parquet":
            yield name, json.dumps(to_rows(decode(data)), default=str).encode()
        for word in re.findall(rb"[A-Za-z0-9+/]{16,}", data):
            yield name, base64.b64decode(word[: len(word) // 4 * 4])


def holding(home: Path, *words: str) -> set[str]:
    """The files that hold any of the words, as text, in hexadecimal or in base64."""
    wanted = [form for word in words for form in (word.encode(), word.encode().hex().encode())]
    return {name for name, data in texts(home) if any(word in data for word in wanted)}


def work(cli: Cli) -> str:
    """What a home is for, once; all that was printed."""
    rig = cli.home.rig("rig-a")
    assign = ("assign", "--rig", "rig-a", "--campaign", "a", "--kit", "gpu", "--run")
    lines = [
        ("campaign", "add", "a"),
        (*assign, "run-1"),
        (*assign, "run-2"),
        ("refresh",),
        ("sync",),
        ("export", "--rig", "rig-a"),
        ("tables",),
        ("mcp", "list"),
        ("audit",),
        ("doctor",),
        ("mcp", "add", "papers", "--url", f"https://kb.example.org/?key={SECRET}"),
        ("requests", "reply", "run-1", "--text", "yes", "--by", "ann", "--flag", ""),
    ]
    rig.say_run("run-1", campaign=None, data={"kit": "gpu"})
    rig.say_note(SEEN, run="run-1", campaign=None)
    asked = {"request": "q1", "agent": "worker", "summary": "May I?", "fatal": True}
    rig.say("help_requested", asked, run="run-1", campaign=None)
    rig.send()
    printed = ""
    for line in lines:
        for words in (line, (*line, "--json")):
            ended = cli.run(*words)
            printed += ended.out + ended.err
    return printed


def test_kb_75_the_secret_is_in_no_file_no_list_and_no_message(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(SECRET)
    home = cli.home.settings.home
    (home / "kits" / "gpu.toml").write_text('[mcp.papers]\nplanner = "all"\n')
    cli.home.rig("rig-a")
    cli.say("mcp", "add", "papers", "--url", "https://kb.example.org/mcp", "--secret-file", tmp_path / "secret")
    printed = work(cli)
    assert SECRET not in printed
    assert holding(home, SECRET) == set()
    # The search finds what is there, in each kind of file.
    found = holding(home, SEEN)
    assert {name.split("/")[0] for name in found} >= {"lake", "sync", "exports"}
    assert {Path(name).suffix for name in found} >= {".parquet", ".md", ".jsonl"}
    commands = {path.name for path in (home / "commands/rig-a").iterdir() if b"mcp" in b"".join(payloads(path))}
    assert len(commands) == 3 and {"run-1.dsse.json", "run-2.dsse.json"} < commands


def payloads(path: Path) -> list[bytes]:
    return [base64.b64decode(json.loads(path.read_bytes())["payload"])]
