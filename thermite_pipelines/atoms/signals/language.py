"""The form of a language's phrase table, and how its phrases are turned into patterns.

A phrase is a regular expression over lower-case text with straight apostrophes, in which `…` stands for up to 60
characters of the same sentence. At most one gap a phrase, and no nested repeats: searching stays linear in the text.
A new language is one more module with one `Language`, named in `LANGUAGES`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

Phrases = tuple[str, ...]

_GAP = r"(?:[^.!?;\n。！？；]{0,60}?)"
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, eq=False)
class Language:
    """What one language says, by what it signals. All phrases are looked for anywhere in a sentence unless noted."""

    code: str
    spaced: bool
    """Whether blanks part the words: phrases then begin and end at the bounds of words."""
    words: frozenset[str]
    """Function words: they tell the language of a text, and are never domain tags."""
    signals: Mapping[str, Phrases]
    """Per type of atom (corrections aside), phrases that show it."""
    figures: Phrases
    """Of a finding: a number beside words of measuring. Weaker than a signal: wishes and requests do not count."""
    rejects: Phrases
    """Says that the agent is wrong. At the start of a sentence, after openers."""
    faults: Phrases
    """Says what the agent did wrong or took for granted, anywhere in the sentence: `you assumed …`."""
    contrasts: Phrases
    """What is right beside what is not, with the groups `wrong` and, where it is told, `right`."""
    asserts: Phrases
    """A verb that states a fact: what follows a bare 'no' must state one to be a correction."""
    openers: Phrases
    """Fillers at the start of a sentence, which say nothing: 'ok', 'uh'."""
    leads: Phrases
    """Openings of a statement that fall away in it: 'the way this works is that'."""
    reasons: Phrases
    """Words that begin a reason."""
    requests: Phrases
    """How a sentence begins that asks for something to be done."""
    asks: Phrases
    """Words anywhere in a sentence that make it a request or a question to the agent."""
    unreal: Phrases
    """Words that make a sentence an example, a supposition or somebody else's speech."""
    courtesies: Phrases
    """Approvals and small talk, as whole sentences."""
    routine: Phrases
    """Routine instructions, as beginnings of short sentences."""
    conditions: Phrases
    """When something holds: each match is kept word for word."""
    bare: Phrases
    """Subjects at the start of a statement that only the conversation explains."""
    steps: Phrases
    """Words that put steps in an order."""
    habits: Phrases
    """Words that make an order of steps a lasting one: 'the process', 'to release'."""
    past: Phrases = ()
    """Verbs that tell what was."""
    rejected_content: Phrases = ()
    """What follows a 'no' that rejects nothing: 'no, that is fine'."""
    blocks: Mapping[str, Phrases] = field(default_factory=dict)
    """Per type, phrases that speak against it."""

    def _any(self, phrases: Phrases, *, start: bool = False, whole: bool = False) -> re.Pattern[str]:
        if not phrases:
            return _NEVER
        choice = "|".join(phrase.rstrip(" ") for phrase in phrases).replace("…", _GAP)
        before, after = (r"(?<!\w)", r"(?!\w)") if self.spaced else ("", "")
        if whole:
            return re.compile(rf"(?:{choice}){after}")
        return re.compile(rf"{'' if start else before}(?:{choice}){after}")

    @cached_property
    def any_signal(self) -> re.Pattern[str]:
        """Every phrase that may lead to an atom, in one pattern: most messages hold none and end here."""
        plain = [phrase for phrases in self.signals.values() for phrase in phrases]
        return self._any((*plain, *self.figures, r"\d", *self.rejects, *self.faults, *self._nameless, *self.steps))

    @cached_property
    def any_contrast(self) -> re.Pattern[str]:
        """The contrasts in one pattern without groups: most sentences hold none."""
        return self._any(self._nameless)

    @property
    def _nameless(self) -> Phrases:
        return tuple(re.sub(r"\?P<\w+>", "?:", phrase) for phrase in self.contrasts)

    @cached_property
    def contrast_patterns(self) -> tuple[re.Pattern[str], ...]:
        """The contrasts, each for itself, since each names its groups."""
        return tuple(self._any((phrase,)) for phrase in self.contrasts)

    @cached_property
    def by_type(self) -> dict[str, re.Pattern[str]]:
        """The signals of each type."""
        return {kind: self._any(phrases) for kind, phrases in self.signals.items()}

    @cached_property
    def against(self) -> dict[str, re.Pattern[str]]:
        """What speaks against each type."""
        return {kind: self._any(phrases) for kind, phrases in self.blocks.items()}

    def search(self, what: str, text: str) -> re.Match[str] | None:
        """The first phrase of a table in lower-case text."""
        return (self._anywhere.get(what) or self._compile(what, self._anywhere)).search(text)

    def starts(self, what: str, text: str) -> re.Match[str] | None:
        """The phrase of a table with which lower-case text begins."""
        return self.start(what).match(text)

    def is_all(self, what: str, text: str) -> bool:
        """Whether lower-case text is a phrase of a table and nothing else."""
        return self.whole(what).fullmatch(text) is not None

    def whole(self, what: str) -> re.Pattern[str]:
        """The pattern of the phrases of a table for whole texts, which must match them in full."""
        return self._wholes.get(what) or self._compile(what, self._wholes, whole=True)

    def start(self, what: str) -> re.Pattern[str]:
        """The pattern of the phrases of a table for the beginnings of texts."""
        return self._at_start.get(what) or self._compile(what, self._at_start, start=True)

    def find_all(self, what: str, text: str) -> list[re.Match[str]]:
        """All phrases of a table in lower-case text, none overlapping another."""
        return list((self._anywhere.get(what) or self._compile(what, self._anywhere)).finditer(text))

    def _compile(
        self, what: str, patterns: dict[str, re.Pattern[str]], *, start: bool = False, whole: bool = False
    ) -> re.Pattern[str]:
        patterns[what] = self._any(getattr(self, what), start=start, whole=whole)
        return patterns[what]

    # The patterns of the tables by name, compiled when they are first asked for.
    @cached_property
    def _anywhere(self) -> dict[str, re.Pattern[str]]:
        return {}

    @cached_property
    def _at_start(self) -> dict[str, re.Pattern[str]]:
        return {}

    @cached_property
    def _wholes(self) -> dict[str, re.Pattern[str]]:
        return {}


