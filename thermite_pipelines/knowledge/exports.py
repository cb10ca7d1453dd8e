"""Exports: what is new about a rig since its last export, as JSONL for results repositories.

An export is a function of two states of control's record, the one that the last export ended at and the one now: the
same two give the same bytes, whoever makes it and however often. Its folder is renamed into place, then a row in
control's record makes it count; a folder without a row is replaced by the next try, which has the same number.
"""

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select, update

from thermite_pipelines.control.lake_files import DamagedFile
from thermite_pipelines.control.models import Export
from thermite_pipelines.control.rigs import require_rig
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.export_changes import RigView, RunChange, view_rig
from thermite_pipelines.knowledge.export_files import ExportFolder, item_document
from thermite_pipelines.knowledge.fold import open_item
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.items import Row
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.research_folder import RESEARCH_KINDS, has_research_folder, write_research_folder
from thermite_pipelines.knowledge.run_events import run_events
from thermite_pipelines.ledger.strict_json import loads
from thermite_pipelines.times import now_micros

JOURNAL = "journal.jsonl"
RESEARCH_NOTES = "research-notes.jsonl"
BRIEFING = "briefing.jsonl"
KNOWLEDGE = "knowledge.jsonl"

Progress = Callable[[int, int], None]
"""Told how many of how many runs are done."""

_TRIES = 10
_FILES_OF_KIND = {"note": JOURNAL, "research_note": RESEARCH_NOTES, "run": BRIEFING}
_KIND_OF_EVENT = {"journal_note": "note", "research_note": "research_note", "run_created": "run"}


@dataclass(frozen=True)
class Exported:
    """One export that counts. `path` is relative to the home, `files` gives the rows of each file by name."""

    rig: str
    number: str
    path: str
    files: dict[str, int]
    manifest_sha256: str
    changed: bool
    """Whether anything was new since the last export."""


class Exporter:
    """Writes exports of rigs."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._reader = FolderReader(home.control, home.lake)

    def behind(self, rig: str) -> int:
        """How many runs the next export of a rig has something to say about."""
        with self._home.control.read() as connection:
            return sum(1 for _ in view_rig(connection, rig).changes())

    def export(self, rig: str, progress: Progress | None = None) -> Exported:
        """Write the rig's next export and make it count. The caller holds the rig's lease.

        Raises `ThermiteError` for an unknown rig, a damaged file of the lake, or a disk that can't be written; then no
        number is used up and nothing is left behind.
        """
        for attempt in range(_TRIES):
            with self._home.control.read() as connection:
                require_rig(connection, rig)
                view = view_rig(connection, rig)
            try:
                exported = self._try(rig, view, progress)
            except DamagedFile:
                # A run that moves to another folder while it is read looks the same, but only once.
                if attempt > 1:
                    raise
                continue
            if exported is not None:
                return exported
        raise ThermiteError("the rig's record keeps changing", where=rig, do="try again")

    def _try(self, rig: str, view: RigView, progress: Progress | None) -> Exported | None:
        """One try; None where control's record moved on meanwhile, so that what was read is of two states."""
        number = f"{view.exported + 1:06d}"
        parent = self._home.settings.exports / rig
        with ExportFolder(parent, number) as folder:
            placements = self._fill(folder, view, progress)
            manifest = {
                "rig": rig,
                "number": number,
                "ledgers": view.ledgers(),
                "placements": placements,
                "files": folder.files,
            }
            if self._view(rig) != view:
                return None
            digest = folder.finish(manifest)
        try:
            self._count(rig, view, digest)
        except BaseException:
            if not self._counts(rig, view.exported + 1):
                folder.withdraw()
            raise
        files = {name: entry["rows"] for name, entry in folder.files.items()}
        path = (parent / number).relative_to(self._home.settings.home).as_posix()
        return Exported(rig, number, path, files, digest, bool(placements or manifest["ledgers"]))

    def _view(self, rig: str) -> RigView:
        with self._home.control.read() as connection:
            return view_rig(connection, rig)

    def _counts(self, rig: str, number: int) -> bool:
        with self._home.control.read() as connection:
            query = select(Export.number).where(Export.rig == rig, Export.number == number)
            return connection.execute(query).first() is not None

    def _fill(self, folder: ExportFolder, view: RigView, progress: Progress | None) -> list[dict[str, Any]]:
        """Write all files but the manifest; return the placements of the runs that are in them."""
        changes = list(view.changes())
        folder.open_lines(JOURNAL, RESEARCH_NOTES, BRIEFING, KNOWLEDGE)
        for done, change in enumerate(changes, 1):
            self._add_run(folder, change)
            if progress is not None:
                progress(done, len(changes))
        folder.close_lines((JOURNAL, RESEARCH_NOTES, BRIEFING, KNOWLEDGE))
        return [
            {"ledger": change.run.ledger, "run": change.run.run, "campaign": change.run.campaign} for change in changes
        ]

    def _add_run(self, folder: ExportFolder, change: RunChange) -> None:
        run, before = change.run, change.before
        if change.items_after is None:
            _add_recorded(folder, change, self._recorded(change))
        else:
            rows = self._reader.at_head(run, change.items_after)
            _add_recorded(folder, change, (row for row in rows if row["n"] > before.n))
            folder.add(KNOWLEDGE, *(item_document(row) for row in rows if change.sends(row["n"])))
        if change.has_finished:
            rows = self._reader.at_head(run, 0, RESEARCH_KINDS)
            if has_research_folder(run.mode, rows):
                write_research_folder(folder, run.label, rows)

    def _recorded(self, change: RunChange) -> Iterable[Row]:
        """Field notes, research notes and the run itself, of the new events of a run that is in no folder.

        They never change but for the run, of which only the briefing is used; so earlier events need not be read.
        """
        run = change.run
        for events in run_events(self._home.control, self._home.lake, run, change.before.n):
            for event in events:
                kind = _KIND_OF_EVENT.get(event.type)
                if kind is not None:
                    yield open_item(run.run_id, event, lambda _: None) | {"campaign": None, "kind": kind}

    def _count(self, rig: str, view: RigView, manifest_sha256: str) -> None:
        row = {
            "rig": rig,
            "number": view.exported + 1,
            "state": view.state(),
            "manifest_sha256": manifest_sha256,
            "exported_at": now_micros(),
        }
        with self._home.control.write() as connection:
            # Only the newest state is ever compared with; manifests say what older exports held.
            earlier = update(Export).where(Export.rig == rig, Export.number == view.exported)
            connection.execute(earlier.values(state={}))
            connection.execute(insert(Export).values(row))


