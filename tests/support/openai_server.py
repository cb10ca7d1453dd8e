"""A server on loopback that speaks `/v1/chat/completions` and `/v1/embeddings` as scripted, and keeps requests.

A script is a list of replies, taken in order, or a function of the request. Once a list is used up, the last reply is
given again.
"""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_NO_LINGER = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Asked:
    """One request: its number from 0, its body and its headers (names in small letters)."""

    number: int
    body: dict[str, Any]
    headers: dict[str, str]

    @property
    def model(self) -> str:
        """The model's name as the server sees it."""
        return self.body["model"]

    @property
    def last(self) -> str:
        """The text of the last message."""
        return self.body["messages"][-1]["content"]


@dataclass(frozen=True)
class Reply:
    """What to send: a chat completion made of the first fields, or `body` as it is with `status`.

    `usage` is (in, out), None leaves it out. `wait` holds the answer back until the server is closed or so many seconds
    have passed. `drip` sends one byte each so many seconds. `cut` breaks the connection after so many bytes of the
    body.
    """

    text: str | None = None
    finish: str = "stop"
    refusal: str | None = None
    usage: tuple[int, int] | None = (10, 5)
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    drip: float = 0.0
    cut: int | None = None

    def made(self, model: str) -> Any:
        """The JSON value of the body."""
        if self.body is not None:
            return self.body
        message = {"role": "assistant", "content": self.text, "refusal": self.refusal}
        choice = {"index": 0, "message": message, "finish_reason": self.finish}
        made: dict[str, Any] = {"id": "c-1", "object": "chat.completion", "created": 1, "model": model}
        made["choices"] = [choice]
        if self.usage is not None:
            spent, given = self.usage
            made["usage"] = {"prompt_tokens": spent, "completion_tokens": given, "total_tokens": spent + given}
        return made


def says(value: Any, **more: Any) -> Reply:
    """A reply whose text is a value as JSON."""
    return Reply(json.dumps(value, ensure_ascii=False), **more)


def fails(status: int, message: str = "scripted", **headers: str) -> Reply:
    """An error as OpenAI words it; `headers` with '_' for '-'."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status=status, body={"error": {"message": message, "type": "scripted", "code": None}}, headers=named)


Script = Sequence[Reply] | Callable[[Asked], Reply]


class OpenAIServer:
    """A running server. `asked` grows with each request; `script` may be replaced between requests."""

    def __init__(self, script: Script = ()) -> None:
        self.script = script
        self.asked: list[Asked] = []
        self.most_at_once = 0
        self._now = 0
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """What to give as `api_base`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def now(self) -> int:
        """How many requests are being answered."""
        return self._now

    def begin(self, body: dict[str, Any], headers: dict[str, str]) -> Reply:
        """Note a request and choose its reply."""
        with self._lock:
            asked = Asked(len(self.asked), body, headers)
            self.asked.append(asked)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            script = self.script
            if not callable(script):
                return script[min(asked.number, len(script) - 1)]
        return script(asked)

    def end(self) -> None:
        """Note that a request is done."""
        with self._lock:
            self._now -= 1

    def close(self) -> None:
        """Stop; replies that are held back are given up."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _send(handler: BaseHTTPRequestHandler, reply: Reply, data: bytes, closing: threading.Event) -> None:
    """Send a body whole, in part, or byte by byte."""
    if reply.cut is not None:
        handler.wfile.write(data[: reply.cut])
        handler.wfile.flush()
        # Nothing lingers: the other side sees the connection break, as when a server dies.
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        handler.close_connection = True
        return
    if not reply.drip:
        handler.wfile.write(data)
        return
    for place in range(len(data)):
        handler.wfile.write(data[place : place + 1])
        if closing.wait(reply.drip):
            handler.close_connection = True
            return


def _handler(owner: OpenAIServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            if owner.closing.is_set():
                self.close_connection = True  # a connection that was kept open outlives the listening socket
                return
            try:
                if self.path in ("/v1/chat/completions", "/v1/embeddings"):
                    self._reply(owner.begin(body, headers), body["model"])
                else:
                    self.send_error(404)
            except OSError:
                self.close_connection = True  # whoever asked has gone
            finally:
                owner.end()

        def _reply(self, reply: Reply, model: str) -> None:
            if reply.wait and owner.closing.wait(reply.wait):
                self.close_connection = True
                return
            data = json.dumps(reply.made(model)).encode()
            self.send_response(reply.status)
            for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            _send(self, reply, data, owner.closing)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    return Handler


@contextmanager
def raw_server(answer: Callable[[socket.socket, threading.Event], None]) -> Iterator[str]:
    """A server that reads a request and then does as told with the connection; gives its address.

    `answer` gets an event that is set when the server closes, for waits between bytes.
    """
    closing = threading.Event()

    def serve(connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as asked, suppress(OSError):
            head = iter(asked.readline, b"\r\n")
            sizes = [int(line.split(b":")[1]) for line in head if line.lower().startswith(b"content-length:")]
            asked.read(sum(sizes))
            answer(connection, closing)

    def listen() -> None:
        with suppress(OSError):
            while not closing.is_set():
                threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=listen, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
        finally:
            closing.set()
            listening.shutdown(socket.SHUT_RDWR)


@contextmanager
def openai_server(script: Script = ()) -> Iterator[OpenAIServer]:
    """A server for the time of a `with`."""
    server = OpenAIServer(script)
    try:
        yield server
    finally:
        server.close()
