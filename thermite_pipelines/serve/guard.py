"""What stands before every route: tokens, bounds, and what every answer carries.

It is the outermost part of the application, so whatever is added behind it is guarded: without a token that control's
record knows, nothing but the sign of life is answered. Pages are for browsers, which show a session's cookie instead;
without one they lead to the page for signing in and to nothing else.
"""

import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from thermite_pipelines.control import audit
from thermite_pipelines.control.tokens import PEOPLE, Principal, holder_of, holder_with_id
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.serve.pages.paths import is_page
from thermite_pipelines.serve.pages.sessions import COOKIE, Session, Sessions, cookie
from thermite_pipelines.serve.problems import Refusal, of_error
from thermite_pipelines.serve.rates import Rates
from thermite_pipelines.serve.refusals import Refusals

logger = logging.getLogger(__name__)

HEALTH = "/health"
REFUSED = "refused"
"""In a request's state: it was refused, whatever the status says; a text says what was asked for by it."""
OPEN = frozenset({HEALTH})
"""Paths that need no token."""
BODY_BYTES = 2 * 2**20
"""Largest body of a request, but for uploads, which count by themselves."""
BODY_SECONDS = 30.0
"""How long a body may take to arrive, but for uploads."""
STRANGERS_PER_MINUTE = 60
"""How many requests without a good token are looked at in a minute from one address."""
BROWSERS_PER_MINUTE = 600
"""How many requests for pages of whoever has not signed in: behind a proxy all of them come from one address."""
LOOKUPS = 8

UPLOAD = re.compile(r"/rigs/[^/]+/reports", re.ASCII)
_BEARER = re.compile(rb"bearer +([!-~]{1,200})", re.IGNORECASE)
_HEADERS: Mapping[bytes, bytes] = {
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    b"cross-origin-resource-policy": b"same-origin",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
}


class Guard:
    """The application with the guard before it."""

    def __init__(self, app: ASGIApp, home: Home, sessions: Sessions, end: Callable[[], None] = lambda: None) -> None:
        self.end = end
        """Ends answers that would go on by themselves: the service is to end."""
        self._app = app
        self._home = home
        self._sessions = sessions
        self._requests = Rates(home.settings.serve_requests_per_minute)
        self._strangers = Rates(STRANGERS_PER_MINUTE)
        self._browsers = Rates(BROWSERS_PER_MINUTE)
        self._refusals = Refusals(home.control)
        self._lookups: anyio.CapacityLimiter | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":
            return  # nothing else is spoken here, so the server refuses it
        answer = _Answer(scope, send, self._note)
        try:
            principal = await self._admit(scope)
            origin = _origin(scope, principal)
            scope.setdefault("state", {}).update(principal=principal, origin=origin)
            bounded = receive if UPLOAD.fullmatch(scope["path"]) else _Bounded(scope, receive)
            with audit.coming_from(origin):
                await self._app(scope, bounded, answer)
        except Exception as error:  # noqa: BLE001 - whatever it is, the answer is a problem document
            # Routes' own errors were answered inside; what is raised again after that has been logged.
            if not answer.status:
                await of_error(error)(scope, receive, answer)

    async def _admit(self, scope: Scope) -> Principal | None:
        """Whose token the request shows; None on the paths that need none. Raises `Refusal`."""
        if scope["path"] in OPEN:
            return None
        if is_page(scope["path"]):
            return await self._admit_browser(scope)
        address = _address(scope)
        secret = _secret(scope)
        principal = None if secret is None else await self._lookup(lambda: self._find(secret))
        if principal is None:
            if not self._strangers.take(address):
                raise _too_many(self._strangers.wait(address))
            raise Refusal(401, "show a token that counts", headers={"WWW-Authenticate": "Bearer"}, audited=True)
        if not self._requests.take(principal.id):
            raise _too_many(self._requests.wait(principal.id))
        return principal

    async def _admit_browser(self, scope: Scope) -> Principal | None:
        """Who signed in, where the request shows the cookie of a session."""
        secret = cookie(scope["headers"], COOKIE)
        session = self._sessions.find(secret)
        principal = None if session is None else await self._lookup(lambda: self._find_session(session))
        if session is None or principal is None:
            self._sessions.end(secret)
            if not self._browsers.take(_address(scope)):
                raise _too_many(self._browsers.wait(_address(scope)))
            return None
        if not self._requests.take(principal.id):
            raise _too_many(self._requests.wait(principal.id))
        scope.setdefault("state", {})["session"] = session
        return principal

    async def _lookup(self, find: Callable[[], Principal | None]) -> Principal | None:
        """Whose token it is, by control's record as it stands: one that was revoked counts no longer at once."""
        # Lookups have threads of their own: long work of others must not keep anybody out.
        if self._lookups is None:
            self._lookups = anyio.CapacityLimiter(LOOKUPS)
        return await anyio.to_thread.run_sync(find, limiter=self._lookups)

    def _find_session(self, session: Session) -> Principal | None:
        with self._home.control.read() as connection:
            principal = holder_with_id(connection, session.token)
        return principal if principal is not None and principal.role in PEOPLE else None

    def _find(self, secret: str) -> Principal | None:
        with self._home.control.read() as connection:
            return holder_of(connection, secret)

    async def _note(self, scope: Scope, status: int) -> None:
        """Write a refusal down, before it is answered."""
        state = scope.get("state", {})
        refused = state.get(REFUSED)
        if status not in (401, 403) and not refused:
            return
        request, principal = f"{scope['method']} {scope['path']}", state.get("principal")
        if isinstance(refused, str):
            request, status = refused, 403
        try:
            await anyio.to_thread.run_sync(self._refusals.note, principal, _address(scope), request, status)
        except ThermiteError as error:
            logger.error("a refusal could not be written to the audit log: %s", error)


