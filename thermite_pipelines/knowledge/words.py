"""Words of texts and how well texts match them: tokens of any script, and BM25 over the texts of a search.

Texts are compared after NFKC and case folding. A token is a run of letters and digits; of Han, Kana and Hangul, which
are written without blanks or join endings to words, each pair of neighbours is one.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

_CJK = (
    "\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u3099-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f"
)
_ASCII_TOKEN = re.compile("[a-z0-9]+")
_TOKEN = re.compile(rf"([{_CJK}]+)|((?:(?![{_CJK}])[^\W_])+)")
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
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def tokens(text: str) -> list[str]:
    """The tokens of a text, in order."""
    return _folded_tokens(fold(text))


def _folded_tokens(folded: str) -> list[str]:
    if folded.isascii():
        return _ASCII_TOKEN.findall(folded)
    found: list[str] = []
    for run, word in _TOKEN.findall(folded):
        if word:
            found.append(word)
        elif len(run) == 1:
            found.append(run)
        else:
            found += [run[place : place + 2] for place in range(len(run) - 1)]
    return found


def index_tokens(text: str) -> tuple[list[str], int]:
    """What an index keeps of a text, and how many tokens the text has.

    Beside the tokens, each single character of a script without blanks is kept under a mark: see `Term.anywhere`.
    """
    folded = fold(text)
    found = _folded_tokens(folded)
    if folded.isascii():
        return found, len(found)
    return found + [ANYWHERE + sign for run, _ in _TOKEN.findall(folded) for sign in run], len(found)


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
        for run, word in _TOKEN.findall(fold(question)):
            for token in _folded_tokens(run or word):
                anywhere = bool(run) and len(token) == 1
                found.setdefault(token, Term(run or word, _forms(token), anywhere))
        telling = [term for token, term in found.items() if token not in _FUNCTION_WORDS]
        self.terms = telling or list(found.values())

    def __bool__(self) -> bool:
        return bool(self.terms)

    def count(self, text: str) -> tuple[int, tuple[int, ...] | None]:
        """How many tokens a text has, and how often each term stands in it; None where none does."""
        folded = fold(text)
        there = _folded_tokens(folded)
        counts = tuple(
            folded.count(term.tokens[0]) if term.anywhere else sum(there.count(token) for token in term.tokens)
            for term in self.terms
        )
        return len(there), counts if any(counts) else None

    def matched(self, counts: Sequence[int]) -> list[str]:
        """The words that were asked for and found, in the order of the question."""
        return list(dict.fromkeys(term.word for term, count in zip(self.terms, counts, strict=True) if count))


def _forms(token: str) -> tuple[str, ...]:
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
