"""Opening control's record: connections, transactions and migrations.

SQLite (WAL) and PostgreSQL through the same SQLAlchemy code. A writing transaction takes the one write lock at its
start, so that two writers wait for each other and never fail half-way, and what one has read still holds when it
writes. A reading transaction is one consistent view.
"""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    CTE,
    BigInteger,
    Connection,
    Engine,
    Text,
    column,
    create_engine,
    event,
    insert,
    select,
    text,
    values,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError, SQLAlchemyError

from thermite_pipelines.control.models import Base, Fact, core_table
from thermite_pipelines.errors import ThermiteError

# The newest migration; a record that names a revision we do not have belongs to a newer version of this software.
HEAD_REVISION = "0008"
BUSY_SECONDS = 120
# What SQLite waits for at a commit: with FULL no loss of power takes back what was committed.
SYNCHRONOUS = "FULL"
# PostgreSQL knows no lock on a whole database: this number of an advisory lock stands for ours.
_WRITE_LOCK = 7_365_001
_MIGRATIONS = Path(__file__).parent / "migrations"


class Control:
    """Control's record behind one SQLAlchemy engine."""

    def __init__(self, url: str) -> None:
        """Open the record at an SQLAlchemy URL. Raises `ThermiteError` for a URL that makes no sense."""
        self.url = url
        try:
            self.engine = _engine(url)
        except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as error:
            raise ThermiteError(
                f"can't open control's record: {error}", where="THERMITE_CONTROL_URL", do="correct the setting"
            ) from None

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads: one consistent view."""
        with _explained(self.engine), self.engine.connect() as connection:
            if connection.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes: committed at the end, rolled back by any exception."""
        writing = self.engine.execution_options(thermite_write=True)
        with _explained(self.engine), writing.begin() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _WRITE_LOCK})
            yield connection

    def check_ready(self) -> None:
        """Raise `ThermiteError` unless the record exists and is of this software's version."""
        revision = self.revision()
        if revision is None:
            raise ThermiteError("there is no control record yet", where=self._where(), do="run `thermite init`")
        if revision > HEAD_REVISION:
            raise ThermiteError(
                f"the record has version {revision}, newer than this software's {HEAD_REVISION}",
                where=self._where(),
                do="install the newer thermite_pipelines",
            )
        if revision < HEAD_REVISION:
            raise ThermiteError(
                f"the record has version {revision}, this software needs {HEAD_REVISION}",
                where=self._where(),
                do="run `thermite init` to migrate it",
            )

    def revision(self) -> str | None:
        """The Alembic revision of the record, or None where there is none yet."""
        path = self._sqlite_path()
        if path is not None and not path.exists():
            return None
        with _explained(self.engine), self.engine.connect() as connection:
            if not connection.dialect.has_table(connection, "alembic_version"):
                return None
            return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()

    def migrate(self, lake_schema: int) -> bool:
        """Bring the record to this software's version; return whether anything changed. Safe to repeat."""
        before = self.revision()
        if before is not None and before > HEAD_REVISION:
            self.check_ready()
        path = self._sqlite_path()
        if path is not None:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise ThermiteError(f"can't make the folder: {error.strerror}", where=str(path.parent)) from None
        if before != HEAD_REVISION:
            self._upgrade()
        self._set_lake_schema(lake_schema)
        return before != HEAD_REVISION

    def _upgrade(self) -> None:
        from alembic import command
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(_MIGRATIONS))
        logging.getLogger("alembic").setLevel(logging.WARNING)
        with self.write() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def _set_lake_schema(self, number: int) -> None:
        with self.read() as connection:
            stored = connection.execute(select(Fact.value).where(Fact.name == "lake_schema")).scalar()
        if stored is None:
            with self.write() as connection:
                insert_ignoring(connection, Fact, [{"name": "lake_schema", "value": str(number)}])
        else:
            self.check_lake_schema(number)

    def check_lake_schema(self, number: int) -> None:
        """Raise `ThermiteError` where the lake's tables are of another schema number than this software's."""
        with self.read() as connection:
            stored = connection.execute(select(Fact.value).where(Fact.name == "lake_schema")).scalar()
        if stored != str(number):
            raise ThermiteError(
                f"the lake's tables have schema {stored}, this software writes {number}",
                where=self._where(),
                do="use the matching version of thermite_pipelines",
            )

    def _sqlite_path(self) -> Path | None:
        database = self.engine.url.database
        return Path(database) if self.engine.dialect.name == "sqlite" and database else None

    def _where(self) -> str:
        return self.engine.url.render_as_string(hide_password=True)


