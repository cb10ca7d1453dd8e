"""The parts that a campaign's base facts are made in: one for each run and block of its folder, and one for atoms.

A part is made anew where the files that it is made from changed; of it only the facts whose sources did.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from sqlalchemy import Connection, select

from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import LakeFile
from thermite_pipelines.knowledge.blocks import folder_path
from thermite_pipelines.knowledge.derived import derived_folder, derived_scope
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.synthesis.drafts import Draft, Row
from thermite_pipelines.synthesis.fact_atoms import drafts_of_atom
from thermite_pipelines.synthesis.fact_atoms import made_from as made_from_atom
from thermite_pipelines.synthesis.fact_items import FACT_KINDS, Behind, claims_behind, drafts_of_item
from thermite_pipelines.synthesis.fact_items import made_from as made_from_item
from thermite_pipelines.synthesis.fact_targets import FORMAT
from thermite_pipelines.tables.derived import ATOMS, BASE_FACTS
from thermite_pipelines.tables.parquet import to_rows
from thermite_pipelines.tables.schemas import ITEM_TABLES

ATOM_PART = "atoms"


@dataclass
class Part:
    """One part: its name, the rows of control's record for the files it is made from, and its run's files of claims."""

    name: str
    run_key: int | None = None
    files: dict[str, Any] = field(default_factory=dict)
    claims: list[Any] = field(default_factory=list)

    @property
    def signature(self) -> str:
        """What it is made from: another signature, another part."""
        used = [*self.files.values(), *(self.claims if "finding" in self.files else ())]
        lines = sorted(f"{row.path} {row.rows_sha256} {row.next_sha256}" for row in used)
        return f"{FORMAT}:{hashlib.sha256(chr(10).join(lines).encode()).hexdigest()}"


@dataclass(frozen=True)
class Source:
    """An item or atom that may be facts: its id, what tells its state, and how to make the drafts."""

    id: str
    made_from: str
    row: Row
    kind: str
    context: Any

    def drafts(self) -> list[Draft]:
        """Its facts, without ids."""
        if self.kind == ATOMS.name:
            return drafts_of_atom(self.row, self.context)
        return drafts_of_item(self.kind, self.row, self.context)


def part_path(campaign: str, name: str) -> str:
    """Where the facts of a part lie in the lake."""
    return f"{derived_folder(BASE_FACTS.name, campaign)}/{name}.parquet"


def wanted_parts(connection: Connection, campaign: str) -> dict[str, Part]:
    """The parts that a campaign's own folder and its atoms give now, by name."""
    parts: dict[str, Part] = {}
    claims: dict[int | None, list[Any]] = defaultdict(list)
    query = select(LakeFile).where(LakeFile.rows > 0).order_by(LakeFile.path)
    folders = {folder_path(kind, campaign): kind for kind in FACT_KINDS}
    for row in connection.execute(query.where(LakeFile.scope == f"campaign:{campaign}")):
        folder, _, name = row.path.rpartition("/")
        kind = folders.get(folder)
        if kind is not None:
            part = parts.setdefault(name.removesuffix(".parquet"), Part(name.removesuffix(".parquet"), row.run_key))
            part.files[kind] = row
        if kind == "claim":
            claims[row.run_key].append(row)
    for part in parts.values():
        part.claims = claims[part.run_key]
    scope, prefix = derived_scope(campaign, ATOMS.name), f"{derived_folder(ATOMS.name, campaign)}/"
    for row in connection.execute(query.where(LakeFile.scope == scope)):
        if row.path.startswith(prefix):
            parts.setdefault(ATOM_PART, Part(ATOM_PART)).files[row.path] = row
    return parts


def sources_of(home: Home, campaign: str, part: Part) -> list[Source]:
    """What the facts of a part are made from. Raises `DamagedFile`."""
    if part.name == ATOM_PART:
        rows = _rows(home, derived_scope(campaign, ATOMS.name), part.files.values(), ATOMS)
        by_id = {row["atom"]: row for row in rows}
        pairs = [(row, by_id.get(row["superseded_by"])) for row in rows]
        return [Source(row["atom"], made_from_atom(row, after), row, ATOMS.name, after) for row, after in pairs]
    scope = f"campaign:{campaign}"
    behind: Behind = {}
    if "finding" in part.files:
        behind = claims_behind(_rows(home, scope, part.claims, ITEM_TABLES["claim"]))
    return [
        Source(row["item"], made_from_item(kind, row, behind), row, kind, behind)
        for kind, file in part.files.items()
        for row in _rows(home, scope, [file], ITEM_TABLES[kind])
    ]


def _rows(home: Home, scope: str, files: Iterable[Any], table: Any) -> list[Row]:
    reader = LakeFiles(home.control, home.lake, scope)
    loaded = [reader.load(row.path, table, row) for row in files]
    return [row for part in loaded if part is not None for row in to_rows(part)]


def unchanged(stored: pa.Table, sources: Iterable[Source]) -> tuple[pa.Table, set[str]]:
    """The stored facts of a part whose sources are as they were, and the ids of these sources."""
    now = {source.id: source.made_from for source in sources}
    names = [item or atom for item, atom in zip(stored["item"].to_pylist(), stored["atom"].to_pylist(), strict=True)]
    made = stored["made_from"].to_pylist()
    kept = [now.get(name) == state for name, state in zip(names, made, strict=True)]
    return stored.filter(pa.array(kept, pa.bool_())), {name for name, keep in zip(names, kept, strict=True) if keep}
