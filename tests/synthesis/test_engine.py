"""The engine at work on real campaigns: one session after the other, taken up by other processes, driven in any way."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.homes import Home, make_home
from tests.synthesis import deciding
from tests.synthesis.campaigns import (
    CAMPAIGN,
    SUBJECTS,
    Saying,
    about,
    always_synthesizing,
    decisions,
    live,
    notes,
    review,
    synthesis,
)
from tests.synthesis.working import NOTHING
from thermite_pipelines.synthesis import engine, paging
from thermite_pipelines.synthesis.delivery import Delivery
from thermite_pipelines.synthesis.draining import drain
from thermite_pipelines.synthesis.lane_runs import LaneRun
from thermite_pipelines.synthesis.work import By, Item, Part, Refused

LANES: tuple[Any, ...] = ("prune", "distill", "raptor", None)


def run(home: Home, answerer: Any = None) -> LaneRun:
    """A review from beginning to end as a materialization drives it, in an engine of its own."""
    opened = synthesis(home)
    done = LaneRun(home.opened, CAMPAIGN, "review", synthesis=opened)
    for lane in LANES:
        done.drain(lane, answerer or opened.answerer(None))
    return done


def test_five_sessions_over_a_growing_campaign_ask_only_about_what_is_new(home: Home) -> None:
    asked: list[int] = []
    for session in range(5):
        notes(home, *(about(subject, 10 * session + place) for subject in SUBJECTS[:2] for place in range(2)))
        answerer = Saying(distill=always_synthesizing)
        assert run(home, answerer).is_done
        first = [item for item in answerer.items if item.step == "distill" and item.depth == 0]
        seeds = {name for item in first for name, _ in item.inputs}
        assert len(seeds) == 4, "the seeds of a session are what came since the last one"
        asked.append(len(answerer.items))
    assert max(asked[1:]) <= 3 * asked[0], "what was seen is not asked about again and again"
    before = decisions(home)
    last = Saying()
    assert run(home, last).is_done
    assert last.items == [] and decisions(home) == before, "no news, no questions"


def test_facts_that_come_while_a_session_is_open_are_the_next_ones_to_see(home: Home) -> None:
    notes(home, *(about("cache", place) for place in range(4)))
    opened = synthesis(home)
    turn = opened.queue.take_up(review())
    notes(home, about("cache", 99), about("cache", 98))
    answerer = Saying(distill=always_synthesizing)
    assert drain(opened.queue, turn, None, answerer).is_done
    following = Saying()
    run(home, following)
    seeds = {name for item in following.items if item.step == "distill" for name, _ in item.inputs}
    assert {live(home)[name].body for name in seeds} == {about("cache", 99), about("cache", 98)}
    written = {fact.fact for fact in live(home).values() if fact.type == "synthesis"}
    assert written and not written & seeds, "what a session wrote is no seed of the next"


@pytest.mark.parametrize("after", range(1, 7))
def test_a_session_left_at_any_item_is_taken_up_by_another_process(home: Home, after: int) -> None:
    notes(home, *(about(subject, place) for subject in SUBJECTS[:3] for place in range(3)))
    first = synthesis(home)
    turn = first.queue.take_up(review())
    begun = turn.session.session
    for _ in range(after):
        assert turn.item is not None
        answered = Saying(distill=always_synthesizing).answer(turn.session, turn.item)
        turn = first.queue.answer(begun, answered.text, turn.item.item, by=answered.by, whole=True)
    done = run(home, Saying(distill=always_synthesizing))
    assert done.session.session == begun and done.is_done
    assert {fact.depth for fact in live(home).values() if fact.type == "synthesis"} >= {0, 1}


def _by_asset(home: Home) -> None:
    run(home, Saying(distill=always_synthesizing))


def _by_tool(home: Home) -> None:
    """Over MCP: started, then answered call by call, each by another engine object."""
    opened = synthesis(home)
    result = Delivery(opened.queue, opened.prompts).start(review(opened_by="mcp"))
    while item := result.get("item"):
        queue = synthesis(home)
        session = result["session_id"]
        whole = queue.queue.shown(session)[1]
        text = Saying(distill=always_synthesizing).answer(queue.queue.find(session), whole).text
        result = Delivery(queue.queue, queue.prompts).go_on(
            "review", session, by=By("agent"), response=text, item_id=item["id"]
        )
    assert result["done"]


def _by_http(home: Home) -> None:
    """In one process, in the order of the whole queue."""
    opened = synthesis(home)
    turn = opened.queue.start(review(opened_by="http"))
    assert drain(opened.queue, turn, None, Saying(distill=always_synthesizing)).is_done


def test_sy_01_the_same_answers_by_assets_tools_and_http_give_the_same_facts(
    tmp_path: Path, ready_record: Path
) -> None:
    found = []
    for drive in (_by_asset, _by_tool, _by_http):
        home = make_home(tmp_path / drive.__name__, ready_record)
        notes(home, *(about(subject, place) for subject in SUBJECTS[:3] for place in range(4)))
        drive(home)
        found.append([fact.row() for fact in live(home).values()])
    assert found[0] == found[1] == found[2]
    assert any(row["type"] == "synthesis" for row in found[0])


def test_sy_02_items_are_handed_out_one_at_a_time_until_none_is_left(home: Home) -> None:
    notes(home, *(about(subject, place) for subject in SUBJECTS for place in range(4)))
    opened = synthesis(home)
    turn = opened.queue.start(review())
    served = []
    while turn.item is not None:
        again = opened.queue.next(turn.session.session)
        assert again.item == turn.item, "the next one comes after the answer"
        served.append(turn.item.item)
        answered = Saying(distill=always_synthesizing).answer(turn.session, turn.item)
        turn = opened.queue.answer(turn.session.session, answered.text, by=answered.by, whole=True)
    assert turn.is_done and len(served) >= 12 and len(set(served)) == len(served)


@pytest.mark.parametrize("sessions", [3, pytest.param(50, marks=pytest.mark.full)])
@pytest.mark.parametrize("effort", ["normal", "medium", "high"])
def test_sy_27_reviews_make_no_hypotheses(home: Home, effort: Any, sessions: int) -> None:
    def hypotheses() -> int:
        return sum(fact.type == "hypothesis" for fact in live(home).values())

    def daring(item: Any) -> Any:
        members = [name for name, _ in item.inputs]
        said = {"title": "A guess", "body": "It may be", "type": "hypothesis", "confidence": 0.9, "refs": members}
        return {"proposals": [said]}

    for session in range(sessions):
        notes(home, *(about(subject, 10 * session + place) for subject in SUBJECTS[:2] for place in range(2)))
        opened = synthesis(home)
        turn = opened.queue.start(review(effort=effort))
        assert drain(opened.queue, turn, None, Saying(distill=always_synthesizing, discover=daring)).is_done
        assert hypotheses() == 0


def test_sy_32_two_hundred_facts_reach_a_second_depth_by_rules(home: Home) -> None:
    notes(home, *(about(subject, place) for subject in SUBJECTS for place in range(40)))
    assert run(home).is_done
    found = live(home)
    depths = [fact.depth for fact in found.values() if fact.type == "synthesis"]
    assert depths.count(0) > depths.count(1) >= 1
    for fact in found.values():
        below = [found[ref].depth for ref in fact.refs if ref in found and found[ref].type == "synthesis"]
        assert fact.type != "synthesis" or all(depth is not None and depth < (fact.depth or 0) for depth in below)
    cited = [ref for fact in found.values() if fact.type == "synthesis" for ref in fact.refs]
    assert len(cited) == len(set(cited)), "rules tell each fact once"


def test_sy_33_deeper_items_come_after_those_they_build_on(home: Home) -> None:
    notes(home, *(about(subject, place) for subject in SUBJECTS for place in range(3)))
    opened = synthesis(home)
    answerer = Saying(distill=always_synthesizing)
    drain(opened.queue, opened.queue.start(review()), None, answerer)
    depths = [item.depth for item in answerer.items if item.step == "distill"]
    assert depths == sorted(depths) and max(depths) == 3


def test_sy_34_distilling_ends_at_depth_three_whatever_is_answered(home: Home) -> None:
    notes(home, *(about(subject, place) for subject in SUBJECTS for place in range(4)))
    answerer = Saying(distill=always_synthesizing)
    assert run(home, answerer).is_done
    assert max(item.depth for item in answerer.items) == 3
    assert max(fact.depth or 0 for fact in live(home).values()) == 3
    first = sum(item.depth == 0 and item.step == "distill" for item in answerer.items)
    # One synthesis an item, whose neighbours with it make one cluster: each item is followed by one at most.
    assert sum(item.step == "distill" for item in answerer.items) <= 4 * first


def test_pragmatic_facts_are_in_no_item_and_in_no_lineage(home: Home) -> None:
    notes(home, *(about("cache", place) for place in range(4)))
    notes(home, "Always clear the cache before a run", kind="decision")
    answerer = Saying(distill=always_synthesizing)
    run(home, answerer)
    assert all("Always clear" not in item.facts for item in answerer.items)


def test_a_new_methodology_too_near_to_an_old_one_leaves_the_item_open(home: Home) -> None:
    """Behaviour 44."""
    notes(home, *(about("cache", place) for place in range(3)))
    run(home, Saying())
    opened = synthesis(home)
    with opened.engine.facts(CAMPAIGN) as facts:
        old = next(iter(facts.corpus.live().values()))
        assert facts.closest(old, list(facts.corpus.live().values())) == (old.fact, 1.0)
        assert facts.closest(old, []) is None


def test_an_item_that_fails_three_runs_is_given_up_and_its_session_ends(home: Home) -> None:
    notes(home, *(about("cache", place) for place in range(3)))
    wrong = Saying(distill=lambda item: {"synthesize": [{"title": "One", "body": "x", "refs": ["nothing"]}]})
    for attempt in range(3):
        done = run(home, wrong)
        assert [failure.key for failure in done.failures] == ["distill-c0-0"]
        assert done.failures[0].is_given_up == (attempt == 2)
        assert done.is_done == (attempt == 2)
    assert not any(fact.type == "synthesis" for fact in live(home).values())


def test_a_refused_answer_is_asked_for_once_more_with_the_reason(home: Home) -> None:
    notes(home, *(about("cache", place) for place in range(3)))
    reasons: list[str | None] = []

    class Learning(Saying):
        def answer(self, session: Any, item: Any, refused: str | None = None) -> Any:
            if item.step == "distill" and item.depth == 0:
                reasons.append(refused)
                self._says["distill"] = always_synthesizing if refused else (lambda _: {"synthesize": [{}]})
            return super().answer(session, item, refused)

    done = run(home, Learning())
    assert done.is_done and not done.failures
    assert reasons[0] is None and reasons[1] is not None and "refused" in reasons[1]


def test_a_lane_alone_moves_no_session_on(home: Home) -> None:
    notes(home, *(about("cache", place) for place in range(3)))
    opened = synthesis(home)
    done = LaneRun(home.opened, CAMPAIGN, "review", synthesis=opened)
    done.drain("prune", Saying())
    found = opened.queue.find(done.session.session)
    assert (found.status, found.phase) == ("active", "work")
    assert opened.queue.next(found.session, Part("distill")).item is not None


def test_a_wrong_item_is_refused_and_the_current_one_stays(home: Home) -> None:
    notes(home, *(about("cache", place) for place in range(3)))
    opened = synthesis(home)
    turn = opened.queue.start(review())
    assert turn.item is not None
    with pytest.raises(Refused, match="is not the current one"):
        opened.queue.answer(turn.session.session, json.dumps({"decisions": []}), turn.item.item + 1, by=By("agent"))
    assert opened.queue.next(turn.session.session).item == turn.item


@pytest.fixture
def paged_home(home: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A campaign whose items take several pages, each of them a small one."""
    monkeypatch.setattr(paging, "FACT_BYTES", 2_048)
    notes(home, *(about("cache", place) for place in range(16)))
    return home


