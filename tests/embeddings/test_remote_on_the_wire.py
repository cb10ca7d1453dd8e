"""A model that litellm asks: batches, the cache, retries, and servers that give something else."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.network import no_network
from tests.support.openai_server import Asked, OpenAIServer, Reply, fails, openai_server
from thermite_pipelines.embeddings.remote import LitellmEmbedder
from thermite_pipelines.embeddings.thresholds import FALLBACK
from thermite_pipelines.embeddings.vector_cache import VectorCache
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.tables.lake import Lake

NAME = "openai/small"


def vector_of(text: str) -> list[float]:
    """Three numbers that depend on the text alone."""
    return [float(len(text)), float(sum(map(ord, text)) % 97), 1.0]


def answer(asked: Asked, change: Callable[[list[dict[str, Any]]], Any] = lambda data: data) -> Reply:
    """Vectors for the texts of a request, last text first."""
    data = [
        {"object": "embedding", "index": place, "embedding": vector_of(text)}
        for place, text in enumerate(asked.body["input"])
    ]
    usage = {"prompt_tokens": 3, "total_tokens": 3}
    return Reply(body={"object": "list", "data": change(data[::-1]), "model": "small", "usage": usage})


def model(
    server: OpenAIServer | str,
    lake: Path,
    waits: list[float] | None = None,
    name: str = NAME,
    deadline_seconds: float = 600.0,
) -> LitellmEmbedder:
    base = server if isinstance(server, str) else server.url
    kept: list[float] = [] if waits is None else waits
    cache = VectorCache(Lake(str(lake)))
    return LitellmEmbedder(
        name, cache, lambda _: FALLBACK, api_base=base, deadline_seconds=deadline_seconds, sleep=kept.append
    )


def unit(text: str) -> np.ndarray:
    vector = np.array(vector_of(text))
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def test_vectors_come_in_the_order_of_texts_and_have_length_one(tmp_path: Path) -> None:
    with openai_server(answer) as server:
        found = model(server, tmp_path).queries(["one", "three", "one"])
    assert found.dtype == np.float32
    assert found.tobytes() == np.stack([unit("one"), unit("three"), unit("one")]).tobytes()
    assert [asked.body["input"] for asked in server.asked] == [["one", "three"]]
    assert (server.asked[0].model, server.asked[0].body["encoding_format"]) == ("small", "float")


def test_documents_and_queries_are_told_as_a_model_wants_them(tmp_path: Path) -> None:
    with openai_server(answer) as server:
        for name in ("openai/embeddinggemma", "openai/nomic-embed-text", NAME):
            asked = model(server, tmp_path, name=name)
            asked.documents([("T", "B {0}")])
            asked.queries(["Q"])
    assert [asked.body["input"] for asked in server.asked] == [
        ["title: T | text: B {0}"],
        ["task: search result | query: Q"],
        ["search_document: T\nB {0}"],
        ["search_query: Q"],
        ["T\nB {0}"],
        ["Q"],
    ]


def test_what_is_known_costs_nothing_and_gives_the_same_bytes(tmp_path: Path) -> None:
    with openai_server(answer) as server:
        first = model(server, tmp_path).queries(["one", "two"])
        assert len(server.asked) == 1
    with no_network():
        again = model("http://127.0.0.1:9/v1", tmp_path)
        assert again.queries(["two", "one"]).tobytes() == first[::-1].tobytes()
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*.json"))
    assert b"one" not in kept.replace(b"none", b"")


@pytest.mark.parametrize("harm", ["cut", "other", "folder"])
def test_a_harmed_vector_is_asked_for_again(harm: str, tmp_path: Path) -> None:
    with openai_server(answer) as server:
        first = model(server, tmp_path).queries(["one"])
        (path,) = tmp_path.rglob("*.json")
        if harm == "cut":
            path.write_bytes(path.read_bytes()[:-9])
        elif harm == "other":
            path.write_bytes(path.read_bytes().replace(b'"crc32": ', b'"crc32": 1'))
        else:
            path.unlink()
            path.mkdir()
        assert model(server, tmp_path).queries(["one"]).tobytes() == first.tobytes()
        assert len(server.asked) == 2


def test_texts_are_sent_in_batches_that_stay_small(tmp_path: Path) -> None:
    texts = [f"{number:03}" for number in range(130)]
    with openai_server(answer) as server:
        asked = model(server, tmp_path)
        asked.queries(texts)
        asked.queries(["a" * 9_000 + str(number) for number in range(10)])
    sizes = [len(asked.body["input"]) for asked in server.asked]
    assert sizes == [64, 64, 2, 1]  # the long ones are cut to one and the same text
    assert max(len(text) for asked in server.asked for text in asked.body["input"]) <= 8_192


def test_the_dimension_is_asked_for_where_nothing_was_embedded_yet(tmp_path: Path) -> None:
    with openai_server(answer) as server:
        assert model(server, tmp_path).dimension == 3
        assert model(server, tmp_path).queries([]).shape == (0, 0)
    assert len(server.asked) == 1


def test_failures_that_may_pass_are_tried_again(tmp_path: Path) -> None:
    def script(asked: Asked) -> Reply:
        return fails(429, Retry_After="7") if asked.number == 0 else fails(503) if asked.number == 1 else answer(asked)

    waits: list[float] = []
    with openai_server(script) as server:
        assert model(server, tmp_path, waits).queries(["one"]).shape == (1, 3)
    assert len(server.asked) == 3
    assert 7 < waits[0] < 9 and 0 < waits[1] <= 2


def test_after_four_attempts_it_is_an_error(tmp_path: Path) -> None:
    with (
        openai_server([fails(503)]) as server,
        pytest.raises(ThermiteError, match=r"openai/small gave no vectors after 4 attempts: HTTP 503"),
    ):
        model(server, tmp_path).queries(["one"])
    assert len(server.asked) == 4


@pytest.mark.parametrize(("status", "why"), [(401, "key"), (404, "no such model"), (400, "HTTP 400")])
def test_errors_of_ours_are_not_tried_again(status: int, why: str, tmp_path: Path) -> None:
    with openai_server([fails(status)]) as server, pytest.raises(ThermiteError, match=f"after 1 attempts: .*{why}"):
        model(server, tmp_path).queries(["secret words"])
    assert len(server.asked) == 1


def test_no_wait_goes_past_the_deadline(tmp_path: Path) -> None:
    waits: list[float] = []
    with openai_server([fails(429, Retry_After="3600")]) as server, pytest.raises(ThermiteError, match="429"):
        model(server, tmp_path, waits, deadline_seconds=60).queries(["one"])
    assert waits == []


def test_batches_before_a_failure_are_kept(tmp_path: Path) -> None:
    texts = [f"{number:03}" for number in range(70)]
    with openai_server(lambda asked: fails(400) if asked.number else answer(asked)) as server:
        with pytest.raises(ThermiteError):
            model(server, tmp_path).queries(texts)
        server.script = answer
        model(server, tmp_path).queries(texts)
    assert [len(asked.body["input"]) for asked in server.asked] == [64, 6, 6]


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[1:],
        lambda data: [],
        lambda data: [one | {"index": 0} for one in data],
        lambda data: [one | {"embedding": []} for one in data],
        lambda data: [one | {"embedding": [None, 1.0]} for one in data],
        lambda data: [one | {"embedding": [1.0] * (1 + one["index"])} for one in data],
        lambda data: "vectors",
    ],
)
def test_servers_that_lie_are_not_believed(change: Callable[[list[dict[str, Any]]], Any], tmp_path: Path) -> None:
    with (
        openai_server(lambda asked: answer(asked, change)) as server,
        pytest.raises(ThermiteError, match="gave no vectors after 4 attempts"),
    ):
        model(server, tmp_path).queries(["one", "two"])
    assert not list(tmp_path.rglob("*.json"))


def test_a_model_that_changes_its_dimension_is_an_error(tmp_path: Path) -> None:
    with openai_server(answer) as server:
        model(server, tmp_path).queries(["one"])
        server.script = lambda asked: answer(asked, lambda data: [one | {"embedding": [1.0]} for one in data])
        with pytest.raises(ThermiteError, match="vectors of different lengths"):
            model(server, tmp_path).queries(["one", "two"])


def test_a_vector_of_zeros_stays_one(tmp_path: Path) -> None:
    script = [Reply(body={"object": "list", "model": "m", "data": [{"index": 0, "embedding": [0.0, 0.0]}]})]
    with openai_server(script) as server:
        assert not model(server, tmp_path).queries(["one"]).any()


def test_a_name_that_litellm_knows_no_provider_of_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(
        ThermiteError, match=r"knows no provider of the embedding model 'some-model' — .*THERMITE_EMBED"
    ):
        model("http://127.0.0.1:9/v1", tmp_path, name="some-model").queries(["one"])
