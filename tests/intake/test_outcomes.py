"""Every outcome and reason code, in the order of the report format: the first that applies is the file's."""

import json
import random
from typing import Any

import pytest

from tests.intake.signing import key, keyid, signed, take_one
from tests.support.homes import Home
from tests.support.rigs import RigSimulator, drop
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake.receipts import Intake
from thermite_pipelines.ledger.envelope import REPORT_TYPE, pae, seal


@pytest.fixture
def rig(any_home: Home) -> RigSimulator:
    return any_home.rig()


def test_accepted_reports_get_numbers_without_a_hole(any_home: Home, rig: RigSimulator) -> None:
    rig.say_run()
    rig.send()
    any_home.take()
    rig.say_note()
    rig.send()
    rig.send()  # a report without events
    drop(rig.inbox, "junk.dsse.json", b"junk")
    other = any_home.rig("rig-b")
    other.say_run()
    other.send()
    any_home.take()
    any_home.take("rig-b")
    accepted = any_home.receipts(outcome="accepted")
    assert sorted(row["accepted_number"] for row in accepted) == [1, 2, 3, 4]
    assert [(row["rig"], row["seq"], row["first_n"], row["events"]) for row in accepted] == [
        ("rig-a", 1, 1, 1),
        ("rig-a", 2, 2, 1),
        ("rig-a", 3, None, 0),
        ("rig-b", 1, 1, 1),
    ]


def test_receipts_say_what_arrived(any_home: Home, rig: RigSimulator) -> None:
    import hashlib

    rig.say_run()
    report = rig.send("one.dsse.json")
    any_home.take()
    (row,) = any_home.receipts()
    assert row["sha256"] == hashlib.sha256(report.envelope).hexdigest()
    assert row["payload_sha256"] == report.sha256
    assert (row["rig"], row["payload_rig"], row["ledger"], row["seq"]) == ("rig-a", "rig-a", "L1", 1)
    assert row["keyid"] == rig.keyid
    assert row["accepted_at"] >= row["arrived_at"]


BAD_ENVELOPES = {
    "empty": b"",
    "no JSON": b"hello",
    "a list": b"[]",
    "BOM": b"\xef\xbb\xbf{}",
    "no signature": json.dumps({"payloadType": REPORT_TYPE, "payload": "", "signatures": []}).encode(),
    "two documents": None,
    "other type": None,
    "text after it": None,
}


@pytest.mark.parametrize("what", BAD_ENVELOPES)
def test_bad_envelope_comes_before_everything_about_keys(home: Home, what: str) -> None:
    rig = home.rig()
    rig.say_run()
    good = rig.report().envelope
    raw = BAD_ENVELOPES[what] or {
        "two documents": good + good,
        "other type": good.replace(b"report+json", b"command+json"),
        "text after it": good + b"x",
    }.get(what, b"")
    assert take_one(home, raw) == "bad-envelope"
    drop(home.settings.inbox / "stranger", "y.dsse.json", raw)
    Intake(home.control, home.lake, home.settings).take_unknown()
    assert home.outcomes("stranger") == {"y.dsse.json": "bad-envelope"}


def test_white_space_may_follow_the_envelope(any_home: Home, rig: RigSimulator) -> None:
    rig.say_run()
    assert take_one(any_home, rig.report().envelope + b" \r\n\t\n") == "accepted"


def test_an_inbox_of_no_rig_that_control_knows(any_home: Home) -> None:
    stranger = any_home.rig("rig-x", register=False)
    stranger.say_run()
    stranger.send("a.dsse.json")
    drop(any_home.settings.inbox / "NOT a name", "b.dsse.json", stranger.fork().report().envelope)
    any_home.rig("rig-a")
    taken = Intake(any_home.control, any_home.lake, any_home.settings).take_unknown()
    assert taken.reasons == {"unknown-rig": 2}
    rows = any_home.receipts()
    assert {(row["rig"], row["name"]) for row in rows} == {("rig-x", "a.dsse.json"), ("NOT a name", "b.dsse.json")}
    assert all(row["kept"].startswith("reports/_unknown/") for row in rows)
    assert any_home.files("events") == {}
    with pytest.raises(ThermiteError, match="knows no rig"):
        any_home.take("rig-x")


def test_unknown_key_then_bad_signature(any_home: Home, rig: RigSimulator) -> None:
    rig.say_run()
    payload = rig.report().payload
    assert take_one(any_home, signed(payload, "stranger"), "a.dsse.json") == "unknown-key"
    assert take_one(any_home, signed(payload, "rig-a", wrong=("rig-a",)), "b.dsse.json") == "bad-signature"
    # A key that another rig has is no key of this one.
    any_home.rig("rig-b")
    assert take_one(any_home, signed(payload, "rig-b"), "c.dsse.json") == "unknown-key"
    # The key id is only a hint: a signature is tried with the key that it names, and no other.
    crossed = signed(payload, "rig-a").replace(keyid("rig-a").encode(), keyid("stranger").encode())
    assert take_one(any_home, crossed, "d.dsse.json") == "unknown-key"
    assert take_one(any_home, signed(payload, "rig-a"), "e.dsse.json") == "accepted"


