"""Credentials over several lines go whole; lists, paths and prose over several lines stay."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.growth import assert_in_proportion
from thermite_pipelines.safety.redaction import MARK, redact_text

KEYS = [
    "ghp_" + "a1B2" * 9,
    "sk-proj-" + "Xy7Q" * 10,
    "AKIA" + "J3K5M7P9" * 2,
    "eyJhbGciOiJIUzI1NiIs.eyJzdWIiOiIxMjM0NTY3.SflKxwRJSMeKKF2QT4fw",
    "Zq3" * 20 + "==",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("end", ["\n", "\r\n", " \n  ", "\\\n", "\u2028"])
def test_hl_19_a_key_broken_anywhere_goes_whole(key: str, end: str) -> None:
    for place in range(9, len(key) - 6):
        clean = redact_text(f"curl said {key[:place]}{end}{key[place:]}, twice")
        assert clean == f"curl said {MARK}, twice", place


def test_hl_19_a_key_over_many_lines_goes_whole() -> None:
    key = "ghp_" + "a1B2" * 9
    lines = "\n    ".join(key[place : place + 8] for place in range(0, len(key), 8))
    assert (
        redact_text(f"Authorization: Bearer\n    {lines}\nwas refused")
        == f"Authorization: Bearer\n    {MARK}\nwas refused"
    )


STAYS = [
    "src/train/run.py\nsrc/train/model.py\ntests/test_run.py",
    "3f786850e387550fdab836ed7e6dc881de23001b\n89e6c98d92887913cadf06b2adb97f26cde4849b",
    "run-17\nrun-18\nclimb-3\nv1.2.3\nlane-1\ngpu0",
    "The first line ends here\nand the second goes on, as prose does:\nstep_100=0.31\nstep_200=0.28",
    "warm-up\nof-everything\nhere-and-there",
    "npm-install\nof-everything-here",
]


@pytest.mark.parametrize("text", STAYS)
def test_ordinary_lines_stay(text: str) -> None:
    assert redact_text(text) == text


@given(st.text(alphabet="ab1B-_.= \\\n\r\t", max_size=200))
def test_text_without_a_key_keeps_its_lines(text: str) -> None:
    clean = redact_text(text)
    if MARK not in clean:
        assert clean == text


@pytest.mark.parametrize(
    "text",
    [
        lambda size: "aB3\n" * (size // 4),
        lambda size: "a" + " " * size + "b",
        lambda size: "a" + "\t" * (size // 2) + "\\" + " " * (size // 2) + "x",
        lambda size: "a\\\n" * (size // 4),
    ],
    ids=range(4),
)
def test_any_text_takes_time_as_it_is_long(text: Callable[[int], str]) -> None:
    assert_in_proportion(redact_text, text, 80_000)
