import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from thermite_pipelines.ledger.strict_json import StrictJsonError, dumps, loads, loads_exactly

GOOD = [
    b"{}",
    b" \t\r\n[1, 2.5, -0, -0.0, 1e5, 1E+5, 1e-999]\n",
    b'"\xf0\x9f\x98\x80 \\ud83d\\ude00 \xef\xbf\xbf \x7f \\/ \\u00e9"',
    b'{"a:b":":::","\\u003a":"\\u003a"}',
    b'["\\\\u0000", "\\\\u003a"]',
    b"[9007199254740991, -9007199254740991]",
    b"[1e308, 9007199254740993.0, 1e22, 5e-324]",
    b"[" * 32 + b"]" * 32,
    b'{"a":' * 32 + b"1" + b"}" * 32,
    b'["' + b"[{" * 100 + b'"]',
    b'["\\"[[", ' + b"[" * 31 + b"]" * 31 + b"]",
    b"null",
]

BAD = {
    "empty": b"",
    "blank": b" ",
    "bom": b"\xef\xbb\xbf{}",
    "utf-16": "{}".encode("utf-16"),
    "beyond a double": b"[1e999]",
    "below a double": b"[-1e999]",
    "just beyond": b"[1.7976931348623159e308]",
    "long with fraction": b"[" + b"9" * 400 + b".0]",
    "NaN": b"[NaN]",
    "Infinity": b"[Infinity]",
    "-Infinity": b"[-Infinity]",
    "raw surrogate": b'["\xed\xa0\x80"]',
    "raw surrogate pair": b'["\xed\xa0\xbd\xed\xb8\x80"]',
    "high surrogate": b'["\\ud800"]',
    "low surrogate": b'["\\udc00"]',
    "high and letter": b'["\\ud83d\\u0041"]',
    "two highs": b'["\\ud83d\\ud83d"]',
    "surrogate in key": b'{"\\ud800":1}',
    "duplicate": b'{"a":1,"a":1}',
    "duplicate nested": b'[[{"x":{"a":1,"b":2,"a":3}}]]',
    "duplicate escaped": b'{"a":1,"\\u0061":2}',
    "duplicate behind an escaped colon": b'{"a":1,"a":"\\u003a"}',
    "duplicate behind an upper-case escape": b'{"a":1,"a":"\\u003A"}',
    "duplicate empty": b'{"":1,"":1}',
    "33 lists": b"[" * 33 + b"]" * 33,
    "33 objects": b'{"a":' * 33 + b"1" + b"}" * 33,
    "33 behind brackets in strings": b'["]]]]",' * 33 + b"1" + b"]" * 33,
    "very deep": b"[" * 100_000 + b"]" * 100_000,
    "very deep, open": b'{"a":' * 100_000,
    "2^53": b"[9007199254740992]",
    "-2^53": b'{"a":-9007199254740992}',
    "2^64": b"[18446744073709551616]",
    "many digits": b"[" + b"9" * 5000 + b"]",
    "big at the top": b"9007199254740992",
    "trailing": b"{} x",
    "two documents": b"{}{}",
    "trailing NUL": b"{}\x00",
    "form feed": b"{}\x0c",
    "no-break space": b"{}\xc2\xa0",
    "not UTF-8": b'["\xff"]',
    "not UTF-8 in key": b'{"\xff":1}',
    "overlong": b'["\xc0\x80"]',
    "beyond Unicode": b'["\xf4\x90\x80\x80"]',
    "control character": b'["\x01"]',
    "line end in string": b'["\n"]',
    "NUL": b'["a\\u0000"]',
    "raw NUL": b'["\x00"]',
    "NUL in key": b'{"\\u0000":1}',
    "leading zero": b"[01]",
    "no fraction": b"[1.]",
    "no integer": b"[.5]",
    "plus": b"[+1]",
    "minus": b"[-]",
    "comma": b"[1,]",
    "comma in object": b'{"a":1,}',
    "comment": b"[1] // x",
    "single quotes": b"['a']",
    "escape": b'["\\x41"]',
    "unfinished": b'["a',
    "unfinished escape": b'["a\\',
    "unfinished surrogate": b'["\\ud8',
    "hex digits": b'["\\u00_1"]',
    "number key": b"{1:2}",
    "Python": b"[True]",
    "other digits": "[\u0663]".encode(),
}


