"""Bringing a text into the form it is judged in: what a reader sees in it, whatever its code points are.

Four steps, each usable alone: what nobody sees goes (`visible`), look-alikes of Latin letters become those
(`skeleton`), words spelled out letter by letter become words (`closed_up`), and only letters stay, with the digits and
signs that stand in for letters among them (`squeeze`). What is looked for is squeezed by the same rules, so a text in
any script is found in its own script too: both sides lose the same.
"""

import html
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate
from urllib.parse import unquote

from decancer_py import parse

# Letters that show nothing, and marks that only choose a glyph; all other invisible characters are of category Cf.
_BLANK_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
_INVISIBLE = re.compile(f"[{_BLANK_LETTERS}\ufe00-\ufe0f\U000e0000-\U000e0fff]")
# Tag characters after this flag spell a region (a visible emoji); anywhere else they are text that only a model reads.
_FLAG_TAGS = re.compile("\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,6}\U000e007f")
_HIDDEN_RUN = re.compile("[\U000e0020-\U000e007e]{2,}|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4,}")

# What the library leaves or reads otherwise than our rules need.
_OWN_LETTERS = {"ß": "ss", "ẞ": "SS", "Ϲ": "C", "ք": "f", "ƽ": "s", "ꞟ": "u", "`": "`", "ˋ": "`", "‵": "`", "｀": "`"}

_SPACED = re.compile(r"(?<!\S)\S(?:\s{1,3}\S(?!\S)){4,}")
_DOTTED = re.compile(r"(?<![^\W_])[^\W_](?:[._*|~+-][^\W_]){4,}(?![^\W_])")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|[nrt])")
_SPACES = re.compile(r"\s+")

# Signs that stand in for letters. `l`, `i` and `1` cannot be told apart, so they are one.
_STAND_INS = str.maketrans("0134578l9", "oieastbig")
_SIGNS = {"@": "a", "$": "s", "!": "i", "|": "i", "€": "e", "£": "i", "¡": "i"}
_SIGN = re.compile(r"[@$!|€£¡](?=[^\W_])")
_WORD = re.compile(r"[^\W_]+")
_WORD_OR_END = re.compile(r"[^\W_]+|[:\n]")
# Where a sentence, a line, a quotation or a bracket begins.
_SENTENCE = re.compile(r"[.!?;:][\"')\]]*\s+|\n|[.!?:;](?=[^\x00-\x7f])|(?:^|\s)[\"'(\[*>-]+")


def decoded(text: str) -> str:
    """The text with character references of HTML, percent escapes and escapes of string literals read."""
    if "&" in text:
        text = html.unescape(text)
    if "\\" in text:
        text = _ESCAPE.sub(lambda match: chr(int(match[1] or match[2], 16)) if match[1] or match[2] else " ", text)
    return unquote(text, errors="ignore") if "%" in text else text


def hidden(text: str) -> str:
    """What stands in the text in characters that nobody sees but a model may read (tags, variation selectors)."""
    return "".join(_HIDDEN_RUN.findall(_FLAG_TAGS.sub("", text)))


@lru_cache(maxsize=4096)
def _is_invisible(char: str) -> bool:
    control = unicodedata.category(char) in ("Cf", "Cc", "Cs", "Cn") and not char.isspace()
    return control or _INVISIBLE.match(char) is not None


def visible(text: str) -> str:
    """The text in NFKC without invisible and control characters; the line breaks of any system are `\\n`."""
    if text.isascii() and text.isprintable():
        return text
    lines = "\n".join(text.splitlines()) + ("\n" if text.endswith(("\n", "\r")) else "")
    for _ in range(2):  # NFKC can bring forth what the first pass takes away
        lines = unicodedata.normalize("NFKC", "".join(char for char in lines if not _is_invisible(char)))
    return lines


@lru_cache(maxsize=8192)
def _look(char: str) -> str:
    """The Latin letters or the ASCII sign that the character looks like; '' for a mark on another letter."""
    if char in _OWN_LETTERS:
        return _OWN_LETTERS[char]
    if unicodedata.category(char) in ("Mn", "Me"):
        return ""
    bare = unicodedata.normalize("NFKD", char)[0]
    like = bare if bare.isascii() else str(parse(char)).strip() or char
    return like.upper() if char.isupper() else like


