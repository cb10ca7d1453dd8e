"""Transcript files as control's record has them: whose copies are there, and which of them a session is read from."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from thermite_pipelines.atoms.sources import size_of, transcript_folder
from thermite_pipelines.tables.lake import Lake

Row = Mapping[str, Any]
_OLD = "#"


def kept_copies(lake: Lake, campaign: str) -> dict[str, int]:
    """The sizes of a campaign's kept transcripts, by path, from one listing of the lake."""
    return {entry.path: entry.size for entry in lake.list(transcript_folder(campaign))}


def lacks_copy(row: Row, copies: Mapping[str, int]) -> bool:
    """Whether the copy that a row of `TranscriptFile` tells of is gone, or of another size."""
    return bool(row["kept"]) and copies.get(row["kept"]) != size_of(row["stat"])


def is_below(path: str, folders: Iterable[Path]) -> bool:
    """Whether a path, as a scan tells it, lies in one of the folders."""
    return any(path.startswith(f"{str(folder.absolute()).rstrip('/')}/") for folder in folders)


def as_old(row: Row) -> dict[str, Any]:
    """The row under which a copy goes on to count once its file holds something else."""
    return {**row, "path": f"{row['path']}{_OLD}{row['content_sha256'][:16]}"}


def winners(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The row that each session is read from: the largest, then what lies in a file still, then the smaller hash.

    A file that became shorter takes nothing away: the copy of before is the larger one.
    """
    best: dict[str, tuple[Any, dict[str, Any]]] = {}
    for row in rows:
        if row["session"]:
            is_old = row["path"].endswith(f"{_OLD}{row['content_sha256'][:16]}")
            rank = (-size_of(row["stat"]), is_old, row["content_sha256"], row["file_modified_at"], row["path"])
            if row["session"] not in best or rank < best[row["session"]][0]:
                best[row["session"]] = (rank, row)
    return {session: row for session, (_, row) in sorted(best.items())}


def plain_sessions(rows: Sequence[Row]) -> set[str]:
    """The sessions all of whose files lie in folders that name no campaign."""
    return {row["session"] for row in rows if row["plain"]} - {row["session"] for row in rows if not row["plain"]}
