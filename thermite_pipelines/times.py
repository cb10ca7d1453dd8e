"""Times: RFC 3339 in and out; inside, whole microseconds since 1970-01-01 in UTC (`int`).

Integers compare, sort and reach Arrow without conversion; `datetime` is only made where a library asks for it.
"""

import re
import time
from datetime import UTC, datetime, timedelta

_RFC3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt][0-2]\d:[0-5]\d:[0-5]\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)", re.ASCII
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST = (datetime(1, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST = (datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC) - _EPOCH) // _MICROSECOND


def parse_rfc3339(text: str) -> int:
    """Microseconds since the epoch of an RFC 3339 time with an offset; digits past the sixth are cut.

    Raises `ValueError` for anything else: no offset, second 60, no such day, a UTC year outside 1 to 9999.
    """
    if not _RFC3339.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no RFC 3339 time with an offset")
    try:
        since = datetime.fromisoformat(text if text[-1] == "Z" and text[10] == "T" else text.upper()) - _EPOCH
    except ValueError as error:
        raise ValueError(f"{text[:40]!r} is no time: {error}") from None
    micros = (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds
    if not _FIRST <= micros <= _LAST:
        raise ValueError(f"{text[:40]!r} is outside the years 1 to 9999 in UTC")
    return micros


def format_rfc3339(micros: int) -> str:
    """RFC 3339 in UTC with `Z`: microseconds only where they are not zero."""
    moment = to_datetime(micros)
    return moment.replace(tzinfo=None).isoformat(timespec="microseconds" if moment.microsecond else "seconds") + "Z"


def to_datetime(micros: int) -> datetime:
    """The aware UTC `datetime` of microseconds since the epoch."""
    return _EPOCH + timedelta(microseconds=micros)


def now_micros() -> int:
    """The time now, in microseconds since the epoch."""
    return time.time_ns() // 1000
