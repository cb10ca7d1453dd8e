"""Serving a home over HTTP: one process, which ends in order when it is asked to."""

import contextlib
import os
import secrets
import signal
import socket
from collections.abc import Callable, Iterator
from types import FrameType

import uvicorn

from thermite_pipelines.control.leases import LeaseKeeper, LeaseTaken
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.serve.app import make_app
from thermite_pipelines.serve.connections import IDLE_SECONDS, Connection
from thermite_pipelines.serve.guard import Guard
from thermite_pipelines.serve.uploads import sweep

SCOPE = "serve"
MOST_CONNECTIONS = 512
"""Connections at a time; further ones are told to come again."""
STOP_SECONDS = 20
"""How long requests that are being answered may take when the service is asked to end."""
_HEAD_BYTES = 32 * 2**10
_BACKLOG = 512
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there, on a free port for 0. Raises `ThermiteError` where that can't be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(_BACKLOG)
    except (OSError, UnicodeError, OverflowError) as error:
        found.close()
        what = f"can't listen on {host}:{port}: {getattr(error, 'strerror', None) or error}"
        raise ThermiteError(what, do="choose another with --port, or another --host") from None
    return found


def address(listening: socket.socket) -> str:
    """The address of a listening socket as a URL."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def serve(home: Home, listening: socket.socket, ready: Callable[[], None]) -> None:
    """Answer requests until a signal asks for an end; `ready` is called once they are answered.

    Raises `ThermiteError` where another process serves this home.
    """
    with LeaseKeeper(home.control, f"serve-{os.getpid()}-{secrets.token_hex(4)}") as keeper, listening:
        try:
            keeper.hold(SCOPE)
        except LeaseTaken as taken:
            raise ThermiteError(f"this home is served already: {taken.what}", do="end that one first") from None
        # Nobody else takes uploads now: what lies there is of a process that was killed.
        sweep(home.settings.inbox)
        Server(configuration(home), ready).run(sockets=[listening])


def configuration(home: Home) -> uvicorn.Config:
    """How uvicorn serves a home: no word of its own in headers or logs, and no trust in what proxies say."""
    return uvicorn.Config(
        make_app(home),
        http=Connection,
        loop="asyncio",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=STOP_SECONDS,
        h11_max_incomplete_event_size=_HEAD_BYTES,
    )


class Server(uvicorn.Server):
    """A server that says when it is ready, and for which a signal that asks for an end is no failure."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, then say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End in order; live views first, which would not end by themselves."""
        if isinstance(self.config.app, Guard):
            self.config.app.end()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take signals as a wish to end, also SIGINT where a shell's background job ignores it."""

        def stop(number: int, frame: FrameType | None) -> None:
            self.handle_exit(number, frame)

        before = {number: signal.signal(number, stop) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
