"""The numbers and names of a text: what two texts must agree in before they are taken to say the same.

Reports are often made from one pattern, and then share nearly all words while they speak of different things.

`1e-3`, `0.001` and `0.0010` are one number, and so are `1,000` and `1000`. Numbers within names count (`gpt4`, `v2`).
What has more than one point, as versions and addresses do, is compared as it is written.
"""

import re
from decimal import Decimal

# A minus counts where nothing stands before it that it could join; elsewhere it is a dash or a hyphen.
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w)\]}])[-−])?"
    r"(?:(?P<parts>\d+(?:\.\d+){2,})|(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?P<rest>\.\d+)?(?P<power>[eE][-+−]?\d+(?!\w))?)"
)
_MOST_PLACES = 400
_QUOTED = re.compile(r"(?<![\w'\"`])(?:'([^'\n]{1,120})'|\"([^\"\n]{1,120})\"|`([^`\n]{1,120})`)(?![\w'\"`])")
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
# The words that `_is_name` would choose of a text in ASCII, found in one go.
_ASCII_NAME = re.compile(r"(?<!\w)\w*(?:[_\d]|(?<=\w)[A-Z])\w*")


def numbers_of(text: str) -> tuple[str, ...]:
    """All numbers of a text, each in one spelling, in the order in which they stand."""
    if _DIGIT.search(text) is None:
        return ()
    return tuple(_spelling(found) for found in _NUMBER.finditer(text))


def names_of(text: str) -> frozenset[str]:
    """What a text names by its spelling, without case: short quoted spans, and words with a digit, an underscore, or a
    capital after the first letter.
    """
    quoted = (next(filter(None, found.groups())) for found in _QUOTED.finditer(text))
    rest = text if _DIGIT.search(text) is None else _NUMBER.sub(_blank, text)
    words = _ASCII_NAME.findall(rest) if rest.isascii() else filter(_is_name, _WORD.findall(rest))
    return frozenset(name.casefold().strip() for name in (*quoted, *words))


def _blank(number: re.Match[str]) -> str:
    """A space for a number that stands for itself; one that ends a word is a part of it."""
    return number[0] if number.string[: number.start()][-1:].isalpha() else " "


def _is_name(word: str) -> bool:
    return "_" in word or word[1:] != word[1:].lower() or any(map(str.isdigit, word))


def _spelling(found: re.Match[str]) -> str:
    if found["parts"]:
        return found["parts"]
    written = "".join(found[name] or "" for name in ("sign", "digits", "rest", "power"))
    value = Decimal(written.replace(",", "").replace("−", "-"))
    sign, digits, exponent = value.as_tuple()
    if not value or not isinstance(exponent, int):
        return "0"
    # By hand, as arithmetic would round long numbers.
    while digits[-1] == 0:
        digits, exponent = digits[:-1], exponent + 1
    number = Decimal((sign, digits, exponent))
    return str(number) if abs(number.adjusted()) > _MOST_PLACES else f"{number:f}"


def details_of(text: str) -> frozenset[str]:
    """All numbers and names of a text. Where each of two texts holds one that the other lacks, they say different
    things; where only one does, it may just say more.
    """
    return names_of(text).union(numbers_of(text))