def verdict(load: Any, raw: bytes) -> str | None:
    """The value with all its types, or None where it is refused."""
    try:
        return repr(load(raw))
    except StrictJsonError as error:
        assert error.detail and "\n" not in error.detail and len(error.detail) < 200
        return None


@pytest.mark.parametrize("raw", GOOD)
def test_good_documents(raw: bytes) -> None:
    assert verdict(loads, raw) == verdict(loads_exactly, raw) == repr(json.loads(raw))


@pytest.mark.parametrize("raw", BAD.values(), ids=BAD.keys())
def test_bad_documents(raw: bytes) -> None:
    assert verdict(loads, raw) is None
    assert verdict(loads_exactly, raw) is None


def test_details_name_the_place_and_quote_little() -> None:
    with pytest.raises(StrictJsonError, match=r"^events\[1\]\.at: NUL in a string$"):
        loads(b'{"events":[{},{"at":"\\u0000"}]}')
    with pytest.raises(StrictJsonError, match=f"^duplicate key '{'k' * 39}…'$"):
        loads(b'{"%b":1,"%b":2}' % (b"k" * 9000, b"k" * 9000))
    with pytest.raises(StrictJsonError, match=f"^integer '{'9' * 39}…' is beyond"):
        loads(b"9" * 9000)


numbers = st.one_of(
    st.integers(-(2**54), 2**54).map(str),
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", fullmatch=True),
)


@given(numbers)
@example("0." + "0" * 350 + "1e351")
@example("2.2250738585072011e-308")
@example("179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207e210")
@example("9007199254740993.5")
@example("-0e5")
def test_numbers_mean_the_same_on_both_paths(text: str) -> None:
    raw = b'{"a":[%b]}' % text.encode()
    assert verdict(loads, raw) == verdict(loads_exactly, raw)
    if "." in text or "e" in text.lower():
        expected = float(text)
        assert verdict(loads, raw) == (None if math.isinf(expected) else repr({"a": [expected]}))
    else:
        expected = int(text)
        assert verdict(loads, raw) == (repr({"a": [expected]}) if abs(expected) < 2**53 else None)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('ab:\0é"\\', max_size=3), inner, max_size=4),
    max_leaves=12,
)
FRAGMENTS = rb'{ } [ ] : , " "a" "a": 1 - 0 . e9 \ \u0000 \u003a \ud83d \ude00 null true NaN 1e999'.split()
fragments = st.lists(st.sampled_from([*FRAGMENTS, b" ", b"\xff", b"\xef\xbb\xbf", b"\n"]), max_size=14).map(b"".join)


@given(values, st.booleans())
def test_both_paths_agree_on_documents(value: Any, ascii_only: bool) -> None:
    raw = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert verdict(loads, raw) == verdict(loads_exactly, raw)
    if (text := verdict(loads, raw)) is not None:
        assert text == repr(value) == repr(loads(dumps(value)))


@given(st.one_of(fragments, st.binary(max_size=40)))
def test_both_paths_agree_on_junk(raw: bytes) -> None:
    assert verdict(loads, raw) == verdict(loads_exactly, raw)


@given(values, st.data())
def test_both_paths_agree_on_damaged_documents(value: Any, data: st.DataObject) -> None:
    raw = json.dumps(value).encode()
    at = data.draw(st.integers(0, len(raw)))
    damaged = raw[:at] + data.draw(fragments) + raw[at + data.draw(st.integers(0, 2)) :]
    assert verdict(loads, damaged) == verdict(loads_exactly, damaged)


@given(values, values)
def test_a_duplicate_key_is_never_missed(first: Any, second: Any) -> None:
    raw = b'[{"x":{"k":%b,"k":%b}}]' % (json.dumps(first).encode(), json.dumps(second).encode())
    assert verdict(loads, raw) is None


def test_dumps_is_compact_and_keeps_order() -> None:
    assert dumps({"b": [1, 2.0, 0.1], "a": "é:"}) == '{"b":[1,2.0,0.1],"a":"é:"}'.encode()
