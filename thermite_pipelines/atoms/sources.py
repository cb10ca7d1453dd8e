"""Where sessions come from: signed events of the runs placed in a campaign, and files of other tools.

Files are not ours: links are not followed, and what can't be read is named and left, one by one.
"""

import hashlib
import os
import stat as stats
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, select

from thermite_pipelines.control.atom_models import SaidMark
from thermite_pipelines.control.db import Control
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.intake.run_index import SAID_TYPES
from thermite_pipelines.knowledge.fold import FoldEvent
from thermite_pipelines.knowledge.run_events import run_events
from thermite_pipelines.knowledge.state import Mark, RunState
from thermite_pipelines.settings import Settings, parse_transcripts
from thermite_pipelines.tables.lake import Lake

SUFFIXES = (".jsonl", ".jsonl.gz", ".md")
"""Names of transcript files end so."""
# Part of what a file is remembered by: raise it when the readers of transcripts learn more, so that all are read again.
_READER = 1
_PIECE = 1 << 20
# So large a file is read once and waits for the disk together with others.
_SMALL = 4 << 20
_LAST_TIME = 253_402_300_799_999_999  # the end of the year 9999: file systems can say more


@dataclass(frozen=True)
class Problem:
    """Something that could not be read: its kind, and the file, folder or run."""

    kind: str
    where: str


@dataclass(frozen=True)
class FoundFile:
    """A transcript file in a folder; the same `stat` means that it did not change."""

    path: str
    size: int
    stat: str
    modified_at: int

    @property
    def suffix(self) -> str:
        """How its name ends: what readers tell the format by."""
        return next(suffix for suffix in reversed(SUFFIXES) if self.path.lower().endswith(suffix))

    @property
    def stem(self) -> str:
        """Its name without folders and suffix."""
        return Path(self.path).name[: -len(self.suffix)]


def folders_of(settings: Settings, campaign: str, *, plain: bool) -> list[Path]:
    """The transcript folders of a campaign; with `plain` those that name no campaign too."""
    return [
        folder for name, folder in parse_transcripts(settings.transcripts) if name == campaign or (plain and not name)
    ]


def scan(folders: Iterable[Path]) -> tuple[dict[str, FoundFile], list[Problem]]:
    """All transcript files below folders, by path, and what could not be looked at. Opens no file."""
    found: dict[str, FoundFile] = {}
    problems: list[Problem] = []
    for folder in folders:
        waiting = [str(folder.absolute())]
        top = waiting[0]
        while waiting:
            place = waiting.pop()
            try:
                entries = sorted(os.scandir(place), key=lambda entry: entry.name)
            except (FileNotFoundError, NotADirectoryError) as error:
                kind = "folder-missing" if isinstance(error, FileNotFoundError) else "not-a-folder"
                problems += [Problem(kind, _shown(place))] if place == top else []
                continue
            except OSError:
                problems.append(Problem("folder-unreadable", _shown(place)))
                continue
            for entry in entries:
                _look(entry, waiting, found, problems)
    return found, problems


def _look(entry: os.DirEntry[str], waiting: list[str], found: dict[str, FoundFile], problems: list[Problem]) -> None:
    try:
        if entry.is_dir(follow_symlinks=False):
            waiting.append(entry.path)
        elif entry.is_file(follow_symlinks=False) and entry.name.lower().endswith(SUFFIXES):
            if not _is_text(entry.path):
                problems.append(Problem("odd-name", _shown(entry.path)))
                return
            info = entry.stat(follow_symlinks=False)
            found[entry.path] = _found(entry.path, info)
    except FileNotFoundError:
        return
    except OSError:
        problems.append(Problem("file-unreadable", _shown(entry.path)))


