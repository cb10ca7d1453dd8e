"""Kept vectors: what is embedded and what is not, and a table that mends itself."""

import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest

from tests.synthesis.likeness import CountingEmbedder
from tests.synthesis.making import fact, name
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.settings import Settings
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.vectors import FactVectors, Vectors, vectors_folder


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def kept(tmp_path: Path, embedder: CountingEmbedder) -> FactVectors:
    return FactVectors(tmp_path / "vectors", embedder)


def changed(one: Fact, **more: object) -> Fact:
    return msgspec.structs.replace(one, **more)


def same(one: Vectors, other: Vectors) -> bool:
    return one.names == other.names and bool((one.matrix == other.matrix).all())


def texts(*facts: Fact) -> list[tuple[str, str]]:
    return [(one.title, one.body) for one in facts]


def test_each_fact_has_the_vector_that_the_model_gives(kept: FactVectors, embedder: CountingEmbedder) -> None:
    facts = [fact(number) for number in range(20)]
    found = kept.refresh(facts)
    assert found.names == tuple(name(number) for number in range(20))
    assert (found.matrix == embedder.documents(texts(*facts))).all()


def test_what_was_embedded_is_not_embedded_again(kept: FactVectors, embedder: CountingEmbedder) -> None:
    facts = [fact(number) for number in range(20)]
    first = kept.refresh(facts[:10])
    embedder.asked.clear()
    assert same(kept.refresh(list(reversed(facts[:10]))), first)
    assert embedder.asked == []
    kept.refresh(facts)
    assert embedder.asked == texts(*facts[10:])


def test_a_version_with_other_words_is_embedded_and_one_with_another_confidence_is_not(
    kept: FactVectors, embedder: CountingEmbedder
) -> None:
    facts = [fact(number) for number in range(3)]
    first = kept.refresh(facts)
    embedder.asked.clear()
    facts = [facts[0], changed(facts[1], confidence=0.9), changed(facts[2], body="Other words.")]
    second = kept.refresh(facts)
    assert embedder.asked == texts(facts[2])
    assert (second.matrix[:2] == first.matrix[:2]).all()
    assert (second.matrix[2] != first.matrix[2]).any()


def test_facts_that_say_the_same_are_embedded_once(kept: FactVectors, embedder: CountingEmbedder) -> None:
    kept.refresh([fact(1, "The same"), fact(2, "The same"), fact(3, "Another")])
    assert sorted(embedder.asked) == sorted(texts(fact(1, "The same"), fact(3, "Another")))


def test_facts_that_left_are_dropped(kept: FactVectors, embedder: CountingEmbedder) -> None:
    kept.refresh([fact(1), fact(2), fact(3)])
    assert kept.refresh([fact(2)]).names == (name(2),)
    assert kept.refresh([]).names == ()
    embedder.asked.clear()
    kept.refresh([fact(1)])
    assert embedder.asked == texts(fact(1))


def test_a_table_that_was_removed_or_harmed_is_made_anew(
    kept: FactVectors, embedder: CountingEmbedder, tmp_path: Path
) -> None:
    facts = [fact(number) for number in range(5)]
    first = kept.refresh(facts)
    shutil.rmtree(tmp_path / "vectors")
    assert same(kept.refresh(facts), first)
    for file in (tmp_path / "vectors").rglob("*.manifest"):
        file.write_bytes(b"torn")
    assert same(kept.refresh(facts), first)
    for file in (tmp_path / "vectors").rglob("*.lance"):
        if file.is_file():
            file.write_bytes(b"torn")
    assert same(kept.refresh(facts), first)


def test_a_table_of_another_model_is_made_anew(kept: FactVectors, tmp_path: Path) -> None:
    facts = [fact(number) for number in range(5)]
    kept.refresh(facts)
    for other in (CountingEmbedder("other"), CountingEmbedder("other", 16)):
        found = FactVectors(tmp_path / "vectors", other).refresh(facts)
        assert (found.matrix == other.documents(texts(*facts))).all()


