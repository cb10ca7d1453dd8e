"""Exports that fail, are killed or are overtaken: no number is lost, and nothing half-done counts."""

from typing import Any

import pytest
from sqlalchemy import select, update

from tests.knowledge.exporting import ExportHome, tree
from tests.support.homes import Home
from thermite_pipelines.control.models import Export, RigState
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge import exports

ALWAYS = {"journal.jsonl", "research-notes.jsonl", "briefing.jsonl", "knowledge.jsonl"}


@pytest.fixture
def place(home: Home) -> ExportHome:
    return ExportHome(home)


def test_a_failed_export_leaves_no_number_behind(place: ExportHome, monkeypatch: pytest.MonkeyPatch) -> None:
    rig = place.rig()
    rig.say_run()
    place.send()
    with monkeypatch.context() as patched:
        patched.setattr(exports.Exporter, "_count", _fail)
        with pytest.raises(RuntimeError):
            place.export()
    with monkeypatch.context() as patched:
        patched.setattr(exports, "item_document", _fail)
        rig.say_note()
        place.send()
        with pytest.raises(RuntimeError):
            place.export()
    assert list((place.home.settings.exports / "rig-a").iterdir()) == []
    assert place.export().number == "000001"


def test_an_export_that_counts_stays_when_what_follows_fails(
    place: ExportHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.rig()
    count = exports.Exporter._count

    def count_then_fail(*arguments: Any) -> None:
        count(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(exports.Exporter, "_count", count_then_fail)
        with pytest.raises(KeyboardInterrupt):
            place.export()
    assert (place.home.settings.exports / "rig-a/000001/manifest.json").is_file()
    assert place.export().number == "000002"


def test_a_folder_that_does_not_count_is_replaced(place: ExportHome) -> None:
    rig = place.rig()
    stale = place.home.settings.exports / "rig-a/000001"
    stale.mkdir(parents=True)
    (stale / "stale.txt").write_text("from a killed export")
    (stale.parent / ".tmp-000001").mkdir()
    rig.say_run()
    place.send()
    exported = place.export()
    assert set(tree(place.folder(exported))) == ALWAYS | {"manifest.json"}
    assert [path.name for path in stale.parent.iterdir()] == ["000001"]


def test_a_record_that_moves_on_while_it_is_read_is_read_again(
    place: ExportHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = place.rig()
    rig.say_run(campaign="nowhere")
    place.send()
    fill = exports.Exporter._fill
    moves = iter(["speed-up", "sort-fast"])

    def fill_then_move(*arguments: Any) -> Any:
        placements = fill(*arguments)
        if (campaign := next(moves, None)) is not None:
            place.assign("run-1", campaign, move=True)
        return placements

    monkeypatch.setattr(exports.Exporter, "_fill", fill_then_move)
    exported = place.export()
    assert {line["campaign"] for line in place.lines(exported, "knowledge.jsonl")} == {"sort-fast"}


def test_only_the_newest_state_is_kept(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    place.send()
    place.export()
    place.export()
    with place.home.control.read() as connection:
        rows = connection.execute(select(Export.number, Export.state).order_by(Export.number)).all()
    assert [row.state for row in rows] == [{}, {"heads": {"L1": 1}, "runs": {"L1": {"run-1": [1, None, False]}}}]


def test_an_export_waits_for_a_rebuild_to_end(place: ExportHome) -> None:
    rig = place.rig()
    rig.say_run()
    place.send()
    with place.home.control.write() as connection:
        connection.execute(update(RigState).values(rebuilding=True))
    with pytest.raises(ThermiteError, match="being rebuilt"):
        place.export()


def _fail(*_: Any) -> None:
    raise RuntimeError("no")
