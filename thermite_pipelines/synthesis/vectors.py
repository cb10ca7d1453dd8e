"""Vectors of a campaign's facts, kept from session to session: what a fact says is embedded once.

They lie in a LanceDB table under `<home>/index/facts/campaign=<c>`, one row for each fact and version, of one embedding
model. The table is derived: it may be removed at any time, and is made anew where it is damaged, of another model, or
holds a version twice.
"""

import hashlib
import logging
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from thermite_pipelines.embeddings.embedder import Embedder
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.settings import Settings
from thermite_pipelines.synthesis.facts import Fact

logger = logging.getLogger(__name__)

if TYPE_CHECKING:
    from lancedb.table import Table

Matrix = NDArray[np.float32]
Progress = Callable[[int, int], None]

READERS_AT_MOST = timedelta(hours=1)
"""Older states of the table are removed: nobody reads one for longer."""
_TABLE = "vectors"
_BATCH = 1_000
_COLUMNS = ("key", "fact", "version", "said", "vector")
_PRIMARY = {b"lance-schema:unenforced-primary-key": b"true"}


@dataclass(frozen=True)
class Vectors:
    """Vectors of facts by their ids, in the order of ids: a matrix with a row for each."""

    names: tuple[str, ...]
    matrix: Matrix

    @classmethod
    def of(cls, names: Sequence[str], matrix: Matrix) -> "Vectors":
        """Of names in any order, each once."""
        order = sorted(range(len(names)), key=names.__getitem__)
        return cls(tuple(names[place] for place in order), np.asarray(matrix, np.float32)[order])

    def __len__(self) -> int:
        return len(self.names)

    def only(self, names: Iterable[str]) -> "Vectors":
        """Those of some facts; facts without a vector are left out."""
        wanted = set(names)
        rows = [row for row, name in enumerate(self.names) if name in wanted]
        return Vectors(tuple(self.names[row] for row in rows), self.matrix[rows])

    def plus(self, facts: Iterable[Fact], embedder: Embedder) -> "Vectors":
        """These and the vectors of facts that are new, embedded here and kept nowhere."""
        known = set(self.names)
        new = sorted((fact for fact in facts if fact.fact not in known), key=lambda fact: fact.fact)
        if not new:
            return self
        return Vectors.of(
            [*self.names, *(fact.fact for fact in new)], np.concatenate([self.matrix, _embed(new, embedder)])
        )


def vectors_folder(settings: Settings, campaign: str) -> Path:
    """Where the vectors of a campaign's facts are kept."""
    return settings.home / "index" / "facts" / f"campaign={campaign}"


