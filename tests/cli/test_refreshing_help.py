"""`thermite refresh` and `rebuild` of help requests, learnings and briefs."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.channels import ask, now, propose
from tests.cli.test_dagster_runs import no_waits, refresh, tell, told  # noqa: F401 fixtures
from tests.knowledge.exporting import ExportHome
from tests.support.homes import Home
from thermite_pipelines.cli import dagster_runs
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge import help_reading
from thermite_pipelines.knowledge.help_reading import help_requests, learnings
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.learnings import actions, folding, publishing
from thermite_pipelines.times import now_micros

pytestmark = pytest.mark.full  # each test lets whole programs work

DAY = 86_400_000_000
REFRESH_HELP = ["refresh_help", "None"]


@pytest.fixture
def asked(told: Home) -> Home:  # noqa: F811
    """In both campaigns an agent asked for help and found something out; nothing is behind."""
    for rig, run in (("rig-a", "run-1"), ("rig-b", "run-2")):
        ask(told.rig(rig), f"no key on {rig}", run=run)
        propose(told.rig(rig), f"Found out on {rig}.", run=run)
        told.rig(rig).send()
    refresh(told)
    return told


def test_one_campaigns_news_make_one_refresh(asked: Home) -> None:
    """What is said in one campaign costs the others no run; lost files cost none a run."""
    assert refresh(asked) == []
    ask(asked.rig("rig-b"), "no network", run="run-2")
    asked.rig("rig-b").send()
    assert [run[:2] for run in refresh(asked)] == [["take_reports", "rig-b"], ["refresh_campaign", "reading"]]
    assert len(help_requests(open_home())) == 3
    folder = asked.settings.help
    before = _files(folder)
    for path in folder.iterdir():
        path.unlink()
    assert [run[:2] for run in refresh(asked)] == [REFRESH_HELP]
    assert _files(folder) == before
    assert refresh(asked) == []


def test_a_persons_decision_makes_the_briefs_behind(asked: Home) -> None:
    [learning] = [row["id"] for row in learnings(open_home()) if row["campaign"] == "reading"]
    brief = asked.settings.sync / "rig-b" / "run-3" / "briefs" / "lane-1.md"
    assert "Found out on rig-b." in brief.read_text()
    actions.drop(open_home(), learning, by="olga")
    assert refresh(asked, campaigns=["speed-up"]) == []
    assert [run[:2] for run in refresh(asked)] == [REFRESH_HELP, ["sync_campaign", "reading"]]
    assert "Found out on rig-b." not in brief.read_text()
    assert refresh(asked) == []


def test_a_refresh_of_a_campaign_shows_a_decision_too(asked: Home) -> None:
    """A run for help alone comes only where it is all that is behind."""
    actions.resolve(open_home(), "run-2", by="olga")
    tell(asked, "rig-a", "run-1")
    assert [run[:2] for run in refresh(asked)] == [["take_reports", "rig-a"], ["refresh_campaign", "speed-up"]]
    assert refresh(asked) == []


def test_a_failing_fold_costs_no_folder_and_is_tried_by_the_next_refresh(
    asked: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> Any:
        raise ThermiteError("the disk is full")

    tell(asked, "rig-a", "run-1")
    ask(asked.rig("rig-b"), "no network", run="run-2")
    asked.rig("rig-b").send()
    with monkeypatch.context() as patch:
        patch.setattr(folding, "refresh_channels", fail)
        runs = refresh(asked)
    failed, good = "FAILURE", "SUCCESS"
    assert runs[2:] == [["refresh_campaign", "reading", failed], ["refresh_campaign", "speed-up", failed]]
    assert len(help_requests(open_home())) == 2
    assert refresh(asked) == [["refresh_campaign", "reading", good]]
    assert len(help_requests(open_home())) == 3
    assert refresh(asked) == []


def test_hl_20_a_rebuild_brings_no_old_request_back(asked: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = asked.settings.help
    before = _files(folder)
    for path in folder.iterdir():
        path.write_bytes(b"")
    assert {run.status for run in dagster_runs.rebuild(open_home(), ["reading", "speed-up"])} == {"SUCCESS"}
    assert _files(folder) == before
    later = now_micros() + 92 * DAY
    for module in (publishing, help_reading):
        monkeypatch.setattr(module, "now_micros", lambda: later)
    assert {run.status for run in dagster_runs.rebuild(open_home(), None)} == {"SUCCESS"}
    kept = {name: data for name, data in before.items() if not name.startswith("help-")}
    assert _files(folder) == kept and len(kept) < len(before)


def test_a_run_that_comes_late_to_its_folder_brings_its_requests(asked: Home) -> None:
    """Of an unplaced run nothing is used; an assignment alone makes it count."""
    rig = asked.rig("rig-a")
    rig.say_run("run-9", campaign="nobody-knows-it", at=now())
    ask(rig, "no key at all", run="run-9")
    rig.send()
    refresh(asked)
    assert len(help_requests(open_home())) == 2
    ExportHome(asked).assign("run-9", "reading")
    refresh(asked)
    assert [row["campaign"] for row in help_requests(open_home()) if row["run"] == "run-9"] == ["reading"]


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}