def _add_recorded(folder: ExportFolder, change: RunChange, rows: Iterable[Row]) -> None:
    """Add what was recorded since to the files of its kind."""
    for row in rows:
        name = _FILES_OF_KIND.get(row["kind"])
        if name == BRIEFING:
            folder.add(name, _briefing(change, row))
        elif name is not None:
            folder.add(name, item_document(row))


_AS_SENT = {"written_by": "by", "written_at": "at"}


def _briefing(change: RunChange, row: Row) -> dict[str, Any]:
    """The briefing of a run in the words of its `run_created`."""
    return {
        "rig": change.run.rig,
        "ledger": change.run.ledger,
        "run": change.run.run,
        "campaign": change.run.campaign,
        "briefing": [{_AS_SENT.get(name, name): value for name, value in entry.items()} for entry in row["briefing"]],
    }


def exports_of(home: Home, rig: str) -> list[tuple[str, Path]]:
    """Number and folder of each export of a rig that counts, in order; a folder may be gone by now."""
    with home.control.read() as connection:
        numbers = connection.execute(select(Export.number).where(Export.rig == rig).order_by(Export.number)).scalars()
        return [(f"{number:06d}", home.settings.exports / rig / f"{number:06d}") for number in numbers]


def newest_export(home: Home, rig: str) -> Exported:
    """The last export of a rig that counts, as its manifest tells it. Raises `ThermiteError` where there is none."""
    found = exports_of(home, rig)
    if not found:
        raise ThermiteError("the rig has no export", where=rig, do="run `thermite export`")
    number, folder = found[-1]
    try:
        raw = (folder / "manifest.json").read_bytes()
    except FileNotFoundError:
        raise ThermiteError("the export is gone", where=str(folder), do="export again") from None
    manifest = loads(raw)
    files = {name: entry["rows"] for name, entry in manifest["files"].items()}
    changed = bool(manifest["placements"] or manifest["ledgers"])
    path = folder.relative_to(home.settings.home).as_posix()
    return Exported(rig, number, path, files, hashlib.sha256(raw).hexdigest(), changed)