def _found(path: str, info: os.stat_result) -> FoundFile:
    version = f"{_READER}:{info.st_size}-{info.st_mtime_ns}-{info.st_ino}"
    return FoundFile(path, info.st_size, version, min(max(info.st_mtime_ns // 1000, 0), _LAST_TIME))


def look_again(path: str) -> FoundFile | None:
    """A transcript file by its path, where a plain file lies there still."""
    try:
        info = os.lstat(path)
    except OSError:
        return None
    return _found(path, info) if stats.S_ISREG(info.st_mode) and path.lower().endswith(SUFFIXES) else None


def _is_text(path: str) -> bool:
    try:
        return "\0" not in path and bool(path.encode())
    except UnicodeEncodeError:
        return False


def _shown(path: str) -> str:
    return path.encode("ascii", "backslashreplace").decode()


class FileChanging(ThermiteError):
    """A file changed while it was copied: the next look finds it again."""


@dataclass(frozen=True)
class Kept:
    """The copy of a file in the lake.

    `grown_from`: the file began with the bytes of the copy before it. One that is not `is_synced` survives a loss of
    power only after `Lake.sync`.
    """

    path: str
    content_sha256: str
    size: int
    grown_from: str | None
    is_synced: bool = True


def transcript_folder(campaign: str) -> str:
    """Where the kept copies of a campaign's transcripts lie in the lake."""
    return f"transcripts/campaign={campaign}"


def keep_copy(lake: Lake, campaign: str, file: FoundFile, before: Mapping[str, Any] | None = None) -> Kept:
    """Copy a file whole into the lake, named by its content; `before` is the row of its last copy.

    Raises `OSError` where the file can't be read, and `FileChanging`.
    """
    start = size_of(before["stat"]) if before is not None and before["kept"] else None
    small = file.size <= _SMALL
    data = b"".join(file_pieces(file)) if small else b""
    digest, beginning = _hashes((data,) if small else file_pieces(file), start)
    path = f"{transcript_folder(campaign)}/{digest}{file.suffix}"
    entry = lake.stat(path)
    is_there = entry is not None and entry.size == file.size
    if not is_there and small:
        lake.put(path, data, sync=False)
    elif not is_there:
        lake.put_pieces(path, _checked(file, digest))
    grown = before is not None and before["kept"] != path and beginning == before["content_sha256"]
    grown_from = before["kept"] if before is not None and grown else None
    return Kept(path, digest, file.size, grown_from, is_synced=is_there or not small)


def _hashes(pieces: Iterable[bytes], start: int | None) -> tuple[str, str | None]:
    """The hash of the bytes, and of their first `start`, where they go on after that."""
    whole = hashlib.sha256()
    beginning, seen = None, 0
    for piece in pieces:
        if start is not None and seen <= start < seen + len(piece):
            first = whole.copy()
            first.update(memoryview(piece)[: start - seen])
            beginning = first.hexdigest()
        whole.update(piece)
        seen += len(piece)
    return whole.hexdigest(), beginning


def size_of(stat: str) -> int:
    """The size of a file in what it is remembered by."""
    return int(stat.partition(":")[2].split("-")[0])


def file_pieces(file: FoundFile) -> Iterator[bytes]:
    """The bytes that the file had when it was found. Raises `OSError`, and `FileChanging` where it became shorter."""
    descriptor = os.open(file.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as source:
        if not stats.S_ISREG(os.fstat(source.fileno()).st_mode):
            raise OSError("it is no plain file any more")
        left = file.size
        while left:
            piece = source.read(min(_PIECE, left))
            if not piece:
                raise FileChanging("the file became shorter while it was read", where=_shown(file.path))
            left -= len(piece)
            yield piece


def _checked(file: FoundFile, digest: str) -> Iterator[bytes]:
    copied = hashlib.sha256()
    for piece in file_pieces(file):
        copied.update(piece)
        yield piece
    if copied.hexdigest() != digest:
        raise FileChanging("the file changed while it was copied", where=_shown(file.path))


@contextmanager
def on_disk(lake: Lake, path: str) -> Iterator[Path]:
    """A file of the lake as a file on this machine, for readers that need one. Raises `LakeMissing`."""
    if lake.is_local:
        yield lake.local(path)
        return
    suffix = next((suffix for suffix in reversed(SUFFIXES) if path.endswith(suffix)), "")
    with tempfile.NamedTemporaryFile(suffix=suffix) as copy:
        for piece in lake.pieces(path):
            copy.write(piece)
        copy.flush()
        yield Path(copy.name)


def wanted_mark(run: RunState) -> Mark:
    """How far the speaking events of a run go; of an old record that never counted them, all its events."""
    if run.said_n is None or run.said_events is None:
        return run.mark
    return Mark(run.said_n, run.said_events)


def resume(run: RunState, mark: Mark | None) -> Mark:
    """Where reading goes on. Events that were judged anew since may be others: then it begins anew."""
    wanted = wanted_mark(run)
    if mark is None or mark.n > wanted.n or mark.events > wanted.events:
        return Mark()
    return Mark() if mark.n == wanted.n and mark != wanted else mark


def said_marks(connection: Connection, campaign: str) -> dict[int, Mark]:
    """How far each run was read into a campaign, by run key."""
    rows = connection.execute(select(SaidMark).where(SaidMark.campaign == campaign))
    return {row.run_key: Mark(row.said_n, row.said_events) for row in rows}


def said_blocks(control: Control, lake: Lake, run: RunState, after: Mark) -> Iterator[tuple[list[FoldEvent], Mark]]:
    """What people said in a run after a mark, block by block, each with the mark that it leads to.

    Raises `ThermiteError` where an event file is damaged, or events are missing that control counted.
    """
    wanted = wanted_mark(run)
    counts_all = run.said_n is None
    n, count = after.n, after.events
    for events in run_events(control, lake, run, after.n, wanted.n):
        said = [event for event in events if event.type in SAID_TYPES]
        count += len(events) if counts_all else len(said)
        n = events[-1].n if counts_all else (said[-1].n if said else n)
        yield said, Mark(n, count)
    if Mark(n, count) != wanted:
        raise ThermiteError(
            f"{count} of {wanted.events} events in which people speak are there",
            where=f"{run.rig}/{run.label}",
            do="run `thermite rebuild --all`",
        )