def skeleton(text: str) -> str:
    """The visible text with look-alikes of Latin letters and of ASCII signs as those, accents off, case kept."""
    seen = visible(text)
    return (
        seen if seen.isascii() else "".join(char if char.isascii() or char.isspace() else _look(char) for char in seen)
    )


def closed_up(text: str) -> str:
    """The text with words that are spelled out (`i g n o r e`, `i-g-n-o-r-e`) written as words.

    Two or three blanks between spelled letters part words.
    """
    spaced = _SPACED.sub(_close_spaces, text)
    return _DOTTED.sub(lambda match: match.group()[::2], spaced)


def _close_spaces(match: re.Match[str]) -> str:
    return _SPACES.sub(lambda gap: " " if len(gap.group()) > 1 else "", match.group())


class Folded:
    """A text in all forms that it is judged in, each made once, when it is asked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def visible(self) -> str:
        """See `visible`."""
        return visible(self.text)

    @cached_property
    def skeleton(self) -> str:
        """See `skeleton`."""
        return skeleton(self.visible)

    @cached_property
    def parted(self) -> str:
        """The skeleton with a blank for whatever nobody sees, since it may part words as well as stand in them."""
        if self.skeleton == self.text:
            return self.text
        return skeleton("".join(" " if _is_invisible(char) else char for char in self.text))

    @cached_property
    def closed(self) -> str:
        """The skeleton, closed up."""
        return closed_up(self.skeleton)

    @cached_property
    def squeezed(self) -> str:
        """The skeleton, squeezed."""
        return squeezed(self.skeleton)

    def readings(self) -> list["Folded"]:
        """The text itself, and decoded where that is another text."""
        other = decoded(self.text)
        return [self] if other == self.text else [self, Folded(other)]


@dataclass(frozen=True)
class Squeezed:
    """Only the letters of a text; `at[i]` is where `text[i]` stands in `source`."""

    text: str
    at: list[int]
    source: str

    def begins_word(self, start: int) -> bool:
        """Whether no letter or digit stands before `text[start]` in the source."""
        place = self.at[start]
        return place == 0 or not self.source[place - 1].isalnum()

    def ends_word(self, end: int) -> bool:
        """Whether no letter or digit follows `text[:end]` in the source."""
        after = self.at[end - 1] + 1
        return after >= len(self.source) or not self.source[after].isalnum()

    def between(self, left: int, right: int) -> str:
        """What stands in the source between `text[left - 1]` and `text[right]`."""
        return self.source[self.at[left - 1] + 1 : self.at[right]]


def squeeze(text: str) -> Squeezed:
    """Squeeze a skeleton, keeping where each letter came from."""
    read = _read_signs(text)
    at = [place for place, char in enumerate(read) for _ in (char.casefold() if char.isalnum() else "")]
    return Squeezed(squeezed(text), at, text)


def squeezed(text: str) -> str:
    """The letters of a skeleton in lower case, stand-ins read as letters."""
    return squeezed_words(text).text


@dataclass(frozen=True)
class SqueezedWords:
    """A squeezed text, with where words began and ended before; colons and line ends of sentences may stand in it."""

    text: str
    begins: frozenset[int]
    ends: frozenset[int]


def squeezed_words(text: str, *, by_sentence: bool = False) -> SqueezedWords:
    """Squeeze a skeleton, its sentences, quotations and lines one a line with their colons if it goes `by_sentence`."""
    if by_sentence:
        text = _SENTENCE.sub(lambda match: ":\n" if ":" in match.group() else "\n", text)
    found = (_WORD_OR_END if by_sentence else _WORD).findall(_read_signs(text))
    words = [word.casefold().translate(_STAND_INS) for word in found]
    ends = list(accumulate(map(len, words)))
    return SqueezedWords("".join(words), frozenset([0, *ends]), frozenset(ends))


def _read_signs(text: str) -> str:
    return _SIGN.sub(lambda match: _SIGNS[match.group()], text)


def canonical(word: str) -> str:
    """A word to look for, squeezed."""
    return squeezed(skeleton(word))
