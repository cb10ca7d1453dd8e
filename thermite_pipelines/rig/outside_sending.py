"""Asking an outside MCP server over Streamable HTTP, with the secret, which goes to the server's own address alone."""

import http.client
import json
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import IO, Any
from urllib.parse import urlsplit

from thermite_pipelines.rig.outside import OutsideServer

SECONDS = 120
"""How long a server may be silent."""
LARGEST = 8 * 2**20
"""Bytes that a request or an answer may have."""
SESSION = "Mcp-Session-Id"
PROTOCOL = "MCP-Protocol-Version"

_SESSION_ID = re.compile(r"[!-~]{1,1024}", re.ASCII)
_HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


class CanNotBeAsked(Exception):
    """The server can't be reached, or does not speak HTTP."""


@dataclass(frozen=True)
class Answered:
    """What a server answered: the HTTP status, its session where it named one, the response to the request."""

    status: int
    session: str | None = None
    message: dict[str, Any] | None = None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry what is asked, and the session, to an address that the owner did not name."""

    def redirect_request(self, req: Any, fp: Any, code: Any, msg: Any, headers: Any, newurl: Any) -> None:
        return None


def ask(server: OutsideServer, method: str, headers: dict[str, str], message: dict[str, Any] | None = None) -> Answered:
    """Send a message, or nothing, and read the response to it. Raises `CanNotBeAsked`."""
    body = None if message is None else json.dumps(message).encode()
    handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
    if urlsplit(server.url).scheme == "http":
        handlers.append(urllib.request.ProxyHandler({}))  # loopback: through no proxy
    try:
        request = urllib.request.Request(server.url, body, _HEADERS | headers, method=method)
        request.add_unredirected_header("Authorization", f"Bearer {server.secret}")
        with urllib.request.build_opener(*handlers).open(request, timeout=SECONDS) as response:
            session = response.headers.get(SESSION)
            fit = session is not None and _SESSION_ID.fullmatch(session) and server.secret not in session
            is_stream = response.headers.get_content_type() == "text/event-stream"
            found = _response_in(response, is_stream, message["id"]) if message and "id" in message else None
            return Answered(response.status, session if fit else None, found)
    except urllib.error.HTTPError as error:
        error.close()  # its words stay here: they may repeat what was sent
        return Answered(error.code)
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise CanNotBeAsked(type(error).__name__) from None


def parsed(raw: bytes) -> dict[str, Any] | None:
    """The JSON object in some bytes; None for anything else, and for too much."""
    try:
        value = json.loads(raw) if len(raw) <= LARGEST else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _response_in(stream: IO[bytes], is_stream: bool, id: Any) -> dict[str, Any] | None:
    """The response to the request of this id, in a JSON body or among the events of a stream; None: there is none."""
    if not is_stream:
        found = parsed(stream.read(LARGEST + 1))
        return found if _answers(found, id) else None
    data: list[bytes] = []
    read = 0
    while read <= LARGEST and (line := stream.readline(LARGEST + 1)):
        read += len(line)
        if line.startswith(b"data:"):
            data.append(line[5:].strip(b"\r\n").removeprefix(b" "))
        elif not line.strip(b"\r\n"):
            found = parsed(b"\n".join(data))
            data = []
            if _answers(found, id):
                return found
    return None


def _answers(message: dict[str, Any] | None, id: Any) -> bool:
    """Whether it is the response of this id: requests and notifications of the server's own pass to nobody."""
    return message is not None and "method" not in message and message.get("id") == id
