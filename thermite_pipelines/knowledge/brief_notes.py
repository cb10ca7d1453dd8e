"""What a brief shows of its own run: who works in it, and the field notes in each reader's window.

Read from the campaign's folder. Notes come newest first by their place in the ledger, a file at a time, until every
window is full: how many notes a run has recorded changes what a brief costs hardly at all, and its length not at all.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from thermite_pipelines.knowledge.items import Row
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.tables.parquet import to_rows

FIRST_LANE = "lane-1"
WORKER = "worker"
OTHER_READERS = frozenset({"planner", "teachers", "auditor", "panel"})
"""The readers of briefs who work in no lane; each is an agent of that name."""
OWN_NOTES = 10
OTHERS_NOTES = 5
RUN_NOTES = 20
TELLING_KINDS = frozenset({"decision", "lesson"})
"""The kinds of notes that a lane is shown of others."""


@dataclass(frozen=True)
class RunRecord:
    """A run as far as its folder tells: each lane's agent, how it was started, and its notes for those who get any.

    `lane_notes` by lane, and `run_notes`; the newest first.
    """

    lanes: Mapping[str, str] = field(default_factory=lambda: {FIRST_LANE: WORKER})
    planner_runtime: str | None = None
    teachers_open_fetch: bool = True
    lane_notes: Mapping[str, list[Row]] = field(default_factory=dict)
    run_notes: list[Row] = field(default_factory=list)


def starting_agent(command: Mapping[str, Any] | None) -> str:
    """Whom the lanes of a run belong to until its trials say otherwise, by the command that it was assigned with.

    A person's reply starts a run of the agent that asked. Who works in no lane goes on in a brief of its own.
    """
    if command is None or command["command"] != "start_run" or command["agent"] in OTHER_READERS:
        return WORKER
    return command["agent"]


def read_run(reader: FolderReader, campaign: str, run_key: int, agent: str = WORKER) -> RunRecord:
    """The record of a run in a campaign's folder; `agent` is whose the first lane is until a trial began in it.

    Raises `DamagedFile` where a file of it is not what was written.
    """
    lanes = _lanes(reader.run_tables(campaign, run_key, "trial"), agent)
    windows = _Windows(lanes)
    rows = _shown(reader.run_tables(campaign, run_key, "note"), windows)
    started = [row for part in reader.run_tables(campaign, run_key, "run") for row in to_rows(part)]
    how = {name: started[0][name] for name in ("planner_runtime", "teachers_open_fetch")} if started else {}
    lane_notes = {lane: [rows[n] for n in windows.of_lane(lane)] for lane in lanes}
    return RunRecord(lanes, **how, lane_notes=lane_notes, run_notes=[rows[n] for n in windows.newest])


def agent_of_lane(reader: FolderReader, campaign: str, run_key: int, lane: str, agent: str = WORKER) -> str:
    """The agent of a lane's newest trial; of the first lane `agent` until a trial began in it, of others the worker.

    Raises `DamagedFile` as `read_run` does.
    """
    return _lanes(reader.run_tables(campaign, run_key, "trial"), agent).get(lane, WORKER)


def _lanes(parts: Iterable[pa.Table], agent: str) -> dict[str, str]:
    """The first lane, and every lane in which a trial began, each with the agent of its newest trial."""
    newest: dict[str, tuple[int, str]] = {FIRST_LANE: (0, agent)}
    for part in parts:
        columns = (part[name].to_pylist() for name in ("lane", "n", "agent"))
        for lane, n, at_work in zip(*columns, strict=True):
            if n > newest.get(lane, (0, ""))[0]:
                newest[lane] = (n, at_work)
    return {lane: newest[lane][1] for lane in sorted(newest, key=lambda lane: (len(lane), lane))}


def _shown(parts: Iterator[pa.Table], windows: "_Windows") -> dict[int, Row]:
    """Put notes into the windows until they are full; return the rows that were put into any, by event number."""
    rows: dict[int, Row] = {}
    for part in parts:
        numbers, writers, kinds = (part[name].to_pylist() for name in ("n", "written_by", "note_kind"))
        taken = []
        for place in sorted(range(len(numbers)), key=numbers.__getitem__, reverse=True):
            if windows.full:
                break
            if windows.take(numbers[place], writers[place], kinds[place]):
                taken.append(place)
        rows |= {row["n"]: row for row in to_rows(part.take(taken))}
        if windows.full:
            break
    return rows


class _Windows:
    """The event numbers of the notes that each reader is shown. Notes are taken newest first."""

    def __init__(self, lanes: Iterable[str]) -> None:
        self.newest: list[int] = []
        self._own: dict[str, list[int]] = {lane: [] for lane in lanes}
        self._open = set(self._own)
        # A writer's newest few are enough: no lane is shown more of all others together.
        self._telling: dict[str, list[int]] = {}
        self._is_told = False

    @property
    def full(self) -> bool:
        """Whether no older note can come into any window."""
        return self._is_told and not self._open and len(self.newest) == RUN_NOTES

    def take(self, n: int, writer: str, kind: str) -> bool:
        """Put a note into the windows that have room for it; return whether any had."""
        taken = False
        if len(self.newest) < RUN_NOTES:
            self.newest.append(n)
            taken = True
        if writer in self._open:
            self._own[writer].append(n)
            taken = True
            if len(self._own[writer]) == OWN_NOTES:
                self._open.remove(writer)
        if kind in TELLING_KINDS and len(self._telling.setdefault(writer, [])) < OTHERS_NOTES:
            self._telling[writer].append(n)
            taken = True
            counts = {name: len(numbers) for name, numbers in self._telling.items()}
            self._is_told = sum(counts.values()) - max(counts.get(lane, 0) for lane in self._own) >= OTHERS_NOTES
        return taken

    def of_lane(self, lane: str) -> list[int]:
        """A lane's own newest notes and the newest decisions and lessons of all others, newest first."""
        others = sorted((n for writer, some in self._telling.items() if writer != lane for n in some), reverse=True)
        return sorted(self._own[lane] + others[:OTHERS_NOTES], reverse=True)
