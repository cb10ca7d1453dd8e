"""docs/report-format.md: its example lands, its program writes that example, its tables are those of the code."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.docs import event_fields
from tests.docs.pages import blocks, read_page, run_script, tables, words_in
from tests.project.tree import PACKAGE
from tests.support.homes import Home
from tests.support.rigs import drop
from thermite_pipelines import names
from thermite_pipelines.control import rigs
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import chain, receipt_rows
from thermite_pipelines.ledger import envelope, strict_json
from thermite_pipelines.ledger.envelope import REPORT_TYPE, public_key_of
from thermite_pipelines.ledger.event_checks import RunRecords, judge
from thermite_pipelines.ledger.payload import Event, PayloadError, parse_payload
from thermite_pipelines.rig import reports
from thermite_pipelines.rig.keys import generate
from thermite_pipelines.settings import Settings

PAGE = "docs/report-format.md"
SEED = b"example seed: everyone knows it!"
NAME = "L1-00000001.dsse.json"


def block(*words: str) -> str:
    """The text of the one block with these words behind its language."""
    (found,) = [item for item in blocks(PAGE, "json") if item.words == words]
    return found.text


def test_the_example_is_accepted_and_its_events_hold(home: Home) -> None:
    home.add_key("rig-a", public_key_of(SEED).hex())
    drop(home.settings.inbox / "rig-a", NAME, block("report").encode())
    home.intake()
    assert home.outcomes() == {NAME: "accepted"}
    assert [row["type"] for row in home.events()] == ["run_created", "journal_note"]
    assert home.events(table="rejected_events") == []


def test_the_payload_shown_is_the_payload_sent() -> None:
    sent = base64.b64decode(json.loads(block("report"))["payload"])
    assert json.loads(sent) == json.loads(block("payload"))


def test_the_keys_shown_are_those_of_the_example() -> None:
    public_key = public_key_of(SEED)
    assert f"`{SEED.decode()}`" in read_page(PAGE)
    assert f"`{public_key.hex()}`" in read_page(PAGE)
    assert f"`{envelope.keyid_of(public_key)}`" in read_page(PAGE)


def test_the_first_program_writes_the_example(tmp_path: Path) -> None:
    program = blocks(PAGE, "python")[0].text
    assert "thermite_pipelines" not in program
    (tmp_path / "send.py").write_text(program)
    run_script("python send.py", tmp_path)
    assert (tmp_path / NAME).read_text() == block("report").rstrip("\n")


def test_the_second_program_sends_a_report_that_holds(home: Home, tmp_path: Path) -> None:
    key = generate(tmp_path / "rig-a.key")
    home.add_key("rig-a", key.public_key_hex)
    (tmp_path / "send.py").write_text(blocks(PAGE, "python")[1].text)
    run_script("python send.py", tmp_path)
    for path in (tmp_path / "outbox").iterdir():
        drop(home.settings.inbox / "rig-a", path.name, path.read_bytes())
    home.intake()
    assert set(home.outcomes().values()) == {"accepted"}
    assert len(home.events()) == 6
    assert home.events(table="rejected_events") == []


def test_the_table_of_event_types_is_the_codes() -> None:
    shown = tables(PAGE, "Event types")
    made = event_fields.rows()
    assert [row[0] for row in shown] == [row[0] for row in made]
    for row, expected in zip(shown, made, strict=True):
        assert row == expected, f"python -m tests.docs.event_fields prints the row of {expected[0]}"


def test_patterns_are_the_codes() -> None:
    page = read_page(PAGE)
    for pattern in (names.RIG, names.LEDGER, names.RUN, names.EVENT_ID, names.AGENT, names.LANE):
        assert f"`{pattern.pattern}`" in page


def test_outcomes_and_reasons_are_the_codes() -> None:
    source = "".join(path.read_text() for path in sorted((PACKAGE / "intake").glob("*.py")))
    shown = [words_in(row[0])[0] for row in tables(PAGE, "What becomes of a report")]
    outcomes, reasons = shown[:4], shown[4:]
    assert outcomes == ["accepted", "waiting", "duplicate", "quarantined"]
    # Strings that stand alone where a reason is given; whatever else is hyphenated there is a name of something else.
    given = re.findall(
        r"(?:Finding\(|return |quarantined\(|UNSAFE = |\"quarantined\", )\"([a-z]+(?:-[a-z]+)+|fork)\"", source
    )
    assert set(given) == set(reasons)


def test_reasons_of_events_are_the_codes_in_its_order() -> None:
    source = (PACKAGE / "ledger" / "event_checks.py").read_text()
    shown = [words_in(row[0])[0] for row in tables(PAGE, "What becomes of an event")]
    assert set(re.findall(r"Rejection\(\s*\"([a-z-]+)\"", source)) == set(shown)
    places = [source.rindex(f'"{reason}"') for reason in shown if reason not in ("unknown-run", "duplicate-record")]
    assert places == sorted(places)


def test_bounds_are_the_codes() -> None:
    shown = " ".join(" ".join(row) for row in tables(PAGE, "Bounds"))
    assert Settings.model_fields["max_report_bytes"].default == 64 * 2**20
    assert "64 MiB" in shown
    assert reports.MAX_PAYLOAD_BYTES * 4 / 3 < 64 * 2**20
    assert (envelope.MAX_PARTS, envelope.MAX_SIGNATURES) == (1_000_000, 16)
    assert (chain.MAX_AHEAD, chain.MAX_WAITING, chain.MAX_WAITING_BYTES) == (10_000, 1_000, 2**30)
    assert (receipt_rows.MAX_QUARANTINED, receipt_rows.MAX_QUARANTINED_BYTES) == (10_000, 2**30)
    assert strict_json.MAX_DEPTH == 32
    for figure in ("1,000,000", "10,000 ahead", "1,000 and 1 GiB", "10,000 files and 1 GiB"):
        assert figure in shown


# --- what a page must say because nothing else does: one line here for each sentence there ---------------------------


def payload(**changes: Any) -> bytes:
    """The example's payload with fields set otherwise; None of `...` takes one away."""
    report = json.loads(block("payload")) | changes
    return json.dumps({name: value for name, value in report.items() if value is not ...}).encode()


