"""Language models as a Dagster resource: one client for all assets, with one budget for each run.

Nothing is imported from litellm before a question is asked. What a run asked and paid is in control's record at once,
and in the table `model_calls` when the asset is done.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import dagster as dg
from pydantic import PrivateAttr

from thermite_pipelines.control.leases import LeaseTaken
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.llm.budget import Budget
from thermite_pipelines.resources.rebuilds import wants_rebuild

if TYPE_CHECKING:
    from thermite_pipelines.llm.client import LanguageModel
    from thermite_pipelines.llm.questions import CallRecord, Usage


def model_of(
    home: Home,
    *,
    small: bool = False,
    record: "Callable[[CallRecord], None] | None" = None,
    budget: Budget | None = None,
) -> "LanguageModel | None":
    """The model that the settings name (`small`: the one for extraction); None for the built-in rules.

    Raises `ThermiteError` where a budget is set and the price of a model is unknown.
    """
    # Every run and every sensor loads this module; few of them ask a model.
    from thermite_pipelines.llm.config import ModelConfig

    config = ModelConfig.from_settings(home.settings, small)
    if config is None:
        return None
    from thermite_pipelines.llm.cache import AnswerCache
    from thermite_pipelines.llm.client import LanguageModel

    model = LanguageModel(config, AnswerCache(home.lake), record or (lambda _: None), budget=budget)
    model.check()
    return model


class LanguageModelResource(dg.ConfigurableResource):
    """Hands out the configured model; the budget is shared by all that a run asks."""

    _budget: Budget | None = PrivateAttr(default=None)

    @contextmanager
    def asking(
        self, context: dg.AssetExecutionContext, home: Home, campaign: str, asset: str, *, small: bool = False
    ) -> "Iterator[LanguageModel | None]":
        """The model for an asset of a campaign, or None for the rules. Each question becomes a row of `model_calls`."""

        def record(call: "CallRecord") -> None:
            from thermite_pipelines.knowledge.model_calls import record_call

            values = asdict(call)
            values["prompt_version"] = values.pop("prompt")
            record_call(home.control, campaign=campaign, asset=asset, run=context.run.run_id, **values)

        self._budget = self._budget or Budget(home.settings.llm_budget_usd)
        model = model_of(home, small=small, record=record, budget=self._budget)
        try:
            yield model
        finally:
            if model is not None or wants_rebuild(context):
                _write(context, home, campaign)


def _write(context: dg.AssetExecutionContext, home: Home, campaign: str) -> None:
    from thermite_pipelines.knowledge.model_calls import write_model_calls

    try:
        write_model_calls(home, campaign)
    except LeaseTaken as taken:
        context.log.info(f"leaves the table of calls to another: {taken}")


def usage_shown(usage: "Usage | None") -> dict[str, Any]:
    """What questions took, as metadata: usage, cost (or 'unknown'), latency and hits of the cache."""
    if usage is None:
        return {"asked": "the built-in rules"}
    asked = usage.questions - usage.cached
    return {
        "questions": usage.questions,
        "cache_hits": usage.cached,
        "without_answer": usage.failed,
        "calls": usage.calls,
        "tokens_in": usage.tokens_in,
        "tokens_out": usage.tokens_out,
        "usd": "unknown" if usage.unknown else round(usage.usd, 6),
        "ms_a_question": round(usage.ms / asked) if asked else 0,
    }
