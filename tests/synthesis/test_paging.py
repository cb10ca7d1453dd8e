"""Pages of items, as tools send them."""

import json
import logging
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.homes import Home
from tests.synthesis.working import (
    AGENT,
    NOTHING,
    Engine,
    Prompts,
    decided,
    delivery_of,
    fact,
    facts,
    groups,
    queue_of,
    request,
    transition,
)
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.synthesis import chunking, paging, work_items
from thermite_pipelines.synthesis.delivery import Delivery
from thermite_pipelines.synthesis.facts import Fact
from thermite_pipelines.synthesis.work import Item

KIB = 1024


def item_with(of: list[Fact], number: int = 7) -> Item:
    (new,) = chunking.prune_items([of])
    return Item(number, "s", new.step, new.key, new.facts, new.inputs, new.priority, new.depth)


def cluster(number: int = 12, size: int = 8 * KIB) -> list[Fact]:
    return [fact(place, "y" * size) for place in range(number)]


def sent_facts(result: dict[str, Any]) -> int:
    """Bytes that the facts of a result take in what is sent, brackets and all."""
    with_facts = paging.delivered(result)
    bare = paging.delivered(result | {"item": {k: v for k, v in result["item"].items() if k != "facts"}})
    return len(with_facts.encode()) - len(bare.encode())


def all_pages(delivery: Delivery, first: dict[str, Any]) -> list[dict[str, Any]]:
    session, pages = first["session_id"], [first]
    while pages[-1]["item"]["more_available"]:
        page = pages[-1]["item"]["page"] + 1
        pages.append(delivery.go_on("review", session, page=page, item_id=first["item"]["id"], by=AGENT))
    return pages


