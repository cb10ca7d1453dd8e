"""The application: all routes, and the guard before them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.serve import (
    deciding_routes,
    outgoing_routes,
    problems,
    reading_routes,
    rig_routes,
    synthesis_routes,
)
from thermite_pipelines.serve.access import GuardedRoute, is_for, router
from thermite_pipelines.serve.guard import HEALTH, Guard
from thermite_pipelines.serve.mcp import http as mcp_http
from thermite_pipelines.serve.mcp.toolbox import Toolbox
from thermite_pipelines.serve.pages.app import make_pages
from thermite_pipelines.serve.pages.paths import is_page
from thermite_pipelines.serve.reviews import Reviews
from thermite_pipelines.serve.roles import ANYONE, READERS
from thermite_pipelines.serve.uploads import Uploads

TITLE = "Thermite Pipelines"
DESCRIPTION = "/openapi.json"

own = router()


@own.get(HEALTH, openapi_extra=is_for(*ANYONE), tags=["service"])
async def health() -> dict[str, bool]:
    """A sign of life, for whoever watches the service; needs no token and says nothing else."""
    return {"ok": True}


@own.get(DESCRIPTION, openapi_extra=is_for(*READERS), tags=["service"])
def describe(request: Request) -> dict[str, Any]:
    """What the service offers, as programs read it (OpenAPI)."""
    return request.app.openapi()


ROUTERS = (
    own,
    reading_routes.routes,
    deciding_routes.routes,
    synthesis_routes.routes,
    mcp_http.routes,
    rig_routes.routes,
    outgoing_routes.routes,
)


def make_app(home: Home) -> Guard:
    """The application that serves a home."""
    pages = make_pages(home)
    return Guard(_either(make_routes(home), pages), home, pages.state.sessions, pages.state.feeds.end)


def _either(routes: ASGIApp, pages: ASGIApp) -> ASGIApp:
    """The application that answers for pages by their own rules, and for all else by the routes."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        is_for_pages = scope["type"] == "http" and is_page(scope["path"])
        await (pages if is_for_pages else routes)(scope, receive, send)

    return answer


def make_routes(home: Home) -> FastAPI:
    """The routes without the guard: nobody is let in by them alone, since each asks whose token was shown."""
    app = FastAPI(title=TITLE, openapi_url=None, docs_url=None, redoc_url=None, lifespan=_at_work)
    app.router.route_class = GuardedRoute
    app.state.home = home
    app.state.uploads = Uploads(home.settings)
    app.state.reviews = Reviews(home)
    for one in ROUTERS:
        app.include_router(one)
    problems.add_to(app)
    app.add_exception_handler(405, _not_that_way)
    return app


@asynccontextmanager
async def _at_work(app: FastAPI) -> AsyncIterator[None]:
    """What has to run as long as requests are answered."""
    async with mcp_http.answering(app, Toolbox(app.state.home, app.state.reviews)):
        yield


async def _not_that_way(request: Request, _error: Exception) -> Response:
    """The answer where a path is there for other methods: it names all of them, also those of other routes."""
    path = request.scope["path"]
    methods = {name for route in all_routes() if route.path_regex.fullmatch(path) for name in route.methods or ()}
    return problems.problem(405, "this is not asked for that way", headers={"Allow": ", ".join(sorted(methods))})


def all_routes() -> list[GuardedRoute]:
    """Every route that there is, in the order in which they are looked at."""
    return [route for one in ROUTERS for route in one.routes if isinstance(route, GuardedRoute)]
