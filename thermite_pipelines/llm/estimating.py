"""How much questions take before they are asked: bounds for the budget, and an estimate for people."""

import json
import unicodedata
from collections.abc import Sequence
from typing import Any

from thermite_pipelines.llm.answers import response_format, with_schema
from thermite_pipelines.llm.cache import AnswerCache, cache_key
from thermite_pipelines.llm.config import ModelConfig
from thermite_pipelines.llm.questions import Estimate, Messages, Question

# What a provider may put before the messages: a system prompt of its own, or the words that make a tool of a schema.
_OF_A_CALL = 512
_OF_A_MESSAGE = 16


def most_tokens(messages: Messages, form: dict[str, Any] | None) -> int:
    """The most tokens that a call can send: no token is shorter than a byte of its UTF-8 text.

    Some tokenizers normalize a text first, which may lengthen it: then the longer form counts.
    """
    texts = [content for _, content in messages] + ([json.dumps(form, ensure_ascii=False)] if form else [])
    longest = (max(len(text.encode()), len(unicodedata.normalize("NFKC", text).encode())) for text in texts)
    return sum(longest) + _OF_A_MESSAGE * len(messages) + _OF_A_CALL


def estimate(questions: Sequence[Question[Any]], cache: AnswerCache, config: ModelConfig) -> Estimate:
    """The most that one call of the first model takes for each question whose answer is not cached.

    Tokens are bounded as for the budget, by bytes: the bill is often a third of it. Repair questions, calls that are
    tried again and those of fallbacks come on top. The same question asked twice is a call once.
    """
    sent = answered = cached = 0
    seen: set[str] = set()
    for question in questions:
        if (key := cache_key(config.models[0], question)) in seen or cache.find(config.models, question) is not None:
            cached += 1
            continue
        seen.add(key)
        sent += most_tokens(with_schema(question.messages, question.answer), response_format(question.answer))
        answered += question.max_tokens
    if not seen:
        return Estimate(0, cached, 0, 0, 0.0)
    price = config.price_of(config.models[0])
    return Estimate(len(seen), cached, sent, answered, None if price is None else price.most(sent, answered))
