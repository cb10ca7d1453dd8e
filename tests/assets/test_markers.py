"""Agents' words never reach Dagster: markers in every text field are nowhere below its home."""

import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.knowledge.exporting import ExportHome
from tests.knowledge.golden import EVENTS, sha256
from tests.ledger.samples import SESSION
from tests.support.homes import Home
from tests.support.pipelines import Pipelines, bytes_below, open_pipelines
from tests.support.rigs import RigSimulator
from tests.support.synthesis import methodology_row, prediction_row, put_facts, synthesis_row
from thermite_pipelines.atoms.store import AtomTables
from thermite_pipelines.knowledge.briefs import Briefer
from thermite_pipelines.knowledge.folders import FolderWriter
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.knowledge.sync import Syncer
from thermite_pipelines.learnings import actions, folding
from thermite_pipelines.synthesis.synthesis_tables import SynthesisTables
from thermite_pipelines.tables.derived import HYPOTHESES, METHODOLOGIES, SYNTHESES
from thermite_pipelines.times import format_rfc3339, now_micros

MARKER = "zzMARKERzz"
# What a person or an agent wrote; ids, kinds, hashes and times are all that may be shown.
TEXTS = {
    "title",
    "description",
    "summary",
    "reason",
    "text",
    "quote",
    "prediction",
    "falsifier",
    "evidence",
    "detail",
    "url",
    "media_type",
    "contract",
    "kit",
    "blocker",
    "metric",
    "unit",
    "commit",
}


DROPPED = [{"learning": f"d{word}", "text": f"{MARKER} {word} is slow"} for word in ("loading", "warming", "pruning")]


def marked(data: Any) -> Any:
    """The data of an event with a marker in every text."""
    if isinstance(data, list):
        return [marked(value) for value in data]
    if not isinstance(data, dict):
        return data
    made = {
        name: f"{MARKER} {value}" if name in TEXTS and isinstance(value, str) else marked(value)
        for name, value in data.items()
    }
    return made | ({"text_sha256": sha256(made["text"])} if "text_sha256" in made else {})


@pytest.fixture
def pipelines(home: Home, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipelines]:
    home.campaign("speed-up")
    rig = home.rig()
    for event in EVENTS:
        rig.say(event.type, marked(event.data), run="run-7", by=event.by)
    rig.say("session_recorded", marked(SESSION), run="run-7")
    _say_in_channels(rig)
    rig.say("journal_note", {"note": MARKER, "kind": MARKER, "text": MARKER}, run="run-7")  # rejected
    rig.say(f"{MARKER}_told", {"text": MARKER}, run="run-7")  # unknown
    rig.send()
    rig.drop(f'{{"payload": "{MARKER}"}}'.encode(), f"{MARKER}.dsse.json")
    rig.drop(rig.fork().report(schema=MARKER))
    home.rig("rig-b", register=False).drop(f'"{MARKER}"'.encode())
    for run in ("run-7", "run-8"):
        ExportHome(home).assign(run, "speed-up")
    with open_pipelines(home, monkeypatch, home.settings.dagster_home) as opened:
        yield opened


def _say_in_channels(rig: RigSimulator) -> None:
    """What agents tell people and later runs: kept, refused by screening, and rejected; and briefs that list words."""
    asked = {"agent": "worker", "blocker": "access", "summary": f"{MARKER} no key", "detail": MARKER, "fatal": True}
    told = {"agent": "worker", "impact": "low", "text": f"The loader of {MARKER} is slow."}
    at = format_rfc3339(now_micros() - 100 * 60_000_000)
    for type, data in (
        ("help_requested", asked | {"request": "q2"}),
        ("help_requested", asked | {"request": MARKER, "blocker": MARKER}),
        ("learning_proposed", told | {"learning": "l9"}),
        ("learning_proposed", told | {"learning": "l2", "text": f"See https://{MARKER}.example.org for it."}),
        ("learning_proposed", told | {"learning": "l3", "impact": MARKER}),
        ("brief_given", {"agent": "worker", "learnings": [f"{MARKER} {MARKER}"], "items": [MARKER]}),
        *(("learning_proposed", told | {"agent": "planner"} | one) for one in DROPPED),
    ):
        rig.say(type, data, run="run-7", at=at)


