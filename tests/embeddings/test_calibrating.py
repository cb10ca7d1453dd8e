"""Distributions and thresholds: those that ship come out again, and other models get the same by the share below."""

import json
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from thermite_pipelines.embeddings.calibration import (
    LEAST_FLOOR,
    Calibrated,
    Distribution,
    calibrate,
    carried_over,
    cuts,
)
from thermite_pipelines.embeddings.corpus import Pair, Sample, built_in, copy_step, labelled_pairs, samples
from thermite_pipelines.embeddings.embedder import BUILT_IN
from thermite_pipelines.embeddings.local import UniversalSentenceEncoder
from thermite_pipelines.embeddings.thresholds import Thresholds, shipped, thresholds_of
from thermite_pipelines.errors import ThermiteError


class Remembering(UniversalSentenceEncoder):
    """The built-in model, asked only once for a text."""

    def __init__(self) -> None:
        super().__init__(thresholds_of(BUILT_IN))
        self._known: dict[str, NDArray[np.float32]] = {}

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        for text in texts:
            if text not in self._known:
                self._known[text] = super().queries([text])[0]
        return np.stack([self._known[text] for text in texts])


MODEL = Remembering()


@pytest.fixture(scope="module")
def found() -> Calibrated:
    return calibrate(MODEL, MODEL, built_in(), labelled_pairs())


def test_the_distributions_that_ship_come_out_again(found: Calibrated) -> None:
    held, again = shipped()[BUILT_IN], found.held()
    assert {name: again[name] for name in ("model", "dimension", "facts", "pairs", "thresholds")} == {
        name: held[name] for name in ("model", "dimension", "facts", "pairs", "thresholds")
    }
    assert set(again["distributions"]) == set(held["distributions"])
    for name, one in again["distributions"].items():
        assert one["count"] == held["distributions"][name]["count"]
        # Other processors add up in another order: only the last digits may differ.
        assert one["percentiles"] == pytest.approx(held["distributions"][name]["percentiles"], abs=2e-3)


def test_dedup_lies_where_different_facts_end_and_near_copies_begin(found: Calibrated) -> None:
    rule = found.sanity
    assert rule.ok
    assert rule.doc_doc_same_p99 < found.thresholds.dedup < rule.near_dup_p5
    assert found.thresholds.reflect_novelty < found.thresholds.dedup


def test_the_labelled_pairs_bear_the_thresholds_out(found: Calibrated) -> None:
    by = {cut.threshold: cut for cut in found.cuts}
    dedup, novelty = by[found.thresholds.dedup], by[found.thresholds.reflect_novelty]
    assert dedup.recall >= 0.6 and (dedup.precision or 0) >= 0.85
    assert novelty.recall >= 0.9 and novelty.recall > dedup.recall


