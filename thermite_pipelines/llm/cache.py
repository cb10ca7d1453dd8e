"""The cache of answers in the lake: `model_cache/<first 2 hex>/<sha256>.json`, named by what was asked.

Only answers that fitted their type are kept. Each file carries a hash of itself: one that is torn, foreign or changed
by hand counts as absent. It holds no time, so that asking anew for the same answer gives the same bytes.
"""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any

import rfc8785

from thermite_pipelines.llm.questions import Turn
from thermite_pipelines.tables.lake import Lake, LakeMissing

FOLDER = "model_cache"
_FORMAT = 1


@dataclass(frozen=True)
class Kept:
    """An answer as the cache holds it; tokens and USD are what it took then, None where unknown."""

    model: str
    prompt: str
    answer: str
    tokens_in: int | None
    tokens_out: int | None
    usd: float | None


def cache_key(
    model: str, messages: list[Turn], schema: dict[str, Any], parameters: dict[str, Any], prompt: str
) -> str:
    """SHA-256 of the canonical JSON (RFC 8785) of all that decides an answer, as 64 hex digits."""
    asked = {
        "model": model,
        "messages": [{"role": role, "content": text} for role, text in messages],
        "schema": schema,
        "parameters": parameters,
        "prompt": prompt,
    }
    return hashlib.sha256(rfc8785.dumps(asked)).hexdigest()


class AnswerCache:
    """Answers by key. Several threads and processes may use one at a time: a file is written whole or not at all."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def get(self, key: str) -> Kept | None:
        """The answer of a key, or None where there is none, or none that can be trusted."""
        try:
            found = json.loads(self._lake.get(_path(key)))
            claimed = found.pop("sha256")
            if claimed != _digest(found) or found.pop("key") != key or found.pop("format") != _FORMAT:
                return None
            return Kept(**found)
        except (LakeMissing, IsADirectoryError):
            return None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return None  # not JSON, not ours, or not whole

    def put(self, key: str, kept: Kept) -> None:
        """Keep an answer. Raises `ThermiteError` where the lake can't be written."""
        body: dict[str, Any] = {"format": _FORMAT, "key": key, **asdict(kept)}
        self._lake.put(_path(key), rfc8785.dumps({**body, "sha256": _digest(body)}) + b"\n")


def _path(key: str) -> str:
    return f"{FOLDER}/{key[:2]}/{key}.json"


def _digest(body: dict[str, Any]) -> str:
    return hashlib.sha256(rfc8785.dumps(body)).hexdigest()
