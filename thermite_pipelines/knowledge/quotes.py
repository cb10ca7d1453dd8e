"""Whether a quote stands word for word in the archived text of its source.

Rule: a substring, after Unicode NFC, with each run of white space as one space and none at the ends; nothing else is
forgiven. White space is what Python's `str.split()` splits at. An empty quote is unverified, and so is a quote from a
source that has no archived text.
"""

import unicodedata
from collections import OrderedDict
from collections.abc import Callable

SourceTexts = Callable[[str], str | None]
"""The archived text of a source of the run, by source id; None where there is none."""


def normalise(text: str) -> str:
    """The form in which quotes and sources are compared."""
    return " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())


class Archive:
    """The source texts of one run, each brought into its compared form once.

    Texts are kept up to `limit` characters together, the last used last out; a source without a text is asked for again
    next time, as it may be archived later.
    """

    def __init__(self, source_texts: SourceTexts, limit: int = 1 << 25) -> None:
        self._source_texts = source_texts
        self._limit = limit
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._size = 0

    def verifies(self, source: str, quote: str) -> bool:
        """Whether `quote` stands word for word in the archived text of `source`."""
        wanted = normalise(quote)
        if not wanted:
            return False
        text = self._text(source)
        return text is not None and wanted in text

    def _text(self, source: str) -> str | None:
        if source in self._kept:
            self._kept.move_to_end(source)
            return self._kept[source]
        raw = self._source_texts(source)
        if raw is None:
            return None
        text = normalise(raw)
        self._kept[source] = text
        self._size += len(text)
        while self._size > self._limit and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._size -= len(dropped)
        return text
