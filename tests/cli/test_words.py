"""What the program tells people to do can be done: every command that a message names is there."""

import re

import pytest
import typer

from tests.project.tree import PACKAGE, package_files
from thermite_pipelines.cli import main

_NAMED = re.compile(r"`thermite ([a-z]+)(?: ([a-z]+))?")


def named() -> list[tuple[str, str, str]]:
    """(module, first word, second word) of each command that a text of the package names."""
    return [
        (str(path.relative_to(PACKAGE)), found[1], found[2] or "")
        for path in package_files()
        for found in _NAMED.finditer(path.read_text())
    ]


@pytest.mark.parametrize(("module", "first", "second"), sorted(set(named())))
def test_commands_that_messages_name_are_there(module: str, first: str, second: str) -> None:
    commands = typer.main.get_command(main.app).commands  # type: ignore[attr-defined]
    assert first in commands, module
    below = getattr(commands[first], "commands", None)
    if below is not None and second:
        assert second in below, module
