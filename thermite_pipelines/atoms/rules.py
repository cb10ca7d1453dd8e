"""The rules answerer: atoms and intents by signal phrases, without a model and without a network.

It reads what was typed sentence by sentence. A statement is the person's own sentence without its fillers, a quote the
exact words it was taken from; whatever else an atom says comes from the message or the agent's message before it.
"""

from collections.abc import Iterator, Sequence

from thermite_pipelines.atoms.model import NONE_STATED, Extracted, ExtractedAtom, ExtractedIntent, Said
from thermite_pipelines.atoms.signals import conditions
from thermite_pipelines.atoms.signals.corrections import Correction, corrections, is_request, skip_openers
from thermite_pipelines.atoms.signals.detect import type_of, usable
from thermite_pipelines.atoms.signals.language import Language
from thermite_pipelines.atoms.signals.sentences import Sentence, language_of, sentences_of
from thermite_pipelines.atoms.signals.tags import domain_of
from thermite_pipelines.atoms.statements import dangling, spans_of
from thermite_pipelines.errors import ThermiteError

BATCH = 200
"""Messages of one batch: the rules read any number, and a batch is what a kill loses."""
LONGEST_STATEMENT = 480
MOST = 12
"""Atoms that are taken from one message: nobody types more that is worth keeping."""
_LONGEST_INTENT = 200
_LONGEST_WRONG = 300
_MOST_INTENTS = 3
_FEWEST_ASKED = 2
_EXTENDED = {"workflow": 4, "mental_model": 2}
"""Types whose substance often stands in the sentences after the phrase, and how many of those are taken."""
_EDGES = " ,.;:!—–-、。，；：！\n\t"

_CONTRARY = {
    "en": 'Not "{wrong}": {right}',
    "de": "Nicht „{wrong}“: {right}",
    "fr": "Non pas « {wrong} » : {right}",
    "es": "No «{wrong}»: {right}",
    "zh": "并非“{wrong}”：{right}",
    "ja": "「{wrong}」ではない：{right}",
}
"""A correction whose sentence only says 'it' is told beside what it corrects, so that it can be read alone."""


class RulesAnswerer:
    """Answers by signal phrases; the same messages always give the same answer."""

    @property
    def model(self) -> str:
        """The name of this answerer."""
        return "rules"

    @property
    def models(self) -> tuple[str, ...]:
        """That name alone."""
        return ("rules",)

    @property
    def prompt_version(self) -> str:
        """The version of the rules: a change of what they find is a new one."""
        return "rules/1"

    def batches(self, messages: Sequence[Said]) -> list[Sequence[Said]]:
        """Runs of at most `BATCH` messages, in order."""
        return [messages[first : first + BATCH] for first in range(0, len(messages), BATCH)]

    def answer_all(self, batches: Sequence[Sequence[Said]]) -> Iterator[tuple[int, Extracted | ThermiteError]]:
        """What each batch holds, in order; never an error."""
        for number, batch in enumerate(batches):
            found = Extracted(atoms=[], intents=[])
            for said in batch:
                one = read_message(said)
                found.atoms += one.atoms
                found.intents += one.intents
            yield number, found


def read_message(said: Said) -> Extracted:
    """The atoms and intents of one message."""
    spans = spans_of(said.text)
    language = language_of(" ".join(said.text[first:last] for first, last in spans[:20]))
    if language is None:
        return Extracted(atoms=[], intents=[])
    sentences = sentences_of(said.text, spans)
    atoms: list[ExtractedAtom] = []
    if any(language.any_signal.search(sentence.low) for sentence in sentences):
        atoms = _Reader(said, language, sentences).atoms()
    return Extracted(atoms=atoms, intents=_intents(said, sentences, language))


def _intents(said: Said, sentences: Sequence[Sentence], language: Language) -> list[ExtractedIntent]:
    """What the person asks for: one line for each request, at most three; without one, the first question."""
    found: list[str] = []
    question = ""
    for sentence in sentences:
        start = skip_openers(sentence, language)
        low = sentence.low[start:]
        requests = is_request(low, language) or language.search("asks", low) is not None
        if not requests and (question or not sentence.asks):
            continue
        line = " ".join(sentence.text[start:].split())
        if language.is_all("courtesies", low) or sentence.size < _FEWEST_ASKED or line in found:
            continue
        if not requests:
            question = line
            continue
        found.append(line)
        if len(found) == _MOST_INTENTS:
            break
    found = found or ([question] if question else [])
    return [ExtractedIntent(message=said.message, text=_cut(line)) for line in found]


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_INTENT else line[: _LONGEST_INTENT - 1].rstrip() + "…"


