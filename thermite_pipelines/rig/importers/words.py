"""The words of autoresearch-style logs: status words, numbers and times as people and scripts write them."""

import math
import re
from datetime import UTC, datetime

from thermite_pipelines.times import parse_rfc3339

# word -> (status of the experiment, verdict on the attempt). A `None` status leaves the experiment open.
_WORDS: dict[str, tuple[str | None, str | None]] = {}
for _status, _verdict, _words in [
    ("improved", "accepted", "keep kept accept accepted improved improvement better best new_best champion win merged"),
    ("worse", "rejected", "discard discarded revert reverted reject rejected regression regressed worse drop dropped"),
    ("worse", "rejected", "kill killed rollback rolled_back undone abandoned removed"),
    (
        "failed",
        "invalid",
        "crash crashed fail failed failure error err oom timeout timed_out tests_failed buggy broken",
    ),
    ("failed", "invalid", "nan diverged exception invalid aborted segfault"),
    ("skipped", None, "skip skipped blocked defer deferred cancelled canceled not_run n_a"),
    (None, None, "pending planned queued running launched started open todo in_progress wip"),
    (
        "no_change",
        None,
        "baseline no_op noop no_change no_changes unchanged neutral same tie tied flat inconclusive parked",
    ),
    (
        "no_change",
        None,
        "pass passed ok success succeeded successful completed complete done finished current verified",
    ),
    ("no_change", None, "reconciled partial superseded unanswerable tournament tourn review placebo logged recorded"),
]:
    _WORDS.update(dict.fromkeys(_words.split(), (_status, _verdict)))

_TIES = frozenset(["tie", "tied", "same", "unchanged", "neutral"])
_YES = frozenset(["true", "yes", "y", "1", "kept", "keep"])
_NO = frozenset(["false", "no", "n", "0", "discarded", "discard"])
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_STAMP = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T _](\d\d)[:-](\d\d)(?:[:-](\d\d))?(?:[.,](\d+))?\s*(Z|z|UTC|[+-]\d\d:?\d\d)?)?",
    re.ASCII,
)
_SAFE_INTEGER = 2**53 - 1


def plain(word: str) -> str:
    """A name in one shape: lower case, runs of other characters as one underscore (`Exp ID` -> `exp_id`)."""
    return re.sub(r"[^0-9a-zµ]+", "_", word.strip().lower()).strip("_")


def judge_word(word: str) -> tuple[str | None, str | None] | None:
    """(experiment status, verdict) of a status word of a log, or `None` for a word that is not known.

    A remark after the word is allowed: `revert (feature mismatch)`, `KEEP delta=+0.01`, `CRASH: out of memory`.
    """
    whole = plain(word)
    if whole in _WORDS:
        return _WORDS[whole]
    parts = whole.split("_")
    for count in (3, 2, 1):
        known = _WORDS.get("_".join(parts[:count]))
        if known is not None and len(parts) > count:
            # `REVERT (tied)`: taken back, though it was no worse.
            is_tie = known[0] in ("improved", "worse") and _TIES.intersection(parts[count:])
            return ("no_change", known[1]) if is_tie else known
    return None


def yes_or_no(value: object) -> bool | None:
    """The truth that a cell of a column such as `kept` states, or `None`."""
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    return True if text in _YES else False if text in _NO else None


def number(value: object) -> int | float | None:
    """The finite number that a cell holds, or `None`: also `+0.5`, `1.2e-3`, `12 %`, `1,234` and `0,9979`."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return value if abs(value) <= _SAFE_INTEGER else _finite(value)
    if isinstance(value, float):
        return _finite(value)
    text = str(value).strip().removesuffix("%").strip()
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    elif _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    if len(text) > 400 or not _NUMBER.fullmatch(text):
        return None
    if re.fullmatch(r"[+-]?\d{1,15}", text):
        return int(text)
    return _finite(text)


def _finite(value: int | float | str) -> float | None:
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def moment(value: object) -> int | None:
    """Microseconds since the epoch of a time as logs write it, or `None`.

    RFC 3339; ISO with a blank, an underscore or no offset (then UTC); a date alone; seconds, milliseconds, microseconds
    or nanoseconds since the epoch (told apart by size, from the year 2001 on).
    """
    figure = number(value)
    if figure is not None:
        return _epoch(figure)
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        return parse_rfc3339(text)
    except ValueError:
        pass
    match = _STAMP.match(text)
    if not match or (text[match.end() :].strip() and len(text) > 40):
        return None
    year, month, day, hour, minute, second, fraction, offset = match.groups()
    if offset in (None, "Z", "z", "UTC"):
        offset = "+00:00"
    elif ":" not in offset:
        offset = f"{offset[:3]}:{offset[3:]}"
    stamp = f"{year}-{month}-{day}T{hour or '00'}:{minute or '00'}:{second or '00'}.{fraction or '0'}{offset}"
    try:
        return parse_rfc3339(stamp)
    except ValueError:
        return None


def _epoch(figure: int | float) -> int | None:
    for low, high, factor in [(1e9, 1e11, 1e6), (1e11, 1e14, 1e3), (1e14, 1e17, 1), (1e17, 1e19, 1e-3)]:
        if low <= figure < high:
            micros = int(figure * factor) if factor >= 1 else int(figure) // 1000
            last = int(datetime(9999, 12, 31, tzinfo=UTC).timestamp()) * 1_000_000
            return micros if micros < last else None
    return None


def clean(text: str) -> str:
    """`text` without what strict JSON forbids in a string: NUL is dropped, an unpaired surrogate becomes U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", "")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text
