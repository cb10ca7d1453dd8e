"""What is stored of help and learning events."""

import hashlib
import json
from typing import Any

import pytest
import rfc8785

from tests.safety.test_redaction import SECRETS
from tests.support.homes import Home
from tests.support.rigs import RigSimulator
from thermite_pipelines.tables.parquet import decode
from thermite_pipelines.tables.schemas import EVENT_TABLES


@pytest.fixture
def rig(home: Home) -> RigSimulator:
    return home.rig()


class TestRedaction:
    """HL-19, HL-44: no credential of a known shape reaches a table."""

    @pytest.fixture
    def planted(self, home: Home, rig: RigSimulator) -> list[dict[str, Any]]:
        rig.say_run()
        sent = []
        for number, (frame, secret) in enumerate(SECRETS.values()):
            text = frame.format(secret)
            ask = {"request": f"r{number}", "agent": "worker", "summary": text, "detail": f"so: {text}", "fatal": False}
            learn = {"learning": f"l{number}", "agent": "worker", "text": text, "impact": "low", "extra": [{"k": text}]}
            sent += [ask, learn]
            rig.say("help_requested", ask)
            rig.say("learning_proposed", learn)
            rig.say("help_requested", {"request": f"bad{number}", "agent": text, "summary": 5, "api_key": secret})
            rig.say("learning_proposed", [text])
        token = SECRETS["github"][1]
        for _ in range(2):  # the second one is a duplicate-record, whose detail quotes the id
            rig.say("learning_proposed", {"learning": token, "agent": "worker", "text": "x", "impact": "low"})
        rig.send()
        home.intake()
        return sent

    def test_secrets_are_nowhere_in_the_tables(self, home: Home, planted: list[dict[str, Any]]) -> None:
        assert len(home.events(table="rejected_events")) == 2 * len(SECRETS) + 1
        everything = "".join(
            str(decode(data).to_pylist()) for table in EVENT_TABLES for data in home.files(table).values()
        )
        for _, secret in SECRETS.values():
            for line in secret.splitlines():
                assert line not in everything
                assert line[-12:] not in everything or line.startswith("-----")
        assert everything.count("[redacted]") > 4 * len(SECRETS)

    def test_the_hash_of_what_was_sent_stays(self, home: Home, planted: list[dict[str, Any]]) -> None:
        rows = [json.loads(row["data"]) for row in home.events() if row["type"] != "run_created"]
        for row, sent in zip(rows, planted, strict=False):
            assert row["original_sha256"] == hashlib.sha256(rfc8785.dumps(sent)).hexdigest()
            assert row.get("request", row.get("learning")) == sent.get("request", sent.get("learning"))

    def test_the_raw_report_keeps_what_was_sent(self, home: Home, planted: list[dict[str, Any]]) -> None:
        (path,) = home.files("reports")
        assert path.endswith(".dsse.json.zst")

    def test_harmless_help_keeps_its_words(self, home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        data = {"request": "r1", "agent": "worker", "summary": "no access to the registry", "fatal": True}
        rig.say("help_requested", data)
        rig.say("help_requested", data)
        rig.send()
        home.intake()
        stored = json.loads(home.events()[1]["data"])
        assert stored.pop("original_sha256")
        assert stored == data
        (rejected,) = home.events(table="rejected_events")
        assert (rejected["reason"], "'r1'" in rejected["detail"]) == ("duplicate-record", True)

    def test_ids_shaped_like_credentials_stay_apart(self, home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        for id in ("ab" * 32, "cd" * 32):
            data = {"learning": id, "agent": "worker", "text": "The second trial reuses the cache.", "impact": "low"}
            rig.say("learning_proposed", data)
        rig.send()
        home.intake()
        ids = [json.loads(row["data"])["learning"] for row in home.events()[1:]]
        assert len(set(ids)) == 2
        assert all(id.startswith("redacted-") for id in ids)

    def test_other_events_are_stored_as_they_are(self, home: Home, rig: RigSimulator) -> None:
        rig.say_run()
        rig.say_note("password: hunter2-hunter2")
        rig.send()
        home.intake()
        assert "hunter2-hunter2" in home.events()[1]["data"]
