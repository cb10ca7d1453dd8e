"""What holds for every page: links lead somewhere, commands exist, nothing of this machine is named."""

import re
import shlex
from collections.abc import Iterator

import click
import pytest
import typer

from tests.docs.pages import PAGES, RUN_BY_THIS, blocks, read_page
from tests.project.tree import ROOT
from thermite_pipelines.cli.main import app

NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def anchors(name: str) -> set[str]:
    """The anchors of a page's headings, as code hosts make them."""
    found = set()
    fenced = False
    for line in read_page(name).splitlines():
        if line.startswith("```"):
            fenced = not fenced
        if line.startswith("#") and not fenced:
            heading = re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower())
            found.add(heading.replace(" ", "-"))
    return found


def commands(name: str) -> Iterator[str]:
    """Every call of `thermite` on a page: in code style, and in lines of `sh` blocks."""
    text = read_page(name)
    outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from (found for found in re.findall(r"`(thermite [^`]+)`", outside))
    for block in blocks(name, "sh"):
        yield from re.findall(r"(?:^|[ (/])(thermite [^|)\n]+)", block.text)


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    broken = []
    for link in _LINK.findall(read_page(name)):
        if link.startswith(("http:", "https:")):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        if not target.is_file() or (anchor and anchor not in anchors(str(target.resolve().relative_to(ROOT)))):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("name", NAMES)
def test_every_command_exists(name: str) -> None:
    for line in commands(name):
        words = shlex.split(line.replace("…", ""), comments=True)[1:]
        command: click.Command = typer.main.get_command(app)  # type: ignore[assignment]
        while words and hasattr(command, "commands") and words[0] in command.commands:  # type: ignore[attr-defined]
            command = command.commands[words.pop(0)]  # type: ignore[attr-defined]
        options = {option for parameter in command.params for option in parameter.opts}
        wrong = [word for word in words if word.startswith("--") and word not in {*options, "--help"}]
        assert command.name != "thermite", f"{name}: {line}"
        assert wrong == [], f"{name}: {line}"


@pytest.mark.parametrize("name", NAMES)
def test_blocks_say_what_they_are(name: str) -> None:
    """A block without a known language would be run by nobody and look as if it were."""
    assert [block.line for block in blocks(name) if block.language not in RUN_BY_THIS] == []


def test_every_page_is_named_in_the_readme() -> None:
    readme = read_page("README.md")
    assert [name for name in NAMES if name != "README.md" and f"({name})" not in readme] == []


def test_the_readme_is_short() -> None:
    assert len(read_page("README.md").splitlines()) <= 120


def test_the_tests_that_security_names_are_there() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", read_page("docs/security.md"))
    assert len(named) > 10
    assert [name for path, name in named if f"def {name}(" not in (ROOT / path).read_text()] == []
