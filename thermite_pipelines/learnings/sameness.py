"""Whether two learnings say the same: a judgement by words, the same in both directions.

How a text is read. It is brought to NFC and lower case. Marks belong to the letter before them; what cannot be seen
(joiners, soft hyphens, directions, variation selectors) is dropped, but for the space without width, which parts words.
A word is a run of letters and digits. It is significant when it has more than three characters (code points), or a
digit.

Scripts that put no blanks between words (Han, Kana, Bopomofo, Yi; Thai, Lao, Khmer, Burmese, Tibetan, the Tai scripts,
Javanese, Balinese), and Hangul, whose syllables hold two or three letters each and whose words end in particles, have a
rule of their own. Of a run of such letters every pair of neighbours is significant, or every three neighbours where the
script is an alphabet of consonants and vowel signs (Thai and those after it); of a shorter run the run itself. There
are about two pairs, or three threes, to a word: so a pair counts as half a word and a three as a third, wherever words
are counted. Latin words and numbers in between are read as everywhere.

Two texts are different when one is negated and the other is not, or when one has no significant word. Else they are the
same when they share four fifths of all their words, or when the one with fewer words has at least three, all of them
stand in the other, and the other has at most twice as many. A text is negated when one of a few English words stands in
it, or in the scripts without blanks one of a few particles. Two texts of nine or more significant words that differ in
a single one share four fifths, so they are the same by these rules; without blanks it takes some 28 characters of Han.
What is put in the middle of a text without blanks parts neighbours, so that of a short text it makes another one.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

NEGATIONS = frozenset(["not", "no", "nor", "never", "t", "cannot", "without", "unless", "neither", "none"])
# What negates in the scripts without blanks, wherever it stands: without a lexicon words cannot be told apart.
_PARTICLE = re.compile(
    "[不没沒无無未勿]"  # Chinese, and Japanese words made of these
    "|ない|なく|なかっ|なけれ|ません|ずに"
    "|않|없|못|아니"
    "|ไม่|อย่า(?!ง)"  # not as the beginning of the word for a way or kind; the same in Lao
    "|ບໍ່|ຢ່າ(?!ງ)"
    "|មិន|ពុំ|កុំ"
    "|ဘူး"
)

_BY_TWO = ("CJK ", "IDEOGRAPHIC ", "HIRAGANA ", "KATAKANA", "HALFWIDTH KATAKANA", "HANGUL ", "BOPOMOFO ", "YI ")
_BY_THREE = ("THAI ", "LAO ", "KHMER ", "MYANMAR ", "TIBETAN ", "TAI ", "NEW TAI LUE ", "JAVANESE ", "BALINESE ")
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_RUN = re.compile(r"(w[wm]*)|(2[2m]*)|3[3m]*")
_LETTER = re.compile(r"[23]m*")
_LONGEST_SHORT = 3
_WORD = 6
_WEIGHTS = {"w": _WORD, "2": 3, "3": 2}
"""What a significant word counts, a pair and a three of neighbours: by the shape of its first character."""
_FEWEST_CONTAINED = 3 * _WORD


class Reading(NamedTuple):
    """What counts of a text: whether it is negated, its significant words, and the sum of what they count."""

    negated: bool
    words: frozenset[str]
    weight: int


@lru_cache(maxsize=1024)
def read(text: str) -> Reading:
    """Read a text as the comparison does."""
    folded = _folded(text)
    if folded.isascii():
        words = _ASCII_WORD.findall(folded)
        significant = frozenset(filter(_is_significant, words))
        return Reading(not NEGATIONS.isdisjoint(words), significant, _WORD * len(significant))
    words, pieces, negated = [], [], False
    shape = folded.translate(_SHAPES)
    for run in _RUN.finditer(shape):
        piece = folded[run.start() : run.end()]
        if run[1]:
            words.append(piece)
        else:
            negated = negated or _PARTICLE.search(piece) is not None
            pieces += _neighbours(piece, run[0], 2 if run[2] else 3)
    negated = negated or not NEGATIONS.isdisjoint(words)
    significant = frozenset([*filter(_is_significant, words), *pieces])
    return Reading(negated, significant, sum(map(weight_of, significant)))


def significant_words(text: str) -> frozenset[str]:
    """The words by which a text is compared; of scripts without blanks, pairs or threes of neighbours."""
    return read(text).words


def is_negated(text: str) -> bool:
    """Whether a text is taken for a negated one."""
    return read(text).negated


def same(one: str, other: str) -> bool:
    """Whether two texts say the same; the order of the two makes no difference."""
    first, second = read(one), read(other)
    least = least_shared(first.weight, second.weight)
    if first.negated != second.negated or least is None:
        return False
    return sum(map(weight_of, first.words & second.words)) >= least


def weight_of(word: str) -> int:
    """What a significant word counts, in sixths of a word."""
    return _WEIGHTS[_SHAPES[ord(word[0])]]


def least_shared(one: int, other: int) -> int | None:
    """What the words shared by two texts of these weights must weigh to make them the same; None: nothing is enough.

    In whole numbers: shared / (one + other - shared) >= 4/5 is 9 * shared >= 4 * (one + other).
    """
    fewer, more = sorted((one, other))
    if not fewer:
        return None
    four_fifths = -(-4 * (one + other) // 9)
    if four_fifths <= fewer:
        return four_fifths
    return fewer if fewer >= _FEWEST_CONTAINED and more <= 2 * fewer else None


def _is_significant(word: str) -> bool:
    return len(word) > _LONGEST_SHORT or any(map(str.isdigit, word))


def _neighbours(piece: str, shape: str, size: int) -> list[str]:
    """The overlapping groups of `size` letters of a run; the run itself where it has no more. Marks go with letters."""
    if len(shape) <= size:
        return [piece]
    letters = [piece[at.start() : at.end()] for at in _LETTER.finditer(shape)]
    return ["".join(letters[at : at + size]) for at in range(max(1, len(letters) - size + 1))]


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    # Two letters have lower-case forms that no text has or that hang on their place: İ becomes an i with a second dot,
    # and a sigma another one at the end of a word, so what stands after it would make another word of it.
    lower = unicodedata.normalize("NFC", text).lower().replace("i\u0307", "i").replace("ς", "σ")
    shape = lower.translate(_SHAPES)
    if "x" in shape:
        lower = "".join(character for character, kind in zip(lower, shape, strict=True) if kind != "x")
    # Again: the lower case of a letter may join the mark after it where the capital cannot.
    return unicodedata.normalize("NFC", lower)


class _Shapes(dict[int, str]):
    """What each character is: `w`, `2` or `3` a letter or digit, `m` a mark, `x` nothing that is seen, else a blank."""

    def __missing__(self, code: int) -> str:
        shape = self[code] = _shape(chr(code))
        return shape


def _shape(character: str) -> str:
    category = unicodedata.category(character)
    if character.isalnum():
        name = "" if character.isdecimal() else unicodedata.name(character, "")
        return "2" if name.startswith(_BY_TWO) else "3" if name.startswith(_BY_THREE) else "w"
    if category in ("Mn", "Mc"):
        return "x" if "VARIATION SELECTOR" in unicodedata.name(character, "") or character == "\u034f" else "m"
    return "x" if category in ("Cf", "Me") and character != "\u200b" else " "


_SHAPES = _Shapes()
