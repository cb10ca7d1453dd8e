"""Some facts and decisions of a campaign, by their ids, of the tables in which they stand now."""

from collections.abc import Iterable
from typing import Any

from thermite_pipelines.knowledge.columns import ColumnReader
from thermite_pipelines.knowledge.derived import derived_folder, derived_scope
from thermite_pipelines.tables.derived import BASE_FACTS, DECISIONS, FACTS, HYPOTHESES, METHODOLOGIES, SYNTHESES
from thermite_pipelines.tables.parquet import to_rows
from thermite_pipelines.tables.schemas import Table

Row = dict[str, Any]
_SEARCHED: tuple[Table, ...] = (SYNTHESES, METHODOLOGIES, HYPOTHESES, FACTS, BASE_FACTS)
"""The small tables first. Base facts last: a fact stands there alone while no decision has been looked at with it."""
_COLUMNS = ("fact", "type", "title", "body", "depth", "item", "atom", "retracted_by", "superseded_by")
_MORE = ("retracted_as", "changed_by")
_DECISION = tuple(name for name in DECISIONS.column_names if name != "output")


class FactRows:
    """Looks facts and decisions of a campaign up, many at once; of none there is nothing to find."""

    def __init__(self, columns: ColumnReader, campaign: str | None) -> None:
        self._columns = columns
        self._campaign = campaign
        self._paths: dict[str, list[str]] = {}

    def facts(self, ids: Iterable[str]) -> dict[str, Row]:
        """Rows of facts by id, with `retracted_as` and `changed_by` also where their table has none."""
        left = set(ids)
        found: dict[str, Row] = {}
        for table in _SEARCHED:
            columns = [*_COLUMNS, *(name for name in _MORE if name in table.column_names)]
            for path in self._files(table):
                if not left:
                    return found
                for row in to_rows(self._columns.matching(path, table, "fact", sorted(left), columns)):
                    found[row["fact"]] = {"retracted_as": None, "changed_by": []} | row
                    left.discard(row["fact"])
        return found

    def decisions(self, numbers: Iterable[int], *, whole: bool = False) -> dict[int, Row]:
        """Rows of decisions by number; `whole`: with what they write."""
        wanted = sorted(set(numbers))
        columns = DECISIONS.column_names if whole else _DECISION
        paths = self._files(DECISIONS) if wanted else []
        return {
            row["number"]: row
            for path in paths
            for row in to_rows(self._columns.matching(path, DECISIONS, "number", wanted, columns))
        }

    def _files(self, table: Table) -> list[str]:
        if self._campaign is None:
            return []
        if table.name not in self._paths:
            scope = derived_scope(self._campaign, table.name)
            self._paths[table.name] = self._columns.files(scope, derived_folder(table.name, self._campaign))
        return self._paths[table.name]
