"""Rows derived from what people said and from items, read back for sync, search and explanations.

They lie in `lake/derived/<table>/campaign=<c>/`, vouched for by control's record. What wrote them is not imported here:
readers know the tables alone.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from sqlalchemy import Connection, select

from thermite_pipelines.control.atom_models import DerivedState
from thermite_pipelines.control.db import chunks
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.synthesis_reading import SYNTHESIS_KINDS, shown_name
from thermite_pipelines.tables.derived import DERIVED_TABLES, SYNTHESIS_TABLES
from thermite_pipelines.tables.parquet import arrange, to_rows

Row = dict[str, Any]
_KIND_OF = {shown_name(table): kind for kind, table in SYNTHESIS_KINDS.items()}


@dataclass(frozen=True)
class Content:
    """What a derived table of a campaign holds now: a hash of its rows, and the days from which they age."""

    campaign: str
    table: str
    content: str
    days: tuple[str, ...]


def derived_folder(table: str, campaign: str) -> str:
    """The folder of a campaign's rows of a derived table, in the lake."""
    return f"derived/{table}/campaign={campaign}"


def derived_scope(campaign: str, table: str) -> str:
    """Whose lease guards the files of a derived table, and under which scope control vouches for them."""
    return f"{'synthesis' if table in SYNTHESIS_TABLES else 'atoms'}:{campaign}"


def session_file(campaign: str, session: str) -> str:
    """The path in the lake of the messages of one session."""
    name = hashlib.sha256(session.encode()).hexdigest()[:16]
    return f"{derived_folder('messages', campaign)}/{name}.parquet"


def contents(connection: Connection, campaigns: Iterable[str]) -> dict[tuple[str, str], Content]:
    """What the derived tables of some campaigns hold, by campaign and table; those without rows are left out."""
    return {
        (row.campaign, row.name): Content(row.campaign, row.name, row.content, tuple(row.days))
        for batch in chunks(campaigns)
        for row in connection.execute(
            select(DerivedState).where(DerivedState.campaign.in_(batch), DerivedState.rows > 0)
        )
    }


def shown_counts(connection: Connection, campaigns: Iterable[str]) -> dict[str, dict[str, int]]:
    """How many syntheses, methodologies and predictions live, by campaign and kind; kinds without any are left out."""
    found: dict[str, dict[str, int]] = {}
    for batch in chunks(campaigns):
        query = select(DerivedState.campaign, DerivedState.name, DerivedState.rows).where(
            DerivedState.campaign.in_(batch), DerivedState.name.in_(list(_KIND_OF)), DerivedState.rows > 0
        )
        for row in connection.execute(query):
            found.setdefault(row.campaign, {})[_KIND_OF[row.name]] = row.rows
    return {name: {kind: kinds[kind] for kind in SYNTHESIS_KINDS if kind in kinds} for name, kinds in found.items()}


class DerivedReader:
    """Reads derived tables of campaigns. What was not written yet is empty; raises `DamagedFile` as `LakeFiles`."""

    def __init__(self, home: Home) -> None:
        self._control = home.control
        self._lake = home.lake

    def table(self, campaign: str, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """All rows of a derived table of a campaign, sorted as the table is, or some of their columns."""
        parts = list(self._parts(campaign, table))
        schema = DERIVED_TABLES[table].schema
        whole = arrange(DERIVED_TABLES[table], pa.concat_tables(parts) if parts else schema.empty_table())
        return whole if columns is None else whole.select(list(columns))

    def rows(self, campaign: str, table: str, columns: Sequence[str] | None = None) -> list[Row]:
        """The same as dicts, times as whole microseconds."""
        return to_rows(self.table(campaign, table, columns))

    def messages(self, campaign: str, session: str) -> list[Row]:
        """What people typed in one session, in order: the rows of the table `messages`."""
        table = DERIVED_TABLES["messages"]
        files = LakeFiles(self._control, self._lake, derived_scope(campaign, "messages"))
        # The files of other sessions are looked into only where this one has none of its own.
        own = files.load(session_file(campaign, session), table)
        parts = self._parts(campaign, "messages") if own is None else [own]
        rows = [row for part in parts for row in to_rows(part) if row["session"] == session]
        return sorted(rows, key=lambda row: row["place"])

    def _parts(self, campaign: str, table: str) -> Iterator[pa.Table]:
        scope = derived_scope(campaign, table)
        files = LakeFiles(self._control, self._lake, scope)
        prefix = f"{derived_folder(table, campaign)}/"
        with self._control.read() as connection:
            query = select(LakeFile).where(LakeFile.scope == scope, LakeFile.rows > 0)
            known = list(connection.execute(query.order_by(LakeFile.path)))
        for row in known:
            if row.path.startswith(prefix):
                part = files.load(row.path, DERIVED_TABLES[table], row)
                if part is not None:
                    yield part
