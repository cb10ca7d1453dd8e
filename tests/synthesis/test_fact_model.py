"""The rules of facts: types and kinds, origins, bounds, and that what is stored reads back as it was."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis.base_facts import BaseFact, base_fact_of
from thermite_pipelines.synthesis.facts import (
    EPISTEMIC,
    KIND_OF,
    ORIGINS,
    PRAGMATIC,
    RECORD_FIELDS,
    Fact,
    checked,
    words_of,
)
from thermite_pipelines.tables.derived import BASE_FACTS
from thermite_pipelines.tables.parquet import arrange, decode, encode, to_rows

FACT = Fact(fact="c/0123456789ab", type="observation", title="t", body="b")


def test_behaviour_1_a_type_tells_its_kind() -> None:
    assert {KIND_OF[name] for name in EPISTEMIC} == {"epistemic"}
    assert {KIND_OF[name] for name in PRAGMATIC} == {"pragmatic"}
    assert (FACT.kind, FACT.confidence, FACT.sources) == ("epistemic", 0.7, 1)


@pytest.mark.parametrize("type", ["speculation", "Synthesis", "", "epistemic"])
def test_behaviour_2_what_is_no_type_is_refused(type: str) -> None:
    with pytest.raises(ThermiteError, match="is no type of fact"):
        checked(replace(FACT, type=type))


@pytest.mark.parametrize(
    ("field", "value"),
    [("confidence", 1.5), ("confidence", -0.1), ("confidence", float("nan")), ("sources", -1), ("title", " \n")],
)
def test_behaviour_3_out_of_bounds_is_an_error_that_names_the_field(field: str, value: Any) -> None:
    with pytest.raises(ThermiteError, match=field):
        checked(replace(FACT, **{field: value}))


@pytest.mark.parametrize("value", [0, 0.0, 1, 1.0])
def test_behaviour_3_both_ends_are_within(value: float) -> None:
    assert checked(replace(FACT, confidence=value, sources=int(value))).confidence == value


def test_behaviour_4_an_authored_synthesis_stays_authored() -> None:
    for origin in ("authored", "distilled", "discovered"):
        fact = checked(replace(FACT, type="synthesis", origin=origin))
        assert read_back(fact).fact.origin == fact.record()["origin"] == origin


def test_behaviour_5_origins_go_with_their_types_alone() -> None:
    for origin, types in ORIGINS.items():
        for type in KIND_OF:
            fact = replace(FACT, type=type, origin=origin)
            if type in types:
                assert checked(fact) is fact
                continue
            with pytest.raises(ThermiteError, match="origin"):
                checked(fact)
    with pytest.raises(ThermiteError, match="origin"):
        checked(replace(FACT, origin="dreamt"))


def test_behaviour_6_an_evidence_weight_is_no_part_of_what_answerers_see() -> None:
    fact = replace(FACT, evidence_weight=0.42)
    assert tuple(fact.record()) == RECORD_FIELDS
    assert read_back(fact).fact.evidence_weight == 0.42
    assert fact.version == FACT.version


@pytest.mark.parametrize("more", [{"type": "concept"}, {"title": "u"}, {"body": "c"}])
def test_other_words_are_another_first_half_of_the_version(more: dict[str, Any]) -> None:
    version = replace(FACT, **more).version
    assert len(version) == 16 and words_of(version) != words_of(FACT.version)
    assert version.removeprefix(words_of(version)) == FACT.version.removeprefix(words_of(FACT.version))


@pytest.mark.parametrize(
    "more",
    [
        {"domain": ("a",)},
        {"entities": ("a",)},
        {"confidence": 0.8},
        {"sources": 2},
        {"refs": ("https://a.org",)},
        {"type": "synthesis", "origin": "distilled"},
    ],
)
def test_all_else_is_the_second_half_of_the_version(more: dict[str, Any]) -> None:
    plain = replace(FACT, type=more.get("type", FACT.type))
    version = replace(FACT, **more).version
    assert version != plain.version and words_of(version) == words_of(plain.version)


def test_a_whole_number_is_the_confidence_that_it_stands_for() -> None:
    assert replace(FACT, confidence=1).version == replace(FACT, confidence=1.0).version


def read_back(fact: Fact) -> BaseFact:
    base = BaseFact(fact=fact, made_from="0" * 16)
    [row] = to_rows(decode(encode(BASE_FACTS, arrange(BASE_FACTS, [base.row()]))))
    return base_fact_of(row)


_words = st.lists(
    st.sampled_from(["No", "yes", "null", "true", "~", "a: b", "[x]", '"', "-", "http://e.org/?q=v", "", "é"])
)
_text = st.text(st.characters(exclude_categories=["Cs"]))


@given(_words, _words, _words, _text, _text, st.floats(0, 1), st.integers(0, 2**40))
def test_behaviour_7_what_is_stored_reads_back_as_it_was(
    domain: list[str], entities: list[str], refs: list[str], title: str, body: str, confidence: float, sources: int
) -> None:
    lists = {"domain": tuple(domain), "entities": tuple(entities), "refs": tuple(refs)}
    fact = replace(FACT, title=title, body=body, confidence=confidence, sources=sources, created_at=5, **lists)
    back = read_back(fact)
    assert back.fact == fact
    assert back.fact.key == fact.key
