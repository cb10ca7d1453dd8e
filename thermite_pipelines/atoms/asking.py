"""A language model as answerer: what it is shown of a batch of messages, and how batches are cut.

It sees what people typed and nothing else, but for the agent's message before, which is marked as context.
"""

import json
from collections.abc import Iterator, Sequence

from thermite_pipelines.atoms.estimating import Cost
from thermite_pipelines.atoms.model import Extracted, Said
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.client import LanguageModel
from thermite_pipelines.llm.prompts import load_prompt
from thermite_pipelines.llm.questions import Answer, Question
from thermite_pipelines.transcripts.typed import typed_text

BATCH_CHARS = 12_000
"""What a question shows of messages at most, one message that is longer alone apart."""
CONTEXT_CHARS = 600
"""How much of the agent's message before is shown."""
ANSWER_TOKENS = 4_096
_OVERHEAD = 60  # what a message costs beside its texts: id, names, quotes


class ModelAnswerer:
    """Asks a language model; every answer goes through the same gate as those of the rules."""

    def __init__(self, language_model: LanguageModel) -> None:
        self._model = language_model
        self._prompt = load_prompt("thermite_pipelines.atoms", "extract_atoms")
        self.answered_by: dict[int, str] = {}

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        return self._model.config.models[0]

    @property
    def models(self) -> tuple[str, ...]:
        """That name and those of its fallbacks."""
        return self._model.config.models

    @property
    def prompt_version(self) -> str:
        """Name and version of the prompt."""
        return self._prompt.label

    def batches(self, messages: Sequence[Said]) -> list[Sequence[Said]]:
        """Whole messages, as many as a question holds.

        Cut from the front, so that a full batch stays as it is when its session grows, and its answer is cached.
        """
        found: list[Sequence[Said]] = []
        start = chars = 0
        for place, said in enumerate(messages):
            size = len(shown_text(said)) + len(_context(said)) + _OVERHEAD
            if place > start and chars + size > BATCH_CHARS:
                found.append(messages[start:place])
                start, chars = place, 0
            chars += size
        if messages:
            found.append(messages[start:])
        return found

    def answer_all(self, batches: Sequence[Sequence[Said]]) -> Iterator[tuple[int, Extracted | ThermiteError]]:
        """The answers as they come, by place. Where nobody typed anything there is nothing to ask.

        `answered_by` then names the model of each answer: it may be a fallback.
        """
        self.answered_by = {}
        places = [place for place, batch in enumerate(batches) if _has_text(batch)]
        for place in sorted(set(range(len(batches))).difference(places)):
            yield place, Extracted(atoms=[], intents=[])
        for number, answer in self._model.ask_all([self._question(batches[place]) for place in places]):
            if isinstance(answer, Answer):
                self.answered_by[places[number]] = answer.model
                yield places[number], answer.value
            else:
                yield places[number], answer

    def cost(self, batches: Sequence[Sequence[Said]]) -> Cost:
        """What asking these batches would take at most; cached answers cost nothing."""
        found = self._model.estimate([self._question(batch) for batch in batches if _has_text(batch)])
        return Cost(found.calls, found.tokens, found.usd)

    def _question(self, batch: Sequence[Said]) -> Question[Extracted]:
        messages = (("system", self._prompt.text), ("user", shown(batch)))
        return Question(messages, answer=Extracted, prompt=self._prompt.label, max_tokens=ANSWER_TOKENS)


def shown(batch: Sequence[Said]) -> str:
    """A batch as a model sees it: JSON, so that no text can pass for anything but a text."""
    told = []
    for said in batch:
        if text := shown_text(said):
            context = _context(said)
            told.append({"id": said.message} | ({"context": context} if context else {}) | {"text": text})
    return json.dumps({"messages": told}, ensure_ascii=False, indent=1)


def shown_text(said: Said) -> str:
    """What the person typed of a message, cut where it is longer than a question."""
    return typed_text(said.text)[:BATCH_CHARS]


def _context(said: Said) -> str:
    # The end of the agent's message is what a person answers to.
    return (said.before or "")[-CONTEXT_CHARS:]


def _has_text(batch: Sequence[Said]) -> bool:
    return any(shown_text(said).strip() for said in batch)
