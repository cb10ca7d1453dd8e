"""What is indexed of a folder: its items, what synthesis made of them, and atoms; from which files of the lake.

Control's record says which files there are and what each holds, by a hash of its rows: so an index knows without
opening a file which of its texts are still so.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa
from sqlalchemy import Connection, select

from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.knowledge import atom_reading, synthesis_reading
from thermite_pipelines.knowledge.blocks import folder_path
from thermite_pipelines.knowledge.derived import derived_folder, derived_scope
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.index.segments import Entry
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.knowledge.synthesis_reading import SYNTHESIS_KINDS
from thermite_pipelines.tables.derived import DERIVED_TABLES
from thermite_pipelines.tables.parquet import to_rows
from thermite_pipelines.tables.schemas import ITEM_TABLES, Table

Row = dict[str, Any]

ATOM = "atom"
EMBEDDED = 1_000
"""So many characters of a text are embedded."""
_ATOMS = "atoms"
_DAY = 24 * 3600 * 1_000_000
_ITEM_COLUMNS = ["item", "rig", "run", "written_by", "created_at", "title", "text"]


class Source(NamedTuple):
    """A file of the lake whose rows are indexed: of a kind, in the scope whose lease guards it.

    `content`: the hash of its rows; None while a writer is at it. `size`: how many rows there are.
    """

    path: str
    scope: str
    kind: str
    content: str | None
    size: int

    @property
    def is_optional(self) -> bool:
        """Whether items are found whatever became of it."""
        return self.kind not in KINDS

    @property
    def table(self) -> Table:
        """The table that its rows are of."""
        if self.kind in KINDS:
            return ITEM_TABLES[self.kind]
        return DERIVED_TABLES[SYNTHESIS_KINDS.get(self.kind, _ATOMS)]


def sources(connection: Connection, campaign: str) -> list[Source]:
    """All files that a folder's texts stand in, in order of their paths."""
    kinds = {folder_path(kind, campaign): kind for kind in KINDS}
    kinds |= {derived_folder(table, campaign): kind for kind, table in SYNTHESIS_KINDS.items()}
    kinds[derived_folder(_ATOMS, campaign)] = ATOM
    scopes = {f"campaign:{campaign}", *(derived_scope(campaign, name) for name in (_ATOMS, *SYNTHESIS_KINDS.values()))}
    columns = (LakeFile.path, LakeFile.scope, LakeFile.rows_sha256, LakeFile.next_sha256, LakeFile.rows)
    query = select(*columns).where(LakeFile.scope.in_(sorted(scopes)), LakeFile.rows > 0)
    found = []
    for path, scope, content, coming, rows in connection.execute(query.order_by(LakeFile.path)):
        kind = kinds.get(path.rpartition("/")[0])
        if kind is not None:
            found.append(Source(path, scope, kind, None if coming is not None else content, rows))
    return found


def read(home: Home, source: Source) -> pa.Table:
    """The rows of a file as control's record has them now; none where it left. Raises `DamagedFile`."""
    rows = LakeFiles(home.control, home.lake, source.scope).load(source.path, source.table)
    return source.table.schema.empty_table() if rows is None else rows


def entries(source: Source, rows: pa.Table) -> Iterator[Entry]:
    """The texts of some rows of a file: of what lives and is shown."""
    return _MAKERS.get(source.kind, _items)(source, rows)


def _items(source: Source, rows: pa.Table) -> Iterator[Entry]:
    for row in to_rows(rows.select(_ITEM_COLUMNS)):
        yield _entry(source, row["item"], row, row["created_at"], row["created_at"])


def _made(source: Source, rows: pa.Table) -> Iterator[Entry]:
    """What synthesis made; what was taken back is neither found nor counted."""
    for row in to_rows(synthesis_reading.shown(SYNTHESIS_KINDS[source.kind], rows)):
        shown: Row = {"item": row["fact"], "rig": None, "run": None}
        shown |= {"written_by": synthesis_reading.written_by(row), "created_at": row["decided_at"]}
        shown |= {"title": row["title"], "text": synthesis_reading.whole_text(row)}
        yield _entry(source, row["fact"], shown, row["decided_at"], row["decided_at"])


def _atoms(source: Source, rows: pa.Table) -> Iterator[Entry]:
    """The atoms that nothing took the place of; each counts for its whole day."""
    for row in to_rows(rows):
        if atom_reading.is_shown(row):
            first = atom_reading.day_start(row["established"])
            text = _joined(row["statement"], row["verbatim_quote"])
            author = atom_reading.written_by(row)
            yield Entry(
                row["atom"], ATOM, row["rig"], row["run"], author, first, first + _DAY - 1, text, source.path, row
            )


def _entry(source: Source, id: str, row: Row, first: int, last: int) -> Entry:
    text = _joined(row["title"], row["text"])
    return Entry(id, source.kind, row["rig"], row["run"], row["written_by"], first, last, text, source.path, row)


def _joined(*parts: str | None) -> str:
    return "\n".join(part for part in parts if part)


_MAKERS: dict[str, Callable[[Source, pa.Table], Iterator[Entry]]] = {
    ATOM: _atoms,
    **dict.fromkeys(SYNTHESIS_KINDS, _made),
}


def embedded(kind: str, row: Row) -> tuple[str, str]:
    """Title and body of what a row is embedded as: what begins a text tells what it is about."""
    if kind == ATOM:
        return "", row["statement"][:EMBEDDED]
    title, text = row["title"] or "", (row["text"] or "")[:EMBEDDED]
    return ("", text) if text.startswith(title) else (title, text)


def by_path(found: Iterable[Source]) -> dict[str, Source]:
    """Sources by their paths."""
    return {source.path: source for source in found}
