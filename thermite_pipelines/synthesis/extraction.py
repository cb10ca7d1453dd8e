"""Syntheses by extraction: facts that have words in common, told together in their own words.

Which facts go together is told by what they share: names, and significant words. The rarer a word is among the facts at
hand, the more it counts. Of what is left, the fact that shares most comes first, with those nearest to it; each fact is
told once.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from thermite_pipelines.learnings.sameness import significant_words
from thermite_pipelines.synthesis.answers import NewFact
from thermite_pipelines.synthesis.merging import domains

Record = Mapping[str, Any]
MOST_TOLD = 8
"""Facts in one synthesis: more is a list, not a thought."""
FEWEST_SHARED = 3
"""Words and names that two facts have in common at least."""
LEAST_OVERLAP = 0.2
"""Of the weight of what the shorter of two facts says, the part that the other says too."""
_LONGEST_QUOTE = 280
_LONGEST_TITLE = 160
_LONGEST_HEAD = 100
_MOST_TAGS = 8
_LEAD = re.compile(r"\d+ related facts: ")
_MARKS = re.compile(r"^[\s>#*+-]+")


def text_of(record: Record) -> str:
    """Title and body of a fact; the body alone where the title is a part of it."""
    title, body = record["title"].strip(), record["body"].strip()
    return body if title in body else f"{title}\n{body}"


def syntheses(records: Sequence[Record]) -> list[NewFact]:
    """The syntheses of some facts, in an order that does not hang on theirs."""
    ordered = sorted(records, key=lambda record: record["path"])
    sharing = _Sharing([_terms(record) for record in ordered])
    return [_told([ordered[number] for number in group]) for group in sharing.groups()]


def _terms(record: Record) -> frozenset[str]:
    names = {f"name {name.casefold()}" for name in record["entities"]}
    return frozenset(significant_words(text_of(record)) | names)


class _Sharing:
    """What facts share, by their numbers."""

    def __init__(self, terms: Sequence[frozenset[str]]) -> None:
        many = len(terms)
        having: defaultdict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(terms):
            for word in sorted(words):
                having[word].append(number)
        self._weights = {word: 1 + math.log(many / len(numbers)) for word, numbers in having.items()}
        self._having = {word: numbers for word, numbers in having.items() if len(numbers) > 1}
        self._terms = [sorted(words) for words in terms]
        self._whole = [math.fsum(map(self._weights.__getitem__, words)) for words in self._terms]

    def groups(self) -> list[list[int]]:
        """Groups of two facts or more, each fact in at most one, the one that shares most first in each."""
        shared = [math.fsum(self._weights[word] for word in words if word in self._having) for words in self._terms]
        left = set(range(len(self._terms)))
        groups = []
        for head in sorted(left, key=lambda number: (-shared[number], number)):
            if head in left:
                left.discard(head)
                near = self._near(head, left)
                if near:
                    groups.append([head, *near])
                    left.difference_update(near)
        return groups

    def _near(self, head: int, left: set[int]) -> list[int]:
        """Those left that share enough with a fact, the nearest first."""
        common: Counter[int] = Counter()
        weight: defaultdict[int, float] = defaultdict(float)
        for word in self._terms[head]:
            for number in self._having.get(word, ()):
                common[number] += 1
                weight[number] += self._weights[word]
        near = [
            (-weight[number], number)
            for number, words in common.items()
            if number in left
            and words >= FEWEST_SHARED
            and weight[number] >= LEAST_OVERLAP * min(self._whole[head], self._whole[number])
        ]
        return [number for _, number in sorted(near)[: MOST_TOLD - 1]]


def _told(sources: Sequence[Record]) -> NewFact:
    """A synthesis of facts, the first of which gives it its title. It claims no more than the least sure of them."""
    title = f"{len(sources)} related facts: {_cut(_quote(sources[0]), _LONGEST_HEAD)}"
    return NewFact(
        title=title,
        body="\n".join(f"- {_quote(record)}" for record in sources),
        type="synthesis",
        domain=_common([domains(record["domain"]) for record in sources]),
        confidence=min(float(record["confidence"]) for record in sources),
        entities=_common([record["entities"] for record in sources]),
        refs=tuple(sorted(record["path"] for record in sources)),
    )


def _quote(record: Record) -> str:
    """The first line that a fact says, in its own words."""
    title = _LEAD.sub("", record["title"].strip())
    lines = (_MARKS.sub("", line).strip() for line in record["body"].splitlines())
    said = next(filter(None, lines), "")
    if said.startswith(title):
        return _cut(said, _LONGEST_QUOTE)
    return _cut(title if said in title or len(title) > _LONGEST_TITLE else f"{title}: {said}", _LONGEST_QUOTE)


def _cut(line: str, longest: int) -> str:
    if len(line) <= longest:
        return line
    head = line[: longest - 1]
    return f"{head.rpartition(' ')[0] or head}…"


def _common(lists: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Names that more than one list holds, the most frequent first."""
    counted = Counter(name for names in lists for name in set(names))
    ranked = sorted((name for name, count in counted.items() if count > 1), key=lambda name: (-counted[name], name))
    return tuple(ranked[:_MOST_TAGS])
