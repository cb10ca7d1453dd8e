"""`thermite doctor` about reviews: late ones, items without answers, sessions held by hand, stale decisions."""

import pytest
from sqlalchemy import update

from tests.assets.reviewed import CAMPAIGN, say_facts
from tests.cli.commands import Cli
from tests.cli.test_doctor import findings, only
from tests.knowledge.filing import refresh
from tests.synthesis.working import HOUR
from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.synthesis_models import SynthesisSession
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.synthesis.fact_store import FactTable
from thermite_pipelines.synthesis.opening import open_synthesis
from thermite_pipelines.synthesis.queue import WorkQueue
from thermite_pipelines.synthesis.work import OpenedBy, Request
from thermite_pipelines.tables.derived import BASE_FACTS
from thermite_pipelines.times import now_micros


@pytest.fixture
def spoken(cli: Cli) -> Cli:
    """A home with facts that no review saw yet."""
    say_facts(cli.home)
    cli.home.intake("rig-a")
    refresh(cli.home, CAMPAIGN)
    FactTable(open_home(), CAMPAIGN).refresh()
    return cli


def started(by: OpenedBy) -> WorkQueue:
    queue = open_synthesis(open_home()).queue
    queue.start(Request(CAMPAIGN, "review", by))
    return queue


def age(cli: Cli, hours: int) -> None:
    """As if the facts had changed so long ago."""
    with cli.home.control.write() as connection:
        mine = DerivedState.name == BASE_FACTS.name
        connection.execute(update(DerivedState).where(mine).values(changed_at=now_micros() - hours * HOUR))


def test_facts_that_no_review_saw_for_long(spoken: Cli) -> None:
    assert findings(spoken, code=0) == []
    age(spoken, 1)
    only(spoken, "warning", f"facts of {CAMPAIGN} were not reviewed", f"thermite review --campaign {CAMPAIGN}")
    started("asset")
    assert findings(spoken, code=0) == [], "its review is going on"


def test_items_without_an_answer(spoken: Cli) -> None:
    queue = started("asset")
    with spoken.home.control.read() as connection:
        session = connection.execute(SynthesisSession.__table__.select()).one().session
    item = queue.waiting(session)[0]
    queue.note_failure(item, "it names a fact that is not there")
    finding = only(spoken, "warning", "1 item of review", item.key, "asks again")
    assert "names a fact" in finding["why"]
    queue.note_failure(item, "it is no JSON")
    queue.note_failure(item, "it is no JSON")
    assert "were given up" in findings(spoken, code=0)[0]["what"]


def test_a_session_that_somebody_holds(spoken: Cli) -> None:
    age(spoken, 1)
    started("mcp")
    [finding] = findings(spoken, code=0)
    assert (finding["level"], "answered over mcp" in finding["what"]) == ("note", True)
    with spoken.home.control.write() as connection:
        connection.execute(update(SynthesisSession).values(created_at=now_micros() - 5 * HOUR))
    only(spoken, "warning", "answered over mcp", "finish it")


def test_no_embedding_model(spoken: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THERMITE_EMBED_MODEL", "none")
    only(spoken, "error", "THERMITE_EMBED_MODEL", "unset it")


@pytest.mark.full
def test_tables_that_somebody_changed(spoken: Cli) -> None:
    assert spoken.json("review", "--campaign", CAMPAIGN)["synthesized"]["0"] > 0
    assert findings(spoken, code=0) == []
    path = spoken.home.settings.home / "lake" / "derived" / "facts" / f"campaign={CAMPAIGN}" / "facts.parquet"
    path.write_bytes(b"no table")
    only(spoken, "error", "changed or gone", "thermite refresh")
    spoken.say("refresh")
    assert findings(spoken, code=0) == []
