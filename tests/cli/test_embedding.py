"""`thermite embed calibrate`: what it prints, what it writes, and what it refuses."""

import json
from functools import cache
from pathlib import Path

import pytest

from tests.cli.commands import Cli
from tests.support.network import no_network
from tests.support.openai_server import Asked, Reply, openai_server
from thermite_pipelines.embeddings import local
from thermite_pipelines.embeddings.corpus import built_in
from thermite_pipelines.embeddings.embedder import BUILT_IN, embedder_of

FACTS = [
    {
        "title": f"Lane {number} found {word}",
        "body": f"The {word} was slower. It took {number} ms. It is kept.",
        "domain": ["a"],
    }
    for number, word in enumerate(
        ["cache", "kernel", "loader", "filter", "judge", "wells", "ring", "decay", "digits", "leak"]
    )
]
NAMES = ["dedup", "reflect_novelty", "similar_to", "search_floor", "rerank_high", "rerank_low"]


_vector = cache(local._vector)


@pytest.fixture(autouse=True)
def no_text_is_embedded_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep vectors over all tests: they are the same each time."""
    monkeypatch.setattr(local, "_vector", _vector)


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    """A file of ten facts."""
    path = tmp_path / "facts.jsonl"
    path.write_text("".join(json.dumps(fact) + "\n" for fact in FACTS))
    return path


def test_it_prints_distributions_and_thresholds_and_writes_nothing(cli: Cli, facts: Path) -> None:
    before = sorted(Path(cli.home.settings.lake).rglob("*"))
    with no_network():
        found = cli.json("embed", "calibrate", facts)
    assert (found["model"], found["dimension"], found["facts"]) == (BUILT_IN, 512, len(FACTS))
    assert list(found["thresholds"]) == NAMES
    assert all(len(one["percentiles"]) == 101 for one in found["distributions"].values())
    assert found["distributions"]["doc_doc_all"]["count"] == 45
    assert found["written"] is None
    assert sorted(Path(cli.home.settings.lake).rglob("*")) == before
    said = cli.say("embed", "calibrate", facts)
    assert "doc_doc_same" in said and "Nothing was written" in said


def test_what_it_writes_counts_from_then_on(cli: Cli) -> None:
    found = cli.json("embed", "calibrate", "--write")
    assert found["facts"] == len(built_in()) and found["sanity"]["ok"]
    path = Path(found["written"])
    held = json.loads(path.read_text())
    held["thresholds"]["dedup"] = 0.86
    path.write_text(json.dumps(held))
    assert embedder_of(cli.home.settings).thresholds.dedup == 0.86


def test_thresholds_that_make_no_sense_are_not_written(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def the_same_for_all(asked: Asked) -> Reply:
        data = [{"index": place, "embedding": [1.0, 0.0]} for place in range(len(asked.body["input"]))]
        return Reply(body={"object": "list", "data": data, "model": "m"})

    with openai_server(the_same_for_all) as server:
        monkeypatch.setenv("THERMITE_EMBED_MODEL", "openai/blind")
        monkeypatch.setenv("THERMITE_EMBED_API_BASE", server.url)
        with pytest.warns(UserWarning, match="no calibrated thresholds"):
            embedder_of(cli.home.settings.model_copy(update={"embed_model": "openai/blind"})).thresholds  # noqa: B018
        assert "nothing was written" in cli.fail("embed", "calibrate", "--write")
    assert not (Path(cli.home.settings.lake) / "embeddings").exists()


def test_files_that_hold_no_facts_are_refused(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    assert "facts.jsonl: No such file" in cli.fail("embed", "calibrate", path)
    path.write_bytes(b"\xff\xfe")
    assert "no UTF-8" in cli.fail("embed", "calibrate", path)
    path.write_text('{"title": "t"}\n')
    assert "facts.jsonl:1: no fact" in cli.fail("embed", "calibrate", path)
    path.write_text('{"title": "t", "body": "b"}\n')
    assert "too few" in cli.fail("embed", "calibrate", path)


def test_without_a_model_it_says_so(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_EMBED_MODEL", "none")
    assert "needs an embedding model" in cli.fail("embed", "calibrate")


def test_nothing_is_written_where_there_is_no_home(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_HOME", str(tmp_path / "elsewhere"))
    cli.fail("embed", "calibrate", "--write")
    assert not (tmp_path / "elsewhere" / "lake").exists()
