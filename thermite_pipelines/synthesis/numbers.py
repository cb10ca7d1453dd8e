"""The numbers and names of a text: what two texts must agree in before they are taken to say the same.

Reports are often made from one pattern, and then share nearly all words while they speak of different things.

`1e-3`, `0.001` and `0.0010` are one number, and so are `1,000` and `1000`. Numbers within names count (`gpt4`, `v2`).
What has more than one point, as versions and addresses do, is compared as it is written.
"""

import re
from collections.abc import Iterator
from decimal import Decimal

_DIGIT = re.compile(r"\d")
# What begins with a digit; its sign stands before it.
_NUMBER = re.compile(
    r"(?P<parts>\d+(?:\.\d+){2,})"
    r"|(?P<digits>\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?P<rest>\.\d+)?(?P<power>[eE][-+−]?\d+(?!\w))?"
)
# A minus counts where nothing stands before it that it could join; elsewhere it is a dash or a hyphen.
_JOINED = re.compile(r"[\w)\]}]")
_MOST_PLACES = 400
_QUOTED = re.compile(r"(?<![\w'\"`])(?:'([^'\n]{1,120})'|\"([^\"\n]{1,120})\"|`([^`\n]{1,120})`)(?![\w'\"`])")
_WORD = re.compile(r"\w+")
# The words that `_is_name` would choose of a text in ASCII, found in one go.
_ASCII_NAME = re.compile(r"(?<!\w)\w*(?:[_\d]|(?<=\w)[A-Z])\w*")


def numbers_of(text: str) -> tuple[str, ...]:
    """All numbers of a text, each in one spelling, in the order in which they stand."""
    return tuple(_spelling(found) for found in _numbers(text))


def in_one_spelling(text: str) -> str:
    """A text with each of its numbers in one spelling; where one has a sign, the sign is left before it."""
    parts, end = [], 0
    for found in _numbers(text):
        parts += [text[end : found.start()], _spelling(found).removeprefix("-")]
        end = found.end()
    return "".join([*parts, text[end:]])


def names_of(text: str) -> frozenset[str]:
    """What a text names by its spelling, without case: short quoted spans, and words with a digit, an underscore, or a
    capital after the first letter.
    """
    quoted = (next(filter(None, found.groups())) for found in _QUOTED.finditer(text))
    rest = _without_numbers(text)
    words = _ASCII_NAME.findall(rest) if rest.isascii() else filter(_is_name, _WORD.findall(rest))
    return frozenset(name.casefold().strip() for name in (*quoted, *words))


def _numbers(text: str) -> Iterator[re.Match[str]]:
    """The numbers of a text, their signs left out. Texts are mostly words, and a digit is found quickly."""
    digit = _DIGIT.search(text)
    while digit and (found := _NUMBER.match(text, digit.start())):
        yield found
        digit = _DIGIT.search(text, found.end())


def _without_numbers(text: str) -> str:
    """A text with a space for each number that stands for itself; one that ends a word is a part of it."""
    parts, end = [], 0
    for found in _numbers(text):
        if not text[found.start() - 1 : found.start()].isalpha():
            parts += [text[end : found.start()], " "]
            end = found.end()
    return "".join([*parts, text[end:]])


def _sign(number: re.Match[str]) -> str:
    text, start = number.string, number.start()
    is_minus = start > 0 and text[start - 1] in "-−" and not (start > 1 and _JOINED.match(text[start - 2]))
    return "-" if is_minus else ""


def _is_name(word: str) -> bool:
    return "_" in word or word[1:] != word[1:].lower() or any(map(str.isdigit, word))


def _spelling(found: re.Match[str]) -> str:
    if found["parts"]:
        return found["parts"]
    written = _sign(found) + "".join(found[name] or "" for name in ("digits", "rest", "power"))
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