def verdict(kind: str, data: Any, **fields: Any) -> str | None:
    """The reason why an event of a research run with one source, one trial and one note is rejected, if any."""
    known = {("source", "s1"): 1, ("trial", "t1"): 2, ("note", "n1"): 3}
    event = Event(9, "e9", 0, "run-1", None, kind, "lane-1", data)
    for name, value in fields.items():
        setattr(event, name, value)
    found = judge(event, {"run-1": RunRecords("research", known)})
    return None if found is None else found.reason


BRIEFED = dict.fromkeys(("item", "kind", "campaign", "rig", "run", "by", "text"), "x") | {"at": "2026-11-29T10:00:00Z"}
CREATED = {"mode": "goal", "agents": True, "briefing": []}
SESSION = "0B5E2B1C-6B3f-4e0a-9d6a-3f1f6c1d2e3a"


def session(**changes: Any) -> dict[str, Any]:
    """`data` of a recorded session."""
    return {"session": SESSION, "started_at": "2026-11-29T10:00:00Z", "messages": []} | changes


def test_prev_must_be_there() -> None:
    assert parse_payload(payload(prev=None)).prev is None
    with pytest.raises(PayloadError):
        parse_payload(payload(prev=...))


def test_run_left_out_is_null() -> None:
    event = {name: value for name, value in json.loads(block("payload"))["events"][0].items() if name != "run"}
    assert parse_payload(payload(events=[event])).events[0].run is None


def test_own_fields_are_ignored() -> None:
    assert parse_payload(payload(colour="red")).seq == 1


@pytest.mark.parametrize("at", ["2026-11-29T10:14:58", "2026-11-29", "2026-11-29T10:14:60Z", "Sun, 29 Nov 2026"])
def test_times_need_the_one_form(at: str) -> None:
    with pytest.raises(PayloadError):
        parse_payload(payload(sent_at=at))
    assert verdict("session_recorded", session(started_at=at), by="harness") == "bad-data"


