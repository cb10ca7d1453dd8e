"""Signing in with a token, and out; and the files of our own that pages name.

The token comes in the body of the form alone. What the browser keeps is a session's cookie, which scripts can't read
and other sites can't send.
"""

import secrets
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import RedirectResponse, Response

from thermite_pipelines.control.tokens import PEOPLE, holder_of
from thermite_pipelines.serve.access import HomeOf, is_for, router
from thermite_pipelines.serve.pages import paths
from thermite_pipelines.serve.pages.forms import FormOf, SignInForm
from thermite_pipelines.serve.pages.rendering import render, static
from thermite_pipelines.serve.pages.sessions import COOKIE, NONCE_COOKIE, SECONDS, Sessions
from thermite_pipelines.serve.problems import Refusal
from thermite_pipelines.serve.roles import ANYONE, READERS

routes = router()

Next = Annotated[str, Query(max_length=2_000)]


@routes.get(paths.START, openapi_extra=is_for(*ANYONE))
def begin() -> Response:
    """Lead to the first page."""
    return RedirectResponse(paths.ROOT, 303)


@routes.get(f"{paths.STATIC}/{{name}}", openapi_extra=is_for(*ANYONE))
def own_file(name: str) -> Response:
    """A style, a script or a picture of our own."""
    found = static(name)
    if found is None:
        raise Refusal(404, "there is nothing here")
    return found


@routes.get(paths.SIGN_IN, openapi_extra=is_for(*ANYONE))
def ask(request: Request, next: Next = paths.ROOT) -> Response:
    """The form that takes a token."""
    if request.state.principal is not None:
        return RedirectResponse(_onward(next), 303)
    return _form(request, _onward(next))


@routes.post(paths.SIGN_IN, openapi_extra=is_for(*ANYONE))
def sign_in(request: Request, form: SignInForm, home: HomeOf) -> Response:
    """Begin a session for whoever shows a token of a person."""
    onward = _onward(form.line("next"))
    with home.control.read() as connection:
        principal = holder_of(connection, form.line("token"))
    if principal is None:
        return _form(request, onward, "This token does not count: it is mistyped, or it was revoked.", 401)
    if principal.role not in PEOPLE:
        request.state.principal = principal  # for the audit log
        what = f"This token is for {principal.role}s. The page is for people: owners, operators and readers."
        return _form(request, onward, what, 403)
    sessions: Sessions = request.app.state.sessions
    answer = RedirectResponse(onward, 303)
    _keep(request, answer, COOKIE, sessions.begin(principal.id), SECONDS)
    answer.delete_cookie(NONCE_COOKIE, path=paths.ROOT)
    return answer


@routes.post(paths.SIGN_OUT, openapi_extra=is_for(*READERS))
def sign_out(request: Request, form: FormOf) -> Response:
    """End the session."""
    sessions: Sessions = request.app.state.sessions
    sessions.end(request.cookies.get(COOKIE))
    answer = RedirectResponse(paths.SIGN_IN, 303)
    answer.delete_cookie(COOKIE, path=paths.ROOT)
    return answer


def _form(request: Request, onward: str, failed: str = "", status: int = 200) -> Response:
    nonce = request.cookies.get(NONCE_COOKIE) or secrets.token_urlsafe(24)
    sessions: Sessions = request.app.state.sessions
    values = {"failed": failed, "next": onward, "sign_in_token": sessions.seal(nonce), "principal": None}
    answer = render(request, "sign_in.html", status=status, **values)
    _keep(request, answer, NONCE_COOKIE, nonce, SECONDS)
    return answer


def _keep(request: Request, answer: Response, name: str, value: str, seconds: int) -> None:
    # The browser says by which scheme the page came; what a proxy says of it could be anybody's word.
    is_tls = (request.headers.get("origin") or "").startswith("https://")
    answer.set_cookie(name, value, seconds, path=paths.ROOT, secure=is_tls, httponly=True, samesite="strict")


def _onward(address: str) -> str:
    return address if paths.is_own(address) and not paths.is_open(address.partition("?")[0]) else paths.ROOT
