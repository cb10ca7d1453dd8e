"""What the chain decides: duplicates, forks, gaps, broken chains, keys that are revoked, new ledgers."""

import random
from typing import Any

import pytest
from sqlalchemy import select

from tests.intake.signing import key, keyid, signed, take_one
from tests.support.homes import Home
from tests.support.rigs import RigSimulator, seed_of
from thermite_pipelines.control.models import Run
from thermite_pipelines.intake import chain
from thermite_pipelines.intake.events import EventWriter
from thermite_pipelines.intake.receipts import Intake


@pytest.fixture
def rig(any_home: Home) -> RigSimulator:
    return any_home.rig()


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
        for ledger in ("L9", "L1", "L5"):
            rig.reset(ledger)
            rig.say_run()
            rig.send()
            any_home.intake()
        with any_home.control.read() as connection:
            labels = {row.ledger: row.label for row in connection.execute(select(Run))}
        assert labels == {"L9": "run-1", "L1": "run-1~L1", "L5": "run-1~L5"}
