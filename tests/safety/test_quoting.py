"""Quoting: whatever a text holds, it reads back as that text, and no part of it reaches beyond its place."""

import re

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from thermite_pipelines.names import RESERVED
from thermite_pipelines.safety.quoting import SLUG_CHARACTERS, legible, one_line, slug, yaml_value

ANY_TEXT = st.text() | st.text(alphabet="-?:,[]{}#&*!|>'\"%@`~=. \t\n\\yesnoYNtrufal0123456789xeo_+\x85\u2028\ufeff")
LOADERS = [yaml.SafeLoader, *filter(None, [getattr(yaml, "CSafeLoader", None)])]


def read(value: str) -> list[object]:
    return [yaml.load(f"first: {value}\nsecond: x\n", loader) for loader in LOADERS]


@given(ANY_TEXT)
@example("")
@example("a: b")
@example("a #b")
@example("--- ")
@example("\x7f\x00\x1b[31m")
@example("2026-01-01 10:00:00")
@example("\U0001f525 hot")
def test_every_value_reads_back_as_the_same_string_on_one_line(text: str) -> None:
    value = yaml_value(text)
    assert len(value.splitlines()) == 1
    assert read(value) == [{"first": text, "second": "x"}] * len(LOADERS)


NO_TEXT = "yes No on OFF y N true False null NULL ~ = << 1 -1 0x1f 0o17 017 1_000 1e3 1.5 .5 -.inf .NaN 1:30 2026-01-01"
TIMES = "2026-11-29T10:00:00Z|2026-11-29 10:00:00 +1"
MARKED = "| a|a |- a|? a|a:|a: b|a #b|#a|*a|[]|{}|'a'|\"a\"|@a|%a|`a`|!a|&a|>|---|...|a\nb|a\tb|a\u2028b"
BARE = (
    "lower the rate to 3|note:rig-a/run-7/n4|3 seeds gave nothing|-x|http://a.example/b?c=d#e|it's|a, b [c] {d}|größer"
)


@pytest.mark.parametrize("text", [*NO_TEXT.split(), *TIMES.split("|"), *MARKED.split("|"), "|"])
def test_what_a_reader_may_take_for_something_else_is_quoted(text: str) -> None:
    value = yaml_value(text)
    assert value[0] == value[-1] == '"'
    assert read(value) == [{"first": text, "second": "x"}] * len(LOADERS)


@pytest.mark.parametrize("text", [*BARE.split("|"), "yes, it is", "e1", "run-7", "x = 3", "on the way", "trueish"])
def test_what_every_reader_takes_for_text_stands_bare(text: str) -> None:
    assert yaml_value(text) == text


@given(st.text(), st.sampled_from(["note", "research_note"]))
def test_a_slug_is_safe_in_a_file_name_anywhere(text: str, otherwise: str) -> None:
    made = slug(text, otherwise)
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", made)
    assert len(made) <= SLUG_CHARACTERS
    assert f"{made}-{'0' * 16}.md".split(".")[0] not in RESERVED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Warm the Cache!", "warm-the-cache"),
        ("Größe über Café", "große-uber-cafe".replace("ß", "")),
        ("日本語", "note"),
        ("../../etc/passwd", "etc-passwd"),
        ("ﬁne tuning №5", "fine-tuning-no5"),
        ("a" * 500, "a" * SLUG_CHARACTERS),
        (f"{'a' * (SLUG_CHARACTERS - 1)} b", "a" * (SLUG_CHARACTERS - 1)),
    ],
)
def test_slugs_stay_readable(text: str, expected: str) -> None:
    assert slug(text, "note") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain Größe 日本語 👩\u200d🔬 نمی\u200cشود\n\ttab\r\n", None),
        ("a\x1b[31mb\x07\x9b\x85", "a\\x1b[31mb\\x07\\x9b\\x85"),
        ("\u202edesrever\u2069", "\\u202edesrever\\u2069"),
        ("in\u200bvisible\ufeff\U000e0041", "in\\u200bvisible\\ufeff\\U000e0041"),
        ("half \ud83d", "half \\ud83d"),
    ],
)
def test_what_is_not_seen_is_written_out_and_all_else_stays(text: str, expected: str | None) -> None:
    assert legible(text) == (text if expected is None else expected)
    assert legible(legible(text)) == legible(text)


@given(ANY_TEXT | st.text(alphabet='"`“”„＂ˋ｀</!-a \n\u2028\x1b\u202e'))
def test_a_text_on_one_line_ends_neither_its_quotation_nor_the_line(text: str) -> None:
    line = one_line(text)
    assert (line.splitlines() == [line] and line.isprintable()) or max(line) >= "\u200c"
    assert line[0] == line[-1] == '"' and not set(line[1:-1]) & set('"`“”„＂｀')
    assert not re.search("<[/!?A-Za-z]", line)
    assert line.encode()
