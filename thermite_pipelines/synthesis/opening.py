"""Synthesis of a home, opened: one engine with its queue, its prompts and whoever is to answer."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from thermite_pipelines.embeddings.embedder import Embedder, embedder_of
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.synthesis.answerer import Answerer
from thermite_pipelines.synthesis.answering import answerer_of
from thermite_pipelines.synthesis.engine import Engine
from thermite_pipelines.synthesis.prompting import Prompts
from thermite_pipelines.synthesis.queue import WorkQueue
from thermite_pipelines.synthesis.surroundings import Surroundings
from thermite_pipelines.synthesis.vectors import Progress

if TYPE_CHECKING:
    from thermite_pipelines.llm.client import LanguageModel


@dataclass(frozen=True)
class Synthesis:
    """What drives sessions, the same for materializations, MCP and HTTP."""

    engine: Engine
    queue: WorkQueue
    prompts: Prompts
    surroundings: Surroundings

    def answerer(self, model: "LanguageModel | None") -> Answerer:
        """The answerer that asks this model; without one the rules."""
        return answerer_of(model, self.prompts, self.surroundings.background, self.surroundings.told)


def open_synthesis(
    home: Home, embedder: Embedder | None = None, *, keeps: bool = True, progress: Progress | None = None
) -> Synthesis:
    """The synthesis of a home. With `keeps`, vectors are kept: the caller holds the campaign's lease while it plans.

    Raises `ThermiteError` where no embedding model is set: one is needed.
    """
    engine = Engine(home, embedder or embedder_of(home.settings, home.lake), keeps=keeps, progress=progress)
    surroundings = Surroundings(engine, home.settings.methodology_min_score)
    prompts = Prompts(surroundings.offers, propose_cap=home.settings.reflect_propose_cap)
    return Synthesis(engine, WorkQueue(home.control, engine, engine), prompts, surroundings)