class _Answer:
    """Sends an answer on, with the headers that every answer carries; `status` is 0 until it begins.

    `note` is told of the status before anybody else is.
    """

    def __init__(self, scope: Scope, send: Send, note: Callable[[Scope, int], Awaitable[None]]) -> None:
        self._scope = scope
        self._send = send
        self._note = note
        self.status = 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            await self._note(self._scope, self.status)
            given = list(message.get("headers", ()))
            names = {name.lower() for name, _ in given}
            message = {**message, "headers": given + [pair for pair in _HEADERS.items() if pair[0] not in names]}
        await self._send(message)


class _Bounded:
    """The body of a request, up to a size and a time. Raises `Refusal` past them."""

    def __init__(self, scope: Scope, receive: Receive, clock: Callable[[], float] = time.monotonic) -> None:
        self._receive = receive
        self._left = BODY_BYTES
        self._until = clock() + BODY_SECONDS
        self._clock = clock
        self._whole = False
        if declared_length(scope) > BODY_BYTES:
            raise too_large(BODY_BYTES)

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()
        try:
            with anyio.fail_after(max(self._until - self._clock(), 0)):
                message = await self._receive()
        except TimeoutError:
            raise Refusal(408, "the request took too long to arrive") from None
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            if self._left < 0:
                raise too_large(BODY_BYTES)
        return message


def declared_length(scope: Scope) -> int:
    """The length that a request says its body has; 0 where it says none."""
    values = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(values[0]) if values and values[0].isdigit() else 0


def too_large(limit: int) -> Refusal:
    """The refusal of a body of more bytes than the limit."""
    return Refusal(413, f"more than {limit} bytes were sent")


def _too_many(seconds: int) -> Refusal:
    return Refusal(429, "too many requests; ask again later", headers={"Retry-After": str(seconds)})


def _secret(scope: Scope) -> str | None:
    """The token that a request shows; None where it shows none, or more than one."""
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    found = _BEARER.fullmatch(values[0]) if len(values) == 1 else None
    return found[1].decode("ascii") if found else None


def _address(scope: Scope) -> str:
    client: Any = scope.get("client")
    return client[0] if client else "unknown"


def _origin(scope: Scope, principal: Principal | None) -> str:
    return f"http {_address(scope)}" + (f" token {principal.id}" if principal else "")
