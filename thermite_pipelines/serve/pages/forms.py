"""What forms send, once it is seen that it comes from a page of ours that was shown to the same person."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qs, urlsplit

from fastapi import Depends, Request

from thermite_pipelines.serve.pages.sessions import NONCE_COOKIE, Session, Sessions
from thermite_pipelines.serve.problems import Refusal

TOKEN_FIELD = "form_token"
_MEDIA = "application/x-www-form-urlencoded"
_MOST_FIELDS = 1_000


@dataclass(frozen=True)
class Form:
    """The fields of a form."""

    fields: Mapping[str, list[str]]

    def text(self, name: str) -> str:
        """The value of a field with single line ends; '' where it is absent."""
        return self.fields.get(name, [""])[0].replace("\r\n", "\n")

    def line(self, name: str) -> str:
        """The same without blanks around it."""
        return self.text(name).strip()

    def words(self, name: str) -> list[str]:
        """The words of a field."""
        return self.text(name).split()

    def all(self, name: str) -> list[str]:
        """Every value of a field that may come several times, each once."""
        return list(dict.fromkeys(value for value in self.fields.get(name, []) if value))


async def _read(request: Request) -> Form:
    """The form of somebody who signed in. Raises `Refusal` where it comes from elsewhere."""
    _check_origin(request)
    form = await _parse(request)
    session: Session | None = getattr(request.state, "session", None)
    if session is None or not _same(form.text(TOKEN_FIELD), session.form_token):
        raise _refused()
    return form


async def _read_sign_in(request: Request) -> Form:
    """The form for signing in: it must have been shown to the same browser."""
    _check_origin(request)
    form = await _parse(request)
    sessions: Sessions = request.app.state.sessions
    nonce = request.cookies.get(NONCE_COOKIE)
    if not nonce or not _same(form.text(TOKEN_FIELD), sessions.seal(nonce)):
        raise Refusal(403, "this page lay open for too long, or cookies are off: load it again", audited=True)
    return form


FormOf = Annotated[Form, Depends(_read)]
SignInForm = Annotated[Form, Depends(_read_sign_in)]


def _check_origin(request: Request) -> None:
    """Raise `Refusal` unless the browser says that the form stands on a page of this service."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    place = None if origin is None else urlsplit(origin).netloc
    if site not in (None, "same-origin") or place is None or place != request.headers.get("host"):
        raise _refused()


async def _parse(request: Request) -> Form:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != _MEDIA:
        raise Refusal(415, "send the form as browsers do")
    try:
        text = (await request.body()).decode("ascii")
        fields = parse_qs(text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise Refusal(422, "the form can't be read") from None
    if any("\0" in value for values in fields.values() for value in values):
        raise Refusal(422, "the form holds a letter that no text may hold")
    return Form(fields)


def _same(shown: str, wanted: str) -> bool:
    return hmac.compare_digest(shown.encode(), wanted.encode())


def _refused() -> Refusal:
    return Refusal(403, "this form does not come from a page that was shown to you: load the page again", audited=True)
