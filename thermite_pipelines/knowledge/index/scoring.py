"""Which texts answer a question, and how well: by the words that they hold and by what they mean.

The score of a text is BM25 of its words, plus a share for how near it is in meaning, on the scale of the best score
that the words could give. It depends on the text and on the numbers of all texts that may be read; on no other text, no
filter and no limit. The share was chosen by measuring (`benchmarks/bench_search.py`).
"""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thermite_pipelines.knowledge.index import spelling
from thermite_pipelines.knowledge.index.folder_view import Piece
from thermite_pipelines.knowledge.index.vectors import FAR
from thermite_pipelines.knowledge.words import Corpus, Term, forms

Numbers = NDArray[Any]
Mask = NDArray[np.bool_]
Wanted = Callable[[Piece], Mask | None]

MEANING = 1.0
"""A text of the very same meaning gains this share of the best score that words could give."""
LOOKED_AT = 400
"""So many texts at least are compared by words and meaning together; all that hold a word where no limit is given."""
NEAREST = 1_000
"""Where no limit is given, so many of the nearest in meaning are looked at."""
SLIP = 0.7
"""A word that may have been meant counts so much, for each slip."""
GUESSES = 4
_SIDE_BY_SIDE = 50_000
_FORMS_FROM = 6
_MISSPELT = " (for {})"


class Meaning(NamedTuple):
    """What a question means: its vector and model; from which cosine on a text gains, and is found by this alone."""

    model: str
    vector: NDArray[np.float32]
    floor: float
    near: float


@dataclass(frozen=True)
class Hit:
    """A text that was found: `words` are those of the question that it holds, `is_near` that its meaning is near."""

    score: float
    id: str
    piece: Piece
    place: int
    words: tuple[str, ...]
    is_near: bool


class _Place(NamedTuple):
    """Some texts of a piece with their scores by words."""

    piece: int
    places: Numbers
    scores: Numbers


