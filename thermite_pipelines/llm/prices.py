"""Prices of tokens, and bounds of what is not asked yet."""

import json
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from thermite_pipelines.llm.budget import usd
from thermite_pipelines.llm.questions import Turn

_MILLION = Decimal(1_000_000)
# Role marks and separators of chat templates take up to about ten tokens a message.
_TOKENS_A_MESSAGE = 16
# What a provider may put before the messages: a default system prompt, or the words that make a tool of a schema.
_TOKENS_A_REQUEST = 512
_BYTES_A_TOKEN = 3


@dataclass(frozen=True)
class Price:
    """USD for a token in and out. Where a table has steps, these are the highest."""

    tokens_in: Decimal
    tokens_out: Decimal

    def cost(self, tokens_in: int, tokens_out: int) -> Decimal:
        """What so many tokens cost."""
        return self.tokens_in * tokens_in + self.tokens_out * tokens_out


class Prices:
    """The price of each model: from litellm's table, else the one that the settings give.

    The table comes first, so that a price given for a small model of one's own does not count for a dear fallback.
    """

    def __init__(self, given: tuple[float, float] | None, table: Callable[[str], Price | None]) -> None:
        self._given = None if given is None else Price(*(usd(part) / _MILLION for part in given))
        self._table = table
        self._known: dict[str, Price | None] = {}

    def of(self, model: str) -> Price | None:
        """The price of a model, or None where nobody knows it."""
        if model not in self._known:
            self._known[model] = self._table(model) or self._given
        return self._known[model]


def table_price(entry: dict[str, Any]) -> Price | None:
    """The highest price of an entry of litellm's table; None where it does not count in tokens.

    Prices of batches and other services that are never asked for do not count.
    """
    found = []
    for prefixes in (("input_cost_per_token",), ("output_cost_per_token", "output_cost_per_reasoning_token")):
        values = [
            usd(value)
            for name, value in entry.items()
            if name.startswith(prefixes)
            and not name.endswith(("_batches", "_priority", "_flex"))
            and isinstance(value, int | float)
        ]
        if not values:
            return None
        found.append(max(values))
    return Price(*found)


def most_tokens(messages: Iterable[Turn], schema: dict[str, Any] | None) -> int:
    """An upper bound of the tokens of a request: no tokenizer makes more of a text than it has UTF-8 bytes.

    Some normalize first, which may lengthen a text, so the longer form counts.
    """
    texts = [text for _, text in messages]
    sent = [*texts, "" if schema is None else json.dumps(schema, ensure_ascii=False)]
    return sum(map(_bytes, sent)) + _TOKENS_A_MESSAGE * len(texts) + _TOKENS_A_REQUEST


def likely_tokens(messages: Iterable[Turn], schema: dict[str, Any] | None) -> int:
    """A rough count that is rather too high: English takes about four bytes a token, Chinese about three."""
    sent = "".join(text for _, text in messages) + ("" if schema is None else json.dumps(schema, ensure_ascii=False))
    return len(sent.encode()) // _BYTES_A_TOKEN + _TOKENS_A_MESSAGE


def _bytes(text: str) -> int:
    return max(len(text.encode()), len(unicodedata.normalize("NFKC", text).encode()))
