"""Progress, the exit code of Dagster runs, and how the UI is started (what it runs is tested with Dagster)."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from alembic import command
from alembic.command import upgrade

from tests.cli.commands import Cli
from thermite_pipelines.cli.output import print_json_list, progress
from thermite_pipelines.control import db
from thermite_pipelines.control.db import Control
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.tables.schemas import LAKE_SCHEMA


class Run(NamedTuple):
    job: str
    partition: str | None
    dagster_run: str
    status: str
    seconds: float
    reason: str | None = None


@pytest.fixture
def dagster(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """What the commands ask of Dagster, instead of doing it; the last run fails."""
    from thermite_pipelines.cli import dagster_runs, serving

    asked: list[tuple[Any, ...]] = []
    runs = [
        Run("take_reports", "rig-a", "1", "SUCCESS", 0.5),
        Run("refresh_campaign", "c", "2", "FAILURE", 1.0, "the disk is full"),
    ]

    def refresh(_: object, rigs: list[str], campaigns: list[str], with_llm: bool, report: Any) -> list[Run]:
        asked.append((rigs, campaigns, with_llm))
        report(1, 2)
        return runs

    def serve(home: Home, *words: object) -> int:
        asked.append((home.settings.home, *words))
        return 0

    monkeypatch.setattr(dagster_runs, "refresh", refresh)
    monkeypatch.setattr(dagster_runs, "rebuild", lambda _, campaigns, __: asked.append((campaigns,)) or runs[:1])
    monkeypatch.setattr(serving, "serve", serve)
    return asked


def test_a_failed_run_is_exit_1_with_the_whole_document(cli: Cli, dagster: list[Any]) -> None:
    cli.home.rig()
    cli.home.campaign("c")
    document = cli.json("refresh", "--rig", "rig-a", "--campaign", "c", "--no-llm", code=1)
    assert document["ok"] is False
    assert document["runs"][1] == {
        "job": "refresh_campaign",
        "partition": "c",
        "dagster_run": "2",
        "status": "FAILURE",
        "seconds": 1.0,
    }
    ended = cli.run("refresh")
    assert (
        ended.code == 1
        and "FAILURE" in ended.out
        and ended.err == "refresh: 1 of 2\nrefresh_campaign c: the disk is full\n"
    )
    assert dagster == [(["rig-a"], ["c"], False), ([], [], True)]


def test_rebuild_takes_campaigns_in_either_form(cli: Cli, dagster: list[Any]) -> None:
    cli.home.campaign("a", "b")
    assert cli.json("rebuild", "--campaign", "a", "b")["ok"] is True
    cli.json("rebuild", "--campaign", "a", "--campaign", "b")
    cli.json("rebuild", "--all")
    assert dagster == [(["a", "b"],), (["a", "b"],), (None,)]


def test_up_says_where_to_look_and_uses_the_named_home(
    cli: Cli, dagster: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = cli.home.settings.home
    monkeypatch.setenv("THERMITE_HOME", "/nowhere")
    monkeypatch.setenv("DAGSTER_HOME", "/elsewhere")
    shown = cli.say("up", "--home", home, "--port", 4567)
    assert "http://127.0.0.1:4567/assets" in shown
    assert os.environ["DAGSTER_HOME"] == str(home / "dagster")
    assert dagster == [(home, "127.0.0.1", 4567)]


def test_init_says_from_which_version_it_migrated(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli.json("init")["migrated"] is None
    monkeypatch.setenv("THERMITE_HOME", str(tmp_path / "older"))
    with monkeypatch.context() as older:
        older.setattr(db, "HEAD_REVISION", "0002")
        older.setattr(command, "upgrade", lambda config, _: upgrade(config, "0002"))
        assert Control(f"sqlite:///{tmp_path}/older/control.db").migrate(LAKE_SCHEMA)
    shown = cli.say("init")
    assert f"record      migrated from version 0002 to {db.HEAD_REVISION}\n" in shown and "is ready now" in shown
    assert "migrated" not in cli.say("init") and cli.json("init")["migrated"] is None


def test_a_new_home_was_not_migrated(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_HOME", str(tmp_path / "new"))
    document = cli.json("init")
    assert (document["changed"], document["migrated"]) == (True, None)


def test_progress_without_a_terminal_is_a_line_each_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("work") as report:
        for done in range(1001):
            report(done, 1000)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 11 and lines[-1] == "work: 1000 of 1000"


def test_a_list_that_fails_half_way_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    def rows() -> Any:
        yield {"n": 1}
        raise ValueError("odd")

    with pytest.raises(ValueError, match="odd"):
        print_json_list("rows", rows())
    assert capsys.readouterr().out == ""
    print_json_list("rows", iter([]))
    assert capsys.readouterr().out == '{"rows": []}\n'


def test_commands_work_from_any_folder(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    monkeypatch.delenv("THERMITE_HOME")
    monkeypatch.chdir(tmp_path / "deep")
    assert cli.json("init")["home"] == str(tmp_path / "deep" / ".thermite")
    (tmp_path / "deep" / ".env").write_text(f"THERMITE_HOME={cli.home.settings.home}\n")
    assert cli.json("init")["home"] == str(cli.home.settings.home)
