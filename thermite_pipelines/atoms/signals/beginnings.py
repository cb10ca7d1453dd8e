"""How the matches of a phrase can begin: most phrases then fall away at a place by a look at its first signs.

Python tries the alternatives of a pattern one by one, and a hundred that begin with groups cost more than all else that
the rules do. What can't be told counts as any sign: then a phrase is tried everywhere, as it would be anyway.
"""

import re
from collections import defaultdict
from collections.abc import Sequence

SIGNS = 3
"""Signs of a beginning that are looked at."""
_MOST = 400
_ANY = "\0"
_QUANTIFIER = re.compile(r"([*+?])|\{(\d*)(,?)(\d*)\}")
_PLAIN_CLASS = re.compile(r"\[([^\^\\\[\]&~|-][^\\\[\]&~|-]*)\]")
_ZERO_WIDTH = ("(?=", "(?!", "(?<=", "(?<!")
_GROUP = re.compile(r"\(\?(?::|P<\w+>)")
_SPECIAL = ".[]{}*+?()|\\$^"
Beginnings = frozenset[str]
_NOTHING: Beginnings = frozenset([""])


def beginnings(phrase: str) -> Beginnings:
    """The first `SIGNS` signs of all matches of a regular expression, or the whole of a shorter match.

    A zero sign stands for any sign; the empty text says that nothing can be told. It knows the syntax that phrases are
    written in.
    """
    found, end = _choice(phrase, 0)
    return found if end == len(phrase) else _NOTHING


def choice_of(phrases: Sequence[str], after: str) -> str:
    """A pattern that matches where one of some phrases with `after` behind it begins, however long that match is."""
    groups: defaultdict[str, defaultdict[tuple[str, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for phrase in phrases:
        first, *others = _sets(beginnings(phrase)) or [""]
        groups[first][tuple(others)].append(phrase)
    # A set of signs at the start of an alternative is looked at before the alternative is entered; a look ahead is not.
    # So the signs are taken, and then the phrase is looked for from the place before them.
    parts = []
    for first, inner in groups.items():
        wholes = {others: f"(?:{'|'.join(some)}){after}" for others, some in inner.items()}
        if not first:
            parts += wholes.values()
            continue
        told = [f"{''.join(others)}(?<=(?={whole}){'.' * (len(others) + 1)})" for others, whole in wholes.items()]
        parts.append(f"{first}(?:{'|'.join(told)})")
    return "|".join(parts)


def _sets(found: Beginnings) -> list[str]:
    """The signs at each place of beginnings, as sets of a pattern; none where the first sign can be any."""
    columns = [set(column) for column in zip(*found, strict=False)]
    if not columns or _ANY in columns[0]:
        return []
    return ["." if _ANY in signs else f"[{''.join(map(re.escape, sorted(signs)))}]" for signs in columns]


def _joined(left: Beginnings, right: Beginnings) -> Beginnings:
    both = frozenset((one + other)[:SIGNS] for one in left for other in right)
    return both if len(both) <= _MOST else frozenset([_ANY * SIGNS, ""])


def _choice(text: str, place: int) -> tuple[Beginnings, int]:
    """The beginnings of alternatives, and where they end."""
    found, place = _sequence(text, place)
    while place < len(text) and text[place] == "|":
        more, place = _sequence(text, place + 1)
        found |= more
    return found, place


def _sequence(text: str, place: int) -> tuple[Beginnings, int]:
    found = _NOTHING
    while place < len(text) and text[place] not in "|)":
        part, place = _part(text, place)
        if quantifier := _QUANTIFIER.match(text, place):
            part = _repeated(part, quantifier)
            place = quantifier.end()
            place += text[place : place + 1] == "?"
        found = _joined(found, part)
    return found, place


def _repeated(part: Beginnings, quantifier: re.Match[str]) -> Beginnings:
    sign, low, comma, high = quantifier.groups()
    least = {"*": 0, "+": 1, "?": 0}.get(sign, int(low or 0))
    most = 1 if sign == "?" else SIGNS if sign or (comma and not high) else int(high or low)
    found: Beginnings = frozenset()
    run = _NOTHING
    for count in range(min(most, max(least, SIGNS)) + 1):
        found |= run if count >= least else frozenset()
        run = _joined(run, part)
    return found


def _part(text: str, place: int) -> tuple[Beginnings, int]:
    """The beginnings of one letter, set or group."""
    sign = text[place]
    if text.startswith(_ZERO_WIDTH, place):
        return _NOTHING, _behind(text, place)
    if group := _GROUP.match(text, place):
        return _choice(text, group.end())[0], _behind(text, place)
    if sign == "^" or text.startswith(r"\b", place):
        return _NOTHING, place + (1 if sign == "^" else 2)
    if sign == "[":
        plain = _PLAIN_CLASS.match(text, place)
        return (frozenset(plain[1]), plain.end()) if plain else (frozenset([_ANY]), _past_set(text, place))
    if sign == "\\":
        return frozenset([_ANY if text[place + 1].isalnum() else text[place + 1]]), place + 2
    if sign == "$":
        return _NOTHING, place + 1
    return frozenset([_ANY if sign in _SPECIAL else sign]), place + 1


def _past_set(text: str, place: int) -> int:
    place += 2 if text[place + 1] in "^]" else 1
    while text[place] != "]":
        place += 2 if text[place] == "\\" else 1
    return place + 1


def _behind(text: str, place: int) -> int:
    """The place behind a group that opens at `place`."""
    depth = 0
    while True:
        if text[place] == "[":
            place = _past_set(text, place)
            continue
        depth += (text[place] == "(") - (text[place] == ")")
        place += 2 if text[place] == "\\" else 1
        if not depth:
            return place
