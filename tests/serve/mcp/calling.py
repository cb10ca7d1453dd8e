"""What tests of tools share: a real client of MCP, over loopback HTTP or over standard input and output."""

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, ExitStack, asynccontextmanager
from typing import Any

import httpx2
from anyio.from_thread import start_blocking_portal
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from thermite_pipelines.serve.mcp.http import PATH

SECONDS = 300.0
MODES = ("auto", "legacy")
"""Ways to begin: messages that stand alone, and the handshake of clients of before."""
Document = dict[str, Any]


class Refused(Exception):
    """A tool answered with an error."""


@asynccontextmanager
async def over_http(url: str, secret: str, mode: str = "auto") -> AsyncIterator[Client]:
    """A client that shows a token to a service."""
    headers = {"Authorization": f"Bearer {secret}"}
    async with AsyncExitStack() as stack:
        http = httpx2.AsyncClient(headers=headers, timeout=SECONDS, trust_env=False, verify=False)
        await stack.enter_async_context(http)
        transport = streamable_http_client(f"{url}{PATH}", http_client=http)
        yield await stack.enter_async_context(Client(transport, mode=mode, read_timeout_seconds=SECONDS))


def document(result: CallToolResult) -> Document:
    """What a tool answered, which is the same as a text and as a value. Raises `Refused` for an error, one line."""
    (content,) = result.content
    text: str = content.text  # type: ignore[union-attr]
    if result.is_error:
        assert "\n" not in text and "Traceback" not in text and result.structured_content is None
        raise Refused(text)
    assert json.loads(text) == result.structured_content
    return result.structured_content


class Calls:
    """Calls by one client, from any thread. Close it."""

    def __init__(self, client: AbstractAsyncContextManager[Client]) -> None:
        self._stack = ExitStack()
        self._portal = self._stack.enter_context(start_blocking_portal())
        self._client = self._stack.enter_context(self._portal.wrap_async_context_manager(client))

    @classmethod
    def to(cls, url: str, secret: str, mode: str = "auto") -> "Calls":
        """Calls over HTTP with a token."""
        return cls(over_http(url, secret, mode))

    def __enter__(self) -> "Calls":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def tools(self) -> list[str]:
        """The names of the tools that are listed."""
        return [tool.name for tool in self._portal.call(self._client.list_tools).tools]

    def call(self, name: str, **arguments: Any) -> Document:
        """What a tool answers. Raises `Refused` where that is an error, `MCPError` where there is no such tool."""
        return document(self._portal.call(self._client.call_tool, name, arguments))

    def refusal(self, name: str, **arguments: Any) -> str:
        """The line with which a tool refuses a call."""
        try:
            answer = self.call(name, **arguments)
        except Refused as refused:
            return str(refused)
        raise AssertionError(f"it was answered: {answer}")

    def has_no(self, name: str, **arguments: Any) -> bool:
        """Whether a direct call is refused as one of a tool that there is not."""
        try:
            self.call(name, **arguments)
        except MCPError as error:
            return "no such tool" in str(error)
        except Refused:
            return False
        return False
