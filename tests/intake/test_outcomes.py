"""Every outcome and reason code, in the order of the report format: the first that applies is the file's."""

import base64
import json
import random
from typing import Any

import pytest

from tests.support.homes import Home
from tests.support.rigs import RigSimulator, drop, seed_of
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake import chain
from thermite_pipelines.intake.receipts import Intake
from thermite_pipelines.ledger.envelope import REPORT_TYPE, keyid_of, pae, public_key_of, seal


@pytest.fixture
def rig(any_home: Home) -> RigSimulator:
    return any_home.rig()


def signed(payload: bytes, *names: str, wrong: tuple[str, ...] = ()) -> bytes:
    """An envelope with a signature by each named seed; those in `wrong` do not verify."""
    signatures: list[dict[str, Any]] = []
    for name in names:
        one = json.loads(seal(REPORT_TYPE, payload + (b" " if name in wrong else b""), seed_of(name)))
        signatures += one["signatures"]
    body = base64.b64encode(payload).decode()
    return json.dumps({"payloadType": REPORT_TYPE, "payload": body, "signatures": signatures}).encode()


def key(name: str) -> str:
    return public_key_of(seed_of(name)).hex()


def keyid(name: str) -> str:
    return keyid_of(public_key_of(seed_of(name)))


def take_one(home: Home, envelope: bytes, name: str = "x.dsse.json", rig: str = "rig-a") -> str:
    """Outcome or reason of one file."""
    drop(home.settings.inbox / rig, name, envelope)
    home.take(rig)
    return home.outcomes(rig)[name]


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
    assert row["payload_sha256"] and row["seq"] is None


def test_wrong_rig_comes_before_the_chain(any_home: Home, rig: RigSimulator) -> None:
    other = any_home.rig("rig-b")
    other.say_run()
    report = other.send()
    any_home.take("rig-b")
    # Signed with a key of rig-a, the payload of rig-b, lying in rig-a's inbox.
    assert take_one(any_home, signed(report.payload, "rig-a")) == "wrong-rig"
    assert any_home.receipts()[-1]["payload_rig"] == "rig-b"


def test_a_copy_is_a_duplicate_and_changes_nothing(any_home: Home, rig: RigSimulator) -> None:
    rig.say_run()
    report = rig.send("a.dsse.json")
    any_home.intake()
    rig.drop(report, "b.dsse.json")
    rig.drop(report, "c.dsse.json", packing="gz")
    rig.drop(report.envelope + b"\n", "d.dsse.json")
    any_home.intake()
    assert [row["outcome"] for row in any_home.receipts()] == ["accepted"] + ["duplicate"] * 3
    assert len(any_home.events()) == 1


def test_of_copies_taken_together_the_smallest_file_hash_then_name_is_the_arrival(
    any_home: Home, rig: RigSimulator
) -> None:
    rig.say_run()
    report = rig.report()
    for blanks in range(5):
        for name in "zya":
            rig.drop(report.envelope + b" " * blanks, f"{name}{blanks}.dsse.json")
    any_home.take()
    rows = any_home.receipts()
    first = min(rows, key=lambda row: (row["sha256"], row["name"]))
    assert [row["receipt"] for row in rows if row["outcome"] == "accepted"] == [first["receipt"]]
    assert sum(row["outcome"] == "duplicate" for row in rows) == 14


def test_reports_wait_for_those_before_them(any_home: Home, rig: RigSimulator) -> None:
    rig.say_run()
    reports = [rig.report() for _ in range(4)]
    rig.drop(reports[3], "4.dsse.json")
    rig.drop(reports[3], "4-again.dsse.json")
    rig.drop(reports[1], "2.dsse.json")
    assert any_home.take().outcomes == {"waiting": 3}
    rig.drop(reports[0], "1.dsse.json")
    any_home.take()
    assert any_home.outcomes() == {
        "1.dsse.json": "accepted",
        "2.dsse.json": "accepted",
        "4.dsse.json": "waiting",
        "4-again.dsse.json": "waiting",
    }
    rig.drop(reports[2], "3.dsse.json")
    any_home.take()
    assert sorted(row["outcome"] for row in any_home.receipts()) == ["accepted"] * 4 + ["duplicate"]


