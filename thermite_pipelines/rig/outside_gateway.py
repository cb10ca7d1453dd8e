"""A gateway on loopback through which the agents of one role use an outside MCP server.

    with Gateway(server, "planner") as gateway:
        config = client_config([gateway])  # what the agent's MCP client reads

The agent gets an address that nobody can guess, and no secret: the gateway adds it to what goes to the server. It is
the server side of MCP's Streamable HTTP without a stream of its own: each request gets one JSON answer.
"""

import json
import secrets
import threading
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from thermite_pipelines.rig.outside import OutsideServer
from thermite_pipelines.rig.outside_messages import SERVER_FAILED, Message, answer, failure, label, refusal
from thermite_pipelines.rig.outside_sending import (
    LARGEST,
    PROTOCOL,
    SECONDS,
    SESSION,
    Answered,
    CanNotBeAsked,
    ask,
    parsed,
)

_ENDED = (
    HTTPStatus.OK,
    HTTPStatus.ACCEPTED,
    HTTPStatus.NO_CONTENT,
    HTTPStatus.NOT_FOUND,
    HTTPStatus.METHOD_NOT_ALLOWED,
)


class Gateway:
    """Serves one role on loopback while the block runs. Raises `OSError` where no port can be had."""

    def __init__(self, server: OutsideServer, role: str) -> None:
        self.server = server
        self.role = role
        self._path = f"/{secrets.token_urlsafe(32)}"
        self._http = _Loopback(self)
        self._thread = threading.Thread(target=self._http.serve_forever, daemon=True)

    @property
    def _host(self) -> str:
        return f"127.0.0.1:{self._http.server_address[1]}"

    @property
    def url(self) -> str:
        """The address for the agent's MCP client."""
        return f"http://{self._host}{self._path}"

    def is_meant(self, path: str, host: str | None, origin: str | None) -> bool:
        """Whether a request is for this gateway: it knows the path, and no page in a browser sent it."""
        return origin is None and host == self._host and secrets.compare_digest(path.encode(), self._path.encode())

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def client_config(gateways: Sequence[Gateway]) -> dict[str, Any]:
    """What MCP clients read of servers, in the form that most share: `mcpServers`, by name. It holds no secret."""
    return {"mcpServers": {one.server.name: {"type": "http", "url": one.url} for one in gateways}}


class _Loopback(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, gateway: Gateway) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.gateway = gateway


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = SECONDS

    @property
    def _gateway(self) -> Gateway:
        assert isinstance(self.server, _Loopback)
        return self.server.gateway

    def do_POST(self) -> None:
        message = self._message()
        if message is None:
            return
        refused = refusal(self._gateway.server, self._gateway.role, message)
        if refused is not None:
            self._reply(HTTPStatus.OK, refused)
            return
        try:
            answered = ask(self._gateway.server, "POST", self._carried(), message)
        except CanNotBeAsked as error:
            what = f"{self._gateway.server.name} can't be reached ({error})"
            self._reply(HTTPStatus.OK, failure(message, SERVER_FAILED, what))
        else:
            self._pass_back(message, answered)

    def _pass_back(self, message: Message, answered: Answered) -> None:
        server, role = self._gateway.server, self._gateway.role
        if "id" not in message:
            self._reply(HTTPStatus.ACCEPTED, None, answered.session)
        elif answered.message is not None:
            self._reply(HTTPStatus.OK, answer(server, role, message, answered.message), answered.session)
        elif answered.status == HTTPStatus.NOT_FOUND and self.headers.get(SESSION):
            self._reply(HTTPStatus.NOT_FOUND, None)  # the session is over: the client begins another
        else:
            what = f"{label(server.name)} It gave no answer (HTTP status {answered.status})."
            self._reply(HTTPStatus.OK, failure(message, SERVER_FAILED, what))

    def do_DELETE(self) -> None:
        if not self._is_meant():
            return
        try:
            status = ask(self._gateway.server, "DELETE", self._carried()).status
        except CanNotBeAsked:
            status = HTTPStatus.BAD_GATEWAY
        self._reply(HTTPStatus(status) if status in _ENDED else HTTPStatus.BAD_GATEWAY, None)

    def do_GET(self) -> None:
        if self._is_meant():
            self._reply(HTTPStatus.METHOD_NOT_ALLOWED, None)  # no stream of its own: MCP lets a server say so

    def _is_meant(self) -> bool:
        if self._gateway.is_meant(self.path, self.headers.get("Host"), self.headers.get("Origin")):
            return True
        self.close_connection = True
        self._reply(HTTPStatus.NOT_FOUND, None)
        return False

    def _message(self) -> Message | None:
        """The request's message; None where it was answered with a refusal."""
        if not self._is_meant():
            return None
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()) or int(length) > LARGEST:
            self.close_connection = True
            self._reply(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, None)
            return None
        message = parsed(self.rfile.read(int(length)))
        if message is None:
            self._reply(HTTPStatus.BAD_REQUEST, None)
        return message

    def _carried(self) -> dict[str, str]:
        return {name: value for name in (SESSION, PROTOCOL) if (value := self.headers.get(name)) is not None}

    def _reply(self, status: HTTPStatus, message: Message | None, session: str | None = None) -> None:
        body = b"" if message is None else json.dumps(message).encode()
        self.send_response(status)
        if session is not None:
            self.send_header(SESSION, session)
        if body:
            self.send_header("Content-Type", "application/json")
        if status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the path is a secret of its own."""
