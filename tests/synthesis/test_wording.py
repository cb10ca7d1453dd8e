"""Texts that are nearly alike: which of them say something else."""

import pytest

from tests.synthesis.likeness import THRESHOLDS as LIMITS
from tests.synthesis.making import fact, name
from thermite_pipelines.synthesis import rules
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.merging import agreeing, dedup
from thermite_pipelines.synthesis.neighbours import Nearest
from thermite_pipelines.synthesis.planning import merges
from thermite_pipelines.synthesis.wording import is_denial, is_turned

TURNED = [
    ("AdamW beats Muon on the small model.", "Muon beats AdamW on the small model."),
    ("A larger batch lowers the loss here.", "A smaller batch lowers the loss here."),
    ("Dropout in the encoder helps at the end.", "Dropout in the decoder helps at the end."),
    (
        "Reading is faster from the disk than from the replica.",
        "Reading is faster from the replica than from the disk.",
    ),
    ("Warm-up helps before the cooldown.", "Warm-up helps after the cooldown."),
    ("The cache is always cold after a restart.", "The cache is sometimes cold after a restart."),
    ("Training is stable with loss scaling.", "Training is unstable with loss scaling."),
    ("The kernel is bound by memory bandwidth.", "The kernel is bound by compute."),
    ("大批量更快", "小批量更快"),
    (
        "Staging servers in Oslo lose their mounts whenever the weekly snapshot is taken.",
        "Staging servers in Porto lose their mounts whenever the weekly snapshot is taken.",
    ),
    (
        "Two of four seeds fell over with the long schedule on the tiny corpus.",
        "Three of four seeds fell over with the long schedule on the tiny corpus.",
    ),
    (
        "Gradient clipping pays off only with a window above the median norm of the run.",
        "Gradient clipping pays off only with a window below the median norm of the run.",
    ),
    (
        "Swap grows before the evaluation step and after the checkpoint step.",
        "Swap grows after the evaluation step and before the checkpoint step.",
    ),
]
DENIED = [
    ("La précision monte avec une file plus longue.", "La précision ne monte pas avec une file plus longue."),
    (
        "Die Genauigkeit steigt mit einer längeren Warteschlange deutlich.",
        "Die Genauigkeit steigt mit einer längeren Warteschlange nicht deutlich.",
    ),
    ("La precisión sube con una cola más larga.", "La precisión nunca sube con una cola más larga."),
    ("A precisão sobe com uma fila mais longa.", "A precisão não sobe com uma fila mais longa."),
    ("La precisione sale con una coda più lunga.", "La precisione non sale con una coda più lunga."),
    ("Точность растёт с длинной очередью.", "Точность не растёт с длинной очередью."),
    ("Dokładność rośnie przy dłuższej kolejce.", "Dokładność nie rośnie przy dłuższej kolejce."),
    ("Độ chính xác tăng với hàng đợi dài hơn.", "Độ chính xác không tăng với hàng đợi dài hơn."),
    ("The queue drains with one worker.", "The queue never drains with one worker."),
]
SAID_AGAIN = [
    ("AdamW beats Muon on the small model.", "On the small model, AdamW beats Muon."),
    ("The loss falls when the cache is warm.", "The loss falls when the cache is warm"),
    ("The loader stalls after a restart.", "After a restart, the loader was seen to stall for a while."),
    (
        "A checkpoint every hour costs little time.",
        "Writing a checkpoint each hour takes a small share of the training.",
    ),
    (
        "The cache is cold at first. Reads stall for a second. Nothing else waits.",
        "Nothing else waits. The cache is cold at first. Reads stall for a second.",
    ),
    (
        "Reads stall at 0.5 of the load. The cache is cold. Writers wait.",
        "The cache is cold. Reads stall at 0.5 of the load. Writers wait.",
    ),
    ("更长的预热比更高的学习率更有帮助。", "与更高的学习率相比，更长的预热更有帮助。"),
]


@pytest.mark.parametrize(("one", "other"), TURNED)
def test_a_word_in_place_of_another_or_a_turned_order_says_something_else(one: str, other: str) -> None:
    assert is_turned(one, other) and is_turned(other, one)
    facts = {name(1): fact(1, one, body=one), name(2): fact(2, other, body=other)}
    assert dedup(facts, agreeing(facts, [(name(1), name(2), 0.99)])) == []


@pytest.mark.parametrize(("one", "other"), DENIED)
def test_a_denial_in_any_of_many_languages_says_something_else(one: str, other: str) -> None:
    assert is_denial(one, other) and is_denial(other, one)
    facts = {name(1): fact(1, one, body=one), name(2): fact(2, other, body=other)}
    assert dedup(facts, agreeing(facts, [(name(1), name(2), 0.99)])) == []


@pytest.mark.parametrize(("one", "other"), TURNED + DENIED)
@pytest.mark.parametrize("title", ["", "observation", None])
def test_rules_merge_nothing_that_says_otherwise(one: str, other: str, title: str | None) -> None:
    """Nor where a title repeats what its body says."""
    facts = [fact(number, text if title is None else title, body=text) for number, text in enumerate((one, other))]
    assert rules.prune([one.record() for one in facts]).merges == ()


def test_rules_merge_with_the_first_that_says_the_same_and_not_otherwise() -> None:
    """What is near to a fact that it denies may still say the same as a later one."""
    texts = [
        "A longer dropout schedule helps the small encoder more than another epoch of training does.",
        "A longer warm-up schedule helps the small encoder more than another epoch of training does.",
        "A longer warm-up schedule helps the small encoder more than another epoch of training does!",
    ]
    [merge] = rules.prune([fact(number, text, body=text).record() for number, text in enumerate(texts)]).merges
    assert len(merge.paths) == 2


@pytest.mark.parametrize(("one", "other"), SAID_AGAIN)
def test_other_words_for_a_thing_turn_nothing(one: str, other: str) -> None:
    assert not is_turned(one, other) and not is_turned(other, one)


@pytest.mark.parametrize("number", [2, 3, 10, 32, 300])
def test_facts_that_say_the_same_to_the_letter_become_one_however_many_there_are(number: int) -> None:
    facts = [fact(place, "The cache takes 4 ms when it is cold") for place in range(number)]
    corpus = Corpus(facts)
    [merge] = merges(corpus, Nearest({}), LIMITS, {one.fact for one in facts})
    assert corpus.apply(merge) is None
    [left] = corpus.live().values()
    assert (left.fact, left.sources) == (name(0), number)


def test_what_became_of_facts_is_compared_again() -> None:
    """Four ways of saying one thing, each near to two others, are one in a single session."""
    facts = [
        fact(place, "The loader stalls", body="The loader stalls" + " after each restart" * place) for place in range(4)
    ]
    names = [one.fact for one in facts]
    near = Nearest({one: tuple((other, 0.95) for other in names if other != one) for one in names})
    corpus = Corpus(facts)
    for decision in merges(corpus, near, LIMITS, set(names)):
        assert corpus.apply(decision) is None
    [left] = corpus.live().values()
    assert left.sources == 4
