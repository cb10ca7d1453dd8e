"""The application that answers for the pages: all their routes, and errors as pages."""

from urllib.parse import quote, urlsplit

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.serve.access import GuardedRoute
from thermite_pipelines.serve.pages import (
    channel_pages,
    folder_pages,
    item_pages,
    paths,
    run_pages,
    search_pages,
    signing_in,
    start_pages,
    synthesis_pages,
)
from thermite_pipelines.serve.pages.feed import Feeds
from thermite_pipelines.serve.pages.rendering import render
from thermite_pipelines.serve.pages.sessions import Sessions
from thermite_pipelines.serve.problems import Refusal, document_of

ROUTERS = (
    signing_in.routes,
    folder_pages.routes,
    search_pages.routes,
    item_pages.routes,
    run_pages.routes,
    start_pages.routes,
    synthesis_pages.routes,
    channel_pages.routes,
)


def make_pages(home: Home) -> FastAPI:
    """The pages of a home, without the guard: nobody is let in by them alone."""
    app = FastAPI(title="Knowledge", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.home = home
    app.state.sessions = Sessions()
    app.state.feeds = Feeds(home)
    for one in ROUTERS:
        app.include_router(one)
    for kind in (HTTPException, RequestValidationError, ThermiteError, Exception):
        app.add_exception_handler(kind, _failed)
    return app


def page_routes() -> list[GuardedRoute]:
    """Every route of the pages, in the order in which they are looked at."""
    return [route for one in ROUTERS for route in one.routes if isinstance(route, GuardedRoute)]


async def _failed(request: Request, error: Exception) -> Response:
    """An error as a page; whoever has not signed in is led to where that is done, and told nothing else."""
    path, sign_in = request.url.path, None
    if getattr(request.state, "principal", None) is None and not paths.is_open(path):
        if request.method in ("GET", "HEAD"):
            return RedirectResponse(_signing_in(path, request.url.query), 303)
        error = Refusal(401, "you are signed out: sign in, and send it again")
        sign_in = _signing_in(*_form_place(request))
    elif isinstance(error, Refusal) and error.audited:
        request.state.refused = True  # the guard writes it down
    # The words are those that programs get.
    problem, headers = document_of(error)
    page = render(request, "error.html", status=problem["status"], problem=problem, sign_in=sign_in)
    for name, value in headers.items():
        if name.lower() in ("retry-after", "allow"):
            page.headers[name] = value
    return page


def _signing_in(path: str, query: str) -> str:
    """The address of the page for signing in that leads on to a page."""
    return f"{paths.SIGN_IN}?next={quote(f'{path}?{query}' if query else path, safe='')}"


def _form_place(request: Request) -> tuple[str, str]:
    """Path and query of the page of ours on which a form stands, as its browser says; else of the first page."""
    try:
        page = urlsplit(request.headers.get("referer", ""))
    except ValueError:
        return paths.ROOT, ""
    is_ours = page.netloc == request.headers.get("host") and paths.is_own(page.path) and not paths.is_open(page.path)
    return (page.path, page.query) if is_ours else (paths.ROOT, "")
