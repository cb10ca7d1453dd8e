"""The product's own names come from what is installed, and nothing has to be listed twice."""

import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator

import pytest
import typer

from thermite_pipelines.cli.names import command_names, names_of
from thermite_pipelines.intake.channel_rows import CHANNEL_TYPES
from thermite_pipelines.ledger.event_types import EVENT_TYPES
from thermite_pipelines.safety import product_names as module
from thermite_pipelines.safety.product_names import GROUP, ProductNames, product_names
from thermite_pipelines.safety.screening import screen
from thermite_pipelines.safety.screening_names import TAUGHT_EVENTS


@pytest.fixture(autouse=True)
def fresh_names() -> Iterator[None]:
    product_names.cache_clear()
    yield
    product_names.cache_clear()


def test_the_installed_package_gives_its_commands() -> None:
    assert {"init", "rig", "rig add", "import", "import claude-code"} <= product_names().commands == command_names()


def test_every_command_of_an_app_is_named_however_deep_and_also_those_without_help() -> None:
    app, group, deep = typer.Typer(), typer.Typer(), typer.Typer()
    app.command("one")(lambda: None)
    app.command("hidden-one", hidden=True)(lambda: None)
    group.command("two")(lambda: None)
    deep.command("three")(lambda: None)
    group.add_typer(deep, name="deep")
    app.add_typer(group, name="group")
    assert names_of(app) == {"one", "hidden-one", "group", "group two", "group deep", "group deep three"}


def test_hl_40_a_command_that_is_added_to_the_live_command_line_is_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    from thermite_pipelines.cli import main

    text = "thermite frobnicate helps"
    assert screen(text, product_names()) is None
    monkeypatch.setattr(main.app, "registered_commands", [*main.app.registered_commands])
    main.app.command("frobnicate")(lambda: None)
    product_names.cache_clear()
    refusal = screen(text, product_names())
    assert refusal is not None
    assert refusal.reason == "names-our-tools"


def tool_names() -> list[str]:
    """What a part with tools would register."""
    return ["frob_nicate", "frobnicator"]


def test_hl_40_a_tool_that_is_registered_by_an_entry_point_is_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["use frob_nicate early", "call the frobnicator tool"]
    assert [screen(text, product_names()) for text in texts] == [None, None]
    point = importlib.metadata.EntryPoint("tools", f"{__name__}:tool_names", GROUP)
    monkeypatch.setattr(importlib.metadata.EntryPoint, "load", lambda self: tool_names)
    monkeypatch.setattr(module, "entry_points", lambda group: [point])
    product_names.cache_clear()
    assert product_names() == ProductNames(tools=frozenset(tool_names()))
    assert [refusal and refusal.reason for refusal in (screen(t, product_names()) for t in texts)] == [
        "names-our-tools"
    ] * 2


def test_hl_40_each_event_that_briefs_teach_is_one_that_rigs_report() -> None:
    assert {*EVENT_TYPES} > TAUGHT_EVENTS == CHANNEL_TYPES


def test_metadata_that_knows_no_names_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "entry_points", lambda group: [])
    assert product_names() == ProductNames()


def test_screening_can_be_imported_without_the_command_line() -> None:
    code = (
        "import sys, thermite_pipelines.safety.screening, thermite_pipelines.safety.product_names;"
        "print(sorted({'typer', 'dagster', 'sqlalchemy', 'thermite_pipelines.cli.main'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