def _put_what_was_made(home: Home) -> None:
    """What synthesis made of it, with a marker in every text."""
    texts = dict.fromkeys(("title", "body", "model", "prompt_version"), MARKER)
    texts |= {name: [MARKER] for name in ("domain", "entities", "refs")}
    said = dict.fromkeys(("prediction", "falsifier"), MARKER)
    for table, row in (
        (SYNTHESES, synthesis_row("s", "speed-up") | texts),
        (METHODOLOGIES, methodology_row("m", "speed-up") | texts),
        (HYPOTHESES, prediction_row("p", "speed-up") | texts | said),
    ):
        put_facts(home, "speed-up", table, row)


@pytest.mark.full
def test_no_text_is_below_dagsters_home(pipelines: Pipelines, monkeypatch: pytest.MonkeyPatch) -> None:
    pipelines.done("take_reports", "rig-a")
    pipelines.done("take_unknown_reports")
    pipelines.done("refresh_campaign", "speed-up")
    pipelines.done("extract_atoms", "speed-up")
    pipelines.done("review_campaign", "speed-up")
    pipelines.done("hypothesize_campaign", "speed-up")
    assert pipelines.metadata("synthesis/pruned_facts", "speed-up")["dagster/row_count"] > 5
    pipelines.done("export_rig", "rig-a")
    settings = pipelines.home.settings
    lake = bytes_below(settings.home / "sync") + bytes_below(settings.exports)
    assert lake.count(MARKER.encode()) > 50
    assert pipelines.metadata("intake/rejected_events", "rig-a")["dagster/row_count"] == 3
    assert pipelines.metadata("help/help_requests")["fatal_open"] == 1
    assert pipelines.metadata("help/learnings")["refused"] == 1
    assert bytes_below(settings.help).count(MARKER.encode()) > 4
    assert MARKER in (settings.sync / "rig-a" / "run-8" / "briefs" / "lane-1.md").read_text()
    assert pipelines.metadata("intake/raw_reports", "rig-a")["dagster/row_count"] == 3
    _put_what_was_made(pipelines.home)
    pipelines.done("sync_campaign", "speed-up")
    made = settings.sync / "rig-a" / "run-8" / "knowledge" / "speed-up"
    for kind in ("synthesis", "methodology", "prediction"):
        assert bytes_below(made / kind).count(MARKER.encode()) > 5

    # Checks that find much: foreign files in the sync under names of titles, a note that is not as it was.
    knowledge = settings.sync / "rig-a" / "run-8" / "knowledge"
    for path in [path for path in knowledge.rglob("*.md") if MARKER.lower() in path.name][:3]:
        os.chmod(path, 0o644)
        path.write_text(MARKER)
    for folder in (knowledge, knowledge.parent / "briefs"):
        (folder / f"{MARKER}.md").write_text(MARKER)
    for one in DROPPED:
        actions.drop(open_home(), f"rig-a/run-7/{one['learning']}", by="olga")
    found_wrong = {
        one.check_name for one in pipelines.done("check_all").get_asset_check_evaluations() if not one.passed
    }
    assert {"fatal_requests_answered", "learnings_are_kept", "briefs_as_written"} <= found_wrong

    # Unexpected errors that quote what they choked on, in each group.
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(f"{MARKER}: can't read this") from ValueError(MARKER)

    monkeypatch.setattr(FolderWriter, "refresh", fail)
    assert not pipelines.run("refresh_campaign", "speed-up").success
    monkeypatch.setattr(folding, "refresh_channels", fail)
    assert not pipelines.run("refresh_campaign", "speed-up").success
    monkeypatch.setattr(Briefer, "brief_campaign", fail)
    assert not pipelines.run("sync_campaign", "speed-up").success
    monkeypatch.setattr(AtomTables, "refresh", fail)
    assert not pipelines.run("extract_atoms", "speed-up").success
    monkeypatch.setattr(SynthesisTables, "refresh", fail)
    assert not pipelines.run("review_campaign", "speed-up").success
    monkeypatch.setattr(Syncer, "sync_campaign", fail)
    assert not pipelines.run("sync_campaign", "speed-up").success

    found = bytes_below(settings.dagster_home)
    assert b"campaign_folder" in found
    assert MARKER.encode() not in found
    assert MARKER.lower().encode() not in found
