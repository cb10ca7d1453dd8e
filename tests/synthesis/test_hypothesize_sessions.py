"""Sessions of the tool `hypothesize`."""

import pytest
from sqlalchemy import func, select

from tests.support.homes import Home
from tests.synthesis.working import (
    AGENT,
    Engine,
    decided,
    delivery_of,
    drained,
    fact,
    facts,
    hypothesis,
    request,
    seen,
    started,
    watermark,
)
from thermite_pipelines.control.synthesis_models import SynthesisSession
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis import chunking, sessions
from thermite_pipelines.synthesis.work import NewItem, backward_priority


class TestHypothesize:
    def syntheses(self, number: int) -> list[NewItem]:
        return chunking.hypothesize_items(
            facts(*range(number), type="synthesis", origin="distilled", refs=[fact(50).fact])
        )

    def test_behaviour_57_three_syntheses_that_say_nothing(self, any_home: Home) -> None:
        delivery = delivery_of(any_home, Engine(self.syntheses(3), seen=seen(facts(0, 1, 2))))
        result, keys = delivery.start(request("hypothesize")), []
        while not result["done"]:
            keys.append(result["item"]["fact"]["path"])
            result = delivery.go_on("hypothesize", result["session_id"], response="", by=AGENT)
        assert keys == [fact(number).fact for number in range(3)]
        with any_home.control.read() as connection:
            assert connection.execute(select(SynthesisSession.status)).scalars().all() == ["completed"]
        assert len(watermark(any_home, "hypothesize") or ()) == 3
        assert watermark(any_home) is None

    def test_behaviour_59_without_syntheses_it_is_done_at_once(self, home: Home) -> None:
        delivery = delivery_of(home, Engine(self.syntheses(0)))
        result = delivery.start(request("hypothesize"))
        assert result["done"] is True
        with home.control.read() as connection:
            assert sessions.find(connection, result["session_id"]).status == "completed"

    def test_behaviour_61_effort_is_checked_at_the_start_and_there_is_no_summary(self, home: Home) -> None:
        delivery = delivery_of(home, Engine(self.syntheses(1)))
        with pytest.raises(ThermiteError, match="bogus"):
            delivery.start(request("hypothesize", effort="bogus"))
        with home.control.read() as connection:
            assert connection.execute(select(func.count()).select_from(SynthesisSession)).scalar_one() == 0
        result = delivery.start(request("hypothesize"))
        result = delivery.go_on("hypothesize", result["session_id"], effort="bogus", by=AGENT)
        assert (result["done"], "summary" in result) == (True, False)

    def test_sy_30_hypothesize_has_no_summary_whatever_it_wrote(self, home: Home) -> None:
        delivery = delivery_of(home, Engine(self.syntheses(1)))
        result = delivery.start(request("hypothesize"))
        response = hypothesis(refs=[fact(0).fact, fact(50).fact])
        result = delivery.go_on("hypothesize", result["session_id"], response=response, by=AGENT)
        assert result.keys() == {"session_id", "done", "progress"}
        assert len(decided(home)) == 1

    def test_items_have_no_prompt_but_instructions(self, home: Home) -> None:
        result = delivery_of(home, Engine(self.syntheses(1))).start(request("hypothesize"))
        assert result["item"].keys() == {"id", "type", "fact", "instructions"}
        assert result["done"] is False

    def test_premises_are_looked_for_at_the_end(self, home: Home) -> None:
        bridge = {"token": "lr", "kind": "domain"}
        items = [chunking.discover_item(bridge, facts(1, 2), 0, backward=True), *self.syntheses(2)]
        queue, turn = started(home, Engine(items), tool="hypothesize")
        assert [item.key for item in drained(queue, turn)] == ["synth-0", "synth-1", "discover-bwd-0"]
        assert backward_priority(0) < 0
