"""Answers by the hash of what was asked: asked again, the same question gets the same bytes and costs nothing.

One file an answer, each vouching for itself: what is torn, changed or of another key counts as absent.
"""

import errno
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import rfc8785
from pydantic import BaseModel

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.answers import schema_of
from thermite_pipelines.llm.questions import Question
from thermite_pipelines.tables.lake import Lake

T = TypeVar("T", bound=BaseModel)

FOLDER = "model_cache"
# What is wrong with one place. Of a full disk, say, the run must know: it would pay for answers that it can't keep.
_OF_ONE_PLACE = (errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST, errno.EACCES, errno.EPERM)


@dataclass(frozen=True)
class Hit:
    """A cached answer, the model that gave it, and its key."""

    value: Any
    model: str
    key: str


def cache_key(model: str, question: Question[Any]) -> str:
    """Hex SHA-256 of the RFC 8785 JSON of everything that an answer depends on."""
    asked = {
        "model": model,
        "messages": [list(message) for message in question.messages],
        "schema": schema_of(question.answer),
        "parameters": {"max_tokens": question.max_tokens, "temperature": question.temperature},
        "prompt": question.prompt,
    }
    return hashlib.sha256(rfc8785.dumps(asked)).hexdigest()


class AnswerCache:
    """The folder `model_cache` of a lake; safe for several threads and processes, since a file is written whole."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake

    def find(self, models: Sequence[str], question: Question[Any]) -> Hit | None:
        """The answer of the first of these models that has one."""
        for model in models:
            key = cache_key(model, question)
            value = self._read(key, model, question)
            if value is not None:
                return Hit(value, model, key)
        return None

    def put(self, model: str, question: Question[Any], value: BaseModel) -> str:
        """Keep a validated answer; gives its key.

        Where something else lies in the file's place, it is not kept. Raises `ThermiteError` where nothing can be.
        """
        key = cache_key(model, question)
        held = {"key": key, "model": model, "prompt": question.prompt, "value": value.model_dump(mode="json")}
        try:
            self._lake.put(_path(key), _json({"sha256": _digest(held), **held}))
        except ThermiteError as error:
            if not isinstance(error.__cause__, OSError) or error.__cause__.errno not in _OF_ONE_PLACE:
                raise
        return key

    def _read(self, key: str, model: str, question: Question[T]) -> T | None:
        try:
            held = json.loads(self._lake.get(_path(key)))
            digest = held.pop("sha256")
            if held["key"] != key or held["model"] != model or digest != _digest(held):
                return None
            value = question.answer.model_validate_json(_json(held["value"]), strict=True)
        except (ThermiteError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        # What passed once need not pass any more: its check may have become stricter.
        return value if question.check is None or question.check(value) is None else None


def _path(key: str) -> str:
    return f"{FOLDER}/{key[:2]}/{key}.json"


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _digest(held: Any) -> str:
    return hashlib.sha256(_json(held)).hexdigest()
