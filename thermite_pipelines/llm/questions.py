"""What is asked and answered, and what is kept of it: numbers and hashes, never a text."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel

from thermite_pipelines.llm.errors import Outcome

T = TypeVar("T", bound=BaseModel)
Messages = tuple[tuple[str, str], ...]
"""(role, content) in order; roles are `system`, `user` and `assistant`."""


@dataclass(frozen=True)
class Question(Generic[T]):
    """Messages, the type that the answer must have, and the prompt's label, such as `extract_atoms/1`.

    `max_tokens` is the limit of the answer; it also bounds what a call can cost. `check` says why a value of the type
    is no answer all the same, or None where it is one: what no schema can say. An answer that does not pass is asked
    for again like one of the wrong form, and is never kept.
    """

    messages: Messages
    answer: type[T]
    prompt: str
    max_tokens: int = 4096
    temperature: float = 0.0
    check: Callable[[T], str | None] | None = None

    def __post_init__(self) -> None:
        # Half a surrogate pair, as logs hold it now and then, can't be sent.
        clean = tuple((role, content.encode("utf-8", "replace").decode()) for role, content in self.messages)
        object.__setattr__(self, "messages", clean)


@dataclass(frozen=True)
class Spent:
    """What calls took; None where a provider did not say, so that no sum pretends to be whole."""

    tokens_in: int | None = 0
    tokens_out: int | None = 0
    usd: float | None = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            None if self.tokens_in is None or other.tokens_in is None else self.tokens_in + other.tokens_in,
            None if self.tokens_out is None or other.tokens_out is None else self.tokens_out + other.tokens_out,
            None if self.usd is None or other.usd is None else self.usd + other.usd,
        )


UNKNOWN = Spent(None, None, None)


@dataclass(frozen=True)
class Answer(Generic[T]):
    """A validated answer, who gave it, and what the question took: all its calls, 0 for a cached one."""

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
    """One question as the table of calls keeps it. `usd` None: unknown. `asked_at`: microseconds UTC."""

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
class Usage:
    """The sum of what questions took. `usd` is what is known; `unknown` counts the questions that it leaves out."""

    questions: int = 0
    cached: int = 0
    failed: int = 0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float = 0.0
    unknown: int = 0
    ms: int = 0

    def plus(self, record: CallRecord) -> "Usage":
        """This sum with one question more."""
        return replace(
            self,
            questions=self.questions + 1,
            cached=self.cached + record.cached,
            failed=self.failed + (record.outcome not in ("answered", "cached", "repaired")),
            calls=self.calls + record.attempts,
            tokens_in=self.tokens_in + (record.tokens_in or 0),
            tokens_out=self.tokens_out + (record.tokens_out or 0),
            usd=self.usd + (record.usd or 0.0),
            unknown=self.unknown + (record.usd is None),
            ms=self.ms + record.ms,
        )


@dataclass(frozen=True)
class Estimate:
    """What questions would take at most: calls without retries, tokens sent and answered, USD where a price is known.

    Cached answers count as no call.
    """

    calls: int
    cached: int
    tokens_in: int
    tokens_out: int
    usd: float | None

    @property
    def tokens(self) -> int:
        """Tokens sent and answered."""
        return self.tokens_in + self.tokens_out