def _pages(delivery: Delivery, session: str) -> list[Any]:
    """All pages of the current item, from the first."""
    pages = [delivery.page(session, 1)["item"]]
    while pages[-1]["more_available"]:
        pages.append(delivery.page(session, pages[-1]["page"] + 1)["item"])
    return pages


def _paths(pages: list[Any]) -> list[str]:
    return [record["path"] for page in pages for record in page["facts"]]


def test_sy_14_a_token_is_refused_after_facts_of_its_item_changed(paged_home: Home) -> None:
    home = paged_home
    opened = synthesis(home)
    delivery = Delivery(opened.queue, opened.prompts)
    session = delivery.start(review(opened_by="mcp"))["session_id"]
    before = _pages(delivery, session)
    step, token = before[-1]["type"], before[-1]["completion_token"]
    gone = _paths(before)[2]
    deciding.decide(home, "prune", [gone], deciding.judged((gone, "retract")))
    nothing = {"decisions": []} if step == "prune" else {"synthesize": []}
    answer = {"by": By("agent"), "response": json.dumps(nothing)}
    with pytest.raises(Refused, match=r"changed since its pages were read.*read all \d+ pages again"):
        delivery.go_on("review", session, **answer, completion_token=token)
    with pytest.raises(Refused, match="came with a token that is not the item's"):
        delivery.go_on("review", session, **answer, completion_token=token)
    after = _pages(delivery, session)
    assert _paths(after) == [path for path in _paths(before) if path != gone], "in the order they had"
    result = delivery.go_on("review", session, **answer, completion_token=after[-1]["completion_token"])
    assert result.get("item", {}).get("id") != before[0]["id"]


