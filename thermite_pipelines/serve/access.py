"""Who may ask for what: each route names the roles that it is for, and whoever has another is refused.

A route that names none can't be made, so none is open by mistake. Roles are looked at before anything of the request
is read.
"""

import re
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.routing import APIRoute
from starlette.responses import Response

from thermite_pipelines.control.tokens import Principal
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.knowledge.readable import Reader
from thermite_pipelines.serve.problems import Refusal
from thermite_pipelines.serve.roles import ANYONE, READERS

_ROLES = "x-roles"
_NAME = re.compile(r"\{(\w+)(:\w+)?\}")


def is_for(*names: str, **more: Any) -> dict[str, Any]:
    """What a route is made with to say whom it is for, as its `openapi_extra`; `more` goes into OpenAPI too."""
    return {_ROLES: list(names), **more}


class GuardedRoute(APIRoute):
    """A route for certain roles. Raises `RuntimeError` where it is made without them."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        if not (options.get("openapi_extra") or {}).get(_ROLES):
            raise RuntimeError(f"the route {path} does not say whom it is for")
        super().__init__(path, endpoint, **options)

    @property
    def roles(self) -> tuple[str, ...]:
        """Whom it is for."""
        return tuple((self.openapi_extra or {})[_ROLES])

    @property
    def requests(self) -> list[str]:
        """What it answers, as documents write it: `GET /folders`."""
        path = _NAME.sub(r"{\1}", self.path)
        return [f"{method} {path}" for method in sorted(self.methods or ())]

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request: the endpoint, once the caller is seen to be one that it is for."""
        answer = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            _check(request, self.roles)
            return await answer(request)

        return guarded


def router() -> APIRouter:
    """A router that makes guarded routes alone."""
    return APIRouter(route_class=GuardedRoute)


def _check(request: Request, wanted: tuple[str, ...]) -> None:
    if wanted == ANYONE:
        return
    principal = getattr(request.state, "principal", None)
    if not isinstance(principal, Principal) or principal.role not in wanted:
        raise Refusal(403, "this token is not for that", audited=True)
    # A token that is for one rig says nothing of another, not even whether there is one.
    if principal.rig is not None and request.path_params.get("rig", principal.rig) != principal.rig:
        raise Refusal(404, "there is nothing here", audited=True)


def reader_of(principal: Principal) -> Reader:
    """Whose eyes a token reads folders with: people see all. Raises `Refusal` for any other.

    What a run's agents see is asked for by their run (`search_for_run`), and what its rig fetches by the run's folder.
    """
    if principal.role not in READERS:
        raise Refusal(403, "this token is not for that", audited=True)
    return Reader.owner()


async def _caller(request: Request) -> Principal:
    return request.state.principal


async def _reader(request: Request) -> Reader:
    return reader_of(request.state.principal)


async def _home(request: Request) -> Home:
    return request.app.state.home


Caller = Annotated[Principal, Depends(_caller)]
"""Who asks."""
ReaderOf = Annotated[Reader, Depends(_reader)]
"""Whose eyes whoever asks reads folders with."""
HomeOf = Annotated[Home, Depends(_home)]
"""The home that is served."""
