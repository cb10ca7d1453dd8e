"""The rules answerer: what it merges and leaves apart, and how it distills; the same in any order."""

import random
import time
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.synthesis.histories import base_facts
from tests.synthesis.making import answered, fact, name
from thermite_pipelines.learnings.sameness import same
from thermite_pipelines.synthesis import rules
from thermite_pipelines.synthesis.answers import ANSWERS
from thermite_pipelines.synthesis.extraction import text_of
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.numbers import names_of, numbers_of
from thermite_pipelines.synthesis.work import Counts

WARMUP = "Longer warmup lowers the final validation loss of small models"


def records(*facts: Fact) -> list[dict[str, Any]]:
    return [one.record() for one in facts]


def merged(*texts: str, **more: Any) -> bool:
    """Whether observations with these texts become one."""
    facts = [fact(number, text, body="", **more) for number, text in enumerate(texts, 1)]
    return bool(rules.prune(records(*facts)).merges)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (WARMUP, f"{WARMUP}."),
        (WARMUP, "The final validation loss of small models: longer warmup lowers it"),
        (f"{WARMUP} by 0.02", f"{WARMUP}, by 0.020"),
        ("学習率を下げると損失が下がる", "学習率を下げると、損失が下がる。"),
    ],
)
def test_what_says_the_same_and_agrees_in_numbers_is_merged(one: str, other: str) -> None:
    assert merged(one, other) and merged(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (WARMUP, "A cosine schedule beats a linear one on long runs"),
        (WARMUP, WARMUP.replace("lowers", "never lowers")),
        (f"{WARMUP} by 0.02", f"{WARMUP} by 0.03"),
        (f"{WARMUP} by 0.02", WARMUP),
        (f"{WARMUP} by 2%", f"{WARMUP} by -2%"),
        (f"{WARMUP} from 0.4 to 0.3", f"{WARMUP} from 0.3 to 0.4"),
        ("Version 1.2.3 of the loader drops the last batch", "Version 1.2.4 of the loader drops the last batch"),
        ("The run on gpt4 ended with a lower loss than all", "The run on gpt5 ended with a lower loss than all"),
        # One pattern, filled in for two things: nearly all words are the same.
        (
            "treatment 'olaparib' is named without any source that the registry of approvals knows",
            "treatment 'niraparib' is named without any source that the registry of approvals knows",
        ),
        ("The gate of RoPE heads opens late in long runs", "The gate of ALiBi heads opens late in long runs"),
        ("column val_loss is empty for the last ten steps", "column train_loss is empty for the last ten steps"),
    ],
)
def test_what_differs_in_words_numbers_or_names_is_left_apart(one: str, other: str) -> None:
    assert not merged(one, other) and not merged(other, one)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("lr 3e-4 and 0.0003, or .5", ("0.0003", "0.0003", "5")),
        ("1,234,567 of 1234567.0", ("1234567", "1234567")),
        ("from -0.5 to 0.50, steps 3-5", ("-0.5", "0.5", "3", "5")),
        ("v2 on 10.0.0.1 at 2026-11-30", ("2", "10.0.0.1", "2026", "11", "30")),
        ("0, 0.0 and -0", ("0", "0", "0")),
        ("٣ and ３", ("3", "3")),
        ("none", ()),
        ("1e999999999", ("1E+999999999",)),
        (f"{10**40 + 1}", (f"{10**40 + 1}",)),
    ],
)
def test_numbers_in_one_spelling(text: str, found: tuple[str, ...]) -> None:
    assert numbers_of(text) == found


def test_names_in_a_text() -> None:
    text = "It isn't `Foo bar` but 'x-y', MLP, val_loss, GPT2 and \"z\"; don't, Warmup"
    assert names_of(text) == {"foo bar", "x-y", "mlp", "val_loss", "gpt2", "z"}


@given(st.text(max_size=60))
def test_numbers_and_names_of_any_text(text: str) -> None:
    assert numbers_of(text) == numbers_of(text) and all(numbers_of(text))
    assert all(name == name.casefold().strip() for name in names_of(text))


def test_the_best_stays_and_takes_over_what_the_others_have() -> None:
    facts = [
        fact(1, WARMUP, domain=("a",), entities=("LR",)),
        fact(2, f"{WARMUP}!", confidence=0.9, sources=2, domain=("b",)),
        fact(3, WARMUP, type="hypothesis", confidence=1.0, entities=("lr", "loss")),
        fact(4, "Something else entirely is told by this one"),
    ]
    answer = rules.prune(records(*facts))
    [merge] = answer.merges
    assert merge.paths == (name(2), name(1), name(3)) and merge.merged.path == name(2)
    assert [(one.path, one.action) for one in answer.decisions] == [(name(4), "keep")]
    applied, corpus = answered("prune", facts, answer)
    survivor = corpus.read(name(2))
    assert survivor is not None and applied.counts == Counts(merged=1)
    assert (survivor.title, survivor.sources, survivor.confidence) == (f"{WARMUP}!", 3, 0.9)
    assert survivor.domain == ("b", "a") and survivor.entities == ("LR", "loss")
    assert set(survivor.refs) == {name(1), name(3)}


