"""Search by words: who sees what, in which order, and why."""

import time
from itertools import pairwise
from typing import Any

import pytest

from tests.knowledge.exporting import say_source
from tests.knowledge.syncing import SyncHome
from tests.support.atoms import atom_row, correction_row, put_atoms
from tests.support.homes import Home
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.atom_reading import day_start
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.search import SearchQuery, SearchResults, search
from thermite_pipelines.settings import TYPE_WEIGHTS

RESULT = ["item", "campaign", "rig", "run", "kind", "written_by", "created_at", "score", "title", "text", "why"]
ATOM = ["atom", "type", "statement", "verbatim_quote", "conditions", "established", "confidence", "score"]
NOW = day_start("2026-11-25")


def ask(home: Home, words: str, **more: Any) -> SearchResults:
    values: dict[str, Any] = {"now": NOW, **more}
    return search(open_home(home.settings), SearchQuery(words, **values))


def ids(found: SearchResults) -> list[str]:
    return [row["item"] for row in found.results]


def atoms(found: SearchResults) -> list[str]:
    return [row["statement"] for row in found.atoms]


@pytest.fixture
def three(place: SyncHome) -> SyncHome:
    """Runs r1, r2 in campaign a (rigs a and b), r3 in campaign b; each says that its batch 0 is warm."""
    place.run("r1", "a", notes=1)
    place.run("r2", "a", "rig-b", notes=1)
    place.run("r3", "b", "rig-b", notes=1)
    return place


# Who sees what


def test_an_owner_sees_all_and_a_campaign_what_it_may_read(three: SyncHome) -> None:
    home = three.home
    assert {row["run"] for row in ask(home, "warm batch").results} == {"r1", "r2", "r3"}
    assert {row["run"] for row in ask(home, "warm batch", as_campaign="b").results} == {"r3"}
    three.grant("b", "a")
    assert {row["run"] for row in ask(home, "warm batch", as_campaign="b").results} == {"r1", "r2", "r3"}
    three.revoke("b", "a")
    assert {row["run"] for row in ask(home, "warm batch", as_campaign="b").results} == {"r3"}


def test_unreadable_items_and_atoms_change_neither_order_nor_scores(three: SyncHome) -> None:
    put_atoms(three.home, "a", atom_row("warm caches are kept", "a"))
    before = ask(three.home, "warm batch r1", as_campaign="a")
    three.run("r4", "b", "rig-b", notes=5)
    put_atoms(three.home, "b", *[atom_row(f"warm batch {n}", "b") for n in range(9)])
    assert ask(three.home, "warm batch r1", as_campaign="a") == before
    assert len(ask(three.home, "warm batch r1").atoms) == 10


def test_a_runs_agents_see_what_its_sync_lists_and_its_own_sources(three: SyncHome) -> None:
    home = three.home
    say_source(three.rig(), "src-1", "A warm page.", run="r1")
    three.send()
    three.fold()
    seen: dict[str, Any] = {"as_campaign": "a", "run": "r1"}
    assert [row["kind"] for row in ask(home, "warm", **seen).results] == ["source"]
    put_atoms(home, "a", atom_row("warm caches are kept"))
    three.sync()
    found = ask(home, "warm", **seen)
    assert {(row["run"], row["kind"]) for row in found.results} == {("r1", "source"), ("r2", "note")}
    assert atoms(found) == ["warm caches are kept"]
    three.note("r2", "a warm note that came later", rig="rig-b")
    assert ids(ask(home, "warm", **seen)) != [] and "later" not in str(ask(home, "warm", **seen).results)
    three.sync()
    assert "later" in str(ask(home, "warm", **seen).results)
    assert ask(home, "warm", as_campaign="a", run="r1", rig="rig-a").atoms == found.atoms
    wrongs: list[dict[str, Any]] = [{"run": "r3"}, {"run": "r9"}, {"run": "r1", "rig": "rig-b"}]
    for wrong in wrongs:
        with pytest.raises(ThermiteError, match="assigned no run"):
            ask(home, "warm", as_campaign="a", **wrong)


def test_a_run_id_that_several_rigs_have_needs_the_rig(three: SyncHome) -> None:
    three.run("r1", "a", "rig-b")
    with pytest.raises(ThermiteError, match="several rigs"):
        ask(three.home, "warm", as_campaign="a", run="r1")
    ask(three.home, "warm", as_campaign="a", run="r1", rig="rig-b")


# Filters


