"""How syntheses, methodologies and predictions are read: which rows are shown, who wrote them, what they say.

They stand in three derived tables, which keep what was taken back too; shown is what lives. A prediction is a
hypothesis that synthesis made, with what would be seen if it is so and what would prove it false: those that runs
recorded are items, and shown as such. Loading this loads no database: what writes the files of runs needs none.
"""

from typing import Any

import pyarrow as pa

from thermite_pipelines.tables.compute import pc
from thermite_pipelines.times import now_micros

Row = dict[str, Any]

SYNTHESIS_KINDS: dict[str, str] = {
    "synthesis": "syntheses",
    "methodology": "methodologies",
    "prediction": "hypotheses",
}
"""The table in which things of each kind stand."""
SHOWN_TABLES: tuple[str, ...] = tuple(SYNTHESIS_KINDS.values())
SHOWN = "shown"

# pyarrow makes its compute functions when it is imported, where no type checker sees them.
_compute: Any = pc


def shown_name(table: str) -> str:
    """The name under which control's record tells of the rows of a table that are shown."""
    return f"{table}/{SHOWN}"


def shown(table: str, rows: pa.Table) -> pa.Table:
    """The rows of one of `SHOWN_TABLES` that readers see: those that live, of hypotheses only predictions."""
    lives = _compute.and_(_compute.is_null(rows["retracted_by"]), _compute.is_null(rows["superseded_by"]))
    # What an item says has no decision behind it, and is shown as that item.
    decided = _compute.is_valid(rows["decision"])
    if table == SYNTHESIS_KINDS["prediction"]:
        decided = _compute.and_(decided, _compute.is_valid(rows["prediction"]))
    return rows.filter(_compute.and_(lives, decided))


def shown_state(campaign: str, table: str, rows: pa.Table) -> Row:
    """The row of `DerivedState` that tells how many rows of a table are shown, and what of; `rows` are all of them.

    Whoever writes the table writes it in the same transaction: readers count and compare without opening a file.
    """
    # Loaded here: with Parquet comes all that opens sockets.
    from thermite_pipelines.tables.parquet import rows_hash

    seen = shown(table, rows)
    return {
        "campaign": campaign,
        "name": shown_name(table),
        "signature": SHOWN,
        "content": rows_hash(seen),
        "rows": seen.num_rows,
        "days": [],
        "changed_at": now_micros(),
    }


def written_by(row: Row) -> str:
    """Who wrote it: the language model, else `rules` or `agent`."""
    return row["model"] or row["answered_by"] or "unknown"


def own_text(row: Row) -> str:
    """What it says, without the prediction and the falsifier that the body of a prediction ends with."""
    return row["body"].removesuffix(_ending(row)).strip()


def whole_text(row: Row) -> str:
    """All that it says, prediction and falsifier once each."""
    return f"{own_text(row)}{_ending(row)}"


def _ending(row: Row) -> str:
    parts = (("Prediction", row.get("prediction")), ("Proved false by", row.get("falsifier")))
    return "".join(f"\n\n{heading}: {words}" for heading, words in parts if words)
