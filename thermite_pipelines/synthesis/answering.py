"""Who answers work items: the built-in rules, or a language model where the settings name one."""

import json
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from thermite_pipelines.synthesis.answerer import Answered, Answerer
from thermite_pipelines.synthesis.work import By, Item, NewItem, Session

# Whatever loads the definitions loads this module; few of them answer anything.
if TYPE_CHECKING:
    from thermite_pipelines.atoms.estimating import Cost
    from thermite_pipelines.llm.client import LanguageModel
    from thermite_pipelines.synthesis.asking import Background
    from thermite_pipelines.synthesis.delivery import Prompter


class RulesAnswerer:
    """The built-in rules: no model, no network, and the same answer to the same item each time.

    `told` gives the facts of an item that a live synthesis cites: of these the rules make no other one.
    """

    def __init__(self, told: Callable[[Session, Item], Collection[str]] | None = None) -> None:
        self._told = told

    def ahead(self, session: Session, items: Sequence[Item]) -> None:
        """Do nothing: rules take no time to wait for."""

    def answer(self, session: Session, item: Item, refused: str | None = None) -> Answered:
        """What the rules find. After a refusal they find the same again: they know no other answer."""
        from thermite_pipelines.synthesis import rules

        told = self._told(session, item) if self._told is not None and item.step == "distill" else ()
        text = rules.answer_text(item.step, json.loads(item.facts), told)
        return Answered(text, By("rules", rules.MODEL, rules.PROMPT_VERSION))

    def estimate(self, campaign: str, items: Sequence[Item | NewItem]) -> "Cost":
        """Nothing: rules make no calls."""
        from thermite_pipelines.atoms.estimating import Cost

        return Cost()


def answerer_of(
    model: "LanguageModel | None", prompter: "Prompter", background: "Background | None" = None
) -> Answerer:
    """The answerer that asks this model with these prompts; without a model the rules, which read no prompt.

    `background` finds facts that a model is shown besides an item: see `asking`.
    """
    if model is None:
        return RulesAnswerer()
    from thermite_pipelines.synthesis.asking import ModelAnswerer

    return ModelAnswerer(model, prompter, background)