def test_waiting_reports_are_not_written_again_at_each_tick(any_home: Home, rig: RigSimulator) -> None:
    rig.say_run()
    rig.report()
    rig.send()
    any_home.take()
    before = any_home.receipts()
    assert any_home.take().outcomes == {}
    assert any_home.receipts() == before


def test_a_fork_keeps_both_sides_as_a_pair(any_home: Home, rig: RigSimulator) -> None:
    rig.say_run()
    twin = rig.fork()
    rig.say_note("one story")
    twin.say_note("another story")
    first = rig.send("first.dsse.json")
    any_home.intake()
    second = twin.report()
    assert take_one(any_home, second.envelope, "second.dsse.json") == "fork"
    fork = any_home.receipts(name="second.dsse.json")[0]
    assert (fork["payload_sha256"], fork["conflicts_with"]) == (second.sha256, first.sha256)
    vault = Intake(any_home.control, any_home.lake, any_home.settings)._vault
    assert vault.envelope(fork["kept"]) == second.envelope
    assert vault.envelope(any_home.receipts(name="first.dsse.json")[0]["kept"]) == first.envelope
    # A copy of the losing side is a fork again, a copy of the winning one a duplicate.
    assert take_one(any_home, second.envelope, "third.dsse.json") == "fork"
    assert take_one(any_home, first.envelope, "fourth.dsse.json") == "duplicate"
    assert [row["data"] for row in any_home.events() if "another" in row["data"]] == []


