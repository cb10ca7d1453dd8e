"""Whether a text tells its reader to drop their instructions, take another role, give something away or keep silent.

What is searched is squeezed: letters only, look-alikes and stand-ins folded (see `folding.py`). The search is in two
steps, so that its cost is that of one pass: the few places where some phrase could begin, and there the rest of those
phrases.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache

from thermite_pipelines.safety.folding import Folded, SqueezedWords, hidden, squeezed_words
from thermite_pipelines.safety.screening_phrases import ENDS, Phrase, load

# Where the same letters begin a phrase, they are looked up by this many.
_KEY = 4
# Phrases of fewer letters count only where words begin and end.
_LONG = 12
# Words that may stand before an order, between it and the start of the sentence.
_LEAD_IN = re.compile(
    "(?:please|kindly|now|and|then|so|just|okay?|agent|assistant|claude|model|you|must|should|will|shall|always|lets|we|also|"
    "important|note|remember|first|next|hereby|simply|but|or)"
    .replace("l", "i")
)  # fmt: skip
_START = re.compile(rf"^|(?<=[{ENDS}])")
# What marks the turns of a conversation for some model, and tags of roles; searched without blanks.
_TURN_MARKS = re.compile(
    r"<\|[a-z_]{2,30}\|?>|\[/?inst\]|<</?sys>>|</?(?:system|assistant|user|human|developer|admin|instructions?)>|</s>|<s>\["
    r"|\[/?(?:system|assistant|user|human|developer|admin|systemprompt|systemmessage)\]|<(?:start|end)_of_turn>"
    r"|(?:#{2,}|\*{2,})(?:system|instructions?|newinstructions?|assistant|human|user)(?::|\*{2,})"
    r"|\{\{?#?(?:system|user|assistant)~?\}"
)


@dataclass(frozen=True)
class _Beginning:
    """What some phrases may begin with, and those phrases."""

    word: str
    phrases: tuple[Phrase, ...]
    at_start: tuple[Phrase, ...]

    def is_at(self, place: int, words: SqueezedWords, starts: set[int]) -> bool:
        if not words.text.startswith(self.word, place):
            return False
        rests = [self.phrases, self.at_start if place in starts else ()]
        return any(_rests_at(phrases, place, place + len(self.word), words) for phrases in rests if phrases)


def _rests_at(phrases: tuple[Phrase, ...], place: int, end: int, words: SqueezedWords) -> bool:
    match = _rests(phrases).match(words.text, end)
    if match is None or _counts(match, place, words):
        return match is not None
    # That phrase does not count here, but another one may.
    each = (_rests((phrase,)).match(words.text, end) for phrase in phrases)
    return any(match is not None and _counts(match, place, words) for match in each)


def _counts(match: re.Match[str], place: int, words: SqueezedWords) -> bool:
    # A few letters occur by chance where one word ends and the next begins; in scripts without blanks there is no
    # telling.
    long = match.end() - place >= _LONG or not words.text[place : match.end()].isascii()
    return long or (place in words.begins and match.end() in words.ends)


@cache
def _rests(phrases: tuple[Phrase, ...]) -> re.Pattern[str]:
    """Compiled when a text first needs it; words that begin the same phrases share one."""
    return re.compile("|".join(phrase.rest() for phrase in phrases))


@cache
def _beginnings() -> tuple[re.Pattern[str], dict[str, list[_Beginning]]]:
    """An expression for the places where some phrase may begin, and what may begin there by the letters it finds."""
    words: dict[str, list[Phrase]] = defaultdict(list)
    for phrase in load():
        for word in phrase.first_words():
            words[word].append(phrase)
    table: dict[str, list[_Beginning]] = defaultdict(list)
    for word, phrases in words.items():
        anywhere, at_start = (
            tuple(p for p in dict.fromkeys(phrases) if p.at_start is bound) for bound in (False, True)
        )
        table[word[:_KEY]].append(_Beginning(word, anywhere, at_start))
    # A key that begins another one stands for that one too, so each place needs one look.
    for key, entries in table.items():
        entries += [
            entry for size in range(1, len(key)) for entry in table.get(key[:size], ()) if entry.word == key[:size]
        ]
    branches: dict[str, list[str]] = defaultdict(list)
    for key in sorted(table, key=len, reverse=True):
        branches[key[0]].append(re.escape(key[1:]))
    return re.compile("|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in branches.items())), dict(table)


def overrides_instructions(text: Folded) -> bool:
    """Whether the text holds a phrase of the tables, in any disguise they are found in, or marks of a model's turns."""
    if hidden(text.text) or _TURN_MARKS.search("".join(text.skeleton.casefold().split())):
        return True
    forms = dict.fromkeys([text.closed, text.parted])
    return any(_found(squeezed_words(form, by_sentence=by)) for form in forms for by in (True, False))


def _starts(text: str) -> set[int]:
    starts: set[int] = set()
    for match in _START.finditer(text):
        place: int | None = match.start()
        while place is not None and place not in starts:
            starts.add(place)
            lead = _LEAD_IN.match(text, place)
            place = lead.end() if lead else None
    return starts


def _found(words: SqueezedWords) -> bool:
    anywhere, table = _beginnings()
    starts = _starts(words.text)
    place = 0
    while match := anywhere.search(words.text, place):
        if any(beginning.is_at(match.start(), words, starts) for beginning in table[match.group()]):
            return True
        place = match.start() + 1
    return False
