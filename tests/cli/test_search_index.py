"""The search index by commands: `refresh` brings it up to date, `search` uses it, `doctor` tells of trouble."""

import shutil
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.cli.commands import Cli
from tests.cli.test_reading import fill
from tests.support.atoms import atom_row, put_atoms
from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.models import CampaignState


@pytest.fixture
def indexed(cli: Cli) -> Cli:
    """Two runs with three notes each, refreshed."""
    fill(cli)
    assert cli.json("refresh", "--no-llm")["ok"]
    return cli


def manifest(cli: Cli) -> Path:
    (found,) = cli.home.settings.home.glob("index/knowledge/campaign=speed-up/manifest.json")
    return found


def test_refresh_brings_the_index_up_to_date_and_does_nothing_twice(indexed: Cli) -> None:
    before = indexed.json("search", "note")
    assert before["results"] and all("words: note" in row["why"] for row in before["results"])
    put_atoms(indexed.home, "speed-up", atom_row("Caches of notes are warm", "speed-up"))
    runs = indexed.json("refresh", "--no-llm")["runs"]
    assert "index_campaign" in {run["job"] for run in runs}
    assert indexed.json("refresh", "--no-llm")["runs"] == []
    assert len(indexed.json("search", "caches")["atoms"]) == 1
    shutil.rmtree(manifest(indexed).parent)
    assert [run["job"] for run in indexed.json("refresh", "--no-llm")["runs"]] == ["index_campaign"]
    assert indexed.json("search", "note") == before | {"atoms": indexed.json("search", "note")["atoms"]}


def test_a_damaged_index_is_a_finding_and_a_warning_and_refresh_mends_it(indexed: Cli) -> None:
    before = indexed.json("search", "note")["results"]
    manifest(indexed).write_bytes(b"{")
    (finding,) = indexed.json("doctor", code=1)["findings"]
    assert finding["level"] == "warning" and "index of speed-up is damaged" in finding["what"]
    ended = indexed.run("search", "note")
    assert ended.code == 0 and "damaged" in ended.err
    # Without the index the meaning, and so the order, is another.
    assert {row["item"] for row in indexed.json("search", "note")["results"]} == {row["item"] for row in before}
    assert indexed.json("refresh", "--no-llm")["ok"]
    assert indexed.json("doctor")["findings"] == [] and indexed.json("search", "note")["results"] == before
    words = next(manifest(indexed).parent.glob("*.words"))
    words.write_bytes(words.read_bytes()[:-64])
    assert [run["job"] for run in indexed.json("refresh", "--no-llm")["runs"]] == ["index_campaign"]
    assert indexed.json("doctor")["findings"] == [] and indexed.json("search", "note")["results"] == before


def test_a_changed_byte_is_found_by_doctor_and_mended_by_refresh(indexed: Cli) -> None:
    before = indexed.json("search", "note")["results"]
    for looked in (True, False):
        words = next(manifest(indexed).parent.glob("*.words"))
        data = bytearray(words.read_bytes())
        data[len(data) // 2] ^= 1
        words.write_bytes(data)
        if looked:
            (finding,) = indexed.json("doctor", code=1)["findings"]
            assert "index of speed-up is damaged" in finding["what"] and words.name in finding["what"]
        assert [run["job"] for run in indexed.json("refresh", "--no-llm")["runs"]] == ["index_campaign"]
        assert indexed.json("doctor")["findings"] == [] and indexed.json("search", "note")["results"] == before


def test_an_index_that_is_behind_for_long_is_a_finding(indexed: Cli) -> None:
    shutil.rmtree(manifest(indexed).parent)
    assert indexed.json("doctor")["findings"] == []
    with indexed.home.control.write() as connection:
        connection.execute(update(CampaignState).values(refreshed_at=1))
        connection.execute(update(DerivedState).values(changed_at=1))
    (finding,) = indexed.json("doctor", code=1)["findings"]
    assert finding["level"] == "warning" and "index of 1 campaign is behind: speed-up" in finding["what"]
