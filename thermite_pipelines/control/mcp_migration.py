"""From the old settings of an outside knowledge base, with its roles writer and reader, to MCP servers.

Each role becomes an MCP server with its token. Its part of the settings file is then taken out, with the token, the
grants and the copying: whatever still reads the file has nothing left to copy to. Servers are stored first, so that a
kill in between loses no token, and doing it again goes on from there. Nothing is asked of the outside server: pages
that were written there stay.
"""

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from thermite_pipelines.control.mcp_servers import add_server, check_secret, check_url, open_server
from thermite_pipelines.errors import ThermiteError
from thermite_pipelines.names import check_name
from thermite_pipelines.settings import Settings
from thermite_pipelines.tables.lake import write_atomic

TABLES = ("knowledge_base", "outside_knowledge_base")
"""What the old settings are called in the file."""
ROLES = ("writer", "reader")
DEFAULT_NAME = "knowledge-base"

_LARGEST = 2**20
_HEADER = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_-]+)")
_WHAT = "use a TOML or JSON file with [knowledge_base.writer], [knowledge_base.reader] or both, each with url and token"


@dataclass(frozen=True)
class OldServer:
    """One role of the old settings. `pages`: how many it names, written there or read from there."""

    name: str
    role: str
    url: str
    token: str = field(repr=False)
    pages: int


@dataclass(frozen=True)
class OldSettings:
    """What the old settings in a file hold, and the file without them."""

    servers: list[OldServer]
    grants: int
    rest: bytes | None  # None: there is nothing to take out


def read_old_settings(path: Path) -> OldSettings:
    """The old settings in a file; no servers where there are none, or none any more.

    Raises `ThermiteError` for a file that can't be read, or whose old settings make no sense.
    """
    where = str(path)
    try:
        with path.open("rb") as stream:
            raw = stream.read(_LARGEST + 1)
    except OSError as error:
        raise ThermiteError(f"it can't be read ({error.strerror})", where=where, do="give the settings file") from None
    as_json = raw.lstrip().startswith(b"{")
    loads: Callable[[str], Any] = _load_json if as_json else tomllib.loads
    try:
        document = loads(raw.decode()) if len(raw) <= _LARGEST else None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise ThermiteError("this is neither TOML nor clear JSON, or larger than 1 MiB", where=where, do=_WHAT)
    found = [name for name in TABLES if name in document]
    if not found:
        return OldSettings([], 0, None)
    if len(found) > 1 or not isinstance(document[found[0]], dict):
        raise ThermiteError(f"the settings in {' and '.join(found)} are not clear", where=where, do=_WHAT)
    rest = {name: value for name, value in document.items() if name != found[0]}
    kept = json.dumps(rest, indent=2, ensure_ascii=False) + "\n" if as_json else _without(raw.decode(), found[0], where)
    return OldSettings(_servers(document[found[0]], where), _count_grants(document[found[0]]), kept.encode())


def store(connection: Connection, settings: Settings, old: OldSettings, by: str) -> dict[str, bool]:
    """Add the old settings' servers inside the caller's transaction; by name, whether each is new.

    Raises `ThermiteError` where a server of that name is there with another URL or secret: migrating again must not
    take back what was changed since.
    """
    added: dict[str, bool] = {}
    for server in old.servers:
        there = open_server(connection, settings, server.name)
        if there is not None and there != (server.url, server.token):
            do = f"take `{server.role}` out of the file, or `thermite mcp remove {server.name}` first"
            raise ThermiteError("it is there with another URL or secret", where=f"MCP server {server.name}", do=do)
        added[server.name] = add_server(
            connection, settings, server.name, server.url, server.token, by, migrated_from=server.role
        )
    return added


def take_out(path: Path, old: OldSettings) -> bool:
    """Write the file without the old settings; False where they are out. Raises `ThermiteError` where it can't be."""
    if old.rest is None:
        return False
    write_atomic(path.resolve(), old.rest, mode=path.stat().st_mode & 0o777)
    return True


def _servers(table: dict[str, Any], where: str) -> list[OldServer]:
    base = table.get("name", DEFAULT_NAME)
    found = [_server(base, role, table[role], where) for role in ROLES if role in table]
    if not found:
        raise ThermiteError("the old settings have neither a writer nor a reader", where=where, do=_WHAT)
    return found


def _server(base: Any, role: str, given: Any, where: str) -> OldServer:
    place = f"{where}: {role}"
    url, token = (given.get("url"), given.get("token")) if isinstance(given, dict) else (None, None)
    if not isinstance(url, str) or not isinstance(token, str) or not isinstance(base, str):
        raise ThermiteError("url, token or name is missing, or no text", where=place, do=_WHAT)
    name = f"{base}-{role}"
    try:
        check_name("MCP server", name)
        check_url(url)
        check_secret(token)
    except ThermiteError as error:
        raise ThermiteError(error.what, where=place, do=error.do) from None
    pages = given.get("pages")
    return OldServer(name, role, url, token, len(pages) if isinstance(pages, list | dict) else 0)


def _count_grants(table: dict[str, Any]) -> int:
    places = [table, *(table[role] for role in ROLES if role in table)]
    grants = [place.get("grants") for place in places]
    return sum(len(listed) if isinstance(listed, list | dict) else 1 for listed in grants if listed)


def _load_json(text: str) -> Any:
    """JSON that is written back as it says. Raises `ValueError` where it isn't clear: a token would be lost unseen."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a key stands there twice")
        return dict(pairs)

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is no JSON")

    document = json.loads(text, object_pairs_hook=once, parse_constant=refuse)
    # Refuses half a pair of surrogates, and numbers that no float holds.
    json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    return document


def _without(text: str, table: str, where: str) -> str:
    """TOML without a table and what is below it; all other lines, comments too, stay as they are."""
    kept: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        if header := _HEADER.match(line):
            inside = header[1] == table
        if not inside:
            kept.append(line)
    rest = "".join(kept)
    expected = {name: value for name, value in tomllib.loads(text).items() if name != table}
    try:
        is_right = repr(tomllib.loads(rest)) == repr(expected)  # what is no number is not equal to itself
    except ValueError:
        is_right = False
    if not is_right:
        do = f"write them as tables, [{table}.writer] and [{table}.reader]"
        raise ThermiteError("the old settings can't be taken out of this file", where=where, do=do)
    return rest
