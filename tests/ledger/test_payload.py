import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ledger.samples import AT, raw, wire_event, wire_report
from thermite_pipelines import times
from thermite_pipelines.ledger.payload import PayloadError, Place, Report, claimed_place, parse_payload

LONG = "x" * 500


def refused(payload: bytes) -> str:
    with pytest.raises(PayloadError) as error:
        parse_payload(payload)
    detail = error.value.detail
    assert detail and "\n" not in detail and len(detail) < 200
    return detail


def exactly(payload: dict[str, Any]) -> Report | str:
    """What becomes of a payload that the fast path cannot vouch for, because it has a field of its own."""
    try:
        return parse_payload(raw(payload | {"later": {"a": [1]}}))
    except PayloadError as error:
        return error.detail


def test_a_report_is_read() -> None:
    first = wire_event(7, at="2026-11-29T11:14:58.1234567+01:00", data={"note": "a", "deep": [{"x": 1.5}]})
    second = {
        key: value for key, value in wire_event(8, by="panel:r.2").items() if key not in ("run", "campaign", "data")
    }
    report = parse_payload(raw(wire_report(first, second, seq=3, prev="0a" * 32, sent_at="2026-11-29t10:15:00z")))
    assert (report.rig, report.ledger, report.seq, report.prev) == ("rig-a", "01JD", 3, "0a" * 32)
    assert times.format_rfc3339(report.sent_at) == "2026-11-29T10:15:00Z"
    one, two = report.events
    assert (one.n, one.id, one.run, one.campaign, one.type, one.by) == (
        7,
        "e7",
        "run-7",
        "speed-up",
        "journal_note",
        "lane-1",
    )
    assert times.format_rfc3339(one.at) == "2026-11-29T10:14:58.123456Z"
    assert one.data == {"note": "a", "deep": [{"x": 1.5}]}
    assert (two.n, two.run, two.campaign, two.data, two.by) == (8, None, None, None, "panel:r.2")


def test_a_report_without_events_is_read() -> None:
    assert parse_payload(raw(wire_report())).events == []


def test_white_space_and_unknown_fields_are_taken() -> None:
    payload = raw(wire_report(wire_event(1, later={"x": 1}), later=[1]))
    assert parse_payload(b"\n " + payload + b"\r\n").events == parse_payload(raw(wire_report(wire_event(1)))).events


@pytest.mark.parametrize("campaign", [None, 4, ["x"], {"a": 1}, True, ""])
@pytest.mark.parametrize("data", [None, 4, [], "x", {}, {"note": 1}])
def test_kb_13_a_wrong_value_in_an_event_never_costs_its_report(campaign: Any, data: Any) -> None:
    event = parse_payload(raw(wire_report(wire_event(1, campaign=campaign, data=data)))).events[0]
    assert (event.campaign, event.data) == (campaign, data)


@pytest.mark.parametrize("field", ["schema", "rig", "ledger", "seq", "prev", "sent_at", "events"])
def test_a_missing_field_is_refused(field: str) -> None:
    payload = wire_report(wire_event(1))
    del payload[field]
    assert field in refused(raw(payload))


@pytest.mark.parametrize("field", ["n", "id", "at", "type", "by"])
def test_a_missing_field_of_an_event_is_refused(field: str) -> None:
    event = wire_event(2)
    del event[field]
    detail = refused(raw(wire_report(wire_event(1), event)))
    assert field in detail and "events[1]" in detail


