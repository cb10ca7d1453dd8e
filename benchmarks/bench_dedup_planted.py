"""How many of the near-duplicates planted among many notes are merged, and what is merged that must not be.

Of the notes, one of twenty is said again: a word dropped, sentences in another order, other punctuation or case, other
words. As many are turned: another number, another name, a denial. All go the way of a review: near pairs of the
built-in model at its threshold, of which those that agree are merged. What was embedded is kept from run to run in the
folder for temporary files.

How long it takes is measured on vectors of 512 numbers made of the words of as many notes as the law is about, which
lie about as texts do: shared words make texts near.

Laws: at least 0.8 of what was planted is merged, with a precision of at least 0.95; near pairs of 100,000 notes, and
which of these agree, in at most 10 s. Both numbers of notes may be given on the command line: `100000` for all of it.
"""

import hashlib
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks import support
from benchmarks.made_notes import DIFFERENT, SAME, Dice, note, said_again, turned
from thermite_pipelines.embeddings.embedder import BUILT_IN, Embedder
from thermite_pipelines.embeddings.local import UniversalSentenceEncoder
from thermite_pipelines.embeddings.thresholds import Thresholds, thresholds_of
from thermite_pipelines.synthesis.corpus import Corpus
from thermite_pipelines.synthesis.decisions import Decision
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.merging import agreeing
from thermite_pipelines.synthesis.neighbours import Nearest, Neighbours
from thermite_pipelines.synthesis.planning import merges
from thermite_pipelines.synthesis.vectors import Vectors

NOTES, TIMED = 5_000, 100_000
SECONDS, RECALL, PRECISION = 10.0, 0.8, 0.95
ONE_OF = 20
DIMENSION = 512
_AT_ONCE = 1_000
_WORD = re.compile(r"\w+")

Matrix = NDArray[np.float32]


@dataclass(frozen=True)
class Planted:
    """A note made of another one, and how: both mean the same, or not."""

    of: str
    how: str


class ByWords:
    """A stand-in for an embedding model: the sum of a vector for each word, longer words counting for more."""

    name, dimension = "by-words", DIMENSION

    def __init__(self, thresholds: Thresholds) -> None:
        self.thresholds = thresholds

    def documents(self, texts: Sequence[tuple[str, str]]) -> Matrix:
        """Vectors (n, 512) of length 1."""
        return self.queries([f"{title}\n{body}" for title, body in texts])

    def queries(self, texts: Sequence[str]) -> Matrix:
        """Vectors (n, 512) of length 1."""
        made = np.stack([np.sum([_of_word(word) for word in _WORD.findall(text.lower())], axis=0) for text in texts])
        return made / np.linalg.norm(made, axis=1, keepdims=True)


@cache
def _of_word(word: str) -> Matrix:
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
    made = np.random.default_rng(seed).standard_normal(DIMENSION, dtype=np.float32)
    return made * np.float32(len(word) / DIMENSION)


