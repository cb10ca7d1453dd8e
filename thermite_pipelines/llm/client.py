"""Asking language models: typed answers, cached, within a budget and a deadline, with our own retries.

A refusal is an answer: no other model is asked until one complies. A model that can't be had (no connection, no key,
errors of its server) is another matter: then the next of the list is asked.
"""

import random
import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm import answers, wire
from thermite_pipelines.llm.answers import WrongForm
from thermite_pipelines.llm.budget import Budget
from thermite_pipelines.llm.cache import AnswerCache, cache_key
from thermite_pipelines.llm.config import ModelConfig
from thermite_pipelines.llm.errors import (
    BadAnswer,
    BudgetReached,
    ModelError,
    Outcome,
    OutOfTime,
    Refused,
    Truncated,
    Unavailable,
)
from thermite_pipelines.llm.estimating import estimate, most_tokens
from thermite_pipelines.llm.pool import Turns, ask_each
from thermite_pipelines.llm.prices import Price
from thermite_pipelines.llm.questions import Answer, CallRecord, Estimate, Messages, Question, Spent, Usage
from thermite_pipelines.times import now_micros

T = TypeVar("T", bound=BaseModel)

_FIRST_WAIT = 1.0
_LONGEST_WAIT = 30.0


@dataclass
class _Asking:
    """What became of one question so far."""

    question: Question[Any]
    stop: threading.Event
    begun: float
    until: float
    asked_at: int
    model: str
    attempts: int = 0
    failed: int = 0
    spent: Spent = field(default_factory=Spent)


