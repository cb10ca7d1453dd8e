"""What an export has to hold: a rig as it stands, beside where its last export ended."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, literal_column, select

from thermite_pipelines.control.models import Export, Head, Receipt, RigState
from thermite_pipelines.control.rigs import rig_names
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.state import RunState, runs_of_rig

DAILY = 86_400 * 1_000_000
"""Microseconds after which news go out though no run finished."""

EXPORTED_NOTHING: dict[str, Any] = {"heads": {}, "runs": {}}


class Mark(NamedTuple):
    """How far a run was exported: its last event number, the folder it lay in, whether it had finished."""

    n: int = 0
    campaign: str | None = None
    finished: bool = False


@dataclass(frozen=True)
class RunChange:
    """A run with new events, or in another folder than at the last export."""

    run: RunState
    before: Mark

    @property
    def items_after(self) -> int | None:
        """Items that an event after this number changed go out; None: the run is in no folder and was in none.

        A run that came to another folder, or left all, goes out whole: `campaign` is content.
        """
        if self.run.campaign != self.before.campaign:
            return 0
        return None if self.run.campaign is None else self.before.n

    @property
    def has_finished(self) -> bool:
        """Whether the run finished since."""
        return self.run.finished_n is not None and not self.before.finished

    def sends(self, n: int) -> bool:
        """Whether an item whose first event is `n` goes out, given that it changed.

        Of a run that left all folders only what an earlier export sent: its newer items were never in one.
        """
        return self.run.campaign is not None or n <= self.before.n


@dataclass(frozen=True)
class RigView:
    """A rig at one moment: its runs with their placement, in the order they were accepted, and its ledgers' heads."""

    runs: tuple[RunState, ...]
    heads: Mapping[str, int]
    exported: int
    """The number of the last export, 0 where there was none."""
    before: Mapping[str, Any]
    """The state that the last export ended at."""

    def mark(self, run: RunState) -> Mark:
        """How far the last export had a run."""
        found = self.before["runs"].get(run.ledger, {}).get(run.run)
        return Mark() if found is None else Mark(*found)

    def changes(self) -> Iterator[RunChange]:
        """The runs that the next export has something to say about."""
        for run in self.runs:
            mark = self.mark(run)
            if run.last_n > mark.n or run.campaign != mark.campaign:
                yield RunChange(run, mark)

    def ledgers(self) -> list[dict[str, Any]]:
        """The ranges of event numbers that are new, by ledger, as the manifest lists them."""
        return [
            {"ledger": ledger, "from_n": before + 1, "to_n": n}
            for ledger, n in sorted(self.heads.items())
            if n > (before := self.before["heads"].get(ledger, 0))
        ]

    def state(self) -> dict[str, Any]:
        """What the next export ends at: `heads` (ledger to event number) and `runs` (ledger, run to a mark)."""
        runs: dict[str, dict[str, list[Any]]] = {}
        for run in self.runs:
            finished = self.mark(run).finished or run.finished_n is not None
            runs.setdefault(run.ledger, {})[run.run] = [run.last_n, run.campaign, finished]
        return {"heads": dict(sorted(self.heads.items())), "runs": runs}


def view_rig(connection: Connection, rig: str) -> RigView:
    """A rig as control's record has it now. Raises `ThermiteError` while its events are being rebuilt."""
    state = connection.execute(select(RigState).where(RigState.rig == rig)).first()
    if state is not None and state.rebuilding:
        raise ThermiteError("the rig's events are being rebuilt", where=rig, do="run `thermite refresh` first")
    runs = sorted(runs_of_rig(connection, rig), key=lambda run: (run.accepted_number, run.created_n))
    query = select(Export.number, Export.state).where(Export.rig == rig).order_by(Export.number.desc()).limit(1)
    last = connection.execute(query).first()
    heads = _heads(connection, rig, state.events_through if state else 0)
    return RigView(tuple(runs), heads, last.number if last else 0, last.state if last else EXPORTED_NOTHING)


def due_exports(connection: Connection, now: int) -> dict[str, str]:
    """Rigs with an export due, each with a target: a run finished since the last one, or a day went by with news.

    `now` in microseconds. A rig whose events are being rebuilt is not due.
    """
    found = {}
    for rig in rig_names(connection):
        newest = select(func.max(Export.exported_at)).where(Export.rig == rig)
        last = connection.execute(newest).scalar() or 0
        rebuilding = select(RigState.rebuilding).where(RigState.rig == rig)
        if connection.execute(rebuilding).scalar():
            continue
        view = view_rig(connection, rig)
        changes = list(view.changes())
        if any(change.has_finished for change in changes) or (changes and now - last > DAILY):
            marks = [f"{change.run.run_key}:{change.run.last_n}:{change.run.campaign}" for change in changes]
            found[rig] = hashlib.sha256(f"{view.exported} {marks}".encode()).hexdigest()[:16]
    return found


def _heads(connection: Connection, rig: str, through: int) -> dict[str, int]:
    """The last event number of each ledger among the reports whose events are written."""
    heads = {}
    for ledger in connection.execute(select(Head.ledger).where(Head.rig == rig)).scalars():
        query = (
            select(Receipt.first_n, Receipt.events)
            # As a literal: only so does SQLite see that the index of accepted reports will do.
            .where(Receipt.rig == rig, Receipt.ledger == ledger, Receipt.outcome == literal_column("'accepted'"))
            .where(Receipt.accepted_number <= through, Receipt.events > 0)
            .order_by(Receipt.seq.desc())
            .limit(1)
        )
        row = connection.execute(query).first()
        if row is not None:
            heads[ledger] = row.first_n + row.events - 1
    return heads
