"""Knowledge bases outside: ordinary MCP servers that the owner adds once, each with its secret.

Control never asks such a server for anything. It keeps name, URL and the sealed secret, and hands them to rigs: see
`mcp_handing`.
"""

import hmac
import ipaddress
import re
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Connection, delete, select

from thermite_pipelines.control import audit
from thermite_pipelines.control.db import upsert
from thermite_pipelines.control.mcp_models import McpServer
from thermite_pipelines.control.sealing import open_at_rest, seal_at_rest
from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.names import check_name
from thermite_pipelines.safety.redaction import redact_text
from thermite_pipelines.settings import Settings
from thermite_pipelines.times import format_rfc3339, now_micros

_LONGEST_URL = 2000
_URL = re.compile(rf"[!-~]{{1,{_LONGEST_URL}}}", re.ASCII)
_SECRET = re.compile(r"[!-~]{1,4096}", re.ASCII)


def add_server(
    connection: Connection, settings: Settings, name: str, url: str, secret: str, by: str, **origin: str
) -> bool:
    """Add a server, or give one that is there another URL or secret; False where it is there as it is given.

    `origin` goes into the audit entry. Raises `UsageError` for a name, URL or secret that breaks its rule,
    `ThermiteError` where control has no key.
    """
    check_name("MCP server", name)
    check_url(url)
    check_secret(secret)
    row = connection.execute(select(McpServer).where(McpServer.server == name)).first()
    changes = ["url", "secret"] if row is None else _changes(settings, row, url, secret)
    if not changes:
        return False
    now = now_micros()
    stored = {
        "server": name,
        "url": url,
        "sealed": seal_at_rest(settings, secret, _belongs_to(name, url)),
        "added_at": now if row is None else row.added_at,
        "added_by": by if row is None else row.added_by,
        "changed_at": now,
    }
    upsert(connection, McpServer, [stored])
    audit.record(connection, by, "mcp-add", name, url=url, changed=changes, **origin)
    return True


def remove_server(connection: Connection, name: str, by: str) -> bool:
    """Remove a server with its secret; False where there is none of that name. Raises `UsageError` for no name."""
    check_name("MCP server", name)
    if not connection.execute(delete(McpServer).where(McpServer.server == name)).rowcount:
        return False
    audit.record(connection, by, "mcp-remove", name)
    return True


def servers(connection: Connection) -> list[dict[str, Any]]:
    """All servers by name, as `thermite mcp list --json` prints them but for the kits: no secret, sealed or not."""
    return [
        {
            "name": row.server,
            "url": row.url,
            "by": row.added_by,
            "added_at": format_rfc3339(row.added_at),
            "changed_at": format_rfc3339(row.changed_at),
        }
        for row in connection.execute(select(McpServer).order_by(McpServer.server))
    ]


def open_server(connection: Connection, settings: Settings, name: str) -> tuple[str, str] | None:
    """URL and secret of a server; None where there is none of that name.

    Raises `ThermiteError` where its secret can't be opened with control's key.
    """
    row = connection.execute(select(McpServer).where(McpServer.server == name)).first()
    return None if row is None else (row.url, _secret_of(settings, row))


def check_url(url: str) -> None:
    """Raise `UsageError` unless a URL is one that a secret may be sent to, and holds none itself."""
    where = "the URL"
    if not _URL.fullmatch(url):
        raise UsageError(f"{where} is empty, too long, or holds what is no visible ASCII", do="write it as https://…")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise UsageError(f"{where} is malformed", do="write it as https://host/path") from None
    # Nothing of a refused URL is repeated: it may hold a credential.
    if parts.username is not None or parts.password is not None or "#" in url or redact_text(url) != url:
        raise UsageError(f"{where} holds a credential, or a fragment", do="give the secret apart, see `--help`")
    if not host or parts.scheme not in ("https", "http"):
        raise UsageError(f"{where} is no address of a server", do="write it as https://host/path")
    if parts.scheme == "http" and not is_loopback(host):
        raise UsageError(f"{where} would carry the secret unencrypted", do="use https; http is for loopback alone")


def check_secret(secret: str) -> None:
    """Raise `UsageError` unless a secret can stand in a header: 1 to 4096 visible ASCII characters, no blanks."""
    if not _SECRET.fullmatch(secret):
        what = "the secret is empty" if not secret else "the secret is no single word of visible ASCII, or too long"
        raise UsageError(what, do="give it on one line")


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine and nobody else."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _changes(settings: Settings, row: Any, url: str, secret: str) -> list[str]:
    try:
        same = hmac.compare_digest(_secret_of(settings, row), secret)
    except ThermiteError:
        same = False  # sealed with a key that is gone: giving it again is what puts that right
    return [name for name, is_same in (("url", row.url == url), ("secret", same)) if not is_same]


def _secret_of(settings: Settings, row: Any) -> str:
    try:
        return open_at_rest(settings, row.sealed, _belongs_to(row.server, row.url))
    except ThermiteError as error:
        do = error.do or f"give it again: `thermite mcp add {row.server} --url …`"
        raise ThermiteError(error.what, where=error.where or f"MCP server {row.server}", do=do) from None


def _belongs_to(name: str, url: str) -> bytes:
    return f"{name}\n{url}".encode()
