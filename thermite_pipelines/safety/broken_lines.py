"""Credentials that were broken over several lines: on no line of its own they have a shape that is known."""

import re
from collections.abc import Callable

# A key may go on over so many lines.
_LINES = 8
_PART = r"[A-Za-z0-9+/_.=-]++"
_BREAK = r"[ \t]*+(?:\\[ \t]*+)?(?:\r\n|[\n\r\x0b\x0c\x85\u2028\u2029])[ \t]*+"
_BROKEN = re.compile(rf"(?<![A-Za-z0-9+/_.=-]){_PART}(?:{_BREAK}{_PART})+")
_PIECES = re.compile(rf"({_BREAK})")
# A part that looks like this is a word, or a number, of the text that goes on.
_WORD = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,8})(?:[-_./=](?:[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,8}))*[.=]*")
_HEX = re.compile(r"[0-9a-fA-F]+")
# `Bearer`, `password:` and the like stand before a key.
_CONTEXT = 60


def redact_broken(text: str, redact_line: Callable[[str], str], mark: str) -> str:
    """The text with a mark for each broken credential; `redact_line` knows those that stand on one line.

    Lines are only taken together where what follows looks like no word, and where not all of it are hex digits: lists
    of file names and of commits stay.
    """

    def replaced(match: re.Match[str]) -> str:
        pieces, out, place = _PIECES.split(match.group()), [], 0
        line = text[max(0, match.start() - _CONTEXT) : match.start()].splitlines()[-1:]
        while place < len(pieces):
            end = _end_of_key(pieces, place)
            parts, before = pieces[place : end + 1 : 2], line[0] if line and place == 0 else ""
            clean = _clean(before, parts, redact_line, mark) if end > place else None
            # A word before a key is no part of it, though both together look like one.
            if clean is None or (_WORD.fullmatch(parts[0]) and _clean("", parts[1:], redact_line, mark) is not None):
                out.append(parts[0])
            else:
                out.append(clean)
                place = end
            out += pieces[place + 1 : place + 2]
            place += 2
        return "".join(out)

    return _BROKEN.sub(replaced, text)


def _end_of_key(pieces: list[str], place: int) -> int:
    """The last of the pieces (parts, with breaks between) that may belong to a key that begins at `place`."""
    end = place
    while end + 2 < len(pieces) and end - place < 2 * _LINES and not _WORD.fullmatch(pieces[end + 2]):
        end += 2
    return end


def _clean(before: str, parts: list[str], redact_line: Callable[[str], str], mark: str) -> str | None:
    """What to write for parts that were joined, or None where they are no credential."""
    joined = "".join(parts)
    if _HEX.fullmatch(joined):
        return None
    found = redact_line(before + joined)
    if not found.endswith(mark):
        return None
    return found.removeprefix(before) if found.startswith(before) else mark
