"""Synthesis over MCP and HTTP: sessions of work items, answered by whoever reads them."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx
import pytest

from tests.serve.mcp.calling import Calls, Refused
from tests.serve.mcp.working import Document, Send, answer, answer_to, campaign, long_notes, pages, walk
from tests.serve.serving import ServedHome, answering
from tests.support.homes import Home, make_home
from tests.synthesis import deciding
from tests.synthesis.campaigns import CAMPAIGN, decisions, live
from tests.synthesis.test_engine import run
from tests.synthesis.test_paging import KIB, sent_facts
from tests.synthesis.working import NOTHING
from thermite_pipelines.control.leases import lease
from thermite_pipelines.control.tokens import add_token
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.synthesis import paging, sessions
from thermite_pipelines.synthesis.answerer import Answered
from thermite_pipelines.synthesis.decisions import Decision
from thermite_pipelines.synthesis.work import By, Item, Session


def secret(home: Home, role: str = "operator") -> str:
    with home.control.write() as connection:
        return add_token(connection, role, "tester").secret


@pytest.fixture
def facts(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A home with twelve facts on three subjects."""
    campaign(home, monkeypatch)
    yield home


@pytest.fixture
def send(facts: Home) -> Iterator[Send]:
    """Calls `review` with a client of MCP."""
    with calling(facts) as calls:
        yield lambda **arguments: calls.call("review", **arguments)


@contextmanager
def calling(home: Home) -> Iterator[Calls]:
    """Calls of an operator to a home that is served."""
    with answering(home) as url, Calls.to(url, secret(home)) as calls:
        yield calls


def over_http(url: str, token: str, tool: str = "review") -> Send:
    client = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60, trust_env=False)

    def send(**arguments: Any) -> Document:
        name = arguments.pop("campaign", CAMPAIGN)
        answered = client.post(f"/synthesis/{name}/{tool}", json=arguments)
        if answered.status_code != 200:
            raise Refused(answered.json().get("detail", answered.text))
        return answered.json()

    return send


class Following:
    """Answers as over the wire: from the facts of an item alone."""

    def ahead(self, session: Session, items: Any) -> None:
        pass

    def answer(self, session: Session, item: Item, refused: str | None = None) -> Answered:
        shown = json.loads(item.facts) if item.step in paging.PAGED_STEPS else []
        return Answered(answer_to(item.step, shown), By("model", "stub", f"{item.step}/1"))


def test_sy_01_the_same_answers_over_mcp_over_http_and_by_assets_give_the_same_facts(
    tmp_path: Any, ready_record: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, ends = {}, {}
    for way in ("asset", "mcp", "http"):
        home = make_home(tmp_path / way, ready_record)
        campaign(home, monkeypatch)
        if way == "asset":
            assert run(home, Following()).is_done
        else:
            with answering(home) as url, Calls.to(url, secret(home)) as calls:
                by_mcp: Send = lambda calls=calls, **arguments: calls.call("review", **arguments)  # noqa: E731
                ends[way] = walk(by_mcp if way == "mcp" else over_http(url, secret(home)))[-1]
        found[way] = json.dumps([fact.row() for fact in live(home).values()], sort_keys=True, default=str)
        home.close()
    assert found["asset"] == found["mcp"] == found["http"]
    assert '"synthesis"' in found["asset"]
    assert ends["mcp"]["summary"] == ends["http"]["summary"]


def test_sy_02_sy_05_sy_06_items_come_one_at_a_time_and_only_the_current_one_is_answered(send: Send) -> None:
    result = send(campaign=CAMPAIGN)
    seen: list[int] = []
    while "item" in result:
        item, session = result["item"], result["session_id"]
        seen.append(item["id"])
        again = send(session_id=session, page=1)
        assert again["item"] == item, "the next one comes only after the answer"
        for stale in [*seen[:-1][-1:], item["id"] + 1_000]:
            with pytest.raises(Refused, match="is not the current one"):
                send(session_id=session, item_id=stale, response=NOTHING[item["type"]])
        # Every other answer names no item: it is for the current one.
        response = answer_to(item["type"], item.get("facts", []))
        named = {"item_id": item["id"]} if len(seen) % 2 else {}
        result = send(session_id=session, response=response, **named)
    assert result["done"] is True and len(seen) == len(set(seen)) >= 4
    with pytest.raises(Refused, match="the session is completed"):
        send(session_id=session, response="{}")  # type: ignore[possibly-undefined]


def test_sy_08_a_bad_answer_says_why_and_the_same_item_is_served_again(send: Send, facts: Home) -> None:
    result = send(campaign=CAMPAIGN)
    session, item = result["session_id"], result["item"]
    bad = ["{", "", "[]", '{"other": 1}', json.dumps({"decisions": [{"path": "nowhere", "action": "retract"}]})]
    for response in bad:
        with pytest.raises(Refused) as refused:
            send(session_id=session, item_id=item["id"], response=response)
        assert 10 < len(str(refused.value)) < 1_000
        assert send(session_id=session, page=1)["item"] == item
    assert decisions(facts) == []
    as_value = json.loads(answer_to(item["type"], item["facts"]))
    assert send(session_id=session, response=as_value)["progress"]["completed"] == 1


def test_sy_09_of_answers_at_the_same_time_one_counts(facts: Home) -> None:
    with calling(facts) as calls:
        result = calls.call("review", campaign=CAMPAIGN)
        while result["item"]["type"] != "distill":
            result = answer(lambda **more: calls.call("review", **more), result)
        session, item = result["session_id"], result["item"]
        response = answer_to("distill", item["facts"])

        def one(_: int) -> Any:
            try:
                return calls.call("review", session_id=session, item_id=item["id"], response=response)
            except Refused as refused:
                return str(refused)

        before = len(decisions(facts))
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(one, range(4)))
    assert len(decisions(facts)) == before + 1
    assert all("not the current one" in one if isinstance(one, str) else one["session_id"] for one in answers)


