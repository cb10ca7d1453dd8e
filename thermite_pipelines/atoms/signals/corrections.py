"""Where a person says that the agent is wrong, and what is right instead."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from thermite_pipelines.atoms.signals.language import Language
from thermite_pipelines.atoms.signals.overlap import closest, shared
from thermite_pipelines.atoms.signals.sentences import Sentence, language_of, sentences_of

_EDGES = " ,.;:!?—–-、。，；：！\n"
MOST = 6
"""Corrections that are taken from one message: nobody types more, and a text made to be slow has no more to give."""
_FEWEST = 3
"""Words without which nothing is said to be right."""


@dataclass(frozen=True, slots=True)
class Correction:
    """Sentences `first` to `last` correct the agent; `right` is the place in the text where what is right begins."""

    first: int
    last: int
    right: int
    wrong: str


def skip_openers(sentence: Sentence, language: Language) -> int:
    """Where in a sentence its fillers end: 'ok, so'."""
    place = 0
    for _ in range(4):
        match = language.starts("openers", sentence.low[place:])
        if match is None or not match.end():
            break
        place += match.end()
    return place if place < len(sentence.low) else 0


def is_request(low: str, language: Language) -> bool:
    """Whether what a sentence says is a task for the agent."""
    return language.starts("requests", low) is not None


def corrections(sentences: Sequence[Sentence], language: Language, before: str | None) -> list[Correction]:
    """The corrections of a message, none overlapping another. A bare 'that is wrong' gives none."""
    found: list[Correction] = []
    past = -1
    for number, sentence in enumerate(sentences):
        if number <= past or sentence.asks or language.search("unreal", sentence.low):
            continue
        place = _right_part(sentences, number, language, before)
        if place is None:
            continue
        last, right = place
        last = _with_more(sentences, last, right, language)
        wrong = _wrong_part(sentences, number, last, language, before)
        if wrong:
            found.append(Correction(number, last, right, wrong))
            past = last
        if len(found) == MOST:
            break
    return found


def _right_part(
    sentences: Sequence[Sentence], number: int, language: Language, before: str | None
) -> tuple[int, int] | None:
    """The last sentence of a correction that starts here, and where in the text begins what is right."""
    sentence = sentences[number]
    start = skip_openers(sentence, language)
    for place in dict.fromkeys((start, 0)):
        rejected = language.starts("rejects", sentence.low[place:])
        if rejected is not None:
            return _after_reject(
                sentences, number, _past_rejects(sentence.low, place + rejected.end(), language), language, before
            )
    if language.search("faults", sentence.low) and not is_request(sentence.low[start:], language):
        return _after_fault(sentences, number, start, language)
    contrast = contrast_of(sentence.low, language)
    if not contrast or not contrast[1] or not before or is_request(sentence.low[start:], language):
        return None
    return (number, sentence.start + start) if shared(sentence.text, before, language) else None


def _with_more(sentences: Sequence[Sentence], last: int, right: int, language: Language) -> int:
    """The last sentence with what is right: one more where the first only says what is not so, or says very little."""
    sentence = sentences[last]
    low = sentence.low[max(0, right - sentence.start) :]
    tells = contrast_of(low, language) is not None or len(_CLAUSES.split(low)) > _CLAUSES_ENOUGH
    if last + 1 == len(sentences) or tells or (sentence.size > _LITTLE and _NEGATION.search(low) is None):
        return last
    more = sentences[last + 1]
    begin = skip_openers(more, language)
    if more.asks or more.opens or is_request(more.low[begin:], language) or language.search("asks", more.low):
        return last
    return last + 1


# What an agent says in words, not a line of a diff, a table, a list of code or a log.
_PROSE = re.compile(r"[\w\"'(“„«「『*`]")
_LITTLE = 7
_CLAUSES = re.compile(r"[,:;，：；、]|\s[-–—]\s")
_CLAUSES_ENOUGH = 2
_NEGATION = re.compile(r"n't(?!\w)|(?<!\w)(?:not|no|never|nicht|kein\w*|nie|pas|jamais|nunca)(?!\w)|不|没|ない|ません")


def _past_rejects(low: str, place: int, language: Language) -> int:
    """Where a run of refusals ends: 'no, that's wrong, …'."""
    for _ in range(3):
        begin = place
        while begin < len(low) and low[begin] in _EDGES:
            begin += 1
        more = language.starts("rejects", low[begin:])
        if more is None or not more.end():
            break
        place = begin + more.end()
    return place


