"""Running a command in this process, as a person or a program does."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.homes import Home
from thermite_pipelines.cli import main


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass
class Cli:
    """Runs `thermite` on a home."""

    home: Home
    capsys: pytest.CaptureFixture[str]

    def run(self, *arguments: object) -> Ended:
        """Run a command; the words may be anything that has a text."""
        self.capsys.readouterr()
        code = main.run([str(argument) for argument in arguments])
        captured = self.capsys.readouterr()
        return Ended(code, captured.out, captured.err)

    def json(self, *arguments: object, code: int = 0) -> Any:
        """The document that a command prints with `--json`."""
        ended = self.run(*arguments, "--json")
        assert ended.code == code, ended.err
        return json.loads(ended.out)

    def say(self, *arguments: object) -> str:
        """What a command prints for people."""
        ended = self.run(*arguments)
        assert ended.code == 0, ended.err
        return ended.out

    def fail(self, *arguments: object, code: int = 1) -> str:
        """The one line of a command that fails; with `--json` it must print nothing else either."""
        for words in (arguments, (*arguments, "--json")):
            ended = self.run(*words)
            assert (ended.code, ended.out) == (code, ""), (words, ended)
            assert ended.err.startswith("error: ") and ended.err.count("\n") == 1, (words, ended.err)
        return ended.err.strip()
