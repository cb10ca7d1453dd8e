"""The published schema of exports, and files that are true to it."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.knowledge.exporting import (
    ExportHome,
    finish,
    json_lines,
    say_claim,
    say_document,
    say_experiment,
    say_report,
    say_research_note,
    say_result,
    say_source,
)
from tests.support.homes import Home
from thermite_pipelines.knowledge.export_schemas import export_schemas
from thermite_pipelines.tables.schemas import ITEM_TABLES

DOCS = Path(__file__).parents[2] / "docs"


def validator(name: str) -> Any:
    schema = export_schemas() | {"$ref": f"#/$defs/{name.replace('~', '~0').replace('/', '~1')}"}
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def say_everything(place: ExportHome) -> None:
    """A run with items of all kinds."""
    rig = place.rig()
    briefed = dict.fromkeys(("item", "kind", "campaign", "rig", "run", "by", "at", "text"), "x")
    briefed["at"] = "2026-11-01T00:00:00Z"
    rig.say_run(data={"briefing": [briefed], "flags": ["--quick"], "routes": []})
    rig.say("run_started")
    say_experiment(rig)
    rig.say("trial_started", {"trial": "t1", "lane": "lane-1", "kind": "code", "runtime": "pi", "experiment": "x1"})
    rig.say("attempt_submitted", {"attempt": "a1", "trial": "t1"})
    rig.say("attempt_judged", {"attempt": "a1", "verdict": "accepted", "value": 1.25})
    say_result(rig, value=1.5, baseline=2)
    rig.say_note()
    say_source(rig)
    say_research_note(rig)
    say_claim(rig)
    say_document(rig, "plan.md")
    rig.say("hypothesis_recorded", {"hypothesis": "h1", "text": "Caches pay."})
    rig.say("finding_recorded", {"finding": "f1", "text": "They do.", "claims": ["c1"], "confidence": 0.5})
    say_report(rig)
    finish(rig)
    rig.say_run("lost", campaign="nowhere")
    rig.say_note(run="lost")
    place.assign("run-1", "speed-up")
    place.send()


def test_kb_85_every_line_is_true_to_the_published_schema(home: Home) -> None:
    place = ExportHome(home)
    say_everything(place)
    exported = place.export()
    folder = place.folder(exported)
    validator("manifest.json").validate(json.loads((folder / "manifest.json").read_text()))
    seen = set()
    for name in exported.files:
        if name.endswith(".jsonl"):
            check = validator(name.replace("research/run-1/", "research/<run>/"))
            lines = json_lines(folder / name)
            for line in lines:
                check.validate(line)
            assert lines, name
            seen |= {line["kind"] for line in lines if name == "knowledge.jsonl"}
    assert seen == set(ITEM_TABLES)


@pytest.mark.parametrize(
    "change", [{"n": "2"}, {"extra": 1}, {"campaign": "../x"}, {"kind": "idea"}, {"created_at": None}, {"text": 3}]
)
def test_the_schema_refuses_what_is_no_line(home: Home, change: dict[str, Any]) -> None:
    place = ExportHome(home)
    rig = place.rig()
    rig.say_run()
    rig.say_note()
    place.send()
    (line,) = place.lines(place.export(), "journal.jsonl")
    assert validator("journal.jsonl").is_valid(line)
    assert not validator("journal.jsonl").is_valid(line | change)
    assert not validator("knowledge.jsonl").is_valid(line | change)


def test_kb_85_the_published_schema_is_the_current_one() -> None:
    published = json.loads((DOCS / "exports.schema.json").read_text(encoding="utf-8"))
    again = "python -m thermite_pipelines.knowledge.export_schemas > docs/exports.schema.json"
    assert published == json.loads(json.dumps(export_schemas())), f"run `{again}`"


def test_the_page_on_exports_names_every_file() -> None:
    page = (DOCS / "exports.md").read_text(encoding="utf-8")
    for name in export_schemas()["$defs"]:
        if not name.startswith("item-"):
            assert f"`{name.removeprefix('research/<run>/')}`" in page
