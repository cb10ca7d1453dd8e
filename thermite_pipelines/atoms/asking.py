"""A language model as answerer: what it is shown of a batch of messages, and how batches are cut.

It sees what people typed and nothing else, but for the agent's message before, which is marked as context.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from thermite_pipelines.atoms.estimating import Cost
from thermite_pipelines.atoms.model import Answered, Extracted, Said
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.llm.client import LanguageModel
from thermite_pipelines.llm.errors import ModelError, OutOfTime, Refused, Truncated, Unavailable
from thermite_pipelines.llm.prompts import load_prompt
from thermite_pipelines.llm.questions import Answer, Question
from thermite_pipelines.safety.redaction import redact_text
from thermite_pipelines.transcripts.typed import typed_text

BATCH_CHARS = 12_000
"""What a question shows of messages at most, one message that is longer alone apart."""
CONTEXT_CHARS = 600
"""How much of the agent's message before is shown."""
ANSWER_TOKENS = 4_096
_OVERHEAD = 60  # what a message costs beside its texts: id, names, quotes


GIVE_UP_AFTER = 5
"""Questions in a row that found no model: then it is gone, and waiting for each of the rest would take hours."""


@dataclass
class _Batch:
    """A batch while its parts are asked: what they said so far, and the messages that still wait."""

    place: int
    messages: Sequence[Said]
    extracted: Extracted = field(default_factory=lambda: Extracted(atoms=[], intents=[]))
    models: list[str] = field(default_factory=list)
    unanswered: Counter[str] = field(default_factory=Counter)
    error: ModelError | None = None
    asked: int = 0  # messages that are settled

    @property
    def is_done(self) -> bool:
        """Whether all its messages are settled, or one never will be by this run."""
        return self.error is not None or self.asked >= len(self.messages)

    def answered(self, model: str) -> Answered | ModelError:
        """What became of it."""
        return self.error or Answered(self.extracted, self.models[0] if self.models else model, dict(self.unanswered))


@dataclass(frozen=True)
class _Part:
    """Some messages of a batch that are asked about at once."""

    batch: _Batch
    messages: Sequence[Said]

    def take(self, answer: Answer[Extracted] | ModelError) -> "list[_Part]":
        """Note an answer; return what is to be asked instead, where it was none."""
        batch = self.batch
        if isinstance(answer, Answer):
            batch.extracted.atoms.extend(answer.value.atoms)
            batch.extracted.intents.extend(answer.value.intents)
            batch.models.append(answer.model)
        elif isinstance(answer, (Refused, Truncated)):
            if len(self.messages) > 1:
                middle = len(self.messages) // 2
                halves = (self.messages[:middle], self.messages[middle:])
                batch.asked += sum(len(half) for half in halves if not _has_text(half))
                return [_Part(batch, half) for half in halves if _has_text(half)]
            batch.unanswered[f"model-{answer.outcome}"] += 1
        else:
            batch.error = answer
        batch.asked += len(self.messages)
        return []


class ModelAnswerer:
    """Asks a language model; every answer goes through the same gate as those of the rules."""

    def __init__(self, language_model: LanguageModel) -> None:
        self._model = language_model
        self._prompt = load_prompt("thermite_pipelines.atoms", "extract_atoms")

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

    def answer_all(self, batches: Sequence[Sequence[Said]]) -> Iterator[tuple[int, Answered | ThermiteError]]:
        """The answers as they come, by place. Where nobody typed anything there is nothing to ask.

        A batch that is refused, or whose answer is too long, is asked in halves, down to the one message that will
        never be answered: asking that again would be paid for again. Where the model can't be had for several
        questions in a row, the rest is not asked.
        """
        waiting = {place: _Batch(place, batch) for place, batch in enumerate(batches)}
        for place in [place for place, batch in enumerate(batches) if not _has_text(batch)]:
            yield place, waiting.pop(place).answered(self.model)
        parts = [_Part(batch, batch.messages) for batch in waiting.values()]
        while parts:
            again: list[_Part] = []
            for part, answer in self._ask(parts):
                again += part.take(answer)
                if part.batch.is_done and part.batch.place in waiting:
                    yield part.batch.place, waiting.pop(part.batch.place).answered(self.model)
            parts = again

    def _ask(self, parts: "Sequence[_Part]") -> "Iterator[tuple[_Part, Answer[Extracted] | ModelError]]":
        """Ask, until too many questions in a row found nobody; the rest then has that for an answer."""
        left = dict(enumerate(parts))
        in_a_row, why = 0, ""
        answers = self._model.ask_all([self._question(part.messages) for part in parts])
        for number, answer in answers:
            yield left.pop(number), answer
            is_gone = isinstance(answer, (Unavailable, OutOfTime))
            in_a_row, why = (in_a_row + 1, answer.what) if is_gone else (0, "")
            if in_a_row >= GIVE_UP_AFTER and left:
                break
        for part in left.values():
            yield part, Unavailable(f"not asked: {GIVE_UP_AFTER} questions in a row found nobody ({why})")

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
    """What the person typed of a message, cut where it is longer than a question, without credentials.

    No atom may hold one, so nothing is lost by not sending it to a model.
    """
    return redact_text(typed_text(said.text)[:BATCH_CHARS])


def _context(said: Said) -> str:
    # The end of the agent's message is what a person answers to.
    return redact_text((said.before or "")[-CONTEXT_CHARS:])


def _has_text(batch: Sequence[Said]) -> bool:
    return any(shown_text(said).strip() for said in batch)