def notes(count: int) -> tuple[dict[str, Fact], dict[str, Planted]]:
    """So many facts, and which of them were planted."""
    each = count // ONE_OF
    facts: dict[str, Fact] = {}
    planted = {}
    for number in range(count - 2 * each):
        _add(facts, number, note(number).text)
    for place in range(each):
        dice = Dice(f"planted {place}")
        original = place * ((count - 2 * each) // each)
        for first, ways, edit in ((count - 2 * each, SAME, said_again), (count - each, DIFFERENT, turned)):
            how = ways[place % len(ways)]
            name = _add(facts, first + place, edit(note(original), how, dice))
            planted[name] = Planted(_name(original), how)
    return facts, planted


def _name(number: int) -> str:
    return f"bench/{number:012x}"


def _add(facts: dict[str, Fact], number: int, text: str) -> str:
    name = _name(number)
    facts[name] = Fact(fact=name, type="observation", title=text[:120], body=text, confidence=0.6)
    return name


def embedded(facts: dict[str, Fact], embedder: Embedder) -> Vectors:
    """The vectors of facts; those of a thousand at a time are kept in a file for the next run."""
    folder = Path(tempfile.gettempdir(), "thermite-bench-vectors")
    folder.mkdir(exist_ok=True)
    texts = [(fact.title, fact.body) for fact in facts.values()]
    parts = []
    for first in range(0, len(texts), _AT_ONCE):
        some = texts[first : first + _AT_ONCE]
        path = folder / f"{hashlib.sha256(repr((embedder.name, some)).encode()).hexdigest()[:32]}.npy"
        if not path.is_file():
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                np.save(file, embedder.documents(some))
            Path(file.name).replace(path)
        parts.append(np.load(path, allow_pickle=False))
    return Vectors(tuple(facts), np.concatenate(parts))


def quality(count: int) -> bool:
    """Print how much of what was planted is merged, by way, and whether that keeps the laws."""
    facts, planted = notes(count)
    model = UniversalSentenceEncoder(thresholds_of(BUILT_IN))
    found: list[Vectors] = []
    taken = support.cost(lambda: found.append(embedded(facts, model)))
    print(f"{count:,} notes, {len(planted) // 2:,} said again and as many turned: embedded or read in {taken}")
    nearest = Neighbours(found[0]).nearest(model.thresholds.dedup)
    pairs = nearest.pairs(model.thresholds.dedup)
    print(f"  {len(pairs):,} pairs nearer than {model.thresholds.dedup}, {len(agreeing(facts, pairs)):,} of them agree")
    return _told(merges(Corpus(facts.values()), facts, nearest, model.thresholds, facts), planted)


def _told(decisions: Sequence[Decision], planted: dict[str, Planted]) -> bool:
    merged = {frozenset(name for name, _ in decision.inputs) for decision in decisions}
    there, done = Counter(one.how for one in planted.values()), Counter[str]()
    for name, one in planted.items():
        done[one.how] += frozenset((name, one.of)) in merged
    for how in (*SAME, *DIFFERENT):
        print(f"    {how}: {done[how]:,} of {there[how]:,} merged{'' if how in SAME else ', wrongly'}")
    right, same = sum(done[how] for how in SAME), sum(there[how] for how in SAME)
    wrongly = sum(done[how] for how in DIFFERENT)
    print(f"    notes that have nothing to do with each other: {len(merged) - right - wrongly:,} merged, wrongly")
    recall, precision = right / same, right / max(1, len(merged))
    print(f"  recall {recall:.3f} (law: {RECALL}), precision {precision:.3f} (law: {PRECISION})", flush=True)
    return recall >= RECALL and precision >= PRECISION


def speed(count: int) -> bool:
    """Print how long near pairs take, and which of them agree; whether that keeps the law, for as many notes."""
    facts, _ = notes(count)
    model = ByWords(thresholds_of(BUILT_IN))
    vectors = Vectors(tuple(facts), model.documents([(fact.title, fact.body) for fact in facts.values()]))
    corpus, nearest, decided = Corpus(facts.values()), list[Nearest](), list[list[Decision]]()
    near = support.cost(lambda: nearest.append(Neighbours(vectors).nearest(model.thresholds.dedup)))
    agree = support.cost(lambda: decided.append(merges(corpus, facts, nearest[0], model.thresholds, facts)))
    pairs = len(nearest[0].pairs(model.thresholds.dedup))
    print(f"{count:,} notes, vectors of their words: near pairs {near}, {pairs:,}; merges {agree}, {len(decided[0]):,}")
    most, took = SECONDS * max(1.0, count / TIMED), near.wall + agree.wall
    print(f"  together {took:.2f} s (law: {most:.0f} s for {max(count, TIMED):,})")
    return took <= most


def main(given: list[str]) -> int:
    """Print all figures; 1 where one breaks a law."""
    count, timed = [*map(int, given), *(NOTES, TIMED)[len(given) :]][:2]
    print(support.machine())
    return int(not min(quality(count), speed(timed)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
