import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.rig.importers.words import clean, judge_word, moment, number
from thermite_pipelines.times import parse_rfc3339


@pytest.mark.parametrize(
    ("word", "status", "verdict"),
    [
        ("keep", "improved", "accepted"),
        ("KEEP", "improved", "accepted"),
        (" Kept ", "improved", "accepted"),
        ("discard", "worse", "rejected"),
        ("Reverted", "worse", "rejected"),
        ("revert (wrong features)", "worse", "rejected"),
        ("REVERT (tied)", "no_change", "rejected"),
        ("rolled back", "worse", "rejected"),
        ("crash", "failed", "invalid"),
        ("CRASH: out of memory", "failed", "invalid"),
        ("Timed-out", "failed", "invalid"),
        ("no-op", "no_change", None),
        ("PASS", "no_change", None),
        ("deferred", "skipped", None),
        ("running", None, None),
    ],
)
def test_status_words_in_any_spelling(word: str, status: str | None, verdict: str | None) -> None:
    assert judge_word(word) == (status, verdict)


@pytest.mark.parametrize("word", ["", "HDR", "keepsake", "1.5", "the keep"])
def test_other_words_are_unknown(word: str) -> None:
    assert judge_word(word) is None


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1.5", 1.5),
        ("+0.5", 0.5),
        ("-1e-3", -0.001),
        ("42", 42),
        (" 12 % ", 12),
        ("1,234,567", 1234567),
        ("0,9979", 0.9979),
        (7, 7),
        (2**70, float(2**70)),
        (True, None),
        (None, None),
        ("nan", None),
        ("inf", None),
        ("1e999", None),
        (float("nan"), None),
        ("1_000", None),
        ("17/20 = 85.0%", None),
        ("", None),
    ],
)
def test_numbers_as_people_write_them(cell: object, value: float | None) -> None:
    assert number(cell) == value


@pytest.mark.parametrize(
    ("cell", "time"),
    [
        ("2026-02-01T10:00:00Z", "2026-02-01T10:00:00Z"),
        ("2026-02-01T10:00:00.25+01:00", "2026-02-01T09:00:00.250000Z"),
        ("2026-02-01T10:00:00", "2026-02-01T10:00:00Z"),
        ("2026-02-01 10:00", "2026-02-01T10:00:00Z"),
        ("2026-02-01_10-30", "2026-02-01T10:30:00Z"),
        ("2026-02-01", "2026-02-01T00:00:00Z"),
        ("2026-02-01 10:00:00 +0200", "2026-02-01T08:00:00Z"),
        (1769940000, "2026-02-01T10:00:00Z"),
        (1769940000.5, "2026-02-01T10:00:00.5Z"),
        (1769940000000, "2026-02-01T10:00:00Z"),
        ("1769940000000000", "2026-02-01T10:00:00Z"),
        (1769940000000000000, "2026-02-01T10:00:00Z"),
    ],
)
def test_times_as_logs_write_them(cell: object, time: str) -> None:
    assert moment(cell) == parse_rfc3339(time)


@pytest.mark.parametrize("cell", [None, "", "yesterday", "2026-13-01", "2026-02-30T10:00:00", 12, -5, "9" * 30, True])
def test_what_is_no_time_gives_none(cell: object) -> None:
    assert moment(cell) is None


@given(st.text(alphabet=st.characters()))
def test_clean_text_is_text_that_strict_json_takes(text: str) -> None:
    cleaned = clean(text)
    assert "\0" not in cleaned
    cleaned.encode("utf-8")


@pytest.mark.parametrize(("dirty", "fine"), [("a\0b", "ab"), ("a\ud800b", "a\ufffdb"), ("\ud83d\ude00", "😀")])
def test_nul_goes_and_lone_surrogates_are_replaced(dirty: str, fine: str) -> None:
    assert clean(dirty) == fine
