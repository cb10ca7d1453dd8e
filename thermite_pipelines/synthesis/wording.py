"""Whether two texts that are nearly alike say different things: one word put in place of another, or an order turned.

To embeddings `AdamW beats Muon` and `Muon beats AdamW` are one statement, and so are a loss that a larger batch lowers
and one that a smaller batch does. Who says a thing again in other words changes more than that; what differs in a few
words alone says something else, and is for somebody to judge.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

MOST_REPLACED = 3
"""So many words in place of others make another statement of a text; where more differ, that can't be told by words."""
# A letter alone where a script has no blanks between words: Chinese, Japanese, Thai and their kin.
_ALONE = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_WORD = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")
# Words that carry no statement of their own; all others may turn one. Those that negate are judged elsewhere.
_FUNCTION = frozenset(
    (
        *("a", "an", "the", "of", "in", "on", "at", "to", "for", "and", "or", "as", "by", "with", "from", "then"),
        *("this", "that", "these", "those", "it", "its", "is", "are", "was", "were", "be", "been", "being", "than"),
        *("has", "have", "had", "do", "does", "did", "so", "there", "here", "we", "i", "you", "they", "our", "their"),
        *("very", "also", "just"),
    )
)
_ENDINGS = ("ing", "ed", "es", "ly", "s")
_SHORTEST_STEM = 3


def is_turned(one: str, other: str) -> bool:
    """Whether two texts are the same but for a few words in place of a few others, or for the order of their words.

    A whole part that moves to the other end turns nothing. Nor is what differs in more than that told by this rule: it
    may be another way of saying the same. The order of the two texts makes no difference.
    """
    first, second = sorted((_words(one), _words(other)))
    if first == second:
        return False
    if len(first) == len(second) and Counter(first) == Counter(second):
        return not _is_moved(first, second)
    changes = [change for change in SequenceMatcher(None, first, second, False).get_opcodes() if change[0] != "equal"]
    replaced = sum(max(end - start, until - begin) for _, start, end, begin, until in changes)
    return all(change[0] == "replace" for change in changes) and replaced <= MOST_REPLACED


def said(title: str, body: str) -> tuple[str, ...]:
    """What a fact says, so that two of which it is the same say the same, letter for letter but for case and blanks."""
    whole = body if title.strip() in body else f"{title}\n{body}"
    return tuple(unicodedata.normalize("NFC", whole).casefold().split())


@lru_cache(4_096)
def _words(text: str) -> tuple[str, ...]:
    """The words that carry a statement, without their endings, in order."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_stem(word) for word in _WORD.findall(folded) if word not in _FUNCTION)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def _is_moved(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists of the same words stand in one order, from whichever word they begin."""
    return any((*one[place:], *one[:place]) == tuple(other) for place in range(1, len(one)))
