"""Reading one run's verified events back from the event table, block by block."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pyarrow as pa

from thermite_pipelines.control.db import Control
from thermite_pipelines.control.lake_files import DamagedFile, LakeFiles
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake.event_rows import BLOCK, event_path
from thermite_pipelines.knowledge.fold import FoldEvent
from thermite_pipelines.knowledge.state import RunState
from thermite_pipelines.tables.compute import pc
from thermite_pipelines.tables.lake import Lake
from thermite_pipelines.tables.schemas import EVENTS

# pyarrow makes its compute functions when it is imported, where no type checker sees them.
_compute: Any = pc
_decode = msgspec.json.Decoder().decode


def run_events(
    control: Control, lake: Lake, run: RunState, after_n: int, to_n: int | None = None
) -> Iterator[list[FoldEvent]]:
    """The verified events of a run with `after_n < n <= to_n` (default: its last), in order, one list a block.

    Raises `ThermiteError` where an event file is not what intake wrote.
    """
    last = run.last_n if to_n is None else to_n
    files = LakeFiles(control, lake, f"rig:{run.rig}")
    for block in range(max(after_n + 1, run.created_n) // BLOCK, last // BLOCK + 1):
        try:
            table = files.load(event_path("events", run.rig, run.ledger, block), EVENTS)
        except DamagedFile as error:
            # Not the folder's own file: making that anew would not help.
            raise ThermiteError(error.what, where=error.where, do="run `thermite rebuild --all`") from None
        if table is not None:
            found = _events(table, run.run, after_n, last)
            if found:
                yield found


def _events(table: pa.Table, run: str, after_n: int, last: int) -> list[FoldEvent]:
    numbers = table["n"]
    mine = _compute.and_(
        _compute.equal(table["run"], run),
        _compute.and_(_compute.greater(numbers, after_n), _compute.less_equal(numbers, last)),
    )
    rows = table.select(["n", "occurred_at", "written_by", "type", "data"]).filter(mine)
    return [
        FoldEvent(n, at, by, kind, _decode(data))
        for n, at, by, kind, data in zip(
            rows["n"].to_pylist(),
            rows["occurred_at"].cast(pa.int64()).to_pylist(),
            rows["written_by"].to_pylist(),
            rows["type"].to_pylist(),
            rows["data"].to_pylist(),
            strict=True,
        )
    ]
