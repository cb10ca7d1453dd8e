"""The support for tests works by itself."""

import pytest

from tests.support.growth import assert_in_proportion
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


def test_work_that_grows_faster_than_its_size_is_told_from_work_that_does_not() -> None:
    def pairs(size: int) -> None:
        for _ in range(size):
            sum(range(size))

    assert_in_proportion(lambda size: sum(range(size)), int, 2_000_000)
    with pytest.raises(AssertionError, match="times the size took"):
        assert_in_proportion(pairs, int, 6_000)
