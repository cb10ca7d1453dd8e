"""Who has signed in. A session is 256 random bits in a cookie, known here by their hash, and stands for a token's id.

Sessions are in memory alone: when the service begins anew, people sign in again. The token itself is kept nowhere, and
each request looks at control's record, so that a token that is revoked ends its sessions at once.
"""

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from starlette.requests import cookie_parser

COOKIE = "thermite_session"
NONCE_COOKIE = "thermite_sign_in"
SECONDS = 12 * 3600
"""How long a session lasts."""
MOST = 1_000
MOST_OF_TOKEN = 20
_MOST_NOTES = 5


@dataclass
class Session:
    """A browser in which somebody signed in. `form_token`: what its forms must show; `notes`: said on the next page."""

    token: str
    until: float
    form_token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    notes: list[tuple[str, str]] = field(default_factory=list)

    def note(self, kind: str, text: str) -> None:
        """Say something (`done` or `failed`) on the next page that is shown."""
        self.notes = [*self.notes, (kind, text)][-_MOST_NOTES:]

    def take_notes(self) -> list[tuple[str, str]]:
        """What is to be said, once."""
        notes, self.notes = self.notes, []
        return notes


class Sessions:
    """All sessions; the oldest end where there are too many. For one process, from any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._key = secrets.token_bytes(32)

    def begin(self, token: str) -> str:
        """Begin a session of the token with that id; what its cookie holds."""
        of_token = [key for key, one in list(self._sessions.items()) if one.token == token]
        for key in of_token[: len(of_token) - MOST_OF_TOKEN + 1]:
            self._sessions.pop(key, None)
        secret = secrets.token_urlsafe(32)
        self._sessions[_key(secret)] = Session(token, self._clock() + SECONDS)
        while len(self._sessions) > MOST:
            self._sessions.popitem(last=False)
        return secret

    def find(self, secret: str | None) -> Session | None:
        """The session that a cookie stands for; None where there is none, or it has lasted long enough."""
        if secret is None:
            return None
        session = self._sessions.get(_key(secret))
        if session is not None and session.until <= self._clock():
            self.end(secret)
            return None
        return session

    def end(self, secret: str | None) -> None:
        """End a session."""
        if secret is not None:
            self._sessions.pop(_key(secret), None)

    def seal(self, nonce: str) -> str:
        """What the form for signing in must show beside the cookie `NONCE_COOKIE` with this value."""
        return hmac.new(self._key, nonce.encode(), hashlib.sha256).hexdigest()


def cookie(headers: Iterable[tuple[bytes, bytes]], name: str) -> str | None:
    """The value of a cookie that a request shows; None where it shows none."""
    shown = "; ".join(value.decode("latin-1") for key, value in headers if key == b"cookie")
    return cookie_parser(shown).get(name)


def _key(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
