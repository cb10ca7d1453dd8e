"""What models cost, of the table that litellm ships, read as a file: importing litellm takes seconds.

The table has tiers for long inputs and dearer regions. What is set aside before a call takes the dearest of them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_TABLE = "model_prices_and_context_window_backup.json"
_SENT = ("input_cost_per_token", "cache_creation_input_token_cost")
_ANSWERED = ("output_cost_per_token", "output_cost_per_reasoning_token")
_NOT_ASKED_FOR = ("_priority", "_flex", "_batches", "_ultrafast", "_balanced")
_MILLION = 1_000_000


@dataclass(frozen=True)
class Price:
    """USD for a million tokens sent and answered. `in_table`: litellm knows the model and can tell a call's cost."""

    sent: float
    answered: float
    most_sent: float
    most_answered: float
    in_table: bool

    def most(self, tokens_in: int, tokens_out: int) -> float:
        """The most that so many tokens can cost, in USD."""
        return (tokens_in * self.most_sent + tokens_out * self.most_answered) / _MILLION

    def usual(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost without tiers and uplifts, in USD."""
        return (tokens_in * self.sent + tokens_out * self.answered) / _MILLION


@cache
def table() -> Mapping[str, Mapping[str, Any]]:
    """litellm's table of models; empty where the package has none."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    path = Path(spec.origin).parent / _TABLE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def price_of(model: str, given: tuple[float, float] | None = None, *, elsewhere: bool = False) -> Price | None:
    """A model's price: of the table, else the one given as (in, out) USD for a million tokens, else None.

    `elsewhere`: it is not its provider that is asked, so that the given price comes first.
    """
    entry = _entry(model)
    if entry is not None and not (elsewhere and given is not None):
        sent, answered = (float(entry[keys[0]]) * _MILLION for keys in (_SENT, _ANSWERED))
        return Price(sent, answered, _dearest(entry, _SENT), _dearest(entry, _ANSWERED), True)
    return None if given is None else Price(*given, *given, False)


def provider_in(model: str) -> str:
    """The provider in a model's name, or in the table where the name has none; else an empty text."""
    provider, slash, _ = model.partition("/")
    return provider if slash else str(table().get(model, {}).get("litellm_provider", ""))


def _entry(model: str) -> Mapping[str, Any] | None:
    provider, _, name = model.partition("/")
    for key in (model, name):
        entry = table().get(key)
        if entry is None or (key != model and entry.get("litellm_provider") != provider):
            continue
        if all(isinstance(entry.get(keys[0]), int | float) for keys in (_SENT, _ANSWERED)):
            return entry
    return None


def _dearest(entry: Mapping[str, Any], names: tuple[str, ...]) -> float:
    prices = [
        float(value)
        for key, value in entry.items()
        if key.startswith(names) and not key.endswith(_NOT_ASKED_FOR) and isinstance(value, int | float)
    ]
    uplifts = [
        float(value) for key, value in entry.items() if "uplift_multiplier" in key and isinstance(value, int | float)
    ]
    return max(prices) * max([1.0, *uplifts]) * _MILLION