@pytest.mark.parametrize(
    ("more", "runs"),
    [
        ({"folders": ("a",)}, {"r1", "r2"}),
        ({"folders": ("a", "b")}, {"r1", "r2", "r3"}),
        ({"folders": ("b",), "as_campaign": "a"}, set()),
        ({"rig": "rig-b"}, {"r2", "r3"}),
        ({"run": "r2"}, {"r2"}),
        ({"by": "lane-1"}, {"r1", "r2", "r3"}),
        ({"by": "planner"}, set()),
        ({"kinds": ("note",)}, {"r1", "r2", "r3"}),
        ({"kinds": ("claim", "report")}, set()),
        ({"since": day_start("2026-11-29")}, {"r1", "r2", "r3"}),
        ({"since": day_start("2026-11-30")}, set()),
        ({"until": day_start("2026-11-30")}, {"r1", "r2", "r3"}),
        ({"until": day_start("2026-11-29")}, set()),
    ],
)
def test_filters_take_away_and_change_no_score(three: SyncHome, more: dict[str, Any], runs: set[str]) -> None:
    everything = {row["item"]: row["score"] for row in ask(three.home, "warm batch").results}
    found = ask(three.home, "warm batch", **more)
    assert {row["run"] for row in found.results} == runs
    if "as_campaign" not in more:
        assert all(everything[row["item"]] == row["score"] for row in found.results)


def test_atoms_are_filtered_too_and_count_for_their_whole_day(three: SyncHome) -> None:
    put_atoms(
        three.home,
        "a",
        atom_row("warm one", rig="rig-a", run="r1", established="2026-11-20"),
        atom_row("warm two", source="person:ann", established="2026-11-22"),
    )
    noon = day_start("2026-11-20") + 12 * 3600 * 10**6
    cases: list[tuple[dict[str, Any], list[str]]] = [
        ({"rig": "rig-a"}, ["warm one"]),
        ({"run": "r1"}, ["warm one"]),
        ({"by": "ann"}, ["warm two"]),
        ({"by": "owner"}, ["warm one"]),
        ({"since": noon}, ["warm two", "warm one"]),
        ({"since": day_start("2026-11-21")}, ["warm two"]),
        ({"until": noon}, ["warm one"]),
        ({"folders": ("b",)}, []),
        ({"limit": 1}, ["warm two"]),
    ]
    for more, expected in cases:
        assert sorted(atoms(ask(three.home, "warm", **more))) == sorted(expected), more


def test_at_33_kind_atom_gives_only_atoms_and_other_kinds_give_none(three: SyncHome) -> None:
    put_atoms(three.home, "a", atom_row("warm caches"))
    assert ids(ask(three.home, "warm", kinds=("atom",))) == []
    assert atoms(ask(three.home, "warm", kinds=("atom",))) == ["warm caches"]
    assert ask(three.home, "warm", kinds=("note",)).atoms == []
    both = ask(three.home, "warm", kinds=("note", "atom"))
    assert len(both.results) == 3 and len(both.atoms) == 1
    assert both == ask(three.home, "warm")


def test_what_is_not_known_is_an_error(three: SyncHome) -> None:
    unknown: list[dict[str, Any]] = [{"folders": ("zzz",)}, {"as_campaign": "zzz"}]
    for more in unknown:
        with pytest.raises(ThermiteError, match="zzz"):
            ask(three.home, "warm", **more)
    with pytest.raises(UsageError, match="no kind"):
        ask(three.home, "warm", kinds=("insight",))
    with pytest.raises(UsageError, match="no word"):
        ask(three.home, "…")


def test_at_01_items_are_found_whatever_became_of_the_atoms(three: SyncHome) -> None:
    put_atoms(three.home, "a", atom_row("warm caches"))
    (entry,) = three.home.lake.list("derived/atoms")
    three.home.lake.delete(entry.path)
    found = ask(three.home, "warm")
    assert len(found.results) == 3 and found.atoms == []
    (notice,) = found.notices
    assert "gone" in notice


# Order and form


def test_results_have_the_documented_form_and_say_why(three: SyncHome) -> None:
    put_atoms(three.home, "a", correction_row("Warm caches are not cold"))
    found = ask(three.home, "is the batch of r1 warm?")
    assert [list(row) for row in found.results] == [RESULT] * len(found.results)
    (best, *_) = found.results
    assert (best["run"], best["kind"], best["why"]) == ("r1", "note", "words: batch, r1, warm")
    assert best["created_at"].endswith("Z") and best["text"] == "r1 saw that batch 0 is warm"
    (atom,) = found.atoms
    assert list(atom)[: len(ATOM)] == ATOM
    assert (atom["confidence"], atom["is_dated"]) == ("stated", False)
    assert atom["wrong_assumption"] and atom["instinct"]["lean"] == atom["statement"]


def test_scores_fall_and_ties_go_by_id(three: SyncHome) -> None:
    found = ask(three.home, "warm batch")
    assert ids(found) == sorted(ids(found))
    assert len({row["score"] for row in found.results}) == 1
    found = ask(three.home, "warm batch r2")
    scores = [row["score"] for row in found.results]
    assert scores == sorted(scores, reverse=True) and found.results[0]["run"] == "r2"
    assert ids(ask(three.home, "warm batch r2", limit=1)) == ids(found)[:1]


