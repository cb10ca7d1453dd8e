"""What an atom weighs for a reader, how sure it is, and what an instinct shows."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.atoms import atom_row, correction_row
from thermite_pipelines.knowledge.atom_reading import (
    DEFAULT_WEIGHTS,
    INSTINCT_LABEL,
    Weights,
    confidence,
    day_start,
    instinct,
    is_dated,
    is_shown,
    written_by,
)
from thermite_pipelines.settings import SOURCE_WEIGHTS, TYPE_WEIGHTS, Settings

SECOND = 1_000_000
DAYS_14 = 14 * 24 * 3600 * SECOND


def own(**changes: Any) -> dict[str, Any]:
    return atom_row("caches are warm") | changes | {"campaign": "a"}


@pytest.mark.parametrize("type", list(TYPE_WEIGHTS))
@pytest.mark.parametrize(
    ("source", "reader", "by_source"),
    [
        ("campaign", "a", 1.3),
        ("campaign", "b", 1.0),
        ("campaign", None, 1.0),
        ("person:ann", "a", 1.2),
        ("person:ann", "b", 1.2),
        ("company", "a", 1.0),
    ],
)
def test_at_15_both_factors_combine_by_product(type: str, source: str, reader: str | None, by_source: float) -> None:
    found = DEFAULT_WEIGHTS.weight(own(type=type, source=source), reader)
    assert found == pytest.approx(TYPE_WEIGHTS[type] * by_source, abs=1e-9)


def test_at_38_every_weight_is_a_setting() -> None:
    changed = Settings(atom_type_weights="correction=2", atom_source_weights="person=3", atom_weight=0.5)
    weights = Weights.of(changed)
    assert weights.weight(own(type="correction", source="person:ann"), "a") == pytest.approx(3.0)
    assert weights.weight(own(), "a") == pytest.approx(0.65)
    assert not weights.are_default


def test_weights_that_are_the_same_have_one_digest_however_they_were_set() -> None:
    default = Weights.of(Settings())
    assert default.are_default
    assert Weights.of(Settings(atom_type_weights="finding=1.0,correction=1.15", atom_weight=1)).digest == default.digest
    differing = [
        {"atom_threshold": 0.1},
        {"atom_weight": 1.1},
        {"atom_type_weights": "gestalt=1.2"},
        {"atom_source_weights": "company=1.2"},
    ]
    digests = {Weights.of(Settings(**values)).digest for values in differing}
    assert len(digests | {default.digest}) == 5
    assert Weights(dict(reversed(TYPE_WEIGHTS.items())), SOURCE_WEIGHTS).digest == default.digest


def test_at_11_fourteen_days_to_the_second_are_stated_and_one_more_is_inferred() -> None:
    start = day_start("2026-11-20")
    atom = own(time_bound=True)
    assert confidence(atom, start + DAYS_14) == "stated"
    assert not is_dated(atom, start + DAYS_14)
    assert confidence(atom, start + DAYS_14 + SECOND) == "inferred"
    assert is_dated(atom, start + DAYS_14 + SECOND)
    assert not is_dated(own(time_bound=False), start + DAYS_14 + SECOND)


def test_at_31_what_was_superseded_is_not_shown() -> None:
    assert is_shown(own())
    assert not is_shown(own(superseded_by="atom:a/00"))


def test_the_writer_is_the_person_that_the_source_names() -> None:
    assert [written_by(own(source=source)) for source in ("campaign", "company", "person:ann")] == [
        "owner",
        "owner",
        "ann",
    ]


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("We chose Parquet because it is read by all. Next.", "because it is read by all"),
        ("The reason we chose SQLite is that it is one file!", "The reason we chose SQLite is that it is one file"),
        ("Wir nehmen Parquet, weil alle es lesen. Gut", "weil alle es lesen"),
        ("On garde ça parce que tout le monde le lit.", "parce que tout le monde le lit"),
        ("Usamos esto porque todos lo leen.", "porque todos lo leen"),
        ("我们用它,因为大家都能读。好", "因为大家都能读"),
        ("We chose Parquet.", "none stated"),
    ],
)
def test_a_reason_is_the_persons_own_where_there_is_one(quote: str, reason: str) -> None:
    assert instinct(own(type="decision", verbatim_quote=quote, statement="Parquet is the format"))["reason"] == reason


def test_at_03_an_instinct_of_a_correction_gives_why_one_is_confused() -> None:
    view = instinct(correction_row("Column c counts ads alone", conditions="only on staging"))
    assert view["situation"] == "web-metrics; conditions: only on staging"
    assert view["lean"] == "Column c counts ads alone"
    assert view["reason"] == "its name does not say which traffic it counts"
    assert (view["source"]["session"], view["source"]["message"]) == ("s1", "0")
    assert view["label"] == INSTINCT_LABEL == "to weigh, not a rule to obey"


@given(
    st.sampled_from(list(TYPE_WEIGHTS)),
    st.none() | st.text(),
    st.lists(st.text(min_size=1)),
    st.none() | st.text(),
)
def test_at_03_no_field_of_an_instinct_is_ever_empty(
    type: str, quote: str | None, domain: list[str], why: str | None
) -> None:
    view = instinct(own(type=type, verbatim_quote=quote, domain=domain, why_confused=why))
    assert all(view[name] for name in ("situation", "lean", "reason", "source", "label"))