def _engine(url: str) -> Engine:
    # Parameters hold what agents wrote: they must not reach a log through an error.
    engine = create_engine(url, pool_pre_ping=not url.startswith("sqlite"), hide_parameters=True)
    if engine.dialect.name == "sqlite":
        # The driver must not begin transactions by itself: we say BEGIN IMMEDIATE where we write.
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    elif engine.dialect.name != "postgresql":
        raise ValueError(f"{engine.dialect.name} is not supported; use sqlite or postgresql")
    return engine


def _prepare_sqlite(raw: Any, _record: Any) -> None:
    raw.isolation_level = None
    cursor = raw.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("thermite_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _explained(engine: Engine) -> Iterator[None]:
    """Turn a database that can't be reached or written into one line for people."""
    try:
        yield
    except (OperationalError, DatabaseError) as error:
        if isinstance(error, OperationalError) or "not a database" in str(error.orig):
            raise ThermiteError(
                f"control's record can't be used: {error.orig}",
                where=engine.url.render_as_string(hide_password=True),
                do="check THERMITE_CONTROL_URL, the disk and its rights",
            ) from error
        raise
    except SQLAlchemyError:
        raise


def insert_many(connection: Connection, model: type[Base], names: tuple[str, ...], rows: list[tuple[Any, ...]]) -> None:
    """Insert rows given as values of these columns: for many thousands, some five times faster than by dicts."""
    if not rows:
        return
    table = core_table(model)
    compiled = insert(table).compile(dialect=connection.dialect, column_keys=list(names))
    if connection.dialect.positional:
        assert compiled.positiontup is not None
        places = [names.index(name) for name in compiled.positiontup]
        given: list[Any] = rows if places == sorted(places) else [tuple(row[i] for i in places) for row in rows]
    else:
        given = [dict(zip(names, row, strict=True)) for row in rows]
    connection.exec_driver_sql(str(compiled), given)


def insert_ignoring(connection: Connection, model: type[Base], rows: list[dict[str, Any]]) -> int:
    """Insert a few rows, leaving out those whose primary key exists; return how many were inserted."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    table = core_table(model)
    # Rows that come back are counted: not every driver counts by itself.
    statement = dialect.insert(table).on_conflict_do_nothing().returning(*table.primary_key)
    return sum(len(connection.execute(statement, row).all()) for row in rows)


def upsert(
    connection: Connection, model: type[Base], rows: list[dict[str, Any]], *, keys: tuple[str, ...] = ()
) -> None:
    """Insert rows, or replace all given columns of those whose key (default: the primary key) exists."""
    if not rows:
        return
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    table = core_table(model)
    keys = keys or tuple(column.name for column in table.primary_key)
    statement = dialect.insert(table)
    changed = {name: statement.excluded[name] for name in rows[0] if name not in keys}
    connection.execute(statement.on_conflict_do_update(index_elements=list(keys), set_=changed), rows)


def pairs_in(pairs: list[tuple[str, int]]) -> CTE:
    """Pairs of a text and a number as a table with columns `text` and `number`, to join with.

    SQLite looks up joined pairs in an index one by one, but not those of a row-value `IN`.
    """
    return values(column("text", Text), column("number", BigInteger), name="pairs").data(pairs).cte("pairs")


def chunks(values: Iterable[Any], size: int = 500) -> Iterator[list[Any]]:
    """Lists of at most `size` values: databases bound how many parameters a statement may have."""
    batch: list[Any] = []
    for value in values:
        batch.append(value)
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch
