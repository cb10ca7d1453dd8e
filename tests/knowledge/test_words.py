"""Tokens of any script, and scores that count the texts that may be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.knowledge.words import Corpus, Terms, fold, tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Warm-up of utm_source: 41 ms", ["warm", "up", "of", "utm", "source", "41", "ms"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("ＡＢＣ１", ["abc1"]),
        ("缓存很热", ["缓存", "存很", "很热"]),
        ("キャッシュ warm", ["キャ", "ャッ", "ッシ", "シュ", "warm"]),
        ("ｷｬｯｼｭ", ["キャ", "ャッ", "ッシ", "シュ"]),
        ("캐시가 따뜻", ["캐시", "시가", "따뜻"]),
        ("热, cache热x", ["热", "cache", "热", "x"]),
        ("उच्च गति_x", ["उच्च", "गति", "x"]),
        ("مُعَدَّل معدل", ["معدل", "معدل"]),
        ("שָׁלוֹם", ["שלום"]),
        ("İSTANBUL", ["istanbul"]),
        ("เครื่อง warm", ["เค", "ครื่", "รื่อ", "อง", "warm"]),
        ("…!", []),
    ],
)
def test_tokens_of_every_script(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@given(st.text())
def test_folding_twice_changes_nothing_and_tokens_are_of_the_folded_form(text: str) -> None:
    assert tokens(fold(text)) == tokens(text)


@given(st.text(alphabet="ab 热存c\u00e4", min_size=1))
def test_a_text_holds_each_of_its_own_terms(text: str) -> None:
    terms = Terms(text)
    length, counts = terms.count(text)
    assert bool(terms) == bool(tokens(text))
    if terms:
        assert counts is not None and all(counts) and length == len(tokens(text))


def test_a_word_of_a_script_without_blanks_is_found_within_others() -> None:
    for text, word in (("การอุ่นเครื่องอัตรา", "เครื่อง"), ("ការកំដៅម៉ាស៊ីន", "កំដៅ"), ("学习率的预热", "预热")):
        counts = Terms(word).count(text)[1]
        assert counts is not None and all(counts), word


def test_two_words_with_a_hyphen_are_found_by_those_who_join_them() -> None:
    assert Terms("warmup").count("A longer warm-up helps")[1] == (1,)
    assert Terms("warm-up").count("A longer warm-up helps") == (5, (1, 1))
    for text in ("2026-11", "a-b", "one-two-three", "_warm-up_"):
        assert Terms(text.replace("-", "").replace("_", "")).count(text)[1] is None, text


def test_words_that_only_hold_a_sentence_together_are_not_looked_for() -> None:
    assert [term.word for term in Terms("Is the cache of it warm?").terms] == ["cache", "warm"]
    assert [term.word for term in Terms("the").terms] == ["the"]
    assert not Terms("…")


def test_an_english_plural_counts_as_its_singular_and_the_other_way_round() -> None:
    assert Terms("columns").count("one column, two columns")[1] == (2,)
    assert Terms("column").count("one column, two columns")[1] == (2,)
    assert Terms("class").count("clas")[1] is None


def test_a_single_character_counts_wherever_it_stands() -> None:
    assert Terms("猫").count("黒い猫がいる猫")[1] == (2,)


def test_what_matched_is_told_in_words_of_the_question() -> None:
    terms = Terms("缓存很热 cold caches")
    _, counts = terms.count("the cache: 缓存")
    assert counts is not None and terms.matched(counts) == ["缓存很热", "caches"]


def test_a_rare_word_a_short_text_and_more_of_a_word_score_higher() -> None:
    corpus = Corpus(2)
    for length, counts in [(5, (1, 0)), (5, (1, 0)), (5, (1, 1)), (50, None)]:
        corpus.add(length, counts)
    assert corpus.score(5, (0, 1)) > corpus.score(5, (1, 0)) > corpus.score(50, (1, 0)) > 0
    assert corpus.score(5, (2, 0)) > corpus.score(5, (1, 0))
