"""What is derived in the folders that a run may read, for its `knowledge/`: states first, rows where they differ."""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from thermite_pipelines.control.atom_models import Session
from thermite_pipelines.control.lake_files import DamagedFile
from thermite_pipelines.knowledge.derived import Content, DerivedReader, contents
from thermite_pipelines.knowledge.derived_files import DERIVED_KINDS, LINEAGE_TABLES, DerivedKind, Reader
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.said_by import LINEAGE_COLUMNS, Lineage, Own
from thermite_pipelines.knowledge.synthesis_reading import SHOWN_TABLES, shown
from thermite_pipelines.tables.parquet import to_rows

Row = dict[str, Any]

_KEPT = 4
_NOBODY = Lineage((), ())


@dataclass(frozen=True)
class Derived:
    """All that is derived of one kind in a campaign; another `state` means that a file of it may differ."""

    campaign: str
    kind: str
    state: str


def derived_in(connection: Connection, folders: list[str], now: int) -> dict[str, list[Derived]]:
    """What there is in each folder as it reads at a time, by control's record alone."""
    known: dict[str, dict[str, Content]] = {folder: {} for folder in folders}
    for (folder, name), content in contents(connection, folders).items():
        known[folder][name] = content
    return {
        folder: [
            Derived(folder, kind.kind, state)
            for kind in DERIVED_KINDS.values()
            if (state := kind.state(held, now)) is not None
        ]
        for folder, held in known.items()
    }


class DerivedFiles:
    """Reads what is derived for the files of runs, one run after another; the newest lineages are kept meanwhile."""

    def __init__(self, home: Home) -> None:
        self._control = home.control
        self._reader = DerivedReader(home)
        self._lineages: OrderedDict[tuple[str, str], Lineage] = OrderedDict()

    def is_readable(self, part: Derived) -> bool:
        """Whether all that is needed is there, whole: items are synced whatever became of what was derived."""
        kind = DERIVED_KINDS[part.kind]
        try:
            self._reader.table(part.campaign, kind.table)
            self._lineage(kind, part)
        except DamagedFile:
            return False
        return True

    def rows(self, part: Derived, rig: str, run: str, now: int) -> Iterator[Row]:
        """The rows of the files that a run sees of one kind in a campaign; what it alone said is left out.

        Raises `DamagedFile`.
        """
        kind = DERIVED_KINDS[part.kind]
        query = select(Session.session).where(Session.campaign == part.campaign, Session.rig == rig, Session.run == run)
        with self._control.read() as connection:
            own = Own(rig, run, frozenset(connection.execute(query).scalars()))
        reader = Reader(own, self._lineage(kind, part), now)
        for row in self._rows(part.campaign, kind.table):
            shown_row = kind.show(row | {"campaign": part.campaign}, reader)
            if shown_row is not None:
                yield shown_row

    def _rows(self, campaign: str, table: str) -> list[Row]:
        if table in SHOWN_TABLES:
            return to_rows(shown(table, self._reader.table(campaign, table)))
        return self._reader.rows(campaign, table)

    def _lineage(self, kind: DerivedKind, part: Derived) -> Lineage:
        """Who said what in a campaign: the same for each run, and read anew where what it is made from changed."""
        if not kind.needs_lineage:
            return _NOBODY
        key = (part.campaign, part.state)
        if key not in self._lineages:
            read = self._reader.rows
            facts = [row for table in LINEAGE_TABLES for row in read(part.campaign, table, LINEAGE_COLUMNS)]
            self._lineages[key] = Lineage(facts, read(part.campaign, "atoms", ["atom", "sessions"]))
        self._lineages.move_to_end(key)
        while len(self._lineages) > _KEPT:
            self._lineages.popitem(last=False)
        return self._lineages[key]
