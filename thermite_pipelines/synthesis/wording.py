"""Whether two texts that are nearly alike say different things: one denies the other, one word stands in place of
another, or an order is turned.

To embeddings `AdamW beats Muon` and `Muon beats AdamW` are one statement, and so are a loss that a larger batch lowers
and one that a smaller batch does. Who says a thing again in other words changes more than that; what differs in a few
words alone says something else, and is for somebody to judge. Judged by words, and so with care: two texts that say the
same and are taken for different ones stay two facts, which somebody may still merge.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from thermite_pipelines.learnings.sameness import NEGATIONS
from thermite_pipelines.synthesis.numbers import in_one_spelling

MOST_APART = 8
"""Words that only one of two texts has, where one is no more than the other's denial."""
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
# What negates, in languages that put blanks between words and negate by a word, a family a line. One that means
# something else in another language only keeps apart what might be merged.
_NEGATING_WORDS = """
nobody nothing nowhere hardly barely rarely seldom fails failed lacks
nicht nichts kein keine keinen keinem keiner keines nie niemals ohne weder niet niets geen nooit zonder noch
ne n pas jamais sans aucun aucune ni rien
nunca jamás tampoco sin ningún ninguna ninguno nada não sem nenhum nenhuma nem
non mai senza nessun nessuna nessuno né niente nu fără niciodată nici niciun nicio
inte ej aldrig utan ikke aldri uten uden ingen inget inga ekki án
bez nigdy żaden żadna żadne není nejsou nikdy nema nije nisu
не нет без никогда ни нельзя немає ні ніколи няма није
δεν δε μη μην όχι χωρίς ποτέ
değil yok hiç olmadan ei eivät ilman koskaan nem nincs nélkül soha
لا ليس ليست لم لن غير بدون دون לא אין אינו אינה בלי ללא
नहीं न मत बिना না নয় নেই نہیں نه نیست
tidak bukan tanpa belum jangan hindi wala không chưa chẳng hapana
"""
_NEGATING = NEGATIONS.union(_NEGATING_WORDS.split())
_SENTENCE_END = re.compile(r"[.!?;]+(?=\s|$)|[。！？；\n]")
_ENDINGS = ("ing", "ed", "es", "ly", "s")
_SHORTEST_STEM = 3


def says_otherwise(one: str, other: str) -> bool:
    """Whether two texts that are nearly alike say different things: one denies or turns the other."""
    return is_denial(one, other) or is_turned(one, other)


def is_denial(one: str, other: str) -> bool:
    """Whether two texts differ in little else than that one of them is negated more often: one denies the other.

    Tells it, too, of texts that are both negated somewhere. By words that stand between blanks; what negates in scripts
    without them is known to `learnings.sameness`.
    """
    first, second = (Counter(_WORD.findall(_folded(text))) for text in (one, other))
    apart = (first - second) + (second - first)
    negating = [sum(words[word] for word in words.keys() & _NEGATING) for words in (first, second)]
    return negating[0] != negating[1] and apart.total() <= MOST_APART


def is_turned(one: str, other: str) -> bool:
    """Whether two texts are the same but for a few words in place of a few others, or for the order of their words.

    A whole part that moves to the other end turns nothing, and whole sentences may stand in any order. Nor is what
    differs in more than that told by this rule: it may be another way of saying the same. The order of the two texts
    makes no difference.
    """
    first, second = sorted((_words(one), _words(other)))
    if first == second:
        return False
    if len(first) == len(second) and Counter(first) == Counter(second):
        return not (_is_moved(first, second) or _sentences(one) == _sentences(other))
    changes = [change for change in SequenceMatcher(None, first, second, False).get_opcodes() if change[0] != "equal"]
    # A title says much of its body once more, and what is replaced in both is one change.
    pairs = {(first[start:end], second[begin:until]) for _, start, end, begin, until in changes}
    replaced = sum(max(len(before), len(after)) for before, after in pairs)
    return all(change[0] == "replace" for change in changes) and replaced <= MOST_REPLACED


def said(title: str, body: str) -> tuple[str, ...]:
    """What a fact says, so that two of which it is the same say the same, letter for letter but for case and blanks."""
    whole = body if title.strip() in body else f"{title}\n{body}"
    return tuple(unicodedata.normalize("NFC", whole).casefold().split())


@lru_cache(4_096)
def _words(text: str) -> tuple[str, ...]:
    """The words that carry a statement, without their endings, in order."""
    words = _WORD.findall(in_one_spelling(_folded(text)))
    return tuple(_stem(word) for word in words if word not in _FUNCTION)


def _sentences(text: str) -> list[tuple[str, ...]]:
    """The words of each sentence, in an order that does not hang on that of the sentences."""
    return sorted(filter(None, map(_words, _SENTENCE_END.split(text))))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


def _is_moved(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists of the same words stand in one order, from whichever word they begin."""
    return any((*one[place:], *one[:place]) == tuple(other) for place in range(1, len(one)))
