"""Reviews through Dagster: what they leave in tables and metadata, with rules and over a wire, and after failures."""

from typing import Any

import pytest
from sqlalchemy import select

from tests.assets.reviewed import (
    BACKFILL,
    CAMPAIGN,
    MARKER,
    NOTES,
    SYNTHESIS,
    answer,
    asking,
    reviewing,
    step_of,
    table,
)
from tests.atoms.talking import rows
from tests.sensors.ticks import asked as asked_for
from tests.support.homes import Home
from tests.support.network import no_network
from tests.support.openai_server import Asked, Reply, fails, says
from tests.support.pipelines import Pipelines, bytes_below, why_failed
from thermite_pipelines.control.synthesis_models import SynthesisSession, WorkItem
from thermite_pipelines.resources.progress import listening

pytestmark = pytest.mark.full  # each test lets whole programs work

REVIEW = [("review_campaign", CAMPAIGN)]


def sessions(home: Home) -> list[Any]:
    with home.control.read() as connection:
        return list(connection.execute(select(SynthesisSession).order_by(SynthesisSession.created_at)))


def steps(home: Home) -> list[str]:
    with home.control.read() as connection:
        return list(connection.execute(select(WorkItem.step_type)).scalars())


def versions(pipelines: Pipelines) -> dict[str, str]:
    return {name: pipelines.data_version(f"synthesis/{name}", CAMPAIGN) for name in SYNTHESIS}