def _after_reject(
    sentences: Sequence[Sentence], number: int, place: int, language: Language, before: str | None
) -> tuple[int, int] | None:
    sentence = sentences[number]
    while place < len(sentence.low) and sentence.low[place] in _EDGES:
        place += 1
    rest = sentence.low[place:]
    if rest and language.starts("rejected_content", rest):
        return None
    if _says(rest, sentence, place, language):
        return number, sentence.start + place
    if rest and is_request(rest, language) and not contrast_of(sentence.low, language):
        return None
    for later in range(number + 1, min(number + 3, len(sentences))):
        content = sentences[later]
        begin = skip_openers(content, language)
        if not content.asks and _says(content.low[begin:], content, begin, language):
            return later, content.start + begin
        if content.asks or is_request(content.low[begin:], language):
            return None
    return None


def _says(rest: str, sentence: Sentence, place: int, language: Language) -> bool:
    """Whether something is stated: enough words with a verb, and no task."""
    if contrast_of(rest, language):
        return True
    words = Sentence(0, 0, sentence.text[place:], rest, False, False).size
    return words >= _FEWEST and not is_request(rest, language) and language.search("asserts", rest) is not None


def _after_fault(sentences: Sequence[Sentence], number: int, start: int, language: Language) -> tuple[int, int] | None:
    """`You assumed X, but it is Y`: with what is right in the same sentence, or in the next."""
    sentence = sentences[number]
    match = language.search("faults", sentence.low)
    tail = sentence.low[match.end() :] if match else ""
    for mark in (",", " - ", " – ", ":", "，", "、", " but ", " and "):
        clause = tail.rpartition(mark)[2]
        if clause != tail and language.search("asserts", clause) and len(clause.split()) + len(clause) // 8 >= _FEWEST:
            return number, sentence.start + start
    if number + 1 < len(sentences):
        content = sentences[number + 1]
        begin = skip_openers(content, language)
        if not content.asks and _says(content.low[begin:], content, begin, language):
            return number + 1, content.start + begin
    return None


def contrast_of(low: str, language: Language) -> tuple[str, str] | None:
    """What is wrong and what is right ('' where it is not told) in 'X, not Y'."""
    if language.any_contrast.search(low) is None:
        return None
    for pattern in language.contrast_patterns:
        if match := pattern.search(low):
            groups = match.groupdict()
            return (groups.get("wrong") or "").strip(_EDGES), (groups.get("right") or "").strip(_EDGES)
    return None


def _wrong_part(sentences: Sequence[Sentence], first: int, last: int, language: Language, before: str | None) -> str:
    """What was wrongly assumed, in the words of the agent or of the person; '' where nobody says it.

    The agent's sentence that shares most words with the correction, two at least; else the part that the person
    rejects; else an agent's sentence that shares one word, or all that a short message of the agent says.
    """
    agents = sentences_of(before, [(0, len(before))]) if before else []
    prose = [sentence.text for sentence in agents if _PROSE.match(sentence.text) and not sentence.asks]
    spoken = (language_of(before) if before else None) or language
    said = " ".join(sentence.text for sentence in sentences[first : last + 1])
    nearest = closest(said, prose, spoken)
    if nearest and shared(said, nearest, spoken) >= _MANY_SHARED:
        return nearest
    if before and before.rstrip().endswith(("?", "？")):
        return ""  # a 'no' to the agent's question answers it
    rejected = _rejected(sentences[first : last + 1], language)
    if rejected or nearest:
        return rejected or nearest
    return prose[-1].strip(_EDGES) if prose and before and (len(prose) == 1 or len(before) < _SHORT) else ""


_CLAUSE_END = re.compile(r"[,:;，：；]| (?:and|but|und|aber|et|mais|y|pero) |\s[-–—]\s")
_MANY_SHARED = 2
_SHORT = 300
"""Characters of an agent's message that says one thing."""


def _rejected(sentences: Sequence[Sentence], language: Language) -> str:
    """The part of a correction that names what is wrong: 'you assumed …', or Y in 'X, not Y'."""
    for sentence in sentences:
        if match := language.search("faults", sentence.low):
            end = _CLAUSE_END.search(sentence.low, match.end())
            return sentence.text[match.start() : end.start() if end else len(sentence.text)].strip(_EDGES)
        contrast = contrast_of(sentence.low, language)
        if contrast and len(contrast[0]) > _FEWEST:
            place = sentence.low.find(contrast[0])
            return sentence.text[place : place + len(contrast[0])].strip(_EDGES)
    return ""
