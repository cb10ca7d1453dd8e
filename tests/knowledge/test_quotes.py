import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.knowledge.quotes import Archive, normalise

PAGE = "Warm caches\n  cut the first\u00a0query from 41 ms to 9 ms.\tCafe\u0301 menus stay cold."
OTHER = "Cold caches cost 41 ms."


def archive(**texts: str) -> Archive:
    return Archive(texts.get)


@pytest.mark.parametrize(
    "quote",
    [
        "cut the first query from 41 ms to 9 ms.",
        PAGE,
        "  Warm \r\n\r\n caches\u2003cut  ",
        "ut the fir",
        "Café menus",
        "Cafe\u0301 menus",
    ],
)
def test_kb_22_exact_quotes_are_verified(quote: str) -> None:
    assert archive(s1=PAGE).verifies("s1", quote)


@pytest.mark.parametrize(
    "quote",
    [
        "cut the second query from 41 ms to 9 ms.",  # a word
        "cut the first query from 42 ms to 9 ms.",  # a number
        "Cold caches cost 41 ms.",  # another source
        "Cut the first query",  # case
        "cut the first query from 41ms",  # a lost space
        "cut the first query … 9 ms.",  # left out words
        "Cafe menus",  # a lost accent
        "“cut the first query”",  # quotation marks
        "",
        " \n\u3000",
    ],
)
def test_kb_22_nothing_else_is_forgiven(quote: str) -> None:
    assert not archive(s1=PAGE, s2=OTHER).verifies("s1", quote)


def test_kb_22_a_quote_counts_for_its_own_source_alone() -> None:
    texts = archive(s1=PAGE, s2=OTHER)
    assert texts.verifies("s2", OTHER)
    assert not texts.verifies("s1", OTHER)
    assert not texts.verifies("s3", OTHER)


@given(st.text(max_size=60), st.integers(0, 60), st.integers(1, 60))
def test_any_cut_between_words_is_verified(text: str, start: int, length: int) -> None:
    words = unicodedata.normalize("NFC", text).split()
    quote = "\n".join(words[start : start + length])
    # Joining by another white space never matters; a cut may only be unverified where it is empty.
    assert archive(s=text).verifies("s", quote) == bool(quote)


@given(st.text(max_size=60))
def test_the_compared_form_is_stable(text: str) -> None:
    form = normalise(text)
    assert normalise(form) == form == normalise(unicodedata.normalize("NFD", text))
    assert form == form.strip() and "  " not in form


def test_a_text_is_asked_for_once_and_one_that_is_not_there_again() -> None:
    asked: list[str] = []
    texts: dict[str, str] = {}

    def text_of(source: str) -> str | None:
        asked.append(source)
        return texts.get(source)

    kept = Archive(text_of)
    assert not kept.verifies("s1", "Warm")
    texts["s1"] = PAGE
    assert kept.verifies("s1", "Warm") and kept.verifies("s1", "caches")
    assert asked == ["s1", "s1"]


def test_an_archive_keeps_no_more_than_its_limit() -> None:
    asked: list[str] = []

    def text_of(source: str) -> str:
        asked.append(source)
        return f"text of {source}, and more"

    kept = Archive(text_of, limit=40)  # room for two
    for source in ("a", "b", "a", "c", "a", "b"):
        assert kept.verifies(source, f"text of {source}")
    assert asked == ["a", "b", "c", "b"]
    assert Archive(text_of, limit=1).verifies("a", "text of a")
