"""What is asked and what comes back."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from thermite_pipelines.llm.errors import Outcome

Turn = tuple[str, str]
"""A message: its role (`system`, `user`, `assistant`) and its text."""

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class Question(Generic[T]):
    """One question with a typed answer; `prompt` is its prompt's name and version, as `extract_atoms/1`."""

    messages: Sequence[Turn]
    answer: type[T]
    prompt: str
    max_tokens: int
    temperature: float = 0.0


@dataclass(frozen=True)
class Answer(Generic[T]):
    """An answer and what it took.

    Tokens, USD and attempts are those of this question with all its failed attempts: a cached answer took none. None
    is unknown: no attempt told its tokens; some attempt's cost, or its model's price, is not known.
    """

    value: T
    model: str
    cached: bool
    tokens_in: int | None
    tokens_out: int | None
    usd: float | None
    ms: int
    cache_key: str
    attempts: int


@dataclass(frozen=True)
class CallRecord:
    """What is kept of a question in the record of calls: no text. `asked_at` is in microseconds UTC."""

    model: str
    prompt: str
    tokens_in: int | None
    tokens_out: int | None
    usd: float | None
    ms: int
    cached: bool
    outcome: Outcome
    attempts: int
    cache_key: str
    asked_at: int


@dataclass(frozen=True)
class Estimate:
    """What questions would take at most, roughly: `usd` is None where the price of the first model is not known."""

    calls: int
    tokens: int
    usd: float | None
