"""Which type of atom a sentence is, corrections aside (`corrections`)."""

import re
from collections.abc import Sequence

from thermite_pipelines.atoms.signals.corrections import is_request, skip_openers
from thermite_pipelines.atoms.signals.language import Language
from thermite_pipelines.atoms.signals.sentences import Sentence, size_of

ORDER = ("open_question", "workflow", "decision", "pattern", "finding", "mental_model")
"""Where phrases of several types stand in one sentence, the first of these wins."""

_FEWEST = {"open_question": 5, "workflow": 4, "decision": 6, "pattern": 6, "finding": 5, "mental_model": 6}
"""Words of the shortest sentence that can be of a type."""
_NUMBER = re.compile(r"(?<![\w.])[$€£¥]?\d[\d.,]*")
_UNIT = re.compile(
    r"\d ?(?:%|percent|prozent|por ciento|ms|s\b|min|h\b|hours?|minut|second|stunden"
    r"|heures|horas|days|usd"
    r"|eur|€|\$|[kmg]i?b\b|mbit|kg|rps|qps|x\b|times|gram\w*|gr\b|kwh|kw\b|km|°|degrees|grad\b|points?\b|weeks?|months?|tage|jours|días|lit(?:er|re|ro)s?"
    r"|件|人|回|円|秒|分|个|次|元|倍|克|天|グラム|日|枚|箱)"
)
_CLAUSE = re.compile(r"[,;:，；：、]|\s[-–—]\s")
_SINGULAR = {
    "en": re.compile(r"(?<!\w)(?:i|i've|i'm|i'll)(?!\w)"),
    "de": re.compile(r"(?<!\w)ich(?!\w)"),
    "fr": re.compile(r"(?<!\w)(?:je|j')"),
    "es": re.compile(r"(?<!\w)(?:yo|he|decidí|opté|elegí|me quedo)(?!\w)"),
    "zh": re.compile(r"我(?!们)"),
    "ja": re.compile(r"(?:私|僕|俺)"),
}
_REASON = re.compile(
    r"reason|grund|raison|razón|motivo|理由|原因|otherwise|sonst|sinon|所以|因为|(?:ので|から|ため)(?:。|、|$|です)"
)
# 'Option 2 instead of 1' answers a question and tells nothing.
_OPTION = re.compile(
    r"\b(?:option|variant|variante|opción|version|number|nummer)s? (?:\d|[a-d]\b)"
    r"|\b(?:the )?(?:first|second|third|last) one\b|(?:方案|选项|案)\s?[\dA-D一二三]"
)
_SEVERAL = 2
_LISTED = 4
_WORKS = re.compile(r"works?\b|funktionier|fonctionne|marche|funciona|behave")


def usable(sentence: Sentence, language: Language) -> Sentence | None:
    """The part of a sentence that states something: without its fillers, and without a request at its end."""
    if sentence.asks:
        return None
    start = skip_openers(sentence, language)
    low = sentence.low[start:]
    if asked := language.search("asks", low):
        cut = max((match.start() for match in _CLAUSE.finditer(low, 0, asked.start())), default=0)
        if size_of(low[:cut]) < min(_FEWEST.values()):
            return None
        low = low[:cut]
    text = sentence.text[start : start + len(low)]
    first = sentence.start + start
    return Sentence(first, first + len(low), text, low, False, sentence.opens)


def _ends_in_request(low: str, language: Language) -> bool:
    """Whether the last clause asks for something: '…, move it' makes what comes before a task."""
    clauses = _TASK.split(low)
    return len(clauses) > 1 and is_request(_JOINED.sub("", clauses[-1].lstrip()), language)


_HANDED = re.compile(r"[^:：]{3,40}[:：]")
"""'Translate this: …': what follows is the thing to work on, and nobody's claim."""
_TASK = re.compile(r"[,;，；、]|\s[-–—]\s| (?:and|so|but|und|aber|et|mais|y|pero) ")
_JOINED = re.compile(r"(?:so|and|then|also|und|also|dann|et|alors|donc|y|así que|entonces) |现在|那就?|以后")
_TASKS = ("open_question", "pattern", "mental_model")
"""Types that are a mere occasion where a task stands behind them in one sentence."""


def _unquoted(low: str) -> str:
    """The text with longer quotations blotted out: what they say is somebody else's."""
    return _QUOTED.sub(lambda match: "_" * len(match.group()), low)


_QUOTED = re.compile(r"[\"“„«「『][^\"“”„«»「」『』]{12,200}[\"”“»」』]")