def test_words_of_scripts_without_blanks_are_found(place: SyncHome) -> None:
    place.run("r1", "a", notes=0)
    place.note("r1", "查询之前先预热缓存", "キャッシュを先に温める", "먼저 캐시를 데우세요", "Straße ohne Cache")
    for words, text in [("缓存", "查询"), ("キャッシュ", "キャ"), ("캐시", "먼저"), ("strasse", "Straße")]:
        (row,) = ask(place.home, words).results
        assert row["text"].startswith(text)


# Weights of atoms


def test_at_14_scores_go_by_type_as_the_table_says(home: Home) -> None:
    home.campaign("a")
    rows = [
        atom_row("caches are warm", type=type, atom=f"atom:a/{place:016x}") for place, type in enumerate(TYPE_WEIGHTS)
    ]
    put_atoms(home, "a", *rows)
    scores = {row["type"]: row["score"] for row in ask(home, "warm caches", as_campaign="a").atoms}
    assert set(scores) == set(TYPE_WEIGHTS)
    for type, weight in TYPE_WEIGHTS.items():
        assert scores[type] / scores["finding"] == pytest.approx(weight, abs=1e-9)


def test_at_15_scores_go_by_source_and_both_factors_multiply(home: Home) -> None:
    home.campaign("a")
    sources = {"campaign": 1.3, "person:ann": 1.2, "company": 1.0}
    rows = [
        atom_row("caches are warm", source=source, type=type, atom=f"atom:a/{place}{number:015x}")
        for number, source in enumerate(sources)
        for place, type in enumerate(("finding", "correction"))
    ]
    put_atoms(home, "a", *rows)
    found = ask(home, "warm caches", as_campaign="a").atoms
    scores = {(row["source"], row["type"]): row["score"] for row in found}
    base = scores["company", "finding"]
    for (source, type), score in scores.items():
        assert score / base == pytest.approx(sources[source] * TYPE_WEIGHTS[type], abs=1e-9)


def test_an_atom_of_another_campaign_is_not_the_readers_own(three: SyncHome) -> None:
    three.grant("b", "a")
    put_atoms(three.home, "a", atom_row("caches are warm", "a"))
    own = ask(three.home, "caches", as_campaign="a").atoms[0]["score"]
    granted = ask(three.home, "caches", as_campaign="b").atoms[0]["score"]
    assert own / granted == pytest.approx(1.3, abs=1e-9)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, ["warm correction", "warm finding"]),
        ({"atom_type_weights": "correction=0.5"}, ["warm finding", "warm correction"]),
        ({"atom_threshold": 1.0, "atom_weight": 1000.0}, ["warm correction", "warm finding"]),
        ({"atom_threshold": 1.0, "atom_weight": 0.001}, []),
        ({"atom_threshold": 1000.0}, []),
    ],
)
def test_at_38_each_setting_changes_what_is_shown(home: Home, changes: dict[str, Any], expected: list[str]) -> None:
    home.campaign("a")
    put_atoms(home, "a", atom_row("warm finding"), correction_row("warm correction"))
    changed = open_home(home.settings.model_copy(update=changes))
    assert atoms(search(changed, SearchQuery("warm", as_campaign="a"))) == expected


def test_at_11_old_atoms_are_inferred_and_dated_data_is_flagged(home: Home) -> None:
    home.campaign("a")
    put_atoms(home, "a", atom_row("a call costs 3 USD", time_bound=True, established="2026-11-20"))
    start, day = day_start("2026-11-20"), 24 * 3600 * 10**6
    for now, expected in [(start + 14 * day, ("stated", False)), (start + 14 * day + 10**6, ("inferred", True))]:
        (atom,) = ask(home, "costs", now=now).atoms
        assert (atom["confidence"], atom["is_dated"]) == expected


def test_at_31_of_a_chain_the_newest_is_shown(home: Home) -> None:
    home.campaign("a")
    chain = [correction_row(f"caches hold {n} rows", atom=f"atom:a/{n:016x}") for n in range(3)]
    for older, newer in pairwise(chain):
        older["superseded_by"], newer["supersedes"] = newer["atom"], older["atom"]
    put_atoms(home, "a", *chain)
    assert atoms(ask(home, "caches rows")) == ["caches hold 2 rows"]


# Speed


def test_ten_thousand_items_take_well_under_a_second(place: SyncHome) -> None:
    place.run("r1", "a", notes=0)
    words = ["batch", "cache", "warm", "cold", "query", "plan", "index", "shard", "lane", "probe", "result"]
    for number in range(10_000):
        text = " ".join(words[(number * step) % len(words)] for step in range(1, 60))
        place.rig().say_note(f"{text} {number}", run="r1")
    place.send()
    place.fold()
    taken, found = [], ask(place.home, "warm cache 4711", limit=10)
    for _ in range(3):
        begun = time.perf_counter()
        assert ask(place.home, "warm cache 4711", limit=10) == found
        taken.append(time.perf_counter() - begun)
    assert len(found.results) == 10 and "4711" in found.results[0]["text"]
    assert min(taken) < 1
