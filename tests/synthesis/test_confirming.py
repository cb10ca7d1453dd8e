"""A hypothesis and an observation that say the same, whichever of them came first: one of the two lives on."""

import random

import pytest

from tests.synthesis.likeness import reviewed, seen, vectors
from tests.synthesis.making import fact, name, numbered
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.fold import fold
from thermite_pipelines.synthesis.planning import plan_reflect

SAID = "Longer warmup helps"
GUESS = fact(1, SAID, type="hypothesis", confidence=0.95, sources=4, domain=("warmup",), entities=("AdamW",))
SEEN = fact(2, SAID, confidence=0.8, sources=2, domain=("schedule",))
BESIDE = fact(3, "Batches of 512 run out of memory")
NEAR = vectors({1: [1, 0, 0], 2: [1, 0.01, 0], 3: [0, 0, 1]})


@pytest.mark.parametrize(("first", "second"), [(GUESS, SEEN), (SEEN, GUESS)])
def test_sy_38_a_hypothesis_that_was_observed_is_retracted_and_cited_in_either_order(first: Fact, second: Fact) -> None:
    """A session sees the one that came first; the next session sees both."""
    alone = reviewed([first, BESIDE], NEAR)
    assert list(alone.plan.decisions) == []
    review = reviewed([first, second, BESIDE], NEAR, seen(first, BESIDE))
    base, log = [first, second, BESIDE], numbered(review.plan.decisions)
    for seed in range(4):
        folded = fold(random.Random(seed).sample(base, len(base)), log)
        assert folded.stale == () and list(folded.corpus.live()) == [name(2), name(3)]
        survivor, gone = folded.corpus.read(name(2)), folded.corpus.kept(name(1))
        assert survivor is not None and gone is not None
        assert (survivor.type, survivor.confidence, survivor.sources) == ("observation", 0.8, 2)
        assert name(1) in survivor.refs and set(survivor.domain) == {"warmup", "schedule"}
        assert (gone.fact, gone.superseded_by, gone.retracted_by) == (GUESS, name(2), "decision:sweep/1")
    shown = [one for item in review.plan.items for one, _ in item.inputs]
    assert name(1) not in shown, "what is gone is in no item"
    assert len(review.plan.decisions) == review.plan.counts.merged == 1


def test_sy_38_what_became_of_it_is_looked_back_on() -> None:
    review = reviewed([GUESS, SEEN, BESIDE], NEAR, seen(GUESS, BESIDE))
    corpus = fold([GUESS, SEEN, BESIDE], numbered(review.plan.decisions)).corpus
    [item] = plan_reflect(corpus, seen(GUESS, BESIDE))
    assert f'"path":"{name(1)}","original_type":"hypothesis","action":"confirmed","detail":"{name(2)}"' in item.facts
