"""Real kills at chosen points: work runs in a forked process that ends itself with SIGKILL in the middle."""

import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event


class Points:
    """Counts the moments at which something becomes visible to others: renames, links, removals, commits.

    A kill comes before or after the moment number `kill_at` (from 0), or never.
    """

    def __init__(self, kill_at: int | None = None, *, after: bool = False) -> None:
        self._kill_at = kill_at
        self._after = after
        self.seen = 0

    @contextmanager
    def watched(self, engine: Engine) -> Iterator[None]:
        """Watch this process's files and an engine's commits."""
        originals = {(Path, "replace"): Path.replace, (os, "unlink"): os.unlink, (os, "link"): os.link}
        for (owner, name), original in originals.items():
            setattr(owner, name, self._wrapped(original))
        event.listen(engine, "commit", self._commit)
        try:
            yield
        finally:
            for (owner, name), original in originals.items():
                setattr(owner, name, original)

    def _commit(self, _: Any) -> None:
        # SQLAlchemy tells of a commit before it is made: "after" is the next moment's "before".
        self._reach(False)
        self.seen += 1

    def _wrapped(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            self._reach(False)
            result = original(*args, **kwargs)
            self._reach(True)
            self.seen += 1
            return result

        return wrapper

    def _reach(self, after: bool) -> None:
        if self.seen == self._kill_at and after == self._after:
            os.kill(os.getpid(), signal.SIGKILL)


def in_child(work: Callable[[], object]) -> int:
    """Run work in a forked process; return its exit code, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            if code:
                traceback.print_exc()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