class TestRivals:
    """Two reports for one `seq`, neither accepted yet."""

    def test_the_one_that_goes_on_from_the_head_is_taken(self, any_home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        rig.send()
        any_home.take()
        for attempt in range(6):
            twin = rig.fork(prev="0" * 64)
            rig.say_note(f"good {attempt}")
            twin.say_note(f"bad {attempt}")
            rig.send(f"good-{attempt}.dsse.json")
            twin.send(f"bad-{attempt}.dsse.json")
            any_home.take()
            assert any_home.outcomes()[f"good-{attempt}.dsse.json"] == "accepted"
            assert any_home.outcomes()[f"bad-{attempt}.dsse.json"] == "fork"

    def test_of_two_that_go_on_the_smaller_payload_hash_is_taken(self, any_home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        twins = [rig.fork() for _ in range(4)]
        for number, twin in enumerate(twins):
            twin.say_note(f"story {number}")
        reports = [twin.send() for twin in twins]
        any_home.take()
        (accepted,) = any_home.receipts(outcome="accepted")
        assert accepted["payload_sha256"] == min(report.sha256 for report in reports)
        assert {row["conflicts_with"] for row in any_home.receipts(reason="fork")} == {accepted["payload_sha256"]}

    def test_rivals_that_wait_are_chosen_between_like_those_that_arrive_together(
        self, any_home: Home, rig: RigSimulator
    ) -> None:
        rig.say_run()
        first = rig.report()
        twin = rig.fork()
        rig.say_note("one")
        twin.say_note("two")
        one, two = rig.report(), twin.report()
        for report in sorted([one, two], key=lambda report: report.sha256, reverse=True):
            rig.drop(report)
            assert any_home.take().outcomes == {"waiting": 1}
        rig.drop(first)
        any_home.take()
        assert any_home.receipts(seq=2, outcome="accepted")[0]["payload_sha256"] == min(one.sha256, two.sha256)

    def test_what_stands_behind_the_losing_side_is_a_broken_chain(self, any_home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        twin = rig.fork()
        twin.say_note("another")
        sides = sorted([(rig.report(), rig), (twin.report(), twin)], key=lambda side: side[0].sha256)
        (winner, _), (loser, behind) = sides
        for report in (winner, loser, behind.report()):
            rig.drop(report)
        any_home.take()
        reasons = {row["payload_sha256"]: row["reason"] for row in any_home.receipts(outcome="quarantined")}
        assert reasons.pop(loser.sha256) == "fork"
        assert list(reasons.values()) == ["broken-chain"]


@pytest.mark.parametrize(
    "fields",
    [{"prev": None}, {"prev": "0" * 64}, {"n": 5}, {"n": 1}],
    ids=["no prev", "other prev", "a gap in n", "n again"],
)
def test_broken_chain(home: Home, fields: dict[str, Any]) -> None:
    rig = home.rig()
    rig.say_run()
    rig.say_note()
    rig.send()
    home.take()
    odd = rig.fork(**({"n": fields["n"] - 1} if "n" in fields else fields))
    odd.say_note()
    assert take_one(home, odd.report().envelope) == "broken-chain"
    rig.say_note()
    assert take_one(home, rig.report().envelope, "good.dsse.json") == "accepted"


@pytest.mark.parametrize("fields", [{"prev": "0" * 64}, {"n": 1}], ids=["prev", "n from 2"])
def test_a_first_report_begins_at_the_beginning(home: Home, fields: dict[str, Any]) -> None:
    rig = home.rig()
    odd = rig.fork(**fields)
    odd.say_note()
    assert take_one(home, odd.report().envelope) == "broken-chain"


class TestTooFarAhead:
    @pytest.fixture(autouse=True)
    def bounds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(chain, "MAX_AHEAD", 6)
        monkeypatch.setattr(chain, "MAX_WAITING", 3)

    def test_far_ahead_is_quarantined_and_judged_again_by_itself(self, any_home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        reports = [rig.report() for _ in range(9)]
        for seq in (2, 7, 8):
            rig.drop(reports[seq - 1], f"{seq}.dsse.json")
        any_home.take()
        outcomes = {"2.dsse.json": "waiting", "7.dsse.json": "too-far-ahead", "8.dsse.json": "too-far-ahead"}
        assert any_home.outcomes() == outcomes
        rig.drop(reports[0], "1.dsse.json")
        any_home.take()
        assert any_home.outcomes() == dict.fromkeys(outcomes, "waiting") | {
            "1.dsse.json": "accepted",
            "2.dsse.json": "accepted",
        }
        for seq in (3, 4, 5, 6):
            rig.drop(reports[seq - 1], f"{seq}.dsse.json")
        any_home.take()
        assert set(any_home.outcomes().values()) == {"accepted"}

    def test_when_there_is_no_room_the_one_farthest_ahead_makes_way(self, any_home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        reports = [rig.report() for _ in range(6)]
        for seq in (6, 5, 4):
            rig.drop(reports[seq - 1], f"{seq}.dsse.json")
        assert any_home.take().outcomes == {"waiting": 3}
        rig.drop(reports[1], "2.dsse.json")
        any_home.take()
        assert any_home.outcomes()["6.dsse.json"] == "too-far-ahead"
        assert any_home.outcomes()["2.dsse.json"] == "waiting"
        rig.drop(reports[0], "1.dsse.json")
        any_home.take()
        assert any_home.outcomes()["6.dsse.json"] == "waiting"

    def test_bytes_are_bounded_too(self, any_home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch) -> None:
        rig.say_run()
        rig.report()
        noise = random.Random(1)
        for seq in (2, 3):
            rig.say_note(noise.randbytes(400).hex())
            rig.send(f"{seq}.dsse.json")
            any_home.take()
        monkeypatch.setattr(chain, "MAX_WAITING_BYTES", any_home.receipts()[0]["kept_bytes"] * 3 // 2)
        any_home.take()
        assert any_home.outcomes() == {"2.dsse.json": "waiting", "3.dsse.json": "too-far-ahead"}

    def test_any_number_that_lie_together_are_taken_at_once(self, any_home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        for _ in range(20):
            rig.send()
        assert any_home.take().outcomes == {"accepted": 20}


class TestRevokedKeys:
    def test_what_was_accepted_before_stays_and_a_copy_is_a_duplicate(self, any_home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        report = rig.send("a.dsse.json")
        any_home.intake()
        any_home.revoke_key("rig-a")
        assert take_one(any_home, report.envelope, "b.dsse.json") == "duplicate"
        rig.say_note()
        assert take_one(any_home, rig.report().envelope, "c.dsse.json") == "revoked-key"
        assert take_one(any_home, signed(report.payload, "rig-a", wrong=("rig-a",)), "d.dsse.json") == "bad-signature"
        assert len(any_home.events()) == 1

    def test_what_waited_is_revoked_and_does_not_come_back(self, any_home: Home, rig: RigSimulator) -> None:
        any_home.add_key("rig-a", key("second"))
        rig.say_run()
        first = rig.report()
        rig.say_note()
        rig.send("2.dsse.json")
        any_home.take()
        any_home.revoke_key("rig-a")
        assert take_one(any_home, signed(first.payload, "second"), "1.dsse.json") == "accepted"
        assert any_home.outcomes()["2.dsse.json"] == "revoked-key"
        assert any_home.take().outcomes == {}
        # Signed anew with a key that counts, the chain goes on.
        again = rig.fork(seed=seed_of("second"), seq=1, n=1, prev=first.sha256)
        again.say_note("signed anew")
        assert take_one(any_home, again.report().envelope, "2-again.dsse.json") == "accepted"

    def test_what_waited_with_two_signatures_counts_by_the_other_one(self, any_home: Home, rig: RigSimulator) -> None:
        any_home.add_key("rig-a", key("second"))
        rig.say_run()
        first = rig.report()
        rig.say_note()
        assert take_one(any_home, signed(rig.report().payload, "rig-a", "second"), "2.dsse.json") == "waiting"
        assert any_home.receipts()[0]["keyid"] == rig.keyid
        any_home.revoke_key("rig-a")
        assert take_one(any_home, signed(first.payload, "second"), "1.dsse.json") == "accepted"
        assert any_home.outcomes()["2.dsse.json"] == "accepted"
        assert any_home.receipts(name="2.dsse.json")[0]["keyid"] == keyid("second")

    def test_a_key_revoked_while_files_are_judged_counts_no_longer(
        self, any_home: Home, rig: RigSimulator, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rig.say_run()
        rig.send("x.dsse.json")
        intake = Intake(any_home.control, any_home.lake, any_home.settings)
        settle = intake._settling.settle

        def revoked_first(*args: Any) -> None:
            any_home.revoke_key("rig-a")
            settle(*args)

        monkeypatch.setattr(intake._settling, "settle", revoked_first)
        intake.take("rig-a")
        assert any_home.outcomes() == {"x.dsse.json": "revoked-key"}

    def test_events_accepted_before_the_revocation_are_rebuilt(self, any_home: Home, rig: RigSimulator) -> None:
        from thermite_pipelines.intake.events import EventWriter

        rig.say_run()
        rig.send()
        any_home.intake()
        before = any_home.files("events")
        any_home.revoke_key("rig-a")
        EventWriter(any_home.control, any_home.lake, "rig-a").rebuild()
        assert any_home.files("events") == before


class TestFullReset:
    def test_kb_36_a_new_ledger_begins_at_one_and_late_reports_of_the_old_one_are_taken(
        self, any_home: Home, rig: RigSimulator
    ) -> None:
        rig.say_run()
        rig.send("old-1.dsse.json")
        rig.say_note("from the old ledger")
        late = rig.report()
        rig.reset("L2", sent_at="2026-11-30T00:00:00Z")
        rig.say_run()
        rig.say_note("from the new ledger")
        rig.send("new-1.dsse.json")
        any_home.intake()
        rig.drop(late, "old-2.dsse.json")
        any_home.intake()
        assert set(any_home.outcomes().values()) == {"accepted"}
        assert [(row["ledger"], row["n"], row["run"]) for row in any_home.events()] == [
            ("L1", 1, "run-1"),
            ("L1", 2, "run-1"),
            ("L2", 1, "run-1"),
            ("L2", 2, "run-1"),
        ]

    def test_the_label_of_a_run_belongs_to_the_ledger_that_was_accepted_first(
        self, any_home: Home, rig: RigSimulator
    ) -> None:
        from sqlalchemy import select

        from thermite_pipelines.control.models import Run

        for ledger in ("L9", "L1", "L5"):
            rig.reset(ledger)
            rig.say_run()
            rig.send()
            any_home.intake()
        with any_home.control.read() as connection:
            labels = {row.ledger: row.label for row in connection.execute(select(Run))}
        assert labels == {"L9": "run-1", "L1": "run-1~L1", "L5": "run-1~L5"}


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
