"""Exports: what they hold, that nothing is lost or sent twice, and that the same states give the same bytes."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.knowledge.exporting import (
    ExportHome,
    finish,
    last_versions,
    say_claim,
    say_document,
    say_experiment,
    say_report,
    say_research_note,
    say_result,
    say_source,
    tree,
)
from tests.support.homes import Home, make_home
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge import exports

ALWAYS = {"journal.jsonl", "research-notes.jsonl", "briefing.jsonl", "knowledge.jsonl"}
BRIEFED = {
    "item": "finding:rig-z/run-1/f1",
    "kind": "finding",
    "campaign": "elsewhere",
    "rig": "rig-z",
    "run": "run-1",
    "by": "planner",
    "at": "2026-11-01T00:00:00Z",
    "text": "Batching pays.",
}


@pytest.fixture
def place(home: Home) -> ExportHome:
    return ExportHome(home)


def test_kb_78_an_idle_rig_gets_an_empty_journal(place: ExportHome) -> None:
    place.rig()
    exported = place.export()
    assert (exported.rig, exported.number, exported.path) == ("rig-a", "000001", "exports/rig-a/000001")
    assert exported.files == dict.fromkeys(ALWAYS, 0)
    assert not exported.changed
    assert (place.folder(exported) / "journal.jsonl").read_bytes() == b""
    assert place.export().number == "000002"


def test_an_export_of_a_rig_that_control_does_not_know_is_refused(place: ExportHome) -> None:
    with pytest.raises(ThermiteError, match="knows no rig 'rig-x'"):
        place.export("rig-x")
    assert not place.home.settings.exports.exists()


def test_kb_85_the_manifest_says_what_each_file_holds(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    rig.say_note("one")
    place.assign("run-1", "speed-up")
    place.send()
    place.export()
    rig.say_note("two")
    rig.say_note("three")
    place.send()
    exported = place.export()
    raw = (place.folder(exported) / "manifest.json").read_bytes()
    manifest = json.loads(raw)
    assert list(manifest) == ["rig", "number", "ledgers", "placements", "files"]
    assert (manifest["rig"], manifest["number"]) == ("rig-a", "000002")
    assert manifest["ledgers"] == [{"ledger": "L1", "from_n": 3, "to_n": 4}]
    assert manifest["placements"] == [{"ledger": "L1", "run": "run-1", "campaign": "speed-up"}]
    assert exported.manifest_sha256 == hashlib.sha256(raw).hexdigest()
    files = tree(place.folder(exported))
    assert set(manifest["files"]) == set(files) - {"manifest.json"} == ALWAYS
    for name, entry in manifest["files"].items():
        assert entry == {"rows": files[name].count(b"\n"), "sha256": hashlib.sha256(files[name]).hexdigest()}
        assert exported.files[name] == entry["rows"]


def test_a_line_is_the_item_with_its_columns_campaign_and_kind(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    rig.say_note("Wärme 🌡 zählt\nhier")
    place.assign("run-1", "speed-up")
    place.send()
    exported = place.export()
    (line,) = place.lines(exported, "journal.jsonl")
    assert line == {
        "item": "note:rig-a/run-1/note-2",
        "rig": "rig-a",
        "ledger": "L1",
        "run": "run-1",
        "written_by": "lane-1",
        "created_at": "2026-11-29T10:14:58.120000Z",
        "updated_at": "2026-11-29T10:14:58.120000Z",
        "n": 2,
        "updated_n": 2,
        "title": "note",
        "text": "Wärme 🌡 zählt\nhier",
        "about_kind": "run",
        "about": "run-1",
        "note_kind": "note",
        "campaign": "speed-up",
        "kind": "note",
    }
    assert list(line)[-2:] == ["campaign", "kind"]
    assert line in place.lines(exported, "knowledge.jsonl")
    assert "Wärme 🌡".encode() in (place.folder(exported) / "journal.jsonl").read_bytes()


def test_kb_79_research_notes_and_notes_go_out_once_each(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    say_source(rig)
    place.assign("run-1", "speed-up")
    for number in range(3):
        rig.say_note(f"note {number}")
        say_research_note(rig, f"r{number}")
        place.send()
        if number != 1:
            place.fold()
        place.export()
    ids = [line["item"] for line in place.all_lines("research-notes.jsonl")]
    assert ids == [f"research_note:rig-a/run-1/r{number}" for number in range(3)]
    assert [line["text"] for line in place.all_lines("journal.jsonl")] == ["note 0", "note 1", "note 2"]


def test_kb_80_the_briefing_of_each_run_goes_out_when_it_is_created(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run(data={"briefing": [BRIEFED]})
    place.assign("run-1", "speed-up")
    place.send()
    first = place.export()
    rig.say_note()
    rig.say_run("run-2", campaign="nowhere")
    place.send()
    second = place.export()
    head = {"rig": "rig-a", "ledger": "L1"}
    assert place.lines(first, "briefing.jsonl") == [
        head | {"run": "run-1", "campaign": "speed-up", "briefing": [BRIEFED]}
    ]
    assert place.lines(second, "briefing.jsonl") == [head | {"run": "run-2", "campaign": None, "briefing": []}]


def test_an_item_that_changes_goes_out_again_and_no_other(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    say_experiment(rig, "x1")
    say_experiment(rig, "x2")
    place.assign("run-1", "speed-up")
    place.send()
    place.export()
    say_result(rig, "x2", value=3, metric="ms")
    place.send()
    (line,) = place.lines(place.export(), "knowledge.jsonl")
    assert (line["item"], line["status"], line["value"]) == ("experiment:rig-a/run-1/x2", "improved", 3.0)


def test_items_of_unplaced_runs_go_out_once_they_are_placed(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run(campaign="nowhere")
    rig.say_note("while unplaced")
    place.send()
    first = place.export()
    assert place.lines(first, "knowledge.jsonl") == []
    assert [line["campaign"] for line in place.lines(first, "journal.jsonl")] == [None]
    place.assign("run-1", "speed-up")
    second = place.export()
    assert second.changed
    assert place.lines(second, "journal.jsonl") == []
    assert {line["campaign"] for line in place.lines(second, "knowledge.jsonl")} == {"speed-up"}
    assert second.files["knowledge.jsonl"] == 2


def test_a_moved_run_goes_out_whole_under_its_new_campaign(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    rig.say_note()
    place.assign("run-1", "speed-up")
    place.send()
    place.fold()
    before = place.lines(place.export(), "knowledge.jsonl")
    place.assign("run-1", "sort-fast", move=True)
    after = place.lines(place.export(), "knowledge.jsonl")
    assert after == [line | {"campaign": "sort-fast"} for line in before]
    place.fold()
    assert place.export().files["knowledge.jsonl"] == 0


def test_what_becomes_unplaced_goes_out_without_a_campaign(place: ExportHome) -> None:
    rig = place.rig()
    place.home.campaign("speed-up")
    rig.say_run()
    rig.say_note("old")
    place.send()
    place.fold()
    place.export()
    place.assign("run-2", "speed-up")  # so run-1, which only names the campaign, leaves it
    rig.say_note("new")
    place.send()
    exported = place.export()
    lines = place.lines(exported, "knowledge.jsonl")
    assert {(line["item"], line["campaign"]) for line in lines} == {
        ("run:rig-a/run-1/run-1", None),
        ("note:rig-a/run-1/note-2", None),
    }
    assert [line["text"] for line in place.lines(exported, "journal.jsonl")] == ["new"]
    place.assign("run-1", "speed-up")
    assert place.export().files["knowledge.jsonl"] == 3


def test_a_run_id_used_again_after_a_reset_is_another_run(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    say_report(rig, text="first")
    finish(rig)
    place.assign("run-1", "speed-up")
    place.send()
    place.export()
    rig.reset("L2")
    rig.say_run()
    say_report(rig, text="second")
    finish(rig)
    place.send()
    exported = place.export()
    assert (place.folder(exported) / "research/run-1~L2/report.md").read_text() == "second"
    manifest = json.loads((place.folder(exported) / "manifest.json").read_text())
    assert manifest["ledgers"] == [{"ledger": "L2", "from_n": 1, "to_n": 3}]
    assert len({line["item"] for line in place.all_lines("knowledge.jsonl")}) == 4


def test_kb_81_the_last_versions_of_all_rigs_are_the_folders(place: ExportHome) -> None:
    for name in ("rig-a", "rig-b"):
        rig = place.rig(name)
        rig.say_run()
        say_experiment(rig)
        rig.say_run("run-2", campaign="other")
        say_source(rig, run="run-2")
        place.assign("run-1", "speed-up", name)
        place.send(name)
        place.export(name)
        say_result(rig, value=1.5)
        say_claim(rig, run="run-2")
        say_document(rig, "plan.md", "one")
        say_document(rig, "plan.md", "two")
        place.send(name)
    place.assign("run-2", "other", "rig-b")
    place.fold("speed-up")
    lines = []
    for name in ("rig-a", "rig-b"):
        place.export(name)
        lines += place.all_lines("knowledge.jsonl", name)
    place.fold()
    assert last_versions(lines) == place.items()
    assert len(place.items()) == 9


_ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from(["run-1", "run-2", "run-3"])),
        st.tuples(st.just("assign"), st.sampled_from(["run-1", "run-2", "run-3"]), st.sampled_from(["speed-up", "b"])),
        st.just(("export",)),
        st.just(("fold",)),
    ),
    max_size=14,
)


@given(actions=_ACTIONS)
@settings(max_examples=12)
def test_kb_84_any_split_over_exports_gives_the_same_last_versions(
    actions: list[tuple[str, ...]], ready_record: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("split")
    home = make_home(path / "home", ready_record)
    place = ExportHome(home)
    rig = place.rig()
    home.campaign("speed-up")
    for run, campaign in (("run-1", "speed-up"), ("run-2", "nowhere"), ("run-3", "speed-up")):
        rig.say_run(run, campaign=campaign)
        say_experiment(rig, run=run)
    place.send()
    for action, *given_ in actions:
        if action == "say":
            rig.say_note(run=given_[0])
            say_result(rig, run=given_[0], value=rig.n)
            place.send()
        elif action == "assign":
            place.assign(*given_, move=True)
        elif action == "export":
            place.export()
        else:
            place.fold()
    place.export()
    place.fold()
    assert last_versions(place.all_lines("knowledge.jsonl")) == place.items()
    notes = [line["item"] for line in place.all_lines("journal.jsonl")]
    assert len(notes) == len(set(notes)) == sum(action[0] == "say" for action in actions)
    home.close()
    shutil.rmtree(path)


def test_the_same_two_states_give_the_same_bytes_folded_or_not(home: Home, tmp_path: Path) -> None:
    place = ExportHome(home)
    rig = place.rig()
    rig.say_run()
    say_experiment(rig)
    place.assign("run-1", "speed-up")
    place.send()
    place.export()
    say_result(rig, value=2)
    say_source(rig)
    finish(rig)
    place.send()
    home.close()
    shutil.copytree(home.settings.home, tmp_path / "copy")
    unfolded = tree(place.folder(place.export()))
    copy = ExportHome(Home(home.settings.model_copy(update={"home": tmp_path / "copy"})))
    copy.fold()
    assert tree(copy.folder(copy.export())) == unfolded
    assert "research/run-1/claims.jsonl" in unfolded


def test_behind_counts_runs_with_news(place: ExportHome) -> None:
    from thermite_pipelines.knowledge.home import open_home

    rig = place.rig()
    exporter = exports.Exporter(open_home(place.home.settings))
    assert exporter.behind("rig-a") == 0
    rig.say_run()
    rig.say_run("run-2")
    place.send()
    assert exporter.behind("rig-a") == 2
    place.export()
    assert exporter.behind("rig-a") == 0


def test_two_exports_follow_each_other_on_either_database(any_home: Home) -> None:
    place = ExportHome(any_home)
    rig = place.rig()
    rig.say_run()
    rig.say_note("one")
    place.assign("run-1", "speed-up")
    place.send()
    assert place.export().files["knowledge.jsonl"] == 2
    rig.say_note("two")
    place.send()
    exported = place.export()
    assert (exported.number, exported.files["knowledge.jsonl"]) == ("000002", 1)
    assert [line["text"] for line in place.all_lines("journal.jsonl")] == ["one", "two"]
