"""The JSON values of one line, however it is torn, in bounded memory and in time linear in its length."""

import json
import re
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

import msgspec

SMALL_LINE = 2**20
"""Bytes up to which a line is decoded whatever is in it."""
MOST_PARTS = 2_000_000
"""Brackets, commas and colons of a longer line past which it is not decoded: each can cost 80 bytes of memory."""
_MOST_ODD = 1_000
"""Values of one line that are no objects, past which the rest of it is not read."""
_DECODE = msgspec.json.Decoder().decode
_DECODER = json.JSONDecoder(strict=False)
_START = re.compile(r'\{\s?"')
_GAP = re.compile(r"[ \t\r,]*")
_WORK_OF_A_TRY = 100


class Damage(Enum):
    """Why not all of a line could be read."""

    BROKEN = "bad-json"
    TOO_MANY_PARTS = "too-many-parts"


class Salvaged(NamedTuple):
    """A record that stands whole behind the torn beginning of another one."""

    record: dict[str, Any]


def values_of(data: bytes) -> Iterator[Any]:
    """The values of a line in order; `Damage` where one can't be read, and `Salvaged` for whole records behind it."""
    if len(data) > SMALL_LINE and sum(map(data.count, (b"[", b"{", b",", b":"))) > MOST_PARTS:
        yield Damage.TOO_MANY_PARTS
        return
    try:
        value = _DECODE(data)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        yield from _one_by_one(data.decode("utf-8", "replace"))
    else:
        yield value


def _one_by_one(text: str) -> Iterator[Any]:
    place = odd = 0
    while place < len(text):
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            yield Damage.BROKEN
            yield from _behind(text, place + 1)
            return
        yield value
        odd += not isinstance(value, dict)
        if odd > _MOST_ODD:
            yield Damage.BROKEN
            return
        gap = _GAP.match(text, end)
        place = gap.end() if gap else end


def _behind(text: str, place: int) -> Iterator[Salvaged]:
    """Whole records behind a torn one: each is followed by another record or by the end, as no part of a record is."""
    work = 8 * len(text)
    while work > 0 and (found := _START.search(text, place)) is not None:
        start = found.start()
        place = start + 1
        end = len(text)
        try:
            value, end = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            if not error.msg.startswith("Unterminated"):
                end = error.pos
        except (ValueError, RecursionError):
            pass
        else:
            rest = _GAP.match(text, end)
            after = rest.end() if rest else end
            if isinstance(value, dict) and "," not in text[end:after] and text[after : after + 1] in ("", "{"):
                yield Salvaged(value)
                place = after
        work -= max(end - start, _WORK_OF_A_TRY)
