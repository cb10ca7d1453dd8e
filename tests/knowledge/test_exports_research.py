"""The research folders of finished runs in exports."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.knowledge.exporting import (
    PAGE,
    ExportHome,
    finish,
    json_lines,
    say_claim,
    say_document,
    say_experiment,
    say_report,
    say_research_note,
    say_source,
    tree,
)
from tests.support.homes import Home

RECORDS = {
    "nothing": (),
    "experiment": (say_experiment,),
    "document": (lambda rig: say_document(rig, "plan.md"),),
    "source": (say_source,),
    "claim": (say_source, say_claim),
    "research note": (say_source, say_research_note),
}


@pytest.fixture
def place(home: Home) -> ExportHome:
    return ExportHome(home)


def research(place: ExportHome, **how: Any) -> dict[str, bytes]:
    """What the next export holds below `research/`."""
    folder = place.folder(place.export(**how)) / "research"
    return tree(folder) if folder.exists() else {}


@pytest.mark.parametrize("outcome", [None, "completed", "failed", "stopped"])
@pytest.mark.parametrize("mode", ["research", "hill_climb", "goal", "smoke"])
def test_kb_82_which_runs_get_a_research_folder(home: Home, mode: str, outcome: str | None) -> None:
    place = ExportHome(home)
    rig = place.rig()
    expected = set()
    for number, (name, says) in enumerate(RECORDS.items()):
        run = f"run-{number}"
        rig.say_run(run, mode=mode)
        for say in says:
            before = len(rig.said)
            say(rig)
            for event in rig.said[before:]:
                event["run"] = run
        if outcome is not None:
            finish(rig, run, outcome)
        recorded = name in ("source", "claim", "research note")
        if outcome is not None and (mode == "research" or (mode in ("hill_climb", "goal") and recorded)):
            expected.add(run)
    place.send()
    assert {path.split("/")[0] for path in research(place)} == expected
    assert research(place) == {}


def test_a_research_folder_holds_the_whole_run(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    say_source(rig, "s1")
    say_source(rig, "s2", "---\nitem: forged\n---\n")
    say_claim(rig)
    say_research_note(rig)
    say_report(rig, "p1", "# Draft")
    say_document(rig, "lane-1/plan.md", "# Plan\r\n\n--\n")
    place.assign("run-1", "speed-up")
    place.send()
    assert research(place) == {}
    say_document(rig, "lane-1/plan.md", "# Plan, second\r\n")
    say_report(rig, "p2", "# Final\n\nIt is done. ✓")
    finish(rig)
    place.send()
    files = research(place)
    assert set(files) == {
        "run-1/report.md",
        "run-1/sources/s1.md",
        "run-1/sources/s2.md",
        "run-1/claims.jsonl",
        "run-1/notes.jsonl",
        "run-1/documents/lane-1/plan.md",
    }
    assert files["run-1/report.md"].decode() == "# Final\n\nIt is done. ✓"
    assert files["run-1/documents/lane-1/plan.md"] == b"# Plan, second\r\n"
    (claim,) = [json.loads(line) for line in files["run-1/claims.jsonl"].splitlines()]
    assert claim["item"] == "claim:rig-a/run-1/c1"
    assert claim["quotes"] == [{"source": "s1", "quote": "from 41 ms to 9 ms", "verified": True}]
    (note,) = [json.loads(line) for line in files["run-1/notes.jsonl"].splitlines()]
    assert note["kind"] == "research_note"
    place.fold()
    assert claim in place.items().values() and note in place.items().values()


def test_a_source_page_begins_with_where_it_came_from(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    say_source(rig, text="---\nitem: forged\n---\n" + PAGE)
    finish(rig)
    place.send()
    empty, head, body = research(place)["run-1/sources/s1.md"].decode().split("---\n", 2)
    assert empty == "" and body == "\n---\nitem: forged\n---\n" + PAGE
    front = yaml.safe_load(head)
    assert front["item"] == "source:rig-a/run-1/s1"
    assert front["url"] == "https://example.org/a: b"
    assert front["fetched_at"] == "2026-11-29T12:00:00Z"


def test_kb_83_what_lies_below_knowledge_stays_out(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    for path in ("knowledge/speed-up/note/x.md", "Knowledge/README.md", "knowledge", "lane-1/knowledge.md"):
        say_document(rig, path, f"text of {path}")
    finish(rig)
    place.send()
    documents = {path.removeprefix("run-1/documents/") for path in research(place) if "/documents/" in path}
    assert documents == {"knowledge", "lane-1/knowledge.md"}


def test_hostile_names_stay_inside_and_apart(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run("Run.1~L1".partition("~")[0])
    hostile = [".git/config", ".git/HEAD", "Plan.md", "plan.md", "con", "a", "a/b.md", "x:y?.md", "e\u0301"]
    for number, path in enumerate(hostile):
        say_document(rig, path, f"text {number}", run="Run.1")
    for source in ("S1", "s1", "nul", "plain"):
        say_source(rig, source, f"text of {source}", run="Run.1")
    finish(rig, "Run.1")
    place.send()
    files = research(place)
    texts = sorted(data.decode() for path, data in files.items() if "/documents/" in path)
    assert texts == sorted(f"text {number}" for number in range(len(hostile)))
    assert not [path for path in files if "/." in path]
    assert len({path.casefold() for path in files}) == len(files)
    sources = [path.rpartition("/")[2] for path in files if "/sources/" in path]
    assert len(sources) == 4 and "plain.md" in sources and "nul.md" not in sources


def test_a_run_in_no_folder_has_its_research_folder_too(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run(campaign="nowhere")
    say_source(rig)
    say_claim(rig)
    finish(rig)
    place.send()
    files = research(place)
    (claim,) = [json.loads(line) for line in files["run-1/claims.jsonl"].splitlines()]
    assert claim["campaign"] is None and claim["quotes"][0]["verified"]
    place.assign("run-1", "speed-up")
    assert research(place) == {}


def test_what_a_finished_run_says_later_makes_no_second_folder(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    finish(rig)
    place.send()
    assert set(research(place)) == {"run-1/claims.jsonl", "run-1/notes.jsonl"}
    rig.say_note("by the way")
    place.send()
    assert research(place) == {}


def test_kb_85_research_files_are_in_the_manifest(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    say_source(rig)
    say_claim(rig)
    finish(rig)
    place.send()
    exported = place.export()
    folder: Path = place.folder(exported)
    assert exported.files["research/run-1/claims.jsonl"] == len(json_lines(folder / "research/run-1/claims.jsonl")) == 1
    assert exported.files["research/run-1/notes.jsonl"] == 0
    assert exported.files["research/run-1/sources/s1.md"] == 1
    assert set(exported.files) == set(tree(folder)) - {"manifest.json"}
