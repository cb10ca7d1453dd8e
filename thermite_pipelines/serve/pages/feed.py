"""The live feed of a run: a line for each note as its report is accepted, also before it is in the folder.

A browser keeps one answer open and gets events (Server-Sent Events). Each carries the number of its note, which the
browser shows when it asks again, so that no line comes twice and none is left out. However many browsers look on, the
record is asked once a second which of the runs they look at have gone further.
"""

import json
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import anyio
from anyio import to_thread
from sqlalchemy import select

from thermite_pipelines.control.models import Run
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.reader import FolderReader
from thermite_pipelines.knowledge.state import RunState, all_runs
from thermite_pipelines.safety.quoting import legible
from thermite_pipelines.serve.problems import Refusal

POLL_SECONDS = 1.0
QUIET_SECONDS = 15.0
"""After so long without a note something is sent, so that nothing between takes the connection for dead."""
STREAM_SECONDS = 300.0
"""How long one answer goes on; the browser then asks again."""
AGAIN_MILLISECONDS = 1_000
LATER_MILLISECONDS = 60_000
MOST_STREAMS = 64
MOST_OF_TOKEN = 8
LINE_CHARACTERS = 240


class Feeds:
    """All open feeds of a service; for one event loop."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._streams: Counter[str] = Counter()
        self._heads: dict[int, int] = {}
        self._watched: Counter[int] = Counter()
        self._asked_at = 0.0
        self._turn: anyio.Lock | None = None
        self._ended: anyio.Event | None = None
        self._is_ended = False

    def end(self) -> None:
        """End all feeds: the service is to end."""
        self._is_ended = True
        if self._ended is not None:
            self._ended.set()

    async def follow(self, token: str, run: RunState, after: int, counts: Callable[[], bool]) -> AsyncIterator[str]:
        """The events of a run's notes behind number `after`; `counts` is asked whether the reader's token still does.

        Raises `Refusal` where too many feeds are open.
        """
        with self._counted(token, run.run_key):
            yield f"retry: {AGAIN_MILLISECONDS}\n\n"
            seen, until, spoke = -1, time.monotonic() + STREAM_SECONDS, time.monotonic()
            while time.monotonic() < until and not self._is_ended:
                head = await self._head(run.run_key)
                if head != seen:
                    seen = head
                    if not await to_thread.run_sync(counts):
                        return
                    try:
                        rows = await to_thread.run_sync(self._notes, run.run_key, after)
                    except ThermiteError:
                        yield f"retry: {LATER_MILLISECONDS}\n\n"  # a file is damaged, or all is in motion
                        return
                    for row in rows:
                        after = row["n"]
                        yield f"id: {after}\nevent: note\ndata: {json.dumps(line_of(row))}\n\n"
                        spoke = time.monotonic()
                if time.monotonic() - spoke > QUIET_SECONDS:
                    if not await to_thread.run_sync(counts):
                        return
                    yield ": nothing new\n\n"
                    spoke = time.monotonic()
                await self._wait()

    @contextmanager
    def _counted(self, token: str, run_key: int) -> Iterator[None]:
        self.check_room(token)
        self._streams[token] += 1
        self._watched[run_key] += 1
        try:
            yield
        finally:
            self._streams[token] -= 1
            self._watched[run_key] -= 1
            # Counters keep what they counted down to nothing.
            self._streams, self._watched = +self._streams, +self._watched
            if not self._watched[run_key]:
                self._heads.pop(run_key, None)

    def check_room(self, token: str) -> None:
        """Raise `Refusal` where no feed more may be opened."""
        if self._streams[token] >= MOST_OF_TOKEN or self._streams.total() >= MOST_STREAMS or self._is_ended:
            raise Refusal(503, "too many live views are open; close one", headers={"Retry-After": "10"})

    async def _wait(self) -> None:
        """Wait until it is time to look again, or all is to end."""
        if self._ended is None:
            self._ended = anyio.Event()
        with anyio.move_on_after(POLL_SECONDS):
            await self._ended.wait()

    async def _head(self, run_key: int) -> int:
        """The number of a run's last event; all that are looked at are asked for together."""
        if self._turn is None:
            self._turn = anyio.Lock()
        async with self._turn:
            if run_key not in self._heads or time.monotonic() - self._asked_at >= POLL_SECONDS:
                self._heads = await to_thread.run_sync(self._ask, list(self._watched))
                self._asked_at = time.monotonic()
        return self._heads.get(run_key, -1)

    def _ask(self, run_keys: Iterable[int]) -> dict[int, int]:
        query = select(Run.run_key, Run.last_n).where(Run.run_key.in_(list(run_keys)))
        with self._home.control.read() as connection:
            return {row.run_key: row.last_n for row in connection.execute(query)}

    def _notes(self, run_key: int, after: int) -> list[dict[str, Any]]:
        """The notes of a run behind a number, in order. Raises `ThermiteError` as `FolderReader.at_head` does."""
        with self._home.control.read() as connection:
            found = all_runs(connection, Run.run_key == run_key)
        if not found:
            return []
        rows = FolderReader(self._home.control, self._home.lake).at_head(found[0], after, ["note"])
        return [row for row in rows if row["n"] > after]


def line_of(note: Mapping[str, Any]) -> dict[str, Any]:
    """What the feed shows of a note: one line, and its number, writer and time."""
    flat = " ".join((note["text"] or "").split())
    words = flat if len(flat) <= LINE_CHARACTERS else f"{flat[: LINE_CHARACTERS - 1]}…"
    line = legible(f"noted ({note['note_kind']}): {words}")
    return {"n": note["n"], "item": note["item"], "line": line, "by": note["written_by"], "at": note["created_at"]}