class TestPages:
    @given(st.lists(st.integers(1, 20 * KIB), min_size=2, max_size=14))
    def test_pages_hold_all_facts_in_order_and_none_holds_too_many(self, sizes: list[int]) -> None:
        item = item_with([fact(place, "ü\n" * (size // 3)) for place, size in enumerate(sizes)])
        pages = [paging.page_of(item, number + 1) for number in range(paging.page_count(item))]
        assert [record for page in pages for record in page.facts] == json.loads(item.facts)
        assert [page.number for page in pages] == list(range(1, len(pages) + 1))
        for page in pages:
            size = sum(map(paging.delivered_size, page.facts))
            assert size <= 24_576 or len(page.facts) == 1
        for page, after in pairwise(pages):
            together = sum(map(paging.delivered_size, (*page.facts, after.facts[0])))
            assert together > 24_576

    def test_a_giant_fact_has_a_page_of_its_own(self) -> None:
        of = [fact(1), fact(2, "x" * 40 * KIB), fact(3)]
        item = item_with(of)
        assert [len(paging.page_of(item, number).facts) for number in (1, 2, 3)] == [1, 1, 1]

    def test_a_fact_is_measured_as_it_stands_in_a_result(self, home: Home) -> None:
        result = delivery_of(home, Engine(chunking.prune_items([facts(1, 2)]))).start(request())
        text = paging.delivered(result)
        for record in result["item"]["facts"]:
            lines = json.dumps([record], indent=2, ensure_ascii=False).splitlines()[1:-1]
            assert "\n".join(f"    {line}" for line in lines) in text

    @pytest.mark.parametrize("number", [0, -1, 2])
    def test_a_page_that_there_is_not(self, number: int) -> None:
        with pytest.raises(UsageError, match=f"has no page {number}"):
            paging.page_of(item_with(facts(1, 2)), number)

    def test_a_token_is_of_one_item_as_it_is_stored(self) -> None:
        item = item_with(cluster())
        assert paging.completion_token(item) == paging.completion_token(item_with(cluster()))
        assert len(paging.completion_token(item)) == 16
        others = [item_with(cluster(), 8), item_with([*cluster()[1:], fact(0, "z" * 8 * KIB)])]
        assert not {paging.completion_token(other) for other in others} & {paging.completion_token(item)}


class TestDelivered:
    def test_sy_12_every_page_is_small_enough_and_all_are_the_item(self, any_home: Home) -> None:
        of = cluster()
        delivery = delivery_of(any_home, Engine(chunking.prune_items([of])))
        pages = all_pages(delivery, delivery.start(request()))
        assert len(pages) > 3
        assert all(sent_facts(page) <= 24 * KIB for page in pages)
        assert [record for page in pages for record in page["item"]["facts"]] == [one.record() for one in of]
        assert all(len(paging.delivered(page).encode()) <= paging.PAGE_BYTES for page in pages)

    def test_sy_13_all_but_the_last_say_that_more_is_there(self, home: Home) -> None:
        delivery = delivery_of(home, Engine(chunking.prune_items([cluster()])))
        pages = all_pages(delivery, delivery.start(request()))
        assert [page["item"]["more_available"] for page in pages] == [True] * (len(pages) - 1) + [False]
        assert [page["item"]["page"] for page in pages] == list(range(1, len(pages) + 1))
        assert {page["item"]["pages"] for page in pages} == {len(pages)}
        assert ["completion_token" in page["item"] for page in pages] == [False] * (len(pages) - 1) + [True]

    def test_sy_14_an_answer_needs_the_token_of_the_last_page(self, any_home: Home) -> None:
        engine = Engine(chunking.prune_items([cluster(), cluster(6)]))
        delivery = delivery_of(any_home, engine)
        first = delivery.start(request())
        session, number = first["session_id"], first["item"]["id"]
        token = all_pages(delivery, first)[-1]["item"]["completion_token"]
        with any_home.control.write() as connection:
            items = work_items.waiting(connection, session)
            other = paging.completion_token(items[1])
            assert paging.completion_token(items[0]) == token
        for given_token in (None, "", other, token[:-1]):
            with pytest.raises(ThermiteError, match=f"item {number} .*read all 6 pages"):
                self.answer(delivery, session, given_token)
        changed = item_with(cluster(11), number)
        with any_home.control.write() as connection:
            assert work_items.revise(connection, number, changed.facts, changed.inputs)
        with pytest.raises(ThermiteError, match=f"item {number} came with a token that is not the item's"):
            self.answer(delivery, session, token)
        assert engine.asked == []
        after = self.answer(delivery, session, paging.completion_token(changed))
        assert after["item"]["id"] == items[1].item

    def answer(self, delivery: Delivery, session: str, token: str | None) -> dict[str, Any]:
        return delivery.go_on("review", session, response=NOTHING["prune"], completion_token=token, by=AGENT)

    def test_sy_15_one_page_has_no_token_and_needs_none(self, home: Home) -> None:
        delivery = delivery_of(home, Engine(chunking.prune_items([facts(1, 2)])))
        first = delivery.start(request())
        assert first["item"].keys() == {
            *("id", "type", "prompt", "response_schema", "facts", "page", "pages", "more_available")
        }
        assert self.answer(delivery, first["session_id"], None)["done"] is True

    def test_whoever_has_the_whole_item_needs_no_token(self, home: Home) -> None:
        queue = queue_of(home, Engine(chunking.prune_items([cluster()])))
        turn = queue.start(request())
        assert queue.answer(turn.session.session, NOTHING["prune"], by=AGENT, whole=True).is_done

    def test_behaviour_91_a_page_is_the_same_each_time_and_answers_nothing(self, any_home: Home) -> None:
        prompts = Prompts()
        delivery = delivery_of(any_home, Engine(chunking.prune_items([cluster()])), prompts)
        first = delivery.start(request())
        session = first["session_id"]
        fetched = [paging.delivered(delivery.page(session, 2)) for _ in range(2)]
        assert fetched[0] == fetched[1]
        assert json.loads(fetched[0])["item"]["id"] == first["item"]["id"]
        assert "prompt" not in json.loads(fetched[0])["item"]
        assert prompts.written == 1
        assert paging.delivered(delivery.page(session, 1)) == paging.delivered(first)

    def test_behaviour_92_all_pages_are_the_stored_payload(self, home: Home) -> None:
        delivery = delivery_of(home, Engine(chunking.prune_items([cluster()])))
        first = delivery.start(request())
        pages = all_pages(delivery, first)
        with home.control.read() as connection:
            (item,) = work_items.waiting(connection, first["session_id"])
        assert chunking.compact([record for page in pages for record in page["item"]["facts"]]) == item.facts

    def test_reflect_and_discovery_are_one_page_without_facts(self, home: Home) -> None:
        bridge = {"token": "lr", "kind": "domain"}
        large = chunking.discover_item(bridge, cluster(), 0, backward=False)
        transitions = [transition(number) for number in range(900)]
        reflect = chunking.reflect_item(transitions, ())
        delivery = delivery_of(home, Engine([large, reflect]))
        result = delivery.start(request())
        for step in ("discover", "reflect"):
            shown = result["item"]
            assert (shown["type"], shown["page"], shown["pages"], shown["more_available"]) == (step, 1, 1, False)
            assert "facts" not in shown and "completion_token" not in shown
            response = NOTHING[step]
            result = delivery.go_on("review", result["session_id"], response=response, by=AGENT)
        assert result["done"] is True

    def test_a_page_that_is_too_large_is_sent_and_logged(self, home: Home, caplog: pytest.LogCaptureFixture) -> None:
        delivery = delivery_of(home, Engine(chunking.prune_items([[fact(1, "x" * 40 * KIB), fact(2)]])))
        with caplog.at_level(logging.WARNING):
            assert delivery.start(request())["item"]["pages"] == 2
        assert len(caplog.records) == 1


class TestCalls:
    def test_a_review_goes_on_with_an_answer_or_a_page(self, home: Home) -> None:
        delivery = delivery_of(home, Engine(groups(1)))
        session = delivery.start(request())["session_id"]
        with pytest.raises(UsageError, match="neither a response nor a page"):
            delivery.go_on("review", session, by=AGENT)
        with pytest.raises(ThermiteError, match="item 99 is not the current one"):
            delivery.go_on("review", session, page=1, item_id=99, by=AGENT)
        with pytest.raises(UsageError, match="call review"):
            delivery.go_on("hypothesize", session, by=AGENT)
        assert decided(home) == []

    def test_a_session_that_is_done_has_no_pages(self, home: Home) -> None:
        delivery = delivery_of(home, Engine())
        session = delivery.start(request())["session_id"]
        with pytest.raises(ThermiteError, match="completed"):
            delivery.page(session, 1)

    def test_what_was_left_out_of_an_answer_is_said(self, home: Home) -> None:
        item = chunking.discover_item({"token": "lr", "kind": "domain"}, facts(1, 2), 0, backward=False)
        delivery = delivery_of(home, Engine([item]))
        session = delivery.start(request())["session_id"]
        proposal = {"title": "t", "body": "b", "type": "hypothesis", "confidence": 0.9, "refs": []}
        result = delivery.go_on("review", session, response=json.dumps({"proposals": [proposal]}), by=AGENT)
        assert result["warnings"] == ["proposals[0] has type 'hypothesis', a forward proposal is a synthesis"]