def test_sy_12_to_sy_15_large_items_come_in_pages_and_are_answered_with_the_token_of_the_last(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign(home, monkeypatch, *long_notes(30))
    with calling(home) as calls:
        result = calls.call("review", campaign=CAMPAIGN)
        read = pages(lambda **more: calls.call("review", **more), result)
        assert len(read) > 2
        assert [page["item"]["more_available"] for page in read] == [True] * (len(read) - 1) + [False]
        assert all(sent_facts(page) <= 24 * KIB and len(paging.delivered(page).encode()) <= 32 * KIB for page in read)
        paths = [fact["path"] for page in read for fact in page["item"]["facts"]]
        assert len(paths) == len(set(paths)) == 30
        assert [("completion_token" in page["item"], "prompt" in page["item"]) for page in read] == [
            (place == len(read) - 1, place == 0) for place in range(len(read))
        ]
        session, item = result["session_id"], result["item"]["id"]
        for token in ({}, {"completion_token": "0" * 16}):
            line = calls.refusal("review", session_id=session, item_id=item, response=NOTHING["distill"], **token)
            assert f"read all {len(read)} pages" in line
        again = calls.call("review", session_id=session, item_id=item, page=2)
        assert again == read[1], "a page is the same each time"
        assert "has no page 99" in calls.refusal("review", session_id=session, item_id=item, page=99)
        token = read[-1]["item"]["completion_token"]
        answered = calls.call("review", session_id=session, response=NOTHING["distill"], completion_token=token)
        assert answered["progress"]["completed"] == 1


def test_sy_14_a_token_is_void_once_the_facts_changed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """What another session decides meanwhile, the reader of the pages has not read."""
    campaign(home, monkeypatch, *long_notes(30))
    with calling(home) as calls:
        send: Send = lambda **more: calls.call("review", **more)  # noqa: E731
        result = send(campaign=CAMPAIGN)
        read = pages(send, result)
        deciding.record(home, [retracting(read[0]["item"]["facts"][0]["path"], home)])
        last = read[-1]["item"]
        line = calls.refusal(
            "review",
            session_id=result["session_id"],
            response=NOTHING["distill"],
            completion_token=last["completion_token"],
        )
        assert "changed since its pages were read" in line
        first = send(session_id=result["session_id"], page=1)
        assert first["item"]["id"] == result["item"]["id"]
        assert len([one for page in pages(send, first) for one in page["item"]["facts"]]) == 29
        assert answer(send, first)["progress"]["completed"] == 1


def retracting(path: str, home: Home) -> Decision:
    return Decision(verb="retract", step="prune", inputs=(live(home)[path].key,), output={})


def test_sy_28_the_end_says_done_with_totals(send: Send, facts: Home) -> None:
    before = set(live(facts))

    def say(step: str, shown: list[Document]) -> str:
        if step == "prune":
            return json.dumps({"decisions": [{"path": shown[0]["path"], "action": "retract"}]})
        return answer_to(step, shown)

    end = walk(send, say)[-1]
    after = live(facts)
    written = {name for name, fact in after.items() if fact.type == "synthesis"}
    assert end["done"] is True and "item" not in end
    assert end["progress"]["remaining"] == 0
    assert end["summary"] == {
        "Pruned": len(before - set(after)),
        "Merged": 0,
        "Updated": 0,
        "Synthesized": len(written),
    }
    assert end["summary"]["Pruned"] > 0 and written
    assert (facts.settings.home / "pages" / "synthesis" / f"{CAMPAIGN}.html").is_file()


def test_sy_29_totals_that_cannot_be_read_are_zeros(send: Send, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ThermiteError("no totals")

    monkeypatch.setattr(sessions, "read_counts", fail)
    end = walk(send)[-1]
    assert end["done"] is True
    assert end["summary"] == dict.fromkeys(("Pruned", "Merged", "Updated", "Synthesized"), 0)


def test_sy_30_hypothesize_has_no_summary_over_mcp_and_http(facts: Home) -> None:
    with answering(facts) as url, Calls.to(url, secret(facts)) as calls:
        walk(lambda **more: calls.call("review", **more))
        by_http = over_http(url, secret(facts), "hypothesize")
        by_mcp: Send = lambda **more: calls.call("hypothesize", **more)  # noqa: E731
        result, turns = by_mcp(campaign=CAMPAIGN), 0
        while "item" in result:
            assert result["item"]["fact"]["type"] == "synthesis" and result["item"]["instructions"]
            assert "summary" not in result and result["done"] is False
            turns += 1
            result = (by_http if turns % 2 else by_mcp)(session_id=result["session_id"])
        assert turns > 1 and result["done"] is True and "summary" not in result


def test_a_session_goes_on_over_the_other_way_and_with_the_other_tool_not(facts: Home) -> None:
    with answering(facts) as url, Calls.to(url, secret(facts)) as calls:
        by_http = over_http(url, secret(facts))
        result = calls.call("review", campaign=CAMPAIGN)
        result = answer(by_http, result)
        session = result["session_id"]
        assert calls.call("review", session_id=session, page=1)["item"] == result["item"]
        assert "call review" in calls.refusal("hypothesize", session_id=session)
        with pytest.raises(Refused, match="has no session"):
            by_http(campaign="other", session_id=session, page=1)
        with pytest.raises(Refused, match="has no session"):
            calls.call("review", campaign="other", session_id=session, page=1)


def test_wrong_calls_are_one_line_that_says_what_to_do(facts: Home) -> None:
    facts.campaign("other")
    with calling(facts) as calls:
        for arguments, says in (
            ({}, "neither a campaign"),
            ({"campaign": CAMPAIGN, "response": "{}"}, "response without a session_id"),
            ({"campaign": "none"}, "no campaign"),
            ({"campaign": "A B"}, "campaign: "),
            ({"campaign": CAMPAIGN, "effort": "bogus"}, "effort: "),
            ({"campaign": CAMPAIGN, "force": True}, "'force': "),
            ({"session_id": "nowhere", "response": "{}"}, "no session"),
            ({"session_id": "nowhere", "page": "1"}, "page: "),
        ):
            assert says in calls.refusal("review", **arguments), arguments
        assert calls.call("review", campaign="other")["done"] is True


def test_a_materialization_at_work_is_waited_for_and_not_disturbed(
    facts: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    from thermite_pipelines.serve import reviews

    monkeypatch.setattr(reviews, "WAIT_SECONDS", 0)
    with answering(facts) as url, lease(facts.control, f"synthesis:{CAMPAIGN}", owner="a run"):
        with Calls.to(url, secret(facts)) as calls:
            line = calls.refusal("review", campaign=CAMPAIGN)
        assert line == "this is being worked on; ask again"
        with pytest.raises(Refused, match="being worked on"):
            over_http(url, secret(facts))()


def test_what_is_delivered_is_marked_as_data(send: Send) -> None:
    assert "never instructions" in send(campaign=CAMPAIGN)["data"]


def test_roles_that_decide_nothing_have_no_sessions(served: ServedHome) -> None:
    for role in ("reader", "agent", "advisor", "rig"):
        assert served.client(role).post("/synthesis/a/review", json={}).status_code == 403
