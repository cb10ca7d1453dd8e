"""The payload of a report: its shape, as far as one payload shows it without the chain it belongs to."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from thermite_pipelines import names, times
from thermite_pipelines.ledger import strict_json

SCHEMA = "thermite.report/1"

# `data` and `campaign` stand on level 4 of the payload: payload, events, event, value.
_EVENT_LEVELS = 3


class PayloadError(ValueError):
    """A payload of the wrong shape; `detail` is one line that names the place and quotes at most 40 characters."""

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class Event(msgspec.Struct, gc=False):
    """One event. Times are microseconds since the epoch; an absent `run`, `campaign` or `data` is None.

    `campaign` and `data` are whatever JSON the rig wrote: a wrong value there costs the event, never its report.
    """

    n: int
    id: str
    at: int
    run: str | None
    campaign: Any
    type: str
    by: str
    data: Any


@dataclass(slots=True)
class Report:
    """A payload of the right shape; `sent_at` in microseconds since the epoch, `events` with `n` rising by one."""

    rig: str
    ledger: str
    seq: int
    prev: str | None
    sent_at: int
    events: list[Event]


@dataclass(frozen=True)
class Place:
    """A place in a chain."""

    rig: str
    ledger: str
    seq: int


# The wire structs keep what the bytes held, so that writing them again gives every field back. Integers are `Any` here
# because their type is checked with the rule of this format, not with msgspec's.
class _WireEvent(msgspec.Struct, gc=False):
    n: Any
    id: str
    at: str
    type: str
    by: str
    run: str | UnsetType | None = UNSET
    campaign: Any = UNSET
    data: Any = UNSET


class _WireReport(msgspec.Struct):
    schema: str
    rig: str
    ledger: str
    seq: Any
    prev: str | None
    sent_at: str
    events: list[_WireEvent]


_DECODER = msgspec.json.Decoder(_WireReport)


def parse_payload(raw: bytes) -> Report:
    """The report in a payload. Raises `PayloadError`, and nothing else, for what is no payload of this format.

    Not judged here: what `data` and `campaign` hold, and everything that needs the chain (`prev` for the first report,
    where `n` goes on).
    """
    wire = _wire(raw)
    if wire.schema != SCHEMA:
        raise PayloadError(f"schema is {strict_json.show(wire.schema)}, not {SCHEMA}")
    _check_text("rig", wire.rig, names.RIG.fullmatch)
    _check_text("ledger", wire.ledger, names.LEDGER.fullmatch)
    _check_number("seq", wire.seq)
    if wire.prev is not None:
        _check_text("prev", wire.prev, names.SHA256_HEX.fullmatch)
    sent_at = _time("sent_at", wire.sent_at)
    _check_events(wire.events)
    return Report(wire.rig, wire.ledger, wire.seq, wire.prev, sent_at, _events(wire.events))


def accepted_events(raw: bytes, rig: str, ledger: str, seq: int) -> dict[int, tuple[str, str, Any]] | None:
    """By `n` the type, writer and data of each event of a payload that was accepted before; None for another place.

    For payloads that are known by their hash: what was judged once is not judged again, which takes the most time.
    Raises `PayloadError` for what can't be one.
    """
    try:
        wire = _DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        raise PayloadError("it is no payload") from None
    if (wire.rig, wire.ledger, wire.seq) != (rig, ledger, seq):
        return None
    return {one.n: (one.type, one.by, None if one.data is UNSET else one.data) for one in wire.events}


def claimed_place(raw: bytes) -> Place | None:
    """The place that a payload which is refused claims, so that people see which chain stands behind it.

    None where the payload is no strict JSON, or `rig`, `ledger` or `seq` is what is wrong.
    """
    try:
        found = strict_json.loads(raw)
    except strict_json.StrictJsonError:
        return None
    if not isinstance(found, dict):
        return None
    rig, ledger, seq = found.get("rig"), found.get("ledger"), found.get("seq")
    if not (isinstance(rig, str) and names.RIG.fullmatch(rig)):
        return None
    if not (isinstance(ledger, str) and names.LEDGER.fullmatch(ledger)):
        return None
    return Place(rig, ledger, seq) if type(seq) is int and seq >= 1 else None


def _wire(raw: bytes) -> _WireReport:
    try:
        wire = _DECODER.decode(raw)
        if _is_tame(wire) and strict_json.keeps_all(raw, strict_json.dumps(wire)):
            return wire
    except (msgspec.MsgspecError, RecursionError, UnicodeError):
        pass
    try:
        return msgspec.convert(strict_json.loads(raw), _WireReport)
    except strict_json.StrictJsonError as error:
        raise PayloadError(error.detail) from None
    except msgspec.ValidationError as error:
        raise PayloadError(strict_json.describe(error)) from None


def _is_tame(wire: _WireReport) -> bool:
    room = strict_json.MAX_DEPTH - _EVENT_LEVELS
    is_tame = strict_json.is_tame
    return (
        is_tame((wire.seq,), room)
        and is_tame([event.n for event in wire.events], room)
        and is_tame([event.data for event in wire.events], room)
        and is_tame([event.campaign for event in wire.events], room)
    )


def _check_events(events: list[_WireEvent]) -> None:
    """Check each rule over all events at once; only where one fails go through them one by one, to name the place."""
    _check_numbers([event.n for event in events])
    ids = {event.id for event in events}
    _check_field(events, "id", ids, names.EVENT_ID.fullmatch)
    if len(ids) != len(events):
        _refuse_repeated_id(events)
    runs = {event.run for event in events} - {None, UNSET}
    _check_field(events, "run", runs, names.RUN.fullmatch)
    _check_field(events, "type", {event.type for event in events}, bool)
    _check_field(events, "by", {event.by for event in events}, names.WRITER.fullmatch)


def _check_numbers(numbers: list[Any]) -> None:
    if not numbers:
        return
    first = numbers[0]
    if set(map(type, numbers)) == {int} and first >= 1 and numbers == list(range(first, first + len(numbers))):
        return
    for index, number in enumerate(numbers):
        _check_number(f"events[{index}].n", number)
        if number != first + index:
            raise PayloadError(f"events[{index}].n: {number} does not follow {numbers[index - 1]}")


def _check_field(events: list[_WireEvent], field: str, values: Iterable[Any], matches: Callable[[Any], object]) -> None:
    if not all(map(matches, values)):
        for index, event in enumerate(events):
            if isinstance(value := getattr(event, field), str):
                _check_text(f"events[{index}].{field}", value, matches)


def _refuse_repeated_id(events: list[_WireEvent]) -> None:
    seen: set[str] = set()
    for index, event in enumerate(events):
        if event.id in seen:
            raise PayloadError(f"events[{index}].id: {strict_json.show(event.id)} is not unique in the report")
        seen.add(event.id)


def _check_number(place: str, value: Any) -> None:
    # `type` and not `isinstance`: true is no number here. 4.0 arrives as a float and is none either.
    if type(value) is not int:
        raise PayloadError(f"{place}: not an integer")
    if value < 1:
        raise PayloadError(f"{place}: {value} is below 1")


def _check_text(place: str, text: str, matches: Callable[[str], object]) -> None:
    if not matches(text):
        raise PayloadError(f"{place}: {strict_json.show(text)} has the wrong form")


def _events(wires: list[_WireEvent]) -> list[Event]:
    return [
        Event(
            wire.n,
            wire.id,
            _time(f"events[{index}].at", wire.at),
            None if wire.run is UNSET else wire.run,
            None if wire.campaign is UNSET else wire.campaign,
            wire.type,
            wire.by,
            None if wire.data is UNSET else wire.data,
        )
        for index, wire in enumerate(wires)
    ]


def _time(place: str, text: str) -> int:
    try:
        return times.parse_rfc3339(text)
    except ValueError:
        raise PayloadError(f"{place}: {strict_json.show(text)} is no RFC 3339 time with an offset") from None
