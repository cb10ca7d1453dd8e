"""What the kept folders of runs have in common, `knowledge/` and `briefs/`: when one is due, and working through them.

Each is made from one hash, its signature; control's record keeps the one it was last made from, and when its files
were looked at last.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from thermite_pipelines.knowledge.brief_runs import BriefRun
from thermite_pipelines.knowledge.sync_runs import SyncRun

CHECK_SECONDS = 3600
"""How often the files themselves are looked at."""

Progress = Callable[[int, int], None]
_Done = TypeVar("_Done")


@dataclass(frozen=True)
class Due:
    """A run whose folder is not as it should be.

    `why`: `behind` (what it is made from changed), `left` (what an ended run may keep changed), `gone` (the folder is
    to be removed) or `check` (its files were not looked at for an hour). `signature` is what it should be made from,
    `noted_at` are times that tell its state from an earlier one that was due for the same.
    """

    rig: str
    run: str
    campaign: str
    why: str
    signature: str
    noted_at: tuple[int, ...]


def due(
    run: SyncRun | BriefRun, signature: str, state: Any, looked_at: int, noted_at: tuple[int, ...], now: int
) -> Due | None:
    """Whether a run's folder is due, by control's row of it (`state`, None for none) and the times in that row."""
    if run.phase == "gone":
        why = "gone"
    elif state is None or state.signature != signature:
        why = "behind" if run.phase == "running" else "left"
    elif check_due(looked_at, now):
        why = "check"
    else:
        return None
    return Due(run.rig, run.run, run.campaign, why, signature, noted_at)


def by_campaign(found: Iterable[Due]) -> dict[str, str]:
    """The campaigns of what is due, each with a hash of what there is to do."""
    parts: dict[str, list[str]] = defaultdict(list)
    for one in found:
        parts[one.campaign].append(repr(one))
    return {campaign: digest(lines) for campaign, lines in sorted(parts.items())}


def in_turn(runs: Sequence[Any], work: Callable[[Any], _Done], progress: Progress | None) -> list[_Done]:
    """Work through runs, one after the other; return what was done for the running ones."""
    done = []
    for number, run in enumerate(runs, 1):
        result = work(run)
        if run.phase == "running":
            done.append(result)
        if progress is not None:
            progress(number, len(runs))
    return done


def digest(parts: Iterable[str]) -> str:
    """A short hash of some lines."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def check_due(checked_at: int, now: int) -> bool:
    """Whether files that were looked at last at a time (microseconds) are to be looked at again."""
    return checked_at + CHECK_SECONDS * 1_000_000 <= now
