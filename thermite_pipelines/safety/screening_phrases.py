"""How phrases that override instructions are written down: the tables in `phrases/`, one file for a language or a few.

A line of a table is a list of words (`name = one other`), or a phrase: a row of slots with blanks between. A slot is
`one|other` words; `?` after it: may be left out; `*`: up to six of them; `!one|other` and `=one|other` look ahead
(must not, must follow); `{name}` stands for a list; `^` at the front: only where a sentence begins. Of words, `word~`
is with or without a final s, `_` joins those of one alternative, `:` is a colon, `$` the end of a sentence, `.` some
letters. An indented line goes on with the one before. All is squeezed as the text is (see `folding.py`), so blanks,
signs, case, accents and look-alikes don't matter, and a phrase in any script is written as it is.
"""

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files

from thermite_pipelines.safety.folding import canonical

_MANY = 6
_CONTINUED = re.compile(r"\|\n {4}")
# Sentences stand in one string for the search: a colon ends one and is kept, all other ends are a line end.
ENDS = ":\n"
_SIGNS = {"$": rf"(?=[{ENDS}]|\Z)", ":": ":", ".": rf"[^{ENDS}]{{0,20}}?"}


class Phrase:
    """One phrase: what it may begin with, and what must follow."""

    def __init__(self, slots: list[str], words: Mapping[str, list[str]]) -> None:
        self._slots = slots
        self._words = words

    @property
    def at_start(self) -> bool:
        """Whether it counts only where a sentence begins."""
        return self._slots[0].startswith("^")

    def first_words(self) -> Iterator[str]:
        """What the phrase may begin with, squeezed."""
        for word in self._alternatives(self._slots[0].lstrip("^")):
            yield canonical(word.rstrip("~"))

    def rest(self) -> str:
        """An expression for what must follow a first word."""
        plural = "s?" if "~" in self._slots[0] else ""
        return plural + "".join(map(self._slot, self._slots[1:]))

    def _alternatives(self, slot: str) -> list[str]:
        words: list[str] = []
        for word in slot.split("|"):
            words += self._words[word[1:-1]] if word.startswith("{") else [word]
        return words

    def _slot(self, slot: str) -> str:
        repeat = {"?": "?", "*": f"{{0,{_MANY}}}"}.get(slot[-1], "")
        ahead = {"!": "?!", "=": "?="}.get(slot[0], "?:")
        bare = slot[slot[0] in "!=" : len(slot) - bool(repeat)]
        words = sorted(map(_expression, self._alternatives(bare)), key=len, reverse=True)
        return f"({ahead}{'|'.join(words)}){repeat}"


def _expression(word: str) -> str:
    if word in _SIGNS:
        return _SIGNS[word]
    return re.escape(canonical(word.rstrip("~"))) + ("s?" if word.endswith("~") else "")


def load() -> list[Phrase]:
    """The phrases of all tables."""
    tables = sorted(files("thermite_pipelines.safety").joinpath("phrases").iterdir(), key=lambda table: table.name)
    return [phrase for table in tables for phrase in parse(table.read_text(encoding="utf-8"))]


def parse(table: str) -> Iterator[Phrase]:
    """The phrases of one table."""
    whole = _CONTINUED.sub("|", table).replace("\n    ", " ")
    lines = [line.split() for line in whole.splitlines() if line and not line.startswith("#")]
    words = {line[0]: line[2:] for line in lines if line[1:2] == ["="]}
    return (Phrase(line, words) for line in lines if line[1:2] != ["="])
