"""Sentences of a text with their places, and the language a text is written in. Linear in the length of the text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thermite_pipelines.atoms.signals import LANGUAGES
from thermite_pipelines.atoms.signals.en import ENGLISH
from thermite_pipelines.atoms.signals.ja import JAPANESE
from thermite_pipelines.atoms.signals.language import Language, lowered
from thermite_pipelines.atoms.signals.zh import CHINESE

LONGEST = 600
"""Characters of the longest sentence that is read: a longer one could not become a statement."""

# An end is a mark before white space (`app.py` and 3.5 stay whole), a mark of Chinese or Japanese, or a line end.
_END = re.compile(r"[.!?…]+[)\"'”’»]*(?=\s|$)|[。！？]+[」』”）)]*|\n+\s*")
_ABBREVIATIONS = re.compile(
    r"(?:^|[\s(])(?:e\.g|i\.e|z\.b|d\.h|u\.a|bzw|ca|vs|etc|approx|incl|resp|p\.ej|p\. ej|ej|cf|env|max|min"
    r"|mr|mrs|dr|st|no|nr|art|fig|evtl|ggf|usw|sr|sra|mme|\d{1,2}|[a-z])\.$"
)
_BULLET = re.compile(r"\s*(?:[-*•–]\s+|\d{1,2}[.)]\s+|\(\d{1,2}\)\s+)")
_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff]")
_HANGUL = re.compile(r"[\uac00-\ud7af\u0400-\u04ff\u0600-\u06ff\u0e00-\u0e7f]")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_LATIN = re.compile(r"[A-Za-z0-9_]+")
_SPACED = tuple(language for language in LANGUAGES if language.spaced)
_SAMPLE = 600


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: its place in the text, its words, the same in lower case (same length), whether it asks."""

    start: int
    end: int
    text: str
    low: str
    asks: bool
    opens: bool
    """Whether it begins a line: sentences of one line belong together."""

    @property
    def size(self) -> int:
        """Words; two signs of Chinese or Japanese count as one."""
        return size_of(self.text)


def size_of(text: str) -> int:
    """The number of words of a text; two signs of Chinese or Japanese count as one word."""
    dense = 0 if text.isascii() else len(_HAN.findall(text)) + len(_KANA.findall(text))
    return len(_WORD.findall(text)) if not dense else dense // 2 + len(_LATIN.findall(text))


def language_of(text: str) -> Language | None:
    """The table for a text, by its script and, for Latin letters, its function words; None for scripts without one."""
    sample = text[:_SAMPLE]
    letters = _WORD.findall(lowered(sample))
    if not sample.isascii():
        kana, han = len(_KANA.findall(sample)), len(_HAN.findall(sample))
        if kana >= 2 and kana * 6 > han:
            return JAPANESE
        if han >= 2 and han * 2 >= len(letters):
            return CHINESE
        if len(_HANGUL.findall(sample)) * 3 > len(sample):
            return None
    best, most = ENGLISH, 0
    for language in _SPACED:
        known = sum(map(language.words.__contains__, letters))
        if language.code == "fr" and "'" in sample:
            known += sum(word[:2] in _ELIDED for word in letters)
        if known > most:
            best, most = language, known
    return best


_ELIDED = frozenset(["l'", "d'", "j'", "n'", "c'", "s'", "m'", "t'"])
"""Function words that French joins to the next word."""


def sentences_of(text: str, spans: Sequence[tuple[int, int]]) -> list[Sentence]:
    """The sentences of the spans of a text, in order; those longer than `LONGEST` are left out."""
    found: list[Sentence] = []
    for first, last in spans:
        start, opens = first, True
        for end, ends_line in _ends(text, first, last):
            _add(found, text, start, end, opens)
            start, opens = end, ends_line
        _add(found, text, start, last, opens)
    return found


def _ends(text: str, first: int, last: int) -> list[tuple[int, bool]]:
    ends = []
    for match in _END.finditer(text, first, last):
        line = "\n" in match.group()
        if match.group().startswith(".") and _ABBREVIATIONS.search(
            text[max(first, match.start() - 8) : match.start() + 1].lower()
        ):
            continue
        ends.append((match.end(), line))
    return ends


def _add(found: list[Sentence], text: str, start: int, end: int, opens: bool) -> None:
    if bullet := _BULLET.match(text, start, end):
        start = bullet.end()
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end and end - start <= LONGEST:
        piece = text[start:end]
        found.append(Sentence(start, end, piece, lowered(piece), piece.rstrip(")\"'”»").endswith(("?", "？")), opens))
