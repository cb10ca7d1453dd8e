"""Whole tables: one sorted Parquet file a kind over all campaigns, for those who scan everything.

A copy of the folders with `campaign` as a column. One kind is in memory at a time, and a file is written only where its
rows changed.
"""

from collections.abc import Callable

import pyarrow as pa
from sqlalchemy import select

from thermite_pipelines.control.campaigns import campaign_names
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.leases import lease
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.items import KINDS
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.tables.parquet import arrange, rows_hash
from thermite_pipelines.tables.schemas import WHOLE_TABLES

SCOPE = "tables"
Progress = Callable[[int, int], None]


def table_path(kind: str) -> str:
    """The path in the lake of the whole table of a kind."""
    return f"tables/{kind}.parquet"


def write_tables(home: Home, progress: Progress | None = None) -> dict[str, int]:
    """Write the whole table of each kind as the folders are now; return its rows by kind.

    Takes the lease `tables`. Raises `LeaseTaken`, and `DamagedFile` where a folder's file is not what was written.
    """
    counts = {}
    with lease(home.control, SCOPE):
        for done, kind in enumerate(KINDS, 1):
            rows = whole_table(home, kind)
            _publish(home, kind, rows)
            counts[kind] = rows.num_rows
            if progress is not None:
                progress(done, len(KINDS))
        home.lake.sweep("tables")
    return counts


def whole_table(home: Home, kind: str) -> pa.Table:
    """All items of one kind in all folders, sorted, with `campaign` as the first column."""
    table = WHOLE_TABLES[kind]
    reader = FolderReader(home.control, home.lake)
    with home.control.read() as connection:
        campaigns = campaign_names(connection)
    parts = []
    for campaign in campaigns:
        rows = reader.table(campaign, kind)
        if rows.num_rows:
            names = pa.repeat(pa.scalar(campaign), rows.num_rows)
            parts.append(rows.add_column(0, table.schema.field("campaign"), names))
    return arrange(table, pa.concat_tables(parts) if parts else table.schema.empty_table())


def _publish(home: Home, kind: str, rows: pa.Table) -> None:
    files = LakeFiles(home.control, home.lake, SCOPE)
    path = table_path(kind)
    with home.control.read() as connection:
        known = connection.execute(select(LakeFile).where(LakeFile.path == path)).first()
    entry = home.lake.stat(path)
    same_file = known is not None and entry is not None and entry.version == known.version
    if same_file and known is not None and known.rows_sha256 == rows_hash(rows):
        return
    files.stage(path, WHOLE_TABLES[kind], rows)
    files.publish()
    with home.control.write() as connection:
        files.confirm(connection)
