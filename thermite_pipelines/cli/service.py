"""`thermite serve`: the service for people, agents and rigs that stand elsewhere."""

import ipaddress
import logging
import sys
from typing import Annotated

import typer

from thermite_pipelines.cli.options import Home, Json
from thermite_pipelines.cli.output import clean, print_json, say, warn

PORT = 8420


def add_to(app: typer.Typer) -> None:
    """Add this command to the command line."""
    app.command()(serve)


def serve(
    home: Home = None,
    host: Annotated[str, typer.Option("--host", help="The address that it listens on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="Its port; 0 takes a free one.")] = PORT,
    json: Json = False,
) -> None:
    """Serve this home over HTTP to whoever shows a token (`thermite token add`); Ctrl-C ends it."""
    from thermite_pipelines.knowledge.home import open_home
    from thermite_pipelines.serve import server

    opened = open_home(home=home)
    listening = server.listen(host, port)
    url = server.address(listening)

    def ready() -> None:
        if json:
            print_json({"home": str(opened.settings.home), "url": url})
        else:
            say(f"{clean(opened.settings.home)} is served at {url}; Ctrl-C ends it")
        sys.stdout.flush()

    if not _is_loopback(listening.getsockname()[0]):
        warn("note: tokens and texts go over the network as they are: put a proxy that speaks TLS before it")
    _log_to_stderr()
    server.serve(opened, listening, ready)


def _is_loopback(host: str) -> bool:
    return ipaddress.ip_address(host).is_loopback


def _log_to_stderr() -> None:
    """Let what went wrong inside be read by whoever runs the service: one line each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    for name in ("thermite_pipelines", "uvicorn"):
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(logging.WARNING)
