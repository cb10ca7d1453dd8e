"""Whether a text names one of the product's own commands or tools; which there are is handed in."""

import re
from functools import lru_cache

from thermite_pipelines.safety.folding import Folded, Squeezed, canonical, skeleton, squeeze
from thermite_pipelines.safety.product_names import ProductNames

PROGRAM = "thermite"
_PROGRAM = canonical(PROGRAM)
# The types of events that briefs teach their readers to report: to an agent they are as much to be called as a tool.
TAUGHT_EVENTS = frozenset(["learning_proposed", "help_requested", "brief_given"])
# Between the program and its command: no end of a sentence or a clause, after which a new thought begins.
_PARTS = re.compile(r"[.,;:!?)\]]\s")
# The program itself, used as one: quoted as code, with options, as a module, or called a program.
_AS_PROGRAM = re.compile(
    rf"""(?x)
      (?<![^\W_]) {PROGRAM} (?: [\s`'"]* -{{1,2}}[a-z] | [\s_-]{{0,3}} (?: pipelines? | cli ) (?![^\W_])
        | ` | ['"\s]{{1,3}} (?: command | binary | executable | subcommand | program )s? (?![^\W_]) )
    | ` \s* {PROGRAM} (?![^\W_])
    """
)
# Any knowledge-base tool, whether it exists or not: `kb_` and a word.
_KB = re.compile(r"(?<![^\W_])k\s?b\s?\\?_\s?[^\W\d_]")


def names_product(text: Folded, names: ProductNames) -> bool:
    """Whether a command after the program's name, a tool or an event that briefs teach stands in the text, disguised
    or not."""
    closed = text.closed.casefold()
    if _KB.search(closed) or _AS_PROGRAM.search(closed):
        return True
    if _PROGRAM in text.squeezed and _names_command(squeeze(text.skeleton), names.commands):
        return True
    return any(part in closed and uses.search(closed) for part, uses in _tools(names.tools | TAUGHT_EVENTS))


def _names_command(text: Squeezed, commands: frozenset[str]) -> bool:
    place = text.text.find(_PROGRAM)
    while place >= 0:
        end = place + len(_PROGRAM)
        if text.begins_word(place) and any(_follows(text, end, command) for command in _squeezed(commands)):
            return True
        place = text.text.find(_PROGRAM, place + 1)
    return False


def _follows(text: Squeezed, end: int, command: str) -> bool:
    if not text.text.startswith(command, end) or not text.ends_word(end + len(command)):
        return False
    return _PARTS.search(text.between(end, end)) is None


@lru_cache(maxsize=8)
def _squeezed(commands: frozenset[str]) -> tuple[str, ...]:
    # A group's command begins with the group's name, so the first words are enough.
    return tuple(sorted({canonical(command.split()[0]) for command in commands if command.split()}))


@lru_cache(maxsize=8)
def _tools(tools: frozenset[str]) -> list[tuple[str, re.Pattern[str]]]:
    """For each tool a part that its mention has in it, and an expression for a mention."""
    lower = sorted(filter(None, (skeleton(tool).casefold().strip("_") for tool in tools)))
    return [(tool.split("_")[0], re.compile(_mention(tool))) for tool in lower]


def _mention(tool: str) -> str:
    """A tool with a `_` in its name anywhere, one that is a plain word only where it is spoken of as a tool."""
    name = r"\s?\\?_\s?".join(map(re.escape, tool.split("_")))
    if "_" in tool:
        return rf"(?<![^\W_]){name}(?![^\W_])"
    return (
        rf"(?<![\w.]){name}\(|`\s*{name}\s*[`(]|(?<![^\W_]){name}\s+(?:mcp\s+)?(?:tool|function)(?![^\W_])"
        rf"|(?<![^\W_])(?:tool|function)s?\s+(?:called\s+|named\s+)?[`'\"]?{name}(?![^\W_])"
        rf"|(?<![^\W_])(?:call|invoke)(?:s|ing|ed)?\s+(?:the\s+)?[`'\"]?{name}(?![^\W_])"
        rf"|(?<![^\W_])(?:use|run|execute|try)\s+[`'\"]{name}[`'\"]"
    )