@pytest.mark.parametrize(("place", "outcome"), [(16, "accepted"), (17, "unknown-key")])
def test_the_first_sixteen_signatures_are_looked_at(home: Home, place: int, outcome: str) -> None:
    home.add_key("rig-a", public_key_of(SEED).hex())
    signed = json.loads(block("report"))
    other = {"keyid": "any string will do", "sig": base64.b64encode(bytes(64)).decode()}
    signed["signatures"] = [other] * (place - 1) + signed["signatures"]
    drop(home.settings.inbox / "rig-a", NAME, json.dumps(signed).encode())
    home.intake()
    assert home.outcomes() == {NAME: outcome}


@pytest.mark.parametrize(
    ("kind", "data", "fields", "reason"),
    [
        ("run_created", CREATED, {"by": "harness", "run": "run-2"}, None),
        ("run_created", CREATED, {"by": "harness", "run": None}, "unknown-run"),
        ("run_created", CREATED, {"by": "harness"}, "duplicate-record"),
        ("run_created", CREATED | {"briefing": [BRIEFED]}, {"by": "harness", "run": "run-2"}, None),
        (
            "run_created",
            CREATED | {"briefing": [BRIEFED | {"text": None}]},
            {"by": "harness", "run": "run-2"},
            "bad-data",
        ),
        ("experiment_queued", {"experiment": "x1", "title": ""}, {}, None),
        ("experiment_queued", {"experiment": "", "title": "x"}, {}, "bad-data"),
        ("experiment_queued", {"experiment": "x1", "title": "x", "from_item": "note:rig-z/run-9/n1"}, {}, None),
        ("experiment_queued", {"experiment": "x1", "title": "x"}, {"campaign": 7}, "bad-data"),
        ("claim_recorded", {"claim": "c1", "text": "x", "quotes": [{"source": "s1", "quote": ""}]}, {}, None),
        ("session_recorded", session(), {"by": "harness"}, None),
        ("session_recorded", session(session=SESSION.lower()), {"by": "harness"}, None),
        ("document_written", {"document": "a/../b", "lane": "lane-1", "text": "", "text_sha256": ""}, {}, "bad-data"),
        (
            "help_requested",
            {"request": "h1", "agent": "a", "summary": "s", "fatal": False, "blocker": "sleep"},
            {},
            "bad-data",
        ),
        ("owner_message", {"message": "m1", "text": "x"}, {}, "wrong-writer"),
        ("journal_note", {"note": "n1", "kind": "note", "text": "again"}, {}, "duplicate-record"),
        ("journal_note", {"note": "n2", "kind": "note", "text": "x" * 2001}, {}, "bad-data"),
        ("journal_note", {"note": "n2", "kind": "note", "text": "𝔁" * 2000}, {}, None),
        (
            "journal_note",
            {"note": "n2", "kind": "note", "text": "x", "about": {"kind": "claim", "id": "c9"}},
            {},
            "unknown-reference",
        ),
        ("attempt_judged", {"attempt": "a9", "verdict": "accepted"}, {"by": "harness"}, "unknown-record"),
    ],
)
def test_what_the_page_says_of_events(kind: str, data: Any, fields: dict[str, Any], reason: str | None) -> None:
    assert verdict(kind, data, **fields) == reason


@pytest.mark.parametrize(
    ("lane", "holds"), [("lane-1", True), ("lane-9999", True), ("lane-0", False), ("lane-10000", False)]
)
def test_lanes(lane: str, holds: bool) -> None:
    data = {"trial": "t2", "lane": lane, "kind": "code", "runtime": "codex"}
    assert (verdict("trial_started", data, by="harness") is None) == holds


@pytest.mark.parametrize(
    "key",
    [
        "00" * 32,  # small order
        "01" + "00" * 31,  # the identity
        "ee" + "ff" * 30 + "7f",  # not canonical
        "02" + "00" * 31,  # not on the curve
        "ab" * 31,  # too short
    ],
)
def test_keys_that_are_refused(home: Home, key: str) -> None:
    with pytest.raises(ThermiteError), home.control.write() as connection:
        rigs.add_key(connection, "rig-a", key, "tester")


def test_a_program_that_seals_with_the_package_writes_the_same_signature() -> None:
    sent = base64.b64decode(json.loads(block("report"))["payload"])
    sealed = json.loads(envelope.seal(REPORT_TYPE, sent, SEED))
    assert sealed == json.loads(block("report"))
