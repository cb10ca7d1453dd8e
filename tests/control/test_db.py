"""Control's record: migrations, transactions and the lines that people read when it can't be used."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, select, text

from tests.support.homes import Home
from tests.support.killing import in_child
from thermite_pipelines.control import (
    atom_models,
    channel_models,
    mcp_models,
    outgoing_models,
    synthesis_models,
    token_models,
)
from thermite_pipelines.control.db import Control, chunks, insert_ignoring, insert_many, upsert
from thermite_pipelines.control.models import Base, Campaign, Fact, Lease, Record, core_table
from thermite_pipelines.errors import ThermiteError


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a record that does not exist yet."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'new' / 'control.db'}"
    return request.getfixturevalue("postgres").database()


@pytest.fixture
def control(empty_url: str) -> Iterator[Control]:
    control = Control(empty_url)
    yield control
    control.engine.dispose()


def names(control: Control) -> list[str]:
    with control.read() as connection:
        return list(connection.execute(select(Campaign.campaign).order_by(Campaign.campaign)).scalars())


def campaign(name: str) -> dict[str, object]:
    return {"campaign": name, "title": "", "added_at": 1}


class TestMigrations:
    def test_init_makes_the_record_and_again_changes_nothing(self, control: Control) -> None:
        with pytest.raises(ThermiteError, match="thermite init"):
            control.check_ready()
        assert control.revision() is None
        assert control.migrate(1)
        assert not control.migrate(1)
        control.check_ready()
        with control.read() as connection:
            assert connection.execute(select(Fact.value).where(Fact.name == "lake_schema")).scalar() == "1"

    def test_the_migrations_give_what_the_models_say(self, control: Control) -> None:
        control.migrate(1)
        with control.read() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            for model in (
                atom_models.Session,
                channel_models.ChannelEvent,
                synthesis_models.WorkItem,
                token_models.Token,
                mcp_models.McpServer,
                outgoing_models.OutgoingEvent,
            ):
                assert model.metadata is Base.metadata
            assert compare_metadata(context, Base.metadata) == []

    def test_every_table_says_whether_it_can_be_made_again(self) -> None:
        roles = {name: table.info.get("role") for name, table in Base.metadata.tables.items()}
        assert set(roles.values()) == {"source", "derived"}
        assert {name for name, role in roles.items() if role == "derived"} >= {"heads", "records", "leases"}
        assert (
            roles["receipts"]
            == roles["grants"]
            == roles["audit"]
            == roles["synthesis_decisions"]
            == roles["tokens"]
            == roles["mcp_servers"]
            == "source"
        )

    def test_a_lake_of_another_schema_is_refused(self, control: Control) -> None:
        control.migrate(1)
        with pytest.raises(ThermiteError, match="schema 1, this software writes 2"):
            control.migrate(2)

    def test_a_record_of_a_newer_version_is_refused(self, control: Control) -> None:
        control.migrate(1)
        with control.write() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        for refuse in (control.check_ready, lambda: control.migrate(1)):
            with pytest.raises(ThermiteError, match="newer than this software"):
                refuse()

    def test_two_at_once_are_as_good_as_one(self, control: Control, empty_url: str) -> None:
        control.engine.dispose()
        failures: list[Exception] = []

        def migrate() -> None:
            try:
                one = Control(empty_url)
                one.migrate(1)
                one.engine.dispose()
            except ThermiteError as error:
                failures.append(error)

        threads = [threading.Thread(target=migrate) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        control.check_ready()


class TestTransactions:
    def test_a_write_counts_whole_or_not_at_all(self, any_home: Home) -> None:
        def fail() -> None:
            with any_home.control.write() as connection:
                upsert(connection, Campaign, [campaign("a")])
                raise KeyError

        with pytest.raises(KeyError):
            fail()
        assert names(any_home.control) == []
        any_home.campaign("a")
        assert names(any_home.control) == ["a"]

    def test_a_killed_write_leaves_nothing(self, any_home: Home) -> None:
        import os
        import signal

        def work() -> None:
            with Control(any_home.settings.control).write() as connection:
                upsert(connection, Campaign, [campaign("a")])
                os.kill(os.getpid(), signal.SIGKILL)

        any_home.close()
        assert in_child(work) == -signal.SIGKILL
        assert names(any_home.control) == []
        any_home.campaign("b")

    def test_what_a_writer_has_read_still_holds_when_it_writes(self, any_home: Home) -> None:
        """Ten threads count up one number, each from what it reads: none is lost."""
        any_home.campaign("counter")

        def count() -> None:
            with any_home.control.write() as connection:
                before = connection.execute(
                    select(Campaign.added_at).where(Campaign.campaign == "counter")
                ).scalar_one()
                upsert(connection, Campaign, [campaign("counter") | {"added_at": before + 1}])

        with any_home.control.write() as connection:
            upsert(connection, Campaign, [campaign("counter") | {"added_at": 0}])
        threads = [threading.Thread(target=count) for _ in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with any_home.control.read() as connection:
            assert connection.execute(select(Campaign.added_at)).scalar_one() == 10

    def test_a_reader_sees_one_moment(self, any_home: Home) -> None:
        any_home.campaign("a")
        with any_home.control.read() as connection:
            query = select(Campaign.campaign).order_by(Campaign.campaign)
            before = connection.execute(query).scalars().all()
            any_home.campaign("b")
            assert connection.execute(query).scalars().all() == before == ["a"]
        assert names(any_home.control) == ["a", "b"]


class TestBulk:
    ROWS = [(1, "note", f"n{number}", number) for number in range(2_500)]  # noqa: RUF012

    def test_many_rows_at_once(self, any_home: Home) -> None:
        with any_home.control.write() as connection:
            insert_many(connection, Record, ("run_key", "kind", "record", "n"), self.ROWS)
            insert_many(connection, Record, ("n", "record", "kind", "run_key"), [(7, "x", "trial", 2)])
            insert_many(connection, Record, ("run_key", "kind", "record", "n"), [])
        with any_home.control.read() as connection:
            found = {tuple(row) for row in connection.execute(select(core_table(Record)))}
        assert found == {*self.ROWS, (2, "trial", "x", 7)}

    def test_upsert_replaces_the_columns_that_it_is_given(self, any_home: Home) -> None:
        rows = [campaign(f"c{number}") for number in range(1_200)]
        with any_home.control.write() as connection:
            upsert(connection, Campaign, rows)
            upsert(connection, Campaign, [row | {"title": "new"} for row in rows[:600]])
            upsert(connection, Campaign, [])
            assert insert_ignoring(connection, Campaign, [campaign("c1"), campaign("fresh")]) == 1
        with any_home.control.read() as connection:
            titles = list(connection.execute(select(Campaign.title)).scalars())
        assert (titles.count("new"), titles.count("")) == (600, 601)

    def test_chunks(self) -> None:
        assert list(chunks(range(5), 2)) == [[0, 1], [2, 3], [4]]
        assert list(chunks([], 2)) == []


class TestWhatPeopleRead:
    @pytest.mark.parametrize(
        ("url", "says"),
        [
            ("mysql://localhost/x", "control's record"),
            ("nonsense", "THERMITE_CONTROL_URL"),
            ("postgresql+nosuchdriver://localhost/x", "THERMITE_CONTROL_URL"),
        ],
    )
    def test_a_url_that_makes_no_sense(self, url: str, says: str) -> None:
        with pytest.raises(ThermiteError, match=says):
            Control(url)

    def test_a_server_that_is_not_there_and_no_password_in_the_line(self) -> None:
        control = Control("postgresql://user:geheim@127.0.0.1:9/none")
        with pytest.raises(ThermiteError, match="can't be used") as caught:
            control.check_ready()
        assert "geheim" not in str(caught.value)

    def test_a_file_that_is_no_database(self, tmp_path: Path) -> None:
        (tmp_path / "control.db").write_bytes(b"no database, but long enough to look like one" * 50)
        with pytest.raises(ThermiteError, match="can't be used"):
            Control(f"sqlite:///{tmp_path / 'control.db'}").check_ready()

    def test_looking_makes_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(ThermiteError, match="thermite init"):
            Control(f"sqlite:///{tmp_path / 'control.db'}").check_ready()
        assert list(tmp_path.iterdir()) == []


def test_both_databases_have_the_same_tables_and_indexes(postgres: object, home: Home, any_home: Home) -> None:
    first, second = inspect(home.control.engine), inspect(any_home.control.engine)
    assert sorted(first.get_table_names()) == sorted(second.get_table_names())
    for table in Base.metadata.tables:
        assert {index["name"] for index in first.get_indexes(table)} <= {
            index["name"] for index in second.get_indexes(table)
        }
    assert core_table(Lease).name == "leases"