class Question:
    """A question to some pieces, all of which the reader may read."""

    def __init__(self, pieces: Sequence[Piece], terms: Sequence[Term], meaning: Meaning | None) -> None:
        self._pieces = pieces
        self._meaning = meaning
        self._held = [[_holding(piece, term) for piece in pieces] for term in terms]
        self._terms = list(terms)
        self._spell()
        self._corpus = Corpus(len(self._terms), *_totals(pieces))
        self._corpus.holding = [sum(len(texts) for texts, _ in held) for held in self._held]
        self._best = sum(term.weight * self._corpus.most(place) for place, term in enumerate(self._terms))

    def hits(self, wanted: Wanted, limit: int | None) -> list[Hit]:
        """What was found among the texts that `wanted` allows (None: all of a piece), best first; ties by id."""
        allowed = [_both(wanted(piece), piece.counts) for piece in self._pieces]
        looked_at = None if limit is None else max(LOOKED_AT, 4 * limit)
        by_words = {found.piece: found for found in self._by_words(allowed, looked_at)}
        by_meaning = self._nearest(allowed, NEAREST if looked_at is None else looked_at)
        hits: list[tuple[float, str, int, int, float]] = []
        for number in range(len(self._pieces)):
            found = by_words.get(number)
            if found is None:
                continue
            both = np.union1d(found.places, by_meaning.get(number, found.places)).astype(np.int64)
            # A text that is near may hold a word and yet not be among the best by words.
            hits += self._joined(number, both, found.scores[both], limit)
        hits.sort(key=lambda hit: (-hit[0], hit[1]))
        return [self._hit(*hit) for hit in hits[:limit]]

    def _joined(
        self, number: int, places: Numbers, scores: Numbers, limit: int | None
    ) -> list[tuple[float, str, int, int, float]]:
        """Score, id, piece, place and cosine of what counts as found among some texts of a piece."""
        piece, meaning = self._pieces[number], self._meaning
        cosines = np.zeros(len(places))
        if meaning is not None and piece.speaks(meaning.model) and piece.vectors is not None:
            cosines = piece.vectors.cosines(meaning.vector, places)
            gain = np.clip((cosines - meaning.floor) / (1 - meaning.floor), 0, 1)
            kept = (scores > 0) | (cosines >= meaning.near)
            scores = scores + MEANING * self._best * gain
        else:
            kept = scores > 0
        places, scores, cosines = places[kept], scores[kept], cosines[kept]
        if limit is not None and len(places) > limit:
            # In order of ids, so that of equal scores the first by id stay.
            order = np.lexsort((places, -scores))[:limit]
            places, scores, cosines = places[order], scores[order], cosines[order]
        return [
            (float(score), piece.segment.id(int(place)), number, int(place), float(cosine))
            for score, place, cosine in zip(scores, places, cosines, strict=True)
        ]

    def _hit(self, score: float, id: str, number: int, place: int, cosine: float) -> Hit:
        words = dict.fromkeys(
            term.word for term, held in zip(self._terms, self._held, strict=True) if _contains(held[number][0], place)
        )
        is_near = self._meaning is not None and cosine >= self._meaning.near
        return Hit(score, id, self._pieces[number], place, tuple(words), is_near)

    def _by_words(self, allowed: Sequence[Mask | None], looked_at: int | None) -> Iterator[_Place]:
        """Of each piece with an allowed text the best by words: the places of those, and the scores of all."""

        def best(number: int) -> _Place:
            scores, mask = self._scores(number), allowed[number]
            if mask is not None:
                scores[~mask] = 0
            return _Place(number, _highest(scores, looked_at), scores)

        open_ones = [number for number, mask in enumerate(allowed) if mask is None or mask.any()]
        found = self._each(best, open_ones)
        if looked_at is not None:
            values = np.concatenate([one.scores[one.places] for one in found]) if found else np.zeros(0)
            if len(values) > looked_at:
                least = np.partition(values, len(values) - looked_at)[len(values) - looked_at]
                found = [one._replace(places=one.places[one.scores[one.places] >= least]) for one in found]
        yield from found

    def _scores(self, number: int) -> Numbers:
        """The scores by words of all texts of a piece."""
        segment = self._pieces[number].segment
        scores = np.zeros(segment.size)
        lengths = segment.arrays["length"]
        for place, term in enumerate(self._terms):
            texts, counts = self._held[place][number]
            if len(texts):
                # Of the texts that hold the word alone: a piece has many more.
                norms = self._corpus.norm(lengths[texts])
                scores[texts] += term.weight * self._corpus.part(place, norms, counts)
        return scores

    def _nearest(self, allowed: Sequence[Mask | None], looked_at: int) -> dict[int, Numbers]:
        """The nearest in meaning of all pieces together, by the signs of their vectors."""
        meaning = self._meaning
        if meaning is None:
            return {}
        beyond = len(meaning.vector) + 1

        def compare(number: int) -> tuple[Numbers, Numbers]:
            vectors = self._pieces[number].vectors
            assert vectors is not None
            away = vectors.differing(meaning.vector, allowed[number])
            return away, np.bincount(np.minimum(away, beyond), minlength=beyond + 1)[:beyond]

        numbers = [
            number
            for number, (piece, mask) in enumerate(zip(self._pieces, allowed, strict=True))
            if piece.speaks(meaning.model) and (mask is None or mask.any())
        ]
        compared = self._each(compare, numbers)
        counted = sum((counts for _, counts in compared), np.zeros(beyond, np.int64))
        most = int(np.searchsorted(np.cumsum(counted), looked_at))
        return {
            number: _lowest(away, min(most, FAR - 1), looked_at)
            for number, (away, _) in zip(numbers, compared, strict=True)
        }

    def _each(self, work: Callable[[int], Any], numbers: Sequence[int]) -> list[Any]:
        """What comes of some pieces, in order: side by side where that pays."""
        size = sum(self._pieces[number].segment.size for number in numbers)
        if len(numbers) < 2 or size < _SIDE_BY_SIDE:
            return [work(number) for number in numbers]
        return list(_workers().map(work, numbers))

    def _spell(self) -> None:
        """Words that no text holds are taken for those that may have been meant: of the nearest the most usual."""
        for number, term in enumerate(list(self._terms)):
            if any(len(texts) for texts, _ in self._held[number]) or term.anywhere:
                continue
            meant, slips = self._meant(term)
            if meant:
                self._terms[number] = replace(
                    term,
                    word=", ".join(meant) + _MISSPELT.format(term.word),
                    tokens=tuple(dict.fromkeys(form for token in meant for form in forms(token))),
                    weight=SLIP**slips,
                )
                self._held[number] = [_holding(piece, self._terms[number]) for piece in self._pieces]

    def _meant(self, term: Term) -> tuple[list[str], int]:
        """The words that may have been meant, the most usual first, and how many slips away they are."""
        found: dict[str, int] = {}
        usual: dict[str, int] = {}
        # Of a short word each form is a slip away from too much.
        forms_meant = term.tokens if len(term.tokens[0]) >= _FORMS_FROM else term.tokens[:1]
        for piece in self._pieces:
            near: dict[str, int] = {}
            for form in forms_meant:
                for token, slips in spelling.near(piece.segment, form).items():
                    near[token] = min(slips, near.get(token, slips))
            for token, slips in near.items():
                texts, _ = _holding(piece, Term(token, (token,)))
                if len(texts):
                    found[token] = slips
                    usual[token] = usual.get(token, 0) + len(texts)
        fewest = min(found.values(), default=0)
        nearest = sorted((token for token in found if found[token] == fewest), key=lambda token: (-usual[token], token))
        return nearest[:GUESSES], fewest


