"""What the agents of a run find: exactly what the manifest of its sync lists, and the sources of the run itself."""

from itertools import product
from typing import Any

import pytest

from tests.knowledge.exporting import say_source
from tests.knowledge.indexing import index
from tests.knowledge.syncing import BESIDES, SyncHome, parse
from tests.support.atoms import atom_row, put_atoms
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.search import SearchQuery, SearchResults, search, search_for_run
from thermite_pipelines.knowledge.words import Corpus, Terms

FIRST = ("warm", "cold", "batch", "cache", "shard", "optimizer", "缓存", "straße", "4711", "fused")
SECOND = ("", "rows", "batches", "the warm cache", "r2")
QUERIES = [" ".join(words).strip() for words in product(FIRST, SECOND)]
NOTES = {
    "r1": ["warm caches of my own", "a cold shard of my own"],
    "r2": ["warm caches help every batch", "the optimizer is fused", "查询之前先预热缓存", "cold rows, cold batches"],
    "r3": ["a shard of 4711 rows", "die Straße ist lang", "warm warm warm rows", "the cache was cold"],
    "r4": ["unreadable warm batch", "unreadable fused optimizer", "缓存缓存", "4711 shards"],
}


@pytest.fixture
def said(place: SyncHome) -> SyncHome:
    """Runs r1 and r2 in campaign a, r3 in b, which a may read, r4 in c, which it may not; all is synced."""
    for run, campaign in (("r1", "a"), ("r2", "a"), ("r3", "b"), ("r4", "c")):
        place.rig().say_run(run)
        place.assign(run, campaign)
        for text in NOTES[run]:
            place.rig().say_note(text, run=run)
    place.send()
    place.fold()
    place.grant("a", "b")
    for campaign in "abc":
        put_atoms(place.home, campaign, atom_row(f"A warm cache of {campaign} holds every shard", campaign))
    place.sync()
    return place


def find(place: SyncHome, words: str, asking: str = "r1", **more: Any) -> SearchResults:
    """What the agents of the run `asking` find."""
    return search_for_run(place.home.opened, "rig-a", asking, SearchQuery(words, **more))


def ids(found: SearchResults) -> list[str]:
    return [row["item"] for row in found.results]


def in_files(files: dict[str, bytes], words: str) -> tuple[list[str], set[str]]:
    """Items, best first, and atoms in synced files that hold one of the words: BM25 over these files and no others."""
    terms = Terms(words)
    items: list[tuple[str, int, Any]] = []
    atoms = set()
    for path, data in files.items():
        if path in BESIDES:
            continue
        head, text = parse(data)
        if head["kind"] == "atom":
            if terms.count(f"{head['title']}\n{head['verbatim_quote']}")[1] is not None:
                atoms.add(head["item"])
        else:
            items.append((head["item"], *terms.count("\n".join(filter(None, (head["title"], text))))))
    corpus = Corpus(len(terms.terms))
    for _, length, counts in items:
        corpus.add(length, counts)
    scores = [(-corpus.score(length, counts), item) for item, length, counts in items if counts is not None]
    return [item for _, item in sorted(scores)], atoms


@pytest.mark.parametrize("indexed", [False, True])
def test_kb_67_results_are_those_of_a_search_over_the_synced_files(said: SyncHome, indexed: bool) -> None:
    if indexed:
        for campaign in "abc":
            index(said.home, campaign)
    files = said.files("r1")
    assert len(QUERIES) == 50
    for words in QUERIES:
        items, atoms = in_files(files, words)
        found = find(said, words)
        assert ids(found) == items, words
        assert {row["atom"] for row in found.atoms} == atoms, words
        assert ids(find(said, words, limit=2)) == items[:2]


def test_kb_67_what_is_not_listed_changes_no_score(said: SyncHome) -> None:
    """Neither what the run itself said, nor what came after the sync, nor what the campaign may not read."""
    before = find(said, "warm cache")
    said.note("r1", "warm warm cache")
    said.note("r2", "a warm cache that came later")
    said.note("r4", "a warm cache that is not granted")
    assert find(said, "warm cache") == before
    said.sync()
    assert len(find(said, "warm cache").results) == len(before.results) + 1


def test_kb_67_a_grant_that_is_taken_back_counts_before_the_next_sync(said: SyncHome) -> None:
    assert {row["campaign"] for row in find(said, "warm cold").results} == {"a", "b"}
    said.revoke("a", "b")
    found = find(said, "warm cold")
    assert {row["campaign"] for row in found.results} == {"a"} == {row["campaign"] for row in found.atoms}


def test_kb_67_rig_and_run_are_filters_and_the_campaign_is_the_runs(said: SyncHome) -> None:
    everything = {row["item"]: row["score"] for row in find(said, "warm").results}
    named = find(said, "warm", run="r3", as_campaign="c")
    assert {row["run"] for row in named.results} == {"r3"}
    assert all(everything[row["item"]] == row["score"] for row in named.results)
    by_name = search(said.home.opened, SearchQuery("warm", as_campaign="a", run="r1", rig="rig-a"))
    assert {row["item"]: row["score"] for row in by_name.results} == everything
    with pytest.raises(ThermiteError, match="assigned no run"):
        find(said, "warm", "r9")


def test_kb_67_a_run_that_was_never_synced_is_told_so(said: SyncHome) -> None:
    assert find(said, "warm").notices == ()
    said.run("r5", "a")
    found = find(said, "warm", "r5")
    assert found.results == [] and any("not gathered yet" in notice for notice in found.notices)


def test_kb_67_a_manifest_that_can_not_be_read_gives_nothing(said: SyncHome) -> None:
    path = said.knowledge("r1") / ".manifest.json"
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(ThermiteError, match="manifest"):
        find(said, "warm")
    path.unlink()
    assert ids(find(said, "warm")) == []


@pytest.mark.parametrize("indexed", [False, True])
def test_kb_25_a_page_that_lane_1_fetched_is_found_by_a_search_for_lane_2(said: SyncHome, indexed: bool) -> None:
    """Lanes share their run's search: nothing depends on who fetched the page. Other runs find it once it is synced."""
    say_source(said.rig(), "src-1", "Zirconium prefetching halves the stalls.", run="r1", by="lane-1")
    say_source(said.rig(), "src-2", "Zirconium of another run.", run="r4")
    said.send()
    said.fold()
    if indexed:
        index(said.home, "a")
    (found,) = find(said, "zirconium prefetching").results
    assert (found["kind"], found["run"], found["written_by"]) == ("source", "r1", "lane-1")
    assert ids(find(said, "zirconium", "r2")) == []
    said.sync()
    assert ids(find(said, "zirconium", "r2")) == [found["item"]] == ids(find(said, "zirconium"))
