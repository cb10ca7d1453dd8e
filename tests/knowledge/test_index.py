"""The search index: in step with the folder at the cost of what is new, safe from kills, and never wrong."""

import shutil
from typing import Any

import pytest

from tests.knowledge.indexing import Toy, files_of, index, is_sound
from tests.knowledge.syncing import SyncHome
from tests.knowledge.test_search import ask, ids, three  # noqa: F401  (a fixture)
from tests.support.atoms import atom_row, put_atoms
from tests.support.synthesis import put_facts, synthesis_row
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.embeddings.embedder import model_name
from thermite_pipelines.knowledge import meaning
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.index import compacting, manifest, store
from thermite_pipelines.knowledge.index.numbers import damaged_indexes, index_numbers
from thermite_pipelines.knowledge.index.segments import build
from thermite_pipelines.knowledge.index_targets import indexes_behind
from thermite_pipelines.knowledge.search import SearchResults
from thermite_pipelines.tables.derived import ATOMS, SYNTHESES


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model that the settings name is one of few words."""

    def embedder(home: Home) -> Toy | None:
        return Toy(name) if (name := model_name(home.settings)) else None

    monkeypatch.setattr(meaning, "index_embedder", embedder)


def shown(found: SearchResults) -> Any:
    return found.results, found.atoms


def fill(place: SyncHome) -> None:
    """Three runs in two folders, with atoms and a synthesis in the first."""
    put_atoms(place.home, "a", atom_row("warm caches are kept"), atom_row("cold caches are not"))
    put_facts(place.home, "a", SYNTHESES, synthesis_row("Every warm batch"))


def test_a_search_is_the_same_with_and_without_an_index(three: SyncHome) -> None:  # noqa: F811
    fill(three)
    questions: list[dict[str, Any]] = [
        {"words": "warm batch r1"},
        {"words": "warm caches", "kinds": ("note", "atom")},
        {"words": "batch", "as_campaign": "a", "limit": 2},
        {"words": "wram bacth", "folders": ("a",)},
        {"words": "warm", "rig": "rig-b"},
    ]
    before = [ask(three.home, **question) for question in questions]
    assert all(found.results and found.unindexed for found in before)
    assert set(indexes_behind(three.home.opened)) == {"a", "b"}
    for campaign in ("a", "b"):
        index(three.home, campaign)
    assert is_sound(three.home)
    after = [ask(three.home, **question) for question in questions]
    assert list(map(shown, after)) == list(map(shown, before))
    assert not any(found.unindexed or found.notices for found in after)


def test_what_is_not_indexed_yet_is_found_and_told_of(three: SyncHome) -> None:  # noqa: F811
    index(three.home)
    three.note("r1", "a lukewarm shard")
    found = ask(three.home, "lukewarm", as_campaign="a")
    assert len(found.results) == 1 and found.unindexed >= 1
    assert "a" in indexes_behind(three.home.opened)
    index(three.home)
    again = ask(three.home, "lukewarm", as_campaign="a")
    assert shown(again) == shown(found) and again.unindexed == 0


def test_a_refresh_costs_what_is_new(three: SyncHome) -> None:  # noqa: F811
    model = Toy()
    first = index(three.home, "a", model)
    assert first.added == first.embedded == 4 and first.removed == 0
    assert index(three.home, "a", model) == store.Indexed()
    model.asked.clear()
    three.note("r1", "a second note")
    second = index(three.home, "a", model)
    assert (second.added, second.embedded, second.removed) == (1, 1, 0)
    assert len(model.asked) == 1 and model.asked[0].endswith("a second note")
    assert is_sound(three.home, "b")


def test_what_changed_or_left_counts_no_longer(three: SyncHome) -> None:  # noqa: F811
    home = three.home
    put_atoms(home, "a", atom_row("warm caches are kept"), atom_row("cold caches are not"))
    index(home)
    older = atom_row("warm caches are kept")
    put_atoms(home, "a", older | {"superseded_by": "atom:a/1"}, atom_row("cold caches are not"))
    assert [row["statement"] for row in ask(home, "caches").atoms] == ["cold caches are not"]
    assert index(home).removed == 1 and is_sound(home, "b")
    assert [row["statement"] for row in ask(home, "caches").atoms] == ["cold caches are not"]
    three.assign("r1", "b", move=True)
    three.fold()
    moved = index(home)
    assert moved.removed == 2 and index(home, "b").added >= 2 and is_sound(home)
    assert {row["campaign"] for row in ask(home, "r1").results} == {"b"}


@pytest.mark.parametrize("harm", ["cut", "gone", "manifest", "all", "foreign"])
def test_a_damaged_index_is_told_of_makes_no_search_wrong_and_is_made_anew(
    three: SyncHome,  # noqa: F811
    harm: str,
) -> None:
    home = three.home
    index(home)
    index(home, "b")
    before = ask(home, "warm batch")
    words = next(path for path in files_of(home) if path.suffix == ".words")
    if harm == "cut":
        words.write_bytes(words.read_bytes()[:-64])
    elif harm == "gone":
        words.unlink()
    elif harm == "manifest":
        words.with_name("manifest.json").write_bytes(b"{")
    elif harm == "all":
        shutil.rmtree(words.parent)
    else:
        words.with_name("manifest.json").write_bytes(b'{"format": 99}')
    # Another state of the manifest is noticed by its file: what was opened before is whole still.
    manifest_file = words.with_name("manifest.json")
    if harm in ("cut", "gone"):
        manifest_file.write_bytes(manifest_file.read_bytes() + b" ")
    found = ask(home, "warm batch")
    assert shown(found) == shown(before)
    assert bool(found.notices) == (harm in ("cut", "gone", "manifest")) == bool(damaged_indexes(home.opened))
    assert index(home).anew and is_sound(home)
    assert ask(home, "warm batch") == before


def test_a_changed_byte_is_found_by_the_thorough_look(three: SyncHome) -> None:  # noqa: F811
    index(three.home)
    words = next(path for path in files_of(three.home) if path.suffix == ".words")
    data = bytearray(words.read_bytes())
    data[-1] ^= 1
    words.write_bytes(data)
    assert damaged_indexes(three.home.opened) == []
    assert [row["file"] for row in damaged_indexes(three.home.opened, thorough=True)] == [words.name]


@pytest.mark.parametrize("at", range(7))
def test_a_kill_at_any_step_leaves_an_index_that_is_gone_on_with(
    three: SyncHome,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    at: int,
) -> None:
    """Every write of a file is such a step: before it everything was there, after it nothing more."""
    fill(three)
    index(three.home, "b", Toy())
    expected = ask(three.home, "warm batch")
    steps = iter(range(at))

    def killed(path: Any, data: Any, **more: Any) -> None:
        if next(steps, None) is None:
            raise KeyboardInterrupt
        write(path, data, **more)

    write = manifest.write_atomic
    with monkeypatch.context() as patch:
        patch.setattr(manifest, "write_atomic", killed)
        try:
            index(three.home, "a", Toy())
        except KeyboardInterrupt:
            # Vectors that were made until then change the order.
            assert sorted(ids(ask(three.home, "warm batch"))) == sorted(ids(expected))
    index(three.home, "a", Toy())
    assert is_sound(three.home)
    assert index_numbers(three.home.opened, "a").without_vector == 0
    counted = {file.name for file in manifest.load(files_of(three.home)[0].parent).files}  # type: ignore[union-attr]
    assert {path.name for path in files_of(three.home)} == counted | {"manifest.json"}


def test_a_file_that_is_being_written_is_left_for_the_next_refresh(three: SyncHome) -> None:  # noqa: F811
    index(three.home)
    row = atom_row("warm caches are kept")
    files = LakeFiles(three.home.control, three.home.lake, "atoms:a")
    put_atoms(three.home, "a", atom_row("cold caches"))
    files.stage("derived/atoms/campaign=a/atoms.parquet", ATOMS, [row])
    files.publish()
    assert index(three.home).added == 0
    assert [atom["statement"] for atom in ask(three.home, "caches").atoms] == ["warm caches are kept"]
    with three.home.control.write() as connection:
        files.confirm(connection)
    assert index(three.home).added == 1 and is_sound(three.home, "b")


def test_segments_are_joined_and_say_the_same(three: SyncHome, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setattr(compacting, "TOGETHER", 3)
    monkeypatch.setattr(compacting, "_SMALLEST", 4)
    model = Toy()
    joined = 0
    for number in range(12):
        three.note("r1", f"warm note {number}")
        joined += index(three.home, "a", model).joined
        assert index_numbers(three.home.opened, "a").segments <= 6
    assert joined >= 3 and is_sound(three.home, "b")
    many = shown(ask(three.home, "warm note 7", as_campaign="a"))
    index(three.home, "a", Toy(), anew=True)
    assert shown(ask(three.home, "warm note 7", as_campaign="a")) == many
    assert index_numbers(three.home.opened, "a").segments == 1


def test_time_for_vectors_is_bounded_and_the_next_refresh_goes_on(
    three: SyncHome,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(store, "EMBEDDING_SECONDS", -1.0)
        index(three.home, "a", Toy())
    numbers = index_numbers(three.home.opened, "a")
    assert numbers.without_vector == sum(numbers.texts.values()) == 4 and "a" in indexes_behind(three.home.opened)
    assert len(ask(three.home, "warm", as_campaign="a").results) == 2
    assert index(three.home, "a", Toy()).embedded == 4
    assert index_numbers(three.home.opened, "a").without_vector == 0


def test_another_model_makes_the_index_anew_and_none_leaves_words(three: SyncHome) -> None:  # noqa: F811
    index(three.home, "a", Toy())
    assert index(three.home, "a", Toy(name="other")).anew
    assert index_numbers(three.home.opened, "a").model == "other"
    assert index(three.home, "a", None).anew and index_numbers(three.home.opened, "a").model == ""
    assert is_sound(three.home, "b")


def test_an_index_of_nothing() -> None:
    empty = build([])
    assert (empty.size, empty.terms, empty.total) == (0, 0, 0) and len(empty.holding("warm")[0]) == 0