def test_what_an_answer_took_back_is_not_shown_by_the_item_after_it(paged_home: Home) -> None:
    home = paged_home
    opened = synthesis(home)
    delivery = Delivery(opened.queue, opened.prompts)
    session = delivery.start(review(opened_by="mcp"))["session_id"]
    pages = _pages(delivery, session)
    assert pages[0]["type"] == "prune"
    gone = _paths(pages)[0]
    response = json.dumps({"decisions": [{"path": gone, "action": "retract"}]})
    distilled: list[str] = []
    while True:
        token = pages[-1].get("completion_token")
        result = delivery.go_on("review", session, by=By("agent"), response=response, completion_token=token)
        if "item" not in result:
            break
        pages = _pages(delivery, session)
        response = NOTHING[pages[0]["type"]]
        distilled += _paths(pages) if pages[0]["type"] == "distill" else []
    assert set(distilled) == {name for name, fact in live(home).items() if fact.kind == "epistemic"}
    assert gone not in distilled


def test_where_looking_for_what_follows_fails_the_answer_counts_and_a_warning_says_so(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> Any:
        raise ValueError("The cache shows what nobody may read here")

    notes(home, *(about("cache", place) for place in range(3)))
    monkeypatch.setattr(engine, "follow_ups", fail)
    opened = synthesis(home)
    done = drain(opened.queue, opened.queue.start(review()), None, Saying(distill=always_synthesizing))
    assert done.is_done and not done.failures
    assert "nothing follows from it: ValueError" in done.warnings
    assert any(fact.type == "synthesis" for fact in live(home).values())


def test_distill_shows_what_prune_left(home: Home) -> None:
    """What was taken back is in no later item, what took its place is, and each synthesis cites what holds."""
    notes(home, *(about("cache", place) for place in range(4)), *(about("kernel", place) for place in range(2)))
    gone: set[str] = set()
    merged: set[str] = set()

    def prune(item: Item) -> dict[str, Any]:
        records = json.loads(item.facts)
        names = [record["path"] for record in records]
        if "cache" not in records[0]["body"]:
            gone.add(names[0])
            return {"decisions": [{"path": names[0], "action": "retract"}]}
        merged.update(names[:2])
        given = {"path": None, "title": "Both effects", "body": "The cache shows both effects", "type": "observation"}
        return {"decisions": [], "merges": [{"paths": names[:2], "merged": given | {"confidence": 0.9, "domain": []}}]}

    answerer = Saying(prune=prune, distill=always_synthesizing)
    assert run(home, answerer).is_done
    shown = [json.loads(item.facts) for item in answerer.items if item.step == "distill" and item.depth == 0]
    paths = {record["path"] for records in shown for record in records}
    assert gone and len(merged) == 2 and not paths & (gone | merged)
    assert any(record["title"] == "Both effects" for records in shown for record in records)
    assert all(len(records) >= 2 for records in shown), "one fact alone is nothing to distill: nobody was asked"
    written = [one for one in decisions(home) if one.verb == "synthesize" and one.fact and one.fact.depth == 0]
    assert written and {name for one in written for name, _ in one.inputs} == paths


def test_rules_quote_nothing_that_they_merged_before(home: Home) -> None:
    texts = [f"The cache shows effect {place} under a heavy load of writers" for place in range(3)]
    again = [f"{text.replace('under', 'when it is under')}, it was seen" for text in texts]
    notes(home, *texts, *again)
    assert run(home).is_done
    known = live(home)
    written = [fact for fact in known.values() if fact.type == "synthesis"]
    assert any(one.verb == "merge" for one in decisions(home)) and written
    assert {ref for fact in written for ref in fact.refs} <= known.keys()
