"""What is derived in the folders that a run may read, for its `knowledge/`: states first, rows where they differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from thermite_pipelines.control.atom_models import Session
from thermite_pipelines.control.lake_files import DamagedFile
from thermite_pipelines.knowledge.derived import DerivedReader, contents
from thermite_pipelines.knowledge.derived_files import DERIVED_KINDS
from thermite_pipelines.knowledge.home import Home

Row = dict[str, Any]


@dataclass(frozen=True)
class Derived:
    """All that is derived of one kind in a campaign; another `state` means that a file of it may differ."""

    campaign: str
    kind: str
    state: str


def derived_in(connection: Connection, folders: list[str], now: int) -> dict[str, list[Derived]]:
    """What there is in each folder as it reads at a time, by control's record alone."""
    known = contents(connection, folders)
    found: dict[str, list[Derived]] = {folder: [] for folder in folders}
    for folder in folders:
        for kind in DERIVED_KINDS.values():
            held = known.get((folder, kind.table))
            if held is not None:
                found[folder].append(Derived(folder, kind.kind, kind.state(held.content, held.days, now)))
    return found


def is_readable(home: Home, part: Derived) -> bool:
    """Whether the table is there, whole: items are synced whatever became of what was derived."""
    try:
        DerivedReader(home).table(part.campaign, DERIVED_KINDS[part.kind].table)
    except DamagedFile:
        return False
    return True


def derived_rows(home: Home, part: Derived, rig: str, run: str, now: int) -> Iterator[Row]:
    """The rows of the files that a run sees of one kind in a campaign; what only its own sessions say is left out."""
    kind = DERIVED_KINDS[part.kind]
    query = select(Session.session).where(Session.campaign == part.campaign, Session.rig == rig, Session.run == run)
    with home.control.read() as connection:
        own = frozenset(connection.execute(query).scalars())
    for row in DerivedReader(home).rows(part.campaign, kind.table):
        shown = kind.show(row | {"campaign": part.campaign}, own, now)
        if shown is not None:
            yield shown