def test_sy_43_by_default_rules_review_and_nothing_goes_over_the_network(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with reviewing(home, monkeypatch) as pipelines, no_network():
        assert asked_for(pipelines, "reviews") == REVIEW
        pipelines.done("review_campaign", CAMPAIGN)
        assert asked_for(pipelines, "reviews") == []
        shown = pipelines.metadata("synthesis/pruned_facts", CAMPAIGN)
        assert (shown["asked"], shown["stopped"], shown["items_failed_now"]) == ("the built-in rules", "no", 0)
        merged = shown["merged_now"]
        assert merged == shown["near_duplicates_now"] > 0
        assert (shown["dagster/row_count"], shown["live"]) == (len(NOTES), len(NOTES) - merged)
        assert shown["facts"] == [{"type": "principle", "live": len(NOTES) - merged, "retracted": merged}]
        distilled, raptor = (pipelines.metadata(f"synthesis/{name}", CAMPAIGN) for name in ("distilled", "raptor"))
        written = table("syntheses")
        assert distilled["dagster/row_count"] + raptor["dagster/row_count"] == len(written) > 0
        assert [row["depth"] for row in distilled["syntheses"]] == [0]
        assert distilled["synthesized_now"] == sum(row["depth"] == 0 for row in written)
        assert raptor["picture"].startswith(f"![tree of {CAMPAIGN}](data:image/svg+xml;base64,")
        page = home.settings.home / "pages" / "synthesis" / f"{CAMPAIGN}.html"
        assert raptor["page"] == str(page) and MARKER in page.read_text()
        looked_back = pipelines.metadata("synthesis/methodologies", CAMPAIGN)
        assert (looked_back["dagster/row_count"], looked_back["session_completed"]) == (0, True)
        assert {row["answered_by"] for row in table("decisions")} <= {"rules", "engine"}
        below = bytes_below(home.settings.dagster_home)
    assert b"pruned_facts" in below and MARKER.encode() not in below
    assert not (home.settings.home / "lake" / "derived" / "model_calls").exists()


def test_sy_31_normal_effort_spends_nothing_on_what_nobody_wrote_down(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asking(home, monkeypatch, answer) as (pipelines, server):
        pipelines.done("review_campaign", CAMPAIGN)
        assert "discover" not in steps(home)
        assert "discover" not in {step_of(asked) for asked in server.asked}
        assert pipelines.metadata("synthesis/distilled", CAMPAIGN)["discovered_now"] == 0


def test_sy_34_a_model_that_always_synthesizes_comes_to_an_end(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with asking(home, monkeypatch, answer, llm_price="1,2") as (pipelines, server):
        pipelines.done("review_campaign", CAMPAIGN)
        [session] = sessions(home)
        assert (session.status, session.phase) == ("completed", "done")
        depths = {row["depth"] for row in table("syntheses")}
        assert 0 in depths and max(depths) <= 3
        shown = {name: pipelines.metadata(f"synthesis/{name}", CAMPAIGN) for name in SYNTHESIS}
        assert sum(one["calls"] for one in shown.values()) == len(server.asked)
        assert sum(one["usd"] for one in shown.values()) == pytest.approx(0.003 * len(server.asked))
        assert asked_for(pipelines, "reviews") == []
        calls = rows(home, "model_calls")
        assert {row["asset"] for row in calls} <= {f"synthesis/{name}" for name in SYNTHESIS}
        assert {row["model"] for row in calls} == {"openai/big-one"}
        assert MARKER.encode() not in bytes_below(home.settings.dagster_home)


def test_a_backfill_makes_the_same_tables_and_asks_nobody_twice(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with asking(home, monkeypatch, answer) as (pipelines, server):
        pipelines.done("review_campaign", CAMPAIGN)
        before, asked, was = home.files("derived"), len(server.asked), versions(pipelines)
        pipelines.done("review_campaign", CAMPAIGN, **BACKFILL)
        assert len(server.asked) == asked
        after = home.files("derived")
        assert {path: after[path] for path in before} == before
        assert versions(pipelines) == was
        assert pipelines.metadata("synthesis/pruned_facts", CAMPAIGN)["items_answered_now"] == 0


def test_an_outage_fails_the_run_and_the_next_one_goes_on(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with asking(home, monkeypatch, lambda asked: fails(401)) as (pipelines, server):
        result = pipelines.run("review_campaign", CAMPAIGN)
        assert not result.success
        [why] = why_failed(result)
        assert "no answer that counts" in why and "401" in why and MARKER not in why
        assert pipelines.metadata("synthesis/pruned_facts", CAMPAIGN)["items_failed_now"] > 0
        assert pipelines.metadata("synthesis/methodologies", CAMPAIGN)["session_completed"] is False
        assert "hypotheses" not in str(result.get_step_success_events())
        server.script = answer
        pipelines.done("review_campaign", CAMPAIGN)
        assert [session.status for session in sessions(home)] == ["completed"]
        assert {one.opened_by for one in sessions(home)} == {"asset"}


def test_one_item_without_an_answer_holds_up_no_other(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says stays out of Dagster, and after three runs it is given up, so that the session ends. A later review,
    once the model answers again, looks at its facts again.
    """
    broken = [True]

    def lose_one(asked: Asked) -> Reply:
        wrong = says({"decisions": [{"path": f"no {MARKER}", "action": "keep"}]})
        return wrong if broken and is_first(asked) else answer(asked)

    def is_first(asked: Asked) -> bool:
        return step_of(asked) == "prune" and "optimizer" in str(asked.body["messages"][1])

    with asking(home, monkeypatch, lose_one) as (pipelines, _):
        for _ in range(2):
            result = pipelines.run("review_campaign", CAMPAIGN)
            assert not result.success and why_failed(result)[0].startswith("1 item has no answer that counts: cluster-")
            assert pipelines.metadata("synthesis/distilled", CAMPAIGN)["dagster/row_count"] > 0
            assert pipelines.metadata("synthesis/methodologies", CAMPAIGN)["session_completed"] is False
        result = pipelines.run("review_campaign", CAMPAIGN)
        assert "1 of them given up" in why_failed(result)[0]
        assert asked_for(pipelines, "reviews") == [], "it waits for news"
        broken.clear()
        pipelines.done("review_campaign", CAMPAIGN)
        assert MARKER.encode() not in bytes_below(home.settings.dagster_home)


def test_a_spent_budget_stops_cleanly_and_is_not_spent_again(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with asking(home, monkeypatch, answer, llm_price="1,2", llm_budget_usd="0.016") as (pipelines, server):
        pipelines.done("review_campaign", CAMPAIGN)
        shown = {name: pipelines.metadata(f"synthesis/{name}", CAMPAIGN) for name in SYNTHESIS}
        assert shown["methodologies"]["stopped"] == "the budget is spent"
        assert shown["methodologies"]["session_completed"] is False
        assert sum(one["usd"] for one in shown.values()) <= 0.016
        assert asked_for(pipelines, "reviews") == []
        asked = len(server.asked)
        pipelines.done("review_campaign", CAMPAIGN)  # a person goes on by hand
        assert len(server.asked) > asked


def test_one_asset_alone_drains_what_comes_before_it(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with reviewing(home, monkeypatch) as pipelines:
        pipelines.materialize("synthesis/distilled", CAMPAIGN)
        assert pipelines.newest("synthesis/pruned_facts", CAMPAIGN) is None
        assert pipelines.metadata("synthesis/distilled", CAMPAIGN)["dagster/row_count"] > 0
        [session] = sessions(home)
        assert session.status == "active"
        with home.control.read() as connection:
            waiting = connection.execute(select(WorkItem).where(WorkItem.answered_at.is_(None))).all()
        assert {(item.step_type, item.depth > 0) for item in waiting} <= {("distill", True)}
        pipelines.done("review_campaign", CAMPAIGN)
        assert [one.status for one in sessions(home)] == ["completed"]


def test_whoever_started_it_is_told_how_far_it_is(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int]] = []
    with asking(home, monkeypatch, answer) as (pipelines, _), listening(lambda *numbers: seen.append(numbers)):
        pipelines.done("review_campaign", CAMPAIGN)
    assert seen and seen[-1][0] == seen[-1][1]


def test_hypothesize_walks_each_synthesis_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with asking(home, monkeypatch, answer) as (pipelines, _):
        pipelines.done("review_campaign", CAMPAIGN)
        live = sum(row["retracted_by"] is None and row["superseded_by"] is None for row in table("syntheses"))
        pipelines.done("hypothesize_campaign", CAMPAIGN)
        shown = pipelines.metadata("synthesis/hypotheses", CAMPAIGN)
        assert (shown["walked_now"], shown["skipped_now"], shown["hypotheses_now"]) == (live, live, 0)
        pipelines.done("hypothesize_campaign", CAMPAIGN)
        assert pipelines.metadata("synthesis/hypotheses", CAMPAIGN)["walked_now"] == 0
        assert asked_for(pipelines, "reviews") == []
