"""The built-in model: no network, the same bytes always, texts of any kind and many languages."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.network import no_network
from thermite_pipelines.embeddings.embedder import BUILT_IN, LONGEST
from thermite_pipelines.embeddings.local import UniversalSentenceEncoder
from thermite_pipelines.embeddings.thresholds import thresholds_of

MODEL = UniversalSentenceEncoder(thresholds_of(BUILT_IN))
TEXTS = st.text(st.characters(exclude_categories=()), max_size=60)


def test_sy_44_it_works_with_the_network_blocked() -> None:
    with no_network():
        vectors = MODEL.documents([("A longer warm-up", "It lets the peak rate be higher."), ("Edge wells", "")])
    assert (vectors.shape, vectors.dtype) == ((2, MODEL.dimension), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-6)


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_a_text_has_the_same_bytes_whatever_batch_it_is_in(texts: list[str]) -> None:
    together = MODEL.queries(texts)
    backwards = MODEL.queries(texts[::-1])[::-1]
    alone = [MODEL.queries([text])[0] for text in texts]
    assert together.tobytes() == backwards.tobytes() == np.stack(alone).tobytes()
    assert np.isfinite(together).all()


def test_threads_get_the_same_bytes() -> None:
    texts = [f"Node {number} slows down all the others." for number in range(20)]
    wanted, found = MODEL.queries(texts).tobytes(), []
    threads = [threading.Thread(target=lambda: found.append(MODEL.queries(texts).tobytes())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


@pytest.mark.parametrize("text", ["", " \n", "\t"])
def test_a_text_of_nothing_has_a_vector_of_zeros(text: str) -> None:
    assert not MODEL.queries([text]).any()
    assert not MODEL.documents([(text, "")]).any()


def test_no_texts_have_no_vectors() -> None:
    assert MODEL.documents([]).shape == MODEL.queries([]).shape == (0, MODEL.dimension)


def test_what_lies_beyond_the_longest_text_changes_nothing() -> None:
    long = "The warm-up was too short. " * (LONGEST // 20)
    first, second = MODEL.documents([("Title", long), ("Title", long + "Something else.")])
    assert first.tobytes() == second.tobytes()


def test_the_title_and_the_body_both_count() -> None:
    one, other, third = MODEL.documents(
        [("Warm-up", "was longer"), ("Warm-up", "was shorter"), ("Decay", "was longer")]
    )
    assert len({one.tobytes(), other.tobytes(), third.tobytes()}) == 3


@pytest.mark.parametrize(
    "text",
    [
        "Der Speicher wächst mit jedem Schritt.",
        "La memoria crece con cada paso.",
        "La mémoire augmente à chaque étape.",
        "内存每一步都在增长。",
        "メモリはステップごとに増える。",
    ],
)
def test_a_translation_is_nearer_than_what_says_something_else(text: str) -> None:
    said, other = MODEL.documents([("Memory grows with every step.", ""), ("The judge prefers long answers.", "")])
    query = MODEL.queries([text])[0]
    assert query @ said > 0.5 > query @ other
