"""One call of an embedding model through litellm, and what came of it. Nothing is tried twice here."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Any

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm import wire
from thermite_pipelines.llm.questions import UNKNOWN


def embed(model: str, texts: Sequence[str], api_base: str | None, timeout: float) -> list[list[float]] | wire.Failure:
    """A vector for each text, in order; all have one length and hold finite numbers only.

    Raises `ThermiteError` for a model that litellm knows no provider of.
    """
    return wire.in_time(lambda: _embedded(model, texts, api_base, timeout), timeout)


def _embedded(
    model: str, texts: Sequence[str], api_base: str | None, timeout: float
) -> list[list[float]] | wire.Failure:
    litellm = wire.load()
    arguments = wire.address(api_base, _provider_of(model)) if api_base else {}
    _provider_of(model)
    try:
        response = litellm.embedding(
            model=model,
            input=list(texts),
            timeout=timeout,
            max_retries=0,
            drop_params=True,
            encoding_format="float",
            **arguments,
        )
        vectors = _vectors(response.data)
    except Exception as error:  # noqa: BLE001 - providers' code raises anything, down to IndexError
        return wire.failure_of(error)
    if len(vectors) != len(texts) or len({len(vector) for vector in vectors}) != 1:
        return wire.Failure("passing", "not one vector for each text", UNKNOWN)
    return vectors


def _vectors(data: Any) -> list[list[float]]:
    """The vectors of an answer in the order of their texts. Raises `ValueError` and its like for anything else."""
    parts = sorted(data, key=lambda part: part["index"])
    if [part["index"] for part in parts] != list(range(len(parts))):
        raise ValueError("vectors without a place")
    vectors = [[float(number) for number in part["embedding"]] for part in parts]
    if not all(vector and all(map(math.isfinite, vector)) for vector in vectors):
        raise ValueError("a vector with a number that is none")
    return vectors


@cache
def _provider_of(model: str) -> str:
    litellm = wire.load()
    try:
        return litellm.get_llm_provider(model)[1]
    except litellm.exceptions.BadRequestError:
        raise ThermiteError(
            f"litellm knows no provider of the embedding model {model!r}",
            do="write it as `provider/model`, such as openai/text-embedding-3-small, in THERMITE_EMBED_MODEL",
        ) from None
