"""A service that is killed in the middle of a session: what was answered counts, and the session goes on."""

import pytest

from tests.serve.mcp.calling import Calls
from tests.serve.mcp.working import answer
from tests.serve.test_reports import _url as url_of
from tests.support.commands import thermite
from tests.support.homes import Home
from tests.synthesis.campaigns import CAMPAIGN, SUBJECTS, about, live, notes
from thermite_pipelines.control.tokens import add_token
from thermite_pipelines.knowledge.initialise import initialise


@pytest.mark.full
def test_a_session_goes_on_after_a_kill_in_the_middle(home: Home) -> None:
    initialise(home.settings)
    notes(home, *(about(subject, place) for subject in SUBJECTS[:2] for place in range(3)))
    with home.control.write() as connection:
        secret = add_token(connection, "operator", "tester").secret
    first = thermite(home, "serve", "--port", "0", "--json")
    with Calls.to(url_of(first), secret) as calls:
        begun = calls.call("review", campaign=CAMPAIGN)
        result = answer(lambda **more: calls.call("review", **more), begun)
        first.kill()
        first.wait(60)
    second = thermite(home, "serve", "--port", "0", "--json")
    try:
        with Calls.to(url_of(second), secret) as calls:
            session = result["session_id"]
            if "item" in result:
                again = calls.call("review", session_id=session, page=1)
                assert again["item"] == result["item"] and again["progress"]["completed"] == 1
            while "item" in result:
                result = answer(lambda **more: calls.call("review", **more), result)
            assert result["done"] is True and result["session_id"] == session == begun["session_id"]
    finally:
        second.kill()
        second.wait(60)
    assert any(fact.type == "synthesis" for fact in live(home).values())