@cache
def _workers() -> ThreadPoolExecutor:
    """Threads that compare arrays, which leaves the interpreter to others meanwhile."""
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="search")


def _totals(pieces: Sequence[Piece]) -> tuple[int, int]:
    """How many texts there are, and how many tokens they have."""
    texts = length = 0
    for piece in pieces:
        texts += piece.texts
        if piece.counts is None:
            length += piece.segment.total
        else:
            length += int(piece.segment.arrays["length"][piece.counts].sum(dtype=np.int64))
    return texts, length


def _holding(piece: Piece, term: Term) -> tuple[Numbers, Numbers]:
    """The texts of a piece that hold one of a term's tokens and count, in order, and how often each does."""
    found = [one for one in (piece.segment.holding(key) for key in term.keys) if len(one[0])]
    if not found:
        return np.zeros(0, np.uint32), np.zeros(0, np.uint32)
    texts, counts = found[0]
    if len(found) > 1:
        # Each token has a text once: adding into an array of all texts costs less than sorting.
        whole = np.zeros(piece.segment.size, np.uint32)
        for some, often in found:
            whole[some] += often
        texts = np.flatnonzero(whole)
        counts = whole[texts]
    if piece.counts is not None:
        there = piece.counts[texts]
        texts, counts = texts[there], counts[there]
    return texts, counts


def _both(one: Mask | None, other: Mask | None) -> Mask | None:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _highest(scores: Numbers, most: int | None) -> Numbers:
    """The places of the highest scores above zero, at most so many; of equal ones the first."""
    places = np.flatnonzero(scores)
    if most is None or len(places) <= most:
        return places
    values = scores[places]
    least = np.partition(values, len(values) - most)[len(values) - most]
    above = places[values > least]
    return np.sort(np.concatenate([above, places[values == least][: most - len(above)]]))


def _lowest(away: Numbers, most: int, number: int) -> Numbers:
    """The places of texts at most so far away; of those that are as far as that, at most so many, the first."""
    below = np.flatnonzero(away < most)
    return np.concatenate([below, np.flatnonzero(away == most)[:number]])


def _contains(texts: Numbers, place: int) -> bool:
    found = int(np.searchsorted(texts, place))
    return found < len(texts) and int(texts[found]) == place
