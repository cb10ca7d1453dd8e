"""Which models are asked, and how long, how often and for how much."""

from dataclasses import dataclass
from typing import Self

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.prices import Price, price_of, provider_in
from thermite_pipelines.settings import Settings, parse_price

RULES = "rules"
"""The setting of a model for the answerer that is built in: it asks nobody."""


@dataclass(frozen=True)
class ModelConfig:
    """How questions are asked.

    `models`: the first and its fallbacks, as litellm names them. `api_base`: for the first model, and for fallbacks of
    the same provider. `price`: USD for a million tokens sent and answered, see `price_of`.
    `deadline_seconds` is for one question with all its attempts, waits between them included. `max_attempts`: calls
    of one model that may fail in passing before the next is asked.
    """

    models: tuple[str, ...]
    api_base: str | None = None
    price: tuple[float, float] | None = None
    budget_usd: float | None = None
    concurrency: int = 4
    timeout_seconds: float = 120.0
    deadline_seconds: float = 600.0
    max_attempts: int = 4

    def __post_init__(self) -> None:
        if not self.models or self.concurrency < 1 or self.max_attempts < 1:
            raise ValueError("at least one model, one call at a time and one attempt")

    def price_of(self, model: str) -> Price | None:
        """A model's price: where it is asked at `api_base`, the given one; else litellm's, and the given one as a last.

        litellm's table holds what the provider itself takes, which a server at another address need not.
        """
        elsewhere = self.api_base is not None and provider_in(model) == provider_in(self.models[0])
        return price_of(model, self.price, elsewhere=elsewhere)

    @classmethod
    def from_settings(cls, settings: Settings, small: bool) -> Self | None:
        """What the settings say, for the small model or the other; None for `rules`.

        Raises `ThermiteError` where `rules` is a fallback: its answers would be taken for a model's.
        """
        first = (small and settings.llm_small_model) or settings.llm_model
        if first == RULES:
            return None
        fallbacks = [name for part in settings.llm_fallbacks.split(",") if (name := part.strip())]
        if RULES in fallbacks:
            raise ThermiteError(
                f"THERMITE_LLM_FALLBACKS names `{RULES}`, which is no language model", do="leave it out there"
            )
        return cls(
            models=tuple(dict.fromkeys([first, *fallbacks])),
            api_base=settings.llm_api_base or None,
            price=parse_price(settings.llm_price) if settings.llm_price else None,
            budget_usd=settings.llm_budget_usd,
            concurrency=settings.llm_concurrency,
            timeout_seconds=settings.llm_timeout_seconds,
            deadline_seconds=settings.llm_deadline_seconds,
        )