class FactVectors:
    """The kept vectors of one campaign's facts. There is one writer: the caller holds the lease `synthesis:<c>`."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._folder = folder
        self._embedder = embedder

    def refresh(self, facts: Iterable[Fact], progress: Progress | None = None) -> Vectors:
        """The vectors of exactly these facts. Versions that are new are embedded, those that left are dropped.

        A new version that says the same (another confidence, another tag) takes the vector of the one before. What was
        embedded is kept batch by batch: after a kill it goes on from there. Raises `ThermiteError` where a fact comes
        twice, where the embedder gives no vectors, or where the table does not hold what was written.
        """
        wanted = {_key(fact): fact for fact in sorted(facts, key=lambda fact: fact.fact)}
        if len({fact.fact for fact in wanted.values()}) < len(wanted):
            raise ThermiteError("a fact comes in two versions", where=str(self._folder))
        table = self._open()
        held = _read(table, ["key", "said"])
        new = [fact for key, fact in wanted.items() if key not in held]
        gone = sorted(held.keys() - wanted.keys())
        if new:
            self._add(table, new, {said: key for key, said in sorted(held.items())}, progress)
        for first in range(0, len(gone), _BATCH):
            table.delete(f"key IN ({', '.join(map(_quoted, gone[first : first + _BATCH]))})")
        if new or gone:
            table.optimize(cleanup_older_than=READERS_AT_MOST)
        return self._vectors(table, list(wanted))

    def keep(self, facts: Sequence[Fact], matrix: Matrix) -> None:
        """Keep vectors, a row for each fact, beside those that are kept; `refresh` drops what has left meanwhile."""
        self._put(self._open(), facts, [_said(fact) for fact in facts], matrix)

    def known(self, facts: Iterable[Fact]) -> Vectors:
        """The vectors of these facts without writing any: those that are kept, the others made here.

        For who only looks, beside whoever writes.
        """
        ordered = sorted(facts, key=lambda fact: fact.fact)
        kept: dict[str, Any] = {}
        if self._folder.is_dir():
            try:
                table = self._connect().open_table(_TABLE)
                if table.schema.equals(self._schema(), check_metadata=True):
                    kept = _read(table, ["said", "vector"])
            except Exception as error:  # noqa: BLE001 - LanceDB has no errors of its own
                logger.warning("the vectors in %s are not read: %s", self._folder, type(error).__name__)
        held = [fact for fact in ordered if _said(fact) in kept]
        rows = [np.asarray(kept[_said(fact)], np.float32) for fact in held]
        matrix = np.stack(rows) if rows else np.zeros((0, self._embedder.dimension), np.float32)
        return Vectors.of([fact.fact for fact in held], matrix).plus(ordered, self._embedder)

    def _open(self) -> "Table":
        """The table, made anew where it can't be used."""
        if self._folder.is_dir():
            try:
                table = self._connect().open_table(_TABLE)
                if table.schema.equals(self._schema(), check_metadata=True) and _is_unique(table):
                    return table
                why = "another model's, or a version stands there twice"
            except Exception as error:  # noqa: BLE001 - LanceDB has no errors of its own
                why = type(error).__name__
            logger.warning("the vectors in %s are made anew: %s", self._folder, why)
            shutil.rmtree(self._folder, ignore_errors=True)
        return self._connect().create_table(_TABLE, schema=self._schema())

    def _connect(self) -> Any:
        import lancedb

        self._folder.mkdir(parents=True, exist_ok=True)
        return lancedb.connect(self._folder)

    def _schema(self) -> pa.Schema:
        vector = pa.list_(pa.float32(), self._embedder.dimension)
        fields = [pa.field("key", pa.string(), nullable=False, metadata=_PRIMARY)]
        fields += [pa.field(name, pa.string()) for name in _COLUMNS[1:-1]]
        return pa.schema([*fields, pa.field("vector", vector)], metadata={"model": self._embedder.name})

    def _add(self, table: "Table", new: list[Fact], known: dict[str, str], progress: Progress | None) -> None:
        for first in range(0, len(new), _BATCH):
            batch = new[first : first + _BATCH]
            said = [_said(fact) for fact in batch]
            same = _read(table, ["key", "vector"], [known[one] for one in said if one in known])
            unsaid = {one: fact for one, fact in zip(said, batch, strict=True) if one not in known}
            made = dict(zip(unsaid, _embed(list(unsaid.values()), self._embedder), strict=True))
            rows = [made[one] if one in made else np.asarray(same[known[one]], np.float32) for one in said]
            self._put(table, batch, said, np.stack(rows))
            known |= {one: _key(fact) for one, fact in unsaid.items()}
            if progress is not None:
                progress(first + len(batch), len(new))

    def _put(self, table: "Table", batch: Sequence[Fact], said: list[str], matrix: Matrix) -> None:
        columns = [
            pa.array([_key(fact) for fact in batch]),
            pa.array([fact.fact for fact in batch]),
            pa.array([fact.version for fact in batch]),
            pa.array(said),
            pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel()), matrix.shape[1]),
        ]
        rows = pa.Table.from_arrays(columns, schema=table.schema)
        table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all().execute(rows)

    def _vectors(self, table: "Table", keys: list[str]) -> Vectors:
        rows = table.to_arrow().select(["key", "fact", "vector"]).combine_chunks()
        if sorted(rows["key"].to_pylist()) != sorted(keys):
            raise ThermiteError(
                "the vectors are not those of the facts", where=str(self._folder), do="remove the folder"
            )
        flat = rows["vector"].combine_chunks().flatten() if rows.num_rows else pa.array([], pa.float32())
        matrix = np.asarray(flat, np.float32).reshape(-1, self._embedder.dimension)
        return Vectors.of(rows["fact"].to_pylist(), matrix)


def _key(fact: Fact) -> str:
    return "@".join(fact.key)


def _said(fact: Fact) -> str:
    """32 hex digits over what is embedded of a fact."""
    return hashlib.sha256(f"{fact.title}\n\n{fact.body}".encode(errors="surrogatepass")).hexdigest()[:32]


def _embed(facts: list[Fact], embedder: Embedder) -> Matrix:
    if not facts:
        return np.zeros((0, embedder.dimension), np.float32)
    return embedder.documents([(fact.title, fact.body) for fact in facts])


def _is_unique(table: "Table") -> bool:
    keys = [key for batch in _batches(table, ["key"]) for key in batch["key"]]
    return len(set(keys)) == len(keys)


def _read(table: "Table", columns: list[str], keys: list[str] | None = None) -> dict[str, Any]:
    """The second of two columns by the first, of all rows or of those with some keys."""
    if keys == []:
        return {}
    batches = _batches(table, columns, keys)
    return {key: value for batch in batches for key, value in zip(*(batch[name] for name in columns), strict=True)}


def _batches(table: "Table", columns: list[str], keys: list[str] | None = None) -> Iterator[dict[str, list]]:
    query = table.search().select(columns)
    if keys is not None:
        query = query.where(f"key IN ({', '.join(map(_quoted, keys))})")
    rows = query.limit(table.count_rows() or 1).to_arrow()
    yield rows.to_pydict()


def _quoted(key: str) -> str:
    return "'" + key.replace("'", "''") + "'"
