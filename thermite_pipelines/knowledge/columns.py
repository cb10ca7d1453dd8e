"""Some columns of files that control vouches for: whoever looks for few rows in large files reads what he needs."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import pyarrow as pa
from sqlalchemy import select

from thermite_pipelines.control.db import chunks
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.tables.compute import pc
from thermite_pipelines.tables.parquet import decode
from thermite_pipelines.tables.schemas import Table

# pyarrow makes its compute functions when it is imported, where no type checker sees them.
_compute: Any = pc
_FEW = 2_000
"""Of a file with so many rows or fewer, all columns that may be wanted are read at once."""


class ColumnReader:
    """Reads columns of files, each once. It lives as long as one question: what changes meanwhile is not seen."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._rows: dict[str, Any] = {}
        self._scopes: dict[str, list[str]] = {}
        self._read: dict[tuple[str, tuple[str, ...]], pa.Table] = {}

    def files(self, scope: str, folder: str) -> list[str]:
        """The paths of the files of a folder that have rows, in order."""
        if scope not in self._scopes:
            with self._home.control.read() as connection:
                query = select(LakeFile).where(LakeFile.scope == scope, LakeFile.rows > 0).order_by(LakeFile.path)
                found = {row.path: row for row in connection.execute(query)}
            self._rows |= found
            self._scopes[scope] = list(found)
        return [path for path in self._scopes[scope] if path.startswith(f"{folder}/")]

    def expect(self, paths: Iterable[str]) -> None:
        """Look many files up in control's record at once, before they are read."""
        new = [path for path in paths if path not in self._rows]
        if not new:
            return
        with self._home.control.read() as connection:
            for batch in chunks(new):
                self._rows |= {row.path: row for row in connection.execute(_named(*batch))}

    def read(self, path: str, table: Table, columns: Sequence[str]) -> pa.Table | None:
        """Columns of a file, or None where control knows of none. Raises `DamagedFile` as `LakeFiles.load` does."""
        key = (path, tuple(columns))
        if key not in self._read:
            self.expect([path])
            row = self._rows.get(path)
            found = None if row is None else self._load(row, table, columns)
            if found is None:
                return None
            self._read[key] = found
        return self._read[key]

    def matching(self, path: str, table: Table, name: str, values: Iterable[Any], columns: Sequence[str]) -> pa.Table:
        """Columns of those rows of a file whose column `name` holds one of some values; none where there is no file."""
        self.expect([path])
        row = self._rows.get(path)
        # Most large files hold none of the rows: of these no other column is read.
        first = columns if row is not None and row.rows <= _FEW and name in columns else [name]
        names = self.read(path, table, first)
        if names is None:
            return table.schema.empty_table().select(list(columns))
        wanted = pa.array(list(values), names.schema.field(name).type)
        places = _compute.indices_nonzero(_compute.is_in(names[name], value_set=wanted))
        whole = self.read(path, table, columns) if len(places) else None
        return table.schema.empty_table().select(list(columns)) if whole is None else whole.take(places)

    def _load(self, row: Any, table: Table, columns: Sequence[str]) -> pa.Table | None:
        entry = self._home.lake.stat(row.path)
        if entry is not None and entry.version == row.version:
            # Where that fails it was replaced or damaged just now: the careful way tells which.
            with suppress(ThermiteError, OSError):
                return decode(self._home.lake.get(row.path), columns)
        whole = LakeFiles(self._home.control, self._home.lake, row.scope).load(row.path, table, row)
        return None if whole is None else whole.select(list(columns))


def _named(*paths: str) -> Any:
    return select(LakeFile).where(LakeFile.path.in_(paths))
