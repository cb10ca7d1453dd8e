"""What holds for every command: help, exit codes, errors in one line, output that nothing breaks."""

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.commands import Cli
from thermite_pipelines.cli import main
from thermite_pipelines.cli.output import clean, cut

THERMITE = Path(sys.executable).with_name("thermite")

NAMES = [
    "init",
    "doctor",
    "rig/add",
    "rig/revoke",
    "rig/list",
    "rig/keygen",
    "campaign/add",
    "campaign/list",
    "assign",
    "grant",
    "revoke",
    "grants",
    "audit",
    "refresh",
    "rebuild",
    "reports",
    "reports/retry",
    "events",
    "tables",
    "folders",
    "items",
    "search",
    "explain",
    "sync",
    "export",
    "import/autoresearch",
    "import/claude-code",
    "atoms/extract",
    "atoms/propose",
    "atoms/group",
    "atoms/calibrate",
    "embed/calibrate",
    "review",
    "hypothesize",
    "requests/list",
    "requests/reply",
    "requests/resolve",
    "learnings/list",
    "learnings/keep",
    "learnings/drop",
    "learnings/prompt",
    "token/add",
    "token/list",
    "token/revoke",
    "mcp/add",
    "mcp/list",
    "mcp/remove",
    "mcp/migrate",
    "serve",
    "demo",
    "up",
]


def process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith(("THERMITE_", "DAGSTER_"))} | environment
    return subprocess.run([str(THERMITE), *arguments], env=surroundings, capture_output=True, text=True, check=False)


def all_commands() -> list[str]:
    """The words of each command that there is."""
    found = []
    root = typer.main.get_command(main.app)
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        below = getattr(command, "commands", None)
        if below is None or command.invoke_without_command:
            found.append(name)
        found += [f"{name}/{inner}" for inner in below or ()]
    return found


