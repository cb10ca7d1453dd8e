"""Searches through an index: meaning beside words, slips of the hand, scripts without blanks, filters and reasons."""

from typing import Any

import pytest

from tests.knowledge.indexing import Toy, index, is_sound
from tests.knowledge.syncing import SyncHome
from tests.knowledge.test_search import ask, atoms, ids
from tests.support.atoms import atom_row, put_atoms
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge import meaning
from thermite_pipelines.knowledge.index.segments import Entry, build
from thermite_pipelines.knowledge.index.spelling import distance, near, slips
from thermite_pipelines.knowledge.index.texts import embedded


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Toy:
    """The model of the settings is one that knows a few words."""
    model = Toy()
    monkeypatch.setattr(meaning, "index_embedder", lambda home: model)
    return model


@pytest.fixture
def said(place: SyncHome, toy: Toy) -> SyncHome:
    """Notes of two campaigns, all indexed."""
    place.run("r1", "a", notes=0)
    place.run("r2", "b", "rig-b", notes=0)
    place.note("r1", "warm caches", "the optimizer is fused", "查询之前先预热缓存", "黒い猫がいる")
    place.note("r2", "cold caches", rig="rig-b")
    put_atoms(place.home, "a", atom_row("warm caches are kept"), atom_row("shards are small"))
    for name in ("a", "b"):
        index(place.home, name, toy)
    assert is_sound(place.home)
    return place


def texts(place: SyncHome, words: str, **more: Any) -> list[tuple[str, str]]:
    return [(row["text"], row["why"]) for row in ask(place.home, words, **more).results]


def test_what_means_the_same_is_found_without_its_words_and_says_why(said: SyncHome) -> None:
    assert texts(said, "hot")[0] == ("warm caches", "near in meaning")
    assert texts(said, "warm caches")[0] == ("warm caches", "words: warm, caches; near in meaning")
    found = ask(said.home, "heated", kinds=("atom",))
    assert [(row["statement"], row["why"]) for row in found.atoms] == [("warm caches are kept", "near in meaning")]
    assert texts(said, "zzzz") == []


def test_what_means_the_same_and_may_not_be_read_is_not_found(said: SyncHome) -> None:
    assert [text for text, _ in texts(said, "chilly")] == ["cold caches"]
    assert texts(said, "chilly", as_campaign="a") == []
    said.grant("a", "b")
    assert [text for text, _ in texts(said, "chilly", as_campaign="a")] == ["cold caches"]
    said.revoke("a", "b")
    assert texts(said, "chilly", as_campaign="a") == []


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"kinds": ("note",)}, {"warm caches", "cold caches"}),
        ({"kinds": ("report",)}, set()),
        ({"folders": ("b",)}, {"cold caches"}),
        ({"folders": ("b",), "kinds": ("note",), "rig": "rig-b", "by": "lane-1"}, {"cold caches"}),
        ({"run": "r1"}, {"warm caches"}),
        ({"by": "planner"}, set()),
        ({"kinds": ("note", "report")}, {"warm caches", "cold caches"}),
        ({"kinds": ("note",), "folders": ("a",)}, {"warm caches"}),
        ({"kinds": ("run",), "folders": ("a", "b")}, set()),
        ({"folders": ("a", "b")}, {"warm caches", "cold caches"}),
        ({"folders": ("a",), "run": "r2"}, set()),
        ({"kinds": ("note",), "folders": ("b",), "as_campaign": "a"}, set()),
    ],
)
def test_kb_40_filters_alone_and_together_change_no_score(
    said: SyncHome, more: dict[str, Any], expected: set[str]
) -> None:
    everything = {row["item"]: row["score"] for row in ask(said.home, "caches").results}
    found = ask(said.home, "caches", **more).results
    assert {row["text"] for row in found} == expected
    assert all(everything[row["item"]] == row["score"] for row in found)


def test_slips_of_the_hand_are_forgiven_and_told(said: SyncHome) -> None:
    assert [why for _, why in texts(said, "optimzier")] == ["words: optimizer (for optimzier)"]
    assert texts(said, "cahces wram")[0][0] == "warm caches"
    right, wrong = ask(said.home, "fused optimizer").results[0], ask(said.home, "fused optimzier").results[0]
    assert right["item"] == wrong["item"] and right["score"] > wrong["score"]
    # A word that stands somewhere is meant as it is, and what may not be read is not guessed at.
    assert [text for text, _ in texts(said, "cold", kinds=("note",))] == ["cold caches"]
    assert texts(said, "colt", as_campaign="a") == []


def test_words_of_scripts_without_blanks_are_found_in_the_index(said: SyncHome) -> None:
    for words, begins in [("缓存", "查询"), ("猫", "黒い"), ("预热", "查询")]:
        assert [text[:2] for text, why in texts(said, words) if "words" in why] == [begins]


def test_at_33_atoms_stand_in_a_list_of_their_own(said: SyncHome) -> None:
    assert atoms(ask(said.home, "shards small", kinds=("atom",))) == ["shards are small"]
    assert ids(ask(said.home, "shards small", kinds=("atom",))) == []
    assert ask(said.home, "caches", kinds=("note",)).atoms == []


def test_without_the_model_of_the_index_words_alone_are_found_and_it_is_told(
    said: SyncHome, toy: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(words: Any) -> Any:
        raise ThermiteError("nobody answers")

    monkeypatch.setattr(toy, "queries", refuses)
    found = ask(said.home, "cold days")
    assert [row["why"] for row in found.results] == ["words: cold"] and "nobody answers" in found.notices[0]
    monkeypatch.setattr(toy, "name", "other")
    found = ask(said.home, "cold days")
    assert [row["why"] for row in found.results] == ["words: cold"] and "embedding model other" in found.notices[0]


def test_slips_are_counted() -> None:
    for one, other, apart in [("warm", "wram", 1), ("warm", "warms", 1), ("warm", "arm", 1), ("warm", "word", 2)]:
        assert distance(one, other, 2) == distance(other, one, 2) == apart
    assert distance("warm", "cold", 2) == 3
    assert [slips(word) for word in ("cat", "warm", "optimizer", "4711x")] == [0, 1, 2, 0]


def test_numbers_and_short_words_are_not_guessed_at(said: SyncHome) -> None:
    segment = build([Entry("i", "note", None, None, "w", 0, 0, "a cat of 4711 warm optimizers", "s", {})])
    assert near(segment, "wram") == {"warm": 1} and near(segment, "optimisers") == {"optimizers": 1}
    assert near(segment, "4712") == near(segment, "cut") == near(segment, "uptimizars") == {}


def test_what_is_embedded_begins_a_text_and_says_nothing_twice() -> None:
    assert embedded("claim", {"title": "It is warm", "text": "It is warm today"}) == ("", "It is warm today")
    assert embedded("note", {"title": "lesson", "text": "x" * 5_000}) == ("lesson", "x" * 1_000)
    assert embedded("run", {"title": "A run", "text": None}) == ("A run", "")
    assert embedded("atom", {"statement": "Caches are warm"}) == ("", "Caches are warm")
