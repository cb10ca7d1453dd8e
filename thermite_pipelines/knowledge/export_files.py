"""The files of one export, written beside its final place and renamed to it as a whole."""

import hashlib
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from thermite_pipelines.knowledge.items import Row
from thermite_pipelines.ledger import strict_json
from thermite_pipelines.tables.lake import TEMPORARY_PREFIX, disk_error
from thermite_pipelines.tables.schemas import ITEM_TABLES, TIME
from thermite_pipelines.times import format_rfc3339

MANIFEST = "manifest.json"

_TIMES = {
    kind: tuple(column.name for column in table.columns if column.type == TIME) for kind, table in ITEM_TABLES.items()
}
_COLUMNS = {kind: (*table.column_names, "campaign", "kind") for kind, table in ITEM_TABLES.items()}


def item_document(row: Row) -> dict[str, Any]:
    """An item as exports write it: its columns in their table's order, then `campaign` and `kind`; times RFC 3339."""
    document = {name: row[name] for name in _COLUMNS[row["kind"]]}
    for name in _TIMES[row["kind"]]:
        if document[name] is not None:
            document[name] = format_rfc3339(document[name])
    return document


class _Lines:
    """One open JSONL file with its running count and hash."""

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.rows = 0
        self.digest = hashlib.sha256()

    def add(self, line: bytes) -> None:
        self.stream.write(line)
        self.digest.update(line)
        self.rows += 1


class ExportFolder:
    """A folder in the making: `exports/<rig>/.tmp-<number>` until `finish` gives it its name.

    As a context manager it leaves nothing behind where `finish` was not reached. The caller holds the rig's lease.
    """

    def __init__(self, parent: Path, number: str) -> None:
        self._parent = parent
        self._final = parent / number
        self._path = parent / f"{TEMPORARY_PREFIX}{number}"
        self._lines: dict[str, _Lines] = {}
        self._files: dict[str, dict[str, Any]] = {}

    def __enter__(self) -> "ExportFolder":
        try:
            self._parent.mkdir(parents=True, exist_ok=True)
            for leftover in self._parent.glob(f"{TEMPORARY_PREFIX}*"):
                shutil.rmtree(leftover)
            self._path.mkdir()
        except OSError as error:
            raise disk_error(self._path, error) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for lines in self._lines.values():
            lines.stream.close()
        shutil.rmtree(self._path, ignore_errors=True)

    def open_lines(self, *names: str) -> None:
        """Begin JSONL files, which exist from now on even if no line is added."""
        for name in names:
            try:
                self._lines[name] = _Lines(self._make_room(name).open("xb"))
            except OSError as error:
                raise disk_error(self._path / name, error) from error

    def add(self, name: str, *documents: dict[str, Any]) -> None:
        """Add documents, one a line, to a JSONL file that was begun."""
        lines = self._lines[name]
        try:
            for document in documents:
                lines.add(strict_json.dumps(document) + b"\n")
        except OSError as error:
            raise disk_error(self._path / name, error) from error

    def close_lines(self, names: Iterable[str]) -> None:
        """End JSONL files: their rows and hashes go into the manifest."""
        for name in names:
            lines = self._lines.pop(name)
            try:
                _sync(lines.stream)
            except OSError as error:
                raise disk_error(self._path / name, error) from error
            self._files[name] = {"rows": lines.rows, "sha256": lines.digest.hexdigest()}

    def put(self, name: str, text: str) -> None:
        """Write a text file: one row in the manifest."""
        data = text.encode()
        try:
            with self._make_room(name).open("xb") as stream:
                stream.write(data)
                _sync(stream)
        except OSError as error:
            raise disk_error(self._path / name, error) from error
        self._files[name] = {"rows": 1, "sha256": hashlib.sha256(data).hexdigest()}

    @property
    def files(self) -> dict[str, dict[str, Any]]:
        """Rows and SHA-256 of each file that is complete, by name."""
        return dict(sorted(self._files.items()))

    def finish(self, manifest: dict[str, Any]) -> str:
        """Write the manifest and give the folder its name; return the manifest's SHA-256.

        A folder of that name which no export counts (a kill came before control's record had it) is replaced.
        """
        data = strict_json.dumps(manifest) + b"\n"
        try:
            with (self._path / MANIFEST).open("xb") as stream:
                stream.write(data)
                _sync(stream)
            for folder, _, _ in os.walk(self._path):
                _sync_folder(Path(folder))
            if self._final.exists():
                self._final.rename(self._parent / f"{TEMPORARY_PREFIX}old-{self._final.name}")
            self._path.rename(self._final)
            _sync_folder(self._parent)
            shutil.rmtree(self._parent / f"{TEMPORARY_PREFIX}old-{self._final.name}", ignore_errors=True)
        except OSError as error:
            raise disk_error(self._final, error) from error
        return hashlib.sha256(data).hexdigest()

    def withdraw(self) -> None:
        """Take a finished folder back: the export did not come to count."""
        shutil.rmtree(self._final, ignore_errors=True)

    def _make_room(self, name: str) -> Path:
        path = self._path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path


def _sync(stream: BinaryIO) -> None:
    stream.flush()
    os.fsync(stream.fileno())
    stream.close()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
