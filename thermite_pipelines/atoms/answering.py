"""Who answers: the built-in rules, or a language model where the settings name one."""

from typing import TYPE_CHECKING

from thermite_pipelines.atoms.model import Answerer

if TYPE_CHECKING:
    from thermite_pipelines.llm.client import LanguageModel


def answerer_of(model: "LanguageModel | None") -> Answerer:
    """The answerer that asks this model; without one the rules."""
    # Here and not above: what loads the definitions needs neither, and each takes its time.
    if model is None:
        from thermite_pipelines.atoms.rules import RulesAnswerer

        return RulesAnswerer()
    from thermite_pipelines.atoms.asking import ModelAnswerer

    return ModelAnswerer(model)
