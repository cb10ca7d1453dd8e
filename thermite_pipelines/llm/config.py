"""How models are asked: which ones, where, at what price, and how long."""

from dataclasses import dataclass

RULES = "rules"
"""The setting's word for no model at all; it is never asked for here."""


@dataclass(frozen=True)
class ModelConfig:
    """What a `LanguageModel` needs to know.

    `models`: litellm names, the first and its fallbacks in order. `api_base`: the address of an OpenAI-compatible
    server; models of other providers are not sent there. `price`: USD for a million tokens (in, out), for models that
    litellm's table does not know. `timeout_seconds` is for an attempt, `deadline_seconds` for all attempts of a
    question, `max_attempts` the number of tries at one model that fails for a while.
    """

    models: tuple[str, ...]
    api_base: str | None = None
    price: tuple[float, float] | None = None
    budget_usd: float | None = None
    concurrency: int = 4
    timeout_seconds: float = 120.0
    deadline_seconds: float = 300.0
    max_attempts: int = 4

    def __post_init__(self) -> None:
        if not self.models or RULES in self.models or "" in self.models:
            raise ValueError(f"{self.models} are no models to ask: rules are answered elsewhere")
        if min(self.concurrency, self.timeout_seconds, self.deadline_seconds, self.max_attempts) <= 0:
            raise ValueError("concurrency, time-out, deadline and attempts are positive")

    @classmethod
    def of(
        cls,
        model: str,
        *,
        fallbacks: tuple[str, ...] = (),
        api_base: str | None = None,
        price: tuple[float, float] | None = None,
        budget_usd: float | None = None,
        concurrency: int = 4,
        timeout_seconds: float = 120.0,
        deadline_seconds: float = 300.0,
        max_attempts: int = 4,
    ) -> "ModelConfig":
        """Make it from plain values of settings: empty ones count as not given, a repeated name counts once."""
        return cls(
            tuple(dict.fromkeys((model, *fallbacks))),
            api_base or None,
            price,
            budget_usd,
            concurrency,
            timeout_seconds,
            deadline_seconds,
            max_attempts,
        )