class _Reader:
    """Reads the sentences of one message that holds a signal."""

    def __init__(self, said: Said, language: Language, sentences: Sequence[Sentence]) -> None:
        self._said = said
        self._language = language
        self._sentences = sentences
        self._used: set[int] = set()

    def atoms(self) -> list[ExtractedAtom]:
        """All atoms, corrections first; a sentence is used for one atom."""
        found: list[ExtractedAtom] = []
        for correction in corrections(self._sentences, self._language, self._said.before):
            if atom := self._correction(correction):
                found.append(atom)
                self._used.update(range(correction.first, correction.last + 1))
        for number in range(len(self._sentences)):
            if len(found) >= MOST:
                break
            if number not in self._used and (atom := self._other(number)):
                found.append(atom)
        return found

    def _correction(self, correction: Correction) -> ExtractedAtom | None:
        first, last = self._sentences[correction.first], self._sentences[correction.last]
        end = self._without_request(last, correction.right)
        statement = _tidy(self._said.text[correction.right : end])
        wrong = _tidy(correction.wrong)[:_LONGEST_WRONG]
        if dangling(statement):
            statement = _CONTRARY[self._language.code].format(wrong=wrong, right=statement)
        quote = self._said.text[first.start : end].strip()
        return self._atom("correction", statement, quote, wrong, self._why(quote, wrong))

    def _without_request(self, sentence: Sentence, right: int) -> int:
        part = usable(sentence, self._language)
        return part.end if part is not None and part.end > right + 10 else sentence.end

    def _why(self, quote: str, wrong: str) -> str:
        """The person's own reason where one is told, else what the agent had said."""
        low = quote.lower()
        if len(low) == len(quote) and (match := self._language.search("reasons", low)):
            return _tidy(quote[match.start() :])[:_LONGEST_WRONG]
        if self._said.before:
            return f'The agent had said: "{wrong}".'
        return f'The person rejects: "{wrong}".'

    def _other(self, number: int) -> ExtractedAtom | None:
        part = usable(self._sentences[number], self._language)
        if part is None:
            return None
        following = self._sentences[number + 1 : number + 5]
        kind = type_of(part, following, self._language)
        if kind is None:
            return None
        start, end = part.start, part.end
        if kind == "open_question" and end < self._sentences[number].end:
            return None  # an uncertainty with a request behind it is a task for the agent
        if kind == "open_question" and number and self._asked(self._sentences[number - 1]):
            return None
        if part.end == self._sentences[number].end:
            end = self._extended(kind, number, part)
        if dangling(_tidy(self._stripped(start, end))):
            if number == 0 or (earlier := self._context(number - 1)) is None:
                return None
            start = earlier
        statement = _tidy(self._stripped(start, end))
        return self._atom(kind, statement, self._said.text[start:end].strip(), "", "")

    def _asked(self, sentence: Sentence) -> bool:
        """Whether a sentence asks the agent for something: the doubt behind it tells why, or what exactly is asked."""
        low = sentence.low[skip_openers(sentence, self._language) :]
        return sentence.asks or is_request(low, self._language) or self._language.search("asks", low) is not None

    def _context(self, number: int) -> int | None:
        """Where the sentence before begins, if it says what 'it' is."""
        part = usable(self._sentences[number], self._language)
        if number in self._used or part is None or part.size < 3 or is_request(part.low, self._language):
            return None
        return None if dangling(part.text) else part.start

    def _extended(self, kind: str, number: int, part: Sentence) -> int:
        """The end of the last sentence that goes on with what this one began."""
        end = part.end
        for later in range(number + 1, min(number + 1 + _EXTENDED.get(kind, 0), len(self._sentences))):
            more = self._sentences[later]
            whole = usable(more, self._language)
            if whole is None or whole.end != more.end or later in self._used or is_request(whole.low, self._language):
                break
            if more.end - part.start > LONGEST_STATEMENT or "\n\n" in self._said.text[end : more.start]:
                break
            if kind != "workflow" and type_of(whole, [], self._language) not in (None, kind):
                break
            self._used.add(later)
            end = more.end
        return end

    def _stripped(self, start: int, end: int) -> str:
        text = self._said.text[start:end]
        low = text.lower()
        lead = self._language.starts("leads", low) if len(low) == len(text) else None
        return text[lead.end() :] if lead and len(text) - lead.end() > 12 else text

    def _atom(self, kind: str, statement: str, quote: str, wrong: str, why: str) -> ExtractedAtom | None:
        if len(statement) > LONGEST_STATEMENT or not statement:
            return None
        held = conditions.stated(quote, self._language)
        context = quote if self._said.before is None or kind != "correction" else f"{quote} {wrong}"
        return ExtractedAtom(
            message=self._said.message,
            type=kind,
            statement=statement,
            domain=domain_of(context, self._language),
            conditions="; ".join(held) or NONE_STATED,
            verbatim_quote=quote,
            wrong_assumption=wrong,
            why_confused=why,
        )


def _tidy(text: str) -> str:
    """White space as single spaces, no marks at the edges, a capital at the start unless the word is code."""
    line = " ".join(text.split()).strip(_EDGES)
    word = line.partition(" ")[0]
    return line[:1].upper() + line[1:] if word.isalpha() or word[1:].islower() else line
