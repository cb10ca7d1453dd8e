"""Sizes and depths that are constants: no setting, no variable and no option of the command line changes them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import thermite_pipelines.synthesis
from thermite_pipelines.cli.main import app
from thermite_pipelines.settings import Settings

SIZES = ("item_bytes", "page_bytes", "fact_bytes", "reserved_bytes", "chunk", "payload", "page")
DEPTHS = ("depth", "levels")
VALUES = {"chunking.ITEM_BYTES": 262_144, "paging.PAGE_BYTES": 32_768, "paging.FACT_BYTES": 24_576, "work.MAX_DEPTH": 3}


def options(command: Any) -> Iterator[str]:
    """Every option, argument and variable of a command and of those below it."""
    for one in command.params:
        yield from (*one.opts, *one.secondary_opts)
        variables = one.envvar or ()
        yield from [variables] if isinstance(variables, str) else variables
    for inner in getattr(command, "commands", {}).values():
        yield from options(inner)


def names() -> list[str]:
    found = [*Settings.model_fields, *options(typer.main.get_command(app))]
    assert {"embed_model", "--effort"} <= set(found), "both kinds are looked at"
    return [name.lower().strip("-").replace("-", "_") for name in found]


@pytest.mark.parametrize("word", SIZES)
def test_sy_16_no_setting_variable_or_option_is_named_after_a_size(word: str) -> None:
    assert [name for name in names() if word in name] == []


@pytest.mark.parametrize("word", DEPTHS)
def test_sy_35_no_setting_variable_or_option_is_named_after_the_depth(word: str) -> None:
    assert [name for name in names() if word in name] == []


def test_sy_16_sy_35_no_variable_changes_what_the_code_says(tmp_path: Path) -> None:
    spelled = [name.partition(".")[2] for name in VALUES]
    variables = {f"{prefix}{name}": "1" for name in spelled for prefix in ("", "THERMITE_", "KNOMIT_")}
    (tmp_path / "thermite.env").write_text("".join(f"{name}={value}\n" for name, value in variables.items()))
    modules = sorted({name.partition(".")[0] for name in VALUES})
    code = f"from thermite_pipelines.synthesis import {', '.join(modules)}; print({', '.join(VALUES)})"
    run = [sys.executable, "-c", code]
    environment = os.environ | variables | {"THERMITE_HOME": str(tmp_path)}
    told = subprocess.run(run, env=environment, capture_output=True, text=True, check=True).stdout.split()
    assert [int(one) for one in told] == list(VALUES.values())


def test_sy_16_sy_35_synthesis_reads_no_variable_itself() -> None:
    folder = Path(next(iter(thermite_pipelines.synthesis.__path__)))
    sources = {path.name: path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    assert len(sources) > 20
    assert [name for name, text in sources.items() if "environ" in text or "getenv" in text] == []
