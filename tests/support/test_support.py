"""The support for tests works by itself."""

from tests.support.homes import Home


def test_a_report_that_was_sent_becomes_events(any_home: Home) -> None:
    rig = any_home.rig()
    rig.say_run()
    rig.say_note("the cache was cold")
    rig.send("one.dsse.json")
    assert any_home.intake().outcomes == {"accepted": 1}
    assert any_home.outcomes() == {"one.dsse.json": "accepted"}
    assert [row["type"] for row in any_home.events()] == ["run_created", "journal_note"]
    assert not list(rig.inbox.iterdir())
