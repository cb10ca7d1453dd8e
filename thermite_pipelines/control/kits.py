"""Kits: which outside MCP servers the runs of a kit are given, for which roles, and with which tools.

A kit is a file `kits/<kit>.toml` of the home, written by the owner:

    [mcp.papers]
    planner = "all"
    lane = ["search", "read_page"]

A kit without a file names no server.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from thermite_pipelines.errors import ThermiteError, UsageError
from thermite_pipelines.names import check_name

ROLES = ("lane", "planner", "teachers", "combiner", "auditor", "panel")
"""Who of a run can be given a server; each stands for all of its kind, `lane` for every lane."""

ALL = "all"
SUFFIX = ".toml"

Tools = list[str] | Literal["all"]

_TOOL = re.compile(r"[0-9A-Za-z_./-]{1,128}", re.ASCII)
_LARGEST = 2**20


@dataclass(frozen=True)
class Kit:
    """A kit: for each server that it names, the tools of each role."""

    name: str
    servers: dict[str, dict[str, Tools]]


def find_kit(folder: Path, name: str) -> Kit | None:
    """The kit of a name; None where it has no file. Raises `ThermiteError` for a file that makes no sense."""
    # Looked up among the names that are there: a kit may be called anything, `../x` too, and `GPU` is not `gpu`.
    path = next((path for path in _files(folder) if path.stem == name), None)
    return None if path is None else _read(path)


def all_kits(folder: Path) -> tuple[list[Kit], list[ThermiteError]]:
    """All kits by name, and what is wrong with the files that make no sense."""
    kits: list[Kit] = []
    wrong: list[ThermiteError] = []
    for path in _files(folder):
        try:
            kits.append(_read(path))
        except ThermiteError as error:
            wrong.append(error)
    return kits, wrong


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX and not path.name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ThermiteError(f"it can't be read ({error.strerror})", where=str(folder), do="check its rights") from None


def _read(path: Path) -> Kit:
    where = f"kits/{path.name}"
    try:
        with path.open("rb") as stream:
            raw = stream.read(_LARGEST + 1)
        document = tomllib.loads(raw.decode()) if len(raw) <= _LARGEST else None
    except OSError as error:
        raise ThermiteError(f"it can't be read ({error.strerror})", where=where, do="check its rights") from None
    except (ValueError, RecursionError) as error:  # no UTF-8, or no TOML
        raise ThermiteError(f"this is no TOML ({error})", where=where, do="correct it") from None
    if document is None:
        raise ThermiteError("this is larger than 1 MiB", where=where, do="correct it")
    return Kit(path.stem, _servers(document, where))


def _servers(document: dict[str, Any], where: str) -> dict[str, dict[str, Tools]]:
    unknown = sorted(set(document) - {"mcp"})
    tables = document.get("mcp", {})
    if unknown or not isinstance(tables, dict):
        what = f"{unknown[0][:40]!r} means nothing here" if unknown else "`mcp` is no table"
        raise _wrong(what, where)
    for name, roles in tables.items():
        try:
            check_name("MCP server", name)
        except UsageError as error:
            raise _wrong(error.what, where) from None
        if not isinstance(roles, dict):
            raise _wrong(f"mcp.{name} is no table", where)
        for role, tools in roles.items():
            _check_role(f"mcp.{name}", role, tools, where)
    return tables


def _check_role(table: str, role: str, tools: Any, where: str) -> None:
    if role not in ROLES:
        raise _wrong(f"{role[:40]!r} in {table} is no role", where, f"use {', '.join(ROLES)}")
    named = isinstance(tools, list) and all(isinstance(tool, str) and _TOOL.fullmatch(tool) for tool in tools)
    if tools != ALL and not named:
        raise _wrong(f"{table}.{role} names no tools", where, f'write "{ALL}" or a list of names of tools')


def _wrong(what: str, where: str, do: str = "write [mcp.<server>] with a line for each role") -> ThermiteError:
    return ThermiteError(what, where=where, do=do)
