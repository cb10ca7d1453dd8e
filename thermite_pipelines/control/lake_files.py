"""Parquet files of the lake that control vouches for.

A file counts only with a row in control's record that holds the hash of its rows. Replacing files has three steps: the
new hashes are announced, the files are put, the hashes are confirmed in the transaction that moves the watermark. So
after a kill at any point each file is either the old one, or the announced one, and a changed or lost file is noticed
when it is read.
"""

from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from sqlalchemy import Connection, delete, select, update

from thermite_pipelines.control.db import Control, chunks, upsert
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.tables.compute import pc
from thermite_pipelines.tables.lake import Lake, LakeMissing
from thermite_pipelines.tables.parquet import Rows, arrange, decode, encode_arranged, rows_hash
from thermite_pipelines.tables.schemas import Table

# pyarrow makes its compute functions when it is imported, where no type checker sees them.
_compute: Any = pc
_MANY = 16
WRITER = f"pyarrow {pa.__version__}"


class DamagedFile(ThermiteError):
    """A file of the lake is not what control wrote: changed by hand, torn, or gone."""


@dataclass(frozen=True)
class _Staged:
    """New bytes of a file, not written yet."""

    data: bytes
    rows: int
    high_n: int
    digest: str
    run_key: int | None


class LakeFiles:
    """The files of one scope (`rig:<r>`, `campaign:<c>` or `atoms:<c>`), whose lease the caller holds."""

    def __init__(self, control: Control, lake: Lake, scope: str) -> None:
        self._control = control
        self._lake = lake
        self._scope = scope
        self._staged: dict[str, _Staged] = {}

    def load(self, path: str, table: Table, row: Any = None) -> pa.Table | None:
        """The rows of a file, staged or as control wrote it, or None where control knows of none. Raises `DamagedFile`.

        `row` is what control's record says of the file, where the caller has just read that.
        """
        staged = self._staged.get(path)
        if staged is not None:
            return decode(staged.data)
        tried = None
        while True:
            row = row or self._row(path)
            if row is None:
                return None
            try:
                return self._read(row, table)
            except DamagedFile:
                # A writer may have replaced the file between looking it up and reading it: then the row is another now.
                if row == tried:
                    raise
                tried, row = row, None

    def _row(self, path: str) -> Any:
        with self._control.read() as connection:
            return connection.execute(select(LakeFile).where(LakeFile.path == path)).first()

    def _read(self, row: Any, table: Table) -> pa.Table | None:
        """The rows of a file as its row in the record describes it."""
        path = row.path
        try:
            before = self._lake.stat(path)
            rows = decode(self._lake.get(path))
        except LakeMissing:
            if row.rows_sha256 is None:
                return None
            raise DamagedFile("the file is gone", where=path, do="rebuild it") from None
        except (ThermiteError, OSError) as error:
            raise DamagedFile(f"the file can't be read: {error}", where=path, do="rebuild it") from None
        if before is not None and before.version == row.version:
            return rows
        if not rows.schema.equals(table.schema) or rows_hash(rows) not in (row.rows_sha256, row.next_sha256):
            raise DamagedFile("the file is not what was written", where=path, do="rebuild it")
        return rows

    def stage(self, path: str, table: Table, rows: pa.Table | Rows, run_key: int | None = None) -> None:
        """Make the new bytes of a file; nothing is written before `publish`."""
        arranged = arrange(table, rows)
        numbered = next((name for name in ("updated_n", "n") if name in table.column_names), None)
        newest = _compute.max(arranged[numbered]).as_py() if numbered else 0
        self._staged[path] = _Staged(
            data=encode_arranged(table, arranged),
            rows=arranged.num_rows,
            high_n=newest or 0,
            digest=rows_hash(arranged),
            run_key=run_key,
        )

    def discard(self) -> None:
        """Let go of what is staged."""
        self._staged.clear()

    def publish(self) -> None:
        """Announce and put all staged files; `confirm` must follow in the transaction that makes them count."""
        if not self._staged:
            return
        with self._control.read() as connection:
            known = {
                row.path: row
                for batch in chunks(self._staged)
                for row in connection.execute(select(LakeFile).where(LakeFile.path.in_(batch)))
            }
        rows = []
        for path, staged in self._staged.items():
            old = known.get(path)
            rows.append(
                {
                    "path": path,
                    "scope": self._scope,
                    "run_key": staged.run_key,
                    "rows": old.rows if old else 0,
                    # Whoever reads between the two steps must not miss a row of the new file.
                    "high_n": staged.high_n,
                    "rows_sha256": self._present(old),
                    "next_sha256": staged.digest,
                    "version": old.version if old else None,
                    "writer": WRITER,
                }
            )
        with self._control.write() as connection:
            upsert(connection, LakeFile, rows)
        # Many files wait for the disk once, together.
        at_once = len(self._staged) > _MANY
        for path, staged in self._staged.items():
            self._lake.put(path, staged.data, sync=not at_once)
        if at_once:
            self._lake.sync(self._staged)

    def _present(self, row: Any) -> str | None:
        """The hash of the rows that lie in a file now. After a kill before `confirm` that may be what was announced."""
        if row is None or row.next_sha256 is None:
            return None if row is None else row.rows_sha256
        return row.next_sha256 if self._rows_agree(row.path, (row.next_sha256,)) else row.rows_sha256

    def confirm(self, connection: Connection, *, only_of_run: int | None = None) -> int:
        """Make the published files count; return how many there were.

        With `only_of_run` they are all that the run has: its other files count no longer.
        """
        if only_of_run is not None:
            self._forget_others(connection, only_of_run)
        rows = []
        for path, staged in self._staged.items():
            entry = self._lake.stat(path)
            rows.append(
                {
                    "path": path,
                    "scope": self._scope,
                    "run_key": staged.run_key,
                    "rows": staged.rows,
                    "high_n": staged.high_n,
                    "rows_sha256": staged.digest,
                    "next_sha256": None,
                    "version": entry.version if entry else None,
                    "writer": WRITER,
                }
            )
        upsert(connection, LakeFile, rows)
        self._staged.clear()
        return len(rows)

    def _forget_others(self, connection: Connection, run_key: int) -> None:
        paths = connection.execute(select(LakeFile.path).where(self._of_run(run_key))).scalars()
        for batch in chunks(path for path in paths.all() if path not in self._staged):
            connection.execute(delete(LakeFile).where(LakeFile.path.in_(batch)))

    def _of_run(self, run_key: int) -> Any:
        return (LakeFile.scope == self._scope) & (LakeFile.run_key == run_key)

    def holds(self, run_key: int) -> bool:
        """Whether files of a run count."""
        with self._control.read() as connection:
            query = select(LakeFile.path).where(self._of_run(run_key), LakeFile.rows_sha256.is_not(None)).limit(1)
            return connection.execute(query).first() is not None

    def unsettled(self) -> bool:
        """Whether files of the scope were announced and never confirmed: a kill came between."""
        with self._control.read() as connection:
            query = (
                select(LakeFile.path).where(LakeFile.scope == self._scope, LakeFile.next_sha256.is_not(None)).limit(1)
            )
            return connection.execute(query).first() is not None

    def forget(self, connection: Connection, run_key: int | None = None) -> None:
        """Stop vouching for the files of the scope, or of one run of it: the next fold starts without them."""
        statement = delete(LakeFile).where(LakeFile.scope == self._scope)
        if run_key is not None:
            statement = statement.where(LakeFile.run_key == run_key)
        connection.execute(statement)

    def known(self, run_key: int | None = None) -> dict[str, str | None]:
        """Paths and versions that control vouches for in the scope, or for one run of it."""
        query = select(LakeFile.path, LakeFile.version).where(LakeFile.scope == self._scope)
        if run_key is not None:
            query = query.where(LakeFile.run_key == run_key)
        with self._control.read() as connection:
            return {row.path: row.version for row in connection.execute(query)}

    def run_keys(self, paths: list[str]) -> set[int]:
        """The runs that files of the scope belong to."""
        with self._control.read() as connection:
            return {
                row.run_key
                for batch in chunks(paths)
                for row in connection.execute(select(LakeFile.run_key).where(LakeFile.path.in_(batch)))
                if row.run_key is not None
            }

    def damaged(self, *, thorough: bool = False) -> list[str]:
        """Paths of the scope whose files are not what control wrote: by size and time, and by rows where those differ.

        With `thorough` every file is read and its rows are hashed. A file that is only newer (copied, restored) is
        remembered as it is, so that it is hashed once; one that hides its change is remembered as unknown, so that from
        then on every look finds it.
        """
        with self._control.read() as connection:
            rows = list(
                connection.execute(select(LakeFile).where(LakeFile.scope == self._scope).order_by(LakeFile.path))
            )
        found = []
        for row in rows:
            if row.rows_sha256 is None:
                continue
            entry = self._lake.stat(row.path)
            if entry is not None and entry.version == row.version and not thorough:
                continue
            if entry is None or not self._rows_agree(row.path, (row.rows_sha256, row.next_sha256)):
                found.append(row.path)
                if entry is not None and entry.version == row.version:
                    self._remember(row, None)
            elif entry.version != row.version and row.next_sha256 is None:
                self._remember(row, entry.version)
        return found

    def _remember(self, row: Any, version: str | None) -> None:
        same = (LakeFile.path == row.path) & (LakeFile.version == row.version)
        with self._control.write() as connection:
            connection.execute(update(LakeFile).where(same, LakeFile.next_sha256.is_(None)).values(version=version))

    def _rows_agree(self, path: str, hashes: tuple[str | None, ...]) -> bool:
        try:
            return rows_hash(decode(self._lake.get(path))) in hashes
        except (ThermiteError, OSError):
            return False
