"""Words of texts and how well texts match them: tokens of any script, and BM25 over the texts of a search.

Texts are compared after NFKC and case folding, without the marks that writers may leave out (points of Hebrew, vowel
signs of Arabic, accents that no letter carries). A token is a run of letters, of the signs that belong to them, and of
digits; of Han, Kana, Hangul, Thai, Lao, Burmese and Khmer, which are written without blanks or join endings to words,
each pair of neighbours is one. A neighbour is a letter with its signs.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
)
_SOUTHEAST = "\u0e01-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
_MARKS = "".join(
    chr(code)
    for code in (*range(0x300, 0x1E00), *range(0x20D0, 0x2100), *range(0xA000, 0xAC00), *range(0x10A00, 0x12000))
    if unicodedata.category(chr(code)).startswith("M")
)
# Accents that made no letter together with what they stand on, points, vowel signs, and joiners that nobody sees.
_LEFT_OUT = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e8\u06ea-\u06ed\u00ad\u200c\u200d\u2060\ufe00-\ufe0f]+"
)
_ASCII_TOKEN = re.compile("[a-z0-9]+")
_UNSPACED = re.compile(f"[{_CJK}{_SOUTHEAST}]+")
_WORD = re.compile(rf"\w[\w{_MARKS}]*")
_MARK = re.compile(f"[{_MARKS}]")
_SIGN = re.compile(rf".[{_MARKS}]*")
# Two words that some join: whoever writes them as one finds both.
_JOINED = re.compile(r"(?<![\w-])([^\W\d_]{2,})-([^\W\d_]{2,})(?![\w-])")
# Words that hold a sentence together and tell nothing: a question may be asked in whole sentences.
_FUNCTION_WORDS_OF = {
    "English": """
        a an and any are as at be been but by can could did do does for from had has have how i if in into is it its me
        my no not of on or our shall should so than that the their them then there these they this those to us was we
        were what when where which who why will with would you your
    """,
    "German": """
        aber als am auch auf aus bei das dem den der des die ein eine einem einen einer es für hat ich im ist mit nicht
        oder sich sie sind und von wie wir zu zum zur
    """,
    "French": """
        au aux avec ce ces dans de des du elle en est et il je la le les leur mais ne nous on ou où pas pour qu que qui
        sa se ses sont sur un une vous
    """,
    "Spanish": """
        al como con del el ella en es esta este la las lo los más no nos o para pero por que qué se su sus un una y
    """,
}
_FUNCTION_WORDS = frozenset(word for words in _FUNCTION_WORDS_OF.values() for word in words.split())
ANYWHERE = "\0"
"""Stands before a single character in an index: no token holds it."""
_STEM_FROM = 4
_K1 = 1.2
_B = 0.75


def fold(text: str) -> str:
    """The form in which texts are compared."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    # What stood apart for a mark between may be one letter now.
    return unicodedata.normalize("NFKC", _LEFT_OUT.sub("", folded)) if _LEFT_OUT.search(folded) else folded


def tokens(text: str) -> list[str]:
    """The tokens of a text, in order."""
    return _folded_tokens(fold(text))


def _folded_tokens(folded: str) -> list[str]:
    return _tokens_and_signs(folded)[0]


def _tokens_and_signs(folded: str) -> tuple[list[str], list[str]]:
    """The tokens of a folded text, and the letters of its runs of scripts without blanks, each in order."""
    if folded.isascii():
        return _ASCII_TOKEN.findall(folded), []
    found: list[str] = []
    letters: list[str] = []
    for word, is_run in _words(folded):
        signs = _signs(word) if is_run else [word]
        found += signs if len(signs) == 1 else map("".join, pairwise(signs))
        letters += signs if is_run else ()
    return found, letters


def _signs(run: str) -> Sequence[str]:
    """The letters of a run, each with the marks that belong to it."""
    return _SIGN.findall(run) if _MARK.search(run) else run


def _words(folded: str) -> Iterator[tuple[str, bool]]:
    """The words of a text in order, and whether each is a run of a script without blanks."""
    # An underscore counts as a letter in patterns; here it parts words.
    text, place = folded.replace("_", " "), 0
    for run in _UNSPACED.finditer(text):
        yield from ((word, False) for word in _WORD.findall(text, place, run.start()))
        yield run[0], True
        place = run.end()
    yield from ((word, False) for word in _WORD.findall(text, place))