def test_these_commands_are_there() -> None:
    assert sorted(all_commands()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_has_help_and_json(name: str, cli: Cli) -> None:
    shown = cli.say(*name.split("/"), "--help")
    assert "--json" in shown and "Usage" in shown


def test_without_words_help_is_shown(cli: Cli) -> None:
    assert "doctor" in cli.say()


@pytest.mark.parametrize(
    "words",
    [
        ("rig",),
        ("nonsense",),
        ("rig", "list", "--bogus"),
        ("rig", "add", "rig-a"),
        ("rig", "add", "Rig A", "--public-key", "00" * 32),
        ("rig", "add", "rig-a", "--public-key", "xyz"),
        ("rig", "add", "con", "--public-key", "00" * 32),
        ("campaign", "add", "-x"),
        ("campaign", "add", "nul"),
        ("campaign", "add", "a" * 64),
        ("grant", "a", "b"),
        ("grant", "a", "b", "--by", " "),
        ("assign", "--rig", "rig-a", "--run", "../x", "--campaign", "c"),
        ("assign", "--rig", "rig-a", "--run", "x"),
        ("audit", "--since", "yesterday"),
        ("reports", "--outcome", "lost"),
        ("reports", "--rig", "Rig"),
        ("reports", "retry", "one"),
        ("events", "--rejected", "--unknown"),
        ("events", "--run", "a b"),
        ("items", "--kind", "thing"),
        ("items", "--limit", "0"),
        ("items", "--limit", str(10**30)),
        ("reports", "retry", str(10**30)),
        ("items", "--campaign", "No"),
        ("rebuild",),
        ("rebuild", "--all", "--campaign", "c"),
        ("rebuild", "c"),
        ("refresh", "--rig", "RIG"),
        ("sync", "--rig", "rig-a"),
        ("export",),
        ("up", "--port", "70000"),
    ],
)
def test_wrong_usage_is_exit_2_and_one_line(words: tuple[str, ...], cli: Cli) -> None:
    assert cli.fail(*words, code=2)


@pytest.mark.parametrize(
    ("words", "tells"),
    [
        (("rig", "revoke", "ghost", "00" * 32), "no rig 'ghost'"),
        (("rig", "add", "rig-a", "--public-key", "00" * 32), "order"),
        (("grant", "a", "b", "--by", "me"), "no campaign 'a'"),
        (("assign", "--rig", "ghost", "--run", "r", "--campaign", "c"), "no rig 'ghost'"),
        (("refresh", "--rig", "ghost"), "no rig 'ghost'"),
        (("refresh", "--campaign", "ghost"), "no campaign 'ghost'"),
        (("rebuild", "--campaign", "ghost"), "no campaign 'ghost'"),
        (("reports", "--rig", "ghost"), "no rig 'ghost'"),
        (("reports", "retry", "7"), "no receipt 7"),
        (("events", "--rig", "ghost"), "no rig 'ghost'"),
        (("items", "--campaign", "ghost"), "no campaign 'ghost'"),
        (("folders", "--campaign", "ghost"), "no campaign 'ghost'"),
        (("sync", "--run", "ghost"), "no run ghost"),
        (("export", "--rig", "ghost"), "no rig 'ghost'"),
    ],
)
def test_what_cannot_be_done_is_exit_1_and_one_line(words: tuple[str, ...], tells: str, cli: Cli) -> None:
    assert tells in cli.fail(*words)


@pytest.mark.parametrize(
    "line",
    [
        "rig list",
        "campaign list",
        "grants",
        "audit",
        "refresh",
        "rebuild --all",
        "reports",
        "events",
        "tables",
        "folders",
        "items",
        "sync",
        "requests list",
        "requests reply run-1 --text x --by me",
        "learnings list",
        "learnings keep rig-a/run-1/l1 --by me",
        "learnings prompt worker",
        "export --rig rig-a",
        "up",
    ],
)
def test_a_home_that_is_not_initialised_is_said(
    line: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THERMITE_HOME", str(tmp_path / "nothing"))
    assert "run `thermite init`" in cli.fail(*line.split())
    assert not (tmp_path / "nothing").exists()


def test_a_record_of_a_newer_version_is_refused(cli: Cli) -> None:
    with cli.home.control.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    for words in (("rig", "list"), ("init",), ("refresh",)):
        assert "newer" in cli.fail(*words)
    assert "newer" in cli.json("doctor", code=1)["findings"][0]["what"]


def test_a_setting_without_sense_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_KB_SYNC_SECONDS", "0")
    assert "THERMITE_KB_SYNC_SECONDS" in cli.fail("rig", "list")
    monkeypatch.setenv("THERMITE_KB_SYNC_SECONDS", "180")
    for name, value, told in (
        ("LLM_PRICE", "x", "THERMITE_LLM_PRICE is 'x': give two numbers"),
        ("TRANSCRIPTS", "=", "THERMITE_TRANSCRIPTS is '=': '' is no campaign name"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(f"THERMITE_{name}", value)
            assert told in cli.fail("rig", "list")


def test_a_value_without_sense_is_told_without_the_words_of_a_library(cli: Cli) -> None:
    line = cli.fail("requests", "list", "--blocker", "acess", code=2)
    assert line.startswith("error: invalid value for '--blocker': 'acess' is not one of 'access', ")
    assert "'Value error, x'" in cli.fail("requests", "list", "--blocker", "Value error, x", code=2)


def test_a_bug_is_one_line_and_a_traceback_only_on_demand(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("odd")

    monkeypatch.setattr("thermite_pipelines.control.rigs.overview", broken)
    line = cli.fail("rig", "list")
    assert "ZeroDivisionError: odd" in line and "THERMITE_DEBUG=1" in line
    monkeypatch.setenv("THERMITE_DEBUG", "1")
    assert "Traceback" in cli.run("rig", "list").err


def test_an_interrupt_is_exit_130_and_one_line(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("thermite_pipelines.control.rigs.overview", interrupted)
    ended = cli.run("rig", "list")
    assert (ended.code, ended.out, ended.err) == (130, "", "interrupted\n")


def test_light_commands_load_neither_dagster_nor_arrow(cli: Cli) -> None:
    code = (
        "import sys; from thermite_pipelines.cli.main import run; run(['rig', 'list', '--json']); run(['audit']);"
        "print([name for name in ('dagster', 'pyarrow', 'rich.console', 'alembic') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


def test_output_that_nobody_reads_to_its_end_is_no_error(cli: Cli) -> None:
    line = f"{THERMITE} campaign list | true; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True)
    assert (ran.stdout, ran.stderr) == ("0\n", "")


def test_output_to_a_full_disk_is_one_line(cli: Cli) -> None:
    ran = subprocess.run(
        ["bash", "-c", f"{THERMITE} campaign list --json > /dev/full"], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1 and "No space left" in ran.stderr


def test_a_closed_output_is_no_traceback(cli: Cli) -> None:
    ran = subprocess.run(["bash", "-c", f"{THERMITE} campaign list >&-"], capture_output=True, text=True, check=False)
    assert "Traceback" not in ran.stderr


def test_a_terminal_that_speaks_ascii_gets_escapes(cli: Cli) -> None:
    cli.json("campaign", "add", "c", "--title", "Schnee und Eis: fünf °C")
    home = str(cli.home.settings.home)
    people = process("campaign", "list", THERMITE_HOME=home, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert people.returncode == 0 and "f\\xfcnf" in people.stdout
    document = process("campaign", "list", "--json", THERMITE_HOME=home, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert json.loads(document.stdout)["campaigns"][0]["title"] == "Schnee und Eis: fünf °C"


def test_control_characters_reach_no_terminal(cli: Cli) -> None:
    evil = "red \x1b[31m bell \x07 c1 \x9b back \u202e line\nend"
    cli.json("campaign", "add", "c", "--title", evil)
    shown = cli.say("campaign", "list")
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)
    assert "\\x1b[31m" in shown and "line\\nend" in shown
    assert cli.json("campaign", "list")["campaigns"][0]["title"] == evil


def test_values_are_shown_in_one_line() -> None:
    assert [clean(value) for value in (None, True, 3, 0.5, "a\tb\ud800")] == ["", "yes", "3", "0.5", "a\\tb\\ud800"]
    assert cut("one\n two   three", 9) == "one two …"
    assert cut(None, 9) == ""


@given(st.text())
def test_what_is_shown_holds_no_control_character(text: str) -> None:
    shown = clean(text)
    assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in shown)
    assert clean(shown) == shown
    assert len(cut(text, 40)) <= 40
