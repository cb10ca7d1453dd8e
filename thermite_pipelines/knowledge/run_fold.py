"""Folding the new events of one run into the files of its items."""

from collections.abc import Callable, Iterator

from sqlalchemy import select

from thermite_pipelines.control.db import Control, chunks
from thermite_pipelines.control.lake_files import LakeFiles
from thermite_pipelines.control.models import Record
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.blocks import RunBlocks
from thermite_pipelines.knowledge.fold import FoldEvent, change_item, open_item, opens, target
from thermite_pipelines.knowledge.items import Row, item_id
from thermite_pipelines.knowledge.quotes import Archive
from thermite_pipelines.knowledge.run_events import run_events
from thermite_pipelines.knowledge.state import Mark, RunState
from thermite_pipelines.tables.lake import Lake

# Changed rows, and characters of their texts, in memory before they become bytes: this bounds a fold of any length.
MAX_CHANGED = 60_000
MAX_CHARACTERS = 1 << 27

Part = Callable[[Mark, int], None]


class EventsMissing(ThermiteError):
    """Events that control counts are not in the tables: a rebuild of the rig's event tables is under way."""


class RunFold:
    """The items of one run while events after `start` are folded into them.

    A fold from the first event on (`start` is `Mark()`) reads none of the run's files.
    """

    def __init__(
        self, control: Control, lake: Lake, files: LakeFiles, campaign: str, run: RunState, start: Mark
    ) -> None:
        self._control = control
        self._lake = lake
        self._run = run
        self._start = start
        self._blocks = RunBlocks(files, campaign, run.run_id, run.run_key, anew=start == Mark())
        self._archive = Archive(self._source_text)
        self._first: dict[tuple[str, str], int] = {}  # first event numbers of the records that the events at hand touch
        self._characters = 0

    def fold(self, part: Part | None = None) -> None:
        """Apply all events after the start, to rows in memory.

        With `part`, changed rows are staged whenever there are many; then `part` is told how far that is, and how many
        rows. Raises `EventsMissing` where fewer events are there than control counts, and `DamagedFile` for a folder's
        file.
        """
        events = self._start.events
        for batch in run_events(self._control, self._lake, self._run, self._start.n):
            self._apply(batch)
            events += len(batch)
            if part is not None and (self._blocks.changed > MAX_CHANGED or self._characters > MAX_CHARACTERS):
                part(Mark(batch[-1].n, events), self.stage())
        if events != self._run.events:
            run = f"run {self._run.rig}/{self._run.label}"
            raise EventsMissing(f"{events} of {self._run.events} events are there", where=run, do="try again")

    def stage(self) -> int:
        """Turn all changed rows into bytes of their files; return how many there were."""
        self._characters = 0
        return self._blocks.stage()

    def changed_rows(self) -> Iterator[tuple[str, Row]]:
        """Kind and row of each item that the applied events touched."""
        return self._blocks.changed_rows()

    def row(self, kind: str, n: int, item: str) -> Row | None:
        """An item whose first event is `n`, with the applied events."""
        return self._blocks.block(kind, n).find(item)

    def _apply(self, events: list[FoldEvent]) -> None:
        """Apply events, in order, to the blocks in memory."""
        self._look_up(events)
        run = self._run.run_id
        for event in events:
            key = target(run, event)
            if key is None:
                continue
            kind, record = key
            block = self._blocks.block(kind, self._first[key])
            item = item_id(kind, run.rig, run.label, record)
            row = block.find(item)
            if row is not None:
                change_item(row, event)
            elif opens(event):
                row = block.changed[item] = open_item(run, event, self._archive)
            else:
                raise _missing(self._run, event.n)
            self._characters += len(row["text"] or "")

    def _look_up(self, events: list[FoldEvent]) -> None:
        """Learn in which files the items lie that events open, change or quote."""
        self._first.clear()
        wanted: dict[str, dict[str, int]] = {}  # kind -> record -> an event that needs it
        for event in events:
            key = target(self._run.run_id, event)
            if key is not None and opens(event) and event.type != "document_written":
                self._first[key] = event.n
            elif key is not None and key not in self._first:
                wanted.setdefault(key[0], {})[key[1]] = event.n
            if event.type == "claim_recorded":
                for quote in event.data["quotes"]:
                    if ("source", quote["source"]) not in self._first:
                        wanted.setdefault("source", {})[quote["source"]] = event.n
        with self._control.read() as connection:
            for kind, records in wanted.items():
                for batch in chunks(sorted(records)):
                    query = select(Record.record, Record.n).where(
                        Record.run_key == self._run.run_key, Record.kind == kind, Record.record.in_(batch)
                    )
                    self._first.update({(kind, row.record): row.n for row in connection.execute(query)})
        for kind, records in wanted.items():
            for record, n in records.items():
                if (kind, record) not in self._first:
                    raise _missing(self._run, n)

    def _source_text(self, source: str) -> str | None:
        item = item_id("source", self._run.rig, self._run.label, source)
        return self._blocks.block("source", self._first["source", source]).text(item)


def _missing(run: RunState, n: int) -> EventsMissing:
    # Every record was opened by a verified event before another may change or quote it.
    return EventsMissing(
        f"event {n} needs a record that is not there", where=f"run {run.rig}/{run.label}", do="try again"
    )
