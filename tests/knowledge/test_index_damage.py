"""A damaged search index: no search is made wrong by it or fails, it is told of, and it is made anew."""

from pathlib import Path

import numpy as np
import pytest

from tests.knowledge.indexing import Toy, files_of, index, is_sound
from tests.knowledge.syncing import SyncHome
from tests.knowledge.test_index import fill, shown, toys  # noqa: F401  (a fixture)
from tests.knowledge.test_search import ask, three  # noqa: F401  (a fixture)
from tests.support.atoms import atom_row, put_atoms
from tests.support.homes import Home
from thermite_pipelines.embeddings.embedder import embedder_of, model_name
from thermite_pipelines.knowledge.index import compacting, open_index
from thermite_pipelines.knowledge.index.files import BrokenFile, Mapped, encode, open_file
from thermite_pipelines.knowledge.index.numbers import damaged_indexes, indexes_unlike_folders
from thermite_pipelines.knowledge.index_targets import index_folder, indexes_behind

_FLIPS = 25


def flip(path: Path, at: int, bits: int = 1) -> None:
    """Change a byte of a file, whose size stays."""
    data = bytearray(path.read_bytes())
    data[at] ^= bits
    path.unlink()  # what was opened before is another file: as a new process finds it
    path.write_bytes(data)


def restored(kept: dict[Path, bytes]) -> None:
    """Put the files of an index back, and nothing else, as if this were a new process."""
    open_index._opened.clear()
    open_index._broken.clear()
    for path in next(iter(kept)).parent.iterdir():
        path.unlink()
    for path, data in kept.items():
        path.write_bytes(data)


@pytest.mark.parametrize("seed", range(2))
def test_any_changed_byte_changes_no_search_or_is_told_of(
    three: SyncHome,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
) -> None:
    monkeypatch.setattr(compacting, "_GONE_SHARE", 1.0)
    fill(three)
    home, model, chance = three.home, Toy(), np.random.default_rng(seed)
    index(home, "a", model)
    # Some texts no longer count: a file of its own says which.
    put_atoms(home, "a", atom_row("warm caches are kept"))
    index(home, "a", model)
    index(home, "b", model)
    kept = {path: path.read_bytes() for path in files_of(home)}
    assert {path.suffix for path in kept} == {".words", ".vectors", ".gone", ".json"}
    whole = ask(home, "warm batch")
    assert not whole.notices
    for path in kept:
        path.unlink()
    bare = ask(home, "warm batch")
    for _ in range(_FLIPS):
        restored(kept)
        path = sorted(kept)[chance.integers(len(kept))]
        flip(path, int(chance.integers(len(kept[path]))), 1 << int(chance.integers(8)))
        found = ask(home, "warm batch")
        if any("damaged" in notice for notice in found.notices):
            assert shown(found) == shown(bare) and set(indexes_behind(home.opened)) == {"a"}
        else:
            assert found == whole
        assert damaged_indexes(home.opened, thorough=True) and set(indexes_behind(home.opened)) == {"a"}
        assert indexes_unlike_folders(home.opened) == []
    assert index(home, "a", model).anew and is_sound(home) and shown(ask(home, "warm batch")) == shown(whole)


def test_only_the_blocks_of_what_is_read_are_compared(tmp_path: Path) -> None:
    path = tmp_path / "arrays"
    array = np.arange(4 * 4_096 // 8 + 5, dtype=np.int64)
    path.write_bytes(b"".join(encode({"a": "b"}, {"numbers": array, "none": np.zeros(0, bool)})))
    data = path.read_bytes()
    flip(path, data.index(array[600:610].tobytes()))
    meta, arrays = open_file(path)
    assert isinstance(arrays, Mapped) and meta == {"a": "b"} and len(arrays["none"]) == 0
    assert arrays.rows("numbers", slice(0, 512)).tolist() == array[:512].tolist()
    assert arrays.rows("numbers", np.array([2_052, 1_024])).tolist() == [2_052, 1_024]
    for places in (slice(500, 520), np.array([3, 1_023])):
        with pytest.raises(BrokenFile, match="arrays is not what was written"):
            arrays.rows("numbers", places)
    with pytest.raises(BrokenFile):
        arrays["numbers"]


def test_a_refresh_that_meets_damage_makes_the_index_anew(three: SyncHome) -> None:  # noqa: F811
    index(three.home)
    (words,) = (path for path in files_of(three.home) if path.suffix == ".words")
    said = open_file(words)[1]["said"].tobytes()
    flip(words, words.read_bytes().index(said))
    manifest = words.with_name("manifest.json")
    manifest.write_bytes(manifest.read_bytes() + b" ")
    three.note("r1", "a second note")
    assert index(three.home).anew and is_sound(three.home, "b")


def test_whatever_stands_in_the_way_of_an_index_is_removed(three: SyncHome) -> None:  # noqa: F811
    folder = index_folder(three.home.settings, "a")
    folder.parent.mkdir(parents=True)
    folder.write_text("a file")
    assert index(three.home).anew and is_sound(three.home, "b")
    (folder / "a folder" / "in it").mkdir(parents=True)
    assert not index(three.home).anew and is_sound(three.home, "b")
    assert not (folder / "a folder").exists()


def use_model(home: Home, name: str) -> None:
    home.settings = home.settings.model_copy(update={"embed_model": name})
    home.__dict__.pop("opened", None)


def test_another_model_makes_indexes_be_behind_and_searches_tell_of_each_folder(three: SyncHome) -> None:  # noqa: F811
    home = three.home
    index(home, "a", Toy())
    index(home, "b", Toy())
    assert not indexes_behind(home.opened) and not ask(home, "warm").notices
    use_model(home, "other")
    assert set(indexes_behind(home.opened)) == {"a", "b"}
    (notice,) = ask(home, "warm").notices
    assert "index of a, b lacks vectors of the embedding model other" in notice
    assert index(home, "a", Toy("other")).anew and set(indexes_behind(home.opened)) == {"b"}
    (notice,) = ask(home, "warm").notices
    assert "index of b lacks vectors" in notice
    assert not ask(home, "warm", as_campaign="a").notices
    use_model(home, "NONE")
    assert set(indexes_behind(home.opened)) == {"a", "b"} and not ask(home, "warm").notices


def test_an_index_of_words_alone_is_told_of_once_there_is_a_model(three: SyncHome) -> None:  # noqa: F811
    index(three.home)
    use_model(three.home, "toy")
    assert any("index of a lacks vectors" in notice for notice in ask(three.home, "warm").notices)


@pytest.mark.parametrize("name", ["use-multilingual-v3", "litellm/openai/x", "openai/x"])
def test_the_name_of_the_settings_is_that_of_the_model(home: Home, name: str) -> None:
    use_model(home, name)
    assert model_name(home.settings) == embedder_of(home.settings, home.lake).name
