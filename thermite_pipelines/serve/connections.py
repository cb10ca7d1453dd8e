"""Connections of the service: one that does not ask for anything, or does not come to the end of asking, is closed.

uvicorn's own timer runs only between requests: a connection on which nothing was ever sent, or half of a request's
head, would stay open and take the place of one that asks.
"""

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

IDLE_SECONDS = 15
"""How long a connection may stay open without the whole head of a request."""


class Connection(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it, with a bound on the wait for the head of a request."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(IDLE_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing any more."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; once the head of a request is whole, it is no longer waited for."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._stop()
        elif self._timer is None:
            # A part of the next head came, which ended uvicorn's own wait for it.
            self._timer = self.loop.call_later(IDLE_SECONDS, self._give_up)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self.transport.close()
