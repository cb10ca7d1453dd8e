"""What may have been meant by a word that no text holds: words of the texts that are a slip of the hand away.

A slip is a letter too many, too few or another one, or two neighbours the wrong way round: one in words from four
letters on, two in words from eight on that begin alike. Numbers are never guessed at.
"""

from functools import lru_cache

import numpy as np

from thermite_pipelines.knowledge.index import marks
from thermite_pipelines.knowledge.index.segments import Segment

_ONE_FROM = 4
_TWO_FROM = 8


def slips(word: str) -> int:
    """How many slips are forgiven in a word."""
    if not word.isalpha() or len(word) < _ONE_FROM:
        return 0
    return 1 if len(word) < _TWO_FROM else 2


def near(segment: Segment, word: str) -> dict[str, int]:
    """The terms of a segment that are at most so many slips away from a word, with how many."""
    most = slips(word)
    if not most:
        return {}
    arrays = segment.arrays
    apart = np.abs(arrays["term_signs"].astype(np.int64) - len(word))
    others = np.bitwise_count(arrays["term_pairs"] ^ np.uint64(marks.pairs(word)))
    close = (others <= marks.PAIRS_OF_A_SLIP) & (apart <= 1)
    if most > 1:
        # Two slips are forgiven only in what begins alike.
        alike = (others <= most * marks.PAIRS_OF_A_SLIP) & (apart <= most)
        close |= alike & (arrays["term_first"] == ord(word[0]))
    letters = np.bitwise_count(arrays["term_letters"] ^ np.uint64(marks.letters(word)))
    close &= letters <= most * marks.LETTERS_OF_A_SLIP
    found = {}
    for place in np.flatnonzero(close):
        term = segment.term(int(place)).decode("utf-8", "surrogatepass")
        if term.isalpha():
            away = distance(word, term, most)
            if away <= 1 or (away <= most and term[0] == word[0]):
                found[term] = away
    return found


@lru_cache(65_536)
def distance(a: str, b: str, most: int) -> int:
    """How many slips two words are apart (optimal string alignment); `most` + 1 where it is more than `most`."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before, row = [], list(range(len(b) + 1))
    for i, sign in enumerate(a, 1):
        last, before, row = before, row, [i]
        for j, other in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (sign != other))
            if i > 1 and j > 1 and sign == b[j - 2] and a[i - 2] == other:
                best = min(best, last[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)
