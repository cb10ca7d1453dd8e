"""`thermite serve`: the service for people, agents and rigs that stand elsewhere, and tools for programs here."""

import ipaddress
import logging
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thermite_pipelines.cli.options import Home, Json
from thermite_pipelines.cli.output import clean, print_json, program, say, warn
from thermite_pipelines.errors import UsageError

if TYPE_CHECKING:
    from thermite_pipelines.knowledge.home import Home as OpenHome

PORT = 8420


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(serve)


def serve(
    home: Home = None,
    host: Annotated[str, typer.Option("--host", help="The address that it listens on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Its port; 0 takes a free one.")] = PORT,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Tools over standard input and output instead, for the one who starts it.")
    ] = False,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", metavar="FILE", help="With --stdio: holds the token (default: THERMITE_TOKEN)."),
    ] = None,
    json: Json = False,
) -> None:
    """Serve this home over HTTP to whoever shows a token (`thermite token add`); Ctrl-C ends it."""
    from thermite_pipelines.knowledge.home import open_home

    if token_file is not None and not stdio:
        raise UsageError("--token-file goes with --stdio", do="leave it out: over HTTP each request shows a token")
    opened = open_home(home=home)
    _log_to_stderr()
    if stdio:
        from thermite_pipelines.serve.mcp import stdio as tools

        tools.serve(opened, tools.read_token(token_file))
    else:
        _serve_http(opened, host, port, json)


def _serve_http(opened: "OpenHome", host: str, port: int, json: bool) -> None:
    from thermite_pipelines.serve import server
    from thermite_pipelines.serve.pages.paths import ROOT

    listening = server.listen(host, port)
    url = server.address(listening)

    def ready() -> None:
        if json:
            print_json({"home": str(opened.settings.home), "url": url})
        else:
            say(f"{clean(opened.settings.home)} is served at {url}; Ctrl-C ends it")
            say(f"Open {url}{ROOT} in a browser and sign in with a token; this makes one, in another terminal:")
            say(f"    THERMITE_HOME={shlex.quote(clean(opened.settings.home))} {program()} token add --role owner")
        sys.stdout.flush()

    if not _is_loopback(listening.getsockname()[0]):
        warn("note: tokens and texts go over the network as they are: put a proxy that speaks TLS before it")
    server.serve(opened, listening, ready)


def _is_loopback(host: str) -> bool:
    return ipaddress.ip_address(host).is_loopback


def _log_to_stderr() -> None:
    """Let what went wrong inside be read by whoever runs the service: one line each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_OneLine("%(asctime)s %(levelname)s %(message)s"))
    # What clients of tools send wrong is no news, and the library's words for it may hold theirs.
    for name, level in (("thermite_pipelines", logging.WARNING), ("uvicorn", logging.WARNING), ("mcp", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(level)


class _OneLine(logging.Formatter):
    """Says what went wrong without the trace that led there."""

    def formatException(self, ei: Any) -> str:
        return ""
