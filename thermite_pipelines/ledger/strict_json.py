"""Strict JSON: the only way that bytes from outside become values.

UTF-8 without BOM, no duplicate keys at any depth, no NaN, Infinity or number beyond a double, integers within
±(2^53-1), at most 32 levels of objects and lists, no unpaired surrogates and no NUL in any string.

There are two paths. The fast one decodes with msgspec and shows with cheap tests that nothing forbidden can be inside.
What it cannot show goes to the exact path over the standard library, which gives the verdict and the detail. The fast
path never refuses by itself and never takes what the exact one refuses.
"""

import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn

import msgspec

MAX_DEPTH = 32
MAX_INTEGER = 2**53 - 1

_DECODER = msgspec.json.Decoder()
_ENCODER = msgspec.json.Encoder()

# A string of JSON, the closing quote optional, so that an unfinished one swallows the rest.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_PLACE = re.compile(r"(.*) - at `\$\.?(.*)`", re.DOTALL)
_ENUM_VALUE = re.compile(r"Invalid enum value '.*'", re.DOTALL)
# NUL and the colon, written as escapes. A pattern finds backslashes several times as fast as `in` finds these words.
_ESCAPED = re.compile(rb"\\u00(?:00|3[aA])")
_FORM = re.compile(r"Expected `str( \| null)?` matching regex .*", re.DOTALL)


class StrictJsonError(ValueError):
    """Bytes that are no strict JSON; `detail` is one line that says why and quotes at most 40 characters of them."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


def loads(raw: bytes) -> Any:
    """The value of one strict JSON document; white space of JSON may stand around it.

    Raises `StrictJsonError`, and nothing else, for anything that breaks a rule.
    """
    try:
        value = _DECODER.decode(raw)
        if is_tame((value,), MAX_DEPTH) and keeps_all(raw, _ENCODER.encode(value)):
            return value
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        pass
    return loads_exactly(raw)


def dumps(value: Any) -> bytes:
    """Compact UTF-8 JSON of a value that `loads` gives: key order kept, floats in their shortest form."""
    return _ENCODER.encode(value)


def keeps_all(raw: bytes, encoded: bytes) -> bool:
    """Whether `raw` surely holds no duplicate key and no NUL, `encoded` being what its decoded value is written as.

    Each key that a decoder drops (the first of two equal ones, or one that a typed decoder does not know) costs at
    least the colon behind it, and an encoder never escapes a colon. So equal counts of colons show that nothing was
    dropped, unless `raw` wrote one as an escape. False means 'ask the exact path', not 'refused'.
    """
    return raw.count(b":") == encoded.count(b":") and _ESCAPED.search(raw) is None


def is_tame(values: Iterable[Any], room: int) -> bool:
    """Whether all integers in `values` are within bounds and nothing nests deeper than `room` levels of containers."""
    for value in values:
        kind = type(value)
        if kind is str:
            continue
        if kind is int:
            if not -MAX_INTEGER <= value <= MAX_INTEGER:
                return False
        elif kind is dict:
            if room <= 0 or not is_tame(value.values(), room - 1):
                return False
        elif kind is list and (room <= 0 or not is_tame(value, room - 1)):
            return False
    return True


def loads_exactly(raw: bytes) -> Any:
    """The same as `loads`, always by the exact path (some ten times slower)."""
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise StrictJsonError(f"not UTF-8 (byte {error.start})") from None
    if text.startswith("\ufeff"):
        raise StrictJsonError("a byte order mark at the beginning")
    _check_depth(raw)
    try:
        value = _EXACT.decode(text)
    except json.JSONDecodeError as error:
        raise StrictJsonError(f"no JSON: {error.msg} (character {error.pos})") from None
    except RecursionError:
        raise StrictJsonError(f"nested deeper than {MAX_DEPTH} levels") from None
    _check_strings(value, "")
    return value


def show(text: str) -> str:
    """At most 40 characters of input, quoted on one line, for a detail."""
    return repr(text if len(text) <= 40 else text[:39] + "…")


def describe(error: msgspec.ValidationError) -> str:
    """One line on a value of the wrong shape, the place first: `events[3].at: Expected str, got int`.

    Quotes no input.
    """
    text = str(error)
    place = ""
    if found := _PLACE.fullmatch(text):
        text, place = found.groups()
    text = _FORM.sub("Has the wrong form", _ENUM_VALUE.sub("Not one of its values", text)).replace("`", "")
    return f"{place}: {text}" if place else text


def _check_depth(raw: bytes) -> None:
    """Refuse nesting before the recursive parser sees it.

    Up to the first thing that is no JSON this scan and the parser agree on where strings begin and end, so the parser
    never goes deeper than the scan counted.
    """
    depth = 0
    for byte in _STRING.sub(b"", raw).translate(None, _NO_BRACKETS):
        if byte in b"[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise StrictJsonError(f"nested deeper than {MAX_DEPTH} levels")
        else:
            depth -= 1


def _check_strings(value: Any, place: str) -> None:
    if isinstance(value, str):
        _check_string(value, place)
    elif isinstance(value, list):
        for index, part in enumerate(value):
            _check_strings(part, f"{place}[{index}]")
    elif isinstance(value, dict):
        for key, part in value.items():
            inner = f"{place}.{key[:40]}" if key.isidentifier() else f"{place}[{show(key)}]"
            _check_string(key, inner)
            _check_strings(part, inner)


def _check_string(text: str, place: str) -> None:
    where = place.lstrip(".") or "document"
    if len(where) > 40:
        where = where[:39] + "…"
    if "\0" in text:
        raise StrictJsonError(f"{where}: NUL in a string")
    if _SURROGATE.search(text):
        raise StrictJsonError(f"{where}: unpaired surrogate in a string")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise StrictJsonError(f"duplicate key {show(key)}")
            seen.add(key)
    return value


def _integer(text: str) -> int:
    # Judged by length first: making an integer of very many digits is slow, and Python refuses to.
    if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
        raise StrictJsonError(f"integer {show(text)} is beyond ±(2^53-1)")
    return int(text)


def _float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise StrictJsonError(f"number {show(text)} is beyond a double")
    return value


def _constant(text: str) -> NoReturn:
    raise StrictJsonError(f"no JSON: {text}")


_EXACT = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant, strict=True
)
