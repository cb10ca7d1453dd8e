"""What tests of the service share: a home that is served on a loopback port, and clients with tokens of each role."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.knowledge.briefed import BriefHome
from tests.support.homes import Home
from thermite_pipelines.control.audit import entries
from thermite_pipelines.control.tokens import add_token
from thermite_pipelines.serve.server import Server, address, configuration, listen

ROLES = ("owner", "operator", "reader", "agent", "advisor", "rig")
SECONDS = 60.0


@dataclass
class ServedHome:
    """A home and the service that answers for it. `story` says and folds what runs did, as tests of briefs do."""

    story: BriefHome
    url: str
    clients: list[httpx.Client] = field(default_factory=list)

    @property
    def home(self) -> Home:
        return self.story.home

    def token(
        self,
        role: str,
        rig: str | None = None,
        run: str | None = None,
        name: str | None = None,
        writer: str | None = None,
    ) -> str:
        """A new token; of roles that need a rig and a run, for `rig-a` and `r1` unless others are named."""
        if role in ("rig", "agent", "advisor"):
            rig = rig or "rig-a"
        if role in ("agent", "advisor"):
            run = run or "r1"
        with self.home.control.write() as connection:
            return add_token(connection, role, "tester", name=name, rig=rig, run=run, writer=writer).secret

    def client(self, role: str | None = None, **scope: Any) -> httpx.Client:
        """A client that shows a new token of a role, or none."""
        headers = {} if role is None else {"Authorization": f"Bearer {self.token(role, **scope)}"}
        client = httpx.Client(base_url=self.url, headers=headers, timeout=SECONDS, trust_env=False)
        self.clients.append(client)
        return client

    def raw(self, request: bytes) -> bytes:
        """Send bytes as they are, and return all that comes back until the connection ends."""
        host, port = self.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=SECONDS) as connection:
            connection.sendall(request)
            parts = iter(lambda: connection.recv(65536), b"")
            return b"".join(parts)

    def audited(self, action: str | None = None) -> list[dict[str, Any]]:
        """Entries of the audit log."""
        with self.home.control.read() as connection:
            return [entry for entry in entries(connection) if action in (None, entry["action"])]

    def inbox(self, rig: str = "rig-a") -> dict[str, bytes]:
        """What lies in a rig's inbox, half-made files too."""
        folder = self.home.settings.inbox / rig
        return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


@contextmanager
def answering(home: Home) -> Iterator[str]:
    """Serve a home from a thread of this process; the address."""
    listening = listen("127.0.0.1", 0)
    ready = threading.Event()
    server = _Threaded(configuration(home.opened), ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        assert ready.wait(SECONDS), "the service did not start"
        yield address(listening)
    finally:
        server.should_exit = True
        thread.join(SECONDS)
        listening.close()


class _Threaded(Server):
    """A server beside the main thread, where signals are somebody else's."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
