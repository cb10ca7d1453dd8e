"""How much questions take before they are asked: bounds for the budget, and an estimate for people."""

import json
from collections.abc import Sequence
from typing import Any

from thermite_pipelines.llm.answers import with_schema
from thermite_pipelines.llm.cache import AnswerCache
from thermite_pipelines.llm.config import ModelConfig
from thermite_pipelines.llm.prices import price_of
from thermite_pipelines.llm.questions import Estimate, Messages, Question

_OF_A_CALL = 64
_OF_A_MESSAGE = 16
# English takes about 4 bytes a token, code and other languages about 3: the estimate is on the high side.
_BYTES_A_TOKEN = 3


def most_tokens(messages: Messages, form: dict[str, Any] | None) -> int:
    """The most tokens that a call can send: no token is shorter than a byte of its UTF-8 text."""
    text = sum(len(content.encode()) + _OF_A_MESSAGE for _, content in messages)
    return text + _OF_A_CALL + (len(json.dumps(form, ensure_ascii=False).encode()) if form else 0)


def estimate(questions: Sequence[Question[Any]], cache: AnswerCache, config: ModelConfig) -> Estimate:
    """Calls, tokens and USD of the questions whose answers are not cached, without retries and repair questions."""
    sent = answered = calls = cached = 0
    for question in questions:
        if cache.find(config.models, question) is not None:
            cached += 1
            continue
        calls += 1
        text = sum(
            len(content.encode()) + _OF_A_MESSAGE for _, content in with_schema(question.messages, question.answer)
        )
        sent += -(-text // _BYTES_A_TOKEN)
        answered += question.max_tokens
    if not calls:
        return Estimate(0, cached, 0, 0, 0.0)
    price = price_of(config.models[0], config.price)
    return Estimate(calls, cached, sent, answered, None if price is None else price.most(sent, answered))
