"""Help requests of one agent as a fold of its events: the same blocker in the same run again is counted, no new row."""

import hashlib
import unicodedata
from typing import Any, Self

import msgspec

from thermite_pipelines.safety.redaction import redact_text

SUMMARY_CHARACTERS = 200
DETAIL_CHARACTERS = 4000
NO_SUMMARY = "(no summary given)"
_CUT = " … (cut)"
_JOIN = "\u200d"
_FLAG_LETTERS = ("\U0001f1e6", "\U0001f1ff")
# Skin tones, the letters of regions' flags, and the later parts of a Hangul syllable: no marks by their category.
_LATER_PARTS = (("\U0001f3fb", "\U0001f3ff"), ("\U000e0020", "\U000e007f"), ("\u1160", "\u11ff"))


class Request(msgspec.Struct):
    """A request of a run, as its events tell it; times in microseconds."""

    rig: str
    ledger: str
    run: str
    key: str
    blocker: str
    summary: str
    detail: str | None
    fatal: bool
    count: int
    at: int  # the first ask's own time
    accepted_at: int  # when control had the first ask
    asked_number: int  # the newest accepted report that holds an ask


def request_key(agent: str, blocker: str, summary: str) -> str:
    """What tells requests of one run apart: agent, category, and the summary but for case and blanks."""
    same = " ".join(summary.casefold().split())
    return hashlib.sha256(f"{agent}\n{blocker}\n{same}".encode()).hexdigest()[:16]


class AgentRequests:
    """The requests of one agent over all its runs, fed in the one order of events."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._rows: dict[tuple[str, str, str, str], Request] = {}

    @classmethod
    def restore(cls, agent: str, rows: list[dict[str, Any]]) -> Self:
        """The state that `snapshot` gave."""
        state = cls(agent)
        for request in msgspec.convert(rows, list[Request]):
            state._rows[request.rig, request.ledger, request.run, request.key] = request
        return state

    def snapshot(self) -> list[dict[str, Any]]:
        """The state as plain values."""
        return msgspec.to_builtins(list(self._rows.values()))

    @property
    def rows(self) -> list[Request]:
        """All requests, in the order of their first asks."""
        return list(self._rows.values())

    def ask(
        self, place: tuple[str, str, str], data: dict[str, Any], at: int, accepted_at: int, accepted_number: int
    ) -> None:
        """Take one `help_requested` event of a run (rig, ledger, run); `data` is redacted already."""
        blocker = data.get("blocker") or "other"
        # Made one line first: a credential that was broken over two is whole then, so it is looked for again.
        summary = redact_text(" ".join(data["summary"].split())) or NO_SUMMARY
        key = request_key(self._agent, blocker, summary)
        before = self._rows.get((*place, key))
        if before is not None:
            before.count += 1
            before.fatal |= data["fatal"]
            before.asked_number = max(before.asked_number, accepted_number)
            return
        detail = data.get("detail")
        self._rows[(*place, key)] = Request(
            *place,
            key,
            blocker,
            capped(summary, SUMMARY_CHARACTERS),
            None if detail is None else capped(redact_text(detail), DETAIL_CHARACTERS),
            data["fatal"],
            1,
            at,
            accepted_at,
            accepted_number,
        )


def capped(text: str, most: int) -> str:
    """The text, at most so many characters (code points) long; where it was cut its end says so.

    A character is never parted from the marks that belong to it.
    """
    if len(text) <= most:
        return text
    end = most - len(_CUT)
    while end and _is_later_part(text, end):
        end -= 1
    return text[:end].rstrip() + _CUT


def _is_later_part(text: str, place: int) -> bool:
    """Whether a code point belongs to the character that a reader sees before it."""
    char = text[place]
    if char == _JOIN or text[place - 1] == _JOIN or unicodedata.category(char).startswith("M"):
        return True
    if _is_flag_letter(char):
        before = place
        while before and _is_flag_letter(text[before - 1]):
            before -= 1
        return (place - before) % 2 == 1
    return any(first <= char <= last for first, last in _LATER_PARTS)


def _is_flag_letter(char: str) -> bool:
    return _FLAG_LETTERS[0] <= char <= _FLAG_LETTERS[1]