def test_hypotheses_confirm_nothing_and_derived_facts_are_kept() -> None:
    assert not merged(WARMUP, WARMUP, type="hypothesis")
    assert not merged(WARMUP, WARMUP, type="synthesis")
    facts = [fact(1, WARMUP), fact(2, WARMUP, type="synthesis"), fact(3, WARMUP, type="methodology")]
    assert not rules.prune(records(*facts)).merges


def test_facts_are_compared_with_the_best_of_each_kind_never_along_a_chain() -> None:
    words = [f"word{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    chain = [" ".join(words[start : start + 12]) for start in range(8)]
    facts = [fact(number, text, body="", confidence=1 - number / 100) for number, text in enumerate(chain)]
    texts = {one.fact: text_of(one.record()) for one in facts}
    for merge in rules.prune(records(*facts)).merges:
        assert all(same(texts[merge.paths[0]], texts[path]) for path in merge.paths)


RELATED = [
    fact(1, "Warmup of 500 steps lowers validation loss", body="Seen in three sweeps.", domain=("warmup", "loss")),
    fact(2, "Warmup beyond 2000 steps no longer lowers validation loss", confidence=0.4, domain=("warmup",)),
    fact(3, "Warmup lowers validation loss more with AdamW", entities=("AdamW",), domain=("optimizer",)),
    fact(4, "The tokenizer drops emoji sequences silently"),
]


def test_sy_20_a_synthesis_quotes_what_it_cites_and_retracts_nothing() -> None:
    answer = rules.distill(records(*RELATED))
    [new] = answer.synthesize
    assert new.refs == (name(1), name(2), name(3)) and answer.retract == ()
    assert all(one.title in new.body for one in RELATED[:3]) and RELATED[3].title not in new.body
    assert new.title.startswith("3 related facts: ") and new.domain == ("warmup",) and new.confidence == 0.4
    applied, corpus = answered("distill", RELATED, answer)
    assert applied.counts == Counts(synthesized=1) and not applied.warnings
    assert len(corpus.live()) == 5


def test_unrelated_facts_and_hypotheses_give_no_synthesis() -> None:
    guesses = [msgspec.structs.replace(one, type="hypothesis") for one in RELATED]
    for facts in ([RELATED[0], RELATED[3]], RELATED[:1], [], guesses):
        assert rules.distill(records(*facts)).synthesize == ()


def test_syntheses_are_told_together_without_growing() -> None:
    facts = RELATED[:3]
    for depth in range(4):
        new = rules.distill(records(*facts)).synthesize
        assert len(new) == 1 and new[0].title.count("related facts") == 1 and len(new[0].body) < 1_000
        facts = [fact(10 * depth + n, new[0].title, body=new[0].body, type="synthesis") for n in (20, 21)]


def test_a_synthesis_and_its_source_are_never_told_together() -> None:
    [new] = rules.distill(records(*RELATED)).synthesize
    derived = fact(9, new.title, body=new.body, type="synthesis")
    assert [one.refs for one in rules.distill(records(*RELATED, derived)).synthesize] == [new.refs]


def test_a_quote_is_cut_at_a_word_and_a_synthesis_holds_eight_facts() -> None:
    long = " ".join(["validation loss warmup schedule"] * 60)
    facts = [fact(number, f"Sweep {number} with {long[:100]}", body=long) for number in range(1, 12)]
    new = rules.distill(records(*facts)).synthesize
    assert [len(one.refs) for one in new] == [8, 3]
    for line in new[0].body.splitlines():
        assert len(line) <= 290 and line.endswith("…") and line[:-1].rpartition(" ")[2] in long


@pytest.mark.parametrize("step", ["reflect", "hypothesize", "discover"])
def test_nothing_is_reinforced_proposed_supposed_or_discovered(step: str) -> None:
    answer = rules.answer(step, records(*RELATED))
    assert isinstance(answer, ANSWERS[step])
    said = msgspec.to_builtins(answer)
    said.pop("reasoning", None)
    assert not any(said.values())


@given(st.integers(0, 2**32))
@settings(max_examples=30)
def test_the_same_facts_get_the_same_answer_in_any_order(seed: int) -> None:
    dice = random.Random(seed)
    facts = [one for one in base_facts(dice) if one.kind == "epistemic"]
    told = [WARMUP, f"{WARMUP}.", "A short one", f"{WARMUP} by 0.5"]
    facts = [msgspec.structs.replace(one, title=dice.choice(told)) for one in facts]
    for step in ANSWERS:
        first = rules.answer_text(step, records(*facts))
        assert rules.answer_text(step, records(*dice.sample(facts, len(facts)))) == first
        decoded = msgspec.json.decode(first, type=ANSWERS[step])
        if step in ("prune", "distill"):
            applied, _ = answered(step, facts, decoded)
            assert applied.warnings == ()


def test_hundreds_of_facts_take_seconds_at_most() -> None:
    dice = random.Random(1)
    words = [f"term{number}" for number in range(300)]
    facts = [fact(number, " ".join(dice.sample(words, 30))) for number in range(600)]
    started = time.perf_counter()
    rules.prune(records(*facts))
    rules.distill(records(*facts))
    assert time.perf_counter() - started < 5
