"""A language model that asks a scripted server, and what a test wants to see of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tests.support.openai_server import OpenAIServer
from thermite_pipelines.llm.budget import Budget
from thermite_pipelines.llm.cache import AnswerCache
from thermite_pipelines.llm.client import LanguageModel
from thermite_pipelines.llm.config import ModelConfig
from thermite_pipelines.llm.questions import CallRecord, Question
from thermite_pipelines.tables.lake import Lake


class City(BaseModel):
    """A small answer."""

    name: str
    people: int


PARIS = {"name": "Paris", "people": 2}
SECRET = "xK9-what-people-said"
KEY = "sk-0123-never-shown"


def question(number: int = 0, *, max_tokens: int = 100) -> Question[City]:
    """A question that differs from others by its number."""
    messages = (("system", "Answer about cities."), ("user", f"City {number}? {SECRET}"))
    return Question(messages, City, "ask_city/1", max_tokens)


@dataclass
class Asked:
    """A model, its calls as they were recorded, and the waits that it asked for (none is waited for)."""

    model: LanguageModel
    records: list[CallRecord]
    waits: list[float]
    now: list[float] = field(default_factory=lambda: [0.0])

    @property
    def outcomes(self) -> list[str]:
        """The outcome of each question, in order."""
        return [record.outcome for record in self.records]


def asked_of(
    server: OpenAIServer | str,
    lake: Path,
    *,
    models: Sequence[str] = ("openai/first",),
    budget: Budget | None = None,
    **config: Any,
) -> Asked:
    """A model that asks this server. Its clock only moves when it waits."""
    made = ModelConfig(tuple(models), server if isinstance(server, str) else server.url, **config)
    records: list[CallRecord] = []
    waits: list[float] = []
    now = [0.0]

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        now[0] += seconds

    cache = AnswerCache(Lake(str(lake)))
    model = LanguageModel(made, cache, records.append, budget=budget, clock=lambda: now[0], sleep=sleep)
    return Asked(model, records, waits, now)