def index_tokens(text: str) -> tuple[list[str], int]:
    """What an index keeps of a text, and how many tokens the text has.

    Beside the tokens, two words with a hyphen are kept as one, too, and each single character of a script without
    blanks under a mark: see `Term.anywhere`.
    """
    folded = fold(text)
    found, signs = _tokens_and_signs(folded)
    more = [first + second for first, second in _JOINED.findall(folded)] if "-" in folded else []
    return [*found, *more, *(ANYWHERE + sign for sign in signs)], len(found)


@dataclass(frozen=True)
class Term:
    """One thing that is looked for: the word that was asked for, and the tokens that count as it."""

    word: str
    tokens: tuple[str, ...]
    anywhere: bool = False
    """A single character of a script without blanks: it counts wherever it stands."""
    weight: float = 1.0
    """How much it counts: less where it stands for a word that nobody wrote."""

    @property
    def keys(self) -> tuple[str, ...]:
        """The tokens as an index keeps them."""
        return tuple(ANYWHERE + token for token in self.tokens) if self.anywhere else self.tokens


class Terms:
    """What a question asks for. Without a word in it nothing matches."""

    def __init__(self, question: str) -> None:
        found: dict[str, Term] = {}
        for word, is_run in _words(fold(question)):
            for token in _folded_tokens(word):
                anywhere = is_run and len(_signs(word)) == 1
                found.setdefault(token, Term(word, forms(token), anywhere))
        telling = [term for token, term in found.items() if token not in _FUNCTION_WORDS]
        self.terms = telling or list(found.values())

    def __bool__(self) -> bool:
        return bool(self.terms)

    def count(self, text: str) -> tuple[int, tuple[int, ...] | None]:
        """How many tokens a text has, and how often each term stands in it; None where none does."""
        found, length = index_tokens(text)
        counts = tuple(sum(found.count(key) for key in term.keys) for term in self.terms)
        return length, counts if any(counts) else None

    def matched(self, counts: Sequence[int]) -> list[str]:
        """The words that were asked for and found, in the order of the question."""
        return list(dict.fromkeys(term.word for term, count in zip(self.terms, counts, strict=True) if count))


def forms(token: str) -> tuple[str, ...]:
    """A token, and the plural or singular that English makes with an `s`."""
    if not token.isascii() or not token.isalpha() or len(token) < _STEM_FROM or token.endswith("ss"):
        return (token,)
    return (token, token[:-1]) if token.endswith("s") else (token, f"{token}s")


@dataclass
class Corpus:
    """The numbers of all texts that may be read: how many, how long, and how many hold each term."""

    terms: int
    texts: int = 0
    length: int = 0
    holding: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.holding = self.holding or [0] * self.terms

    def add(self, length: int, counts: Sequence[int] | None) -> None:
        """Take the numbers of one text in."""
        self.texts += 1
        self.length += length
        for place, count in enumerate(counts or ()):
            self.holding[place] += count > 0

    def score(self, length: int, counts: Sequence[int]) -> float:
        """BM25 (k1 = 1.2, b = 0.75; the form of the inverse document frequency that is never below zero)."""
        norm = self.norm(length)
        return sum(self.part(place, norm, count) for place, count in enumerate(counts))

    def norm(self, length: Any) -> Any:
        """How much the length of a text, or of many in an array, takes from what repeating a word adds."""
        mean = self.length / (self.texts or 1) or 1.0
        return _K1 * (1 - _B + _B * length / mean)

    def part(self, place: int, norm: Any, count: Any) -> Any:
        """What one term adds to the score of a text, or of many: `norm` and `count` may be arrays."""
        return self.rarity(place) * count * (_K1 + 1) / (count + norm)

    def rarity(self, place: int) -> float:
        """The inverse document frequency of a term."""
        holding = self.holding[place]
        return math.log1p((self.texts - holding + 0.5) / (holding + 0.5))

    def most(self, place: int) -> float:
        """What a term adds at the very most: a text of nothing else, without end."""
        return self.rarity(place) * (_K1 + 1)