def test_a_version_that_stands_there_twice_makes_the_table_anew(
    kept: FactVectors, embedder: CountingEmbedder, tmp_path: Path
) -> None:
    import lancedb

    facts = [fact(number) for number in range(5)]
    first = kept.refresh(facts)
    table = lancedb.connect(tmp_path / "vectors").open_table("vectors")
    table.add(table.to_arrow().slice(0, 1))
    assert table.count_rows() == 6
    assert same(kept.refresh(facts), first)
    assert lancedb.connect(tmp_path / "vectors").open_table("vectors").count_rows() == 5


def test_what_was_embedded_before_a_kill_is_kept(
    kept: FactVectors, embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thermite_pipelines.synthesis.vectors._BATCH", 10)
    facts = [fact(number) for number in range(30)]

    def stop(done: int, of: int) -> None:
        if done == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept.refresh(facts, stop)
    embedder.asked.clear()
    assert len(kept.refresh(facts)) == 30
    assert embedder.asked == texts(*facts[20:])


def test_many_refreshes_leave_few_files(kept: FactVectors, tmp_path: Path) -> None:
    for number in range(12):
        kept.refresh([fact(one) for one in range(number, number + 5)])
    data = list((tmp_path / "vectors").rglob("data/*.lance"))
    assert len(kept.refresh([fact(one) for one in range(11, 16)])) == 5
    assert len(data) < 60


def test_a_fact_in_two_versions_is_refused(kept: FactVectors) -> None:
    with pytest.raises(ThermiteError, match="two versions"):
        kept.refresh([fact(1), fact(1, "Other words")])


def test_parts_of_vectors_and_more_of_them(embedder: CountingEmbedder) -> None:
    facts = [fact(number) for number in range(4)]
    some = Vectors.of([name(2), name(0)], embedder.documents(texts(facts[2], facts[0])))
    assert some.names == (name(0), name(2))
    embedder.asked.clear()
    more = some.plus(facts[:3], embedder)
    assert embedder.asked == texts(facts[1])
    assert (more.matrix == embedder.documents(texts(*facts[:3]))).all()
    assert same(more.only([name(2), name(0), name(9)]), some)
    assert some.plus([facts[0]], embedder) is some


def test_vectors_lie_in_the_home_by_campaign(tmp_path: Path) -> None:
    assert vectors_folder(Settings(home=tmp_path), "sweep") == tmp_path / "index/facts/campaign=sweep"


def test_texts_with_halves_of_letters_are_kept(kept: FactVectors) -> None:
    assert len(kept.refresh([fact(1, "It's 'quoted'"), fact(2, "Größe 中文")])) == 2


def test_vectors_are_single_precision(kept: FactVectors) -> None:
    assert kept.refresh([fact(1)]).matrix.dtype == np.float32


def test_vectors_made_beside_a_session_are_kept_for_the_next_one(kept: FactVectors, embedder: CountingEmbedder) -> None:
    old, new = [fact(1), fact(2)], [fact(3), fact(4)]
    kept.refresh(old)
    kept.keep(new, embedder.documents(texts(*new)))
    embedder.asked.clear()
    assert same(kept.refresh([*old, *new]), Vectors.of([name(n) for n in range(1, 5)], _rows(old + new)))
    assert embedder.asked == []


def _rows(facts: list[Fact]) -> np.ndarray:
    return CountingEmbedder().documents(texts(*facts))


def test_who_only_looks_writes_nothing(kept: FactVectors, embedder: CountingEmbedder, tmp_path: Path) -> None:
    facts = [fact(number) for number in range(6)]
    assert same(kept.known(facts), Vectors.of([one.fact for one in facts], _rows(facts)))
    assert not (tmp_path / "vectors").exists()
    kept.refresh(facts[:4])
    before = sorted(path for path in (tmp_path / "vectors").rglob("*"))
    embedder.asked.clear()
    assert same(kept.known(facts[2:]), Vectors.of([one.fact for one in facts[2:]], _rows(facts[2:])))
    assert embedder.asked == texts(*facts[4:]) and sorted((tmp_path / "vectors").rglob("*")) == before
