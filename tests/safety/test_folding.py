"""Folding: what looks the same to a reader becomes the same, and no text makes it fail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.safety.folding import closed_up, decoded, hidden, skeleton, squeeze, squeezed, visible


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("ig\u200bno\u00adre", "ignore"),
        ("ｆｕｌｌ ｗｉｄｔｈ", "full width"),
        ("\u202eleft\u202c", "left"),
        ("a\u2028b\r\nc\x85d", "a\nb\nc\nd"),
        ("\u3164\u115f\u2800", ""),
        ("a\U000e0041\ufe0fb", "ab"),
        ("Größe ½ ﬁne", "Größe 1⁄2 fine"),
        ("日本語 текст", "日本語 текст"),
    ],
)
def test_what_nobody_sees_goes(text: str, seen: str) -> None:
    assert visible(text) == seen


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("іgnоrе", "ignore"),
        ("ΙΟΝ", "ION"),
        ("Ꭵgnoꭱe", "ignore"),
        ("𝐢𝐠𝐧𝐨𝐫𝐞 𝕥𝕙𝕚𝕤", "ignore this"),
        ("🅸🅶🅽🅾🆁🅴", "IGNORE"),
        ("ｉＧｎｏｒｅ", "iGnore"),
        ("ìgñörë", "ignore"),
        ("i\u0336g\u0336n\u0336", "ign"),
        ("a ꓿ b ‹ c ∼ d", "a = b < c ~ d"),
        ("plain ASCII stays; (all) of <it>!", "plain ASCII stays; (all) of <it>!"),
    ],
)
def test_look_alikes_become_what_they_look_like(text: str, like: str) -> None:
    # Which case a boxed letter counts for does not matter: whoever compares, folds it.
    assert skeleton(text).casefold() == like.casefold()


def test_letters_keep_their_case_so_that_keys_stay_keys() -> None:
    assert skeleton("АKІА") == "AKIA"


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("i g n o r e", "ignore"),
        ("i g n o r e  p r e v i o u s", "ignore previous"),
        ("i-g-n-o-r-e i.g.n.o.r.e i_g_n_o_r_e", "ignore ignore ignore"),
        ("h t t p : / / a . b", "http://a.b"),
        ("a b c d", "a b c d"),
        ("plan a or b", "plan a or b"),
    ],
)
def test_words_spelled_out_are_closed_up(text: str, closed: str) -> None:
    assert closed_up(text) == closed


def test_squeezing_keeps_letters_and_where_they_stood() -> None:
    made = squeeze("Th3 r-un")
    assert made.text == squeezed("Th3 r-un") == "therun"
    assert made.at == [0, 1, 2, 4, 6, 7]
    assert [made.begins_word(3), made.begins_word(4), made.ends_word(3), made.ends_word(6)] == [True, True, True, True]
    assert made.between(4, 4) == "-"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("&#105;gnore &lt;a&gt;", "ignore <a>"),
        ("a%3D%3Db", "a==b"),
        ("100 % of R&D", "100 % of R&D"),
        ("%ff%fe", ""),
        (r"\x69\u0067\nnore", "ig nore"),
    ],
)
def test_escapes_are_read(text: str, read: str) -> None:
    assert decoded(text) == read


def test_hidden_text_is_found_and_emoji_are_none() -> None:
    assert hidden("a\U000e0069\U000e0067") == "\U000e0069\U000e0067"
    assert hidden("\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f ❤️ 1️⃣") == ""


@given(st.text())
def test_any_text_can_be_folded_and_folding_again_changes_nothing(text: str) -> None:
    seen = visible(text)
    assert visible(seen) == seen
    made = squeeze(skeleton(text))
    assert len(made.text) == len(made.at)
    assert made.text == squeezed(skeleton(text))
    assert all(char.isalnum() for char in made.text)
