"""Reading derived tables back."""

import pytest

from tests.support.atoms import atom_row, message_row, put_atoms, put_rows, put_session
from tests.support.homes import Home
from thermite_pipelines.control.lake_files import DamagedFile
from thermite_pipelines.knowledge.derived import DerivedReader, contents
from thermite_pipelines.knowledge.home import open_home
from thermite_pipelines.tables.derived import DERIVED_TABLES, MESSAGES


def reader(home: Home) -> DerivedReader:
    return DerivedReader(open_home(home.settings))


def test_every_table_is_empty_before_anything_was_written(home: Home) -> None:
    home.campaign("a")
    for name, table in DERIVED_TABLES.items():
        assert reader(home).table("a", name).schema.equals(table.schema)
        assert reader(home).rows("a", name) == []
    assert reader(home).messages("a", "s1") == []
    with home.control.read() as connection:
        assert contents(connection, ["a"]) == {}


def test_rows_come_back_as_they_were_put_each_in_its_campaign(any_home: Home) -> None:
    rows = {name: [atom_row(f"{name} {number} is warm", name) for number in range(3)] for name in ("a", "b")}
    for name in rows:
        any_home.campaign(name)
        put_atoms(any_home, name, *rows[name])
    for name in rows:
        assert reader(any_home).rows(name, "atoms") == sorted(rows[name], key=lambda row: row["atom"])
    assert reader(any_home).table("a", "atoms", ["atom", "type"]).column_names == ["atom", "type"]
    with any_home.control.read() as connection:
        found = contents(connection, ["a", "b", "c"])
    assert set(found) == {("a", "atoms"), ("b", "atoms")}
    assert found["a", "atoms"].content != found["b", "atoms"].content
    assert found["a", "atoms"].days == ("2026-11-20",)


def test_messages_of_a_session_are_found_in_its_file_or_in_any(home: Home) -> None:
    home.campaign("a")
    put_session(home, "a", "s1", [message_row("s1", "second", 4), message_row("s1", "first", 2)])
    put_rows(home, "a", MESSAGES, [message_row("s2", "elsewhere"), message_row("s3", "other")], "odd")
    assert [row["text"] for row in reader(home).messages("a", "s1")] == ["first", "second"]
    assert [row["text"] for row in reader(home).messages("a", "s2")] == ["elsewhere"]
    assert reader(home).messages("a", "s9") == []


def test_a_file_that_is_not_what_was_written_is_refused(home: Home) -> None:
    home.campaign("a")
    put_atoms(home, "a", atom_row("caches are warm"))
    (entry,) = home.lake.list("derived/atoms")
    home.lake.put(entry.path, b"PAR1")
    with pytest.raises(DamagedFile):
        reader(home).rows("a", "atoms")
