"""Who answers: the built-in rules, or a language model where the settings name one."""

from thermite_pipelines.atoms.asking import ModelAnswerer
from thermite_pipelines.atoms.model import Answerer
from thermite_pipelines.atoms.rules import RulesAnswerer
from thermite_pipelines.llm.client import LanguageModel


def answerer_of(model: LanguageModel | None) -> Answerer:
    """The answerer that asks this model; without one the rules."""
    return RulesAnswerer() if model is None else ModelAnswerer(model)