BAD_FIELDS = {
    "schema": ["thermite.report/2", "thermite.report/1 ", "", None, 1],
    "rig": ["", "Rig", "1a", "a_b", "rig-a\n", "a" * 64, "ü", None, 1, LONG],
    "ledger": ["", "-a", "_a", "a.b", "a\n", "a" * 65, None, 1],
    "seq": [0, -1, 1.0, 4.0, True, "1", None, 2**53, [1]],
    "prev": ["", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0" * 64 + "\n", 0, False],
    "sent_at": ["", "2026-11-29", "2026-11-29T10:15:00", "2026-11-29 10:15:00Z", "2026-11-29T10:15:60Z", None, 1, LONG],
    "events": [None, {}, "x", [None], [[]], ["x"]],
}
BAD_EVENT_FIELDS = {
    "n": [0, -1, 1, 3, 2.0, "2", True, None, 2**53, [2]],
    "id": ["", "-a", ".a", "a b", "a/b", "e2\n", "a" * 129, None, 2, "e1", LONG],
    "at": [
        "",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-11-29T10:15:00",
        "0001-01-01T00:00:00+01:00",
        None,
        1,
    ],
    "run": ["", "-a", "a b", "a/b", "a:b", "run-7\n", "a" * 129, 7, ["run-7"], False],
    "type": ["", None, 1, []],
    "by": [
        "",
        "lane-0",
        "lane-x",
        "lane-01",
        "lane-10000",
        "panel:",
        "planner:x",
        "Owner",
        "lane-1\n",
        "teachers:-x",
        None,
        1,
    ],
}


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in BAD_FIELDS.items() for value in values]
)
def test_a_wrong_field_is_refused(field: str, value: Any) -> None:
    payload = wire_report(wire_event(1)) | {field: value}
    detail = refused(raw(payload))
    assert field in detail or "2^53" in detail
    assert "x" * 41 not in detail
    assert exactly(payload) == detail


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in BAD_EVENT_FIELDS.items() for value in values]
)
def test_kb_04_a_wrong_field_of_an_event_is_refused(field: str, value: Any) -> None:
    payload = wire_report(wire_event(1), wire_event(2) | {field: value}, wire_event(3))
    detail = refused(raw(payload))
    assert detail.startswith(f"events[1].{field}: ") or "2^53" in detail
    assert "x" * 41 not in detail
    assert exactly(payload) == detail


@pytest.mark.parametrize(
    "by",
    ["lane-1", "lane-9999", "planner", "owner", "harness", "teachers:a", "combiner:A.b-c_d", "auditor:9", "panel:r"],
)
def test_kb_04_every_writer_has_its_form(by: str) -> None:
    assert parse_payload(raw(wire_report(wire_event(1, by=by)))).events[0].by == by


def test_numbers_rise_by_one_from_wherever_they_begin() -> None:
    events = [wire_event(n) for n in range(41, 46)]
    assert [event.n for event in parse_payload(raw(wire_report(*events))).events] == [41, 42, 43, 44, 45]
    assert refused(raw(wire_report(*events[:2], *events[3:]))) == "events[2].n: 44 does not follow 42"
    assert refused(raw(wire_report(events[0], events[0] | {"id": "x"}))) == "events[1].n: 41 does not follow 41"
    assert "events[0].n" in refused(raw(wire_report(wire_event(0), wire_event(1))))


def test_ids_are_unique_in_the_report() -> None:
    events = [wire_event(1), wire_event(2), wire_event(3, id="e1")]
    assert refused(raw(wire_report(*events))) == "events[2].id: 'e1' is not unique in the report"


def test_prev_of_any_seq_may_be_null_as_far_as_one_payload_shows() -> None:
    assert parse_payload(raw(wire_report(seq=2))).prev is None
    assert parse_payload(raw(wire_report(prev="f" * 64))).prev == "f" * 64


def nested(levels: int) -> Any:
    return {"a": nested(levels - 1)} if levels else "x"


@pytest.mark.parametrize("field", ["data", "campaign"])
def test_depth_counts_from_the_payload(field: str) -> None:
    # The payload, its events and the event are three levels.
    assert parse_payload(raw(wire_report(wire_event(1, **{field: nested(29)}))))
    assert "deeper than 32" in refused(raw(wire_report(wire_event(1, **{field: nested(30)}))))
    assert "deeper than 32" in refused(raw(wire_report(later=[nested(31)])))
    assert parse_payload(raw(wire_report(later=[nested(30)])))


