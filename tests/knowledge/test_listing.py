"""Lists of folders, against the same in SQL."""

from collections import Counter
from typing import Any

import pytest
from sqlalchemy import text

from tests.knowledge.syncing import SyncHome
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.listing import folder_rows, item_rows
from thermite_pipelines.knowledge.readable import NotReadable, Reader

OWNER = Reader.owner()


@pytest.fixture
def granted(two: SyncHome) -> SyncHome:
    """Campaigns a with two runs, b with one, c with none; a reads b, and c reads both."""
    two.home.campaign("c")
    for reader, source in (("a", "b"), ("c", "a"), ("c", "b")):
        two.grant(reader, source)
    return two


def sql(place: SyncHome, query: str) -> list[Any]:
    with place.home.control.read() as connection:
        return [tuple(row) for row in connection.execute(text(query))]


def test_kb_39_each_folder_has_its_counts_runs_readers_and_what_it_reads_as_sql_has_them(granted: SyncHome) -> None:
    found = {row["campaign"]: row for row in folder_rows(granted.home.opened, OWNER)}
    assert list(found) == [name for (name,) in sql(granted, "SELECT campaign FROM campaigns ORDER BY campaign")]
    counts: dict[str, Counter[str]] = {name: Counter() for name in found}
    for scope, path, rows in sql(granted, "SELECT scope, path, rows FROM lake_files WHERE path LIKE 'folders/%'"):
        counts[scope.removeprefix("campaign:")][path.split("/")[1]] += rows
    runs = sql(granted, "SELECT campaign, rig, run FROM assignments")
    grants = sql(granted, "SELECT reader, source FROM grants")
    for name, row in found.items():
        assert row["items"] == counts[name]
        assert sorted((run["rig"], run["run"]) for run in row["runs"]) == sorted(
            run[1:] for run in runs if run[0] == name
        )
        assert row["read_by"] == sorted(reader for reader, source in grants if source == name)
        assert row["reads"] == sorted(source for reader, source in grants if reader == name)


def test_kb_41_the_list_of_one_campaign_is_of_its_folder_alone(granted: SyncHome) -> None:
    everything = folder_rows(granted.home.opened, OWNER)
    for row in everything:
        assert folder_rows(granted.home.opened, OWNER, row["campaign"]) == [row]
        items = list(item_rows(granted.home.opened, OWNER, row["campaign"]))
        assert {item["campaign"] for item in items} <= {row["campaign"]}
        assert Counter(item["kind"] for item in items) == row["items"]


def test_kb_43_lists_for_a_campaign_are_of_what_it_may_read(granted: SyncHome) -> None:
    home = granted.home.opened
    for name, readable in (("a", {"a", "b"}), ("b", {"b"}), ("c", {"a", "b", "c"})):
        reader = Reader.of(name)
        assert {row["campaign"] for row in folder_rows(home, reader)} == readable
        assert {row["campaign"] for row in item_rows(home, reader)} == readable - {"c"}
        for other in {"a", "b", "c"} - readable:
            with pytest.raises(NotReadable):
                item_rows(home, reader, other)
            with pytest.raises(NotReadable):
                folder_rows(home, reader, other)
    with pytest.raises(ThermiteError, match="no campaign 'nobody'"):
        folder_rows(home, Reader.of("nobody"))
