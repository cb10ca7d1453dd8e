"""What a statement is as text: normal form, hash, self-contained, time-bound."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thermite_pipelines.atoms.statements import dangling, day_of, digest, is_time_bound, normalize


@given(st.text(max_size=80))
def test_normalizing_twice_changes_nothing(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@given(
    st.text(max_size=40),
    st.sampled_from([" ", "\n", "\t ", "\u3000", "  "]),
    st.sampled_from(["", ".", "!", "。", "…", " . "]),
)
def test_white_space_and_end_marks_do_not_tell_statements_apart(text: str, blank: str, end: str) -> None:
    assert digest(f"{blank}a{blank}{text}b{blank}{end}") == digest(f"a {text}b")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Cache IS shared.", "the cache is shared"),
        ("Stra\u00dfe ist gesperrt", "STRASSE ist gesperrt!"),
        ("caf\u00e9 data", "cafe\u0301 data"),
        ("缓存是共享的。", "缓存是共享的"),
        ("キャッシュは共有です！", "キャッシュは共有です"),
    ],
)
def test_ways_of_writing_one_statement(one: str, other: str) -> None:
    assert digest(one) == digest(other)


def test_a_digest_is_hex_sha256_of_the_normal_form() -> None:
    assert digest("A.") == "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
    assert digest("the cache is shared") != digest("the cache is not shared")


@pytest.mark.parametrize(
    "statement",
    [
        "This is wrong",
        "That works only on staging",
        "It counts paid traffic",
        "These are test rows",
        "They run at night",
        "The above is only true for v2",
        "This one counts everything",
        "He decided to keep it",
        "And it never returns",
        "it's shared",
        "Das ist nur auf Staging so",
        "Es läuft nachts",
        "Sie wird nur einmal erzeugt",
        "C'est faux pour les clients",
        "Ça marche en prod",
        "Elle ne compte que les ventes",
        "Esto es falso",
        "Eso solo pasa en producción",
        "Este es el valor bruto",
        "这是错的",
        "它只在测试环境运行",
        "上面的说法不对",
        "これは本番だけです",
        "それが原因です",
    ],
)
def test_at_26_a_subject_that_points_back_is_dangling(statement: str) -> None:
    assert dangling(statement)


@pytest.mark.parametrize(
    "statement",
    [
        "This column counts all traffic",
        "These rows are test rows",
        "That table is rebuilt each night",
        "The cache is shared",
        "There are two caches",
        "Italics are lost on import",
        "Das System schreibt nachts",
        "Diese Spalte zählt alles",
        "Es gibt zwei Warteschlangen",
        "Ce serveur est lent",
        "Il faut deux clés",
        "Esta columna cuenta todo",
        "El servidor es lento",
        "这个列只统计付费流量",
        "缓存在网关前面",
        "この列は全部を数えます",
        "他のユーザーは見えません",
    ],
)
def test_at_26_a_named_subject_is_not(statement: str) -> None:
    assert not dangling(statement)


@pytest.mark.parametrize(
    "text",
    [
        "The plan costs $5 a seat",
        "Ads cost 400 EUR",
        "We had 12 servers",
        "The contract holds since March 2024",
        "Moved on 2024-05-01",
        "Churn was 4.1%",
        "Yesterday the import failed",
        "In Q3 the price rises",
        "Der Tarif gilt seit 2023",
        "Es waren 31 Anmeldungen",
        "Le prix est de 20 €",
        "La semaine dernière, rien",
        "El mes pasado fueron 8 contactos",
        "上周有三次故障",
        "一共 87 家门店，昨天统计的",
        "先週は5件でした",
        "料金は2万円です",
    ],
)
def test_at_11_prices_dates_and_counts_are_bound_to_their_time(text: str) -> None:
    assert is_time_bound(text)


@pytest.mark.parametrize(
    "text",
    [
        "The cache sits in front of the auth layer",
        "Port 8080 is taken",
        "Python 3.11 is needed",
        "The v2 property differs",
        "An order may be refused",
        "Die Warteschlange ist fair",
        "La caché est partagée",
        "缓存是共享的",
        "キャッシュは共有です",
    ],
)
def test_at_11_what_lasts_is_not(text: str) -> None:
    assert not is_time_bound(text)


def test_a_day_is_that_of_utc() -> None:
    assert day_of(0) == "1970-01-01"
    assert day_of(-1) == "1969-12-31"
    assert day_of(1_709_251_199_999_999) == "2024-02-29"