_APOSTROPHES = (("\u2019", "'"), ("\u2018", "'"), ("\u02bc", "'"), ("\u00a0", " "), ("\u3000", " "))
_DENSE = re.compile(r"[\u3041-\u9fff]")
# People type the comma of the Latin keyboard between Chinese signs too.
_DENSE_COMMA = re.compile(r"(?<=[\u3041-\u9fff]),|,(?=[\u3041-\u9fff])")


def lowered(text: str) -> str:
    """The text in lower case with straight apostrophes, of the same length, so that places in it are places in both."""
    lower = text.lower()
    if text.isascii():
        return lower
    if len(lower) != len(text):
        lower = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    for sign, plain in _APOSTROPHES:
        lower = lower.replace(sign, plain)
    return _DENSE_COMMA.sub("，", lower) if "," in lower and _DENSE.search(lower) else lower


def phrases(text: str, **parts: str) -> Phrases:
    """A table of phrases, one a line; a line that begins with `|` goes on with the phrase above it.

    `@name@` stands for the part of that name, which is written in the same way and is one phrase.
    """
    table: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("|") and table:
            table[-1] += line
        elif line:
            table.append(line)
    for name, part in parts.items():
        table = [phrase.replace(f"@{name}@", "".join(phrases(part))) for phrase in table]
    return tuple(table)


def words_of(text: str) -> frozenset[str]:
    """A table of function words, written as one text."""
    return frozenset(text.split())
