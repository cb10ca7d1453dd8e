"""MCP over Streamable HTTP, at one path of the service and behind its guard.

Each message is a request of its own with one JSON document as its answer: there are no sessions, no streams and no
subscriptions, so nothing is kept for a client that went away.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from mcp.server import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from thermite_pipelines.serve.access import is_for, router
from thermite_pipelines.serve.documents import PROBLEMS
from thermite_pipelines.serve.guard import BODY_BYTES, REFUSED
from thermite_pipelines.serve.mcp.server import Caller, make_server
from thermite_pipelines.serve.mcp.toolbox import Toolbox
from thermite_pipelines.serve.roles import CALLERS

PATH = "/mcp"
_MESSAGE = {"type": "object", "description": "A message of MCP: JSON-RPC 2.0.", "required": ["jsonrpc", "method"]}

_MORE: dict[int | str, dict[str, Any]] = {
    202: {"description": "A notification, which is not answered."},
    406: {"description": "The client takes no JSON."},
}

routes = router()


@routes.post(
    PATH,
    responses={**PROBLEMS, **_MORE},
    openapi_extra=is_for(
        *CALLERS, requestBody={"required": True, "content": {"application/json": {"schema": _MESSAGE}}}
    ),
    tags=["mcp"],
    response_class=Response,
)
async def answer_message(request: Request) -> Response:
    """Answer a message of an MCP client (Streamable HTTP, without sessions): see docs/service.md for the tools."""
    return _Exchange(request.app.state.mcp)


class _Exchange(Response):
    """An answer that the library of the protocol gives."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        super().__init__()
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)


@asynccontextmanager
async def answering(app: FastAPI, toolbox: Toolbox) -> AsyncIterator[None]:
    """Let an application answer messages as long as it runs."""
    manager = StreamableHTTPSessionManager(
        make_server(toolbox, _caller), json_response=True, stateless=True, max_request_body_size=BODY_BYTES
    )
    async with manager.run():
        app.state.mcp = manager
        yield


async def _caller(context: ServerRequestContext) -> Caller:
    """Whose token the request showed, as the guard found out."""
    state: dict[str, Any] = context.request.scope["state"]  # type: ignore[union-attr]

    async def note(what: str) -> None:
        state[REFUSED] = what  # the guard writes it down before it answers

    return Caller(state["principal"], state["origin"], note)
