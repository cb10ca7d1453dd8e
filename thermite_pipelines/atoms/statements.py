"""What a statement is as text: its normal form and hash, whether it can be read alone, whether time wears it out."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from hashlib import sha256

from thermite_pipelines.atoms.signals import LANGUAGES
from thermite_pipelines.atoms.signals.language import lowered
from thermite_pipelines.times import to_datetime
from thermite_pipelines.transcripts.typed import typed_spans

_END_PUNCTUATION = ".!?…;:,。！？；：，、．｡､‥～~ "

_MONTHS = (
    "january february march april june july august september october november december jan feb mar apr jun jul aug sep "
    "sept oct nov dec januar februar märz mai juni juli oktober dezember janvier février mars avril juin juillet août "
    "septembre octobre novembre décembre enero febrero marzo abril mayo junio julio agosto septiembre octubre "
    "noviembre "
    "diciembre"
).replace(" ", "|")
_UNITS = (
    "eur|usd|gbp|chf|jpy|cny|dollars?|euros?|pounds?|cents?|francs?|pesos|yen|rmb|thousand|million|millions|billion|"
    "millionen|tausend|mille|mil|millones|k|m|bn|mio"
)
# A number after one of these is a name of something, not a count.
_NAMED = (
    r"(?<!\bport )(?<!\bversion )(?<!\bpython )(?<!\bnode )(?<!\bhttp )(?<!\bstep )(?<!\bline )(?<!\berror )(?<!\bpr )"
    r"(?<!\bissue )(?<!\bpage )(?<!\brule )(?<!\blevel )(?<!\bpostgres )(?<!\bschritt )(?<!\bzeile )(?<!\bseite )"
    r"(?<!\bversión )(?<!\bétape )(?<!\bligne )(?<!\bpaso )(?<!\blínea )(?<!\bstatus )(?<!\bcode )(?<!\brfc )"
)
_SINCE = "in|im|en|since|seit|depuis|desde|by|until|before|after|bis|vor|nach|avant|antes\\sde"
# Looked for only where a digit stands at all; most begin with one.
_TIMES_WITH_DIGITS = re.compile(
    rf"""
      (?=\d)(?:
          \d\s?[$€£¥￥₹₩%％‰]
        | (?<![\w.])\d[\d.,]*\s?(?:{_UNITS})(?!\w)
        | \b(?:19|20)\d\d-[01]?\d(?:-[0-3]?\d)?\b | \b[0-3]?\d[./][01]?\d[./](?:19|20)?\d\d\b
        | \b[0-3]?\d(?:\.|st|nd|rd|th|\sde)?\s(?:{_MONTHS})\b
        | \d\s?(?:年|月|日|号|円|元|块|万|千|億|亿|个|個|件|台|次|回|人|名|条|本|枚|家|笔|份|天|倍|割)
        | (?<![\w.:/#-]){_NAMED}\d[\d.,]*\s(?!and\b|or\b|to\b|of\b|und\b|oder\b|bis\b|et\b|ou\b|y\b|o\b|is\b|in\b
        |on\b|at\b|as\b|for\b|with\b)[^\W\d_]{{3,}}
      )
    | [$€£¥￥₹₩]\s?\d
    | \b(?=[^\W\d_])(?:
          (?:{_MONTHS})\.?\s(?:of\s)?[0-3]?\d(?:st|nd|rd|th)?
        | may\s(?:[0-3]?\d(?:st|nd|rd|th)?|(?:19|20)\d\d)
        | (?:{_SINCE})\s(?:19|20)\d\d
        | (?:q[1-4]|h[12])\s?(?:/\s?)?(?:19|20)?\d\d | q[1-4]
      )\b
    """,
    re.VERBOSE,
)
_DIGIT = re.compile(r"\d")
_TIMES_IN_WORDS = re.compile(
    rf"""
      \b(?=[^\W\d_])(?:
          (?:{_SINCE})\s(?:{_MONTHS})
        | yesterday|today|tomorrow|tonight
        | (?:last|this|next)\s(?:week|month|quarter|year|night|spring|summer|autumn|winter)
        | gestern|heute|morgen|vorgestern|(?:letzte|diese|nächste|vorige)[nrsm]?\s(?:woche|monat|quartal|jahr|nacht)
        | hier|aujourd'hui|demain|(?:la\ssemaine|le\smois|l'année|le\strimestre)\s(?:dernière?|prochaine?|passée?)
        | ayer|hoy|mañana|anoche|(?:la\ssemana|el\smes|el\saño|el\strimestre)\s(?:pasad[oa]|próxim[oa]|que\sviene)
      )(?!\w)
    | 昨天|今天|明天|前天|昨晚|[上这本下]个?(?:周|星期|月|季度)|去年|今年|明年
    | 昨日|今日|明日|昨夜|今朝|先週|今週|来週|先月|今月|来月|昨年|来年
    """,
    re.VERBOSE,
)


def spans_of(text: str) -> Sequence[tuple[int, int]]:
    """What of a message was typed: `typed_spans`, which the rules and the gate both ask for."""
    return _spans(text) if len(text) <= _OFTEN else typed_spans(text)


_OFTEN = 4_000
_spans = lru_cache(maxsize=512)(typed_spans)


def normalize(statement: str) -> str:
    """The form by which statements are compared: NFC, case-folded, runs of white space one space, no end punctuation.

    Applying it again changes nothing.
    """
    text = " ".join((statement.lower() if statement.isascii() else _folded(statement)).split())
    return text.rstrip(_END_PUNCTUATION).lstrip()


def _folded(text: str) -> str:
    """Case folding can undo NFC and the other way round, so both are repeated until neither changes anything."""
    while (after := unicodedata.normalize("NFC", text.casefold())) != text:
        text = after
    return text


def digest(statement: str) -> str:
    """Hex SHA-256 of the normalized statement: what tells atoms apart."""
    return sha256(normalize(statement).encode("utf-8", "surrogatepass")).hexdigest()


def is_time_bound(text: str) -> bool:
    """Whether a text holds a price, a date or a count, in any of the known languages: such data grows old."""
    low = lowered(text)
    if _TIMES_IN_WORDS.search(low):
        return True
    return _DIGIT.search(low) is not None and _TIMES_WITH_DIGITS.search(low) is not None


def dangling(statement: str) -> bool:
    """Whether a statement's subject is only a word that points back ('this', 'it', 'the above'), in any known language.

    'This column counts …' names what it is about and is fine.
    """
    low = lowered(statement).strip().lstrip("\"'“„«「『(-–—*• ")
    for opener in _OPENERS:
        if low.startswith(opener):
            low = low[len(opener) :].lstrip(" ,")
            break
    if _bare_starts(None).match(low):
        return True
    # A word of one script means something else in another language: 他 is 'he' in Chinese and 'other' in Japanese.
    if low.isascii() or not _HAN.search(low):
        return False
    return _bare_starts("ja" if _KANA.search(low) else "zh").match(low) is not None


@cache
def _bare_starts(code: str | None) -> re.Pattern[str]:
    """Bare subjects of one language, or for None of all that part words by blanks."""
    meant = [language for language in LANGUAGES if language.code == code or (code is None and language.spaced)]
    return re.compile("|".join(language.start("bare").pattern for language in meant))


_KANA = re.compile(r"[\u3041-\u30ff]")
_HAN = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_OPENERS = (
    *("and ", "but ", "so ", "because ", "also ", "und ", "aber ", "denn ", "et ", "mais ", "car ", "y ", "pero "),
    *("而且", "但是", "所以", "因为", "でも", "そして", "だから"),
)


def day_of(micros: int) -> str:
    """The UTC day of a time in microseconds since the epoch, as `YYYY-MM-DD`."""
    return to_datetime(micros).date().isoformat()
