"""How much two texts are about the same: words they share that are no function words."""

import re
from collections.abc import Sequence
from itertools import pairwise

from thermite_pipelines.atoms.signals.language import Language, lowered

_WORD = re.compile(r"[^\W_]{3,40}")
_DENSE = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]+")
_EDGES = " ,.;:!?—–-、。，；：！\n"


def content_words(text: str, language: Language) -> frozenset[str]:
    """The words of a text that carry its content: stems of five letters, pairs of signs in Chinese and Japanese."""
    low = lowered(text)
    words = {word[:5] for word in _WORD.findall(_DENSE.sub(" ", low)) if word not in language.words}
    for run in _DENSE.findall(low):
        words.update(pair for pair in map("".join, pairwise(run)) if not _is_kana(pair))
    return frozenset(words)


def _is_kana(pair: str) -> bool:
    return all("\u3041" <= sign <= "\u309f" for sign in pair)


def shared(left: str, right: str, language: Language) -> int:
    """How many content words two texts share."""
    return len(content_words(left, language) & content_words(right, language))


def closest(text: str, others: Sequence[str], language: Language) -> str:
    """The one of some sentences that shares most with a text, the later of two alike; empty where none shares any."""
    words = content_words(text, language)
    best, most = "", 0
    for other in others:
        count = len(words & content_words(other, language))
        if count and count >= most:
            best, most = other, count
    return best.strip(_EDGES)
