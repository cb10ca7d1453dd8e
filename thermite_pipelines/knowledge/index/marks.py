"""Marks of words: which letters and which pairs of neighbours stand in one, as bits. Of like words they are alike.

A slip of the hand changes two letters at most, and six pairs: the wrong way round, three go and three come.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

LETTERS_OF_A_SLIP = 2
PAIRS_OF_A_SLIP = 6


def letters(word: str) -> int:
    """The letters of a word, as bits."""
    mark = 0
    for sign in word:
        mark |= 1 << (ord(sign) % 64)
    return mark


def pairs(word: str) -> int:
    """The pairs of neighbours of a word, its beginning and end among them, as bits."""
    mark, last = 0, 0
    for sign in word:
        mark |= 1 << ((last * 31 + ord(sign)) % 61)
        last = ord(sign)
    return mark | 1 << (last * 31 % 61)


def marks_of(words: Iterable[str]) -> dict[str, NDArray[Any]]:
    """The marks of some words, their lengths, and with which sign each begins."""
    every = list(words)
    return {
        "term_letters": np.array([letters(word) for word in every], np.uint64),
        "term_pairs": np.array([pairs(word) for word in every], np.uint64),
        "term_signs": np.array([min(len(word), 0xFFFF) for word in every], np.uint16),
        "term_first": np.array([ord(word[0]) if word else 0 for word in every], np.uint32),
    }
