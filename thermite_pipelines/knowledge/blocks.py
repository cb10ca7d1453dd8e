"""The files that hold the items of one run in a folder, while events are folded into them.

Block = number of the item's first event // 10,000. A block is loaded when an item of it is touched; touched items lie
over the Arrow rows of the file until the block is staged.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.knowledge.items import Row, RunId
from thermite_pipelines.tables.parquet import arrange, to_rows
from thermite_pipelines.tables.schemas import ITEM_TABLES

BLOCK = 10_000
"""Event numbers a file."""


def folder_path(kind: str, campaign: str) -> str:
    """The folder of a campaign's items of one kind, in the lake."""
    return f"folders/{kind}/campaign={campaign}"


def run_prefix(rig: str, ledger: str, run: str) -> str:
    """How the names of a run's files begin: the rig, and a hash that tells its runs apart on every file system."""
    return f"{rig}-{hashlib.sha256(f'{ledger}/{run}'.encode()).hexdigest()[:16]}"


def block_path(kind: str, campaign: str, prefix: str, block: int) -> str:
    """The path in the lake of one block of a run's items."""
    return f"{folder_path(kind, campaign)}/{prefix}-{block:06d}.parquet"


@dataclass
class Block:
    """Rows of one file: those read, and those changed since by item id."""

    stored: pa.Table | None
    changed: dict[str, Row] = field(default_factory=dict)
    _places: dict[str, int] | None = None

    def find(self, item: str) -> Row | None:
        """The row of an item, which the caller may change in place."""
        row = self.changed.get(item)
        if row is None and self.stored is not None:
            place = self._place(self.stored, item)
            if place is not None:
                row = self.changed[item] = to_rows(self.stored.slice(place, 1))[0]
        return row

    def text(self, item: str) -> str | None:
        """The text of an item, which stays unchanged; None where there is none."""
        row = self.changed.get(item)
        if row is not None:
            return row["text"]
        place = None if self.stored is None else self._place(self.stored, item)
        return None if self.stored is None or place is None else self.stored["text"][place].as_py()

    def _place(self, stored: pa.Table, item: str) -> int | None:
        if self._places is None:
            self._places = {name: place for place, name in enumerate(stored["item"].to_pylist())}
        return self._places.get(item)

    def rows(self, kind: str) -> pa.Table:
        """All rows as one table."""
        fresh = arrange(ITEM_TABLES[kind], list(self.changed.values()))
        if self.stored is None:
            return fresh
        kept = pa.array([item not in self.changed for item in self.stored["item"].to_pylist()], pa.bool_())
        return pa.concat_tables([self.stored.filter(kept), fresh])


class RunBlocks:
    """All blocks of one run in one campaign's folder. `anew`: the files that are there are not read."""

    def __init__(self, files: LakeFiles, campaign: str, run: RunId, run_key: int, *, anew: bool = False) -> None:
        self.anew = anew
        self._files = files
        self._campaign = campaign
        self._prefix = run_prefix(run.rig, run.ledger, run.run)
        self._run_key = run_key
        self._blocks: dict[tuple[str, int], Block] = {}
        self._staged: set[str] = set()

    def block(self, kind: str, n: int) -> Block:
        """The block that holds the item of a kind whose first event has number `n`. Raises `DamagedFile`."""
        key = (kind, n // BLOCK)
        found = self._blocks.get(key)
        if found is None:
            path = self._path(*key)
            is_there = not self.anew or path in self._staged
            found = self._blocks[key] = Block(self._files.load(path, ITEM_TABLES[kind]) if is_there else None)
        return found

    @property
    def changed(self) -> int:
        """How many rows are changed and not staged yet."""
        return sum(len(block.changed) for block in self._blocks.values())

    def changed_rows(self) -> Iterator[tuple[str, Row]]:
        """Kind and row of each item changed so far."""
        for (kind, _), block in sorted(self._blocks.items()):
            for row in block.changed.values():
                yield kind, row

    def stage(self) -> int:
        """Stage all changed blocks and let go of them; return how many rows were changed."""
        changed = self.changed
        for (kind, number), block in sorted(self._blocks.items()):
            if block.changed:
                path = self._path(kind, number)
                self._files.stage(path, ITEM_TABLES[kind], block.rows(kind), self._run_key)
                self._staged.add(path)
        self._blocks.clear()
        return changed

    def _path(self, kind: str, number: int) -> str:
        return block_path(kind, self._campaign, self._prefix, number)
