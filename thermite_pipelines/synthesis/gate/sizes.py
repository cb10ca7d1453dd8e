"""How large an answer and its parts may be: far above what any honest one needs, and no setting.

Titles become headings, rows of lists and names of files; bodies and tags travel in items, tables and pages.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

MOST_BYTES = 4 * 1024 * 1024
"""Of a whole answer, in UTF-8."""
TITLE_CHARACTERS = 300
TEXT_CHARACTERS = 65_536
MOST_TAGS = 100
TAG_CHARACTERS = 200
MOST_REFS = 5_000
_TEXTS = ("body", "prediction", "falsifier", "reasoning", "rationale", "novelty_argument")
_TAGS = ("domain", "entities")


def text_too_large(text: str) -> Iterator[str]:
    """The problem with an answer that is too large to be read."""
    # The first test spares most answers the second, which copies the text.
    if 4 * len(text) > MOST_BYTES and (size := len(text.encode("utf-8", "surrogatepass"))) > MOST_BYTES:
        yield f"it has {size:,} bytes, at most {MOST_BYTES:,} are read"


def too_large(node: Any, place: str = "") -> Iterator[str]:
    """A problem for each part of a decoded answer that is too large, or that is a title of several lines."""
    if isinstance(node, tuple):
        for number, part in enumerate(node):
            yield from too_large(part, f"{place}[{number}]")
    elif isinstance(node, msgspec.Struct):
        for name in node.__struct_fields__:
            value, where = getattr(node, name), f"{place}.{name}" if place else name
            yield from _problems(name, value, where)
            yield from too_large(value, where)


def _problems(name: str, value: Any, place: str) -> Iterator[str]:
    if name == "title":
        yield from _too_long(value.strip(), TITLE_CHARACTERS, place)
        if len(value.strip().splitlines()) > 1:
            yield f"{place} has more than one line"
    elif name in _TEXTS:
        yield from _too_long(value, TEXT_CHARACTERS, place)
    elif name in _TAGS:
        yield from _too_many(value, MOST_TAGS, place)
        for number, tag in enumerate(value):
            yield from _too_long(tag, TAG_CHARACTERS, f"{place}[{number}]")
    elif name == "refs":
        yield from _too_many(value, MOST_REFS, place)


def _too_long(text: str, most: int, place: str) -> Iterator[str]:
    if len(text) > most:
        yield f"{place} has {len(text):,} characters, at most {most:,} are taken"


def _too_many(names: tuple[str, ...], most: int, place: str) -> Iterator[str]:
    if len(names) > most:
        yield f"{place} has {len(names):,} names, at most {most:,} are taken"