STRICT = {
    "duplicate in data": b'{"note":1,"note":1}',
    "duplicate deep in data": b'{"x":[{"a":1,"b":{},"a":2}]}',
    "duplicate behind an escape": b'{"a":"\\u003a","a":1}',
    "big integer": b'{"value":9007199254740992}',
    "beyond a double": b'{"value":1e999}',
    "NaN": b'{"value":NaN}',
    "NUL": b'{"text":"\\u0000"}',
    "NUL in key": b'{"\\u0000":1}',
    "surrogate": b'{"text":"\\ud800"}',
    "raw surrogate": b'{"text":"\xed\xa0\x80"}',
    "not UTF-8": b'{"text":"\xff"}',
    "control character": b'{"text":"\n"}',
    "deep": b"[" * 100_000 + b"]" * 100_000,
}


@pytest.mark.parametrize("place", ["data", "campaign", "later", "id"])
@pytest.mark.parametrize("data", STRICT.values(), ids=STRICT.keys())
def test_data_is_strict_json_too(data: bytes, place: str) -> None:
    refused(raw(wire_report(wire_event(1, **{place: "@@"}))).replace(b'"@@"', data))


def test_duplicate_fields_are_refused() -> None:
    payload = raw(wire_report(wire_event(1)))
    assert "duplicate key 'rig'" in refused(payload.replace(b'"rig"', b'"rig": "rig-b", "rig"'))
    assert "duplicate key 'n'" in refused(payload.replace(b'"n"', b'"n": 1, "\\u006e"'))
    assert "duplicate key 'run'" in refused(payload.replace(b'"run"', b'"run": null, "run"'))
    assert "duplicate key 'later'" in refused(payload.replace(b'"run"', b'"later": 1, "later": 2, "run"'))


@pytest.mark.parametrize("payload", [b"", b"[]", b"null", b'"x"', b"{}", b"{", b'{"a":1}', b"\xff", b"\xef\xbb\xbf{}"])
def test_what_is_no_report_is_refused(payload: bytes) -> None:
    refused(payload)


def test_a_value_beside_the_rules_is_named_by_its_place() -> None:
    event = wire_event(2, data={"text": "a\0b"})
    assert refused(raw(wire_report(wire_event(1), event))) == "events[1].data.text: NUL in a string"


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6)
)
trees = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
fields = st.sampled_from(["n", "id", "at", "run", "campaign", "type", "by", "data", "extra"])


@given(
    st.lists(st.dictionaries(fields, trees, max_size=2), max_size=3),
    st.dictionaries(st.sampled_from([*BAD_FIELDS]), trees),
)
def test_the_fast_and_the_exact_path_agree(changes: list[dict[str, Any]], top: dict[str, Any]) -> None:
    payload = wire_report(*(wire_event(n) | change for n, change in enumerate(changes, 1))) | top
    try:
        fast: Report | str = parse_payload(raw(payload))
    except PayloadError as error:
        fast = error.detail
    assert repr(fast) == repr(exactly(payload))


@given(st.data())
def test_damaged_bytes_raise_nothing_else(data: st.DataObject) -> None:
    payload = raw(wire_report(wire_event(1), wire_event(2)))
    at = data.draw(st.integers(0, len(payload)))
    damaged = payload[:at] + data.draw(st.binary(max_size=3)) + payload[at + data.draw(st.integers(0, 3)) :]
    try:
        parse_payload(damaged)
    except PayloadError:
        return
    json.loads(damaged)


def test_the_sample_time_is_kept_to_the_microsecond() -> None:
    event = parse_payload(raw(wire_report(wire_event(1)))).events[0]
    assert event.at == times.parse_rfc3339(AT) == 1_795_947_298_120_000


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"sent_at": "today"}, Place("rig-a", "01JD", 3)),
        ({"events": [5]}, Place("rig-a", "01JD", 3)),
        ({"rig": "Rig"}, None),
        ({"rig": 5}, None),
        ({"ledger": "-"}, None),
        ({"seq": 0}, None),
        ({"seq": True}, None),
        ({"later": "\x00"}, None),
    ],
)
def test_a_refused_payload_still_tells_its_place_in_the_chain(changes: dict[str, Any], place: Place | None) -> None:
    payload = raw(wire_report(seq=3) | changes)
    assert refused(payload)
    assert claimed_place(payload) == place


@pytest.mark.parametrize("payload", [b"", b"[]", b"{", b"5", b"\xff"])
def test_what_is_no_object_tells_no_place(payload: bytes) -> None:
    assert claimed_place(payload) is None
