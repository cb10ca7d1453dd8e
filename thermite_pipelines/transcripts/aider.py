"""The chat history of aider: Markdown in which `#### ` begins what a person typed and `> ` what the program printed."""

import re
from collections.abc import Iterator
from typing import Literal

from thermite_pipelines.transcripts.session import Gathered, Raw, SessionRead, time_of

TOOL = "aider"
FILE = "aider.chat.history"
"""The name of each of its files, without a dot before it and the ending."""
_STARTED = re.compile(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_VERSION = re.compile(r"> Aider v\d")
_ASKED = re.compile(r"\((?:Y|N)\)\w*/\((?:Y|N)\)\w*")


def is_line(text: str) -> bool:
    """Whether a line is one that only aider writes."""
    return bool(_STARTED.match(text) or _VERSION.match(text))


class AiderReader:
    """Reads lines in order. A message's time is that of the chat's start: aider writes no other."""

    def __init__(self, session: SessionRead) -> None:
        self._session = session
        self._text = Gathered()
        self._what: Literal["human", "assistant", "tool", ""] = ""
        self._at: int | None = None

    def feed(self, line: int, text: str) -> Iterator[Raw]:
        """The message that a line ends, if it belongs to the next."""
        started = _STARTED.match(text)
        if started is not None:
            yield from self.finish()
            self._at = time_of(started[1])
            if self._session.started_at is None:
                self._session.started_at = self._at
            return
        # Every line that is typed ends in two blanks; a heading of an agent's answer does not.
        if text.startswith("#### ") and (text.endswith("  ") or self._what == "human"):
            what, text = "human", text[5:].rstrip()
            if _ASKED.search(text):
                what = "tool"
        elif text.startswith("> ") or text == ">":
            what = "tool"
        elif not text.strip():
            self._text.add("")
            return
        else:
            what = "assistant"
        if what != self._what:
            yield from self.finish()
            self._what = what
        self._text.add(text)

    def finish(self) -> Iterator[Raw]:
        """The message before the next one or before the end of the file."""
        what, self._what = self._what, ""
        text = self._text.take()
        if what and text.strip():
            yield Raw(None, what, text, self._at)