def type_of(part: Sentence, following: Sequence[Sentence], language: Language) -> str | None:
    """The type of a usable part, or None; `following` are the sentences after it."""
    low = part.low
    if language.search("unreal", low) or (is_request(low, language) and _HANDED.match(low)):
        return None
    size = part.size
    for kind in ORDER:
        if size < _FEWEST[kind] or not _signalled(kind, part, following, language):
            continue
        against = language.against.get(kind)
        if against is not None and against.search(low):
            continue
        if kind in _TASKS and _ends_in_request(low, language):
            continue
        if _HOLDS[kind](part, following, language):
            return kind
    return None


def _signalled(kind: str, part: Sentence, following: Sequence[Sentence], language: Language) -> bool:
    if language.by_type[kind].search(_unquoted(part.low)):
        return True
    if kind == "finding":
        return _is_finding(part.low, language)
    return kind == "workflow" and _is_sequence(part, following, language)


def _is_finding(low: str, language: Language) -> bool:
    """Measured data: words of measuring beside figures, or many figures of what was."""
    if language.search("figures", low):
        return _is_measured(low)
    many = len(_NUMBER.findall(low)) > _SEVERAL and _UNIT.search(low) is not None
    return many and language.search("past", low) is not None


def _is_measured(low: str) -> bool:
    """At least two numbers, or one with a unit: a single bare number beside a verb says little."""
    return len(_NUMBER.findall(low)) >= _SEVERAL or _UNIT.search(low) is not None


def _is_sequence(part: Sentence, following: Sequence[Sentence], language: Language) -> bool:
    """Steps in an order that lasts: two words of order at least, and a word that makes it a habit."""
    steps = len(language.find_all("steps", part.low))
    if steps < _SEVERAL or language.search("habits", part.low) is None:
        return False
    if is_request(part.low, language) or is_request(_after_first(part.low, language), language):
        return False
    return steps > _SEVERAL or language.by_type["pattern"].search(part.low) is None


def _after_first(low: str, language: Language) -> str:
    """What follows the word of order with which a text begins: 'first read …' is a task."""
    step = language.starts("steps", low)
    if step is None:
        return low
    return low.partition(" ")[2] if language.spaced else low[step.end() :].lstrip(" ,，、")


def _open_question(part: Sentence, following: Sequence[Sentence], language: Language) -> bool:
    """An uncertainty is no task: where the agent is asked to look, it is one."""
    if language.starts("steps", part.low) and is_request(_after_first(part.low, language), language):
        return False
    return not any(_asks_to_look(later, language) for later in following[:1])


def _asks_to_look(later: Sentence, language: Language) -> bool:
    return later.asks or (later.size <= 6 and language.search("asks", later.low) is not None)


def _decision(part: Sentence, following: Sequence[Sentence], language: Language) -> bool:
    """A choice with its reason: a bare choice is an approval."""
    if _OPTION.search(part.low):
        return False
    whole = part.low if not following else f"{part.low} {following[0].low}"
    if language.search("reasons", whole) or _REASON.search(whole) or language.any_contrast.search(part.low):
        return True
    if _SINGULAR[language.code].search(part.low) or is_request(part.low, language):
        return False
    after = part.low[_end(language, "decision", part.low) :]
    return any(size_of(clause) >= 4 for clause in _CLAUSE.split(after)[1:]) and part.size >= 10


def _end(language: Language, kind: str, low: str) -> int:
    match = language.by_type[kind].search(low)
    return match.end() if match else 0


def _pattern(part: Sentence, following: Sequence[Sentence], language: Language) -> bool:
    return not is_request(part.low, language)


def _finding(part: Sentence, following: Sequence[Sentence], language: Language) -> bool:
    return not is_request(part.low, language)


def _workflow(part: Sentence, following: Sequence[Sentence], language: Language) -> bool:
    """Named a process, it must have steps: in the sentence or the one after it."""
    if is_request(part.low, language) or is_request(_after_first(part.low, language), language):
        return False
    whole = part.low + "".join(f" {later.low}" for later in following[:2] if not later.asks)
    steps = len(language.find_all("steps", whole))
    return steps >= 1 or (len(_CLAUSE.split(whole)) > _LISTED and _WORKS.search(part.low) is None)


def _mental_model(part: Sentence, following: Sequence[Sentence], language: Language) -> bool:
    """'Think of it as a queue' asks for nothing, though it begins as a request does."""
    return not is_request(part.low, language) or language.by_type["mental_model"].match(part.low) is not None


_HOLDS = {
    "open_question": _open_question,
    "workflow": _workflow,
    "decision": _decision,
    "pattern": _pattern,
    "finding": _finding,
    "mental_model": _mental_model,
}
