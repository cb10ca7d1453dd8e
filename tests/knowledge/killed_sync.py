"""A process whose children die at every step of a sync; it looks at what the next sync makes of that.

    python -m tests.knowledge.killed_sync FOLDER READY STRIDE

Each child kills itself (SIGKILL) just before its k-th change of files or of control's record, for k = 1, 1 + STRIDE, …
until one lives. It prints how many died.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.knowledge.syncing import SyncHome
from tests.support.homes import make_home
from thermite_pipelines.knowledge import sync

STEPS = ("rename", "unlink", "rmdir", "mkdir", "fchmod")


def die_before(step: int, module: Any = sync, changes: Sequence[str] = STEPS) -> None:
    """Let this process die before its change number `step` of files, or of what `module` says in control's record."""
    left = [step]

    def counted(change: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **kwargs: Any) -> Any:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            return change(*args, **kwargs)

        return run

    for name in changes:
        setattr(os, name, counted(getattr(os, name)))
    module.upsert = counted(module.upsert)


def killed(place: SyncHome, step: int) -> bool:
    """Sync run r1 in a child that dies at a step; return whether it came so far."""
    place.home.control.engine.dispose()
    child = os.fork()
    if not child:
        die_before(step)
        SyncHome(place.home).syncer.sync_run("rig-a", "r1")
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main(folder: Path, ready: Path, stride: int) -> int:
    """Kill at steps of a grant's sync and of a revoke's; return how many children died."""
    place = SyncHome(make_home(folder, ready))
    for number, campaign in enumerate(("a", "a", "b"), 1):
        place.run(f"r{number}", campaign)
    place.sync()
    without = place.files("r1")
    place.grant("a", "b")
    place.sync()
    with_b = place.files("r1")
    step, dead, alive = 1 - stride, 0, 0
    while alive < 2:
        step, alive = step + stride, 0
        for change, expected in ((place.revoke, without), (place.grant, with_b)):
            change("a", "b")
            died = killed(place, step)
            dead, alive = dead + died, alive + (not died)
            if died and step // stride % 2:
                # What the dead one was about to do is not wanted any more: none of it may stay.
                (place.grant if change == place.revoke else place.revoke)("a", "b")
                place.syncer.sync_run("rig-a", "r1")
                assert place.files("r1") == (with_b if expected is without else without), step
                change("a", "b")
            place.syncer.sync_run("rig-a", "r1")
            assert place.files("r1") == expected, step
    assert place.syncer.differences(9) == []
    return dead


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])))
