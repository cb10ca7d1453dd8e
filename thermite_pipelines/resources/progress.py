"""How far long work is: told to whoever started the run in this process, else written to the run's log now and then."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import dagster as dg

Progress = Callable[[int, int], None]
LOG_SECONDS = 30.0
_listener: ContextVar[Progress | None] = ContextVar("progress", default=None)


@contextmanager
def listening(progress: Progress | None) -> Iterator[None]:
    """While it lasts, runs in this process tell `progress` (done, total) how far they are."""
    token = _listener.set(progress)
    try:
        yield
    finally:
        _listener.reset(token)


def told(context: dg.AssetExecutionContext, what: str) -> Progress:
    """What an asset calls with (done, total): of no use to it where nobody listens but to leave a line every 30 s."""
    listener = _listener.get()
    last = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal last
        if listener is not None:
            listener(done, total)
        elif time.monotonic() - last > LOG_SECONDS:
            last = time.monotonic()
            context.log.info(f"{what}: {done} of {total}")

    return tell
