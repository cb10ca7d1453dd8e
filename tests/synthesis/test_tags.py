"""Tags and names: one form, how they match, what a scope holds, and what is found in words."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.growth import assert_in_proportion
from thermite_pipelines.synthesis.domains import domain_of
from thermite_pipelines.synthesis.entities import LONGEST, MOST, entities_of, urls_of
from thermite_pipelines.synthesis.tags import (
    canonical,
    canonical_tags,
    in_scope,
    markers,
    matches,
    stems,
    without,
)


@pytest.mark.parametrize(
    ("tag", "form"),
    [
        ("Web-Metrics", "web metrics"),
        ("  two\t \nwords--here ", "two words here"),
        ("val_bpb", "val_bpb"),
        ("Store/SQLite", "store/sqlite"),
        ("Straße", "strasse"),
        ("Cafe\u0301", "café"),
        ("a\u2011b", "a b"),
        ("---", ""),
    ],
)
def test_tags_have_one_form(tag: str, form: str) -> None:
    assert canonical(tag) == form


@given(st.text())
def test_the_form_of_a_form_is_itself(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)
    assert stems(canonical(text)) == stems(text)
    assert matches(text, text) == bool(canonical(text))


def test_tags_are_kept_once_in_order() -> None:
    assert canonical_tags(["B c", "a", "b-C", "", "-"]) == ("b c", "a")


@pytest.mark.parametrize(
    ("requested", "tag", "is_match"),
    [
        ("Store", "store/sqlite", True),
        ("store", "storefront", False),
        ("store/sqlite", "store", False),
        ("migrations", "migration", True),
        ("migration", "schema migrations", True),
        ("anthropic", "Anthropic", True),
        ("auth", "store", False),
        ("query caches", "cache of every query", True),
        ("queries", "query", True),
        ("batches", "batch size", True),
        ("losses", "loss", True),
        ("sizes", "size", True),
        ("indexes", "index", True),
        ("physics", "physic", False),  # words in -ics stay
        ("gas", "ga", False),  # and short ones
        ("class", "clas", False),
        ("schema migrations", "migration", False),
        ("", "store", False),
    ],
)
def test_behaviour_89_tags_match_by_form_by_part_or_by_all_words(requested: str, tag: str, is_match: bool) -> None:
    assert matches(requested, tag) is is_match


def test_behaviour_88_a_scope_is_a_union_of_domains_and_entities() -> None:
    facts = [(["auth"], ["bob"]), (["billing"], ["Alice"]), (["billing"], ["bob"])]
    assert [in_scope(*fact, ["auth"], ["alice"]) for fact in facts] == [True, True, False]
    assert all(in_scope(*fact, [], []) for fact in facts)
    assert not in_scope(["alice"], [], [], ["alice"]), "a domain is no entity"
    assert not in_scope([], ["auth"], ["auth"], [])
    assert not in_scope([], ["alices"], [], ["alice"]), "names are the same but for case, or are not"


def test_markers_are_the_campaign_and_its_kits() -> None:
    found = markers("speed-up", ["Nano-GPT", None, ""])
    assert found == {"speed up", "nano gpt"}
    assert without(["optimizer", "Speed-Up", "nano gpt", "cache"], found) == ("optimizer", "cache")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("use `DataLoader` in src/train.py, not `pip install x`", ("DataLoader", "src/train.py")),
        ("call `foo_bar()` and `wake(sessionId)`; `--depth=3`", ("foo_bar", "wake", "--depth")),
        ("see /etc/hosts, ~/.cache and ./run, not and/or, 1/2 or /x", ("/etc/hosts", "~/.cache", "./run")),
        (
            "val_bpb fell with AdamW and RMSNorm in batchSize, not GPU or Word",
            ("val_bpb", "AdamW", "RMSNorm", "batchSize"),
        ),
        ("https://example.org/src/train.py says no_name is a_b", ("no_name", "a_b")),
        ("`AdamW`, adamw and ADAMW are one; `Val_BPB` too: val_bpb", ("AdamW", "Val_BPB")),
        ("in config.yaml and notes.md, e.g. np.dot or v1.2", ("config.yaml", "notes.md")),
        ("a `b` and `0.5` and ``code`` are none", ()),
        ("_so_ emphasised, __bold__ or snake_ is none", ()),
    ],
)
def test_names_in_words(text: str, names: tuple[str, ...]) -> None:
    assert sorted(entities_of(text)) == sorted(names)


def test_a_metric_is_a_name_unless_it_says_nothing() -> None:
    assert entities_of("x", known=["Loss of Y", None]) == ("Loss of Y",)
    assert entities_of("x", known=["metric"]) == ()
    assert entities_of("`later` text", None, known=["acc"]) == ("acc", "later")


def test_names_are_bounded() -> None:
    assert len(entities_of(" ".join(f"a_{n}" for n in range(100)))) == MOST
    assert entities_of("x_" + "y" * LONGEST) == ()


def test_addresses_of_pages() -> None:
    text = "(https://a.example/x?y=1), **http://b.example/z**. ftp://c.example https://a.example/x?y=1"
    assert urls_of(text, None) == ("https://a.example/x?y=1", "http://b.example/z")


@pytest.mark.parametrize(
    ("text", "domain"),
    [
        ("The learning-rate warmup: Learning Rate up, weight decay down", ("learning rate", "regularization")),
        ("weight_decay=0.1", ("regularization",)),
        ("cache_dir is set in src/cache/train.py, see https://cache.example/loss", ()),
        ("seeds, commits and logs", ()),
        ("データベースの遅延", ("database",)),
        ("Der Optimizer im Speicher", ("optimizer", "memory")),
        ("Hello there", ()),
        ("cache gpu gpu kafka redis postgres", ("gpu", "caching", "messaging")),
    ],
)
def test_subjects_of_words(text: str, domain: tuple[str, ...]) -> None:
    assert domain_of(text) == domain


@given(
    st.text(), st.lists(st.sampled_from(["`", "/", "_", ".", "a", "B", "9", " ", "-", "="]), max_size=300).map("".join)
)
def test_whatever_is_written_gives_tags_and_names_in_form(one: str, other: str) -> None:
    for tag in domain_of(one, other):
        assert canonical(tag) == tag
    names = entities_of(one, other)
    assert len({name.casefold() for name in names}) == len(names) <= MOST
    assert all(name == name.strip() and 2 <= len(name) <= LONGEST for name in names)


@pytest.mark.parametrize(
    "piece", ["a/", "a.", "`", "_a", "aB", "a-", "https://", "/a.b", "../", "Aa1", "claim:r/", "a+", "x y"]
)
def test_long_texts_take_a_time_in_proportion(piece: str) -> None:
    for rule in (domain_of, entities_of, urls_of):
        assert_in_proportion(rule, lambda length: piece * (length // len(piece)), 40_000)


def test_the_order_of_ties_is_that_of_the_text() -> None:
    words = ["optimizer", "attention", "quantization"]
    random.Random(1).shuffle(words)
    assert domain_of(" ".join(words)) == tuple(words)