def test_a_payload_signed_for_another_type_does_not_pass(any_home: Home, rig: RigSimulator) -> None:
    rig.say_run()
    payload = rig.report().payload
    command = json.loads(seal("application/vnd.thermite.command+json", payload, rig.seed))
    command["payloadType"] = REPORT_TYPE
    assert take_one(any_home, json.dumps(command).encode()) == "bad-signature"
    assert pae(REPORT_TYPE, payload) != pae("application/vnd.thermite.command+json", payload)


class TestSeveralSignatures:
    @pytest.fixture
    def payload(self, home: Home) -> bytes:
        rig = home.rig()
        home.add_key("rig-a", key("second"))
        home.add_key("rig-a", key("old"))
        home.revoke_key("rig-a", keyid("old"))
        rig.say_run()
        return rig.report().payload

    @pytest.mark.parametrize(
        ("names", "wrong", "outcome"),
        [
            (("stranger", "second"), (), "accepted"),
            (("second", "rig-a"), ("second",), "accepted"),
            (("old", "second"), (), "accepted"),
            (("old",), (), "revoked-key"),
            (("stranger", "old"), (), "revoked-key"),
            (("stranger", "other"), (), "unknown-key"),
            (("old", "second", "stranger"), ("second",), "bad-signature"),
            (("second", "old"), ("second", "old"), "bad-signature"),
            (("old",), ("old",), "revoked-key"),
        ],
    )
    def test_one_must_pass_else_the_one_that_came_furthest_says_why(
        self, home: Home, payload: bytes, names: tuple[str, ...], wrong: tuple[str, ...], outcome: str
    ) -> None:
        assert take_one(home, signed(payload, *names, wrong=wrong)) == outcome

    @pytest.mark.parametrize(("strangers", "outcome"), [(15, "accepted"), (16, "unknown-key")])
    def test_at_most_sixteen_are_looked_at(self, home: Home, payload: bytes, strangers: int, outcome: str) -> None:
        names = [f"stranger {number}" for number in range(strangers)]
        assert take_one(home, signed(payload, *names, "rig-a")) == outcome

    def test_the_receipt_names_the_key_that_passed(self, home: Home, payload: bytes) -> None:
        take_one(home, signed(payload, "stranger", "old", "second"))
        assert home.receipts()[0]["keyid"] == keyid("second")


BAD_PAYLOADS: dict[str, dict[str, Any]] = {
    "schema": {"schema": "thermite.report/2"},
    "rig": {"rig": "Rig A"},
    "ledger": {"ledger": "../x"},
    "seq zero": {"seq": 0},
    "seq a float": {"seq": 1.0},
    "seq true": {"seq": True},
    "prev": {"prev": "abc"},
    "sent_at": {"sent_at": "2026-11-29T10:15:00"},
    "events": {"events": None},
    "hole": {"events": [{"n": 1}, {"n": 3}]},
    "event id twice": {"events": [{"id": "e"}, {"n": 2, "id": "e"}]},
    "event by": {"events": [{"by": "root"}]},
    "event run": {"events": [{"run": "a/b"}]},
    "event at": {"events": [{"at": "yesterday"}]},
    "event type empty": {"events": [{"type": ""}]},
    "event n": {"events": [{"n": 0}]},
}


@pytest.mark.parametrize("what", BAD_PAYLOADS)
def test_bad_payload_comes_before_wrong_rig_and_the_chain(home: Home, what: str) -> None:
    rig = home.rig()
    event = {"n": 1, "id": "e1", "at": "2026-11-29T10:14:58Z", "run": None, "type": "x", "by": "harness", "data": {}}
    fields = dict(BAD_PAYLOADS[what])
    if isinstance(fields.get("events"), list):
        fields["events"] = [event | {"id": f"e{place}"} | one for place, one in enumerate(fields["events"])]
    fields = {"rig": "rig-of-another-name"} | fields
    assert take_one(home, rig.report(**fields).envelope) == "bad-payload"
    (row,) = home.receipts()
    assert row["payload_sha256"] and row["events"] is None


def test_wrong_rig_comes_before_the_chain(any_home: Home, rig: RigSimulator) -> None:
    other = any_home.rig("rig-b")
    other.say_run()
    report = other.send()
    any_home.take("rig-b")
    # Signed with a key of rig-a, the payload of rig-b, lying in rig-a's inbox.
    assert take_one(any_home, signed(report.payload, "rig-a")) == "wrong-rig"
    assert any_home.receipts()[-1]["payload_rig"] == "rig-b"


def test_kb_30_one_flipped_byte_in_each_of_100_reports(any_home: Home, rig: RigSimulator) -> None:
    noise = random.Random(30)
    rig.say_run()
    rig.send("good.dsse.json")
    flips = []
    for number in range(100):
        twin = rig.fork()
        twin.say_note(f"flipped {number}")
        raw = bytearray(twin.report().envelope)
        # Anywhere but in white space and names of fields that nobody reads: this envelope has neither.
        place = noise.randrange(len(raw))
        raw[place] ^= 1 << noise.randrange(8)
        flips.append(f"flip-{number}.dsse.json")
        rig.drop(bytes(raw), flips[-1])
    any_home.intake()
    outcomes = any_home.outcomes()
    allowed = {"bad-envelope", "unknown-key", "bad-signature"}
    assert {outcomes[name] for name in flips} <= allowed
    assert outcomes["good.dsse.json"] == "accepted"
    assert all(row["kept"] for row in any_home.receipts())
    assert [row["type"] for row in any_home.events()] == ["run_created"]
    assert any_home.files("rejected_events") == {}
