"""Reviews that are behind: when the sensor asks for one, and when it waits."""

from collections.abc import Iterator

import pytest
from dagster import DagsterRunStatus

from tests.assets.reviewed import CAMPAIGN, asking, reviewing
from tests.assets.reviewed import answer as answered
from tests.atoms.talking import say_session, uuid
from tests.knowledge.exporting import ExportHome
from tests.sensors.test_sensors import _age
from tests.sensors.ticks import asked, keys, make_run, tick, why_nothing
from tests.support.homes import Home
from tests.support.openai_server import fails
from tests.support.pipelines import Pipelines
from thermite_pipelines.control.leases import acquire, release
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.synthesis.opening import open_synthesis
from thermite_pipelines.synthesis.work import By, Request

pytestmark = pytest.mark.full  # each test lets whole programs work

REVIEW = [("review_campaign", CAMPAIGN)]


@pytest.fixture
def pipelines(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipelines]:
    with reviewing(home, monkeypatch) as opened:
        yield opened


def test_it_asks_once_and_then_only_after_news(pipelines: Pipelines) -> None:
    [key] = keys(pipelines, "reviews")
    assert asked(pipelines, "reviews") == REVIEW
    pipelines.done("review_campaign", CAMPAIGN, **{"dagster/run_key": key})
    assert why_nothing(pipelines, "reviews") == "nothing is behind"
    rig = pipelines.home.rig()
    rig.say_note("The scheduler drops a job when two share a name.")
    rig.send()
    pipelines.done("take_reports", "rig-a")
    assert asked(pipelines, "reviews") == []  # the folder comes first
    pipelines.done("refresh_campaign", CAMPAIGN)
    assert asked(pipelines, "reviews") == []  # a note of no kind that is a fact


def test_it_waits_for_atoms_and_facts_that_come_soon(pipelines: Pipelines) -> None:
    rig = pipelines.home.rig()
    say_session(rig, uuid(1), "h:No, that is wrong: the loader reads from the replica, not from the primary.")
    rig.send()
    pipelines.done("take_reports", "rig-a")
    pipelines.done("refresh_campaign", CAMPAIGN)
    assert asked(pipelines, "reviews") == []
    failed = make_run(pipelines, "extract_atoms", CAMPAIGN, DagsterRunStatus.FAILURE)
    assert asked(pipelines, "reviews") == REVIEW, "what fails again and again holds up nothing"
    pipelines.instance.delete_run(failed.run_id)
    pipelines.done("extract_atoms", CAMPAIGN)
    assert asked(pipelines, "reviews") == [], "the facts are behind the atoms"
    pipelines.done("refresh_campaign", CAMPAIGN)
    assert asked(pipelines, "reviews") == REVIEW


def test_it_leaves_campaigns_alone_that_somebody_works_on(pipelines: Pipelines) -> None:
    acquire(pipelines.home.control, f"synthesis:{CAMPAIGN}", "another")
    assert asked(pipelines, "reviews") == []
    release(pipelines.home.control, f"synthesis:{CAMPAIGN}", "another")
    going_on = make_run(pipelines, "hypothesize_campaign", CAMPAIGN, DagsterRunStatus.STARTED)
    assert asked(pipelines, "reviews") == []
    pipelines.instance.report_run_canceled(going_on)
    make_run(pipelines, "extract_atoms", CAMPAIGN, DagsterRunStatus.STARTED)
    assert asked(pipelines, "reviews") == REVIEW, "the lease of atoms is another"


def test_a_review_holds_up_no_refresh(pipelines: Pipelines) -> None:
    make_run(pipelines, "review_campaign", CAMPAIGN, DagsterRunStatus.STARTED)
    pipelines.home.rig().say_note("the cache was warm")
    pipelines.home.rig().send()
    pipelines.done("take_reports", "rig-a")
    assert asked(pipelines, "campaigns") == [("refresh_campaign", CAMPAIGN)]


def test_a_session_over_mcp_is_left_to_whoever_answers_it(pipelines: Pipelines) -> None:
    """A run says so and does nothing; what he decided is in the tables with the next one."""
    queue = open_synthesis(open_home()).queue
    turn = queue.start(Request(CAMPAIGN, "review", "mcp"))
    assert asked(pipelines, "reviews") == []
    pipelines.done("review_campaign", CAMPAIGN)
    assert pipelines.newest("synthesis/pruned_facts", CAMPAIGN) is None
    session = turn.session.session
    while turn.item is not None:
        text = '{"decisions": []}' if turn.item.step == "prune" else '{"synthesize": []}'
        turn = queue.answer(session, text, by=By("agent"), whole=True)
    assert asked(pipelines, "reviews") == []  # five minutes after the run that gave way
    [gave_way] = [run for run in pipelines.instance.get_runs() if run.job_name == "review_campaign"]
    _age(pipelines, gave_way, 301)
    [key] = keys(pipelines, "reviews")
    assert key.startswith(f"{CAMPAIGN}@tables-")
    pipelines.done("review_campaign", CAMPAIGN)
    assert asked(pipelines, "reviews") == []
    assert pipelines.metadata("synthesis/pruned_facts", CAMPAIGN)["items_answered_now"] == 0


def test_failures_wait_longer_each_time(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    with asking(home, monkeypatch, lambda asked: fails(401)) as (pipelines, server):
        [key] = keys(pipelines, "reviews")
        assert not pipelines.run("review_campaign", CAMPAIGN, **{"dagster/run_key": key}).success
        assert asked(pipelines, "reviews") == []
        [run] = [one for one in pipelines.instance.get_runs() if one.tags.get("dagster/run_key") == key]
        _age(pipelines, run, 61)
        assert keys(pipelines, "reviews") == [key.replace("#1", "#2")]
        server.script = answered
        pipelines.done("review_campaign", CAMPAIGN)
        assert asked(pipelines, "reviews") == []


def test_sy_44_without_an_embedding_model_nothing_starts(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_EMBED_MODEL", "none")
    assert "THERMITE_EMBED_MODEL" in why_nothing(pipelines, "reviews")
    result = pipelines.run("review_campaign", CAMPAIGN)
    assert not result.success
    assert any("THERMITE_EMBED_MODEL" in str(event.event_specific_data) for event in result.all_events)


def test_a_campaign_without_facts_is_not_asked_about(home: Home, pipelines: Pipelines) -> None:
    home.campaign("empty")
    pipelines.done("refresh_campaign", "empty")
    assert asked(pipelines, "reviews") == REVIEW


def test_a_run_that_leaves_takes_its_facts_and_texts_along(pipelines: Pipelines) -> None:
    """Before any review: tables and page hold nothing that rested on it any more."""
    pipelines.done("review_campaign", CAMPAIGN)
    home = pipelines.home
    page = home.settings.home / "pages" / "synthesis" / f"{CAMPAIGN}.html"
    assert "zzwarmup" in page.read_text()
    home.campaign("elsewhere")
    ExportHome(home).assign("run-1", "elsewhere")
    tick(pipelines, "campaigns")
    pipelines.done("refresh_campaign", CAMPAIGN)
    assert pipelines.metadata("synthesis/base_facts", CAMPAIGN)["parts_that_left"] == 1
    assert "zzwarmup" not in page.read_text()
    for name in ("facts", "syntheses"):
        assert all(b"zzwarmup" not in data for path, data in home.files(f"derived/{name}").items() if CAMPAIGN in path)
