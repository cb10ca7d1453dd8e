"""Disguises for texts that should be refused: each gives a text that a reader, or a model, takes for the same."""

import random
import re
from collections.abc import Callable

# How a text is disguised: from the text, by chance.
Disguise = Callable[[str, random.Random], str]

# A letter and others that look like it.
_LIKE = {
    group[0]: group[1:]
    for group in [
        *("aаɑａ𝐚α", "cсϲｃ𝒄", "eеｅ𝖊", "iіｉ𝗂ι", "oоοｏ𝓸", "pрρｐ𝙥", "sѕｓ𝚜ꜱ", "xхｘ", "yуｙ𝔂", "nｎ𝕟ո", "uｕ𝖚υ"),
        *("rｒ𝐫г", "tｔ𝑡τ", "dｄԁ𝒹", "hｈһ𝗁", "lｌ𝓁ӏ", "gｇɡ𝔤", "mｍ𝖒", "AАΑＡ", "IІΙＩ", "OОΟ"),
    ]
}
_LEET = str.maketrans("oieasOIEAS", "0134501345")
_INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad\u034f\u180e\U000e0061\ufe0f"


def _each(text: str, change: Callable[[str], str]) -> str:
    return "".join(change(char) if char.isalpha() else char for char in text)


def _outside_marks(text: str, change: Callable[[str], str]) -> str:
    # A mark of a model's turns works only as it is.
    parts = re.split(r"([<\[][^>\]]*[>\]])", text)
    return "".join(part if at % 2 else change(part) for at, part in enumerate(parts))


def homoglyphs(text: str, chance: random.Random) -> str:
    """Some letters as others that look the same."""
    return _each(text, lambda char: chance.choice(_LIKE[char]) if char in _LIKE and chance.random() < 0.6 else char)


def zero_width(text: str, chance: random.Random) -> str:
    """Characters that show nothing between letters."""
    return _each(text, lambda char: char + (chance.choice(_INVISIBLE) if chance.random() < 0.5 else ""))


def mixed_case(text: str, chance: random.Random) -> str:
    """Each letter in either case, where that keeps it one letter."""
    return _each(text, lambda char: chance.choice([char.upper(), char.lower()]) if len(char.upper()) == 1 else char)


def wide_blanks(text: str, chance: random.Random) -> str:
    """Other blanks, and more of them."""
    return "".join(chance.choice([" ", "  ", "\u00a0", "\u2003", "\t"]) if char == " " else char for char in text)


def spelled_out(text: str, chance: random.Random) -> str:
    """Letters apart, words farther apart."""
    return "   ".join(" ".join(word) for word in text.split())


def accents(text: str, chance: random.Random) -> str:
    """Marks on letters."""
    return _each(text, lambda char: char + (chance.choice("\u0301\u0323\u0336") if chance.random() < 0.5 else ""))


def full_width(text: str, chance: random.Random) -> str:
    """ASCII in its wide form."""
    return "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in text)


def escaped(text: str, chance: random.Random) -> str:
    """Character references of HTML for some letters."""
    return _each(text, lambda char: f"&#{ord(char)};" if chance.random() < 0.3 else char)


def leet(text: str, chance: random.Random) -> str:
    """Digits for letters."""
    return _outside_marks(text, lambda part: part.translate(_LEET))


def hyphens(text: str, chance: random.Random) -> str:
    """A sign between the letters of each word."""
    sign = chance.choice("-._*")
    return _outside_marks(text, lambda part: re.sub(r"[^\W\d_]+", lambda word: sign.join(word.group()), part))


DISGUISES = [homoglyphs, zero_width, mixed_case, wide_blanks, spelled_out, accents, full_width, leet, hyphens, escaped]
# Those that can follow one another, in this order: the capital of a look-alike need not look like the letter's.
MIXABLE = [mixed_case, homoglyphs, accents, wide_blanks, zero_width]
