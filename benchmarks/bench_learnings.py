"""How fast it is found which of an agent's learnings says the same as a new one, and how fast proposals are folded.

The learnings are 100,000 texts of one agent: sentences of 8 to 16 words; one frame with a few names and numbers in it,
so that every text shares most words with all others; and Chinese sentences. The fold is of 100,000 proposals of 10,000
runs, each briefed with what stands then: of ten proposals, nine say again what an earlier one said, and every hundredth
insight is dropped.

Law: one proposal against 100,000 learnings in at most 50 ms, the slowest of those looked at. The first and the last
answer are compared with a scan of them all.
"""

import random
import resource
import sys
import time
import tracemalloc
from collections.abc import Callable

from benchmarks import support
from thermite_pipelines.learnings.lifecycle import AgentLearnings
from thermite_pipelines.learnings.sameness import same
from thermite_pipelines.learnings.sameness_index import SamenessIndex

LEARNINGS = 100_000
PROPOSALS = 100_000
RUNS = 10_000
LOOKED_AT = 200
PREFERRED = 100
SECONDS = 0.05

_SYLLABLES = (
    "ba",
    "co",
    "di",
    "fu",
    "ga",
    "ho",
    "ji",
    "ka",
    "lu",
    "mo",
    "ne",
    "pi",
    "qua",
    "ro",
    "su",
    "ta",
    "ve",
    "wi",
    "xo",
)
_HAN = [chr(0x4E00 + 7 * number) for number in range(1_500)]


def vocabulary(size: int) -> list[str]:
    """Made-up words of two to four syllables, the same each time."""
    words, number = [], 0
    while len(words) < size:
        number += 1
        rest, word = number * 7919, ""
        while rest:
            rest, place = divmod(rest, len(_SYLLABLES))
            word += _SYLLABLES[place]
        words.append(word)
    return words


_WORDS = vocabulary(20_000)


def a_sentence(chance: random.Random) -> str:
    """Words as they come in a language: a few often, most hardly ever."""
    places = [int(len(_WORDS) ** chance.random()) for _ in range(chance.randint(8, 16))]
    return "The " + " ".join(_WORDS[place % len(_WORDS)] for place in places) + "."


def a_frame(chance: random.Random) -> str:
    """One sentence for all, but for what it speaks of."""
    host, shard, step = chance.randrange(400), chance.randrange(400), chance.randrange(4_000)
    return f"Restore of shard{shard} on host{host} fails after step {step} unless its cache is cleared before"


def a_chinese_one(chance: random.Random) -> str:
    """Some 20 characters, a few of them often."""
    return "".join(_HAN[int(len(_HAN) ** chance.random()) % len(_HAN)] for _ in range(chance.randint(14, 26))) + "。"


def matching(name: str, make: Callable[[random.Random], str]) -> bool:
    """Print what it takes to build the index and to look into it; whether that keeps the law."""
    chance = random.Random(name)
    texts = list(dict.fromkeys(make(chance) for _ in range(LEARNINGS * 2)))[:LEARNINGS]
    assert len(texts) == LEARNINGS, len(texts)

    made: list[SamenessIndex] = []
    built = support.cost(lambda: made.append(index_of(texts)))
    index = made[0]
    preferred = set(chance.sample(range(LEARNINGS), PREFERRED))
    for number in preferred:
        index.prefer(number)
    asked = [make(chance) for _ in range(LOOKED_AT // 2)] + chance.sample(texts, LOOKED_AT // 2)
    taken, found = [], []
    for text in asked:
        began = time.perf_counter()
        found.append(index.first_match(text))
        taken.append(time.perf_counter() - began)
    for text, number in (asked[0], found[0]), (asked[-1], found[-1]):
        alike = [other for other in range(LEARNINGS) if same(text, texts[other])]
        assert number == next((other for other in alike if other in preferred), min(alike, default=None))
    taken.sort()
    print(f"{name}: index of {LEARNINGS:,} texts {built}   {memory_of(texts):,.0f} MiB")
    print(
        f"  one proposal: {1e3 * taken[len(taken) // 2]:.2f} ms in the middle, {1e3 * taken[-1]:.2f} ms the slowest of "
        f"{len(asked)} (at most {1e3 * SECONDS:.0f} ms); {sum(one is not None for one in found)} found"
    )
    return taken[-1] <= SECONDS


def index_of(texts: list[str]) -> SamenessIndex:
    """An index of these texts."""
    index = SamenessIndex()
    for text in texts:
        index.add(text)
    return index


def memory_of(texts: list[str]) -> float:
    """MiB that such an index takes, built once more: keeping account of memory takes time."""
    tracemalloc.start()
    index = index_of(texts)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(index) == len(texts)
    return taken / 2**20


def fold() -> AgentLearnings:
    """A history of one agent."""
    chance, learnings = random.Random(20), AgentLearnings()
    said: list[str] = []
    for number in range(PROPOSALS):
        run = f"rig-a/run-{number * RUNS // PROPOSALS}"
        if number % (PROPOSALS // RUNS) == 0:
            learnings.brief(run, [insight.id for insight in learnings.insights[-40:]])
        text = chance.choice(said) if said and number % 10 else a_sentence(chance)
        proposal = f"{run}/learning-{number}"
        if learnings.propose(run, proposal, text, "medium", number) == "discovery":
            said.append(text)
            if len(said) % 100 == 0:
                learnings.drop(proposal)
    return learnings


def main() -> int:
    """Print all figures; 1 if one breaks the law."""
    print(support.machine())
    kept = [matching(*one) for one in (("sentences", a_sentence), ("frames", a_frame), ("Chinese", a_chinese_one))]
    folded: list[AgentLearnings] = []
    taken = support.cost(lambda: folded.append(fold()))
    learnings = folded[0]
    print(f"fold of {PROPOSALS:,} proposals of {RUNS:,} runs {taken}   {len(learnings.insights):,} insights")
    rows = learnings.snapshot()
    restored = support.cost(AgentLearnings.restore, rows)
    print(f"  to rows {support.cost(learnings.snapshot)}, and back {restored}")
    print(f"  largest memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10:,.0f} MiB")
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
