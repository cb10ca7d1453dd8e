"""What language models were asked and what it cost: rows of control's record, mirrored as a table for analysts.

A call's row is written when its answer came, so no cost is lost; the table follows at the end of the run that asked.
"""

from typing import Any

from sqlalchemy import Connection, func, insert, select

from thermite_pipelines.control.atom_models import DerivedState, ModelCall
from thermite_pipelines.control.db import Control, upsert
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.leases import lease
from thermite_pipelines.control.models import LakeFile, core_table
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.tables.derived import MODEL_CALLS
from thermite_pipelines.times import now_micros

BLOCK = 10_000
"""Call numbers a file: numbers count over all campaigns."""
_NAME = MODEL_CALLS.name


def record_call(control: Control, **values: Any) -> None:
    """Write down one question: the columns of `ModelCall` but its number."""
    with control.write() as connection:
        connection.execute(insert(core_table(ModelCall)).values(values))


def call_path(campaign: str, block: int) -> str:
    """Where a block of a campaign's calls lies in the lake."""
    return f"derived/{_NAME}/campaign={campaign}/{block:06d}.parquet"


def write_model_calls(home: Home, campaign: str) -> int:
    """Bring the table to control's record; return the number of files written. Where one is damaged, all are.

    Raises `LeaseTaken` where another does the same right now: that one's end finds these calls too.
    """
    with lease(home.control, f"models:{campaign}"):
        files = LakeFiles(home.control, home.lake, f"models:{campaign}")
        is_damaged = bool(files.damaged()) or files.unsettled()
        with home.control.read() as connection:
            newest = _newest(connection, campaign)
            written = 0 if is_damaged else _written(connection, campaign)
            if newest == written:
                return 0
            blocks = _blocks(connection, campaign, written)
            for block, rows in blocks.items():
                files.stage(call_path(campaign, block), MODEL_CALLS, rows)
        files.publish()
        with home.control.write() as connection:
            files.confirm(connection)
            count = connection.execute(select(func.count()).where(ModelCall.campaign == campaign)).scalar_one()
            upsert(connection, DerivedState, [_state(campaign, newest, count)])
        return len(blocks)


def damaged_calls(home: Home, campaign: str) -> list[str]:
    """Files of the table that are not what was written."""
    return LakeFiles(home.control, home.lake, f"models:{campaign}").damaged()


def _newest(connection: Connection, campaign: str) -> int:
    return connection.execute(select(func.max(ModelCall.call)).where(ModelCall.campaign == campaign)).scalar() or 0


def _written(connection: Connection, campaign: str) -> int:
    same = (DerivedState.campaign == campaign) & (DerivedState.name == _NAME)
    has_files = connection.execute(select(LakeFile.path).where(LakeFile.scope == f"models:{campaign}").limit(1)).first()
    return int(connection.execute(select(DerivedState.signature).where(same)).scalar() or 0) if has_files else 0


def _blocks(connection: Connection, campaign: str, written: int) -> dict[int, list[dict[str, Any]]]:
    """The rows of each block that a call after `written` is in."""
    first = (written + 1) // BLOCK * BLOCK
    columns = [getattr(ModelCall, name) for name in MODEL_CALLS.column_names]
    query = select(*columns).where(ModelCall.campaign == campaign, ModelCall.call >= first).order_by(ModelCall.call)
    blocks: dict[int, list[dict[str, Any]]] = {}
    for row in connection.execute(query):
        blocks.setdefault(row.call // BLOCK, []).append(dict(row._mapping))
    return blocks


def _state(campaign: str, newest: int, rows: int) -> dict[str, Any]:
    return {
        "campaign": campaign,
        "name": _NAME,
        "signature": str(newest),
        "content": str(newest),
        "rows": rows,
        "days": [],
        "changed_at": now_micros(),
    }