class LanguageModel:
    """Models of a list, asked one after the other where the first can't be had. Safe for several threads.

    `record_call` gets one record for each question, never two at a time. `budget` is for a run with several models;
    without it, the configured one is this object's own. `clock` gives seconds that only grow; `sleep` waits for them.
    """

    def __init__(
        self,
        config: ModelConfig,
        cache: AnswerCache,
        record_call: Callable[[CallRecord], None],
        *,
        budget: Budget | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] | None = None,
    ) -> None:
        self.config = config
        self.budget = Budget(config.budget_usd) if budget is None else budget
        self._cache = cache
        self._record_call = record_call
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._turns = Turns()
        self._usage = Usage()
        self._without_format: set[str] = set()
        self._prices: dict[str, Price | None] = dict.fromkeys(config.models)
        self._priced = False

    @property
    def usage(self) -> Usage:
        """The sum of what was asked of this object so far."""
        with self._lock:
            return self._usage

    def check(self) -> None:
        """Raise `ThermiteError` where there is a budget and a model without a known price. Asks nobody."""
        with self._lock:
            if not self._priced:
                self._prices = {name: self.config.price_of(name) for name in self.config.models}
                self._priced = True
            unknown = [name for name, price in self._prices.items() if price is None]
        if self.budget.usd is not None and unknown:
            raise ThermiteError(
                f"THERMITE_LLM_BUDGET_USD is set, but no price is known for {', '.join(unknown)}",
                do="set THERMITE_LLM_PRICE to `in,out`: USD for a million tokens sent and answered",
            )

    def ask(self, question: Question[T]) -> Answer[T]:
        """The answer, from the cache where it is known.

        Raises a `ModelError` where there is none, and `ThermiteError` for settings that can't work (see `check`).
        """
        return self._ask(question, threading.Event())

    def ask_all(self, questions: Sequence[Question[T]]) -> Generator[tuple[int, Answer[T] | ModelError], None, None]:
        """Each question's place and its answer, or why there is none, as they come.

        So many are asked at once as configured. An answer is in the cache before it is given. After the first
        `BudgetReached` no call is begun, but cached answers still come. Who stops early leaves no call running: it
        waits for those in flight.
        """
        return ask_each(questions, self._ask, self.config.concurrency)

    def estimate(self, questions: Sequence[Question[Any]]) -> Estimate:
        """What asking these would take at most, by the first model's price. Asks nobody, not even litellm."""
        return estimate(questions, self._cache, self.config)

    def _ask(self, question: Question[T], stop: threading.Event) -> Answer[T]:
        if (known := self._known(question, stop)) is not None:
            return known
        self.check()
        wire.load()
        # Two threads with the same question: the second finds what the first has paid for.
        with self._turns.of(cache_key(self.config.models[0], question)):
            return self._known(question, stop) or self._paid(question, stop)

    def _known(self, question: Question[T], stop: threading.Event) -> Answer[T] | None:
        asking = self._begin(question, stop)
        hit = self._cache.find(self.config.models, question)
        if hit is None:
            return None
        asking.model = hit.model
        return self._answer(asking, hit.value, hit.key, "cached")

    def _paid(self, question: Question[T], stop: threading.Event) -> Answer[T]:
        asking = self._begin(question, stop)
        try:
            value, outcome = self._first_that_can_be_had(asking)
        except ModelError as error:
            if asking.attempts or not stop.is_set():
                self._record(asking, error.outcome, cache_key(asking.model, question))
            raise
        key = cache_key(asking.model, question)
        try:
            self._cache.put(asking.model, question, value)
        except ThermiteError:
            self._record(asking, outcome, key)  # it was paid, kept or not
            raise
        return self._answer(asking, value, key, outcome)

    def _begin(self, question: Question[Any], stop: threading.Event) -> _Asking:
        begun = self._clock()
        until = begun + self.config.deadline_seconds
        return _Asking(question, stop, begun, until, now_micros(), self.config.models[0])

    def _answer(self, asking: _Asking, value: T, key: str, outcome: Outcome) -> Answer[T]:
        ms = self._record(asking, outcome, key)
        spent = asking.spent
        cached = outcome == "cached"
        return Answer(
            value, asking.model, cached, spent.tokens_in, spent.tokens_out, spent.usd, ms, key, asking.attempts
        )

    def _record(self, asking: _Asking, outcome: Outcome, key: str) -> int:
        ms = round((self._clock() - asking.begun) * 1000)
        spent = asking.spent
        record = CallRecord(
            model=asking.model,
            prompt=asking.question.prompt,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            usd=spent.usd,
            ms=ms,
            cached=outcome == "cached",
            outcome=outcome,
            attempts=asking.attempts,
            cache_key=key,
            asked_at=asking.asked_at,
        )
        with self._lock:
            self._usage = self._usage.plus(record)
            self._record_call(record)
        return ms

    def _first_that_can_be_had(self, asking: _Asking) -> tuple[Any, Outcome]:
        failed: list[ModelError] = []
        for model in self.config.models:
            asking.model, asking.failed = model, 0
            try:
                return self._value(asking)
            except (Unavailable, OutOfTime) as error:
                failed.append(error)
                if asking.stop.is_set() or self._clock() >= asking.until:
                    break
        why = "; ".join(error.what for error in failed)
        raise type(failed[-1])(why, where=failed[-1].where)

    def _value(self, asking: _Asking) -> tuple[Any, Outcome]:
        """The value that one model gives, and whether it took the repair question."""
        question = asking.question
        messages = answers.with_schema(question.messages, question.answer)
        text = self._text(asking, messages)
        try:
            return answers.parse(text, question.answer, question.check), "answered"
        except WrongForm as wrong:
            messages = answers.repair(messages, text, wrong)
        text = self._text(asking, messages)
        try:
            return answers.parse(text, question.answer, question.check), "repaired"
        except WrongForm:
            error = self._error(BadAnswer, asking, "gave no answer of the wanted form, nor after a repair question")
        raise error

    def _text(self, asking: _Asking, messages: Messages) -> str:
        """What one model says to these messages, with retries while its failures may pass."""
        while True:
            formed = asking.model not in self._without_format
            came = self._call(asking, messages, formed)
            if isinstance(came, wire.Reply):
                if came.refusal or came.finish == "content_filter":
                    raise self._error(Refused, asking, "refused to answer")
                if came.finish == "length":
                    raise self._error(
                        Truncated, asking, f"did not end its answer within {asking.question.max_tokens} tokens"
                    )
                if not answers.fits(came.text, asking.question.max_tokens):
                    raise self._error(BadAnswer, asking, "gave more text than its limit of tokens can hold")
                return came.text
            if came.kind == "format" and formed:
                self._without_format.add(asking.model)
            elif came.kind == "absent":
                raise self._error(Unavailable, asking, f"can't be had: {came.why}")
            elif came.kind in ("refused", "format"):
                raise self._error(Refused, asking, f"does not take the question: {came.why}")
            else:
                self._wait(asking, came)

    def _wait(self, asking: _Asking, failure: wire.Failure) -> None:
        """Wait before the next call. Raises `Unavailable` after the last one, `OutOfTime` where no time is left."""
        asking.failed += 1
        if asking.failed >= self.config.max_attempts:
            raise self._error(Unavailable, asking, f"can't be had after {asking.failed} attempts: {failure.why}")
        longest = min(_FIRST_WAIT * 2 ** (asking.failed - 1), _LONGEST_WAIT)
        # At random, so that calls that failed together do not come back together.
        seconds = longest * random.uniform(0.5, 1.0)
        if failure.retry_after is not None:
            seconds = failure.retry_after + 0.1 * seconds
        if self._clock() + seconds >= asking.until:
            raise self._error(OutOfTime, asking, f"{self._deadline()}: {failure.why}")
        if self._sleep is None:
            asking.stop.wait(seconds)
        else:
            self._sleep(seconds)

    def _deadline(self) -> str:
        return f"gave no answer within {self.config.deadline_seconds:g} s"

    def _call(self, asking: _Asking, messages: Messages, formed: bool) -> wire.Reply | wire.Failure:
        """One call, its greatest cost set aside before and settled after."""
        question, model = asking.question, asking.model
        form = answers.response_format(question.answer) if formed else None
        base = self.config.api_base
        if wire.provider_of(model) != wire.provider_of(self.config.models[0]):
            base = None
        price = self._prices[model]
        most = price.most(most_tokens(messages, form), question.max_tokens) if price is not None else 0.0
        self._set_aside(asking, most)
        spent = None
        try:
            timeout = min(self.config.timeout_seconds, asking.until - self._clock())
            if timeout <= 0:
                spent = wire.FREE
                raise self._error(OutOfTime, asking, self._deadline())
            call = wire.Call(model, messages, form, question.max_tokens, question.temperature, timeout, base)
            asking.attempts += 1
            came = wire.send(call, price)
            spent = came.spent
            asking.spent += spent
            return came
        finally:
            self.budget.settle(most, None if spent is None else spent.usd)

    def _set_aside(self, asking: _Asking, most: float) -> None:
        before = self._clock()
        room = self.budget.set_aside(most, asking.stop)
        # That others had to finish first is no fault of this question.
        asking.until += self._clock() - before
        if room and not asking.stop.is_set():
            return
        if room:
            self.budget.settle(most, 0.0)
        if asking.stop.is_set():
            raise self._error(Unavailable, asking, "was not asked on: nobody waits for the answer")
        raise BudgetReached(
            f"the budget of {self.budget.usd:g} USD is reached: the next call may cost up to {most:.2g} USD,"
            f" {self.budget.spent:.4g} USD are spent",
            do="raise THERMITE_LLM_BUDGET_USD, or start another run; answers so far are kept",
        )

    def _error(self, kind: type[ModelError], asking: _Asking, what: str) -> ModelError:
        return kind(f"the model {asking.model} {what}", where=f"prompt {asking.question.prompt}")
