"""MCP over standard input and output, for a client that starts the service as a program of its own on this machine.

The token comes from the environment or a file: words of a command can be read by anybody on the machine.
"""

import os
import signal
import stat
from pathlib import Path

import anyio
import mcp_types as types
from anyio import to_thread
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.stdio import stdio_server

from thermite_pipelines.control.tokens import Principal, holder_of
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.knowledge.home import Home
from thermite_pipelines.serve.mcp.server import Caller, make_server
from thermite_pipelines.serve.mcp.toolbox import Toolbox
from thermite_pipelines.serve.rates import Rates
from thermite_pipelines.serve.refusals import Refusals
from thermite_pipelines.serve.reviews import Reviews
from thermite_pipelines.serve.roles import CALLERS

VARIABLE = "THERMITE_TOKEN"
ADDRESS = "stdio"
_LONGEST = 200


def read_token(file: Path | None) -> str:
    """The token in a file, or else in the environment, from which it is taken away.

    Raises `UsageError` where there is none, or the file may be read by others.
    """
    found = os.environ.pop(VARIABLE, "")
    if file is not None:
        try:
            with file.open(encoding="ascii") as opened:
                if os.fstat(opened.fileno()).st_mode & (stat.S_IRWXG | stat.S_IRWXO):
                    raise UsageError("others may read the token", where=str(file), do=f"chmod 600 {file}")
                found = opened.read(_LONGEST)
        except (OSError, UnicodeError) as error:
            what = getattr(error, "strerror", None) or "there is no token in it"
            raise UsageError(what, where=str(file), do="name a file that holds a token and nothing else") from None
    if not found.strip():
        raise UsageError("there is no token", do=f"put one into {VARIABLE}, or name a file with --token-file")
    return found.strip()


def serve(home: Home, secret: str) -> None:
    """Answer messages until the input ends. Raises `ThermiteError` for a token that does not count."""
    session = _Session(home, secret)
    session.principal()
    # The reading of the input can't be broken off, and nothing is lost by an end at any point.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(session.run)


class _Session:
    """One client, for as long as its input lasts. Its token is looked at anew with each message."""

    def __init__(self, home: Home, secret: str) -> None:
        self._home = home
        self._secret = secret
        self._rates = Rates(home.settings.serve_requests_per_minute)
        self._refusals = Refusals(home.control)

    async def run(self) -> None:
        server = make_server(Toolbox(self._home, Reviews(self._home)), self._caller)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    def principal(self) -> Principal:
        """Whose token it is now. Raises `ThermiteError` where it does not count, or has no tools."""
        with self._home.control.read() as connection:
            found = holder_of(connection, self._secret)
        if found is None:
            raise ThermiteError("this token does not count", do="look at `thermite token list`")
        if found.role not in CALLERS:
            raise ThermiteError(f"a token of role {found.role} has no tools", do="use one of another role")
        return found

    async def _caller(self, _: ServerRequestContext) -> Caller:
        try:
            found = await to_thread.run_sync(self.principal)
        except ThermiteError as error:
            raise MCPError(types.INVALID_REQUEST, error.what if error.__cause__ is None else "ask again") from None
        if not self._rates.take(found.id):
            raise MCPError(types.INVALID_REQUEST, "too many requests; ask again later")

        async def note(what: str) -> None:
            await to_thread.run_sync(self._refusals.note, found, ADDRESS, what, 403)

        return Caller(found, f"{ADDRESS} token {found.id}", note)
