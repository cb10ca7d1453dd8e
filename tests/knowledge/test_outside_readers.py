"""pandas, Polars and DuckDB read folders as any analyst does: by one path, also while files are replaced."""

from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.knowledge import golden
from tests.knowledge.filing import refresh, say_golden
from tests.support.homes import Home
from thermite_pipelines.tables.schemas import ITEM_TABLES

Row = dict[str, Any]
Read = Callable[[Path, list[str]], list[Row]]


def with_pandas(folder: Path, columns: list[str]) -> list[Row]:
    import pandas

    frame = pandas.read_parquet(folder, columns=columns)
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def with_polars(folder: Path, columns: list[str]) -> list[Row]:
    import polars

    return polars.scan_parquet(folder, hive_partitioning=True).select(columns).collect().to_dicts()


def with_polars_sql(folder: Path, columns: list[str]) -> list[Row]:
    import polars

    with polars.SQLContext(items=polars.scan_parquet(folder, hive_partitioning=True)) as context:
        return context.execute(f"select {', '.join(columns)} from items").collect().to_dicts()


def with_duckdb(folder: Path, columns: list[str]) -> list[Row]:
    import duckdb

    with duckdb.connect() as connection:
        query = f"select {', '.join(columns)} from read_parquet('{folder}/**/*.parquet', hive_partitioning = true)"
        return connection.sql(query).arrow().read_all().to_pylist()


def once_more(read: Read, folder: Path, columns: list[str]) -> list[Row]:
    """Polars and DuckDB open a file twice for one query, and stop with an error where it was replaced in between."""
    import duckdb
    import polars

    for _ in range(20):
        try:
            return read(folder, columns)
        except (polars.exceptions.ComputeError, duckdb.Error):
            continue
    return read(folder, columns)


READERS = pytest.mark.parametrize("read", [with_pandas, with_polars, with_polars_sql, with_duckdb])


@pytest.fixture
def two_folders(home: Home) -> Iterator[Home]:
    """Two campaigns with an item of every kind each."""
    for name, campaign in (("rig-a", "one"), ("rig-b", "two")):
        home.campaign(campaign)
        rig = home.rig(name)
        rig.ledger = golden.RUN.ledger
        say_golden(rig, golden.EVENTS, campaign=campaign)
        rig.send()
        home.intake(name)
        refresh(home, campaign)
    yield home


@READERS
def test_every_kind_is_one_table_by_one_path(two_folders: Home, read: Read) -> None:
    for kind, table in ITEM_TABLES.items():
        columns = [*table.column_names, "campaign"]
        rows = read(two_folders.lake.local(f"folders/{kind}"), columns)
        per_folder = sum(key[0] == kind for key in golden.ROWS)
        assert [list(row) for row in rows] == [columns] * (2 * per_folder)
        found = sorted((row["campaign"], row["rig"], row["item"].partition(":")[0]) for row in rows)
        assert found == sorted([("one", "rig-a", kind), ("two", "rig-b", kind)] * per_folder)


@READERS
def test_a_reader_in_a_loop_sees_whole_files_only(home: Home, read: Read) -> None:
    """Between the first read and the last, the one file is replaced many times: what a read gives is always whole."""
    home.campaign("one")
    rig = home.rig()
    rig.say_run(campaign="one")
    rig.say_note("note 0", campaign="one")
    rig.send()
    home.intake()
    refresh(home, "one")
    failures: list[BaseException] = []

    def write() -> None:
        try:
            for number in range(1, 16):
                rig.say_note(f"note {number}", campaign="one")
                rig.send()
                home.intake()
                refresh(home, "one")
        except BaseException as error:  # noqa: BLE001 - it is raised in the test's own thread
            failures.append(error)

    writer = Thread(target=write)
    folder = home.lake.local("folders/note")
    counts = [1]
    writer.start()
    while writer.is_alive():
        rows = once_more(read, folder, ["text", "n", "campaign"])
        assert sorted((row["n"], row["text"]) for row in rows) == [(n + 2, f"note {n}") for n in range(len(rows))]
        counts.append(len(rows))
        assert all(path.suffix == ".parquet" for path in folder.rglob("*") if path.is_file())
    writer.join()
    assert not failures
    assert counts == sorted(counts)
    assert len(read(folder, ["n"])) == 16