class Squeezed:
    """The built-in model with all cosines moved towards 1, in the same order."""

    name = "squeezed"
    dimension = MODEL.dimension + 1
    thresholds = Thresholds(0.5, 0.5, 0.5, 0.5, 0.5, 0.5)

    def _longer(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.hstack([vectors, np.ones((len(vectors), 1), np.float32)]) / np.float32(np.sqrt(2))

    def documents(self, texts: list[tuple[str, str]]) -> NDArray[np.float32]:
        return self._longer(MODEL.documents(texts))

    def queries(self, texts: list[str]) -> NDArray[np.float32]:
        return self._longer(MODEL.queries(texts))


def test_another_model_gets_thresholds_with_the_same_shares_below(found: Calibrated) -> None:
    squeezed = calibrate(Squeezed(), MODEL, built_in(), labelled_pairs())  # pyright: ignore[reportArgumentType]
    wanted = {name: (1 + value) / 2 for name, value in asdict(found.thresholds).items()}
    assert asdict(squeezed.thresholds) == pytest.approx(wanted, abs=0.011)
    assert squeezed.sanity.ok
    for one, other in zip(found.cuts, squeezed.cuts, strict=False):
        assert one.threshold == other.threshold or one.threshold > 0.5


def _by_it_alone(one: Distribution) -> dict[str, Distribution]:
    return {"same_pairs": one, "doc_doc_all": one, "query_doc": one}


COSINES = st.lists(st.floats(-1, 1), min_size=1, max_size=200)


@given(COSINES)
def test_carrying_over_to_itself_changes_nothing_within_the_corpus(cosines: list[float]) -> None:
    same = Distribution.of(np.array(cosines))
    low, high = same.percentiles[0], same.percentiles[100]
    within = round(min(max(0.4, low), high), 4)
    thresholds = Thresholds(within, within, within, within, within, within)
    spread = _by_it_alone(same)
    again = carried_over(thresholds, spread, spread)
    # Thresholds have two digits, and so has the share of the corpus that lies below.
    assert again.dedup == pytest.approx(within, abs=0.0101)
    assert again.search_floor == pytest.approx(max(LEAST_FLOOR, within), abs=0.0101)


@given(COSINES, st.floats(-1, 1))
def test_a_share_below_is_between_nothing_and_all_and_grows(cosines: list[float], cosine: float) -> None:
    spread = Distribution.of(np.array(cosines))
    assert 0 <= spread.below(cosine) <= 100
    assert spread.below(cosine) <= spread.below(1)
    assert spread.below(1) == 100 if max(cosines) < 0.9999 else True
    assert spread.at(0) == pytest.approx(min(cosines), abs=1e-4) and spread.at(100) == pytest.approx(
        max(cosines), abs=1e-4
    )


def test_a_floor_near_zero_is_raised() -> None:
    low = Distribution.of(np.linspace(-0.5, 0.5, 101))
    old = Distribution.of(np.linspace(0, 1, 101))
    carried = carried_over(Thresholds(0.9, 0.8, 0.6, 0.2, 0.7, 0.5), _by_it_alone(old), _by_it_alone(low))
    assert (carried.search_floor, carried.dedup, carried.similar_to) == (LEAST_FLOOR, 0.4, 0.1)


def test_near_copies_lack_each_third_sentence_or_the_last_quarter() -> None:
    body = "One is so. Two is so! Three is so? Four is so. Five is so. Six is so."
    assert Sample("T", body).shortened().body == "One is so. Two is so! Four is so. Five is so."
    assert Sample("T", "一。二。三。").shortened().body == "一。 二。"
    assert Sample("T", "x" * 44 + ". Y").shortened().body == "x" * 35
    assert Sample("T", "Short one. And two.").shortened().body == "Short one. And two."


@pytest.mark.parametrize(("facts", "step"), [(10, 1), (79, 1), (80, 2), (280, 7), (10_000, 7)])
def test_each_seventh_fact_is_copied_of_few_facts_more(facts: int, step: int) -> None:
    assert copy_step(facts) == step


def test_pairs_that_only_words_tell_apart_are_counted_by_themselves() -> None:
    pairs = [
        Pair("a", "b", True, "paraphrase", "en"),
        Pair("a", "b", True, "paraphrase", "en"),
        Pair("a", "b", False, "negation", "en"),
        Pair("a", "b", False, "topic", "en"),
    ]
    low, high, above_all = cuts(pairs, np.array([0.9, 0.7, 0.95, 0.8]), [0.6, 0.85, 0.99])
    assert (low.recall, low.precision, low.merged_wrongly, low.beyond) == (1.0, pytest.approx(2 / 3), 1, 1)
    assert (high.recall, high.precision, high.merged_wrongly, high.beyond) == (0.5, 1.0, 0, 1)
    assert (above_all.recall, above_all.precision) == (0.0, None)


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        "{}",
        '{"title": "t"}',
        '{"title": " ", "body": "b"}',
        '{"title": 1, "body": "b"}',
        '{"title": "t", "body": "b", "domain": "d"}',
        '{"title": "t", "body": "b", "domain": [1]}',
    ],
)
def test_a_line_that_holds_no_fact_is_named(line: str) -> None:
    good = json.dumps({"title": "t", "body": "b"})
    with pytest.raises(ThermiteError, match=r"facts\.jsonl:2: no fact"):
        samples([good, line], "facts.jsonl")


def test_too_few_facts_are_an_error() -> None:
    with pytest.raises(ThermiteError, match="1 facts are too few"):
        samples([json.dumps({"title": "t", "body": "b"}), ""], "facts.jsonl")
